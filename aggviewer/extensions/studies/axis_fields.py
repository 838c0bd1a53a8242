"""The fields for one varied parameter: which one, and its range or its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from math import inf
from typing import Any

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QCheckBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from aggviewer.extensions.studies.plan import range_table, takes_range
from aggviewer.parameters.editors import Control, NumberEditor
from aggviewer.widgets.labels import SymbolComboBox, set_tip
from aggviewer.widgets.lists import TickList
from aggviewer.widgets.number_edit import NumberEdit, round_digits
from engine.errors import InputError
from engine.scenario import FieldDescription, Scenario

_USUAL_STEPS, _MOST_STEPS = 5, 100
_EDIT = 96  # pixels, so that all sliders are aligned
_MOST_LINES = 6  # values that are visible at once
_DECADES = (
    100.0  # factor to either side of the scenario's value, for logarithmic sliders that the parameters panel lacks
)


def name_of(described: FieldDescription) -> str:
    """A parameter with its symbol and its unit, if any."""
    name = f"{described.label} {described.symbol}".rstrip()
    return f"{name} [{described.unit}]" if described.unit and described.unit != described.label else name


class AxisFields(QWidget):
    """Signal ``changed``: another parameter or value was chosen.

    Parameters
    ----------
    scenario : the proposed range is centred on its value.
    keys : the parameters that can be chosen.
    controls : their sliders and steps in the parameters panel.
    name : of the choice, for screen readers.

    Attributes
    ----------
    fields : the widget below the parameter: range and steps, or values to tick; None for no parameter.
    """

    changed = pyqtSignal()

    def __init__(
        self,
        scenario: Scenario,
        keys: Sequence[FieldDescription],
        controls: Mapping[str, Control],
        name: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._scenario, self._controls = scenario, controls
        self._keys = {one.key: one for one in keys}
        self.parameter = SymbolComboBox()
        self.parameter.setAccessibleName(name)
        self.parameter.addItem("None", "")
        for one in keys:
            self.parameter.addItem(name_of(one), one.key)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._column.addWidget(self.parameter)
        self._column.addStretch(1)
        self.fields: RangeFields | TickList | None = None
        self.parameter.currentIndexChanged.connect(self._on_parameter)
        self._show_fields()

    @property
    def key(self) -> str:
        """The parameter, "" for none."""
        return str(self.parameter.currentData() or "")

    @property
    def vary(self) -> list[dict[str, Any]]:
        """The ``[[vary]]`` table of the parameter, in a list that is empty for none. InputError if a field is not a
        number or no value is ticked."""
        if isinstance(self.fields, RangeFields):
            return [self.fields.vary(self.key)]
        if self.fields is None:
            return []
        if not self.fields.ticked:
            raise InputError("tick at least one value", self.key)
        return [{"key": self.key, "values": self.fields.ticked}]

    def choose(self, key: str) -> None:
        """Choose this parameter."""
        self.parameter.setCurrentIndex(self.parameter.findData(key))

    def _on_parameter(self) -> None:
        self._show_fields()
        self.changed.emit()

    def _show_fields(self) -> None:
        if self.fields is not None:
            self._column.removeWidget(self.fields)
            self.fields.hide()
            self.fields.deleteLater()
            self.fields = None
        described = self._keys.get(self.key)
        if described is None:
            return
        value = self._scenario.value(described.key)
        if takes_range(described):
            self.fields = RangeFields(described, self._controls.get(described.key, Control()), value)
            self.fields.changed.connect(self.changed)
        else:
            self.fields = _values(described, value)
            self.fields.itemChanged.connect(lambda _item: self.changed.emit())
        set_tip(self.fields, f"<p>{escape(described.tooltip)}</p><p>Allowed: {escape(described.allowed)}.</p>")
        self._column.insertWidget(1, self.fields)


class RangeFields(QWidget):
    """Fields for the range of a number (from, to, steps) with the editors of the parameters panel. Signal ``changed``:
    another value was entered.

    described, value : the parameter and its value in the scenario; control : its control in the parameters panel.
    """

    changed = pyqtSignal()

    def __init__(self, described: FieldDescription, control: Control, value: Any) -> None:
        super().__init__()
        control = with_slider(described, control, float(value))
        log = described.log or control.log
        steps = replace(described, kind="integer", unit="", minimum=2, maximum=_MOST_STEPS, log=False)
        self.start, self.to = NumberEditor(described, control), NumberEditor(described, control)
        self.steps = NumberEditor(steps, Control(step=1, slider=(2, 20)))
        self.log = QCheckBox("Equal ratios")
        self.log.setToolTip("Space the values by equal ratios, for a range over decades; otherwise by equal steps")
        self.log.setChecked(log)
        self.log.toggled.connect(lambda _on: self.changed.emit())
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        usual = usual_range(described, control, float(value))
        rows = (("From", self.start, usual[0]), ("To", self.to, usual[1]), ("Steps", self.steps, _USUAL_STEPS))
        for row, (name, editor, number) in enumerate(rows):
            editor.lay_across()
            editor.edit.setFixedWidth(_EDIT)
            editor.edit.setAccessibleName(f"{described.label}, {name.lower()}")
            editor.set_value(number)
            editor.edited.connect(lambda _value: self.changed.emit())
            label = QLabel(name)
            label.setBuddy(editor.edit)
            grid.addWidget(label, row, 0)
            grid.addWidget(editor, row, 1)
        grid.addWidget(self.log, len(rows), 1)

    def vary(self, key: str) -> dict[str, Any]:
        """The ``[[vary]]`` table of a key. InputError, which says how to write it, for what is not a number."""
        for edit in self.findChildren(NumberEdit):
            if edit.hint:
                raise InputError(edit.hint, key)
        start, to, steps = (editor.edit.value for editor in (self.start, self.to, self.steps))
        return range_table(key, start, to, steps, log=self.log.isChecked())


def _values(described: FieldDescription, value: Any) -> TickList:
    """Check boxes for the values of a choice or a switch. value : that of the scenario."""
    words: dict[Any, str] = dict(described.choices) or {True: "on", False: "off"}
    found = TickList(described.label)
    for one, text in words.items():
        found.add(text, one, len(words) <= 2 or one == value)
    found.show_lines(min(len(words), _MOST_LINES))
    return found


def with_slider(described: FieldDescription, control: Control, value: float) -> Control:
    """The control of a number in the parameters panel; if that has no slider, one around the scenario's value."""
    if control.slider is not None:
        return control
    if (described.log or control.log) and value > 0.0:
        return replace(control, slider=(value / _DECADES, value * _DECADES))
    low = 0.0 if described.minimum is None else described.minimum
    high = min(low + 4.0 * (abs(value - low) or 1.0), inf if described.maximum is None else described.maximum)
    return replace(control, slider=(low, high))


def usual_range(described: FieldDescription, control: Control, value: float) -> tuple[float, float]:
    """The initial range: around the scenario's value, within the range of the slider."""
    assert control.slider is not None
    low, high = control.slider
    log = described.log or control.log
    ends = (low, high) if not value else (value / 4.0, value * 4.0) if log else (0.5 * value, 1.5 * value)
    start, to = (min(max(end, low), high) for end in ends)
    if start == to:
        start, to = low, high
    if described.kind == "integer":
        return round(start), round(to)
    return round_digits(start, 3), round_digits(to, 3)
