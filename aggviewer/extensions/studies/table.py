"""The table of a study: a row for each point of the grid."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PyQt6.QtWidgets import QHeaderView, QTableView, QWidget

from aggviewer.extensions.studies.results import Results
from aggviewer.extensions.studies.words import mean_and_error
from aggviewer.style.theme import tabular
from aggviewer.widgets.symbol_text import SymbolHeader
from aggviewer.widgets.table_rows import set_up_rows
from engine.study import labels

_BESIDE = ("Runs", "Mean", "Error")
_NO_PARENT = QModelIndex()


class StudyTable(QTableView):
    """Shows a study: parameters, number of runs, mean and standard error of one quantity at each point of the grid."""

    def __init__(self, results: Results, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points = PointModel(results)
        self.setModel(self._points)
        self.setFont(tabular())
        self.setHorizontalHeader(SymbolHeader())
        header = set_up_rows(self, "Means of all points", space=8)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for section in range(len(results.grid.axes)):
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.ResizeToContents)

    def show_quantity(self, name: str) -> None:
        """Show another quantity, or new runs."""
        self._points.show_quantity(name)


class PointModel(QAbstractTableModel):
    """The contents of the table, with a row for each point of the grid."""

    def __init__(self, results: Results) -> None:
        super().__init__()
        self._results = results
        self._columns: tuple[Any, Any, Any] = results.means("")

    def show_quantity(self, name: str) -> None:
        """Take another quantity, or new runs."""
        self._columns = self._results.means(name)
        last = self.index(self.rowCount() - 1, self.columnCount() - 1)
        self.dataChanged.emit(self.index(0, 0), last)

    def rowCount(self, parent: QModelIndex = _NO_PARENT) -> int:
        """A row for each point."""
        return 0 if parent.isValid() else len(self._results.grid.points)

    def columnCount(self, parent: QModelIndex = _NO_PARENT) -> int:
        """The parameters and the columns after them."""
        return 0 if parent.isValid() else len(self._results.grid.axes) + len(_BESIDE)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Symbols of the parameters, and words."""
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        axes = self._results.grid.axes
        return labels.axis_title(axes[section]) if section < len(axes) else _BESIDE[section - len(axes)]

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The text of a cell, and a tool tip if runs failed."""
        point, column = index.row(), index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ToolTipRole:
            why = next((text for (at, _), text in self._results.failures.items() if at == point), "")
            return f"Failed: {why}" if why else "Double-click to open the first run of this point"
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        grid = self._results.grid
        if column < len(grid.axes):
            return labels.value(grid.value_on(grid.axes[column], grid.points[point]))
        count, mean, error = (values[point] for values in self._columns)
        if column == len(grid.axes):
            failed = self._results.failed_at(point)
            return f"{count}" + (f", {failed} failed" if failed else "")
        texts = mean_and_error(float(mean), float(error))
        return texts[column - len(grid.axes) - 1]
