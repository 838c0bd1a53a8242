"""Thumbnails of final states, one for each point of the grid, as its first run ends."""

from __future__ import annotations

from typing import Any

import numpy as np
from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QIcon, QPainter, QPixmap
from PyQt6.QtWidgets import QListView, QListWidget, QListWidgetItem, QWidget

from aggviewer.canvas import screen
from aggviewer.canvas.layers.primitives import DrawnDiscs
from aggviewer.extensions.studies.results import Results
from aggviewer.plots.series_style import group_colours
from aggviewer.style.theme import Colors
from aggviewer.widgets.symbol_text import SymbolDelegate
from engine.plotting.projection import flat_view, shaded
from engine.study.labels import at, place, value

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

    def look(self) -> None:
        """Add one thumbnail if there is a new state."""
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
    screen.paint(painter, [DrawnDiscs(places, radius, faces, faces, np.zeros(len(radius)))])
    painter.end()
    return QIcon(picture)
