"""The dialog that sets up a study; it shows the number of runs and about how long they take."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from PyQt6.QtCore import QTimer
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

from aggviewer.extensions.studies.axis_fields import AxisFields
from aggviewer.extensions.studies.drawing import curves_for
from aggviewer.extensions.studies.plan import can_vary, grid_of, study_tables, study_title
from aggviewer.extensions.studies.process import Estimating, workers
from aggviewer.parameters import in_words
from aggviewer.parameters.layout import COMMON_CONTROLS
from aggviewer.style import numbers
from aggviewer.systems.registry import view_of
from aggviewer.widgets.form_dialog import Form, FormDialog
from aggviewer.widgets.lists import TickList
from aggviewer.widgets.number_edit import NumberEdit, NumberField
from engine.errors import InputError
from engine.scenario import Scenario
from engine.study import labels
from engine.system import system_of

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
        plots = view_of(scenario.system).plots()
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
        words = f"{numbers.count(self._runs)} run{'' if self._runs == 1 else 's'}" if self._runs else ""
        if self._estimate is not None:
            count = workers()
            beside = f"{count} core{'' if count == 1 else 's'}"
            words += f", about {numbers.duration(self._estimate['seconds_on'][count - 1])} on {beside}"
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
