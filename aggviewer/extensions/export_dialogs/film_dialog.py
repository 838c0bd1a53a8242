"""The film dialog: what the film shows and follows, how long it is, and how large its file becomes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from pathlib import Path

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QHBoxLayout, QLabel, QSizePolicy, QWidget

from aggviewer.export.follow import Follow
from aggviewer.export.spec import FORMATS, GIF, PLACES, QUALITIES, Estimate, FilmFormat, FilmLayout, FilmSpec, estimate
from aggviewer.extensions.export_dialogs.fields import ItemList, OverFields, SizeFields
from aggviewer.extensions.export_dialogs.film_job import MOST_FRAMES, FilmCosts
from aggviewer.extensions.export_dialogs.film_times import FilmAhead, FilmOffer, FilmTimes
from aggviewer.style.numbers import duration
from aggviewer.widgets.file_dialogs import FileDialog
from aggviewer.widgets.number_edit import NumberField
from engine.errors import InputError
from engine.words import count, typeset

_LARGEST = 8192
_FASTEST = 240  # frames per second
_QUALITY_WORDS = {"small": "Small file", "standard": "Standard", "high": "High"}
_PLACE_WORDS = {"right": "Beside the picture", "below": "Below the picture"}
_PLOTS_SEEN = 4


class FilmDialog(FileDialog):
    """The settings of a film. `spec` and `form` hold the choices; Export is disabled while they are invalid."""

    def __init__(
        self,
        offer: FilmOffer,
        path: Path,
        last: FilmSpec | None = None,
        parent: QWidget | None = None,
        costs: FilmCosts | None = None,
        ahead: FilmAhead | None = None,
    ) -> None:
        """path : proposed path with the ending of the format; last : proposals for all but times and view; costs :
        measures how long films take; ahead : finds the end of the run and its merges."""
        super().__init__("Export film", "Export", parent)
        self._offer, self._costs, self._ahead = offer, costs, ahead
        last = last or FilmSpec()
        self.size_fields = SizeFields(offer.window_size, last.size, _LARGEST)
        self.qualities = QComboBox()
        for quality in QUALITIES:
            self.qualities.addItem(_QUALITY_WORDS[quality], quality)
        self.qualities.setCurrentIndex(QUALITIES.index(last.quality))
        self.qualities.setAccessibleName("Quality")
        self.fps = NumberField(True, 1, _FASTEST, unit="frames/s", name="Frames per second")
        self.fps.set_value(last.fps)
        self.times = FilmTimes(offer, self)
        self.over = OverFields(last.over, offer.missing)
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
        self.merges_label, self.estimate_label, self.cost_label = QLabel(), QLabel(), QLabel()
        self.note = QLabel()
        self._formed: FilmFormat | None = None  # what the fields are made fit for
        self._lay_out()
        self.add_file(path, {known.suffix: known.name for known in FORMATS})
        self._connect()
        self._on_format()

    @property
    def form(self) -> FilmFormat:
        """The format of the film."""
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
        return self.times.applied_to(spec)

    @property
    def _in_space(self) -> bool:
        return self._offer.camera.pose is not None

    # the form

    def _lay_out(self) -> None:
        form = self.rows
        form.addRow("Size", self.size_fields)
        form.addRow("Quality", self.qualities)
        form.addRow("Frame rate", self.fps)
        self.times.add_to(form)
        form.addRow("Merges", self.merges_label)
        self.merges_label.setWordWrap(True)
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
        self.note.setWordWrap(True)
        self.note.setVisible(not self._offer.frames)
        self.column.insertWidget(1, self.note)
        self.content.setMinimumWidth(760)

    def _connect(self) -> None:
        self.file.changed.connect(self._on_format)
        self.times.changed.connect(self._refresh)
        self.qualities.currentIndexChanged.connect(self._refresh)
        self.size_fields.changed.connect(self._refresh)
        for part in (self.over, self.follow, self.plots):
            part.changed.connect(self._refresh)
        self.plots_at.currentIndexChanged.connect(self._refresh)
        self.turns.toggled.connect(self._refresh)
        self.fps.edited.connect(self._refresh)
        if self._costs is not None:
            self._costs.changed.connect(self._refresh)
        if self._ahead is not None:
            self._ahead.changed.connect(self._on_ahead)

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

    def _on_ahead(self) -> None:
        assert self._ahead is not None
        if self._ahead.growth is not None:
            self.times.set_growth(self._ahead.growth)
        else:
            self._refresh()

    def _show_merges(self, spec: FilmSpec) -> None:
        """Show where in the film the merges lie, once they are known."""
        ahead, shown = self._ahead, self._ahead is not None and self.times.until_end and self._offer.merges
        self.rows.setRowVisible(self.merges_label, shown)
        if ahead is None or not shown:
            return
        ahead.find()
        text = "…" if ahead.busy else "–"
        if ahead.growth is not None:
            with suppress(InputError):  # the dialog says what is wrong
                text = ahead.growth.words(self._offer.moments(spec, ahead.growth.flight), spec.fps)
        self.merges_label.setText(text)

    def _refresh(self) -> None:
        spec = self.spec
        self.times.show_rows(spec)
        self._show_merges(spec)
        self.plots_at.setEnabled(bool(self.plots.value))
        try:
            found = self.estimate()
            note = self._offer.note_on_live_run(spec)
        except InputError as error:
            text, cost, note, problem = "–", "–", self.note.text(), str(error)
        else:
            text, cost, problem = film_words(found), self._cost_words(spec, found.frames), ""
        self.estimate_label.setText(text)
        self.cost_label.setText(cost)
        self.note.setText(note)
        self.show_problem(problem)

    def _cost_words(self, spec: FilmSpec, frames: int) -> str:
        """``about 7 s, plus simulation``: the rendering time, as far as known."""
        if self._costs is None:
            return ""
        simulates, more = False, ""
        if spec.frames is not None:
            first, last = spec.frames
            sample = replace(spec, frames=(first, min(last, first + MOST_FRAMES - 1)))
        else:
            assert spec.start is not None
            assert spec.end is not None
            present = inf if self._offer.frames else self._offer.first_time
            simulates = spec.start >= present
            if spec.end > present or spec.again:
                more = ", simulation included" if simulates and spec.end < inf else ", plus simulation"
            end = min(spec.end, spec.start + (MOST_FRAMES - 1) * spec.speed / spec.fps)
            end = end if simulates else min(end, present)
            sample = replace(spec, end=end, length=None, log_time=False, again=False)
        cost = self._costs.of(sample, self.form, simulates=simulates)
        if cost is None:
            return "…" if self._costs.busy else "–"
        return f"about {duration(cost.of(frames))}{more}"

    def estimate(self) -> Estimate:
        """Estimated length and size of the film. InputError if it cannot be made."""
        spec, offer = self.spec, self._offer
        spec.check(self.form)
        FilmLayout.of(spec.size, offer.runs, len(spec.plots), spec.plots_at)  # raises if there is no room
        return estimate(spec, self.form, len(offer.moments(spec)), offer.radii, offer.camera)


def _room_for(spec: FilmSpec, runs: int) -> int:
    """How many of the plots of a film it has room for."""
    for number in range(len(spec.plots), 0, -1):
        with suppress(InputError):
            FilmLayout.of(spec.size, runs, number, spec.plots_at)
            return number
    return 0


def film_words(found: Estimate) -> str:
    """``20.0 s, 600 frames, about 12 MB``."""
    frames = f"{count(found.frames)} frame" + ("" if found.frames == 1 else "s")
    return f"{_length(found.seconds)}, {frames}, about {_bytes(found.bytes)}"


def _length(seconds: float) -> str:
    if seconds < 60.0:
        return f"{typeset(seconds, '.1f')} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _bytes(size: float) -> str:
    for unit in ("kB", "MB", "GB"):
        size /= 1000.0
        if size < 999.5 or unit == "GB":
            return f"{typeset(size, '.2g')} {unit}" if size < 99.5 else f"{typeset(size, '.0f')} {unit}"
    raise AssertionError


_NOTHING, _DISC, _CLUSTER, _SELECTION = "nothing", "disc", "cluster", "selection"
_KEPT, _FITTED = "Same as in the window", "Fitted with a margin"


class FollowFields(QWidget):
    """A choice of nothing, a disc, a disc's cluster, or the selection; ``changed`` when it changes.

    Parameters
    ----------
    discs : N, the number of discs.
    followed : the disc that the window follows, None for none.
    selected : the numbers of the selected discs.
    fitted : whether the view was fitted last time.
    """

    changed = pyqtSignal()

    def __init__(self, discs: int, followed: int | None, selected: Sequence[int], fitted: bool) -> None:
        super().__init__()
        self._selected = tuple(selected)
        self.what = QComboBox()
        self.what.setAccessibleName("Follow")
        self.what.setToolTip("What stays at the centre of the picture")
        self.what.addItem("Nothing", _NOTHING)
        self.what.addItem("Disc", _DISC)
        self.what.addItem("Cluster of disc", _CLUSTER)
        if selected:
            number = len(selected)
            self.what.addItem(f"Selection, {count(number)} disc{'' if number == 1 else 's'}", _SELECTION)
        self.what.setCurrentIndex(self.what.findData(_NOTHING if followed is None else _DISC))
        self.disc = NumberField(True, 0, max(0, discs - 1), name="Disc number")
        self.disc.set_value(followed if followed is not None else self._selected[0] if self._selected else 0)
        self.view_size = QComboBox()
        self.view_size.setAccessibleName("Size of the view")
        self.view_size.addItems([_KEPT, _FITTED])
        self.view_size.setCurrentIndex(int(fitted))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.what, 1)
        row.addWidget(self.disc)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        for signal in (self.what.currentIndexChanged, self.disc.edited, self.view_size.currentIndexChanged):
            signal.connect(self._on_change)

    def add_to(self, form: QFormLayout) -> None:
        """Add the fields to a form, as two rows."""
        form.addRow("Follow", self)
        form.addRow("View", self.view_size)
        self._show_fields()

    @property
    def value(self) -> Follow | None:
        """The discs that the film is to follow; None if its view is fixed."""
        what, fitted = self.what.currentData(), self.view_size.currentIndex() == 1
        if what == _NOTHING:
            return None
        if what == _SELECTION:
            return Follow(self._selected, fitted=fitted)
        return Follow((int(self.disc.value),), cluster=what == _CLUSTER, fitted=fitted)

    def _on_change(self) -> None:
        self._show_fields()
        self.changed.emit()

    def _show_fields(self) -> None:
        what = self.what.currentData()
        self.disc.setVisible(what in (_DISC, _CLUSTER))
        self.view_size.setEnabled(what != _NOTHING)
