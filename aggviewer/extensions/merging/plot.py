"""The interactive plot of a tree of merges, for mouse and keyboard. Time runs to the right, each row is a branch, and
thicker lines are larger clusters; the first row is y = 0, the next y = -1, and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QEvent, QPointF, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent, QWheelEvent
from PyQt6.QtWidgets import QWidget

from aggviewer.extensions.merging.branches import LEVELS, Branches, MergeHit
from aggviewer.plots.drawing import NO_VALUES, Axes, Bounds, PlotSeries, Ticks
from aggviewer.plots.page import PagePane
from aggviewer.plots.series_items import SeriesStyle, ShownSeries
from aggviewer.plots.view import PlotView
from aggviewer.style.theme import Colors
from engine.arrays import Floats, Longs
from engine.words import count

_NOTCH = 1.25  # zoom of a key
_LABEL = 14.0  # pixels from one number at the left to the next, at least
_RING, _REACH = 14.0, 7.0  # pixels: diameter of the mark around a merge, and how far from it the mouse meets it


class MergePlot(PlotView):
    """Draws a tree that can be zoomed and moved.

    Only branches with enough room are drawn; zooming in reveals smaller ones. The wheel zooms the rows, Ctrl+wheel the
    time; dragging moves the view; double-click, 0 or A shows everything. The arrow keys move from merge to merge, and
    Enter chooses one.

    Signals: ``chosen(MergeHit)`` on a click or Enter; ``hovered(MergeHit or None)`` for the item under the mouse or
    keyboard mark; ``looked()`` when the visible part changes.
    """

    chosen = pyqtSignal(object)
    hovered = pyqtSignal(object)
    looked = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Axes("time t", "cluster size", name="Tree of merges"), parent)
        self.branches: Branches | None = None
        self.times = MergeTimes(False, 0.0, 1.0)
        self.focus = -1
        """The marked merge, last under the mouse or keyboard; -1 for none."""
        self._marked = -1  # the node that was chosen
        self._time: float | None = None
        self._colors: Colors | None = None
        self._lines: list[ShownSeries] = []  # the tree as it is drawn
        self.setAccessibleName(self.axes.name)
        self._box = self.getPlotItem().getViewBox()
        self._box.sigRangeChanged.connect(self._on_range)
        self._box.sigResized.connect(self._on_range)
        self.scene().sigMouseMoved.connect(lambda scene: self._point_at(self._hit_in(scene)))
        self.clicked.connect(self._on_clicked)

    # what is drawn

    def show_branches(self, branches: Branches | None, log: bool, *, anew: bool = True) -> None:
        """Draw branches, or nothing. anew : show all and remove the marks; otherwise keep the visible range if
        possible."""
        self.branches = None  # draw nothing in the range of other branches
        if branches is not None and branches.count > 1:
            self.times = MergeTimes.of(branches, log)
            self.set_bounds(self.times.bounds(branches.count))
            self.set_logarithmic(0, self.times.log)
            if anew:
                self.focus = -1
                self.follow()
            self.branches = branches
        self._on_range()

    def set_now(self, time: float | None) -> None:
        """The time shown in the picture, marked by a line."""
        if time != self._time:
            self._time = time
            self._draw_marks()

    def mark(self, node: int) -> None:
        """Draw a node and its history in the accent colour; -1 for none."""
        self._marked = node
        self._draw_tree()

    def set_theme(self, theme: Colors) -> None:
        """Follow the theme."""
        super().set_theme(theme)
        self._colors = theme
        self._draw_tree()

    def zoom(self, factor: float) -> None:
        """Zoom the rows in or out."""
        self.hold()
        self._box.scaleBy(y=1.0 / factor)

    @property
    def shown_branches(self) -> Longs:
        """The rows of all branches with enough room, (k,), from top to bottom, including those outside the view."""
        return np.empty(0, np.int64) if self.branches is None else self.branches.with_rows(ROW * self._pixel[1])

    @property
    def shown_merges(self) -> Longs:
        """The merges at which these branches end, (k,), from top to bottom."""
        merges = np.empty(0, np.int64) if self.branches is None else self.branches.merge[self.shown_branches]
        return merges[merges >= 0]

    def page(self, colors: Colors) -> PagePane:
        """The visible part as a plot for paper, in these colours."""
        return PagePane(replace(self.axes, y_ticks=self._ticks), self.logarithmic, self.ends, self._tree(colors))

    @property
    def _ticks(self) -> Ticks:
        """The labels of the visible rows."""
        if self.branches is None:
            return Ticks(())
        return row_ticks(self.branches, self.shown_branches, _LABEL * self._pixel[1])

    @property
    def _pixel(self) -> tuple[float, float]:
        """Width and height of a pixel in plot units."""
        wide, high = self._box.viewPixelSize()
        return float(wide), float(high)

    def _on_range(self) -> None:
        """React to a change of the visible range."""
        self.getPlotItem().getAxis("left").setTicks([self._ticks.labels])
        self._draw_tree()
        self.looked.emit()

    def _draw_tree(self) -> None:
        if self._colors is not None:
            self._lines = self._tree(self._colors)
            self._draw_marks()

    def _draw_marks(self) -> None:
        """Draw the marks of mouse, keyboard and time over the tree, without redrawing the tree."""
        if self._colors is None or self.branches is None:
            self.show_series([])
            return
        colors, marks = self._colors, []
        if self.focus >= 0:
            at = PlotSeries("focus", *self._places_of(np.array([self.focus])), "points", marker="o", shared=True)
            ring = SeriesStyle(colors.accent, size=_RING, marker="o", filled=False, rim=colors.accent, rim_width=2.0)
            marks.append(ShownSeries("focus", at, ring, 6.0))
        if self._time is not None:
            now = PlotSeries("now", np.array([self._time]), NO_VALUES, "upright", shared=True)
            marks.append(ShownSeries("now", now, SeriesStyle(colors.accent, width=1.5, dashes=(4.0, 3.0)), 8.0))
        self.show_series([*self._lines, *marks])

    def _tree(self, colors: Colors) -> list[ShownSeries]:
        """The series that draw the visible part of the tree."""
        if self.branches is None:
            return []
        rows = -self.ends[3] - 1.0, 1.0 - self.ends[2]
        return draw_tree(self.branches, self.times, self.shown_branches, rows, colors, self._marked)

    # the mouse

    def _places_of(self, merges: Longs) -> tuple[Floats, Floats]:
        """Coordinates of merges: their times, and the rows of the branches that continue."""
        branches = self.branches
        assert branches is not None
        rows = branches.tree.first[branches.tree.leaf_count + merges] - branches.tree.first[branches.node]
        return self.times.inside(branches.tree.time[merges]), -rows.astype(float)

    def position(self, merge: int) -> QPointF:
        """Position of a merge in pixels of this widget."""
        (x,), (y,) = self._places_of(np.array([merge]))
        shown = QPointF(self.scales[0].coordinate(float(x)), float(y))
        return QPointF(self.mapFromScene(self._box.mapViewToScene(shown)))

    def hit(self, time: float, y: float) -> MergeHit | None:
        """The merge or branch at a position."""
        branches, shown = self.branches, self.shown_branches
        if branches is None:
            return None
        (wide, high), scale = self._pixel, self.scales[0]
        merges = self.shown_merges
        x, up = self._places_of(merges)
        far = np.hypot((scale.show(x) - scale.coordinate(time)) / wide, (up - y) / high)
        if len(merges) and far.min() <= _REACH:
            return self._hit_of(int(merges[np.argmin(far)]))
        branch = int(shown[np.argmin(np.abs(shown + y))])
        inside = self.times.low <= time < min(branches.ends[branch], self.times.high)
        reach = (0.5 * line_width(LEVELS - 1) + 2.0) * high
        return MergeHit(branch, time) if inside and abs(branch + y) <= reach else None

    def _hit_in(self, scene: QPointF) -> MergeHit | None:
        if not self._box.sceneBoundingRect().contains(scene):
            return None
        at = self._box.mapSceneToView(scene)
        return self.hit(self.scales[0].quantity(at.x()), at.y())

    def _hit_of(self, merge: int) -> MergeHit:
        assert self.branches is not None
        return MergeHit(self.branches.branch_of(merge), float(self.branches.tree.time[merge]), merge)

    def _on_clicked(self, time: float, y: float) -> None:
        hit = self.hit(time, y)
        if hit is not None:
            self.chosen.emit(hit)

    def _point_at(self, hit: MergeHit | None) -> None:
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor if hit is None else Qt.CursorShape.PointingHandCursor)
        if hit is not None and hit.merge not in (-1, self.focus):
            self.focus = hit.merge
            self._draw_marks()
        self.hovered.emit(hit)

    def leaveEvent(self, event: QEvent) -> None:
        """Clear the mark when the mouse leaves."""
        super().leaveEvent(event)
        self._point_at(None)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom the rows, or with Ctrl the time."""
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        self._box.setMouseEnabled(control, not control)
        pg.GraphicsView.wheelEvent(self, event)
        self._box.setMouseEnabled(True, True)

    # the keyboard

    def event(self, event: QEvent | None) -> bool:
        """Keep the navigation keys from triggering shortcuts of the window."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and self._action(event):
            event.accept()
            return True
        return bool(super().event(event))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move to another merge, choose one, or zoom."""
        action = self._action(event)
        if action is not None:
            action()
        else:
            super().keyPressEvent(event)

    def _action(self, event: QKeyEvent) -> Callable[[], object] | None:
        """What a key does; None if it has no action."""
        allowed = Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier
        if self.branches is None or event.modifiers() & ~allowed:
            return None
        keys = Qt.Key
        return {
            keys.Key_Left: lambda: self._go(-1, 0),
            keys.Key_Right: lambda: self._go(1, 0),
            keys.Key_Up: lambda: self._go(0, -1),
            keys.Key_Down: lambda: self._go(0, 1),
            keys.Key_Return: self._choose_focus,
            keys.Key_Enter: self._choose_focus,
            keys.Key_Plus: lambda: self.zoom(_NOTCH),
            keys.Key_Equal: lambda: self.zoom(_NOTCH),
            keys.Key_Minus: lambda: self.zoom(1.0 / _NOTCH),
            keys.Key_0: self.follow,
        }.get(Qt.Key(event.key()))

    def _choose_focus(self) -> None:
        if self.focus >= 0:
            self.chosen.emit(self._hit_of(self.focus))

    def _go(self, along: int, down: int) -> None:
        """Move to the next merge on the same branch (`along`), or to the nearest on a branch above or below.

        After the last merge of a branch comes the one at which it ends.
        """
        assert self.branches is not None
        merge = self.branches.next_merge(self.shown_merges, self.focus, along, down, self.scales[0].show)
        if merge is not None:
            self._go_to(merge)

    def _go_to(self, merge: int) -> None:
        """Mark a merge as the keyboard's position and scroll it into view."""
        self.focus = merge
        (x,), (y,) = self._places_of(np.array([merge]))
        at, seen = QPointF(self.scales[0].coordinate(float(x)), float(y)), self.viewRect()
        if not seen.contains(at):
            self.hold()
            self._box.translateBy(x=at.x() - seen.center().x(), y=at.y() - seen.center().y())
        self._draw_marks()
        self.hovered.emit(self._hit_of(merge))


