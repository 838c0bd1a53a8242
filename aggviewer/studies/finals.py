"""Small pictures of final states, one for each point of the grid, as its first run ends."""

from __future__ import annotations

from typing import Any

import numpy as np
from PyQt6.QtCore import QPointF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QIcon, QPainter, QPixmap
from PyQt6.QtWidgets import QListView, QListWidget, QListWidgetItem, QWidget

from aggviewer.plots.series_style import group_colours
from aggviewer.studies.drawing import place_of
from aggviewer.studies.results import Results
from aggviewer.style.theme import Colors
from engine.study.labels import at, value

_SIDE = 96  # pixels of a picture
_CELL = 136  # pixels of a picture with its words
_MOST = 60  # pictures
_MOST_DISCS = 20_000  # of a state that is drawn
_LEAST = 0.4  # pixels of a radius


class FinalStates(QListWidget):
    """A row of pictures that can be scrolled; ``run_chosen(point, seed)``: a click on one."""

    run_chosen = pyqtSignal(int, int)

    def __init__(self, results: Results, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._results = results
        self._colors: Colors | None = None
        self._seen: dict[int, tuple[int, dict[str, Any]]] = {}  # point to seed and state
        self._without: set[int] = set()
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
        self.itemClicked.connect(self._on_click)
        self.hide()

    def set_colors(self, colors: Colors) -> None:
        """Draw all of them anew."""
        self._colors = colors
        for row in range(self.count()):
            item = self.item(row)
            if item is not None:
                point = int(item.data(Qt.ItemDataRole.UserRole))
                item.setIcon(QIcon(self._picture(self._seen[point][1])))

    def look(self) -> None:
        """Draw one more, where there is one."""
        through = len(self._seen) + len(self._without) >= len(self._results.grid.points)
        if self._colors is None or through or len(self._seen) >= _MOST:
            return
        for name in self._results.quantities()[:1]:
            points, seeds, _ = self._results.singles(name)
            for point, seed in zip(points, seeds, strict=True):
                if point in self._seen or point in self._without:
                    continue
                state = self._results.final(point, seed)
                if state is None or len(state["radii"]) > _MOST_DISCS:
                    self._without.add(point)
                    continue
                self._seen[point] = (seed, state)
                self._insert(point, seed, state)
                return

    def close_states(self) -> None:
        """Let go of them."""
        self._seen.clear()

    def _insert(self, point: int, seed: int, state: dict[str, Any]) -> None:
        grid = self._results.grid
        text = place_of(self._results, grid.points[point])
        told = grid.told(grid.points[point])
        lines = [at(*one) for one in told[:1]]
        lines += [value(of) if isinstance(of, str) else at(axis, of) for axis, of in told[1:]]
        words = "\n".join(lines or [f"seed {seed}"])
        item = QListWidgetItem(QIcon(self._picture(state)), words)
        item.setData(Qt.ItemDataRole.UserRole, point)
        of = ", ".join(part for part in (text, f"seed {seed}") if part)
        item.setToolTip(f"Final state of {of}. Click to open this run")
        self.insertItem(sorted(self._seen).index(point), item)
        self.show()

    def _picture(self, state: dict[str, Any]) -> QPixmap:
        """The discs of a state, the largest clusters in colour."""
        assert self._colors is not None
        ratio = self.devicePixelRatioF()
        picture = QPixmap(round(_SIDE * ratio), round(_SIDE * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(self._colors.base))
        box = np.asarray(state["box"], float)
        scale = _SIDE / float(box.max())
        palette = [QColor(color) for color in group_colours(self._colors)]
        cluster = np.asarray(state["cluster"])
        names, sizes = np.unique(cluster, return_counts=True)
        rank = {int(names[k]): place for place, k in enumerate(np.argsort(-sizes, kind="stable"))}
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for (x, y), radius, one in zip(state["positions"], state["radii"], cluster, strict=True):
            painter.setBrush(palette[rank[int(one)] % len(palette)])
            side = max(float(radius) * scale, _LEAST)
            painter.drawEllipse(QPointF(float(x) * scale, _SIDE - float(y) * scale), side, side)
        painter.end()
        return picture

    def _on_click(self, item: QListWidgetItem) -> None:
        point = int(item.data(Qt.ItemDataRole.UserRole))
        self.run_chosen.emit(point, self._seen[point][0])
