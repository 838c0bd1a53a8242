"""Ranges that a person sets: over which a plot fits power laws, as a band with draggable edges and fields, and the
limits of its axes, in a dialog."""

from __future__ import annotations

import re
from math import isfinite
from typing import Any

import pyqtgraph as pg
from PyQt6.QtCore import QPointF, QSize, Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
    QToolTip,
    QWidget,
)

from aggviewer.plots.drawing import Bounds
from aggviewer.plots.fits import Fits, PowerFit, Range, points_in_words
from aggviewer.plots.view import AXIS_NAMES, PlotView
from aggviewer.style.theme import Colors
from aggviewer.widgets.buttons import icon
from aggviewer.widgets.form_dialog import FormDialog
from aggviewer.widgets.number_edit import NumberEdit

_UNDER_DATA = -20
_LEAST, _MOST = 1e-300, 1e300  # of a field
_SHOWN_DIGITS = 4
_EDGE = 7  # pixels around an edge in which a double-click counts
_FIELD = 64  # pixels
_EDGE_ALPHA = 110
_BAD = "A fit range needs two different limits, both above 0"


class FitRange(QWidget):
    """The fit range of one plot, and the row with its limits, which the plot shows on request.

    The edges of the band can be dragged at any time; between them, dragging moves the plot as elsewhere.
    """

    changed = pyqtSignal()
    """The range has changed, and the fits with it."""
    settled = pyqtSignal()
    """The user has released a new range, which should be saved."""

    def __init__(self, fit: PowerFit, view: PlotView, title: str, across: str) -> None:
        """title : of the plot; across : the quantity on its x axis, in rich text."""
        super().__init__()
        self.fit = fit
        self.chosen: Range | None = None
        """The user's range."""
        self._view = view
        self._found = Fits(fit)
        self.band = pg.LinearRegionItem(pen=pg.mkPen(None))
        self.band.movable = False  # only its edges can be dragged; between them the plot itself moves
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
        self.reset_button.setToolTip("Restore the default fit range (or double-click an edge)")
        self.reset_button.setAccessibleName(f"{title}: default fit range")
        self.reset_button.clicked.connect(self.reset)
        self.results = QLabel()
        self.results.setTextFormat(Qt.TextFormat.RichText)
        self.results.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
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
        row.addWidget(self.results, 1)
        self.hide()

    def _field(self, name: str) -> NumberEdit:
        edit = NumberEdit(False, _LEAST, _MOST, 1.0, log=True)
        edit.set_value(None)  # until a range exists
        edit.setMinimumWidth(_FIELD)
        edit.setMaximumWidth(_FIELD)
        edit.setAccessibleName(name)
        edit.setToolTip("Arrow keys step through 1, 2 and 5 times a power of ten")
        edit.setButtonSymbols(NumberEdit.ButtonSymbols.NoButtons)
        edit.edited.connect(self._typed)
        return edit

    # interface to the plot

    @property
    def shows_results(self) -> bool:
        """Whether the results of the fits are shown in the plot."""
        return self.fit.always or self.chosen is not None or not self.isHidden()

    @property
    def band_shown(self) -> bool:
        """Whether the range is marked in the plot, or would be if the plot were visible."""
        return bool(self.band.isVisibleTo(self.band.parentItem()))

    @property
    def range(self) -> Range | None:
        """The fit range, None if there is nothing to fit."""
        return self.chosen or self._found.range

    def choose(self, chosen: Range | None) -> None:
        """Set the fit range, None for the default one."""
        self.chosen = chosen
        self.changed.emit()

    def reset(self) -> None:
        """Restore the default range."""
        self.choose(None)
        self.settled.emit()

    def set_look(self, theme: Colors) -> None:
        """Set the colours of the band and its edges."""
        self.reset_button.setIcon(icon("mdi6.restore", theme.muted))
        self.results.setStyleSheet(f"color: {theme.muted};")
        self.band.setBrush(pg.mkBrush(*theme.band))
        edge = pg.mkColor(theme.muted)
        edge.setAlpha(_EDGE_ALPHA)
        ratio = self._view.devicePixelRatioF()
        for line in self.band.lines:
            line.setPen(pg.mkPen(edge, width=ratio))
            line.setHoverPen(pg.mkPen(theme.accent, width=3 * ratio))

    def show_found(self, found: Fits, *, any_data: bool) -> None:
        """Update band and fields after a fit. any_data : whether the plot shows data."""
        if not self.fit.slopes:
            return
        self._found = found
        within = self.range
        if within is not None:
            self.band.blockSignals(True)  # only the user's changes are choices
            self.band.setRegion([self._view.scales[0].coordinate(end) for end in within])
            self.band.blockSignals(False)
        lines = any_data and self.shows_results and found.any
        self.band.setVisible(lines or (not self.isHidden() and within is not None))
        ends_shown = (None, None) if within is None else within
        for edit, end in zip(self.edits, ends_shown, strict=True):
            edit.set_value(None if end is None else float(f"{end:.{_SHOWN_DIGITS}g}"))
        self.reset_button.setEnabled(self.chosen is not None)
        counts = list(dict.fromkeys(one.count for powers in found.found for one in powers if one))
        self.results.setText(f"n = {', '.join(map(str, counts))}" if counts else "n < 2")
        words = ", ".join(map(points_in_words, counts)) or "A fit needs two points"
        self.results.setToolTip(f"{words} in the fit range")
        self.results.setAccessibleName(self.results.toolTip())

    # inside

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
        self.show_found(self._found, any_data=True)  # updates the fields, except one that is being edited
        words = f"{hint[:1].upper()}{hint[1:]}" if hint else _BAD
        QToolTip.showText(self.mapToGlobal(self.edits[0].geometry().bottomLeft()), words, self)

    def _reset_at(self, at: QPointF) -> bool:
        """Handle a double-click in the scene: on an edge it restores the default range."""
        if not self.band.isVisible():
            return False
        box = self._view.getPlotItem().getViewBox()
        edges = [box.mapViewToScene(QPointF(end, 0.0)).x() for end in self.band.getRegion()]
        if not any(abs(at.x() - edge) <= _EDGE for edge in edges):
            return False
        self.reset()
        return True


