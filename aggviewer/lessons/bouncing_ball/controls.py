"""The fields of the lesson: restitution, height of the drop, plate, and what is stored."""

from __future__ import annotations

import random
from dataclasses import replace

from PyQt6.QtCore import QEvent, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QMouseEvent, QResizeEvent
from PyQt6.QtWidgets import QBoxLayout, QComboBox, QHBoxLayout, QLabel, QToolButton, QWidget

from aggviewer.widgets.icons import icon
from aggviewer.widgets.number_edit import NumberEdit, ValueSlider
from engine.errors import InputError
from engine.hard_discs.ball import Detection, Drop

USUAL = Drop(plate=0.1, drop=0.5, restitution=0.5)
"""The drop that the lesson begins with: no float is exactly 0.1, and naive detection halts at this plate."""
RESTITUTIONS, DROPS, PLATES = (0.0, 0.95), (1e-6, 100.0), (-100.0, 100.0)

_BETWEEN = 16  # pixels between the fields of one row


class _RestitutionSlider(ValueSlider):
    """A slider for the restitution; a double click goes back to the default."""

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """Go back to the default restitution."""
        self.dragged.emit(USUAL.restitution)


class BallControls(QWidget):
    """The fields of the drop.

    Signals: ``changed(drop, stored)``; ``refused(str)`` with the reason why an input is not allowed.
    """

    changed = pyqtSignal(object, str)
    refused = pyqtSignal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.drop = USUAL
        self.stored: Detection = "stable"
        self.restitution = NumberEdit(False, *RESTITUTIONS, 0.05)
        self.slider = _RestitutionSlider(False, *RESTITUTIONS, 0.01)
        self.fall_height = NumberEdit(False, *DROPS, 1.0, log=True)
        self.plate = NumberEdit(False, *PLATES, 0.01)
        self.dice = QToolButton()
        self.store = QComboBox()
        self._lay_out()
        self._edits = {"restitution": self.restitution, "drop": self.fall_height, "plate": self.plate}
        self.restitution.edited.connect(lambda value: self._set("restitution", value, RESTITUTIONS))
        self.slider.dragged.connect(lambda value: self._set("restitution", value, RESTITUTIONS))
        self.fall_height.edited.connect(lambda value: self._set("drop", value, DROPS))
        self.plate.edited.connect(lambda value: self._set("plate", value, PLATES))
        self.dice.clicked.connect(self.random_plate)
        self.store.activated.connect(self._on_store)
        self._show()

    def _lay_out(self) -> None:
        self._rows = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._two = row, second = QHBoxLayout(), QHBoxLayout()
        for one in self._two:
            one.setSpacing(8)
            self._rows.addLayout(one)
        self._add(
            row,
            "Restitution ε",
            self.restitution,
            "ε in v′ = −ε v, 0 … 0.95 (default 0.5). A double click on the slider resets it.",
        )
        self.slider.setToolTip(self.restitution.toolTip())
        self.slider.setAccessibleName("Restitution ε")
        self.slider.setMaximumWidth(112)
        self.slider.setMinimumWidth(56)
        row.addWidget(self.slider)
        row.addSpacing(8)
        self._add(
            row, "Drop h", self.fall_height, "How far the ball falls to its first impact, 10⁻⁶ … 100 (default 0.5)"
        )
        row.addStretch(1)
        row = second
        self._add(row, "Plate r_plate", self.plate, "Where the plate is, −100 … 100: a mere shift of the coordinates")
        self.plate.setMinimumWidth(152)
        self.dice.setIcon(icon("mdi6.dice-multiple-outline"))
        self.dice.setToolTip("A random plate in [0, 1]")
        self.dice.setAccessibleName("Random plate")
        self.dice.setProperty("flat", True)
        self.dice.setIconSize(QSize(20, 20))
        self.dice.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        row.addWidget(self.dice)
        row.addSpacing(8)
        self.store.addItem("height r", "stable")
        self.store.addItem("gap f", "gap")
        self._add(
            row,
            "Stable stores",
            self.store,
            "The height r, whose last digit is larger than a late bounce,\n"
            "or the gap f, which keeps 16 digits however small it is",
        )
        row.addStretch(1)

    def _add(self, row: QHBoxLayout, text: str, widget: QWidget, tip: str) -> None:
        label = QLabel(text)
        label.setBuddy(widget)
        label.setToolTip(tip)
        widget.setToolTip(tip)
        widget.setAccessibleName(text)
        row.addWidget(label)
        row.addWidget(widget)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Two rows where there is little room, else one."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent | None) -> None:
        """Large type takes more room."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        narrow = sum(row.sizeHint().width() for row in self._two) + _BETWEEN > self.width()
        directions = QBoxLayout.Direction
        self._rows.setDirection(directions.TopToBottom if narrow else directions.LeftToRight)
        self._rows.setSpacing(8 if narrow else _BETWEEN)

    def minimumSizeHint(self) -> QSize:
        """Of two rows."""
        wide = max(row.minimumSize().width() for row in self._two)
        return QSize(wide, super().minimumSizeHint().height())

    def random_plate(self) -> None:
        """Choose a plate at random, with all its digits."""
        self.set_plate(random.random() + random.random() * 2.0**-53)

    def set_plate(self, plate: float) -> None:
        """Set the height of the plate."""
        self._set("plate", plate, PLATES)

    def _set(self, name: str, value: object, limits: tuple[float, float]) -> None:
        low, high = limits
        edit = self._edits[name]
        try:
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                hint = edit.hint or f"a number from {low:g} to {high:g} is needed"
                raise InputError(f"{value} is not allowed; {hint}", name)
            drop = replace(self.drop, **{name: float(value)})
            edit.refused = False
        except InputError as error:
            edit.refused = True
            self.refused.emit(str(error))
            self._show()
            return
        self.drop = drop
        self._show()
        self.changed.emit(self.drop, self.stored)

    def _on_store(self, index: int) -> None:
        self.stored = self.store.itemData(index)
        self.changed.emit(self.drop, self.stored)

    def _show(self) -> None:
        self.restitution.set_value(self.drop.restitution)
        self.slider.set_value(self.drop.restitution)
        self.fall_height.set_value(self.drop.drop)
        self.plate.set_value(self.drop.plate)
