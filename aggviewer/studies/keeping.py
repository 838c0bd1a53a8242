"""Mean curves of a study that stay in the plots as references: which points of the grid, and how it went."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PyQt6.QtCore import QObject, QTimer, pyqtSignal
from PyQt6.QtGui import QIcon
from PyQt6.QtWidgets import QDialogButtonBox, QLabel, QPushButton, QWidget

from aggviewer.document.plots import MOST_REFERENCES
from aggviewer.plots.plot import Plot
from aggviewer.plots.references import Curves
from aggviewer.studies.curves import MeanCurves, curves_for
from aggviewer.studies.results import Results
from aggviewer.widgets.form_dialog import FormDialog
from aggviewer.widgets.tick_list import TickList
from engine.errors import InputError
from engine.study import labels

KeepStudy = Callable[[str, str, Mapping[str, Curves]], str]
"""`PlotsPanel.keep_study`."""

_BUDGET, _EVERY_MS = 0.008, 10  # seconds of work at a time, and milliseconds between two of them
_TIP = "The mean curves of a point, with their standard errors, become references in the plots of the window"
_NO_CURVES = "This study has measured no curves that plots show: tick Curves when you begin one"
_NO_RUNS = "No run is through yet"


class PointsDialog(FormDialog):
    """Which points of a grid are kept. `chosen` are their numbers.

    Parameters
    ----------
    texts : number of a point to what it is called.
    first : is ticked where there are more than can be kept.
    """

    def __init__(self, texts: Mapping[int, str], first: int, parent: QWidget | None = None) -> None:
        super().__init__("Keep in plots", QDialogButtonBox.StandardButton.Ok, parent)
        self.setObjectName("keepStudy")
        self.list = TickList("Points of the grid")
        for point, text in texts.items():
            self.list.add(text, point, point == first or len(texts) <= MOST_REFERENCES)
        self.words = QLabel()
        self.words.setWordWrap(True)
        self.column.removeItem(self.rows)
        self.column.insertWidget(0, QLabel("Mean curves of these points become references in the plots:"))
        self.column.insertWidget(1, self.list, 1)
        self.column.insertWidget(2, self.words)
        self.keep_button = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        assert self.keep_button is not None
        self.keep_button.setText("Keep")
        for button in self.buttons.buttons():
            button.setIcon(QIcon())
        self.list.itemChanged.connect(lambda _item: self._say())
        self._say()
        self.resize(420, 360)

    @property
    def chosen(self) -> list[int]:
        """The points that are ticked."""
        return [point for point in self.list.ticked if isinstance(point, int)]

    def _say(self) -> None:
        count = len(self.chosen)
        assert self.keep_button is not None
        self.keep_button.setEnabled(0 < count <= MOST_REFERENCES)
        self.words.setText(f"{count} chosen; there is room for {MOST_REFERENCES} references in the plots")


class KeepInPlots(QObject):
    """The button *Keep in plots…* of a study.

    Parameters
    ----------
    results : of the study.
    plots : of its system.
    keep : takes the curves of a point.
    chosen : the point that the person is looking at.
    window : the dialog belongs to it.

    Signals: ``told(words, is_problem)``, how it went.
    """

    told = pyqtSignal(str, bool)

    def __init__(
        self,
        results: Results,
        plots: Sequence[Plot],
        keep: KeepStudy,
        chosen: Callable[[], int | None],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._results, self._plots, self._keep, self._chosen = results, plots, keep, chosen
        self._window = window
        self._curves = set(curves_for(plots)) & set(results.study.measure.curves)
        self.button = QPushButton("Keep in plots…")
        self.button.setAccessibleName("Keep in plots")
        self.button.setAutoDefault(False)
        self.button.clicked.connect(self.ask)
        self.dialog: PointsDialog | None = None
        self._means: MeanCurves | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self._go_on)

    def refresh(self) -> None:
        """The button is off where there is nothing to keep, and says why."""
        why = _NO_CURVES if not self._curves else "" if self._results.done else _NO_RUNS
        self.button.setEnabled(not why and self._means is None)
        self.button.setToolTip(why or _TIP)

    def ask(self) -> None:
        """Ask which points where there are several, and keep them."""
        results = self._results
        there = [point.number for point in results.grid.points if results.runs_at(point.number)]
        if len(there) <= 1:
            self.keep(there)
            return
        texts = {
            point: f"{labels.place(results.grid.points[point], results.grid)} (n = {results.runs_at(point)})"
            for point in there
        }
        looked_at = self._chosen()
        self.dialog = PointsDialog(texts, looked_at if looked_at in texts else there[0], self._window)
        self.dialog.finished.connect(self._on_dialog)
        self.dialog.open()

    def keep(self, points: Sequence[int]) -> None:
        """Keep the mean curves of these points; `told` says when it is done."""
        self._means = MeanCurves(self._results, self._plots, points)
        self.refresh()
        self._timer.start()

    def close(self) -> None:
        """Nothing more is read."""
        self._timer.stop()
        self._means = None
        if self.dialog is not None:
            self.dialog.reject()

    def _on_dialog(self, agreed: int) -> None:
        dialog, self.dialog = self.dialog, None
        assert dialog is not None
        if agreed:
            self.keep(dialog.chosen)

    def _go_on(self) -> None:
        means = self._means
        if means is None:
            return
        try:
            if not means.work(_BUDGET):
                return
            words = ""
            for one in means.found:
                words = self._keep(self._results.study_system, one.name, one.curves)
            self.told.emit(words or "These runs have no curves that the plots show", not words)
        except InputError as error:
            self.told.emit(str(error), True)
        self._timer.stop()
        self._means = None
        self.refresh()
