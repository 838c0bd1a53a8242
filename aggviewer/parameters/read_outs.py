"""The section of the parameters panel with derived values."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFormLayout, QLabel, QWidget

from aggviewer.parameters.field_row import MARK_WIDTH
from aggviewer.parameters.layout import COMMON_READ_OUTS, ReadOut
from aggviewer.parameters.section import FoldingSection
from aggviewer.style.theme import tabular
from aggviewer.widgets.labels import set_tip
from engine.scenario import Scenario

_UNKNOWN = "–"


class ReadOuts(FoldingSection):
    """Numbers that cannot be edited: those common to all systems, and those of the system shown.

    dimensions : of the box.

    values : the label of each number shown, by the name of its `ReadOut`.
    """

    def __init__(self, dimensions: int = 2, parent: QWidget | None = None) -> None:
        super().__init__("Derived values", parent)
        self._dimensions = dimensions
        box = QWidget()
        self._form = form = QFormLayout(box)
        form.setContentsMargins(MARK_WIDTH, 0, 0, 0)
        form.setVerticalSpacing(4)
        form.setHorizontalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.values: dict[str, QLabel] = {}
        self._own: tuple[ReadOut, ...] = ()
        for one in COMMON_READ_OUTS:
            self._add_row(one)
        self.add(box)

    def _add_row(self, one: ReadOut) -> None:
        value = self.values[one.name] = QLabel(_UNKNOWN)
        value.setFont(tabular(value.font()))
        value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        caption = QLabel(one.label)
        for widget in (caption, value):
            set_tip(widget, f"<p>{(self._dimensions > 2 and one.tip_in_space) or one.tip}</p>")
        self._form.addRow(caption, value)

    def set_own(self, read_outs: tuple[ReadOut, ...]) -> None:
        """Show a system's own values below the common ones, replacing those of another system."""
        if read_outs == self._own:
            return
        for one in self._own:
            row = self._form.takeRow(self.values.pop(one.name))
            for item in (row.labelItem, row.fieldItem):
                if item is not None and (widget := item.widget()) is not None:
                    widget.hide()
                    widget.deleteLater()  # the mouse may be pressed on it just now
        self._own = read_outs
        for one in read_outs:
            self._add_row(one)

    def show_scenario(self, scenario: Scenario | None) -> None:
        """Show the numbers of a scenario; dashes for None and for numbers it does not determine."""
        for one in (*COMMON_READ_OUTS, *self._own):
            self.values[one.name].setText((scenario is not None and one.text(scenario)) or _UNKNOWN)
