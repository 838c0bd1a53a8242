"""The table of all events of a ball. Digits that rounding has changed are highlighted."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from PyQt6.QtCore import QAbstractTableModel, QModelIndex, QPointF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QPainter
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from aggviewer.lessons.bouncing_ball.model import BallStory
from aggviewer.lessons.bouncing_ball.numbers import compared, exponent_of, in_ulps
from aggviewer.lessons.bouncing_ball.parts import digits_font
from aggviewer.plots.axes import power_text
from engine.hard_discs.ball import Fall

HEADINGS = ("n", "Event", "f in ulp", "t", "v after")
_TIPS = (
    "Number of the event",
    "impact: v′ = −ε v; peak: it stops at its highest inside the plate; rest: the next event comes after no time",
    "Gap under the ball as it is computed, in units of the last place of r at contact",
    "Time of the event. Coloured digits are wrong by the closed form\ntₙ = √(2h/g) (1 + ε − 2εⁿ)/(1 − ε)",
    "Velocity after the event. Coloured digits are wrong by εⁿ √(2gh)",
)
_PLACES = 15  # digits of t and v after the point
_FIRST_WITH_DIGITS = 3  # the column of t, from which on columns show such digits
_INDENT = 10.0
SAME = Qt.ItemDataRole.UserRole
"""The data role of how many characters of a cell are right."""


class EventModel(QAbstractTableModel):
    """The contents of the table, with a row for each event."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._story: BallStory | None = None
        self._fall: Fall | None = None

    def set_fall(self, story: BallStory, fall: Fall) -> None:
        """Show another ball."""
        self.beginResetModel()
        self._story, self._fall = story, fall
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        """The number of events."""
        return len(self._fall.events) if self._fall is not None and not (parent and parent.isValid()) else 0

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        """The number of columns: number, kind, gap, time and velocity."""
        return len(HEADINGS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The name of a column, its meaning as a tool tip, and the alignment."""
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                # above the digits, which are indented
                return f"\u2002{HEADINGS[section]}" if section >= _FIRST_WITH_DIGITS else HEADINGS[section]
            if role == Qt.ItemDataRole.ToolTipRole:
                return _TIPS[section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                left = Qt.AlignmentFlag.AlignLeft if section in (1, 3, 4) else Qt.AlignmentFlag.AlignRight
                return left | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The text of a cell, how many of its characters are right (`SAME`), and the alignment."""
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(index.row(), index.column())[0]
        if role == SAME:
            return self._text(index.row(), index.column())[1]
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in (0, 2):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def _text(self, row: int, column: int) -> tuple[str, int]:
        """The text of a cell and how many of its characters are right: all where there is no exact value."""
        assert self._story is not None
        assert self._fall is not None
        event = self._fall.events[row]
        exact = self._story.exact(row) if event.kind == "impact" else None
        if column == 3:
            time = Fraction(event.time)
            return compared(time, time if exact is None else exact.time, 10, _PLACES)
        if column == 4:
            if event.velocity == 0.0:
                return "0", 1
            velocity = Fraction(event.velocity)
            right = velocity if exact is None else exact.velocity
            exponent = exponent_of(right)
            text, same = compared(velocity, right, 10, _PLACES, exponent)
            power = f"·{power_text(10.0**exponent)}" if exponent else ""
            return text + power, len(text + power) if same == len(text) else same
        texts = {0: str(row), 1: event.kind, 2: in_ulps(event.gap_ulps)}
        return texts[column], len(texts[column])


class _DigitsDelegate(QStyledItemDelegate):
    """Paints cells, with the digits from the first wrong one on in `color`."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.color = QColor("#ff0000")

    def paint(self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        """Paint a cell. Digits begin at an indent, and the wrong ones are in `color`."""
        if painter is None or index.column() < _FIRST_WITH_DIGITS:
            super().paint(painter, option, index)
            return
        styled = QStyleOptionViewItem(option)
        self.initStyleOption(styled, index)
        text, same = styled.text or "", int(index.data(SAME))
        styled.text = ""
        style = styled.widget.style() if styled.widget is not None else None
        if style is not None:
            style.drawControl(QStyle.ControlElement.CE_ItemViewItem, styled, painter, styled.widget)
        metrics = styled.fontMetrics
        x = styled.rect.left() + _INDENT
        y = styled.rect.center().y() + (metrics.ascent() - metrics.descent()) / 2.0 + 0.5
        power = text.find("·") if "·" in text else len(text)
        painter.save()
        painter.setFont(styled.font)
        for part, wrong in ((text[: min(same, power)], False), (text[same:power], True), (text[power:], False)):
            painter.setPen(self.color if wrong else styled.palette.text().color())
            painter.drawText(QPointF(x, y), part)
            x += metrics.horizontalAdvance(part)
        painter.restore()


class EventTable(QTableView):
    """The table. Signal: ``chosen(number)`` when a person selects the row of an event."""

    chosen = pyqtSignal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._events = EventModel(self)
        self.setModel(self._events)
        self._digits = _DigitsDelegate(self)
        self.setItemDelegate(self._digits)
        self.setFont(digits_font(0.85))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setAccessibleName("Events of the ball")
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        assert rows is not None
        assert columns is not None
        rows.hide()
        rows.setDefaultSectionSize(self.fontMetrics().height() + 6)
        columns.setHighlightSections(False)
        columns.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        columns.setStretchLastSection(True)
        unit = self.fontMetrics().horizontalAdvance("0")
        for column, characters in enumerate((5, 8, 10, 21, 25)):
            self.setColumnWidth(column, unit * characters + 4)
        self._following = False
        selection = self.selectionModel()
        assert selection is not None
        self._selection = selection
        selection.currentRowChanged.connect(self._on_row)

    def set_fall(self, story: BallStory, fall: Fall, number: int) -> None:
        """Show another ball, with an event selected."""
        self._following = True
        self._events.set_fall(story, fall)
        self._following = False
        self.follow(number)

    def follow(self, number: int) -> None:
        """Select an event, or the last one where there are fewer, without a signal."""
        self._following = True
        index = self._events.index(min(number, self._events.rowCount() - 1), 0)
        self.setCurrentIndex(index)
        self.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)
        self._following = False

    def set_wrong_color(self, color: str) -> None:
        """Set the colour of digits that rounding has changed."""
        self._digits.color = QColor(color)
        viewport = self.viewport()
        if viewport is not None:
            viewport.update()

    def _on_row(self, current: QModelIndex, before: QModelIndex) -> None:
        if not self._following and current.isValid():
            self.chosen.emit(current.row())
