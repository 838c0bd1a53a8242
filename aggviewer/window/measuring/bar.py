"""The bar below the picture with the tools, what to do next, and the list of marks with their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PyQt6.QtCore import QEvent, QSize, Qt, pyqtSignal
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
    QWidget,
)

from aggviewer.plots.drawing import Axes, PlotSeries
from aggviewer.plots.series_style import SeriesStyle
from aggviewer.plots.view import PlotView, ShownSeries
from aggviewer.session.marks.kinds import Readings, digits, kind_of
from aggviewer.session.marks.model import Mark
from aggviewer.style.theme import Colors, tabular
from aggviewer.widgets.number_edit import NumberField
from engine.selection.measures import LineProfile

_ROWS = 4  # of the list, before it scrolls
_ROW = 24  # pixels of a row in the usual type
_MOST_LARGER = 1.6  # times the usual size, of the plot: the picture keeps its room
_PLOT = QSize(280, 168)
_COLUMNS = ("Name", "Mark")
_NUMBERS = "Numbers"  # a column for each of the runs side by side
_WIDTHS = (128, 152)
_DIGITS = 4  # significant digits of the width of a band


class MeasureBar(QFrame):
    """Knows nothing of the session.

    Signals: ``chosen(number)`` of a mark in the list, -1 for none; ``renamed(number, text)``;
    ``width_asked(diameters)`` of the band of the profile that is chosen.
    """

    chosen = pyqtSignal(int)
    renamed = pyqtSignal(int, str)
    width_asked = pyqtSignal(float)

    def __init__(self) -> None:
        self._made = False
        super().__init__()
        self.setObjectName("measures")
        self.hint = QLabel()
        self.hint.setProperty("quiet", True)
        self.hint.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # the picture stays as wide
        self._head = QHBoxLayout()
        self._head.setContentsMargins(0, 0, 0, 0)
        self._head.setSpacing(4)
        self._tools: Sequence[QToolButton] = ()
        self._tail = QHBoxLayout()
        self._tail.setSpacing(4)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addLayout(self._head)
        head.addWidget(self.hint, 1)
        head.addLayout(self._tail)
        self.list = self._make_list()
        self.profile = _ProfileCard()
        self.profile.hide()
        self.profile.width_field.edited.connect(self._on_width)
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self.list, 1, Qt.AlignmentFlag.AlignTop)
        below.addWidget(self.profile)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(4)
        column.addLayout(head)
        column.addLayout(below)
        self._filling = False
        self._made = True
        self._follow_font()
        self.hide()

    def changeEvent(self, event: QEvent | None) -> None:
        """Another font: the list and its rows follow it, also into presenter mode."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange and self._made:
            self._follow_font()

    def _follow_font(self) -> None:
        table, rows, head = self.list, self.list.verticalHeader(), self.list.horizontalHeader()
        assert rows is not None
        assert head is not None
        table.setFont(tabular(self.font()))
        head.setFont(self.font())
        rows.setDefaultSectionSize(self._row_height)
        larger = self._row_height / _ROW
        for column, width in enumerate(_WIDTHS):
            table.setColumnWidth(column, round(width * larger))
        self._fit_height()
        self.profile.enlarge(min(larger, _MOST_LARGER))

    @property
    def _row_height(self) -> int:
        """Pixels of a row of the list."""
        return max(_ROW, self.fontMetrics().height() + 8)

    def _fit_height(self) -> None:
        """As high as its rows, up to so many."""
        table, head = self.list, self.list.horizontalHeader()
        assert head is not None
        rows = min(max(table.rowCount(), 1), _ROWS)
        table.setFixedHeight(head.sizeHint().height() + self._row_height * rows + 2 * table.frameWidth())

    def _make_list(self) -> QTableWidget:
        made = QTableWidget(0, len(_COLUMNS) + 1)
        made.setAccessibleName("Marks")
        made.setHorizontalHeaderLabels([*_COLUMNS, _NUMBERS])
        made.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        made.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        made.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed)
        made.setShowGrid(False)
        made.setWordWrap(False)
        head, rows = made.horizontalHeader(), made.verticalHeader()
        assert head is not None
        assert rows is not None
        rows.hide()
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setHighlightSections(False)
        head.setSectionResizeMode(len(_COLUMNS), QHeaderView.ResizeMode.Stretch)
        made.itemSelectionChanged.connect(self._on_chosen)
        made.itemChanged.connect(self._on_renamed)
        made.hide()
        return made

    def set_tools(self, tools: Sequence[QToolButton]) -> None:
        """Buttons of tools, on the left, instead of those of before."""
        for old in self._tools:
            self._head.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._tools = tools
        for button in tools:
            button.setIconSize(QSize(20, 20))
            self._head.addWidget(button)

    def add_buttons(self, others: Iterable[QToolButton], of_profile: Iterable[QToolButton]) -> None:
        """Buttons of commands: what is done with marks, on the right, and beside the profile."""
        for row, buttons in ((self._tail, others), (self.profile.foot, of_profile)):
            for button in buttons:
                button.setIconSize(QSize(20, 20))
                row.addWidget(button)

    def show_marks(
        self, marks: Sequence[Mark], sides: Sequence[Sequence[Readings]], chosen: int, names: Sequence[str] = ("",)
    ) -> None:
        """The list, with the numbers of each mark on each of the sides, which have names where there are two."""
        self._filling = True
        table = self.list
        table.setRowCount(len(marks))
        self._name_columns(names)
        for row, (mark, *numbers) in enumerate(zip(marks, *sides, strict=True)):
            kind = kind_of(mark)
            texts = (mark.text, mark.kind if kind is None else kind.label, *map(_words, numbers))
            for column, text in enumerate(texts):
                self._write(row, column, text)
        if chosen != self._row():
            table.clearSelection() if chosen < 0 else table.selectRow(chosen)
        self._filling = False
        table.setVisible(bool(marks))
        self._fit_height()

    def _name_columns(self, names: Sequence[str]) -> None:
        """A column of numbers for each of the sides."""
        labels = [*_COLUMNS, *(f"{_NUMBERS}, {name}" if name else _NUMBERS for name in names)]
        table, head = self.list, self.list.horizontalHeader()
        assert head is not None
        if table.columnCount() != len(labels):
            table.setColumnCount(len(labels))
            for column in range(len(_COLUMNS), len(labels)):
                head.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        table.setHorizontalHeaderLabels(labels)

    def _write(self, row: int, column: int, text: str) -> None:
        item = self.list.item(row, column)
        if item is None:
            item = QTableWidgetItem(text)
            if column > 0:
                item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEditable)
            else:
                item.setToolTip("Double-click to name it")
            self.list.setItem(row, column, item)
        elif item.text() != text:
            item.setText(text)
        if column >= len(_COLUMNS):
            item.setToolTip(text)

    def edit_name(self, row: int) -> None:
        """Let the person type the name of a mark."""
        item = self.list.item(row, 0)
        if item is not None:
            self.list.setFocus()
            self.list.editItem(item)

    def _on_width(self, diameters: float) -> None:
        self.width_asked.emit(diameters)

    def _row(self) -> int:
        rows = {index.row() for index in self.list.selectedIndexes()}
        return min(rows) if rows else -1

    def _on_chosen(self) -> None:
        if not self._filling:
            self.chosen.emit(self._row())

    def _on_renamed(self, item: QTableWidgetItem) -> None:
        if not self._filling and item.column() == 0:
            self.renamed.emit(item.row(), item.text())

    def show_profile(self, found: Sequence[LineProfile | None], width: float, colours: Sequence[str] = ()) -> None:
        """The profile of the mark that is chosen on each of the sides, in a band `width` diameters wide; None where
        there is none. colours : of the curves of two sides."""
        self.profile.setVisible(any(one is not None for one in found))
        if any(one is not None for one in found):
            self.profile.show_profiles(found, width, colours)

    def set_colors(self, colors: Colors) -> None:
        """Another theme."""
        self.profile.set_colors(colors)


