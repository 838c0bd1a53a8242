"""The range over which a plot fits power laws: a band whose edges are dragged, fields for its ends, and the lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QPen
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QToolTip, QWidget

from aggviewer.plots.axes import value_text
from aggviewer.plots.scaled import ScaledCurve
from aggviewer.plots.slopes import PowerFit, exponent_text
from aggviewer.plots.table import Column, Curve, drawn_points
from aggviewer.plots.view import PlotView
from aggviewer.style.theme import Colors
from aggviewer.widgets.icons import icon
from aggviewer.widgets.number_edit import NumberEdit
from engine.study.slopes import Power, Range, power_through

_UNDER_DATA = -20
_LEAST, _MOST = 1e-300, 1e300  # of a field
_SHOWN_DIGITS = 4
_EDGE = 7  # pixels around an edge that a double click means
_FIELD = 64  # pixels
_EDGE_ALPHA = 110
_BENT = 60  # points of a line of a power on linear axes
_BAD = "The range of a fit has two different ends, both above 0"

Columns = Mapping[str, tuple[Column, Column]]


class FitRange(QWidget):
    """The fits of one plot. As a widget it is the row with the ends of the range, which the plot shows on request.

    The edges of the band can be dragged at any time; between them the plot is dragged as elsewhere.
    """

    changed = pyqtSignal()
    """Another range: what is said of the fits has changed."""
    settled = pyqtSignal()
    """The person has let go of another range: it is worth remembering."""

    def __init__(self, fit: PowerFit, view: PlotView, title: str, across: str) -> None:
        """title : of the plot; across : what is on its x axis, in rich text."""
        super().__init__()
        self.fit = fit
        self.chosen: Range | None = None
        """The range that the person has chosen."""
        self._view = view
        self._usual: Range | None = None
        self._points: list[list[tuple[NDArray[np.float64], NDArray[np.float64]]]] = []
        self._found: list[list[Power | None]] = []
        self.lines: list[list[pg.PlotDataItem]] = []
        """The fitted line of each slope, for each run."""

        self.band = pg.LinearRegionItem(pen=pg.mkPen(None))
        self.band.movable = False  # its edges are; between them the plot itself is dragged
        self.band.setZValue(_UNDER_DATA)
        self.band.hide()
        if fit.slopes:
            view.addItem(self.band)
            view.double_click_taken = self._reset_at
        self.band.sigRegionChanged.connect(self._dragged)
        self.band.sigRegionChangeFinished.connect(lambda: self.settled.emit())

        self.edits = (self._field(f"{title}: fit from"), self._field(f"{title}: fit up to"))
        self.reset_button = QToolButton()
        self.reset_button.setAutoRaise(True)
        self.reset_button.setIconSize(QSize(16, 16))
        self.reset_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.reset_button.setToolTip("Back to the usual range of the fit (double click on an edge)")
        self.reset_button.setAccessibleName(f"{title}: usual range of the fit")
        self.reset_button.clicked.connect(self.reset)
        self.told = QLabel()
        self.told.setTextFormat(Qt.TextFormat.RichText)
        self.told.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 4)
        row.setSpacing(4)
        row.addWidget(self.edits[0])
        between = QLabel("≤")
        between.setTextFormat(Qt.TextFormat.RichText)
        between.setText(f"≤ {across} ≤")
        row.addWidget(between)
        row.addWidget(self.edits[1])
        row.addWidget(self.reset_button)
        row.addWidget(self.told, 1)
        self.hide()

    def _field(self, name: str) -> NumberEdit:
        edit = NumberEdit(False, _LEAST, _MOST, 1.0, log=True)
        edit.setMinimumWidth(_FIELD)
        edit.setMaximumWidth(_FIELD)
        edit.setAccessibleName(name)
        edit.setToolTip("Arrow keys go to the next of 1, 2, 5 times a power of ten")
        edit.setButtonSymbols(NumberEdit.ButtonSymbols.NoButtons)
        edit.edited.connect(self._typed)
        return edit

    # for the plot

    @property
    def said(self) -> bool:
        """Whether the fits are worth a place in the plot."""
        return self.fit.always or self.chosen is not None or not self.isHidden()

    @property
    def range(self) -> Range | None:
        """The range of the fits, None where there is nothing to fit."""
        return self.chosen or self._usual

    def choose(self, chosen: Range | None) -> None:
        """Fit over this range from now on, None for the usual one."""
        self.chosen = chosen
        self._fit_all()
        self.changed.emit()

    def reset(self) -> None:
        """Back to the usual range."""
        self.choose(None)
        self.settled.emit()

    def set_runs(self, count: int) -> None:
        """So many runs, none of which has points yet."""
        for line in (line for lines in self.lines for line in lines):
            self._view.removeItem(line)
        self.lines = [[ScaledCurve() for _ in self.fit.slopes] for _ in range(count)]
        for line in (line for lines in self.lines for line in lines):
            self._view.addItem(line)
        self._points = [[] for _ in range(count)]
        self._fit_all()

    def rescale(self) -> None:
        """The scales of the plot have changed."""
        self._fit_all()

    def set_look(self, theme: Colors, pens: Sequence[QPen]) -> None:
        """Colours of band and lines; a pen for each run."""
        self.reset_button.setIcon(icon("mdi6.restore", theme.muted))
        self.told.setStyleSheet(f"color: {theme.muted};")
        self.band.setBrush(pg.mkBrush(*theme.band))
        edge = pg.mkColor(theme.muted)
        edge.setAlpha(_EDGE_ALPHA)
        ratio = self._view.devicePixelRatioF()
        for line in self.band.lines:
            line.setPen(pg.mkPen(edge, width=ratio))
            line.setHoverPen(pg.mkPen(theme.accent, width=3 * ratio))
        for lines, pen in zip(self.lines, pens, strict=True):
            for fitted in lines:
                fitted.setPen(pen)

    def take(self, run: int, items: Any) -> None:
        """The curves of a run as they are drawn now, None where none is or where they follow no law."""
        self._points[run] = []
        if items is not None:
            log = self._view.logarithmic
            self._points[run] = [drawn_points(items._asdict()[slope.field], log) for slope in self.fit.slopes]
        self._fit_all()

    def show_in(self, visible: bool) -> None:
        """Band and lines where there is something to fit. visible : whether the plot shows data."""
        visible = visible and self.said and any(one is not None for found in self._found for one in found)
        self.band.setVisible(visible or (not self.isHidden() and self.range is not None))
        for lines, found in zip(self.lines, self._found, strict=True):
            for line, one in zip(lines, found, strict=True):
                line.setVisible(visible and one is not None)

    def values(self, run: int, *, short: bool) -> dict[str, str]:
        """Exponents by symbol, with the number of points unless `short`; rich text for the corner of the plot."""
        if not self.said:
            return {}
        told = {}
        for slope, one in zip(self.fit.slopes, self._found[run], strict=True):
            if one is not None:
                words = exponent_text(slope.sign * one.exponent)
                told[slope.symbol] = words if short else f"{words}</b> <small>({_points(one.count)})</small><b>"
        return told

    def range_in_words(self) -> str:
        """From and to."""
        if self.range is None:
            return ""
        low, high = self.range
        return f"{value_text(low)} … {value_text(high)}"

    def curves(self, columns: Columns, runs: Sequence[str]) -> list[Curve]:
        """The fitted lines for a table. runs : names, empty for a single run."""
        return [
            Curve(
                columns[slope.field][0],
                columns[slope.field][1]._replace(name=f"{columns[slope.field][1].name} by the fit of {slope.name}"),
                run,
                *drawn_points(line, self._view.logarithmic),
            )
            for lines, run in zip(self.lines, runs, strict=True)
            for slope, line in zip(self.fit.slopes, lines, strict=True)
        ]

    def numbers(self, columns: Columns, runs: Sequence[str]) -> dict[str, NDArray[np.float64]]:
        """Exponents, numbers of points and range for a table: headings to single values."""
        table: dict[str, NDArray[np.float64]] = {}
        if not self.said or self.range is None:
            return table
        for found, run in zip(self._found, runs, strict=True):
            of = f" ({run})" if run else ""
            for slope, one in zip(self.fit.slopes, found, strict=True):
                if one is not None:
                    across = columns[slope.field][0]
                    table[f"{slope.name}{of} [1]"] = np.array([slope.sign * one.exponent])
                    table[f"{slope.name}, points{of} [1]"] = np.array([float(one.count)])
                    table[f"fit from {across.name} [{across.unit}]"] = np.array([self.range[0]])
                    table[f"fit to {across.name} [{across.unit}]"] = np.array([self.range[1]])
        return table

    # inside

    def _fit_all(self) -> None:
        """Fit all runs over the range, and draw lines, band and fields."""
        xs = [x for points in self._points for x, _ in points]
        self._usual = self.fit.usual_range(np.concatenate(xs)) if xs else None
        within = self.range
        self._found = [
            [power_through(x, y, within) for x, y in points] if points and within else [None] * len(self.fit.slopes)
            for points in self._points
        ]
        for lines, found in zip(self.lines, self._found, strict=True):
            for line, one in zip(lines, found, strict=True):
                if one is None or within is None:
                    line.setData([], [])
                else:
                    straight = all(scale.shown for scale in self._view.scales)
                    low, high = np.log10(np.array(within)).tolist()
                    ends = np.linspace(low, high, 2 if straight else _BENT)
                    line.setData(ends, np.log10(one.amplitude) + one.exponent * ends)
        if within is not None:
            self.band.blockSignals(True)  # only what the person does is a choice
            self.band.setRegion([self._view.scales[0].coordinate(end) for end in within])
            self.band.blockSignals(False)
        ends_shown = (None, None) if within is None else within
        for edit, end in zip(self.edits, ends_shown, strict=True):
            edit.set_value(None if end is None else float(f"{end:.{_SHOWN_DIGITS}g}"))
        self.reset_button.setEnabled(self.chosen is not None)
        counts = list(dict.fromkeys(one.count for found in self._found for one in found if one))
        self.told.setText(f"n = {', '.join(map(str, counts))}" if counts else "n < 2")
        words = ", ".join(map(_points, counts)) or "A fit needs two points"
        self.told.setToolTip(f"{words} in the range of the fit")
        self.told.setAccessibleName(self.told.toolTip())

    def _dragged(self) -> None:
        low, high = (self._view.scales[0].quantity(end) for end in self.band.getRegion())
        if 0.0 < low < high:
            self.choose((low, high))

    def _typed(self, _value: object) -> None:
        ends = [edit.value for edit in self.edits]
        good = [float(end) for end in ends if isinstance(end, int | float) and _LEAST <= end <= _MOST]
        if len(good) == 2 and good[0] != good[1]:
            for edit in self.edits:
                edit.refused = False
            self.choose((min(good), max(good)))
            self.settled.emit()
            return
        hint = next((edit.hint for edit in self.edits if edit.hint), "")
        for edit in self.edits:
            edit.refused = True
        self._fit_all()  # updates the fields, except for a text that is being edited
        words = f"{hint[:1].upper()}{hint[1:]}" if hint else _BAD
        QToolTip.showText(self.mapToGlobal(self.edits[0].geometry().bottomLeft()), words, self)

    def _reset_at(self, at: QPointF) -> bool:
        """A double click there, in the scene of the plot: on an edge it brings the usual range back."""
        if not self.band.isVisible():
            return False
        box = self._view.getPlotItem().getViewBox()
        edges = [box.mapViewToScene(QPointF(end, 0.0)).x() for end in self.band.getRegion()]
        if not any(abs(at.x() - edge) <= _EDGE for edge in edges):
            return False
        self.reset()
        return True


def _points(count: int) -> str:
    return f"{count}\u00a0point{'' if count == 1 else 's'}"
