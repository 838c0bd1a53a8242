"""A list of items with check boxes."""

from __future__ import annotations

from collections.abc import Hashable

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QListWidget, QListWidgetItem

from aggviewer.widgets.symbol_text import SymbolDelegate


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