_WIDTH = 110  # pixels of a field
_DIGITS = 6
_TAGS = re.compile(r"<[^>]*>")
_LARGEST = 1e300


class RangeDialog(FormDialog):
    """Dialog for the limits of a plot's axes."""

    def __init__(self, view: PlotView, title: str, parent: QWidget | None = None) -> None:
        super().__init__(f"Range of {title}", QDialogButtonBox.StandardButton.Ok, parent)
        self._scales = view.scales
        self.edits: list[NumberEdit] = []
        labels = [_TAGS.sub("", text) for text in (view.axes.x, view.axes.y)]
        ends = view.ends
        for axis, (label, name) in enumerate(zip(labels, AXIS_NAMES, strict=True)):
            row = QHBoxLayout()
            row.setSpacing(8)
            scale = view.scales[axis]
            for end, word in enumerate(("from", "to")):
                edit = NumberEdit(False, -_LARGEST, _LARGEST, 1.0, log=scale.logarithmic)
                edit.setFixedWidth(_WIDTH)
                edit.setAccessibleName(f"{name} {word}")
                edit.set_value(float(f"{ends[2 * axis + end]:.{_DIGITS}g}"))
                edit.edited.connect(self._check)
                self.edits.append(edit)
                row.addWidget(edit)
                if not end:
                    row.addWidget(QLabel("to"))
            row.addStretch(1)
            self.rows.addRow(label or name, row)
        self.keep = QCheckBox("Keep in later runs")
        self.keep.setToolTip("The range stays until you show all data again (A)")
        self.keep.setChecked(True)
        self.rows.addRow("Keep", self.keep)
        self._check()

    @property
    def ends(self) -> Bounds | None:
        """The typed limits: x from and to, y from and to; None if they are invalid."""
        values = [edit.value for edit in self.edits]
        if not all(isinstance(value, int | float) and isfinite(value) for value in values):
            return None
        x0, x1, y0, y1 = (float(value) for value in values)
        return None if wrong_ends((x0, x1, y0, y1), self._scales) else (x0, x1, y0, y1)

    def _check(self, _value: object = None) -> None:
        values = [edit.value for edit in self.edits]
        hint = next((edit.hint for edit in self.edits if edit.hint), "")
        words = f"{hint}." if hint else "Each limit must be a number."
        if all(isinstance(value, int | float) and isfinite(value) for value in values):
            words = wrong_ends(tuple(float(value) for value in values), self._scales)
        self.show_problem(words)


def wrong_ends(ends: Any, scales: Any) -> str:
    """Why these limits are invalid on these scales; "" if they are valid. ends : x from and to, y from and to."""
    for axis, (name, scale) in enumerate(zip(AXIS_NAMES, scales, strict=True)):
        low, high = ends[2 * axis : 2 * axis + 2]
        if not low < high:
            return f"{name}: the lower limit must be below the upper one."
        if scale.logarithmic and not low > 0.0:
            return f"{name}: the limits of a logarithmic axis must be above 0."
        if not high - low > 1e-12 * max(abs(low), abs(high)):
            return f"{name}: the limits are too close to each other."
    return ""


def ask_range(view: PlotView, title: str, parent: QWidget) -> tuple[Bounds, bool] | None:
    """Ask the user for a range, and whether to keep it; None if they cancel."""
    dialog = RangeDialog(view, title, parent)
    if dialog.exec() == QDialog.DialogCode.Accepted and dialog.ends is not None:
        return dialog.ends, dialog.keep.isChecked()
    return None


def read_ends(plain: object, view: PlotView) -> Bounds | None:
    """A saved range; None if it is invalid on the scales of this view."""
    if not (isinstance(plain, list) and len(plain) == 4):
        return None
    if not all(isinstance(end, int | float) and isfinite(end) for end in plain):
        return None
    x0, x1, y0, y1 = (float(end) for end in plain)
    return None if wrong_ends((x0, x1, y0, y1), view.scales) else (x0, x1, y0, y1)
