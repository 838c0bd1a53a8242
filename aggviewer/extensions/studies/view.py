"""The window of a study: progress, plot, a table with a row for each point of the grid, and commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QAbstractTableModel, QModelIndex, QSize, Qt, QTimer, QUrl
from PyQt6.QtGui import QDesktopServices
from PyQt6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from aggviewer.extensions.studies.drawing import StudyPlot
from aggviewer.extensions.studies.keeping import FinalStates, KeepInPlots, KeepStudy
from aggviewer.extensions.studies.plan import failure_words, mean_and_error, progress_words
from aggviewer.extensions.studies.process import KeptStudy, StudyProcess, workers
from aggviewer.extensions.studies.results import Results
from aggviewer.style.theme import Colors, tabular
from aggviewer.systems.registry import plots_of
from aggviewer.widgets.form_dialog import ask_whole_number
from aggviewer.widgets.labels import SymbolComboBox, SymbolHeader
from aggviewer.widgets.lists import set_up_rows
from aggviewer.widgets.screen import room
from engine.errors import InputError
from engine.scenario import Scenario
from engine.study import labels
from engine.study.model import MAX_RUNS
from engine.study.source import with_changes

_LOOK_MS, _SOON_MS = 500, 30  # milliseconds between two reads of the rows, and when there are more to read
_KEEP_BYTES, _DISC_BYTES = 300_000_000, 30  # final states are kept if they take no more bytes than this


class StudyWindow(QWidget):
    """Shows a running or finished study. Closing the window does not change the study.

    Parameters
    ----------
    kept_study : the study.
    open_run(scenario, title) : shows a scenario in the program's window.
    keep : keeps mean curves as references in its plots.
    """

    def __init__(
        self,
        kept: KeptStudy,
        open_run: Callable[[Scenario, str], object],
        keep: KeepStudy,
        colors: Colors,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("study")
        self.kept_study = kept
        self._open_run, self._colors = open_run, colors
        study = kept.read()
        self.setWindowTitle(f"Study: {study.title}")
        self.results = Results(study, kept.results)
        states = self.results.grid.discs * study.seeds.count * _DISC_BYTES
        self.process = StudyProcess(kept, states <= _KEEP_BYTES, self)
        self.title, self.state = QLabel(study.title), QLabel()
        self.bar = QProgressBar()
        self.problem, self.note = _hidden_label(), _hidden_label()
        self.problem.setObjectName("problem")
        self.pause_button = _button("Pause", "Pause the study; finished runs are kept", self._on_pause)
        self.more_button = _button("Add seeds…", "Add runs at each point", self._ask_seeds)
        tip = "End the study and write the report of the finished runs"
        self.stop_button = _button("Stop", tip, self.process.stop)
        plots = plots_of(self.results.grid.scenario.system)
        self.keeping = KeepInPlots(self.results, plots, keep, self._point_looked_at, self)
        tip = "Open the report in the browser; it is a single file that you can share"
        self.report_button = _button("Open report", tip, lambda: self._open(kept.report))
        self.folder_button = _button(
            "Open folder", "Open the folder with tables, figures and report", lambda: self._open(kept.folder)
        )
        self.quantity = SymbolComboBox()
        self.quantity.setAccessibleName("Quantity")
        self.quantity.setMinimumContentsLength(24)
        self.singles, self.log = QCheckBox("Single runs"), QCheckBox("Logarithmic")
        self.singles.setChecked(True)
        self.singles.setToolTip("Show each run as a faint point; click one to open it in the window")
        self.log.setToolTip("Use a logarithmic axis for the quantity")
        self.plot, self.table = StudyPlot(), StudyTable(self.results)
        self.finals = FinalStates(self.results)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.show_new_rows)
        self._stale = True
        self._lay_out()
        self.process.changed.connect(self.show_new_rows)
        self.quantity.currentIndexChanged.connect(lambda _index: self.draw())
        for box in (self.singles, self.log):
            box.toggled.connect(lambda _on: self.draw())
        for shown in (self.plot, self.finals):
            shown.run_chosen.connect(self.open)
        self.table.doubleClicked.connect(lambda index: self.open(index.row(), study.seeds.first))
        self.keeping.message.connect(self._show_result)
        self._show_state()
        self.show_new_rows()

    def _lay_out(self) -> None:
        font = self.title.font()
        font.setBold(True)
        self.title.setFont(font)
        self.title.setWordWrap(True)
        self.state.setFont(tabular())
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(8)
        self.bar.setAccessibleName("Progress of the study")
        word = QLabel("Quantity")
        word.setBuddy(self.quantity)
        head, buttons, choice = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.state)
        for button in (self.pause_button, self.more_button, self.stop_button):
            buttons.addWidget(button)
        buttons.addStretch(1)
        for button in (self.keeping.button, self.report_button, self.folder_button):
            buttons.addWidget(button)
        for widget in (word, self.quantity, self.singles, self.log):
            choice.addWidget(widget)
        choice.addStretch(1)
        for row in (head, buttons, choice):
            row.setSpacing(8)
        middle = QSplitter(Qt.Orientation.Horizontal)
        middle.setChildrenCollapsible(False)
        middle.addWidget(self.plot)
        middle.addWidget(self.table)
        middle.setStretchFactor(0, 3)
        middle.setStretchFactor(1, 2)
        middle.setSizes([600, 400])
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.bar)
        column.addWidget(self.problem)
        column.addLayout(buttons)
        column.addWidget(self.note)
        column.addLayout(choice)
        column.addWidget(middle, 1)
        column.addWidget(self.finals)
        self.resize(QSize(1000, 680).boundedTo(room(self)))

    # display

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme of the program."""
        self._colors = colors
        self.finals.set_colors(colors)
        self.draw()

    def show_new_rows(self) -> None:
        """Read new rows and show them."""
        if self.results.read():
            self._offer_quantities()
            self._stale = True
        behind = self.results.behind
        if self._stale and not behind and self.isVisible():
            self.draw()
        if not behind:
            self.finals.add_new()
        self._show_state()
        self._timer.start(_SOON_MS if behind else _LOOK_MS)

    def draw(self) -> None:
        """Draw plot and table from the present rows."""
        self._stale = False
        name = str(self.quantity.currentData() or "")
        self.plot.show_results(
            self.results, name, singles=self.singles.isChecked(), log=self.log.isChecked(), colors=self._colors
        )
        self.table.show_quantity(name)

    def _offer_quantities(self) -> None:
        there = {self.quantity.itemData(index) for index in range(self.quantity.count())}
        for name in self.results.quantities():
            if name not in there:
                text = labels.label(name, self.results.grid)
                self.quantity.addItem(labels.capitalised(text) if text != name else name, name)

    def _show_state(self) -> None:
        results, state = self.results, self.process.state
        over = results.done + len(results.failures)
        self.state.setText(progress_words(results, state, workers(), begun=bool(over) or self.kept_study.began))
        self.bar.setRange(0, max(1, results.total))
        self.bar.setValue(min(over, results.total))
        problem = labels.capitalised(self.process.message) or failure_words(results)
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        running = state == "running"
        self.pause_button.setText("Pause" if running or state == "pausing" else "Continue")
        at_rest = state in ("idle", "paused", "stopped", "finished", "failed")
        self.pause_button.setEnabled(running or (at_rest and results.done < results.total))
        self.more_button.setEnabled(state not in ("pausing", "stopping"))
        self.stop_button.setEnabled(state in ("running", "paused", "idle", "failed") and self.kept_study.unfinished)
        self.keeping.refresh()
        self.report_button.setEnabled(
            self.kept_study.report.is_file() and state in ("idle", "paused", "stopped", "finished")
        )

    # actions of the user

    def open(self, point: int, seed: int) -> None:
        """Open exactly this run in the program's window."""
        grid = self.results.grid
        scenario = grid.scenario.with_values(grid.points[point].values | {"seed": seed})
        self._open_run(scenario, self.results.study.title)

    def add_seeds(self, count: int) -> None:
        """Add this many runs at every point."""
        study = self.results.study
        tables = with_changes(study.to_values(), {"seeds.count": study.seeds.count + count})
        try:
            self.kept_study.write(tables)
            self.results.widen(self.kept_study.read())
        except (OSError, InputError) as error:
            self._show_result(f"More seeds cannot be added: {error}", True)
            return
        self._show_state()
        self.process.begin_again()

    def _ask_seeds(self) -> None:
        self.note.hide()
        seeds = self.results.study.seeds
        most = max(1, min(10_000, MAX_RUNS // max(1, len(self.results.grid.points)) - seeds.count))
        count = ask_whole_number(
            self, "Add seeds", f"There are {seeds.count} at each point. How many more?", seeds.count, 1, most
        )
        if count is not None:
            self.add_seeds(count)

    def _on_pause(self) -> None:
        if self.process.state == "running":
            self.process.pause()
        else:
            self.process.start()

    def _point_looked_at(self) -> int | None:
        """The number of the point whose row of the table is selected; None if none is."""
        selected = self.table.selectionModel()
        rows = [] if selected is None else selected.selectedRows()
        return rows[0].row() if rows else None

    def _show_result(self, words: str, is_problem: bool) -> None:
        """Show a sentence about the last action below the table."""
        self.note.setText(words)
        self.note.setStyleSheet(f"color: {self._colors.error if is_problem else self._colors.muted};")
        self.note.show()

    def _open(self, path: Path) -> None:
        self.note.hide()
        if not path.exists():
            self._show_result(f"{path} no longer exists", True)
        elif not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self._show_result(f"No program can open {path}", True)

    def shut_down(self) -> None:
        """End the process at once, keeping all rows, and close the window."""
        self._timer.stop()
        self.process.close()
        self.keeping.close()
        self.results.close()
        self.close()


def _button(text: str, tip: str, run: Callable[[], object]) -> QPushButton:
    made = QPushButton(text)
    made.setToolTip(tip)
    made.setAutoDefault(False)
    made.clicked.connect(lambda _checked: run())
    return made


def _hidden_label() -> QLabel:
    made = QLabel()
    made.setWordWrap(True)
    made.hide()
    return made


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
