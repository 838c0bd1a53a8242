"""The table on the screen: a Qt model of NumPy arrays, and a view whose rows are selected with mouse and keys."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QAbstractTableModel, QModelIndex, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QKeyEvent, QMouseEvent
from PyQt6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from aggviewer.extensions.inspector.tables import Table
from aggviewer.style.theme import colors_in_use
from aggviewer.widgets.lists import set_up_rows

_NO_PARENT = QModelIndex()
_ARROW = "\N{EM SPACE}"  # room for the arrow of the order
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_HEAD = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom)


class TableModel(QAbstractTableModel):
    """Qt model of a `Table`. Only visible cells are formatted."""

    def __init__(self) -> None:
        super().__init__()
        self.table: Table | None = None
        self._marked: NDArray[np.bool_] = np.zeros(0, bool)  # of discs or clusters, not of rows

    def show(self, table: Table, mask: NDArray[np.bool_]) -> None:
        """Show another table. mask : (N,), the selected discs."""
        before = self.table
        shape = None if before is None else (len(before.order), [field.name for field in before.fields])
        same = shape == (len(table.order), [field.name for field in table.fields])
        if same:
            self.layoutAboutToBeChanged.emit()
        else:
            self.beginResetModel()
        self.table, self._marked = table, table.marked(mask)
        if same:
            self.layoutChanged.emit()
        else:
            self.endResetModel()

    def mark(self, mask: NDArray[np.bool_]) -> None:
        """Highlight the rows of other discs. mask : (N,), which discs."""
        if self.table is not None and len(self.table.order):
            self._marked = self.table.marked(mask)
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last, [Qt.ItemDataRole.BackgroundRole])

    def marked_rows(self) -> NDArray[np.int64]:
        """The numbers of the highlighted rows, (k,), ascending."""
        return np.zeros(0, np.int64) if self.table is None else np.flatnonzero(self._marked[self.table.order])

    def rowCount(self, parent: QModelIndex = _NO_PARENT) -> int:
        """Number of rows."""
        return 0 if parent.isValid() or self.table is None else len(self.table.order)

    def columnCount(self, parent: QModelIndex = _NO_PARENT) -> int:
        """Number of columns."""
        return 0 if parent.isValid() or self.table is None else len(self.table.fields)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The column heading with its unit; the tool tip gives the name to use in conditions."""
        if self.table is None or orientation != Qt.Orientation.Horizontal or section >= len(self.table.fields):
            return None
        field = self.table.fields[section]
        if role == Qt.ItemDataRole.DisplayRole:
            unit = field.unit.replace(" / ", "/")
            return f"{field.label}{_ARROW}\n{unit}{_ARROW}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _HEAD
        if role == Qt.ItemDataRole.ToolTipRole:
            if field.name not in self.table.values:
                return f"{field.label}: click to compute it. With this many discs it takes a while"
            symbol = f", {field.symbol}" if field.symbol else ""
            meaning = f"{field.meaning}.\n" if field.meaning else ""
            return f"{field.label}{symbol}; “{field.name}” in conditions.\n{meaning}Click to sort."
        return None

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text and background of a cell."""
        table = self.table
        if table is None or index.row() >= len(table.order):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return table.text(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT
        if role == Qt.ItemDataRole.BackgroundRole and self._marked[table.order[index.row()]]:
            return QColor(colors_in_use().accent)
        if role == Qt.ItemDataRole.ForegroundRole and self._marked[table.order[index.row()]]:
            return QColor(colors_in_use().on_accent)
        return None


class PickingTable(QTableView):
    """A table whose rows are selected by click (Ctrl adds, Shift extends) and with the arrow keys.

    Qt's own selection model needs one range per row, which is too slow for a million rows.

    Signals: ``picked(rows, add)`` with an array of rows; ``looked_at(row)`` on a double-click.
    """

    picked = pyqtSignal(object, bool)
    looked_at = pyqtSignal(int)

    def __init__(self, model: TableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self._anchor = 0
        columns = set_up_rows(self, "Table of discs or clusters")
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        rows = self.verticalHeader()
        assert rows is not None
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)  # the height of a million rows is not asked for
        columns.setSectionsClickable(True)
        columns.setSortIndicatorShown(True)
        columns.setDefaultSectionSize(self.fontMetrics().horizontalAdvance("0") * 13)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Select the row under the mouse."""
        super().mousePressEvent(event)
        if event is None or event.button() != Qt.MouseButton.LeftButton:
            return
        row = self.rowAt(event.position().toPoint().y())
        if row < 0:
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._pick_to(row)
        else:
            self._anchor = row
            self.picked.emit(np.array([row]), bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Extend the selection from the row where the button was pressed."""
        super().mouseMoveEvent(event)
        if event is not None and event.buttons() & Qt.MouseButton.LeftButton:
            row = self.rowAt(event.position().toPoint().y())
            if row >= 0 and row != self._anchor:
                self._pick_to(row)

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """Centre the picture on the disc or cluster of the row."""
        if event is not None and (row := self.rowAt(event.position().toPoint().y())) >= 0:
            self.looked_at.emit(row)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Move to another row with the arrow keys and select it."""
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        row = self.currentIndex().row()
        if event is None or row < 0 or row == before:
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._pick_to(row)
        else:
            self._anchor = row
            self.picked.emit(np.array([row]), False)

    def _pick_to(self, row: int) -> None:
        low, high = sorted((self._anchor, row))
        self.picked.emit(np.arange(low, high + 1), False)
