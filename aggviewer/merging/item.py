"""A tree of merges as one item of a plot: time to the right, a branch in each row, as thick as its cluster is large."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPainterPath, QPen
from PyQt6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from aggviewer.merging.branches import LEVELS, Branches, Floats, Longs
from aggviewer.style.theme import DARK, Colors

ROW = 4.0
"""Pixels that the rows of a branch and of all that joined it take at least where it is drawn."""

_THIN, _THICK = 1.5, 10.0  # pixels: lines of the smallest and of the largest cluster
_DOT, _RING = 6.0, 14.0  # pixels: diameters of a merge, and of the mark around one
_REACH = 7.0  # pixels around a merge in which it is hit
_DECADES = 5.0  # at most on a logarithmic axis
_BEYOND = 0.03  # of the axis, behind the last merge


@dataclass(frozen=True)
class MergeHit:
    """What is at a place of the plot: a merge, or a branch at a time. `merge` is -1 for a branch."""

    branch: int
    time: float
    merge: int = -1


@dataclass(frozen=True)
class MergeAxis:
    """The axis of time, from `low` to `high`; positions on a logarithmic one are powers of ten."""

    log: bool
    low: float
    high: float

    @staticmethod
    def of(branches: Branches, log: bool) -> MergeAxis:
        """One on which all merges are seen; logarithmic where that is asked for and possible."""
        low, high = branches.tree.since, branches.last
        times = branches.step_times[branches.step_times > 0.0]
        if log and len(times):
            first = max(float(times.min()), high * 10.0**-_DECADES)
            if high > first * 1.01:
                return MergeAxis(True, first * (first / high) ** _BEYOND, high * (high / first) ** _BEYOND)
        span = high - low if high > low else max(abs(high), 1.0)
        return MergeAxis(False, low, high + _BEYOND * span)

    def place(self, time: Floats | float) -> Floats:
        """Where times are on the axis, and those beyond its ends there."""
        inside = np.clip(np.asarray(time, np.float64), self.low, self.high)
        found: Floats = np.log10(inside) if self.log else inside
        return found

    def time(self, place: float) -> float:
        """The time at a position of the axis."""
        return min(max(10.0**place if self.log else place, self.low), self.high)


class MergeTreeItem(pg.GraphicsObject):  # type: ignore[misc]
    """Draws those branches for whose rows there is room, which are more and smaller ones as the plot is zoomed."""

    def __init__(self) -> None:
        super().__init__()
        self.branches: Branches | None = None
        self.axis = MergeAxis(False, 0.0, 1.0)
        self.chosen = self.hot = self.focus = -1
        """A node that is painted in the accent colour with all that led to it, and the merges with a mark around them:
        that under the mouse and that of the keyboard. -1 for none."""
        self._colors = DARK
        self._pieces: tuple[Longs, Floats, Floats, Longs] | None = None

    def set_branches(self, branches: Branches | None, log: bool) -> None:
        """Draw these, over a linear or a logarithmic axis of time."""
        self.prepareGeometryChange()
        self.branches, self._pieces = branches, None
        if branches is not None:
            self.axis = MergeAxis.of(branches, log)
            branch, begin, end, level = branches.pieces()
            self._pieces = branch, self.axis.place(begin), self.axis.place(end), level
        self.informViewBoundsChanged()
        self.update()

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme."""
        self._colors = colors
        self.update()

    # the layout

    def boundingRect(self) -> QRectF:
        """All of the tree, with its rows as units of the vertical axis."""
        if self.branches is None:
            return QRectF()
        left, right = (float(x) for x in self.axis.place(np.array([self.axis.low, self.axis.high])))
        return QRectF(left, -0.5, right - left, float(self.branches.count))

    @property
    def shown(self) -> Longs:
        """The branches that are drawn, from top to bottom."""
        assert self.branches is not None
        return self.branches.with_rows(ROW * self._pixel[1])

    @property
    def _pixel(self) -> tuple[float, float]:
        """How wide and high a pixel is in the units of the plot."""
        box = self.getViewBox()
        return (1.0, 0.0) if box is None else box.viewPixelSize()

    @property
    def shown_merges(self) -> Longs:
        """The merges that are drawn, as a branch that ends, from top to bottom of these branches."""
        assert self.branches is not None
        merges = self.branches.merge[self.shown]
        return merges[merges >= 0]

    def place(self, merge: int) -> QPointF:
        """Where a merge is in the plot: on the branch that goes on."""
        assert self.branches is not None
        time = float(self.branches.tree.time[merge])
        return QPointF(float(self.axis.place(time)), float(self.branches.branch_of(merge)))

    def hit(self, at: QPointF) -> MergeHit | None:
        """What is drawn at a position of the plot."""
        branches = self.branches
        if branches is None or branches.count < 2:
            return None
        wide, high = self._pixel
        merges = self.shown_merges
        x, y = self.axis.place(branches.tree.time[merges]), branches.into[self.shown[self.shown > 0]]
        far = np.hypot((x - at.x()) / wide, (y - at.y()) / high)
        if len(merges) and far.min() <= _REACH:
            merge = int(merges[np.argmin(far)])
            return MergeHit(branches.branch_of(merge), float(branches.tree.time[merge]), merge)
        branch = int(self.shown[np.argmin(np.abs(self.shown - at.y()))])
        time = self.axis.time(at.x())
        inside = self.boundingRect().left() <= at.x() and time < branches.ends[branch]
        if inside and abs(branch - at.y()) <= (0.5 * _THICK + 2.0) * high:
            return MergeHit(branch, time)
        return None

    # the picture

    def paint(self, page: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        """Paint the tree, what was chosen over it, and the marks."""
        branches = self.branches
        if branches is None or branches.count < 2:
            return
        page.setRenderHint(QPainter.RenderHint.Antialiasing)
        colors, shown = self._colors, self.shown
        self._paint(page, shown, inf, colors.muted, colors.text)
        if self.chosen >= 0:
            tree = branches.tree
            begin = int(tree.first[self.chosen] - tree.first[branches.node])
            part = shown[(shown >= begin) & (shown < begin + tree.leaf_counts[self.chosen])]
            self._paint(page, part, tree.time_of(self.chosen), colors.accent, colors.accent)
        for merge, color in ((self.hot, colors.text), (self.focus, colors.accent)):
            if merge >= 0:
                page.setPen(QPen(QColor(color), 2.0))
                page.setBrush(Qt.BrushStyle.NoBrush)
                _circles(page, [self.place(merge)], _RING)

    def _paint(self, page: QPainter, shown: Longs, until: float, ink: str, strong: str) -> None:
        """Some branches up to a time: lines, where they end, and dots over these."""
        branches = self.branches
        assert branches is not None
        for level, path in self._lines(shown, float(self.axis.place(until))):
            page.setPen(_pen(ink, line_width(level)))
            page.drawPath(path)
        ending = shown[branches.ends[shown] <= until]
        ending = ending[branches.into[ending] >= 0]
        if not len(ending):
            return
        x, y = self.axis.place(branches.ends[ending]), branches.into[ending].astype(float)
        page.setPen(_pen(ink, _THIN))
        page.drawPath(_segments(x, x, ending.astype(float), y))
        page.setPen(Qt.PenStyle.NoPen)
        page.setBrush(QColor(strong))
        _circles(page, [QPointF(*point) for point in zip(x.tolist(), y.tolist(), strict=True)], _DOT)

    def _lines(self, shown: Longs, until: float) -> Iterator[tuple[int, QPainterPath]]:
        """The horizontal lines of some branches up to a position, with how thick they are."""
        assert self._pieces is not None
        branch, begin, end, level = self._pieces
        wanted = np.isin(branch, shown) & (begin < until)
        for one in np.unique(level[wanted]).tolist():
            which = wanted & (level == one)
            y = branch[which].astype(float)
            yield one, _segments(begin[which], np.minimum(end[which], until), y, y)


def line_width(level: int) -> float:
    """How thick the line of a branch is, in pixels on the screen and in points on paper."""
    return _THIN + (_THICK - _THIN) * level / (LEVELS - 1)


def _circles(page: QPainter, places: list[QPointF], diameter: float) -> None:
    """Circles of so many pixels, whatever the scales of the axes."""
    transform = page.worldTransform()
    page.save()
    page.resetTransform()
    for place in places:
        page.drawEllipse(transform.map(place), 0.5 * diameter, 0.5 * diameter)
    page.restore()


def _pen(color: str, width: float) -> QPen:
    """A pen of so many pixels, whatever the scales of the axes."""
    pen = QPen(QColor(color), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
    pen.setCosmetic(True)
    return pen


def _segments(x0: Floats, x1: Floats, y0: Floats, y1: Floats) -> QPainterPath:
    """A path of lines from (x0, y0) to (x1, y1)."""
    x: NDArray[np.float64] = np.column_stack([x0, x1]).ravel()
    path: QPainterPath = pg.arrayToQPath(x, np.column_stack([y0, y1]).ravel(), connect="pairs")
    return path
