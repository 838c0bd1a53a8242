"""Editors with a box to tick: something on or off, and a time step that may be adaptive."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QCheckBox, QSizePolicy

from aggviewer.parameters.editors import Control, Editor, NumberEditor
from engine.scenario import FieldDescription

ADAPTIVE = "adaptive"


def _box(text: str) -> QCheckBox:
    box = QCheckBox(text)
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    box.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    return box


class SwitchEditor(Editor):
    """On or off."""

    def __init__(self, field: FieldDescription) -> None:
        super().__init__()
        self.box = _box("On")
        self.box.clicked.connect(lambda on: self.edited.emit(on))
        self.focus_widget = self.box
        self._column(self.box)

    def set_value(self, value: Any) -> None:
        self.box.setChecked(value is True)


class StepEditor(Editor):
    """A time step: adaptive, or a number with a slider, which is empty while the step is adaptive."""

    def __init__(self, field: FieldDescription, control: Control) -> None:
        super().__init__()
        self.box = _box("Adaptive")
        self.number = NumberEditor(field, control)
        self.number.edit.setAccessibleName(f"{field.label} fixed")
        self._fixed: float | None = None  # the last fixed step
        self._suggestion = 1.0
        self.box.clicked.connect(self._ticked)
        self.number.edited.connect(self.edited)
        self.number.entered.connect(self.entered)
        self.focus_widget = self.box
        self._column(self.box, self.number)

    def set_value(self, value: Any) -> None:
        adaptive = value == ADAPTIVE
        if isinstance(value, int | float):
            self._fixed = value
        self.box.setChecked(adaptive)
        # emptied before it is disabled: a field that loses the focus commits what stands in it
        self.number.set_value(None if adaptive else value)
        self.number.setEnabled(not adaptive)

    def set_suggestion(self, step: float) -> None:
        """What a fixed step begins with where none has been chosen."""
        self._suggestion = step

    def commit(self) -> None:
        self.number.commit()

    def _ticked(self, adaptive: bool) -> None:
        self.edited.emit(ADAPTIVE if adaptive else self._fixed or self._suggestion)