class _ProfileCard(QWidget):
    """A small plot of a profile, and the width of its band."""

    def __init__(self) -> None:
        super().__init__()
        self.view = PlotView(Axes("s (length)", "V<sub>f</sub>"))
        self._accent = ""
        self._colours: Sequence[str] = ()
        self._shown: list[tuple[PlotSeries, int]] = []
        self.width_field = NumberField(
            False, 0.1, 1000.0, unit="diameters", digits=_DIGITS, name="Width of the band", tracking=False
        )
        self.width_field.setToolTip("Width of the band in which the discs are counted, in mean diameters")
        self.foot = row = QHBoxLayout()
        row.addWidget(QLabel("Band"))
        row.addWidget(self.width_field, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.view)
        column.addLayout(row)

    def enlarge(self, times: float) -> None:
        """So many times as large as in the usual type."""
        self.setFixedWidth(round(times * _PLOT.width()))
        self.view.setFixedHeight(round(times * (_PLOT.height() - 32)))

    def show_profiles(self, found: Sequence[LineProfile | None], width: float, colours: Sequence[str]) -> None:
        """Draw those that there are. width : of the band, in diameters; colours : of two curves."""
        there = [one for one in found if one is not None]
        self._shown = [
            (PlotSeries(f"side {number}", one.at, one.volume_fraction), number)
            for number, one in enumerate(found)
            if one is not None
        ]
        self._colours = colours
        self._show()
        last = max(float(one.at[-1] + one.at[0]) for one in there)
        highest = max(float(one.volume_fraction.max()) for one in there)
        self.view.set_bounds((0.0, last, 0.0, 1.1 * max(highest, 1e-3)))
        if self.width_field.text_of(self.width_field.value) != self.width_field.text_of(width):
            self.width_field.set_value(width)

    def set_colors(self, colors: Colors) -> None:
        """Another theme."""
        self.view.set_theme(colors)
        self._accent = colors.accent
        self._show()

    def _show(self) -> None:
        self.view.show_series(
            [
                ShownSeries(one.key, one, SeriesStyle([*self._colours, *[self._accent] * 2][number], width=2.0))
                for one, number in self._shown
            ]
        )


def _words(readings: Readings) -> str:
    """All numbers of a mark, with their units."""
    text, before = "", ""
    for reading in readings:
        number = f"{reading.value:.0f}" if reading.symbol == "N" else digits(reading.value)
        unit = reading.unit if reading.unit == "°" else f" {reading.unit}" if reading.unit else ""
        note = f" ({reading.note})" if reading.note else ""
        if reading.symbol == before:  # the same in another unit
            text += f" ≈ {number}{unit}{note}"
        else:
            symbol = reading.symbol if "_" not in reading.symbol else reading.name.lower()
            text += f"{',  ' if text else ''}{symbol} = {number}{unit}{note}"
        before = reading.symbol
    return text
