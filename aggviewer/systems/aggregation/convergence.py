"""The plot of the convergence: iterations above, residual below, a sentence over both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor
from typing import ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtCore import QEvent, QRect, Qt
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QLabel, QSizePolicy

from aggviewer.plots.axes import log_or_gap, nice_above
from aggviewer.plots.runs import Look, RunStyle, looks
from aggviewer.plots.shapes import DrawnTwice, StackedPlot
from aggviewer.plots.table import Column
from aggviewer.plots.view import Axes, Bounds
from aggviewer.session.data import Analysis
from aggviewer.style.theme import Colors, tabular
from aggviewer.systems.aggregation.analysis import LONGEST_SUMMARY, Steps
from aggviewer.widgets.icons import icon

_OLDEST = -255.0  # steps that are kept, counted from the last one
_SIDE, _MARGIN = 4.0, 0.15  # steps and decades that the ranges keep free around the data
_DOT, _RING, _CROSS = 4, 6, 9  # pixels of a step, of one of a second run, of one that did not converge
_NOT_NEEDED = "The event-driven method is exact: nothing to converge."
_LINK = '<a href="where">Show&nbsp;where</a>'
_WAITS = "Iterations of the minimisation in each time step, and the overlap it leaves."


class StepItems(NamedTuple):
    """What one run consists of: steps above and below, with crosses for those that did not converge."""

    iterations: pg.ScatterPlotItem
    residual: pg.ScatterPlotItem
    failed_iterations: pg.ScatterPlotItem
    failed_residual: pg.ScatterPlotItem


class _Summary(QLabel):
    """Text in a room of fixed height: one that follows the width would make all plots ask for their full height."""

    def hasHeightForWidth(self) -> bool:
        return False


@dataclass(frozen=True)
class DrawnSteps(DrawnTwice):
    """steps: what was drawn."""

    steps: Steps | None = None


class ConvergencePlot(StackedPlot):
    """Iterations above and residual below, of the last time steps."""

    title = "Convergence"
    definition = (
        "<p><b>Iterations</b>: most that a group of overlapping discs took in a step to reach a minimum of the link "
        r"energy without overlap (3.17), (3.22).</p><p><b>Residual</b>: $\max |\varphi| / R^2$ at the end, $\varphi$ "
        "from (3.4), over the tolerance.</p><p>A cross: a group did not converge and its contacts were set by "
        "projection. A click on it shows where.</p>"
    )
    empty_text = _NOT_NEEDED
    axes = Axes("", "iterations", y_log=True, corner="top left")
    lower_axes = Axes("step (0: the last one)", "|φ| / tol.", y_log=True, corner="top left")
    lower_name = "Residual"
    lower_fields: ClassVar = frozenset({"residual", "failed_residual"})
    columns: ClassVar = {
        "iterations": (Column("step"), Column("iterations")),
        "residual": (Column("step"), Column("|φ|/tolerance")),
        "failed_iterations": (Column("step"), Column("iterations without convergence")),
        "failed_residual": (Column("step"), Column("|φ|/tolerance without convergence")),
    }
    indicators = frozenset()

    @classmethod
    def prepare(cls, analysis: Analysis) -> Steps | None:
        """See `Plot.prepare`."""
        steps: Steps | None = analysis.data.steps
        return steps

    @classmethod
    def has_place(cls, runs: Sequence[RunStyle]) -> bool:
        """See `Plot.has_place`: only where time steps are made."""
        return any(run.method == "time-stepping" for run in runs)

    def _set_up(self) -> None:
        super()._set_up()
        self.tolerance_line = pg.InfiniteLine(
            0.0, angle=0, movable=False, label="tolerance", labelOpts={"position": 0.04, "anchors": [(0, 1), (0, 1)]}
        )
        self.lower_view.addItem(self.tolerance_line)
        self.summary = _Summary()
        self.summary.setFont(tabular(self.summary.font()))
        self.summary.setTextFormat(Qt.TextFormat.RichText)
        self.summary.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.summary.setContentsMargins(8, 4, 8, 0)
        self.summary.setWordWrap(True)
        self.summary.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.summary.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.summary.linkActivated.connect(self.show_where)
        self.content.insertWidget(0, self.summary)
        self.where_button = self.head.add_button("Show where: move the view to the hardest of the last steps")
        self.where_button.setAccessibleName("Show where")
        self.where_button.clicked.connect(self.show_where)
        for one in self.views:
            one.point_clicked.connect(self._show_place)
        self._keep_room()

    # for the panel

    def set_runs(self, runs: Sequence[RunStyle], sources: Sequence[int | None]) -> None:
        """See `Plot.set_runs`."""
        self.empty_text = _WAITS if self.has_place(runs) else _NOT_NEEDED
        super().set_runs(runs, sources)
        self._keep_room()

    def show_where(self) -> None:
        """Ask for the place of the hardest of the last steps."""
        found = self._hardest()
        if found is not None:
            self.place_asked.emit(*found)

    # what is drawn

    def _new_items(self) -> StepItems:
        return StepItems(*(pg.ScatterPlotItem() for _ in StepItems._fields))

    def _style_frame(self, theme: Colors) -> None:
        pen = self._pen(theme.muted, 1)
        pen.setStyle(Qt.PenStyle.DashLine)
        self.tolerance_line.setPen(pen)
        self.tolerance_line.label.setColor(theme.muted)

    def _style(self, items: StepItems, look: Look, theme: Colors) -> None:
        filled = look.alone or look.first
        for item in (items.iterations, items.residual):
            item.setSize(_DOT if filled else _RING)
            item.setBrush(pg.mkBrush(look.colour if filled else None))
            item.setPen(pg.mkPen(None) if filled else self._pen(look.colour, 1))
        for item in (items.failed_iterations, items.failed_residual):
            item.setSymbol("x")
            item.setSize(_CROSS)
            item.setPen(pg.mkPen(None))
            item.setBrush(pg.mkBrush(theme.error))

    def _draw(self, items: StepItems, data: Steps) -> DrawnSteps:
        x, failed = data.ago, data.failed > 0
        # a group may fail before its first iteration; its cross is not to be lost
        iterations = log_or_gap(np.where(failed, np.maximum(data.iterations, 1), data.iterations))
        residual = log_or_gap(np.where(np.isfinite(data.residual), data.residual, np.nan))
        for item, y in ((items.iterations, iterations), (items.residual, residual)):
            seen = np.isfinite(y) & ~failed
            item.setData(x[seen], y[seen])
        for item, y in ((items.failed_iterations, iterations), (items.failed_residual, residual)):
            seen = np.isfinite(y) & failed
            item.setData(x[seen], y[seen])
        top = nice_above(float(max(100, data.iterations.max()))) + _MARGIN
        bounds = (_OLDEST - _SIDE, _SIDE, -_MARGIN, top)
        return DrawnSteps(
            x,
            iterations,
            data.describe,
            bounds,
            clickable=failed,
            lower_y=residual,
            lower_bounds=_residual_bounds(residual),
            steps=data,
        )

    def _compose(self) -> None:
        super()._compose()
        drawn = any(one is not None for one in self._drawn)
        self.summary.setVisible(drawn)
        self.where_button.setVisible(drawn)
        self.where_button.setEnabled(self._hardest() is not None)
        self.summary.setText(self._sentences())

    def _sentences(self) -> str:
        """How each of the runs goes, in the colour of an error where it does not converge."""
        lines = []
        for run, one, look in zip(self.runs, self._drawn, looks(self.runs, self.theme), strict=True):
            if isinstance(one, DrawnSteps) and one.steps is not None:
                words = one.steps.summary()
                if one.steps.struggling:
                    words = f'<span style="color:{self.theme.error}">{words}</span> {_LINK}'
                lines.append(words if look.alone else f"{look.swatch}&nbsp;{escape(run.name)}: {words}")
        return "<br>".join(lines)

    def _hardest(self) -> tuple[float, float] | None:
        """Where the hardest of the last steps of all runs was."""
        found: list[tuple[bool, int, float, float]] = []
        for one in self._drawn:
            steps = one.steps if isinstance(one, DrawnSteps) else None
            worst = None if steps is None else steps.worst()
            if steps is not None and worst is not None:
                x, y = steps.place[worst].tolist()
                found.append((bool(steps.failed[worst]), int(steps.iterations[worst]), x, y))
        return max(found)[2:] if found else None

    def _show_place(self, index: int) -> None:
        run, step = self._locate(index)
        one = self._drawn[run]
        if isinstance(one, DrawnSteps) and one.steps is not None:
            self.place_asked.emit(*one.steps.place[step].tolist())

    # head and room

    def set_theme(self, theme: Colors) -> None:
        """See `Plot.set_theme`."""
        super().set_theme(theme)
        if self.made:
            self.where_button.setIcon(icon("mdi6.crosshairs", theme.muted))

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """A narrower panel needs more lines."""
        super().resizeEvent(event)
        self._keep_room()

    def changeEvent(self, event: QEvent | None) -> None:
        """Large type needs more room."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange and self.made:
            self.summary.setFont(tabular(self.font()))
            self._keep_room()

    def _keep_room(self) -> None:
        """The plots stay where they are when a sentence grows longer."""
        if not self.made:
            return
        margins = self.summary.contentsMargins()
        room = QRect(0, 0, max(1, self.width() - margins.left() - margins.right()), 1000)
        name = "" if len(self.runs) == 1 else "● {}: "
        names = [name.format(run.name) for run in self.runs if run.method == "time-stepping"]
        text = "\n".join(f"{name}{LONGEST_SUMMARY} Show where" for name in names)
        needed = self.summary.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, text).height()
        self.summary.setFixedHeight(needed + margins.top() + margins.bottom())


def _residual_bounds(residual: NDArray[np.float64]) -> Bounds:
    """A decade around the tolerance at least, and whole decades beyond it."""
    seen = residual[np.isfinite(residual)]
    low, high = (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 0.0)
    return (_OLDEST - _SIDE, _SIDE, min(-1.0, floor(low)) - _MARGIN, max(1.0, ceil(high)) + _MARGIN)
