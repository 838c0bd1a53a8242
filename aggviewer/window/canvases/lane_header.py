"""The line above a picture in a comparison: what this side runs, how it differs, and its progress."""

from __future__ import annotations

from html import escape

from PyQt6.QtCore import QSignalBlocker, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QFontMetrics, QResizeEvent
from PyQt6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from aggviewer.session import LaneStatus
from aggviewer.style.formulas import symbol_html
from aggviewer.style.theme import tabular
from aggviewer.systems.base import Side
from aggviewer.systems.registry import view_of
from aggviewer.widgets.formula_tips import set_tip
from aggviewer.widgets.labels import AROUND, ElidedLabel
from aggviewer.widgets.number_edit import NumberField
from engine.scenario import FieldDescription, Scenario, describe

_SHORT_NAMES, _NO_STEP = 30, 18  # widths, in the letter M, below which names are short and the step is left out
_STEP = 7  # greatest width of the field for the step, in the letter M
_LONGEST = "M = 0000"  # the progress that is shown whole
_LEAST, _GREATEST = 1e-6, 1e9  # limits of the field for a fixed time step


class LaneHeader(QFrame):
    """Emits `asked(key, value)` when the user chooses another value of a scenario key here."""

    asked = pyqtSignal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("laneHeader")
        self._view = view_of("")
        self._side = Side()
        self._parts = [""]  # of the progress, the most important one first
        self.swatch = QLabel()
        self.swatch.setFixedSize(4, 24)
        self.method = QComboBox()
        self.method.setAccessibleName("Method of this side")
        self.method.activated.connect(lambda index: self.asked.emit(self._side.choice, self.method.itemData(index)))
        self.symbol = QLabel()
        self.step = NumberField(False, _LEAST, _GREATEST, None, tracking=False)
        self.step.edited.connect(self._on_step)
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
        """Show what this side runs."""
        self._view = view_of(scenario.system)
        side, before = self._view.side(scenario), self._side
        self._side = side
        if side.choice:
            if side.choices != before.choices:
                self.method.clear()
                for value, (name, _) in side.choices.items():
                    self.method.addItem(name, value)
                set_tip(self.method, f"<p>{escape(describe(side.choice).tooltip)}</p>")
            self.method.setCurrentIndex(self.method.findData(scenario.value(side.choice)))
        set_tip(self.symbol, f"<p>{escape(side.tip)}</p>" if side.tip else "")
        self.symbol.setText(side.text)
        if side.key:
            self._show_number(describe(side.key), float(scenario.value(side.key)))
        self._make_room()

    def _show_number(self, field: FieldDescription, value: float) -> None:
        """Show the number that can be changed here."""
        with QSignalBlocker(self.step):
            if field.maximum is None:
                self.step.set_limits(_LEAST, _GREATEST)
                self.step.set_step(None)
            else:
                self.step.set_limits((field.minimum or 0.0) + (0.001 if field.open_minimum else 0.0), field.maximum)
                self.step.set_step(0.05)
        self.step.set_value(value)
        self.symbol.setText(symbol_html(field.symbol))
        set_tip(self.step, f"<p>{escape(field.tooltip)}</p>")
        self.step.setAccessibleName(field.label)

    def show_status(self, status: LaneStatus) -> None:
        """Show the progress."""
        parts = [self._view.progress(status)]
        if status.finished:
            parts.append(self._view.ended(status))
        self._parts = ", ".join(parts).split(", ")
        self._tell_state()

    def _tell_state(self) -> None:
        """Show what fits of the progress; the tool tip has all of it."""
        whole, advance = ", ".join(self._parts), QFontMetrics(self.state.font()).horizontalAdvance
        fitting = [", ".join(self._parts[:count]) for count in range(1, len(self._parts) + 1)]
        room = self.state.width() - AROUND
        self.state.set_whole_text(next((words for words in reversed(fitting) if advance(words) <= room), fitting[0]))
        self.state.setToolTip(whole)
        self.state.setAccessibleName(whole)

    def set_color(self, color: str) -> None:
        """Set the colour of this side's curves in the plots."""
        self.swatch.setStyleSheet(f"background: {color}; border-radius: 2px;")

    def _make_room(self) -> None:
        """Fit a narrow picture: shorten names, and show the step only in the tool tip."""
        unit = self.fontMetrics().horizontalAdvance("M")
        short = self.width() < _SHORT_NAMES * unit
        for index, (name, abbreviation) in enumerate(self._side.choices.values()):
            self.method.setItemText(index, abbreviation if short else name)
        self.method.setVisible(bool(self._side.choice))
        room = self.width() >= _NO_STEP * unit
        self.step.setVisible(bool(self._side.key) and room)
        self.symbol.setVisible(bool(self._side.key or self._side.text) and room)
        self.state.setMinimumWidth(QFontMetrics(self.state.font()).horizontalAdvance(_LONGEST) + AROUND)
        self.step.setMaximumWidth(_STEP * unit)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Hide what does not fit."""
        super().resizeEvent(event)
        self._make_room()
        self._tell_state()

    def minimumSizeHint(self) -> QSize:
        """The smallest size: as narrow as its picture."""
        return QSize(0, super().minimumSizeHint().height())

    def _on_step(self, value: float) -> None:
        self.asked.emit(self._side.key, value)
