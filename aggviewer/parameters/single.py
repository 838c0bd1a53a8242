"""The control of one parameter outside the parameters panel: in a lesson, or in presenter mode."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, Qt
from PyQt6.QtGui import QFontMetrics, QResizeEvent, QShowEvent
from PyQt6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from aggviewer.parameters.field_row import FieldRow
from aggviewer.parameters.panel import ParametersPanel

_WIDEST = "000000.000"  # what a field on one line with its name has room for
_SLIDER = "0" * 9  # the least width of a slider beside it
_NAMES = 0.45  # greatest share of the width for names on one line
_GAP = 12


class SingleParameter(QWidget):
    """Shows and edits one key of the running scenario, as the parameters panel does.

    Parameters
    ----------
    panel : the parameters panel, which has the same key and applies the changes.
    key : the scenario key; KeyError if the parameters panel does not have it.
    across : place name, field and slider on one line.
    """

    def __init__(
        self, panel: ParametersPanel, key: str, parent: QWidget | None = None, *, across: bool = False
    ) -> None:
        super().__init__(parent)
        self.key = key
        self._panel = panel
        self.row = FieldRow(panel.rows[key].field, panel.form.controls[key], key in panel.form.live_keys)
        self._across = across
        if across:
            self.row.label.setWordWrap(False)
            self.row.label.setContentsMargins(0, 0, _GAP, 0)
            self.row.label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            self.row.editor.lay_across()
            self._make_room()
        self.row.edited.connect(panel.change)
        self.row.reset_asked.connect(panel.reset)
        self.row.entered.connect(panel.apply)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.row)
        panel.shown.connect(self._follow)
        self._follow()

    def showEvent(self, event: QShowEvent | None) -> None:
        """A message needs more room than one row: it lies over the page that scrolls with the row, or the window."""
        super().showEvent(event)
        area = self.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        self.row.message.lie_over((area and area.widget()) or self.window() or self)
        self.row.message.place()

    def changeEvent(self, event: QEvent | None) -> None:
        """Adapt the size to a larger font."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange:
            self._make_room()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """A wide control can show a longer name on one line."""
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Divide the width between name and field; controls one below the other have the same widths."""
        if self._across:
            wide = QFontMetrics(self.font()).horizontalAdvance
            self.row.editor.focus_widget.setMinimumWidth(wide(_WIDEST))
            if self.row.editor.slider is not None:
                self.row.editor.slider.setMinimumWidth(wide(_SLIDER))
            return
        around = self.parentWidget() or self
        rows = [one.row for one in around.findChildren(SingleParameter)] or [self.row]
        needed = max(row.least_label_width() for row in rows)
        ample = max(row.whole_label_width() for row in rows)
        self.row.set_widths(max(needed, min(ample, round(_NAMES * self.width()))), self.width())

    def _follow(self) -> None:
        shown = self._panel.rows.get(self.key)
        if shown is None:  # a box of these dimensions has no such key
            return
        if shown.field != self.row.field:
            self.row.say_as(shown.field)
            self._make_room()
        message = shown.message.text()
        self.row.show_message(self.row.in_words(message) if message else "")  # first: see `LiveRows`
        self.row.show_value(self._panel.value(self.key), False)
        self.row.set_inert(shown.inert)
