"""The dialog in which a study is asked for; it says how many runs that is, and about how long they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PyQt6.QtCore import QTimer
from PyQt6.QtGui import QIcon
from PyQt6.QtWidgets import (
    QCheckBox,
    QDialogButtonBox,
    QFormLayout,
    QGridLayout,
    QGroupBox,
    QLabel,
    QLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from aggviewer.parameters import in_words
from aggviewer.parameters.layout import COMMON_CONTROLS
from aggviewer.studies.axis_fields import AxisFields
from aggviewer.studies.curves import curves_for
from aggviewer.studies.plan import LIMITS, Plan, can_vary
from aggviewer.studies.process import Estimating, workers
from aggviewer.style import numbers
from aggviewer.systems.registry import view_of
from aggviewer.widgets.form_dialog import FormDialog
from aggviewer.widgets.number_edit import NumberEdit
from aggviewer.widgets.tick_list import TickList
from engine.errors import InputError
from engine.scenario import Scenario, describe
from engine.system import system_of

_REST_MS = 500  # after a change, before the time is estimated
_USUAL_KEY = "discs.volume_fraction"
_USUAL_SEEDS = 5
_MOST_SEEDS = 10_000
_LIMIT_WORDS = {
    "until_time": ("Time t", "Each run ends at this simulation time"),
    "until_clusters": ("Clusters M", "Each run ends when so many clusters are left"),
    "until_events": ("Events", "Each run ends after so many events"),
    "max_wall": ("Seconds", "Each run ends after so many seconds of computing"),
}
_MACHINE = ("wall_s", "setup_s", "compile_s")  # runs whose time is measured would go one after the other


class StudyDialog(FormDialog):
    """What is to be varied and measured. `plan` is what is set; Start is off while it cannot be run.

    Parameters
    ----------
    scenario, title : of which copies run, and its name for people.
    save : asks for a file and writes the TOML of a plan there.
    """

    def __init__(
        self, scenario: Scenario, title: str, save: Callable[[Plan], object], parent: QWidget | None = None
    ) -> None:
        super().__init__("Study", QDialogButtonBox.StandardButton.Ok, parent)
        self._scenario, self._title, self._save = scenario, title, save
        self.setObjectName("studyDialog")
        keys = can_vary(scenario)
        controls = {**COMMON_CONTROLS, **view_of(scenario.system).layout().controls}
        self.first = AxisFields(scenario, keys, controls, optional=False)
        self.first.choose(_USUAL_KEY)
        self.second = AxisFields(scenario, keys, controls, optional=True)
        self.seeds = NumberEdit(True, 1, _MOST_SEEDS, 1)
        self.seeds.set_value(_USUAL_SEEDS)
        self.first_seed = NumberEdit(True, 0, 1e18, 1)
        self.first_seed.set_value(1)
        self.limits = {name: NumberEdit(name in ("until_clusters", "until_events"), 0, 1e300, 1) for name in LIMITS}
        for edit in self.limits.values():
            edit.set_value(None)
        if not system_of(scenario).joins:
            del self.limits["until_clusters"]
        self.runs_problem, self.limits_problem = _problem(), _problem()
        self.quantities = TickList("Quantities")
        self.quantities_note = QLabel("All numbers that a run has")
        self.quantities_note.setWordWrap(True)
        self.curves = QCheckBox("Curves, to be kept in the plots")
        self._curves = curves_for(view_of(scenario.system).plots())
        self.words, self.problem = QLabel(), _problem()
        self.words.setWordWrap(True)
        self._estimating = Estimating(self)
        self._told: dict[str, Any] | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._lay_out()
        self._connect()
        self._refresh()

    @property
    def plan(self) -> Plan:
        """What is set now."""
        axes = tuple(axis for axis in (self.first.axis, self.second.axis) if axis is not None)
        title = f"{self._title}: {' and '.join(describe(axis.key).label.lower() for axis in axes)}"
        limits = {name: edit.value for name, edit in self.limits.items() if edit.value not in (None, "")}
        curves = self._curves if self.curves.isChecked() else ()
        seeds = self.first_seed.value, self.seeds.value
        return Plan(self._scenario, title, axes, *seeds, limits, self._chosen(), curves)

    def close_estimate(self) -> None:
        """End the process that estimates."""
        self._rest.stop()
        self._estimating.close()

    def done(self, result: int) -> None:
        """The end of the dialog."""
        self.close_estimate()
        super().done(result)

    def accept(self) -> None:
        """Start, if that can be."""
        self._commit()
        if self._refresh():
            super().accept()

    # the form

    def _lay_out(self) -> None:
        self.column.removeItem(self.rows)
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(16)
        runs = QFormLayout()
        runs.setHorizontalSpacing(16)
        runs.setVerticalSpacing(8)
        for name, edit, tip in (
            ("Seeds", self.seeds, "Runs at each point, each with a seed of its own: the error bars come from them"),
            ("First seed", self.first_seed, "The seeds are counted up from this one"),
        ):
            self._row(runs, name, edit, tip)
        runs.addRow(self.runs_problem)
        for name, edit in self.limits.items():
            self._row(runs, _LIMIT_WORDS[name][0], edit, _LIMIT_WORDS[name][1])
            if edit is next(iter(self.limits.values())):
                heading = QLabel("End each run at, whichever comes first:")
                runs.insertRow(runs.rowCount() - 1, heading)
        runs.addRow(self.limits_problem)
        quantities = QVBoxLayout()
        quantities.setSpacing(8)
        quantities.addWidget(self.quantities_note)
        quantities.addWidget(self.quantities, 1)
        self.curves.setChecked(True)
        self.curves.setVisible(bool(self._curves))
        titles = ", ".join(plot.title for plot in view_of(self._scenario.system).plots() if plot.study_curves)
        self.curves.setToolTip(f"Each run records what these plots show: {titles}")
        quantities.addWidget(self.curves)
        parts: dict[str, QWidget | QLayout] = {
            "First parameter": self.first,
            "Second parameter": self.second,
            "Runs": runs,
            "Quantities": quantities,
        }
        for place, (title, inner) in enumerate(parts.items()):
            box = QGroupBox(title)
            if isinstance(inner, QLayout):
                box.setLayout(inner)
            else:
                QVBoxLayout(box).addWidget(inner)
            grid.addWidget(box, place // 2, place % 2)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(1, 1)
        self.column.insertLayout(0, grid, 1)
        self.foot.insertWidget(0, self.words)
        self.foot.insertWidget(1, self.problem)
        self.start_button = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        assert self.start_button is not None
        self.start_button.setText("Start")
        self.start_button.setIcon(QIcon())
        cancel = self.buttons.button(QDialogButtonBox.StandardButton.Cancel)
        if cancel is not None:
            cancel.setIcon(QIcon())
            cancel.setAutoDefault(False)  # Start is off for a moment now and then, and Enter shall not end the dialog
        self.save_button = QPushButton("Save as TOML…")
        self.save_button.setToolTip("For the command line and clusters: aggviewer study FILE --out DIR")
        self.save_button.setAutoDefault(False)
        self.buttons.addButton(self.save_button, QDialogButtonBox.ButtonRole.ActionRole)
        self.resize(720, 560)

    def _row(self, form: QFormLayout, name: str, edit: NumberEdit, tip: str) -> None:
        edit.setAccessibleName(name)
        edit.setToolTip(tip)
        edit.setFixedWidth(120)
        form.addRow(name, edit)

    def _connect(self) -> None:
        for fields in (self.first, self.second):
            fields.changed.connect(self._refresh)
        for edit in (self.seeds, self.first_seed, *self.limits.values()):
            edit.edited.connect(lambda _value: self._refresh())
        self._rest.timeout.connect(self._ask)
        self._estimating.told.connect(self._on_told)
        self._estimating.refused.connect(self._on_refused)
        self.curves.toggled.connect(lambda _on: self._refresh())
        self.quantities.itemChanged.connect(lambda _item: self._note_quantities())
        self.save_button.clicked.connect(self._on_save)

    def _on_save(self) -> None:
        self._commit()
        if self._refresh():
            self._save(self.plan)

    def _commit(self) -> None:
        for edit in self.findChildren(NumberEdit):
            edit.commit()

    # what follows from what is set

    def _refresh(self) -> bool:
        """Say how many runs there are, or at the field at fault why there are none; whether it can be run."""
        self._told = None
        self._show_problem("", "")
        try:
            self._check_numbers()
            self._runs = len(self.plan.grid())
        except InputError as error:
            self._runs = 0
            self._show_problem(str(error), error.key)
            self._rest.stop()
            self._estimating.forget()
        else:
            self._rest.start()
        able = self._runs > 0
        for button in (self.start_button, self.save_button):
            if button is not None:
                button.setEnabled(able)
        self._write_words()
        return able

    def _check_numbers(self) -> None:
        """Raise InputError, with how to write it, for an entry that cannot be read as a number."""
        runs = next((edit.hint for edit in (self.seeds, self.first_seed) if edit.hint), "")
        limits = next((edit.hint for edit in self.limits.values() if edit.hint), "")
        hints = ((self.first.hint, "vary[1]"), (self.second.hint, "vary[2]"), (runs, "seeds"), (limits, "stop"))
        for hint, key in hints:
            if hint:
                raise InputError(hint, key)

    def _show_problem(self, text: str, key: str) -> None:
        """A message at the fields that it is about; without any, above the buttons."""
        at: dict[str, str] = {"first": "", "second": "", "runs": "", "limits": "", "": ""}
        at[self._place_of(key)] = _plain(text)
        self.first.show_problem(at["first"])
        self.second.show_problem(at["second"])
        for label, name in ((self.runs_problem, "runs"), (self.limits_problem, "limits"), (self.problem, "")):
            label.setText(at[name])
            label.setVisible(bool(at[name]))

    def _place_of(self, key: str) -> str:
        if (key and key == self.second.key) or key.startswith("vary[2]"):
            return "second"
        if (key and key == self.first.key) or key.startswith("vary[1]"):
            return "first"
        if key.startswith("seeds"):
            return "runs"
        return "limits" if key.startswith("stop") else ""

    def _ask(self) -> None:
        self._estimating.ask(self.plan.tables())

    def _on_told(self, found: dict[str, Any]) -> None:
        self._told = found
        self._offer_quantities(found.get("quantities", {}))
        self._write_words()

    def _on_refused(self, why: str) -> None:
        """Every run, or those of a point, would fail for this reason."""
        self._show_problem(why, "")
        if self.start_button is not None:
            self.start_button.setEnabled(False)
        self._write_words()

    def _write_words(self) -> None:
        if not self._runs:
            self.words.setText("")
            return
        runs = f"{numbers.count(self._runs)} run" + ("" if self._runs == 1 else "s")
        if self.problem.text():
            self.words.setText(runs)
        elif self._told is None:
            self.words.setText(f"{runs}; estimating how long they take…")
        else:
            count = workers()
            beside = f"{count} core{'' if count == 1 else 's'} beside the window"
            self.words.setText(f"{runs}, about {duration(self._told['seconds_on'][count - 1])} on {beside}")

    # quantities

    def _offer_quantities(self, names: dict[str, str]) -> None:
        if self.quantities.keys == [name for name in names if name not in _MACHINE]:
            return
        off = {*self.quantities.keys} - {*self.quantities.ticked}
        self.quantities.clear()
        for name, label in names.items():
            if name in _MACHINE:
                continue
            text = label[:1].upper() + label[1:] if label != name else name
            self.quantities.add(text, name, name not in off and label != name, name)
        self._note_quantities()

    def _note_quantities(self) -> None:
        there, chosen = self.quantities.count(), len(self._chosen())
        self.quantities_note.setText(f"{chosen} of {there} are recorded" if chosen else "All numbers that a run has")

    def _chosen(self) -> tuple[str, ...]:
        return tuple(map(str, self.quantities.ticked))


def duration(seconds: float) -> str:
    """A time that a person can plan with: 40 s, 12 min, 3.5 h."""
    if seconds < 1.0:
        return "a second"
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    if seconds < 5400.0:
        return f"{seconds / 60.0:.0f} min"
    hours = seconds / 3600.0
    return f"{hours:.1f} h" if hours < 48.0 else f"{hours / 24.0:.1f} days"


def _problem() -> QLabel:
    label = QLabel()
    label.setObjectName("problem")
    label.setWordWrap(True)
    label.hide()
    return label


def _plain(text: str) -> str:
    """A message without the point and the name of its table: its place says which field it is about."""
    text = in_words(text.partition(" (where ")[0])
    for beginning in ("vary[1].range: ", "vary[2].range: ", "vary[1].range.", "vary[2].range.", "seeds.", "stop."):
        text = text.removeprefix(beginning)
    return text[:1].upper() + text[1:]
