"""Lists and pages: drop-down lists that elide, items with check boxes, the common look of all tables, and the page in a
scroll area, replaced while one of its widgets may be in use."""

from __future__ import annotations

from collections.abc import Hashable

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QPaintEvent
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QTableView,
    QWidget,
)

from aggviewer.widgets.labels import SymbolDelegate


class ElidingCombo(QComboBox):
    """A combo box that elides a choice wider than itself."""

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint Qt's combo box with the choice elided."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        style = self.style()
        assert style is not None
        room = style.subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        text = option.currentText
        option.currentText = option.fontMetrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width() - 4)
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()


class TickList(QListWidget):
    """Lines with check boxes, each with a key.

    name : for screen readers.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.ensurePolished()  # else Qt measures the lines without the style sheet, and they overlap
        self._delegate = SymbolDelegate()  # kept here: Qt does not own it
        self.setItemDelegate(self._delegate)

    def add(self, text: str, key: Hashable, ticked: bool, tip: str = "") -> QListWidgetItem:
        """Add a line."""
        item = QListWidgetItem(text)
        item.setData(Qt.ItemDataRole.UserRole, key)
        item.setToolTip(tip)
        item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        self.addItem(item)
        return item

    def show_lines(self, count: int) -> None:
        """Be as high as so many lines."""
        self.setFixedHeight(count * (self.sizeHintForRow(0) + 2 * self.spacing()) + 2 * self.frameWidth())

    @property
    def keys(self) -> list[object]:
        """The keys of all lines, in order."""
        return [item.data(Qt.ItemDataRole.UserRole) for item in self._lines()]

    @property
    def ticked(self) -> list[object]:
        """The keys of the ticked lines, in order."""
        checked = Qt.CheckState.Checked
        return [item.data(Qt.ItemDataRole.UserRole) for item in self._lines() if item.checkState() == checked]

    def _lines(self) -> list[QListWidgetItem]:
        items = [self.item(row) for row in range(self.count())]
        return [item for item in items if item is not None]


def set_up_rows(table: QTableView, name: str, space: int = 6) -> QHeaderView:
    """Set up a table: whole rows are selected, one at a time, without grid lines or row numbers, as high as the text.
    Returns the header.

    Parameters
    ----------
    table : with its own font.
    name : for screen readers.
    space : total pixels above and below the text of a row.
    """
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setAccessibleName(name)
    head, rows = table.horizontalHeader(), table.verticalHeader()
    assert head is not None
    assert rows is not None
    rows.hide()
    rows.setDefaultSectionSize(table.fontMetrics().height() + space)
    head.setHighlightSections(False)
    return head


def replace_page(area: QScrollArea, page: QWidget) -> None:
    """Show `page` in a scroll area, and delete the page shown before once the current event has been handled.

    `QScrollArea.setWidget` alone deletes the old page at once. Where the mouse button or key being handled went to a
    widget of that page, Qt would continue with a widget that no longer exists, and crash.
    """
    old = area.takeWidget()
    if old is not None:
        old.deleteLater()
    area.setWidget(page)
