"""A list of items with check boxes."""

from __future__ import annotations

from collections.abc import Hashable

from PyQt6.QtCore import QModelIndex, QSize, Qt
from PyQt6.QtWidgets import QListWidget, QListWidgetItem, QStyle, QStyleOptionViewItem

from aggviewer.widgets.symbol_text import SymbolDelegate

_AROUND = 4  # pixels above and below a box, together


class _Lines(SymbolDelegate):
    """Makes each line high enough for its check box, which Qt would cut off at the height of the text."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        """Qt's hook."""
        hint = super().sizeHint(option, index)
        style = None if option.widget is None else option.widget.style()
        if style is None:
            return hint
        box = style.pixelMetric(QStyle.PixelMetric.PM_IndicatorHeight, option, option.widget)
        return QSize(hint.width(), max(hint.height(), box + _AROUND))


class TickList(QListWidget):
    """Lines with check boxes, each with a key.

    name : for screen readers.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._delegate = _Lines()  # kept here: Qt does not own it
        self.setItemDelegate(self._delegate)

    def add(self, text: str, key: Hashable, ticked: bool, tip: str = "") -> QListWidgetItem:
        """Add a line."""
        item = QListWidgetItem(text)
        item.setData(Qt.ItemDataRole.UserRole, key)
        item.setToolTip(tip)
        item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        self.addItem(item)
        return item

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
