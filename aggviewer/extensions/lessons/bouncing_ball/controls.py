"""The controls of the lesson: restitution, drop height, plate, and the stored quantity."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import NamedTuple

from PyQt6.QtCore import QEvent, QSize, pyqtSignal
from PyQt6.QtGui import QMouseEvent, QResizeEvent
from PyQt6.QtWidgets import QBoxLayout, QComboBox, QHBoxLayout, QLabel, QWidget

from aggviewer.widgets.buttons import icon
from aggviewer.widgets.number_edit import NumberEdit, ValueSlider
from aggviewer.widgets.transport import flat_button
from engine.errors import InputError
from engine.hard_discs.ball import Detection, Drop

_LONG, _ARROWS = "0.1234567890", 48  # what the field of the plate has room for, and pixels beside it
USUAL = Drop(plate=0.1, drop=0.5, restitution=0.5)
"""The initial drop: no float is exactly 0.1, and naive detection halts at this plate."""


class _Field(NamedTuple):
    label: str
    tip: str
    low: float
    high: float
    step: float
    log: bool = False


_FIELDS = {
    "restitution": _Field(
        "Restitution ε",
        "ε in v′ = −ε v, 0 … 0.95 (default 0.5). Double-click the slider to reset it.",
        0.0,
        0.95,
        0.05,
    ),
    "drop": _Field(
        "Drop h", "How far the ball falls before its first impact, 10⁻⁶ … 100 (default 0.5)", 1e-6, 100.0, 1.0, True
    ),
    "plate": _Field(
        "Plate r_plate", "Position of the plate, −100 … 100: only shifts the coordinates", -100.0, 100.0, 0.01
    ),
}
"""The fields of `Drop` that can be set."""

_STORE_TIP = (
    "The height r, whose last digit is larger than the late bounces,\n"
    "or the gap f, which keeps 16 digits however small it is"
)
_BETWEEN = 16  # pixels between the two halves of the row


class _RestitutionSlider(ValueSlider):
    """A slider for the restitution; a double-click resets it."""

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """Reset the restitution."""
        self.dragged.emit(USUAL.restitution)


class BallControls(QWidget):
    """The controls of the drop.

    Signals: ``changed(drop, stored)``; ``refused(str)`` with the reason why an input is not allowed.
    """

    changed = pyqtSignal(object, str)
    refused = pyqtSignal(str)

    def __init__(self) -> None:
        super().__init__()
        self.drop = USUAL
        self.stored: Detection = "stable"
        self.edits = {
            name: NumberEdit(False, field.low, field.high, field.step, log=field.log) for name, field in _FIELDS.items()
        }
        restitution = _FIELDS["restitution"]
        self.slider = _RestitutionSlider(False, restitution.low, restitution.high, 0.01)
        self.dice = flat_button("Random plate (in [0, 1])")
        self.dice.setIcon(icon("mdi6.dice-multiple-outline"))
        self.store = QComboBox()
        self.store.addItem("height r", "stable")
        self.store.addItem("gap f", "gap")
        self._lay_out()
        for name, edit in self.edits.items():
            edit.edited.connect(lambda value, name=name: self._set(name, value))
        self.slider.dragged.connect(lambda value: self._set("restitution", value))
        self.dice.clicked.connect(lambda: self.set_plate(random.random() + random.random() * 2.0**-53))
        self.store.activated.connect(self._on_store)
        self._show()

    def _lay_out(self) -> None:
        self._rows = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._halves = ball, where = QHBoxLayout(), QHBoxLayout()
        for half in self._halves:
            half.setSpacing(8)
            self._rows.addLayout(half)
        for name, half in (("restitution", ball), ("drop", ball), ("plate", where)):
            _add(half, _FIELDS[name].label, self.edits[name], _FIELDS[name].tip)
        self.slider.setToolTip(_FIELDS["restitution"].tip)
        self.slider.setAccessibleName(_FIELDS["restitution"].label)
        self.slider.setMinimumWidth(56)
        self.slider.setMaximumWidth(112)
        ball.insertWidget(2, self.slider)
        where.addWidget(self.dice)
        _add(where, "Stable stores", self.store, _STORE_TIP)
        for half in self._halves:
            half.addStretch(1)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Use two rows if there is little space, else one."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent | None) -> None:
        """Large type needs more space."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        self.edits["plate"].setMinimumWidth(self.fontMetrics().horizontalAdvance(_LONG) + _ARROWS)
        narrow = sum(half.sizeHint().width() for half in self._halves) + _BETWEEN > self.width()
        directions = QBoxLayout.Direction
        self._rows.setDirection(directions.TopToBottom if narrow else directions.LeftToRight)
        self._rows.setSpacing(8 if narrow else _BETWEEN)
        line = self.fontMetrics().lineSpacing()
        self.dice.setIconSize(QSize(line, line))

    def minimumSizeHint(self) -> QSize:
        """The size of two rows."""
        wide = max(half.minimumSize().width() for half in self._halves)
        return QSize(wide, super().minimumSizeHint().height())

    def set_plate(self, plate: float) -> None:
        """Set the height of the plate."""
        self._set("plate", plate)

    def _set(self, name: str, value: object) -> None:
        field, edit = _FIELDS[name], self.edits[name]
        try:
            if isinstance(value, bool) or not isinstance(value, int | float) or not field.low <= value <= field.high:
                hint = edit.hint or f"a number from {field.low:g} to {field.high:g} is needed"
                raise InputError(f"{value} is not allowed; {hint}", name)
            self.drop = replace(self.drop, **{name: float(value)})
        except InputError as error:
            edit.refused = True
            self.refused.emit(str(error))
        else:
            edit.refused = False
            self.changed.emit(self.drop, self.stored)
        self._show()

    def _on_store(self, index: int) -> None:
        self.stored = self.store.itemData(index)
        self.changed.emit(self.drop, self.stored)

    def _show(self) -> None:
        for name, edit in self.edits.items():
            edit.set_value(getattr(self.drop, name))
        self.slider.set_value(self.drop.restitution)


def _add(row: QHBoxLayout, text: str, widget: QWidget, tip: str) -> None:
    """A field with its label."""
    label = QLabel(text)
    label.setBuddy(widget)
    label.setToolTip(tip)
    widget.setToolTip(tip)
    widget.setAccessibleName(text)
    row.addWidget(label)
    row.addWidget(widget)