ROW = 4.0
"""A branch is drawn if it and all that joined it occupy at least this many pixels."""

_THIN, _THICK = 1.5, 10.0  # pixels: lines of the smallest and of the largest cluster
_DOT = 6.0  # pixels: diameter of a merge
_DECADES = 5.0  # at most on a logarithmic axis
_BEYOND = 0.03  # of the axis, behind the last merge
_MARGIN = 0.05  # of all rows, above the first one and below the last one


@dataclass(frozen=True)
class MergeTimes:
    """The time axis, from `low` to `high`, that shows all merges of a tree."""

    log: bool
    low: float
    high: float

    @staticmethod
    def of(branches: Branches, log: bool) -> MergeTimes:
        """The time axis for these branches; logarithmic if requested and possible."""
        low, high = branches.tree.since, branches.last
        times = branches.step_times[branches.step_times > 0.0]
        if log and len(times):
            first = max(float(times.min()), high * 10.0**-_DECADES)
            if high > first * 1.01:
                return MergeTimes(True, first * (first / high) ** _BEYOND, high * (high / first) ** _BEYOND)
        span = high - low if high > low else max(abs(high), 1.0)
        return MergeTimes(False, low, high + _BEYOND * span)

    def inside(self, times: Floats) -> Floats:
        """Times clipped to the ends of the axis, (n,) as given."""
        return np.clip(times, self.low, self.high)

    def bounds(self, rows: int) -> Bounds:
        """The plot range for this many rows, with a margin."""
        margin = max(1.0, _MARGIN * rows)
        return self.low, self.high, 0.5 - rows - margin, margin - 0.5


