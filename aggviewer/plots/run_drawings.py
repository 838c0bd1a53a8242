"""The runs in a plot: their drawings, states that wait to be drawn, the numbers in the corner, and the legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QSizePolicy, QWidget

from aggviewer.plots.drawing import PlotDrawing
from aggviewer.plots.fits import Range
from aggviewer.plots.plot import NumberMark, Plot
from aggviewer.plots.runs import RunLook, RunStyle, looks, short_names
from aggviewer.session.data import Analysis
from aggviewer.session.notices import log
from aggviewer.style import numbers
from aggviewer.style.theme import Colors
from engine.scenario import Scenario
from engine.system import find


class RunDrawings:
    """For each run of a plot, by number, its drawing and the measured state behind it, so that the same state can be
    drawn again after a change of choice or fit range."""

    def __init__(self, plot: Plot) -> None:
        self._plot = plot
        self.choices: dict[str, Any] = {choice.name: False for choice in plot.choices}
        """The user's choices in the plot."""
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
        return analysis.has(self._plot.indicators)

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
            found = self._plot.prepare(analysis, self.choices, fit)
        except Exception as error:  # of a plug-in, too: the other plots continue
            words = f"{self._plot.title} cannot be drawn: {type(error).__name__}: {error}"
            if self._problems.get(run) != words:  # states are measured several times a second
                log.exception("%s cannot be drawn", self._plot.title)
            self._problems[run] = words
            return None
        self._problems.pop(run, None)
        return found

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
            numbers.moment(one.time, numbers.TIME if system is None else system.clock)
            for one, system in zip(found, clocks, strict=True)
        ]
        return " | ".join(dict.fromkeys(words))

    @property
    def why_empty(self) -> str:
        """Why the states have nothing to show; empty if nothing more is known than before there is one."""
        return next(filter(None, map(self._plot.why_empty, self._states.values())), "")

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
