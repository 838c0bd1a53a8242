"""The dialog that sets up a study, with fields for each varied parameter: which one, and its range or its values.

It shows the number of runs and about how long they take.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape
from math import inf
from typing import Any

from PyQt6.QtCore import QTimer, pyqtSignal
from PyQt6.QtWidgets import (
    QCheckBox,
    QDialogButtonBox,
    QGridLayout,
    QGroupBox,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from aggviewer.extensions.studies.drawing import curves_for
from aggviewer.extensions.studies.plan import can_vary, grid_of, range_table, study_tables, study_title, takes_range
from aggviewer.extensions.studies.process import Estimating, workers
from aggviewer.parameters import in_words
from aggviewer.parameters.editors import Control, NumberEditor
from aggviewer.parameters.layout import COMMON_CONTROLS
from aggviewer.style import numbers
from aggviewer.systems.registry import view_of
from aggviewer.widgets.form_dialog import Form, FormDialog
from aggviewer.widgets.labels import SymbolComboBox, set_tip
from aggviewer.widgets.lists import TickList
from aggviewer.widgets.number_edit import NumberEdit, NumberField, round_digits
from engine.errors import InputError
from engine.scenario import FieldDescription, Scenario
from engine.study import labels
from engine.system import system_of
from engine.words import count

_REST_MS = 500  # milliseconds between a change and the estimate of the time
_USUAL_KEY = "discs.volume_fraction"
_USUAL_SEEDS, _MOST_SEEDS = 5, 10_000
_MOST_FIRST_SEED = 10**18
_LIMITS = {
    "until_time": ("Time t", "Each run ends at this simulation time"),
    "until_clusters": ("Clusters M", "Each run ends when this many clusters are left"),
    "until_events": ("Events", "Each run ends after this many events"),
    "max_wall": ("Seconds", "Each run ends after this many seconds of computing"),
}
"""The keys of ``[stop]``: name and tool tip of the field of each."""

_MACHINE = ("wall_s", "setup_s", "compile_s")  # to measure these, runs would go one after the other
_PARAMETERS = ("First parameter", "Second parameter")
_TABLES = re.compile(r"^(vary\[\d\]\.(range[.:] ?)?|seeds\.|stop\.)")  # at the start of a message


class StudyDialog(FormDialog):
    """Sets what is varied and measured. `tables` gives the study; Start is disabled while it cannot be run.

    Parameters
    ----------
    scenario, title : the scenario that is varied, and what the study is of, for its title.
    save : asks for a file and writes the study there as TOML.
    filled : the tables of a study of this scenario to begin with, in which only the seed varies. Its exponents, and
        its pools as long as nothing else is varied, are those of the study that is set. Without it, the volume
        fraction is varied at first, and all plots get their curves.

    Raises
    ------
    InputError
        The study `filled` cannot be run.
    """

    def __init__(
        self,
        scenario: Scenario,
        title: str,
        save: Callable[[dict[str, Any]], object],
        parent: QWidget | None = None,
        filled: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__("Study", QDialogButtonBox.StandardButton.Ok, parent, word="Start")
        self.setObjectName("studyDialog")
        self._scenario, self._title = scenario, title
        self._runs = 0
        self._estimate: dict[str, Any] | None = None
        keys, layout = can_vary(scenario), view_of(scenario.system).layout()
        plots = [plot.about(scenario.dimensions) for plot in view_of(scenario.system).plots()]
        self._filled = filled or {}
        measured, seeds = self._filled.get("measure", {}), self._filled.get("seeds", {})
        self._slopes, self._pools = measured.get("slope", ()), self._filled.get("pool", ())
        self._first_quantities = {
            name: labels.label(name, grid_of(self._filled)) for name in measured.get("quantities", ())
        }
        self._curves = measured.get("curves", ()) if filled else curves_for(plots)
        self.first, self.second = (
            AxisFields(scenario, keys, {**COMMON_CONTROLS, **layout.controls}, name) for name in _PARAMETERS
        )
        self.first.choose("" if filled else _USUAL_KEY)
        self.seeds = NumberField(True, 1, _MOST_SEEDS, name="Seeds")
        self.seeds.set_value(seeds.get("count", _USUAL_SEEDS))
        self.first_seed = NumberField(True, 0, _MOST_FIRST_SEED, name="First seed")
        self.first_seed.set_value(seeds.get("first", 1))
        self.limits = {
            name: NumberEdit(name in ("until_clusters", "until_events"), 0, 1e300, 1)
            for name in _LIMITS
            if name != "until_clusters" or system_of(scenario).joins
        }
        self.quantities = TickList("Quantities")
        self.quantities_note = QLabel()
        self.quantities_note.setWordWrap(True)
        self.curves = QCheckBox("Curves for the plots")
        self.curves.setChecked(True)
        self.curves.setVisible(bool(self._curves))
        titles = ", ".join(plot.title for plot in plots if {*curves_for([plot])} & {*self._curves})
        self.curves.setToolTip(f"Each run records what these plots show: {titles}")
        self.words = QLabel()
        self.words.setWordWrap(True)
        self._lay_out()
        cancel = self.buttons.button(QDialogButtonBox.StandardButton.Cancel)
        assert cancel is not None
        cancel.setAutoDefault(False)  # Enter must not close the dialog while Start is disabled after a change
        self.save_button = QPushButton("Save as TOML…")
        self.save_button.setToolTip("For the command line and clusters: aggviewer study FILE --out DIR")
        self.save_button.setAutoDefault(False)
        self.save_button.clicked.connect(lambda: self._refresh() and save(self.tables))
        self.buttons.addButton(self.save_button, QDialogButtonBox.ButtonRole.ActionRole)
        self._estimating = Estimating(self)
        self._estimating.answered.connect(self._on_estimate)
        self._estimating.refused.connect(self._refuse)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(lambda: self._estimating.ask(self.tables))
        for fields in (self.first, self.second):
            fields.changed.connect(self._refresh)
        for edit in (self.seeds, self.first_seed, *self.limits.values()):
            edit.edited.connect(lambda _value: self._refresh())
        self.curves.toggled.connect(lambda _on: self._refresh())
        self.quantities.itemChanged.connect(lambda _item: self._note_quantities())
        self._offer_quantities({})
        self._note_quantities()
        self._refresh()

    @property
    def tables(self) -> dict[str, Any]:
        """The study as set now. InputError for a field that cannot be read."""
        for edit in self.limits.values():
            if edit.hint:
                raise InputError(edit.hint, "stop")
        vary = [*self.first.vary, *self.second.vary]
        quantities = [str(name) for name in self.quantities.ticked]
        pools = [one for one in self._pools if not vary and {one["exponent"], one["count"]} <= {*quantities}]
        return study_tables(
            self._scenario,
            study_title(self._title, vary, self.seeds.value),
            vary,
            first=self.first_seed.value,
            count=self.seeds.value,
            limits={name: edit.value for name, edit in self.limits.items() if edit.value not in (None, "")},
            quantities=quantities,
            curves=self._curves if self.curves.isChecked() else (),
            slopes=self._slopes,
            pools=pools,
        )

    def close_estimate(self) -> None:
        """End the process that estimates."""
        self._rest.stop()
        self._estimating.close()

    def done(self, result: int) -> None:
        """End the process that estimates, and close."""
        self.close_estimate()
        super().done(result)

    def accept(self) -> None:
        """Start the study if it can be run."""
        for edit in self.findChildren(NumberEdit):
            edit.commit()
        if self._refresh():
            super().accept()

    def _lay_out(self) -> None:
        self.column.removeItem(self.rows)
        runs = Form()
        self.seeds.setToolTip("Runs at each point, each with its own seed; their spread gives the error bars")
        self.first_seed.setToolTip("Seeds count up from this one")
        runs.addRow("Seeds", self.seeds)
        runs.addRow("First seed", self.first_seed)
        runs.addRow(QLabel("Stop each run at the first of:"))
        for name, edit in self.limits.items():
            edit.set_value(self._filled.get("stop", {}).get(name))
            edit.setAccessibleName(_LIMITS[name][0])
            edit.setToolTip(_LIMITS[name][1])
            runs.addRow(_LIMITS[name][0], edit)
        for edit in (self.seeds, self.first_seed, *self.limits.values()):
            edit.setFixedWidth(120)
        quantities = QVBoxLayout()
        quantities.setSpacing(8)
        quantities.addWidget(self.quantities_note)
        quantities.addWidget(self.quantities, 1)
        quantities.addWidget(self.curves)
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(16)
        for column in (0, 1):
            grid.setColumnStretch(column, 1)
        grid.setRowStretch(1, 1)
        boxes = [QGroupBox(title) for title in (*_PARAMETERS, "Runs", "Quantities")]
        for place, box in enumerate(boxes):
            grid.addWidget(box, place // 2, place % 2)
        QVBoxLayout(boxes[0]).addWidget(self.first)
        QVBoxLayout(boxes[1]).addWidget(self.second)
        QVBoxLayout(boxes[2]).addLayout(runs)
        boxes[3].setLayout(quantities)
        self.column.insertLayout(0, grid, 1)
        self.foot.insertWidget(0, self.words)
        self.resize(720, 560)

    # what follows from the settings

    def _refresh(self) -> bool:
        """Show the number of runs, or why it cannot be run; returns whether it can."""
        self._estimate = None
        try:
            self._runs = len(grid_of(self.tables))
        except InputError as error:
            self._runs = 0
            self._rest.stop()
            self._estimating.forget()
            self._refuse(str(error))
        else:
            self._rest.start()
            self._refuse("")
        self.save_button.setEnabled(self._runs > 0)
        return self._runs > 0

    def _refuse(self, why: str) -> None:
        """Say why all runs, or those of a point, would fail. The key tells which table of the file is meant."""
        self.show_problem(_TABLES.sub("", in_words(why.partition(" (where ")[0])))
        self._write_words()

    def _on_estimate(self, found: dict[str, Any]) -> None:
        self._estimate = found
        self._offer_quantities(found.get("quantities", {}))
        self._write_words()

    def _write_words(self) -> None:
        words = f"{count(self._runs)} run{'' if self._runs == 1 else 's'}" if self._runs else ""
        if self._estimate is not None:
            cores = workers()
            beside = f"{cores} core{'' if cores == 1 else 's'}"
            words += f", about {numbers.duration(self._estimate['seconds_on'][cores - 1])} on {beside}"
        elif self._runs and self.problem.isHidden():
            words += "; estimating how long they take…"
        self.words.setText(words)

    # quantities

    def _offer_quantities(self, names: Mapping[str, str]) -> None:
        """List the quantities with these names and labels, after those of the study that was filled in."""
        offered = self._first_quantities | {name: label for name, label in names.items() if name not in _MACHINE}
        if self.quantities.keys == list(offered):
            return
        ticked = {name: name in self.quantities.ticked for name in self.quantities.keys}
        self.quantities.clear()
        for name, label in offered.items():
            usual = name in self._first_quantities if self._filled else label != name
            text = labels.capitalised(label) if label != name else name
            self.quantities.add(text, name, ticked.get(name, usual), name)
        self._note_quantities()

    def _note_quantities(self) -> None:
        there, chosen = self.quantities.count(), len(self.quantities.ticked)
        words = f"{chosen} of {there} are recorded" if chosen else "All numbers of a run"
        fitted = " and ".join(slope["name"] for slope in self._slopes)
        self.quantities_note.setText(f"{words}, and {fitted}, fitted as in the plot" if fitted else words)


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
