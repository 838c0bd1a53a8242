"""The window of a study: how far it is, plot, table, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QModelIndex, QSize, Qt, QTimer, QUrl, pyqtSignal
from PyQt6.QtGui import QCloseEvent, QDesktopServices
from PyQt6.QtWidgets import (
    QCheckBox,
    QComboBox,
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

from aggviewer.studies.dialog import duration
from aggviewer.studies.finals import FinalStates
from aggviewer.studies.keeping import KeepInPlots, KeepStudy
from aggviewer.studies.kept import KeptStudy
from aggviewer.studies.plot import StudyPlot
from aggviewer.studies.process import StudyProcess, workers
from aggviewer.studies.results import Results
from aggviewer.studies.table import StudyTable
from aggviewer.style import numbers
from aggviewer.style.theme import Colors, tabular
from aggviewer.systems.registry import plots_of
from aggviewer.widgets.form_dialog import ask_whole_number
from aggviewer.widgets.screen import room
from engine.errors import InputError
from engine.scenario import Scenario
from engine.study import labels
from engine.study.changes import with_changes
from engine.study.model import MAX_RUNS

_LOOK_MS, _SOON_MS = 500, 30  # between two looks at the rows, and where there are more of them
_BUDGET = 0.004  # seconds that a look may take
_KEEP_BYTES, _DISC_BYTES = 300_000_000, 30  # final states are kept where they take no more
_TITLES = {
    "idle": "Not running",
    "running": "Running",
    "pausing": "Pausing",
    "paused": "Paused",
    "stopping": "Stopping, and writing the report",
    "stopped": "Stopped",
    "finished": "Finished",
    "failed": "Ended",
}


class StudyWindow(QWidget):
    """A study that runs, or has run. Closing it leaves the study as it is.

    Parameters
    ----------
    kept : the study.
    open_run : shows a scenario in the program's window.
    keep : has mean curves as references in its plots.

    Signals: ``run_opened`` when a run has been shown there.
    """

    run_opened = pyqtSignal()

    def __init__(
        self,
        kept: KeptStudy,
        open_run: Callable[[Scenario], object],
        keep: KeepStudy,
        colors: Colors,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("study")
        self.kept = kept
        self._open_run, self._colors = open_run, colors
        study = kept.read()
        self.setWindowTitle(f"Study: {study.title}")
        self.results = Results(study, kept.results)
        states = self.results.grid.discs * study.seeds.count * _DISC_BYTES
        self.process = StudyProcess(kept, states <= _KEEP_BYTES, self)
        self.title, self.state, self.problem = QLabel(study.title), QLabel(), QLabel()
        self.note = QLabel()
        self.bar = QProgressBar()
        self.pause_button, self.more_button = QPushButton("Pause"), QPushButton("Add seeds…")
        self.stop_button, self.report_button = QPushButton("Stop"), QPushButton("Open report")
        self.folder_button = QPushButton("Open folder")
        self.quantity = QComboBox()
        self.singles, self.log = QCheckBox("Single runs"), QCheckBox("Logarithmic")
        self.plot, self.table = StudyPlot(), QTableView()
        self.finals = FinalStates(self.results)
        self.keeping = KeepInPlots(self.results, plots_of(self.results.study_system), keep, self._point_looked_at, self)
        self._model = StudyTable(self.results)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._stale = True
        self._lay_out()
        self._connect()
        self._show_state()
        self.look()

    def _lay_out(self) -> None:
        font = self.title.font()
        font.setBold(True)
        self.title.setFont(font)
        self.title.setWordWrap(True)
        self.state.setFont(tabular())
        self.problem.setObjectName("problem")
        self.problem.setWordWrap(True)
        self.problem.hide()
        self.note.setWordWrap(True)
        self.note.hide()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(8)
        self.bar.setAccessibleName("Progress of the study")
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(8)
        head = QHBoxLayout()
        head.setSpacing(16)
        head.addWidget(self.title, 1)
        head.addWidget(self.state)
        column.addLayout(head)
        column.addWidget(self.bar)
        column.addWidget(self.problem)
        tips = {
            self.pause_button: "What is recorded stays; it goes on where it was",
            self.more_button: "More runs at every point",
            self.stop_button: "End it for good; the report of what there is is written",
            self.report_button: "The report in the browser: one file, which can be passed on",
            self.folder_button: "Tables, figures and report",
        }
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button, tip in tips.items():
            button.setToolTip(tip)
            button.setAutoDefault(False)
            if button is self.report_button:
                buttons.addStretch(1)
            buttons.addWidget(button)
        buttons.insertWidget(buttons.indexOf(self.report_button), self.keeping.button)
        column.addLayout(buttons)
        column.addWidget(self.note)
        choice = QHBoxLayout()
        choice.setSpacing(8)
        word = QLabel("Quantity")
        word.setBuddy(self.quantity)
        self.quantity.setAccessibleName("Quantity")
        self.quantity.setMinimumContentsLength(24)
        self.singles.setChecked(True)
        self.singles.setToolTip("Every run as a faint point; a click opens it in the window")
        self.log.setToolTip("A logarithmic axis of the quantity")
        for widget in (word, self.quantity, self.singles, self.log):
            choice.addWidget(widget)
        choice.addStretch(1)
        column.addLayout(choice)
        self.table.setModel(self._model)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.setFont(tabular())
        self.table.setAccessibleName("Means of all points")
        header, side = self.table.horizontalHeader(), self.table.verticalHeader()
        assert header is not None
        assert side is not None
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for section in range(len(self.results.grid.axes)):
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.ResizeToContents)
        side.hide()
        side.setDefaultSectionSize(self.fontMetrics().height() + 8)
        middle = QSplitter(Qt.Orientation.Horizontal)
        middle.setChildrenCollapsible(False)
        middle.addWidget(self.plot)
        middle.addWidget(self.table)
        middle.setStretchFactor(0, 3)
        middle.setStretchFactor(1, 2)
        middle.setSizes([600, 400])
        column.addWidget(middle, 1)
        column.addWidget(self.finals)
        self.resize(QSize(1000, 680).boundedTo(room(self)))

    def _connect(self) -> None:
        self.process.changed.connect(self._on_process)
        self.pause_button.clicked.connect(self._on_pause)
        self.more_button.clicked.connect(self._ask_seeds)
        self.stop_button.clicked.connect(self.process.stop)
        self.report_button.clicked.connect(lambda: self._open(self.kept.report))
        self.folder_button.clicked.connect(lambda: self._open(self.kept.folder))
        self.quantity.currentIndexChanged.connect(lambda _index: self.draw())
        self.singles.toggled.connect(lambda _on: self.draw())
        self.log.toggled.connect(lambda _on: self.draw())
        self.plot.run_chosen.connect(self.open)
        self.finals.run_chosen.connect(self.open)
        self.keeping.told.connect(self._tell)
        self.table.doubleClicked.connect(self._on_row)
        self._timer.timeout.connect(self.look)

    # what is seen

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme of the program."""
        self._colors = colors
        self.problem.setStyleSheet(f"color: {colors.error};")
        self.finals.set_colors(colors)
        self.draw()

    def look(self) -> None:
        """Read what has come, and show it."""
        if self.results.read(_BUDGET):
            self._offer_quantities()
            self._stale = True
        behind = self.results.behind
        if self._stale and not behind and self.isVisible():
            self.draw()
        if not behind:
            self.finals.look()
        self._show_state()
        self._timer.start(_SOON_MS if behind else _LOOK_MS)

    def draw(self) -> None:
        """Plot and table as the rows are now."""
        self._stale = False
        name = str(self.quantity.currentData() or "")
        self.plot.show_results(
            self.results, name, singles=self.singles.isChecked(), log=self.log.isChecked(), colors=self._colors
        )
        self._model.show_quantity(name)

    def _offer_quantities(self) -> None:
        there = {self.quantity.itemData(index) for index in range(self.quantity.count())}
        for name in self.results.quantities():
            if name not in there:
                text = labels.label(name, self.results.grid)
                self.quantity.addItem(text[:1].upper() + text[1:] if text != name else name, name)

    def _show_state(self) -> None:
        results, state = self.results, self.process.state
        over = results.done + len(results.failures)
        words = [f"{numbers.count(results.done)} of {numbers.count(results.total)} runs"]
        if results.failures:
            words.append(f"{numbers.count(len(results.failures))} failed")
        title = _TITLES[state]
        if state == "running":
            left = results.seconds_left(workers())
            if not over and not self.kept.began:
                title = "Starting"
            elif left is not None and results.left:
                words.append(f"about {duration(left)} left")
            elif not results.left:
                title = "Writing the report"
        self.state.setText(f"{title}: {', '.join(words)}")
        self.bar.setRange(0, max(1, results.total))
        self.bar.setValue(min(over, results.total))
        problem = self.process.message[:1].upper() + self.process.message[1:] or self._failures()
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        running = state == "running"
        self.pause_button.setText("Pause" if running or state == "pausing" else "Go on")
        at_rest = state in ("idle", "paused", "stopped", "finished", "failed")
        self.pause_button.setEnabled(running or (at_rest and results.done < results.total))
        self.more_button.setEnabled(state not in ("pausing", "stopping"))
        self.stop_button.setEnabled(state in ("running", "paused", "idle", "failed") and self.kept.unfinished)
        self.keeping.refresh()
        self.report_button.setEnabled(self.kept.report.is_file() and state in ("idle", "paused", "stopped", "finished"))

    def _failures(self) -> str:
        """Why runs have failed."""
        reasons = list(dict.fromkeys(self.results.failures.values()))
        if not reasons:
            return ""
        count = len(self.results.failures)
        who = "One run has" if count == 1 else f"{numbers.count(count)} runs have"
        others = len(reasons) - 1
        more = f" (and {others} other reason{'' if others == 1 else 's'}: see the report)" if others else ""
        return f"{who} failed: {reasons[0]}{more}"

    # what the person does

    def open(self, point: int, seed: int) -> None:
        """Show exactly this run in the program's window."""
        grid = self.results.grid
        self._open_run(grid.scenario.with_values(grid.points[point].values | {"seed": seed}))
        self.run_opened.emit()

    def add_seeds(self, count: int) -> None:
        """So many more runs at every point."""
        study = self.results.study
        tables = with_changes(study.to_values(), {"seeds.count": study.seeds.count + count})
        try:
            self.kept.write(tables)
            self.results.widen(self.kept.read())
        except (OSError, InputError) as error:
            self._tell(f"More seeds cannot be added: {error}", True)
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
            self.process.go_on()

    def _on_row(self, index: QModelIndex) -> None:
        self.open(index.row(), self.results.study.seeds.first)

    def _point_looked_at(self) -> int | None:
        """The row of the table that is selected."""
        selected = self.table.selectionModel()
        rows = [] if selected is None else selected.selectedRows()
        return rows[0].row() if rows else None

    def _tell(self, words: str, is_problem: bool) -> None:
        """How something went that the person has asked for."""
        self.note.setText(words)
        self.note.setStyleSheet(f"color: {self._colors.error if is_problem else self._colors.muted};")
        self.note.show()

    def _on_process(self) -> None:
        self.look()

    def _open(self, path: Path) -> None:
        self.note.hide()
        if not path.exists():
            self._tell(f"{path} is not there any more", True)
        elif not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self._tell(f"No program was found that opens {path}", True)

    # Qt

    def shut_down(self) -> None:
        """End the process at once, keep all rows, and go."""
        self._timer.stop()
        self.process.close()
        self.keeping.close()
        self.finals.close_states()
        self.results.close()
        self.close()

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """The study goes on; the menu opens it again."""
        super().closeEvent(event)
