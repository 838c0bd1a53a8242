"""The dialog for the limits of a plot's axes, and locked ranges."""

from __future__ import annotations

import re
from math import isfinite
from typing import Any

from PyQt6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QHBoxLayout, QLabel, QWidget

from aggviewer.plots.drawing import Bounds
from aggviewer.plots.view import AXIS_NAMES, PlotView
from aggviewer.widgets.form_dialog import FormDialog
from aggviewer.widgets.number_edit import NumberEdit

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
