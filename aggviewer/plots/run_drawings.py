"""The runs in a plot: their drawings, states that wait to be drawn, the numbers in the corner, the legend, and below it
the list of references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from aggviewer.plots.drawing import PlotDrawing
from aggviewer.plots.fits import Range
from aggviewer.plots.plot import NumberMark, Plot
from aggviewer.plots.runs import Reference, RunLook, RunStyle, looks, short_names
from aggviewer.plots.series_items import reference_colour, reference_dashes
from aggviewer.session.data import Analysis
from aggviewer.session.notices import log
from aggviewer.style import numbers
from aggviewer.style.theme import LIGHT, Colors
from aggviewer.widgets.buttons import icon
from engine.guarding import reason
from engine.scenario import Scenario
from engine.system import Clock, find
from engine.words import count, typeset

if TYPE_CHECKING:
    from engine.analysis import Average

FEWEST_STATES = 8
"""From which an average has an error (`engine.analysis.averages.LEAST_BLOCKS`)."""


class RunDrawings:
    """For each run of a plot, by number, its drawing and the measured state behind it, so that the same state can be
    drawn again after a change of choice or fit range."""

    def __init__(self, plot: Plot) -> None:
        self._plot = plot
        self.choices: dict[str, Any] = {choice.name: False for choice in plot.choices}
        """The user's choices in the plot."""
        self.averaging = False
        """Whether averages over the run are drawn instead of single states."""
        self.drawings: list[PlotDrawing | None] = []
        self.waiting: dict[int, Analysis] = {}
        """States to draw when the plot is visible."""
        self._states: dict[int, Analysis] = {}  # the last state drawn
        self._problems: dict[int, str] = {}  # of runs whose states cannot be prepared

    def set_runs(self, sources: Sequence[int | None]) -> None:
        """Set the runs. sources : the earlier run whose data each of them keeps, None for no data."""
        self.waiting, self._states = (
            {run: kept[source] for run, source in enumerate(sources) if source is not None and source in kept}
            for kept in (self.waiting, self._states)
        )
        before, self._problems = self.drawings, {}
        self.drawings = [None if one is None or one >= len(before) else before[one] for one in sources]

    def measured(self, analysis: Analysis) -> bool:
        """Whether all that the plot needs of a state has been measured."""
        return self.averaging or analysis.has(self._plot.indicators)

    @property
    def waits(self) -> bool:
        """Whether a state can only be drawn once it is measured."""
        return not all(map(self.measured, self.waiting.values()))

    @property
    def measured_waiting(self) -> Mapping[int, Analysis]:
        """The states, by run, that are measured but not yet drawn."""
        return {run: one for run, one in self.waiting.items() if self.measured(one)}

    def prepared(self, analysis: Analysis, run: int, fit: Range | None) -> PlotDrawing | None:
        """The result of `Plot.prepare` for a measured state. If that fails it is None, and `problem` says why."""
        self._states[run] = analysis
        try:
            found = self._plot.prepare(self._shown(analysis), self.choices, fit)
        except Exception as error:  # of a plug-in, too: the other plots continue
            words = f"{self._plot.title} cannot be drawn: {reason(error)}"
            if self._problems.get(run) != words:  # states are measured several times a second
                log.exception("%s cannot be drawn", self._plot.title)
            self._problems[run] = words
            return None
        self._problems.pop(run, None)
        return found

    def _shown(self, analysis: Analysis) -> Analysis:
        """A state, or the averages over the run up to it."""
        plot = self._plot
        return analysis.over_time(plot.averaged | (plot.indicators or frozenset())) if self.averaging else analysis

    def prepare_anew(self, fit: Range | None) -> None:
        """Prepare the same states again after a change of choice or fit range."""
        for run, analysis in sorted(self._states.items()):
            self.drawings[run] = self.prepared(analysis, run, fit)

    def forget(self, run: int) -> None:
        """Forget the states of a run; its drawing stays until it is set."""
        for kept in (self.waiting, self._states, self._problems):
            kept.pop(run, None)

    def has_data(self, run: int) -> bool:
        """Whether a run has data."""
        one = self.drawings[run]
        return one is not None and one.has_data

    @property
    def problem(self) -> str:
        """Why a state cannot be drawn, empty if there is no problem."""
        return next(iter(self._problems.values()), "")

    @property
    def moments(self) -> str:
        """The times of the states that are drawn: ``t = 12.40``, of several runs ``t = 12.40 | t = 12.50`` if they
        differ; empty before there is one."""
        found = [self._states[run] for run in sorted(self._states) if self.has_data(run)]
        clocks = [find(one.disc_set.scenario.system) for one in found]
        words = [
            self._moment(one, numbers.TIME if system is None else system.clock)
            for one, system in zip(found, clocks, strict=True)
        ]
        return " | ".join(dict.fromkeys(words))

    def _moment(self, analysis: Analysis, clock: Clock) -> str:
        """The time of a state, or the times of the states in its averages."""
        means = self._means(analysis)
        if not self.averaging or not means:
            return numbers.moment(analysis.time, clock)
        return f"since {typeset(min(one.first for one in means), '.5g')}"

    def _means(self, analysis: Analysis) -> list[Average]:
        return [one for name, one in analysis.averaged.averages.items() if name in self._plot.averaged]

    @property
    def about_averages(self) -> str:
        """How many states the averages are of, and how far their errors can be trusted, for a tool tip; rich text."""
        return "".join(f"<p>{self._about(state)}</p>" for _, state in sorted(self._states.items()))

    def _about(self, analysis: Analysis) -> str:
        so_far, means = analysis.averaged, self._means(analysis)
        words = [so_far.note]
        if means:
            first, last = min(one.first for one in means), max(one.last for one in means)
            states = max(one.states for one in means)
            every = f", one every {typeset(so_far.every, 'g')}" if isfinite(so_far.every) else ""
            words.append(
                f"Average over {count(states)} states from t = {typeset(first, '.5g')} to "
                f"{typeset(last, '.5g')}{every}."
            )
            if states < FEWEST_STATES:
                words.append(f"± needs {count(FEWEST_STATES)} states.")
            elif not all(one.settled for one in means):
                words.append("The states still depend on each other: ± is too small until the run is longer.")
        elif so_far.states:
            words.append(f"{count(so_far.states)} states so far: this average needs more.")
        elif isfinite(so_far.begins):
            words.append(f"The average begins at t = {typeset(so_far.begins, '.5g')}: let the run go on.")
        elif so_far.begins > 0.0:
            words.append("Averages need a run whose discs move.")
        told = [why for name, why in so_far.problems.items() if name in self._plot.averaged]
        return " ".join(filter(None, (*words, *told)))

    def differ_from(self, times: Mapping[int, float]) -> bool:
        """Whether a state that is drawn has another time than the picture of its run. times : of the pictures."""
        return not self.averaging and any(
            self.has_data(run) and times.get(run, state.time) != state.time for run, state in self._states.items()
        )

    @property
    def why_empty(self) -> str:
        """Why the states have nothing to show; empty if nothing more is known than before there is one."""
        why = self._about if self.averaging else self._plot.why_empty
        return next(filter(None, map(why, self._states.values())), "")

    @property
    def origins(self) -> list[dict[str, int]]:
        """Seed and number of discs N of each run by name: none before it has a state, no seed for discs of a file."""
        systems = [None if one is None else one.disc_set for one in map(self._states.get, range(len(self.drawings)))]
        return [{} if one is None else _seed(one.scenario) | {"N": one.count} for one in systems]

    def counted(self, choice: str) -> str:
        """The counts of a choice in all runs, as text: ``3 | 5``."""
        counts = [0 if one is None else one.choice_counts.get(choice, 0) for one in self.drawings]
        return " | ".join(map(str, counts or [0]))


