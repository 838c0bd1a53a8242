"""What remains of a study: its mean curves, kept in the plots as references, and thumbnails of its final states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from PyQt6.QtCore import QObject, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QIcon, QPainter, QPixmap
from PyQt6.QtWidgets import QDialogButtonBox, QLabel, QListView, QListWidget, QListWidgetItem, QPushButton, QWidget

from aggviewer.canvas import qt_drawing
from aggviewer.canvas.layers.primitives import DrawnDiscs
from aggviewer.document.window import MOST_REFERENCES
from aggviewer.extensions.studies.drawing import PointCurves, curves_for, mean_curves
from aggviewer.extensions.studies.results import Results
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import Curves
from aggviewer.plots.series_items import group_colours
from aggviewer.style.theme import Colors
from aggviewer.widgets.form_dialog import FormDialog
from aggviewer.widgets.gui_thread import GuiJob
from aggviewer.widgets.labels import SymbolDelegate
from aggviewer.widgets.lists import TickList
from engine.errors import InputError
from engine.plotting.projection import flat_view, shaded
from engine.study import labels
from engine.study.labels import at, place, value

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
        self.list.itemChanged.connect(lambda _item: self._show_count())
        self._show_count()
        self.resize(420, 360)

    @property
    def chosen(self) -> list[int]:
        """The points that are ticked."""
        return [point for point in self.list.ticked if isinstance(point, int)]

    def _show_count(self) -> None:
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

    Signal ``message(words, is_problem)``: the result.
    """

    message = pyqtSignal(str, bool)

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
        """Stop reading the curves of the study."""
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
        self.message.emit(words, is_problem)
        self.refresh()


_SIDE = 96  # pixels of a picture
_CELL = 136  # pixels of a picture with its words
_MOST = 60  # pictures
_MOST_DISCS = 20_000  # of a state that is drawn
_LEAST = 0.4  # pixels of a radius
_RUN, _STATE = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole.value + 1


class FinalStates(QListWidget):
    """A scrolling row of thumbnails. Signal ``run_chosen(point, seed)``: one was clicked."""

    run_chosen = pyqtSignal(object, object)  # a seed may have 63 bits

    def __init__(self, results: Results, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._results = results
        self._colors: Colors | None = None
        self._tried: set[int] = set()
        self._delegate = SymbolDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(False)
        self.setMovement(QListView.Movement.Static)
        self.setIconSize(QSize(_SIDE, _SIDE))
        line = self.fontMetrics().height()
        self.setGridSize(QSize(_CELL, _SIDE + 2 * line + 12))
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        bar = self.horizontalScrollBar()
        self.setFixedHeight(_SIDE + 2 * line + 20 + (0 if bar is None else bar.sizeHint().height()))
        self.setAccessibleName("Final states")
        self.itemClicked.connect(lambda item: self.run_chosen.emit(*item.data(_RUN)))
        self.hide()

    def set_colors(self, colors: Colors) -> None:
        """Draw all of them again."""
        self._colors = colors
        for item in self._items():
            item.setIcon(_picture(item.data(_STATE), colors, self.devicePixelRatioF()))

    def add_new(self) -> None:
        """Look for a final state that has no thumbnail yet, and add one."""
        if self._colors is None or self.count() >= _MOST:
            return
        for point, seed in self._results.first_done.items():
            if point in self._tried:
                continue
            self._tried.add(point)
            state = self._results.final(point, seed)
            if state is not None and len(state["radii"]) <= _MOST_DISCS:
                self._insert(point, seed, state, self._colors)
                return

    def _items(self) -> list[QListWidgetItem]:
        return [item for row in range(self.count()) if (item := self.item(row)) is not None]

    def _insert(self, point: int, seed: int, state: dict[str, Any], colors: Colors) -> None:
        grid = self._results.grid
        told = grid.told(grid.points[point])
        lines = [at(*one) for one in told[:1]]
        lines += [value(of) if isinstance(of, str) else at(axis, of) for axis, of in told[1:]]
        picture = _picture(state, colors, self.devicePixelRatioF())
        item = QListWidgetItem(picture, "\n".join(lines or [f"seed {seed}"]))
        item.setData(_RUN, (point, seed))
        item.setData(_STATE, state)
        run = ", ".join(part for part in (place(grid.points[point], grid), f"seed {seed}") if part)
        item.setToolTip(f"Final state of {run}. Click to open this run")
        self.insertItem(sum(one.data(_RUN)[0] < point for one in self._items()), item)
        self.show()


def _picture(state: dict[str, Any], colors: Colors, ratio: float) -> QIcon:
    """The discs of a state, the largest clusters in colour."""
    picture = QPixmap(round(_SIDE * ratio), round(_SIDE * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(QColor(colors.base))
    positions, radii, box = (np.asarray(state[name], float) for name in ("positions", "radii", "box"))
    seen = flat_view(positions, radii, box)
    scale = _SIDE / max(seen.size)
    places = np.array([0.0, _SIDE]) + seen.places * (scale, -scale)
    radius = np.maximum(seen.radii * scale, _LEAST)
    palette = np.array([QColor(name).getRgb()[:3] for name in group_colours(colors)], np.uint8)
    _, cluster, sizes = np.unique(state["cluster"], return_inverse=True, return_counts=True)
    rank = np.empty(len(sizes), np.intp)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    slot = rank[cluster][seen.which] % len(palette)
    painter = QPainter(picture)
    faces = palette[slot]
    if len(state["box"]) > 2:
        faces = np.rint(shaded(faces, seen.near, QColor(colors.base).getRgb()[:3])).astype(np.uint8)
    qt_drawing.paint(painter, [DrawnDiscs(places, radius, faces, faces, np.zeros(len(radius)))])
    painter.end()
    return QIcon(picture)
