"""The editor for the kinds of discs: a small table with a row for each kind, or a file with such a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError
from PyQt6.QtCore import QModelIndex, QSignalBlocker, Qt
from PyQt6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QToolButton,
    QWidget,
)

from aggviewer.parameters.editors import Editor
from aggviewer.style.numbers import number_from
from aggviewer.widgets import file_dialogs
from aggviewer.widgets.number_edit import number_text
from engine.errors import InputError
from engine.scenario.kinds import DiscKind

_COLUMNS = {"radius": "Radius", "mass": "Mass", "share": "Share"}
_ROW = 24  # pixels
_WIDE = 200  # pixels
_FIRST = (DiscKind(radius=1.0), DiscKind(radius=1.4))
_MOST = 6  # rows that are seen; of more the table scrolls
_TIP = "One row for each kind. Empty masses follow from the radii; an empty row removes a kind"


def _button(text: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


class KindsEditor(Editor):
    """Editor for a table of kinds, whose last row is for another one, or for the file with it. Without kinds there are
    only the buttons that begin with either."""

    def __init__(self) -> None:
        super().__init__()
        self.table = QTableWidget(0, len(_COLUMNS))
        self.table.setHorizontalHeaderLabels(list(_COLUMNS.values()))
        self.table.setToolTip(_TIP)
        self.table.setTabKeyNavigation(False)  # Tab leaves the table
        for header in (self.table.horizontalHeader(), self.table.verticalHeader()):
            assert header is not None
            header.setMinimumSectionSize(_ROW)
            header.setDefaultSectionSize(_ROW)
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        across, down = self.table.horizontalHeader(), self.table.verticalHeader()
        assert across is not None
        assert down is not None
        across.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        across.setFixedHeight(_ROW)
        down.hide()
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.path = QLabel()
        self.begin = _button("Table", "Sizes from a table, with a row for each kind")
        self.button = _button("File…", "A table (CSV) with the columns radius and, if wanted, mass and share")
        self.clear = _button("Clear", "No kinds: sizes follow from the distribution of the radii")
        below = QWidget()
        row = QHBoxLayout(below)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for button in (self.begin, self.button, self.clear):
            row.addWidget(button)
        row.addStretch(1)
        self._column(self.table, self.path, below)
        self.focus_widget = self.begin
        self._value: Any = None
        self.table.cellChanged.connect(self._read)
        self.begin.clicked.connect(lambda: self._take(_FIRST))
        self.button.clicked.connect(self.choose)
        self.clear.clicked.connect(lambda: self._take(()))
        self.set_value(())

    def whole_width(self) -> int:
        """More than the half of the panel, so that the table stands below its name."""
        return _WIDE

    def set_value(self, value: Any) -> None:
        """Show `value`, but keep a table that was rejected."""
        if value == self._value:
            return
        self._value = value
        from_file = isinstance(value, str)
        self.path.setText(str(Path(value).name) if from_file else "")
        self.path.setToolTip(value if from_file else "")
        self.path.setVisible(from_file)
        self.table.setVisible(bool(value) and not from_file)
        self.begin.setVisible(not value)
        self.clear.setVisible(bool(value))
        if not from_file:
            self._show(value)

    def commit(self) -> None:
        """Accept the text being typed in a cell."""
        self.table.setCurrentIndex(QModelIndex())

    def choose(self) -> None:
        """Ask for a file."""
        folder = Path(self._value).parent if isinstance(self._value, str) else Path.home()
        path = file_dialogs.ask_open(self, folder, "Kinds of discs", "Tables (*.csv *.txt *.dat);;All files (*)")
        if path is not None:
            self._take(str(path))

    def _take(self, value: Any) -> None:
        self.set_value(value)
        self.edited.emit(value)

    def _show(self, kinds: Any) -> None:
        rows = [one.model_dump(exclude_none=True) if isinstance(one, DiscKind) else one for one in kinds]
        with QSignalBlocker(self.table):
            self.table.setRowCount(len(rows) + 1)
            for place, row in enumerate([*rows, {}]):
                for column, name in enumerate(_COLUMNS):
                    one = row.get(name, "")
                    item = QTableWidgetItem(one if isinstance(one, str) else number_text(one))
                    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                    self.table.setItem(place, column, item)
        self.table.setFixedHeight(_ROW * (min(len(rows) + 1, _MOST) + 1) + 2 * self.table.frameWidth() + 4)

    def _read(self) -> None:
        """Take the table as it is typed; what is no number stays text, for the message about it."""
        rows: list[dict[str, Any]] = []
        for place in range(self.table.rowCount()):
            row: dict[str, Any] = {}
            for column, name in enumerate(_COLUMNS):
                item = self.table.item(place, column)
                text = "" if item is None else item.text().strip()
                if text:
                    try:
                        row[name] = float(number_from(text))
                    except InputError:
                        row[name] = text
            if row:
                rows.append(row)
        try:
            value: Any = tuple(DiscKind(**row) for row in rows)
        except ValidationError:
            value = tuple(rows)
        self._take(value)
