"""The film dialog, which estimates the length and size of the film."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil, floor, inf, isfinite
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QWidget

from aggviewer.canvas.camera import Camera
from aggviewer.export.film_layout import PLACES, FilmLayout
from aggviewer.export.kinds import ExportItem
from aggviewer.export.spec import FORMATS, GIF, QUALITIES, Estimate, FilmFormat, FilmSpec, estimate
from aggviewer.style.numbers import TIME, count, duration
from aggviewer.widgets.number_edit import NumberField
from aggviewer.window.dialogs.fields import OverFields, SizeFields
from aggviewer.window.dialogs.film_cost import MOST_FRAMES, FilmCosts
from aggviewer.window.dialogs.follow_fields import FollowFields
from aggviewer.window.dialogs.item_list import ItemList
from aggviewer.window.files.file_field import FileDialog
from engine.errors import InputError
from engine.system import Clock

_LARGEST = 8192
_FASTEST = 240  # frames per second
_USUAL_LENGTH = 20.0  # seconds of a film of the live run, at first
_LEAST_LENGTH = 1.0  # seconds that have to have been watched
_MOST_PROPOSED = 60.0  # seconds; a longer film is proposed faster, with the usual length
_QUALITY_WORDS = {"small": "Small file", "standard": "Standard", "high": "High"}
_PLACE_WORDS = {"right": "Beside the picture", "below": "Below the picture"}
_PLOTS_SEEN = 6
_EVERY = "Each recorded frame once"
_MOST_TIME = 1e9
_LEAST_SPEED = 1e-6
_DIGITS = 8  # significant digits of a time or a speed


@dataclass(frozen=True, eq=False)
class FilmOffer:
    """The material for a film.

    radii : (N,); camera : the view; window_size : of the picture on the screen, pixels; first_time, last_time : of the
    recording; a last time of inf means the live run from its present time; frames : number of recorded frames, 0 for
    the live run; timed : whether the recording contains times; speed : present playback speed, simulation time per
    second; kept_from : earliest time of the live run in memory, None for none; kept : number of states in memory; shown
    : the time on the screen, None for the first; followed : the disc that the window follows; selected : the selected
    discs; plots : plots available beside the picture, by key; runs : the runs side by side; clock : the unit of time.
    """

    radii: NDArray[np.float64]
    camera: Camera
    window_size: tuple[int, int]
    first_time: float = 0.0
    last_time: float = inf
    frames: int = 0
    timed: bool = True
    speed: float = 1.0
    kept_from: float | None = None
    kept: int = 0
    shown: float | None = None
    followed: int | None = None
    selected: tuple[int, ...] = ()
    plots: tuple[ExportItem, ...] = ()
    runs: int = 1
    clock: Clock = TIME

    @property
    def passing(self) -> str:
        """The quantity that advances: simulation time, or iterations."""
        return f"{self.clock.name}s" if self.clock.counts else "simulation time"

    @property
    def earliest(self) -> float:
        """The earliest time at which a film can start."""
        return self.first_time if self.kept_from is None else min(self.kept_from, self.first_time)

    def usual_speed(self) -> float:
        """The default speed, simulation time per second: the one watched, or one that gives a film of usual length."""
        speed = self.speed if isfinite(self.speed) and self.speed > 0.0 else 1.0
        begin, end = self.watched(speed)
        if end - begin <= _MOST_PROPOSED * speed:
            return speed
        return float(f"{(end - begin) / _USUAL_LENGTH:.2g}")

    def watched(self, speed: float) -> tuple[float, float]:
        """The default start and end: what was watched, or, if that is very short, what comes next. speed : simulation
        time per second."""
        if isfinite(self.last_time):
            return self.first_time if self.shown is None else self.shown, self.last_time
        begin = self.earliest if self.shown is None else self.shown
        if self.first_time - begin >= _LEAST_LENGTH * speed:
            return begin, self.first_time
        begin = self.first_time if self.shown is None else self.shown
        return begin, self.first_time + _USUAL_LENGTH * speed


class FilmDialog(FileDialog):
    """The settings of a film. `spec` and `form` hold the choices; Save is disabled while they are invalid."""

    def __init__(
        self,
        offer: FilmOffer,
        path: Path,
        last: FilmSpec | None = None,
        parent: QWidget | None = None,
        costs: FilmCosts | None = None,
    ) -> None:
        """path : proposed path with the ending of the format; last : proposals for all but times and view; costs :
        measures how long films take."""
        super().__init__("Export film", "Save", parent)
        self._offer, self._costs = offer, costs
        last = last or FilmSpec()
        self.size_fields = SizeFields(offer.window_size, last.size, _LARGEST)
        self.qualities = QComboBox()
        for quality in QUALITIES:
            self.qualities.addItem(_QUALITY_WORDS[quality], quality)
        self.qualities.setCurrentIndex(QUALITIES.index(last.quality))
        self.qualities.setAccessibleName("Quality")
        self.fps = NumberField(True, 1, _FASTEST, unit="frames/s", name="Frames per second")
        self.fps.set_value(last.fps)
        self.pace = QComboBox()
        self.pace.addItems([_EVERY, f"By {offer.passing}"])
        self.pace.setAccessibleName("Pace")
        usual = offer.usual_speed()
        name = offer.passing.capitalize() + " per second of film"
        unit = f"{'' if offer.clock.counts else 'of '}{offer.passing} per second"
        self.speed = _number(name, _LEAST_SPEED, _MOST_TIME, usual, unit)
        last_time = offer.last_time if isfinite(offer.last_time) else _MOST_TIME
        begin, end = offer.watched(usual)
        self.start = self._moment("starts", last_time, begin)
        self.end = self._moment("ends", last_time, end)
        self.first_frame, self.last_frame = (self._frame(name) for name in ("First", "Last"))
        self.last_frame.set_value(self.last_frame.high)
        self.over = OverFields(last.over)
        ticked = last.plots[: _room_for(last, offer.runs)]
        self.plots = ItemList("Plots", "the film", offer.plots, ticked, most=_PLOTS_SEEN)
        self.plots_at = QComboBox()
        for place in PLACES:
            self.plots_at.addItem(_PLACE_WORDS[place], place)
        self.plots_at.setCurrentIndex(PLACES.index(last.plots_at))
        self.plots_at.setAccessibleName("Position of the plots")
        fitted = last.follow is not None and last.follow.fitted
        self.turns = QCheckBox("Turn the box around once")
        self.turns.setChecked(last.turns)
        self.follow = FollowFields(len(offer.radii), offer.followed, offer.selected, fitted)
        self.estimate_label, self.cost_label = QLabel(), QLabel()
        self._formed: FilmFormat | None = None  # what the fields are made fit for
        self._lay_out()
        self.add_file(path, {known.suffix: known.name for known in FORMATS})
        self._connect()
        self._on_format()

    @property
    def form(self) -> FilmFormat:
        """The format."""
        return next(known for known in FORMATS if known.suffix == self.file.suffix)

    @property
    def spec(self) -> FilmSpec:
        """The present choices."""
        spec = FilmSpec(
            self.size_fields.value,
            float(self.fps.value),
            quality=self.qualities.currentData(),
            over=self.over.value,
            follow=self.follow.value,
            turns=self.turns.isChecked() and self._in_space,
            plots=self.plots.value,
            plots_at=self.plots_at.currentData(),
        )
        if self._by_frames:
            return replace(spec, frames=(self.first_frame.value, self.last_frame.value))
        return replace(spec, speed=self.speed.value, start=self._time(self.start), end=self._time(self.end))

    @property
    def _in_space(self) -> bool:
        return self._offer.camera.pose is not None

    @property
    def _by_frames(self) -> bool:
        return self._offer.frames > 0 and self.pace.currentText() == _EVERY

    def _time(self, field: NumberField) -> float:
        """The time in a field: the exact present time if the field shows it; infinity if it shows no end."""
        offer, value = self._offer, float(field.value)
        if field.text_of(value) == field.text_of(offer.first_time):
            return offer.first_time
        return offer.last_time if value >= field.high else value

    # the form

    def _lay_out(self) -> None:
        form = self.rows
        form.addRow("Size", self.size_fields)
        form.addRow("Quality", self.qualities)
        form.addRow("Frame rate", self.fps)
        form.addRow("Pace", self.pace)
        form.addRow("Speed", self.speed)
        self._times = _pair(self.start, "to", self.end)
        self._numbers = _pair(self.first_frame, "to", self.last_frame)
        clock = self._offer.clock
        form.addRow(f"{clock.name.capitalize()}s" if clock.counts else f"Time {clock.symbol}", self._times)
        form.addRow("Frames", self._numbers)
        form.addRow("Film", self.estimate_label)
        form.addRow("Rendering", self.cost_label)
        form.setRowVisible(self.cost_label, self._costs is not None)
        right = self.add_form()
        right.addRow("Show", self.over)
        right.addRow("Camera", self.turns)
        right.setRowVisible(self.turns, self._in_space)
        self.follow.add_to(right)
        right.addRow("Plots", self.plots)
        right.addRow("Position", self.plots_at)
        if not self._offer.frames:
            words = "The film is made from a copy; your run continues."
            if self._offer.earliest < self._offer.first_time:
                present, earliest = (
                    f"{clock.name} {floor(time)}" if clock.counts else f"{clock.symbol} = {time:.6g}"
                    for time in (self._offer.first_time, self._offer.earliest)
                )
                words += (
                    f" Up to now, {present}, it shows the {count(self._offer.kept)} stored states, from {earliest} on."
                )
            note = QLabel(words)
            note.setWordWrap(True)
            self.column.insertWidget(1, note)
        self.content.setMinimumWidth(760)
        if not (self._offer.frames and self._offer.timed):
            self.pace.setCurrentIndex(0 if self._offer.frames else 1)
            form.setRowVisible(self.pace, False)

    def _connect(self) -> None:
        self.file.changed.connect(self._on_format)
        self.pace.currentIndexChanged.connect(self._refresh)
        self.qualities.currentIndexChanged.connect(self._refresh)
        self.size_fields.changed.connect(self._refresh)
        for part in (self.over, self.follow, self.plots):
            part.changed.connect(self._refresh)
        self.plots_at.currentIndexChanged.connect(self._refresh)
        self.turns.toggled.connect(self._refresh)
        for field in (self.fps, self.speed, self.start, self.end, self.first_frame, self.last_frame):
            field.edited.connect(self._refresh)
        if self._costs is not None:
            self._costs.changed.connect(self._refresh)

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

    # what follows from what is set

    def _on_format(self) -> None:
        form = self.form
        if form is self._formed:
            return
        self._formed = form
        self.size_fields.round_to(form.even)
        self.fps.set_limits(1, min(form.fastest, _FASTEST))
        self.qualities.setEnabled(len(set(form.levels.values())) > 1)
        self.qualities.setToolTip("Number of colours" if form is GIF else "")
        self._refresh()

    def _refresh(self) -> None:
        frames = self._by_frames
        self.rows.setRowVisible(self._numbers, frames)
        self.rows.setRowVisible(self._times, not frames)
        self.rows.setRowVisible(self.speed, not frames)
        self.plots_at.setEnabled(bool(self.plots.value))
        try:
            found = self.estimate()
        except InputError as error:
            text, cost, problem = "–", "–", str(error)
        else:
            text, cost, problem = film_words(found), self._cost_words(found.frames), ""
        self.estimate_label.setText(text)
        self.cost_label.setText(cost)
        self.show_problem(problem)

    def _cost_words(self, frames: int) -> str:
        """``about 7 s, plus simulation``: the rendering time, as far as known."""
        if self._costs is None:
            return ""
        spec, simulates, more = self.spec, False, ""
        if spec.frames is not None:
            first, last = spec.frames
            sample = replace(spec, frames=(first, min(last, first + MOST_FRAMES - 1)))
        else:
            assert spec.start is not None
            assert spec.end is not None
            present = inf if self._offer.frames else self._offer.first_time
            simulates = spec.start >= present
            if spec.end > present:
                more = ", simulation included" if simulates else ", plus simulation"
            end = min(spec.end, spec.start + (MOST_FRAMES - 1) * spec.speed / spec.fps)
            sample = replace(spec, end=end if simulates else min(end, present))
        cost = self._costs.of(sample, self.form, simulates=simulates)
        if cost is None:
            return "…" if self._costs.busy else "–"
        return f"about {duration(cost.of(frames))}{more}"

    def estimate(self) -> Estimate:
        """Estimated length and size of the film. InputError if it cannot be made."""
        spec, offer = self.spec, self._offer
        spec.check(self.form)
        FilmLayout.of(spec.size, offer.runs, len(spec.plots), spec.plots_at)  # raises if there is no room
        frames = len(spec.moments(offer.earliest, offer.last_time, offer.frames))
        return estimate(spec, self.form, frames, offer.radii, offer.camera)


def _room_for(spec: FilmSpec, runs: int) -> int:
    """How many of the plots of a film it has room for."""
    for number in range(len(spec.plots), 0, -1):
        with suppress(InputError):
            FilmLayout.of(spec.size, runs, number, spec.plots_at)
            return number
    return 0


def _number(name: str, low: float, high: float, value: float, unit: str = "") -> NumberField:
    """A field for a time or a speed."""
    field = NumberField(False, low, high, None, unit=unit, digits=_DIGITS, name=name)
    field.set_value(value)
    return field


def film_words(found: Estimate) -> str:
    """``20.0 s, 600 frames, about 12 MB``."""
    frames = f"{count(found.frames)} frame" + ("" if found.frames == 1 else "s")
    return f"{_length(found.seconds)}, {frames}, about {_bytes(found.bytes)}"


def _length(seconds: float) -> str:
    if seconds < 60.0:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _bytes(size: float) -> str:
    for unit in ("kB", "MB", "GB"):
        size /= 1000.0
        if size < 999.5 or unit == "GB":
            return f"{size:.2g} {unit}" if size < 99.5 else f"{size:.0f} {unit}"
    raise AssertionError


def _pair(first: QWidget, word: str, second: QWidget) -> QWidget:
    pair = QWidget()
    row = QHBoxLayout(pair)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    row.addWidget(first, 1)
    row.addWidget(QLabel(word), 0, Qt.AlignmentFlag.AlignCenter)
    row.addWidget(second, 1)
    return pair
