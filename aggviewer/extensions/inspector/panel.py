"""The panel of the inspector, in its dock: a choice of table, a condition for its rows, the table, and its export."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QHideEvent, QShowEvent
from PyQt6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from aggviewer.export.files import new_file
from aggviewer.extensions.inspector.tables import Ask, RowKind, Table, TableSource, check_condition, tabulate
from aggviewer.extensions.inspector.view import PickingTable, TableModel
from aggviewer.session import Notice
from aggviewer.session.marking import Marking
from aggviewer.session.notices import tell_saved
from aggviewer.session.publisher import Shown
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.docks import Dock, add_below, give_height, in_sight, to_front
from aggviewer.widgets.entry_line import EntryLine
from aggviewer.widgets.gui_thread import GuiJob
from aggviewer.widgets.labels import ElidedLabel
from aggviewer.widgets.part import Context, Part
from aggviewer.widgets.screen import copy_text
from aggviewer.window.canvases import Canvases
from engine.errors import InputError
from engine.frame import Frame
from engine.selection import Selection, example
from engine.system import find
from engine.words import body_names, count, typeset

MOST_COPIED = 100_000
"""The most rows that can be copied at once."""

_NONE = float("nan")
_LOOK_MS = 100
_LEAST_S = 0.4  # between two tables while it runs
_REST = 3.0  # after a table, the simulation gets this many times its duration for itself


class InspectorPanel(QWidget):
    """A table of the discs or clusters in the current frame. Nothing is computed while it is hidden.

    Parameters
    ----------
    marking : the selection, which table and picture share.
    shown : returns the frame on the screen.
    ask_path : asks where to save; None if the user cancels.

    Notes
    -----
    Signals: ``place_asked(point)``, (d,), on a double-click; ``saved(path)`` or ``problem(words)`` after an export;
    ``titled(text)`` when its title changes, which names discs or spheres.
    """

    place_asked = pyqtSignal(object)
    saved = pyqtSignal(object)
    problem = pyqtSignal(str)
    titled = pyqtSignal(str)

    def __init__(
        self, marking: Marking, shown: Callable[[], Shown | None], ask_path: Callable[[str], Path | None]
    ) -> None:
        super().__init__()
        self.setObjectName("inspector")
        self._marking = marking
        self._shown = shown
        self._ask_path = ask_path
        self._ask = Ask()
        self._source: TableSource | None = None
        self._key: object = None  # of the frame in the table
        self._at = 0.0
        self._own = False  # the next change of selection comes from here
        self._selected = Selection.none(0)
        self._gyration = _NONE  # of the selection, in the table on the screen
        self._job = GuiJob("inspector", parent=self)
        self._took = 0.0  # seconds that the last table has taken
        self.model = TableModel()
        self.table = PickingTable(self.model)
        self.kinds = QComboBox()
        self.kinds.addItem("Discs", "discs")
        self.kinds.addItem("Clusters", "clusters")
        self.kinds.setAccessibleName("Rows of the table")
        self.kinds.activated.connect(lambda _index: self.show_kind(self.kinds.currentData()))
        self.condition = EntryLine()
        self.condition.setAccessibleName("Condition for the rows")
        self.condition.setClearButtonEnabled(True)
        self.condition.setToolTip(
            "Show only rows that meet this condition; press Enter. The tool tips of the columns give the names."
        )
        self.condition.editingFinished.connect(self._on_condition)
        self.words = ElidedLabel()
        self.refusal = QLabel()
        self.refusal.setObjectName("tableProblem")
        self.refusal.setWordWrap(True)
        self.refusal.setContentsMargins(8, 0, 8, 0)
        self.refusal.hide()
        self.copy = QPushButton("Copy")
        self.copy.setToolTip(
            "Copy the selected rows (or all rows) as tab-separated text, and the radius of gyration of the selection"
        )
        self.copy.clicked.connect(self.copy_rows)
        self.save = QPushButton("Save…")
        self.save.setToolTip("Save all rows of the table as CSV")
        self.save.clicked.connect(self.save_rows)
        head = QHBoxLayout()
        head.setContentsMargins(8, 8, 8, 0)
        head.setSpacing(8)
        head.addWidget(self.kinds)
        head.addWidget(QLabel("where"))
        head.addWidget(self.condition, 3)
        head.addWidget(self.words, 2)
        head.addWidget(self.copy)
        head.addWidget(self.save)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.refusal)
        column.addWidget(self.table, 1)
        heads = self.table.horizontalHeader()
        assert heads is not None
        heads.sectionClicked.connect(self._on_head)
        self.table.picked.connect(self._on_picked)
        self.table.looked_at.connect(self._on_looked_at)
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._update_table)
        self._describe_table()

    # what is shown

    def show_kind(self, kind: RowKind) -> None:
        """Show one row per disc or one row per cluster."""
        self.kinds.setCurrentIndex(self.kinds.findData(kind))
        self._ask = Ask(kind)
        self.condition.clear()
        self._refuse("")
        self._show_again()

    def mark(self) -> None:
        """Highlight the rows of the selected discs after the selection has changed."""
        selected = self._marking.value.selected
        if not self.isVisible() or selected is self._selected:
            return
        self._selected = selected
        self.model.mark(selected.mask)
        table, own, self._own = self.model.table, self._own, False
        if table is not None and not own and selected and selected.count == table.source.disc_set.count:
            row = table.row_of(int(selected.numbers[0]))
            if row >= 0:
                self.table.scrollTo(self.model.index(row, 0))
        self._measure()
        self._describe_table()

    def showEvent(self, event: QShowEvent | None) -> None:
        """Start following the frames."""
        super().showEvent(event)
        self._key = None
        self._timer.start()
        self._update_table()

    def hideEvent(self, event: QHideEvent | None) -> None:
        """Stop computing."""
        super().hideEvent(event)
        self._timer.stop()

    def close(self) -> bool:
        """End the thread."""
        self._timer.stop()
        self._job.close()
        return super().close()

    def _update_table(self) -> None:
        """Request a table of the current frame if it has changed and the last update is not too recent."""
        shown = self._shown()
        if shown is None or self._job.busy:
            return
        frame = shown.frame
        key = (id(shown.disc_set), frame.time, frame.clusters, frame.kinetic_energy)
        if key == self._key or perf_counter() - self._at < max(_LEAST_S, _REST * self._took):
            return
        self._key, self._at = key, perf_counter()
        own = Frame.empty(0)
        own.take(frame)  # the buffers are reused for the next frame
        joins = find(shown.disc_set.scenario.system)
        self._offer_clusters(joins is not None and joins.joins)
        self._source = TableSource(own, shown.disc_set)
        self._tabulate(self._source)

    def _offer_clusters(self, there: bool) -> None:
        self.kinds.setEnabled(there)
        if not there and self._ask.kind == "clusters":
            self.show_kind("discs")

    def _show_again(self) -> None:
        """Show the same frame in another order or with other columns."""
        if self._source is not None and self.isVisible():
            self._tabulate(self._source)
        self._describe_table()

    def _tabulate(self, source: TableSource) -> None:
        """Request a table, replacing a request that is still waiting."""
        ask = self._ask

        def work() -> Table:
            begun = perf_counter()
            try:
                return tabulate(source, ask)
            finally:
                self._took = perf_counter() - begun

        self._job.submit(work, self._on_made, self._on_not_made)

    def _on_not_made(self, error: Exception) -> None:
        """Handle an error while the table was made; a plug-in's field may raise anything."""
        known = isinstance(error, InputError)
        self._refuse(str(error) if known else f"the table failed: {type(error).__name__}: {error}")

    def _on_made(self, made: Table) -> None:
        if made.ask == self._ask:
            before = self.model.table
            self.model.show(made, self._marking.value.selected.mask)
            if before is None or before.fields != made.fields:
                self._fit_columns()
            self._show_order()
            self._measure()
            self._describe_table()

    def _measure(self) -> None:
        """Request the radius of gyration of the selection; a single disc has none."""
        table, selected = self.model.table, self._marking.value.selected
        if table is None or len(selected) < 2 or selected.count != table.source.disc_set.count:
            self._gyration = _NONE
            return

        def show(gyration: float) -> None:
            if table is self.model.table and selected is self._marking.value.selected:
                self._gyration = gyration
                self._describe_table()

        self._job.submit(lambda: table.source.radius_of_gyration(selected), show, key="gyration")

    def _fit_columns(self) -> None:
        """Fit the column widths to their headings and typical numbers."""
        metrics, table = self.table.fontMetrics(), self.model.table
        assert table is not None
        for column, field in enumerate(table.fields):
            words = max(field.label, field.unit, "−0.00000000", key=metrics.horizontalAdvance)
            self.table.setColumnWidth(column, metrics.horizontalAdvance(words) + 36)

    def _refuse(self, problem: str) -> None:
        """Show why a condition is invalid, on a line of its own; "" for a valid one."""
        self.refusal.setText(f"{problem}.")
        self.refusal.setVisible(bool(problem))
        self.condition.refused = bool(problem)

    def _describe_table(self) -> None:
        table = self.model.table
        if table is None:
            self.words.set_whole_text("No discs yet")
            return
        self.condition.setPlaceholderText(example([field.name for field in table.fields]))
        names = body_names(table.source.frame.dimensions)
        rows, kind = len(table.order), names.discs if self._ask.kind == "discs" else "clusters"
        words = f"{count(rows)} {kind}" if rows == table.total else f"{count(rows)} of {count(table.total)} {kind}"
        marked = len(self.model.marked_rows())
        words += f", {count(marked)} selected" if marked else ""
        if np.isfinite(self._gyration):
            words += f", R_g = {typeset(self._gyration, '.5g')} length"
        self.words.set_whole_text(words)
        self.kinds.setItemText(0, names.Discs)
        self.titled.emit(f"Table of {names.discs}")

    def _show_order(self) -> None:
        table, heads = self.model.table, self.table.horizontalHeader()
        assert table is not None
        assert heads is not None
        names = [field.name for field in table.fields]
        column = names.index(self._ask.sort_by) if self._ask.sort_by in names else 0
        order = Qt.SortOrder.DescendingOrder if self._ask.descending else Qt.SortOrder.AscendingOrder
        heads.setSortIndicator(column, order)

    @property
    def busy(self) -> bool:
        """Whether a table is being computed or written."""
        return self._job.busy

    # what the person does

    def _on_condition(self) -> None:
        text = self.condition.text().strip()
        shown = self._shown()
        if text == self._ask.condition:
            self._refuse("")
            return
        if shown is not None:
            try:
                check_condition(text, shown.disc_set.scenario.system, self._ask.kind, shown.frame.dimensions)
            except InputError as error:
                self._refuse(str(error))
                return
        self._refuse("")
        self._ask = Ask(self._ask.kind, text, self._ask.sort_by, self._ask.descending)
        self._show_again()

    def _on_head(self, column: int) -> None:
        table = self.model.table
        if table is None:
            return
        name, ask = table.fields[column].name, self._ask
        descending = not ask.descending if name == (ask.sort_by or table.fields[0].name) else name != "disc"
        self._ask = Ask(ask.kind, ask.condition, name, descending)
        self._show_again()

    def _on_picked(self, rows: NDArray[np.int64], add: bool) -> None:
        table = self.model.table
        now = self._marking.value.selected
        if table is None or now.count != table.source.disc_set.count:
            return
        chosen = Selection.of(table.discs_of(rows))
        if add:
            chosen = now - chosen if not chosen - now else now | chosen
        self._own = True
        self._marking.select(chosen)

    def _on_looked_at(self, row: int) -> None:
        table = self.model.table
        if table is not None and row < len(table.order):
            place = table.place_of(row)
            if np.isfinite(place).all():
                self.place_asked.emit(place)

    def copy_rows(self) -> None:
        """Copy the selected rows, or all rows, to the clipboard."""
        table = self.model.table
        if table is None:
            return
        marked = self.model.marked_rows()
        rows = marked if len(marked) else np.arange(len(table.order))
        if len(rows) > MOST_COPIED:
            words = f"{count(len(rows))} rows are too many for the clipboard; at most {count(MOST_COPIED)} fit"
            self.problem.emit(f"{words}. Save them instead, or select fewer")
            return
        text = io.StringIO()
        table.write(text, "\t", rows)
        if np.isfinite(self._gyration):
            text.write(f"\nradius of gyration of the selection (length)\t{self._gyration!r}\n")
        copy_text(text.getvalue())

    def save_rows(self) -> None:
        """Ask for a file, and write all rows."""
        table = self.model.table
        path = None if table is None else self._ask_path(f"{self._ask.kind}.csv")
        if path is not None and table is not None:
            self.write(path, table)

    def write(self, path: Path, table: Table) -> None:
        """Write all rows of a table as CSV on the worker thread; ``saved`` or ``problem`` follows."""

        def work() -> Path:
            with new_file(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
                table.write(file, ",")
            return path

        self._job.submit(work, self.saved.emit, self._on_not_written, key=path)

    def _on_not_written(self, error: Exception) -> None:
        if not isinstance(error, InputError):
            raise error
        self.problem.emit(str(error))


_HEIGHT = 240  # pixels when it is shown for the first time


class Inspector(Part):
    """Docks the table, hidden at first, and links it with the pictures."""

    def __init__(self, context: Context) -> None:
        self._window = window = context.window
        self._chooser = context.files
        notify, session = context.notify, context.session
        self.panel = InspectorPanel(session.marking, context.shown, self._ask_path)
        self.dock = dock = Dock("Table of discs", window)
        dock.setObjectName("inspectorDock")
        dock.setWidget(self.panel)
        add_below(window, dock)
        dock.visibilityChanged.connect(lambda _visible: context.commands.update())
        self.panel.place_asked.connect(lambda place: context[Canvases].zoom_to(*place))
        self.panel.saved.connect(lambda path: tell_saved("Table saved", path, notify, "table"))
        self.panel.titled.connect(dock.setWindowTitle)
        self.panel.problem.connect(lambda words: notify(Notice("warning", words, about="table")))
        context.listen(session.marking.changed, self.panel.mark)

    def commands(self) -> Iterator[Command]:
        """Show and hide the table."""
        yield Command(
            "view.inspector",
            "Table of {discs}",
            self.toggle,
            ("F8",),
            "A table of all {discs} or clusters. Sort it, filter it, and select rows to highlight them in the picture",
            checked=lambda: in_sight(self._window, self.dock),
            menu=Place("View", 4, 2),
        )

    def toggle(self) -> None:
        """Show the table in front of other tabs at its place, or hide it."""
        if in_sight(self._window, self.dock):
            self.dock.hide()
            return
        to_front(self.dock)
        give_height(self._window, self.dock, _HEIGHT)

    def close(self) -> None:
        """End the thread of the table."""
        self.panel.close()

    def _ask_path(self, name: str) -> Path | None:
        return self._chooser.to_save("table", name, "Save the table", "Table (*.csv)")
