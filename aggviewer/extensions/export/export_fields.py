"""The widgets for the fields of an export, one for each kind of `FieldSpec`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from PyQt6.QtCore import pyqtBoundSignal
from PyQt6.QtWidgets import QCheckBox, QComboBox, QVBoxLayout, QWidget

from aggviewer.export.kinds import (
    ChoiceSpec,
    FieldSpec,
    ItemsSpec,
    NumberSpec,
    OverlaySpec,
    SizeSpec,
    SwitchSpec,
)
from aggviewer.extensions.export.fields import OverFields, SizeFields
from aggviewer.extensions.export.item_list import ItemList
from aggviewer.widgets.number_edit import NumberField

_OTHER = "Other"


@dataclass(frozen=True)
class FieldEditor:
    """A widget that edits a field. value : returns the value; changed : signal emitted when it changes."""

    widget: QWidget
    value: Callable[[], Any]
    changed: pyqtBoundSignal


@singledispatch
def field_editor(spec: FieldSpec, value: Any) -> FieldEditor:
    """Create the editor for a field with this initial value."""
    raise TypeError(f"there is no editor for a {type(spec).__name__}")


@field_editor.register
def _choice(spec: ChoiceSpec, value: Any) -> FieldEditor:
    box = QComboBox()
    for option, words in spec.options.items():
        box.addItem(words, option)
    box.setCurrentIndex(max(0, box.findData(value)))
    return FieldEditor(box, box.currentData, box.currentIndexChanged)


@field_editor.register
def _switch(spec: SwitchSpec, value: Any) -> FieldEditor:
    box = QCheckBox(spec.words)
    box.setChecked(value)
    return FieldEditor(box, box.isChecked, box.toggled)


@field_editor.register
def _number(spec: NumberSpec, value: Any) -> FieldEditor:
    number = NumberField(spec.integer, *spec.limits, spec.step, unit=spec.unit, name=spec.name)
    number.set_value(value)
    widget = number if not spec.presets else _with_presets(spec, number)
    return FieldEditor(widget, lambda: number.value, number.edited)


def _with_presets(spec: NumberSpec, number: NumberField) -> QWidget:
    """A number field below a box with common values."""
    box = QComboBox()
    box.setAccessibleName(spec.label)
    box.addItems([*spec.presets, _OTHER])

    def name_it(value: float) -> None:
        box.setCurrentText(next((name for name, known in spec.presets.items() if known == value), _OTHER))

    def take(name: str) -> None:
        if name in spec.presets:
            number.set_value(spec.presets[name])
            number.edited.emit(number.value)

    name_it(number.value)
    number.edited.connect(name_it)
    box.textActivated.connect(take)
    both = QWidget()
    column = QVBoxLayout(both)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(8)
    column.addWidget(box)
    column.addWidget(number)
    return both


@field_editor.register
def _size(spec: SizeSpec, value: Any) -> FieldEditor:
    fields = SizeFields(spec.window, value, spec.largest)
    return FieldEditor(fields, lambda: fields.to_keep, fields.changed)


@field_editor.register
def _overlays(spec: OverlaySpec, value: Any) -> FieldEditor:
    fields = OverFields(value)
    return FieldEditor(fields, lambda: fields.value, fields.changed)


@field_editor.register
def _items(spec: ItemsSpec, value: Any) -> FieldEditor:
    items = ItemList(spec.label, spec.where, spec.items, value)
    return FieldEditor(items, lambda: items.value, items.changed)