def row_ticks(branches: Branches, shown: Longs, apart: float) -> Ticks:
    """Labels for the rows `shown`, (k,): the size of each branch. apart : least number of rows between labels."""
    labels: list[tuple[float, str]] = []
    for row in shown.tolist():
        if not labels or row + labels[-1][0] >= apart:
            labels.append((-float(row), count(int(branches.sizes[row]))))
    return Ticks(labels)


def draw_tree(
    branches: Branches, times: MergeTimes, shown: Longs, seen: tuple[float, float], colors: Colors, chosen: int = -1
) -> list[ShownSeries]:
    """Series for some branches: their lines, the joins at their ends, and a dot at each merge.

    Parameters
    ----------
    branches : all branches.
    times : the axis of time.
    shown : (k,), the rows of the branches to draw.
    seen : first and last visible row; nothing is drawn outside.
    chosen : a node to draw in the accent colour together with its history; -1 for none.
    """
    series = list(_draw(branches, times, shown, seen, "tree", colors.muted, colors.text))
    if chosen >= 0:
        tree = branches.tree
        begin = int(tree.first[chosen] - tree.first[branches.node])
        part = shown[(shown >= begin) & (shown < begin + tree.leaf_counts[chosen])]
        until = float(tree.time_of(chosen))
        series += _draw(branches, times, part, seen, "chosen", colors.accent, colors.accent, until, z=3.0)
    return series


