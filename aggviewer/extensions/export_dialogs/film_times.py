"""What a film can be made of, and which of its moments the film shows: a part of the film dialog."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil, floor, inf, isfinite
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QObject, Qt, pyqtSignal
from PyQt6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QHBoxLayout, QLabel, QWidget

import engine
from aggviewer.canvas.camera import Camera
from aggviewer.export.kinds import ExportItem
from aggviewer.export.sources import LaneToFilm, SimulationSource, first_flight_time
from aggviewer.export.spec import USUAL_LENGTH, FilmSpec, FromStored, Growth, Moments, merge_times
from aggviewer.session.notices import log
from aggviewer.style.numbers import TIME, duration, moment
from aggviewer.widgets.gui_thread import GuiJob
from aggviewer.widgets.number_edit import NumberField
from engine.errors import InputError
from engine.system import Clock
from engine.words import count

_MOST_TIME = 1e9
_LEAST_SPEED = 1e-6
_LENGTHS = (0.1, 86_400.0)  # seconds of film
_DIGITS = 5  # significant digits of a time or a speed

FilmPace = Literal["frames", "time", "log"]


class FilmTimes(QObject):
    """The fields for pace, speed, length and range of a film. Speed and length follow from each other; where the speed
    is not constant, or the end is not known yet, the length rules.

    A film to the end of a run whose merges are early, or not known yet, is proposed by the logarithm of time.

    Signal: ``changed``.
    """

    changed = pyqtSignal()

    def __init__(self, offer: FilmOffer, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._offer, clock = offer, offer.clock
        self.pace = QComboBox()
        self.pace.setAccessibleName("Pace")
        if offer.frames:
            self.pace.addItem("Each recorded frame once", "frames")
        if offer.timed or not offer.frames:
            self.pace.addItem(f"By {offer.passing}", "time")
            if not clock.counts:
                self.pace.addItem("By the logarithm of time", "log")
                self.pace.setToolTip("With the logarithm, early times pass slowly and late ones quickly")
        usual = offer.usual_speed()
        name = offer.passing.capitalize() + " per second of film"
        unit = f"{'' if clock.counts else 'of '}{offer.passing} per second"
        self.speed = _number(name, _LEAST_SPEED, _MOST_TIME, usual, unit)
        self.length = _number("Length of the film in seconds", *_LENGTHS, 1.0, "s", digits=3)
        last_time = offer.last_time if isfinite(offer.last_time) else _MOST_TIME
        begin, end = offer.watched(usual)
        self.start = self._moment("starts", last_time, begin)
        self.end = self._moment("ends", last_time, end)
        self.to_end = QCheckBox(f"Until {offer.end}")
        self.to_end.setToolTip("The run is first simulated to find this time, and then again for the film")
        self._growth: Growth | None = None  # of the run up to its end, once that is known
        self._pace_chosen = False  # by the user
        self._end_length: float | None = None  # of a film to the end, if the user has set it
        self.first_frame, self.last_frame = (self._frame(name) for name in ("First", "Last"))
        self.last_frame.set_value(self.last_frame.high)
        self.again = QCheckBox("Recompute for smooth motion")
        self.again.setToolTip(
            "Fewer states of the run are stored than the film has pictures. Recomputed, the motion is smooth; "
            "otherwise pictures repeat."
        )
        self.again.setChecked(True)
        self._follow_speed()

    def add_to(self, form: QFormLayout) -> None:
        """Add the fields to a form, as rows."""
        clock = self._offer.clock
        self._form = form
        self._times = _pair(self.start, "to", self.end)
        self._numbers = _pair(self.first_frame, "to", self.last_frame)
        form.addRow("Pace", self.pace)
        form.addRow(f"{clock.name.capitalize()}s" if clock.counts else f"Time {clock.symbol}", self._times)
        form.addRow("", self.to_end)
        form.addRow("Speed", self.speed)
        form.addRow("Length", self.length)
        form.addRow("Frames", self._numbers)
        form.addRow("Until now", self.again)
        form.setRowVisible(self.pace, self.pace.count() > 1)
        self.pace.currentIndexChanged.connect(self._on_change)
        self.pace.activated.connect(self._on_pace)
        self.to_end.toggled.connect(self._on_to_end)
        self.again.toggled.connect(self._on_change)
        for edit in (self.start, self.end, self.first_frame, self.last_frame):
            edit.edited.connect(self._on_change)
        self.speed.edited.connect(self._on_change)
        self.length.edited.connect(self._on_length)

    @property
    def _by(self) -> FilmPace:
        found: FilmPace = self.pace.currentData()
        return found

    @property
    def until_end(self) -> bool:
        """Whether the film goes on to the end of the run."""
        return bool(self._offer.end) and self.to_end.isChecked() and self._by != "frames"

    def set_growth(self, growth: Growth) -> None:
        """Use the end of the run and its merges, which are known now."""
        self._growth = growth
        self._propose_pace()
        self.changed.emit()

    def _on_pace(self) -> None:
        self._pace_chosen = True

    def _on_to_end(self) -> None:
        self._propose_pace()
        if self.until_end:  # that of what was watched may be short
            self.length.set_value(self._end_length or max(self.length.value, USUAL_LENGTH))
        self._on_change()

    def _propose_pace(self) -> None:
        """The pace that shows most of what happens, until the user has chosen one."""
        growth, start = self._growth, self._time(self.start)
        if not (self._pace_chosen or self._offer.clock.counts or self._offer.frames):
            early = self.until_end and self._offer.merges and (growth is None or growth.early(start, growth.end))
            self.pace.setCurrentIndex(self.pace.findData("log" if early else "time"))

    def applied_to(self, spec: FilmSpec) -> FilmSpec:
        """The specification of a film, with the times or frames chosen here."""
        if self._by == "frames":
            return replace(spec, frames=(self.first_frame.value, self.last_frame.value))
        start, end = self._time(self.start), self._time(self.end)
        if self.until_end:
            end = inf if self._growth is None else max(self._growth.end, start)
        ruled = self._by == "log" or self.until_end
        length = float(self.length.value) if ruled else None
        spec = replace(spec, speed=self.speed.value, start=start, end=end, length=length, log_time=self._by == "log")
        return replace(spec, again=self.again.isChecked() and self._uneven(spec))

    def _uneven(self, spec: FilmSpec) -> bool:
        """Whether the stored states are too far apart for a smooth film, and the run can be computed again."""
        stored = None
        with suppress(InputError):  # the dialog says what is wrong
            stored = self._offer.from_stored(spec)
        return self._offer.again is not None and stored is not None and not stored.even

    def show_rows(self, spec: FilmSpec) -> None:
        """Show the fields that matter for a film of these moments."""
        frames, ruled = self._by == "frames", self._by == "log" or self.until_end
        show = self._form.setRowVisible
        show(self._numbers, frames)
        show(self._times, not frames)
        show(self.to_end, not frames and bool(self._offer.end))
        show(self.speed, not frames and not ruled)
        show(self.length, not frames)
        show(self.again, self._uneven(spec))
        self.end.setEnabled(not self.until_end)

    def _time(self, field: NumberField) -> float:
        """The time in a field: the exact present time if the field shows it; that of the end if it shows the last."""
        offer, value = self._offer, float(field.value)
        if field.text_of(value) == field.text_of(offer.first_time):
            return offer.first_time
        return offer.last_time if value >= field.high else value

    def _on_change(self) -> None:
        self._follow_speed()
        self.changed.emit()

    def _on_length(self) -> None:
        if self.until_end:
            self._end_length = float(self.length.value)
        if (span := self.end.value - self.start.value) > 0.0 and not self.until_end:
            self.speed.set_value(span / self.length.value)
        self.changed.emit()

    def _follow_speed(self) -> None:
        """Show the length that follows from the speed."""
        if self._by == "time" and not self.until_end:
            self.length.set_value(max(0.0, self.end.value - self.start.value) / self.speed.value)

    def _moment(self, does: str, last_time: float, value: float) -> NumberField:
        """A field for the start or end time of the film; an integer if iterations are counted."""
        clock, earliest = self._offer.clock, self._offer.earliest
        name = f"{clock.name.capitalize()} at which the film {does}"
        if not clock.counts:
            return _number(name, earliest, last_time, value)
        field = NumberField(True, ceil(earliest), floor(last_time), name=name)
        field.set_value(floor(value))  # the iteration that is shown at that time
        return field

    def _frame(self, name: str) -> NumberField:
        return NumberField(True, 0, max(0, self._offer.frames - 1), name=f"{name} recorded frame")


def _number(name: str, low: float, high: float, value: float, unit: str = "", digits: int = _DIGITS) -> NumberField:
    """A field for a time, a speed or a length."""
    field = NumberField(False, low, high, None, unit=unit, digits=digits, name=name)
    field.set_value(value)
    return field


def _pair(first: QWidget, word: str, second: QWidget) -> QWidget:
    pair = QWidget()
    row = QHBoxLayout(pair)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    row.addWidget(first, 1)
    row.addWidget(QLabel(word), 0, Qt.AlignmentFlag.AlignCenter)
    row.addWidget(second, 1)
    return pair


_LEAST_LENGTH = 1.0  # seconds that have to have been watched
_MOST_PROPOSED = 60.0  # seconds; a longer film is proposed faster, with the usual length


NOT_AGAIN = "a run of many discs that began with a file cannot be recomputed"


@dataclass(frozen=True, eq=False)
class FilmOffer:
    """The material for a film.

    Parameters
    ----------
    radii : (N,).
    camera : the view.
    window_size : of the picture on the screen, pixels.
    first_time, last_time : of the recording; a last time of inf means the live run from its present time.
    frames : number of recorded frames, 0 for the live run.
    timed : whether the recording contains times.
    speed : present playback speed, simulation time per second.
    past : (K,), times of the states of the live run in memory, ascending.
    again : about how many seconds it takes to compute the live run again up to now; None if that is impossible.
    end : where the live run ends by itself (`engine.system.System.end`), "" if it does not.
    merges : whether its discs join clusters.
    shown : the time on the screen, None for the first.
    followed : the disc that the window follows.
    selected : the selected discs.
    plots : plots available beside the picture, by key.
    runs : the number of runs side by side.
    clock : the unit of time.
    missing : names of overlays that the film never has (`aggviewer.canvas.picture.Over.missing`).
    """

    radii: NDArray[np.float64]
    camera: Camera
    window_size: tuple[int, int]
    first_time: float = 0.0
    last_time: float = inf
    frames: int = 0
    timed: bool = True
    speed: float = 1.0
    past: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    again: float | None = None
    end: str = ""
    merges: bool = False
    shown: float | None = None
    followed: int | None = None
    selected: tuple[int, ...] = ()
    plots: tuple[ExportItem, ...] = ()
    runs: int = 1
    clock: Clock = TIME
    missing: tuple[str, ...] = ()

    @property
    def passing(self) -> str:
        """The quantity that advances: simulation time, or iterations."""
        return f"{self.clock.name}s" if self.clock.counts else "simulation time"

    @property
    def earliest(self) -> float:
        """The earliest time at which a film can start."""
        return min(float(self.past[0]), self.first_time) if len(self.past) else self.first_time

    def usual_speed(self) -> float:
        """The default speed, simulation time per second: the one watched, or one that gives a film of usual length."""
        speed = self.speed if isfinite(self.speed) and self.speed > 0.0 else 1.0
        begin, end = self.watched(speed)
        if end - begin <= _MOST_PROPOSED * speed:
            return speed
        return float(f"{(end - begin) / USUAL_LENGTH:.2g}")

    def watched(self, speed: float) -> tuple[float, float]:
        """The default start and end: what was watched, or, if that is very short, what comes next. speed : simulation
        time per second."""
        if isfinite(self.last_time):
            return self.first_time if self.shown is None else self.shown, self.last_time
        begin = self.earliest if self.shown is None else self.shown
        if self.first_time - begin >= _LEAST_LENGTH * speed:
            return begin, self.first_time
        begin = self.first_time if self.shown is None else self.shown
        return begin, self.first_time + USUAL_LENGTH * speed

    def moments(self, spec: FilmSpec, flight: float = 1.0) -> Moments:
        """What the frames of a film show. If its end is not known yet, only their number is right. InputError if it
        cannot be made. flight : see `FilmSpec.moments`."""
        if spec.end == inf:
            spec = replace(spec, end=max(self.earliest if spec.start is None else spec.start, self.first_time) + 1.0)
        return spec.moments(self.earliest, self.last_time, self.frames, flight)

    def from_stored(self, spec: FilmSpec) -> FromStored | None:
        """What a film looks like where it shows stored states of the live run; None if it shows none. InputError if it
        cannot be made."""
        if not len(self.past) or spec.frames is not None or spec.start is None or spec.start >= self.first_time:
            return None
        return self.moments(spec).from_stored(self.past, self.first_time, whole=self.clock.counts)

    def note_on_live_run(self, spec: FilmSpec) -> str:
        """What a film of the live run does to the run, and where its past comes from. InputError if it cannot be
        made."""
        words = "The film is made from a copy; your run continues."
        stored = self.from_stored(spec)
        if stored is None:
            return words
        now = moment(self.first_time, self.clock)
        if spec.again:
            assert self.again is not None
            about = "at most" if spec.end is not None and spec.end < self.first_time else "about"
            return (
                f"{words} Up to the present ({now}), the run is recomputed, which takes {about} {duration(self.again)}."
            )
        if not stored.repeated:
            return f"{words} Up to the present ({now}), it shows the {count(len(self.past))} stored states."
        why = f", since {NOT_AGAIN}" if self.again is None else ""
        return (
            f"{words} Up to the present ({now}), it shows the {count(len(self.past))} stored states: "
            f"{count(stored.repeated)} of {count(len(self.moments(spec)))} pictures repeat the previous one{why}."
        )


class FilmAhead(QObject):
    """``changed`` when the merges of the run are known.

    Attributes
    ----------
    growth : the merges, None before.
    busy : whether the run is being simulated.
    """

    changed = pyqtSignal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._job = GuiJob("end of the run", parent=self)
        self._lanes: Sequence[LaneToFilm] = ()
        self._has_started = False
        self.busy = False
        self.growth: Growth | None = None

    def begin(self, lanes: Sequence[LaneToFilm]) -> None:
        """Forget what was known; look ahead in these lanes from now on."""
        self._lanes, self.growth, self._has_started, self.busy = lanes, None, False, False

    def find(self) -> None:
        """Start to simulate the rest of the run, unless that was started before."""
        if self._lanes and not self._has_started:
            self._has_started = self.busy = True
            work = partial(growth_of, self._lanes, lambda: self._job.cancelled)
            self._job.submit(work, self._take, self._fail)

    def end(self) -> None:
        """Stop simulating."""
        self._lanes, self.busy = (), False
        self._job.cancel()

    def close(self) -> None:
        """End the thread."""
        self._job.close()

    def _take(self, growth: Growth) -> None:
        self.growth, self.busy = growth, False
        self.changed.emit()

    def _fail(self, error: Exception) -> None:
        """The simulation has failed; no message is needed, since making the film reports the error."""
        log.info("the end of a run could not be found for a film: %s", error)
        self.busy = False
        self.changed.emit()


def growth_of(lanes: Sequence[LaneToFilm], cancelled: Callable[[], bool]) -> Growth:
    """The merges of runs side by side, up to the end of the last one. On any thread."""
    times, ends, flight = [], [], 1.0
    for number, lane in enumerate(lanes):
        assert lane.checkpoint is not None
        source = SimulationSource(engine.restore(lane.checkpoint), lane.past)
        if number == 0:
            flight = first_flight_time(source)
        ended = source.at_end(cancelled)
        times.append(merge_times(ended.history()))
        ends.append(ended.time)
    return Growth(np.sort(np.concatenate(times)), max(ends), flight)
