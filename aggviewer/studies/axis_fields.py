"""The fields for one parameter that is varied: which one, and from where to where, or which of its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import floor, log10
from typing import Any

from PyQt6.QtCore import QSignalBlocker, pyqtSignal
from PyQt6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from aggviewer.parameters.editors import Control
from aggviewer.studies.plan import Axis, Choices, Range, takes_range
from aggviewer.widgets.formula_tips import set_tip
from aggviewer.widgets.number_edit import NumberEdit, ValueSlider, round_digits
from engine.scenario import FieldDescription, Scenario

MOST_STEPS = 100
_USUAL_STEPS = 5
_FAR = 1e300  # the scenario judges what is too much
_DECADES = 1e-9  # of the range of a slider whose lower end is 0, where the key spans decades


def name_of(described: FieldDescription) -> str:
    """A parameter with its symbol, if a list can show it (it has no subscripts), and its unit where it has one."""
    name = described.label if "_" in described.symbol else f"{described.label} {described.symbol}".rstrip()
    return f"{name} [{described.unit}]" if described.unit and described.unit != described.label else name


class AxisFields(QWidget):
    """``changed``: another parameter or another value. `axis` is what stands there, None for no parameter.

    Parameters
    ----------
    scenario : its values are in the middle of what is proposed.
    keys : the parameters that can be chosen.
    controls : how the inspector offers them: their sliders and steps.
    optional : there may be no parameter.
    """

    changed = pyqtSignal()

    def __init__(
        self,
        scenario: Scenario,
        keys: Sequence[FieldDescription],
        controls: Mapping[str, Control],
        optional: bool,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._scenario, self._controls = scenario, controls
        self._keys = {one.key: one for one in keys}
        self.parameter = QComboBox()
        self.parameter.setAccessibleName("Second parameter" if optional else "First parameter")
        if optional:
            self.parameter.addItem("None", "")
        for one in keys:
            self.parameter.addItem(name_of(one), one.key)
        self.problem = QLabel()
        self.problem.setObjectName("problem")
        self.problem.setWordWrap(True)
        self.problem.hide()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._column.addWidget(self.parameter)
        self._column.addWidget(self.problem)
        self._column.addStretch(1)
        self._fields: RangeFields | ChoiceFields | None = None
        self.parameter.currentIndexChanged.connect(self._on_parameter)
        self._show_fields()

    @property
    def key(self) -> str:
        """The parameter, "" for none."""
        return str(self.parameter.currentData() or "")

    @property
    def fields(self) -> RangeFields | ChoiceFields | None:
        """What stands below the parameter."""
        return self._fields

    @property
    def axis(self) -> Axis | None:
        """What is to be varied."""
        return None if self._fields is None else self._fields.axis

    def choose(self, key: str) -> None:
        """Have this parameter."""
        self.parameter.setCurrentIndex(self.parameter.findData(key))

    def commit(self) -> None:
        """Take what is being typed."""
        for edit in self.findChildren(NumberEdit):
            edit.commit()

    @property
    def hint(self) -> str:
        """How to write an entry that cannot be read as a number; else ""."""
        return next((edit.hint for edit in self.findChildren(NumberEdit) if edit.hint), "")

    def show_problem(self, text: str) -> None:
        """Say below the fields what is wrong with them; an empty text takes it away."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))

    def _on_parameter(self) -> None:
        self._show_fields()
        self.changed.emit()

    def _show_fields(self) -> None:
        if self._fields is not None:
            self._column.removeWidget(self._fields)
            self._fields.hide()
            self._fields.deleteLater()
            self._fields = None
        described = self._keys.get(self.key)
        if described is None:
            return
        if takes_range(described):
            control = self._controls.get(described.key, Control())
            self._fields = RangeFields(described, control, self._scenario.value(described.key))
        else:
            self._fields = ChoiceFields(described, self._scenario.value(described.key))
        set_tip(self._fields, f"<p>{escape(described.tooltip)}</p>")
        self._fields.changed.connect(self.changed)
        self._column.insertWidget(1, self._fields)


