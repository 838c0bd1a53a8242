"""Keeping mean curves of a study in the plots as references: choosing the points of the grid, and reporting the
result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PyQt6.QtCore import QObject, pyqtSignal
from PyQt6.QtWidgets import QDialogButtonBox, QLabel, QPushButton, QWidget

from aggviewer.document.plots import MOST_REFERENCES
from aggviewer.extensions.studies.curves import PointCurves, curves_for, mean_curves
from aggviewer.extensions.studies.results import Results
from aggviewer.plots.plot import Plot
from aggviewer.plots.references import Curves
from aggviewer.widgets.form_dialog import FormDialog
from aggviewer.widgets.gui_job import GuiJob
from aggviewer.widgets.tick_list import TickList
from engine.errors import InputError
from engine.study import labels

KeepStudy = Callable[[str, str, Mapping[str, Curves]], str]
"""`PlotsPanel.keep_study`."""

_TIP = "Show the mean curves of a point, with standard errors, as references in the plots of the window"
_NO_CURVES = "This study has no curves for the plots: tick Curves when you start a study"
_NO_RUNS = "No run has finished yet"


class PointsDialog(FormDialog):
    """Chooses the points of a grid to keep. `chosen` gives their numbers.

    Parameters
    ----------
    texts : the name of each point, by its number.
    first : the point that is ticked if there are more than can be kept.
    """

    def __init__(self, texts: Mapping[int, str], first: int, parent: QWidget | None = None) -> None:
        super().__init__("Keep in plots", QDialogButtonBox.StandardButton.Ok, parent, word="Keep")
        self.setObjectName("keepStudy")
        self.list = TickList("Points of the grid")
        for point, text in texts.items():
            self.list.add(text, point, point == first or len(texts) <= MOST_REFERENCES)
        self.words = QLabel()
        self.words.setWordWrap(True)
        self.column.removeItem(self.rows)
        self.column.insertWidget(0, QLabel("Show the mean curves of these points as references in the plots:"))
        self.column.insertWidget(1, self.list, 1)
        self.column.insertWidget(2, self.words)
        self.list.itemChanged.connect(lambda _item: self._say())
        self._say()
        self.resize(420, 360)

    @property
    def chosen(self) -> list[int]:
        """The points that are ticked."""
        return [point for point in self.list.ticked if isinstance(point, int)]

    def _say(self) -> None:
        count = len(self.chosen)
        self.accept_button.setEnabled(0 < count <= MOST_REFERENCES)
        self.words.setText(f"{count} chosen; the plots can show at most {MOST_REFERENCES} references")


class KeepInPlots(QObject):
    """The button *Keep in plots…* of a study.

    Parameters
    ----------
    results : of the study.
    plots : of its system.
    keep : keeps the curves of a point.
    chosen : the point that is selected.
    window : the parent of the dialog.

    Signal ``told(words, is_problem)``: the result.
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
        self._has_curves = not set(results.study.measure.curves).isdisjoint(curves_for(plots))
        self.button = QPushButton("Keep in plots…")
        self.button.setAccessibleName("Keep in plots")
        self.button.setAutoDefault(False)
        self.button.clicked.connect(self.ask)
        self._job = GuiJob("study-curves", parent=self)
        self._at_work = False

    def refresh(self) -> None:
        """Disable the button if there is nothing to keep, and say why."""
        why = _NO_CURVES if not self._has_curves else "" if self._results.done else _NO_RUNS
        self.button.setEnabled(not why and not self._at_work)
        self.button.setToolTip(why or _TIP)

    def ask(self) -> None:
        """Keep the points; if there are several, ask which."""
        results = self._results
        there = sorted(results.runs_at)
        if len(there) <= 1:
            self.keep(there)
            return
        texts = {
            point: f"{labels.place(results.grid.points[point], results.grid)} (n = {results.runs_at[point]})"
            for point in there
        }
        looked_at = self._chosen()
        dialog = PointsDialog(texts, looked_at if looked_at in texts else there[0], self._window)
        dialog.accepted.connect(lambda: self.keep(dialog.chosen))
        dialog.open()

    def keep(self, points: Sequence[int]) -> None:
        """Keep the mean curves of these points; `told` reports the result."""
        folder, grid, plots, job = self._results.folder, self._results.grid, self._plots, self._job
        job.submit(lambda: mean_curves(folder, grid, plots, points, lambda: job.cancelled), self._take, self._refuse)
        self._at_work = True
        self.refresh()

    def close(self) -> None:
        """Stop reading."""
        self._job.close()

    def _take(self, found: Sequence[PointCurves]) -> None:
        words = ""
        try:
            for one in found:
                words = self._keep(self._results.grid.scenario.system, one.name, one.curves)
        except InputError as error:
            self._refuse(error)
        else:
            self._end(words or "These runs have no curves for these plots", is_problem=not words)

    def _refuse(self, error: Exception) -> None:
        self._end(str(error), is_problem=True)
        if not isinstance(error, InputError):
            raise error

    def _end(self, words: str, *, is_problem: bool) -> None:
        self._at_work = False
        self.told.emit(words, is_problem)
        self.refresh()
