"""The editor for a vector: two numbers side by side."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QGridLayout, QLabel

from aggviewer.parameters.editors import Control, Editor
from aggviewer.style.theme import Colors
from aggviewer.widgets.number_edit import NumberEdit
from engine.scenario import FieldDescription

_FAR = 1e300  # the scenario judges what is too much
_NAMES = ("x", "y")


class PairEditor(Editor):
    """x and y, one over the other so that both have room in a narrow panel; either changes the whole vector."""

    def __init__(self, field: FieldDescription, control: Control) -> None:
        super().__init__()
        self._value: tuple[Any, Any] = (0.0, 0.0)
        self.edits = tuple(NumberEdit(False, -_FAR, _FAR, control.step, False, field.unit) for _ in _NAMES)
        self.names = tuple(QLabel(name) for name in _NAMES)
        self.focus_widget = self.edits[0]
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for row, (name, label, edit) in enumerate(zip(_NAMES, self.names, self.edits, strict=True)):
            label.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
            label.setBuddy(edit)
            edit.setAccessibleName(f"{field.label} {name}")
            edit.edited.connect(lambda value, place=row: self._take(place, value))
            edit.entered.connect(self.entered)
            grid.addWidget(label, row, 0)
            grid.addWidget(edit, row, 1)

    def set_value(self, value: Any) -> None:
        self._value = (value[0], value[1])
        for edit, part in zip(self.edits, self._value, strict=True):
            edit.set_value(part)

    def commit(self) -> None:
        for edit in self.edits:
            edit.commit()

    def set_theme(self, theme: Colors) -> None:
        for label in self.names:
            label.setStyleSheet(f"color: {theme.muted};")

    def _take(self, place: int, value: Any) -> None:
        given = float(value) if isinstance(value, int) else value
        self._value = (given, self._value[1]) if place == 0 else (self._value[0], given)
        self.edited.emit(self._value)