class RangeFields(QWidget):
    """From, to and steps of a number, each with a slider."""

    changed = pyqtSignal()

    def __init__(self, described: FieldDescription, control: Control, value: Any) -> None:
        super().__init__()
        self._key = described.key
        whole = described.kind == "integer"
        log = described.log or control.log
        low, high = slider_range(described, control, value)
        start, to = usual_range(value, (low, high), log, whole)
        least = described.minimum if described.minimum is not None else -_FAR
        most = described.maximum if described.maximum is not None else _FAR
        step = 1.0 if whole else min(control.step, _nice_step(high - low))
        self.start = NumberEdit(whole, least, most, step, log)
        self.to = NumberEdit(whole, least, most, step, log)
        self.steps = NumberEdit(True, 1, MOST_STEPS, 1)
        self.log = QCheckBox("Equal ratios")
        self.log.setToolTip("Steps that multiply, for a range over decades; else steps that add")
        self.log.setChecked(log)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(2, 1)
        rows = (
            ("From", self.start, ValueSlider(whole, low, high, step, log), start),
            ("To", self.to, ValueSlider(whole, low, high, step, log), to),
            ("Steps", self.steps, ValueSlider(True, 2, 20, 1), _USUAL_STEPS),
        )
        for row, (name, edit, slider, usual) in enumerate(rows):
            label = QLabel(name)
            label.setBuddy(edit)
            edit.setAccessibleName(f"{described.label}, {name.lower()}")
            slider.setAccessibleName(f"{described.label}, {name.lower()}, slider")
            edit.setFixedWidth(96)
            edit.set_value(usual)
            slider.set_value(usual)
            edit.edited.connect(slider.set_value)
            edit.edited.connect(lambda _value: self.changed.emit())
            slider.dragged.connect(edit.set_value)
            slider.dragged.connect(lambda _value: self.changed.emit())
            for column, widget in enumerate((label, edit, slider)):
                grid.addWidget(widget, row, column)
        grid.addWidget(self.log, 3, 1, 1, 2)
        self.log.toggled.connect(lambda _on: self.changed.emit())
        self.setToolTip(f"{described.label}: {described.allowed}")

    @property
    def axis(self) -> Range:
        """What stands there."""
        return Range(self._key, self.start.value, self.to.value, self.steps.value, self.log.isChecked())


class ChoiceFields(QWidget):
    """The values of a choice, to be ticked."""

    changed = pyqtSignal()

    def __init__(self, described: FieldDescription, value: Any) -> None:
        super().__init__()
        self._key = described.key
        words: dict[Any, str] = dict(described.choices) or {True: "on", False: "off"}
        self.boxes: dict[Any, QCheckBox] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for one, text in words.items():
            box = self.boxes[one] = QCheckBox(text)
            with QSignalBlocker(box):
                box.setChecked(len(words) <= 2 or one == value)
            box.toggled.connect(lambda _on: self.changed.emit())
            column.addWidget(box)

    @property
    def axis(self) -> Choices:
        """What is ticked."""
        return Choices(self._key, tuple(value for value, box in self.boxes.items() if box.isChecked()))


def slider_range(described: FieldDescription, control: Control, value: Any) -> tuple[float, float]:
    """Between which numbers a slider goes: as in the inspector, else around the value."""
    if control.slider is not None:
        return control.slider
    log = described.log or control.log
    here = float(value)
    low = described.minimum if described.minimum is not None else min(0.0, 2.0 * here)
    high = described.maximum if described.maximum is not None else max(1.0, 4.0 * here)
    if here and high > 20.0 * abs(here) and not log:
        high = 4.0 * abs(here)
    if log:
        low = max(low, high * _DECADES)
    elif described.open_minimum:
        low += (high - low) / 100.0
    return low, high


def usual_range(value: Any, bounds: tuple[float, float], log: bool, whole: bool) -> tuple[float, float]:
    """From where to where at first: around the value of the scenario, within the range of the slider."""
    low, high = bounds
    here = float(value)
    ends = (here / 4.0, here * 4.0) if log else (0.5 * here, 1.5 * here)
    if not here:
        ends = (low, high)
    start, to = (min(max(end, low), high) for end in ends)
    if start == to:
        start, to = low, high
    if whole:
        return round(start), round(to)
    return round_digits(start, 3), round_digits(to, 3)


def _nice_step(span: float) -> float:
    """A power of ten near a hundredth of a range."""
    return 10.0 ** floor(log10(span / 50.0)) if span > 0.0 else 1.0