def _seed(scenario: Scenario) -> dict[str, int]:
    return {} if scenario.discs.arrangement == "file" else {"seed": scenario.seed}


_SWATCH, _GAP, _BETWEEN = 28, 8, 24  # pixels: of a swatch, to its name, to the next swatch
_MARK = 3.5  # radius of the mark on a swatch
_SIDE = 16  # pixels free beside the line


class RunLegend(QWidget):
    """One line with a sample of each run's curve, its mark, and its name. Hidden for a single run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.names: list[str] = []
        self._looks: list[RunLook] = []
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_runs(self, runs: Sequence[RunStyle], looks: Sequence[RunLook]) -> None:
        """Set the runs, and how they are drawn."""
        self.names = [run.name for run in runs]
        self._looks = list(looks)
        text = "Runs: " + ", ".join(self.names)
        self.setAccessibleName(text)
        self.setToolTip(text)
        self.setVisible(len(runs) > 1)
        self.update()

    def sizeHint(self) -> QSize:
        """The size of one line of text."""
        return QSize(200, self.fontMetrics().height() + 16)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint swatches with names, shortened to fit."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = self.fontMetrics()
        count = max(1, len(self.names))
        room = (self.width() - 2 * _SIDE - (count - 1) * _BETWEEN) // count - _SWATCH - _GAP
        x, middle = _SIDE, self.height() / 2
        for name, look in zip(self.names, self._looks, strict=True):
            self._paint_swatch(painter, x, middle, look)
            x += _SWATCH + _GAP
            painter.setPen(self.palette().windowText().color())
            shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, max(0, room))
            painter.drawText(QRectF(x, 0, room + 1, self.height()), Qt.AlignmentFlag.AlignVCenter, shown)
            x += metrics.horizontalAdvance(shown) + _BETWEEN
        painter.end()

    @staticmethod
    def _paint_swatch(painter: QPainter, x: int, middle: float, look: RunLook) -> None:
        colour = QColor(look.colour)
        pen = QPen(colour, 4.0 if look.first else 2.0)
        if look.broken:
            pen.setDashPattern([3.0, 1.5])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        centre = QPointF(x + _SWATCH / 2, middle)
        reach = 0.0 if look.first else _MARK  # a ring is empty
        painter.setPen(pen)
        painter.drawLine(QPointF(x, middle), centre - QPointF(reach, 0))
        painter.drawLine(centre + QPointF(reach, 0), QPointF(x + _SWATCH, middle))
        painter.setPen(QPen(colour, 1.5))
        painter.setBrush(colour if look.first else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(centre, _MARK, _MARK)
        painter.setBrush(Qt.BrushStyle.NoBrush)


def live_numbers(
    told: Sequence[Mapping[str, str]], runs: Sequence[RunStyle], theme: Colors, marks: Mapping[str, NumberMark]
) -> list[str]:
    """A line of rich text for each symbol: ``D_f = 1.795``, or ``D_f ● ED 1.795 ○ TS 1.791`` for two runs.

    told : for each run, number by symbol, rich text; marks : the mark before each symbol.
    """
    symbols = list(dict.fromkeys(symbol for values in told for symbol in values))
    # several lines would be too long with names, which the legend gives
    names = short_names(runs) if len(symbols) == 1 else [""] * len(runs)
    lines = []
    for symbol in symbols:
        head = _marked(symbol, runs, theme, marks)
        words = [f"{head} =" if len(runs) == 1 else head]
        for values, name, look in zip(told, names, looks(runs, theme), strict=True):
            if symbol in values:
                mark = [] if look.alone else [look.swatch, name]
                words.append("&nbsp;".join(part for part in (*mark, f"<b>{values[symbol]}</b>") if part))
        lines.append(" ".join(words))
    return lines


def _marked(symbol: str, runs: Sequence[RunStyle], theme: Colors, marks: Mapping[str, NumberMark]) -> str:
    """The symbol of a number in the corner, with a sample of the line that shows the number, if there is one."""
    mark = marks.get(symbol)
    if mark is None:
        return symbol
    if not mark.coloured:
        return f"{mark.stroke} {symbol}"
    one = looks(runs, theme)[0]
    colour = one.colour if one.alone else theme.text
    return f'<span style="color:{colour}">{mark.stroke}</span> {symbol}'


_FEWEST = 4  # least number of characters of the beginning of a name to show


def reference_pen(slot: int, theme: Colors, width: float) -> QPen:
    """The pen of a reference's curves. width : in screen pixels."""
    pen = QPen(QColor(reference_colour(slot, theme)), width)
    pen.setCosmetic(True)
    if reference_dashes(slot):
        pen.setDashPattern(list(reference_dashes(slot)))
    return pen


