"""The line above a picture in a comparison: which method it shows, with what step or restitution, and how far it is."""

from __future__ import annotations

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QComboBox, QDoubleSpinBox, QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from aggviewer.session import LaneStatus
from aggviewer.style import numbers
from aggviewer.style.theme import tabular
from aggviewer.widgets.elided_label import ElidedLabel
from engine.aggregation.section import Aggregation
from engine.jamming.section import Jamming
from engine.scenario import Scenario, describe
from engine.system import method_of

METHOD = "aggregation.method"
STEP = "aggregation.time_stepping.step"
FRACTION = "aggregation.time_stepping.fraction"
RESTITUTION = "hard_discs.restitution"
RULES = "jamming.rules"

_NAMES = {"event-driven": "Event-driven", "time-stepping": "Time stepping"}
_SHORT = {"event-driven": "ED", "time-stepping": "TS"}
_SHORT_NAMES, _NO_STEP = 30, 18  # widths, in the letter M, below which names are short and the step is left out
_DECIMALS, _GREATEST = 6, 1e9  # of a fixed time step in the field


class LaneHeader(QFrame):
    """Emits `asked(key, value)` when the person chooses another method, step or restitution."""

    asked = pyqtSignal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("laneHeader")
        self._system = "aggregation"
        self._key = ""  # that the number changes, empty where there is none to change
        self.swatch = QLabel()
        self.swatch.setFixedSize(4, 24)
        self.method = QComboBox()
        for key, text in _NAMES.items():
            self.method.addItem(text, key)
        self.method.setToolTip(describe(METHOD).tooltip)
        self.method.setAccessibleName("Method of this side")
        self.method.activated.connect(lambda index: self.asked.emit(METHOD, self.method.itemData(index)))
        self.symbol = QLabel()
        self.step = QDoubleSpinBox()
        self.step.setKeyboardTracking(False)
        self.step.setFont(tabular())
        self.step.valueChanged.connect(self._on_step)
        self.symbol.setBuddy(self.step)
        self.state = ElidedLabel()
        self.state.setFont(tabular())
        self.state.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 4)
        row.setSpacing(8)
        for widget in (self.swatch, self.method, self.symbol, self.step):
            row.addWidget(widget)
        row.addWidget(self.state, 1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_scenario(self, scenario: Scenario) -> None:
        """What this side runs."""
        self._system = scenario.system
        rules = describe(RULES)
        self.symbol.setToolTip(rules.tooltip if self._system == "jamming" else "")
        self.method.setCurrentIndex(self.method.findData(method_of(scenario)))
        self._key = _number_of(scenario)
        if self._key:
            field = describe(self._key)
            self.step.blockSignals(True)
            if self._key == STEP:
                self.step.setDecimals(_DECIMALS)
                self.step.setRange(10.0**-_DECIMALS, _GREATEST)  # what is less is zero in the field
                self.step.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
            else:
                self.step.setDecimals(3)
                self.step.setRange(0.001 if self._key == FRACTION else 0.0, 1.0)
                self.step.setStepType(QDoubleSpinBox.StepType.DefaultStepType)
                self.step.setSingleStep(0.05)
            self.step.setValue(float(scenario.value(self._key)))
            self.step.blockSignals(False)
            self.symbol.setText(f"<i>{field.symbol}</i>")
            self.step.setToolTip(field.tooltip)
            self.step.setAccessibleName(field.label)
        elif self._system == "jamming":
            self.symbol.setText(dict(rules.choices or {})[scenario.section(Jamming).rules])
        self._make_room()

    def show_status(self, status: LaneStatus) -> None:
        """How far it is."""
        if self._system == "aggregation":
            parts = [f"M = {numbers.count(status.clusters)}"]
        elif self._system == "jamming":
            parts = [numbers.moment(status.time, programs=True)]
        else:
            parts = [f"{numbers.count(status.events.get('collision', 0))} collisions"]
        failed = status.steps.get("not_converged", 0)
        if failed:
            parts.append(f"{numbers.count(failed)} not converged")
        if status.finished:
            parts.append("ended" if self._system == "jamming" else f"ended at {numbers.moment(status.time)}")
        self.state.set_whole_text(", ".join(parts))

    def set_color(self, color: str) -> None:
        """The colour that the curves of this side have in the plots."""
        self.swatch.setStyleSheet(f"background: {color}; border-radius: 2px;")

    def _make_room(self) -> None:
        """In a narrow picture names are short, and the step is told by the tool tip alone."""
        unit = self.fontMetrics().horizontalAdvance("M")
        names = _SHORT if self.width() < _SHORT_NAMES * unit else _NAMES
        for index in range(self.method.count()):
            self.method.setItemText(index, names[self.method.itemData(index)])
        self.method.setVisible(self._system == "aggregation")
        room = self.width() >= _NO_STEP * unit
        self.step.setVisible(bool(self._key) and room)
        self.symbol.setVisible((bool(self._key) or self._system == "jamming") and room)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Leave out what there is no room for."""
        super().resizeEvent(event)
        self._make_room()

    def minimumSizeHint(self) -> QSize:
        """As narrow as its picture."""
        return QSize(0, super().minimumSizeHint().height())

    def _on_step(self, value: float) -> None:
        self.asked.emit(self._key, value)


def _number_of(scenario: Scenario) -> str:
    """The key of the number that a side of a comparison is about, empty where there is none."""
    if scenario.system == "hard-discs":
        return RESTITUTION
    if scenario.system == "jamming" or method_of(scenario) == "event-driven":
        return ""
    return FRACTION if scenario.section(Aggregation).time_stepping.step == "adaptive" else STEP