def _draw(
    branches: Branches,
    times: MergeTimes,
    shown: Longs,
    seen: tuple[float, float],
    name: str,
    ink: str,
    strong: str,
    until: float = inf,
    z: float = 0.0,
) -> Iterator[ShownSeries]:
    """Series for branches up to a time. name : of the series; ink, strong : colours of lines and dots."""
    branch, begin, end, level = branches.pieces
    wanted = np.isin(branch, shown) & (begin < until) & (branch >= seen[0]) & (branch <= seen[1])
    for one in range(LEVELS):
        which = wanted & (level == one)
        x = times.inside(np.array([begin[which], np.minimum(end[which], until)]))
        y = np.repeat(-branch[which].astype(float)[None], 2, axis=0)
        yield _lines(f"{name} {one}", x, y, SeriesStyle(ink, width=line_width(one)), z)
    into = branches.into[shown]
    ending = shown[(branches.ends[shown] <= until) & (into >= 0) & (into <= seen[1]) & (shown >= seen[0])]
    x = times.inside(np.array([branches.ends[ending]] * 2))
    y = -np.array([ending, branches.into[ending]], float)
    yield _lines(f"{name} joins", x, y, SeriesStyle(ink, width=_THIN), z)
    near = branches.into[ending] >= seen[0]
    dots = PlotSeries(f"{name} merges", x[0, near], y[1, near], "points", marker="o", size=_DOT, shared=True)
    yield ShownSeries(dots.key, dots, SeriesStyle(strong, marker="o", size=_DOT), z + 1.0)


def _lines(key: str, x: Floats, y: Floats, style: SeriesStyle, z: float) -> ShownSeries:
    """Lines from x[0], y[0] to x[1], y[1]; x, y (2, n)."""
    gaps = np.full((1, x.shape[1]), np.nan)
    series = PlotSeries(key, np.vstack([x, gaps]).T.ravel(), np.vstack([y, gaps]).T.ravel(), shared=True)
    return ShownSeries(key, series, style, z)


def line_width(level: int) -> float:
    """The width of a branch's line in pixels."""
    return _THIN + (_THICK - _THIN) * level / (LEVELS - 1)