class _Swatch(QWidget):
    """A small sample of the line that draws a reference."""

    def __init__(self, slot: int, theme: Colors) -> None:
        super().__init__()
        self._slot = slot
        self._theme = theme
        self.setFixedSize(_SWATCH, 16)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint the sample of the line."""
        painter = QPainter(self)
        painter.setPen(reference_pen(self._slot, self._theme, 1.5))
        painter.drawLine(0, 8, _SWATCH, 8)
        painter.end()


class _Name(QLabel):
    """A label that shortens a name to fit: of a name with a colon, the part after the last colon, which distinguishes
    the points of a study, has priority."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setToolTip(name)
        self.setAccessibleName(f"Reference: {name}")

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Fit the name to the new width."""
        super().resizeEvent(event)
        self.setText(self._elided(self.width()))

    def _elided(self, width: int) -> str:
        metrics = self.fontMetrics()
        head, colon, tail = self._name.rpartition(": ")
        room = width - metrics.horizontalAdvance(colon + tail)
        if room < metrics.horizontalAdvance("…" + head[:_FEWEST]):
            return metrics.elidedText(tail, Qt.TextElideMode.ElideMiddle, width)
        return metrics.elidedText(head, Qt.TextElideMode.ElideRight, room) + colon + tail


class ReferenceList(QWidget):
    """The list of references below the names of the runs; hidden while there is none."""

    remove_asked = pyqtSignal(str)
    """The user wants to remove the reference of this name."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(_SIDE, 4, 8, 0)
        self._rows.setSpacing(0)
        self._theme = LIGHT
        self.buttons: list[QToolButton] = []
        self.names: list[str] = []
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_references(self, references: Sequence[Reference], theme: Colors) -> None:
        """Show these references."""
        while (row := self._rows.takeAt(0)) is not None:
            widget = row.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.buttons, self.names = [], [one.name for one in references]
        for one in references:
            self._rows.addWidget(self._row(one, theme))
        self.setVisible(bool(references))

    def _row(self, reference: Reference, theme: Colors) -> QWidget:
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(_Swatch(reference.slot, theme))
        layout.addWidget(_Name(reference.name), 1)
        button = QToolButton()
        button.setAutoRaise(True)
        button.setIconSize(QSize(14, 14))
        button.setIcon(icon("mdi6.close", theme.muted))
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setToolTip("Remove this reference from the plots")
        button.setAccessibleName(f"Remove the reference {reference.name}")
        name = reference.name
        button.clicked.connect(lambda: self.remove_asked.emit(name))
        self.buttons.append(button)
        layout.addWidget(button)
        return row
