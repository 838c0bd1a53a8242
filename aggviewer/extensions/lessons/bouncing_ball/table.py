"""The table of all events of a ball. Digits that rounding has changed are coloured."""

from __future__ import annotations

from PyQt6.QtCore import QModelIndex, QPointF, Qt, pyqtSignal
from PyQt6.QtGui import QFont, QFontDatabase, QPainter, QStaticText
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
)

from aggviewer.extensions.lessons.bouncing_ball.digits import event_cells
from aggviewer.extensions.lessons.bouncing_ball.model import BallStory
from aggviewer.widgets.table_rows import set_up_rows
from engine.hard_discs.ball import Fall

HEADINGS = {
    "n": "Number of the event",
    "Event": "impact: v′ = −ε v; peak: the ball stops at its highest point, inside the plate; rest: the next event "
    "would take no time",
    "f in ulp": "Computed gap under the ball, in units in the last place (ulp) of r at contact",
    "t": "Time of the event. Coloured digits differ from the closed form\ntₙ = √(2h/g) (1 + ε − 2εⁿ)/(1 − ε)",
    "v after": "Velocity after the event. Coloured digits differ from εⁿ √(2gh)",
}
_WIDTHS = (5, 8, 10, 21, 25)  # characters
_INDENT = 10.0
DIGITS = Qt.ItemDataRole.UserRole
"""The item role for the `Digits` of a cell."""


def fixed_width(scale: float) -> QFont:
    """A font with characters of equal width, at `scale` times the usual size."""
    result = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    usual = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).pointSizeF()
    result.setPointSizeF(max(6.0, usual * scale))
    return result


class _DigitsDelegate(QStyledItemDelegate):
    """Paints cells with digits as rich text."""

    wrong = "#ff0000"

    def paint(self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        """Paint a cell: its background, and the digits, with wrong ones in another colour."""
        super().paint(painter, option, index)  # cells with digits have no plain text
        digits = index.data(DIGITS)
        if painter is None or digits is None:
            return
        text = QStaticText(digits.html(self.wrong))
        text.prepare(painter.transform(), option.font)
        painter.setFont(option.font)
        painter.setPen(option.palette.text().color())
        down = (option.rect.height() - text.size().height()) / 2.0
        painter.drawStaticText(QPointF(option.rect.left() + _INDENT, option.rect.top() + down), text)


class EventTable(QTableWidget):
    """A row for each event. Signal ``chosen(number)``: the user has selected an event."""

    chosen = pyqtSignal(int)

    def __init__(self) -> None:
        super().__init__(0, len(HEADINGS))
        self._digits = _DigitsDelegate(self)
        self.setItemDelegate(self._digits)
        self.setFont(fixed_width(0.85))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        columns = set_up_rows(self, "Events of the ball")
        columns.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        columns.setStretchLastSection(True)
        unit = self.fontMetrics().horizontalAdvance("0")
        for column, ((name, tip), characters) in enumerate(zip(HEADINGS.items(), _WIDTHS, strict=True)):
            heading = QTableWidgetItem(f"\u2002{name}" if column > 2 else name)  # above the digits, which are indented
            heading.setToolTip(tip)
            heading.setTextAlignment(_alignment(column))
            self.setHorizontalHeaderItem(column, heading)
            self.setColumnWidth(column, unit * characters + 4)
        self.currentCellChanged.connect(lambda row, *_: self.chosen.emit(row) if row >= 0 else None)

    def set_fall(self, story: BallStory, fall: Fall, number: int) -> None:
        """Show another fall, with an event selected."""
        self.blockSignals(True)
        self.setRowCount(len(fall.events))
        for row in range(len(fall.events)):
            for column, value in enumerate(event_cells(story, fall, row)):
                item = QTableWidgetItem(value if isinstance(value, str) else "")
                item.setTextAlignment(_alignment(column))
                if not isinstance(value, str):
                    item.setData(DIGITS, value)
                self.setItem(row, column, item)
        self.blockSignals(False)
        self.follow(number)

    def follow(self, number: int) -> None:
        """Select an event, or the last one if there are fewer, without a signal."""
        self.blockSignals(True)
        self.setCurrentCell(min(number, self.rowCount() - 1), 0)
        self.blockSignals(False)

    def set_wrong_color(self, color: str) -> None:
        """Set the colour of digits that rounding has changed."""
        self._digits.wrong = color
        viewport = self.viewport()
        if viewport is not None:
            viewport.update()


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in (0, 2) else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
