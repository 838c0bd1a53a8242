"""The panel below the picture with tools, a hint, and the list of marks with their values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PyQt6.QtCore import QEvent, QSignalBlocker, QSize, Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QToolButton,
    QVBoxLayout,
)

from aggviewer.style.theme import tabular
from aggviewer.widgets.lists import set_up_rows

_ROWS = 4  # of the list, before it scrolls
_ROW = 24  # pixels of a row in the usual type
_COLUMNS = ("Name", "Mark")
_WIDTHS = (128, 152)  # pixels of these, in the usual type


class MarkPanel(QFrame):
    """Shows rows of text; it does not know the session.

    Signals: ``chosen(row)`` in the list, -1 for none; ``renamed(row, text)``.
    """

    chosen = pyqtSignal(int)
    renamed = pyqtSignal(int, str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("measures")
        self.hint = QLabel()
        self.hint.setProperty("quiet", True)
        self.hint.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # the picture stays as wide
        self._head = QHBoxLayout()
        self._head.setSpacing(4)
        self.list = _new_list()
        self.list.itemSelectionChanged.connect(lambda: self.chosen.emit(self._row()))
        self.list.itemChanged.connect(lambda item: self.renamed.emit(item.row(), item.text()))  # of names alone
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(4)
        column.addLayout(self._head)
        column.addWidget(self.list)
        self._follow_font()
        self.hide()

    def add_buttons(self, tools: Iterable[QToolButton], others: Iterable[QToolButton]) -> None:
        """Add buttons: tools on the left, commands for marks on the right."""
        left, right = list(tools), list(others)
        for button in (*left, *right):
            button.setIconSize(QSize(20, 20))
            self._head.addWidget(button)
        self._head.insertSpacing(len(left), 4)
        self._head.insertWidget(len(left) + 1, self.hint, 1)

    def show_marks(self, names: Sequence[str], rows: Sequence[Sequence[str]], chosen: int) -> None:
        """Fill the list.

        Parameters
        ----------
        names : headings of the value columns, one for each picture.
        rows : name, kind and values of each mark.
        chosen : the row of the selected mark, -1 for none.
        """
        table = self.list
        with QSignalBlocker(table):  # nobody has chosen or named anything
            table.setRowCount(len(rows))
            table.setColumnCount(len(_COLUMNS) + len(names))
            table.setHorizontalHeaderLabels([*_COLUMNS, *names])
            for row, texts in enumerate(rows):
                for column, text in enumerate(texts):
                    self._write(row, column, text)
            if chosen != self._row():
                table.clearSelection() if chosen < 0 else table.selectRow(chosen)
        table.setVisible(bool(rows))
        self._fit_columns()
        self._fit_height()

    def edit_name(self, row: int) -> None:
        """Let the user type the name of a mark."""
        item = self.list.item(row, 0)
        if item is not None:
            self.list.setFocus()
            self.list.editItem(item)

    def changeEvent(self, event: QEvent | None) -> None:
        """Follow changes of the font, such as in presenter mode."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange and self.layout() is not None:
            self._follow_font()

    def _follow_font(self) -> None:
        table, rows, head = self.list, self.list.verticalHeader(), self.list.horizontalHeader()
        assert rows is not None
        assert head is not None
        table.setFont(tabular(self.font()))
        head.setFont(self.font())
        rows.setDefaultSectionSize(self._row_height)
        self._fit_columns()
        self._fit_height()

    @property
    def _row_height(self) -> int:
        """Pixels of a row of the list."""
        return max(_ROW, self.fontMetrics().height() + 8)

    def _fit_columns(self) -> None:
        """Give names and kinds a typical width; the values share the rest."""
        table, head = self.list, self.list.horizontalHeader()
        assert head is not None
        for column in range(table.columnCount()):
            if column < len(_COLUMNS):
                table.setColumnWidth(column, round(_WIDTHS[column] * self._row_height / _ROW))
            else:
                head.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)

    def _fit_height(self) -> None:
        """Make the list as high as its rows, up to `_ROWS` of them."""
        table, head = self.list, self.list.horizontalHeader()
        assert head is not None
        rows = min(max(table.rowCount(), 1), _ROWS)
        table.setFixedHeight(head.sizeHint().height() + self._row_height * rows + 2 * table.frameWidth())

    def _write(self, row: int, column: int, text: str) -> None:
        item = self.list.item(row, column)
        if item is None:
            item = QTableWidgetItem(text)
            if column > 0:
                item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEditable)
            self.list.setItem(row, column, item)
        elif item.text() != text:
            item.setText(text)
        item.setToolTip("Double-click to name it" if column == 0 else text)

    def _row(self) -> int:
        return min((index.row() for index in self.list.selectedIndexes()), default=-1)


def _new_list() -> QTableWidget:
    made = QTableWidget(0, len(_COLUMNS))
    made.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed)
    head = set_up_rows(made, "Marks")
    head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    made.hide()
    return made
