"""How branches are laid out in a rectangle, drawn, and found again under the mouse. For the window and for files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor, isinf

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from aggviewer.merging.branches import Branches
from aggviewer.style.numbers import count
from aggviewer.style.theme import Colors
from aggviewer.style.ticks import linear_ticks, log_ticks

ROW = 16.0
"""Pixels from branch to branch where they are as close as they can be read."""

_MOST_ROW = 36.0
_THIN, _THICK = 1.5, 10.0  # pixels: a branch of no size, and the trunk at its end
_STEP = 2.0  # pixels between two looks at how thick a branch is
_DOT, _RING = 3.5, 7.0  # pixels: radii of a merge, and of the mark around one
_REACH = 7.0  # pixels around a merge in which it is hit
_MARGIN = 12.0
_BEYOND = 0.03  # of the width, behind the last merge
_DECADES = 5.0  # at most on a logarithmic axis
_LABELS = 72.0  # pixels from one label of the axis to the next, at least


@dataclass(frozen=True)
class Scale:
    """The axis of time, linear or logarithmic: from `low` to `high`, both times."""

    log: bool
    low: float
    high: float

    def share(self, time: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """How far a time is from the left end of the axis to the right one, at least 0."""
        times = np.maximum(np.asarray(time, np.float64), self.low)
        if self.log:
            times, high, low = np.log(times), np.log(self.high), np.log(self.low)
            found: NDArray[np.float64] = (times - low) / (high - low)
            return found
        return (times - self.low) / (self.high - self.low)

    def time(self, share: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """The time at a share of the axis."""
        shares = np.asarray(share, np.float64)
        if self.log:
            return self.low * (self.high / self.low) ** shares
        return self.low + shares * (self.high - self.low)

    def ticks(self, first: float, last: float, most: int) -> list[float]:
        """Round times between two shares of the axis, about so many at most."""
        low, high = (float(self.time(share)) for share in (first, last))
        if self.log:
            for steps in ((1, 2, 5), (1,)):
                found = log_ticks(low, high, steps)
                if len(found) <= most and len(found) > 1:
                    return found
            if len(found) > most:
                return found[:: ceil(len(found) / most)]
        return linear_ticks(low, high, most)


def scale_of(branches: Branches, log: bool) -> Scale:
    """The axis on which all merges are seen. Logarithmic where that is asked for and possible."""
    low, high = branches.begin, branches.last
    times = branches.step_times[branches.step_times > 0.0]
    if log and len(times) and high > 0.0:
        first = max(float(times.min()), high * 10.0**-_DECADES)
        if high > first * 1.01:
            return Scale(True, first * (first / high) ** 0.05, high * (high / first) ** _BEYOND)
    span = high - low if high > low else max(abs(high), 1.0)
    return Scale(False, low, high + _BEYOND * span)


def wants_log(branches: Branches) -> bool:
    """Whether most merges stand in the first part of a linear axis, so that a logarithmic one shows more."""
    times = branches.step_times
    return len(times) > 2 and branches.begin == 0.0 and float(np.median(times)) < 0.2 * branches.last


@dataclass(frozen=True)
class Seen:
    """Which part of the branches is seen.

    Parameters
    ----------
    detail : how many times as many branches as there is room for, 1 or more; the rest is scrolled to.
    top : pixels that are scrolled off at the top.
    left, right : shares of the axis of time.
    """

    detail: float = 1.0
    top: float = 0.0
    left: float = 0.0
    right: float = 1.0


@dataclass(frozen=True)
class Hit:
    """What is under the mouse: a merge, or a branch at a time. `merge` is -1 for a branch."""

    branch: int
    time: float
    merge: int = -1


@dataclass(frozen=True, eq=False)
class Drawing:
    """Branches in a rectangle of so many pixels, from (0, 0).

    Parameters
    ----------
    branches, scale, seen : what is drawn, over which axis, and which part of it.
    width, height : of the rectangle.
    font : of all text; a little smaller than that of the window.
    """

    branches: Branches
    scale: Scale
    seen: Seen
    width: float
    height: float
    font: QFont

    # the layout

    @cached_property
    def _metrics(self) -> QFontMetricsF:
        return QFontMetricsF(self.font)

    @cached_property
    def left(self) -> float:
        """Where the axis of time begins; left of it are the numbers of discs."""
        widest = max(count(int(self.branches.sizes[0])), "discs", key=self._metrics.horizontalAdvance)
        return ceil(_MARGIN + self._metrics.horizontalAdvance(widest) + 8.0)

    @property
    def right(self) -> float:
        """Where it ends."""
        return max(self.left + 1.0, self.width - _MARGIN)

    @property
    def head(self) -> float:
        """Height of the line above the branches."""
        return ceil(self._metrics.height() + 6.0)

    @property
    def foot(self) -> float:
        """Where the axis is."""
        return max(self.head + 1.0, self.height - ceil(self._metrics.height() + 10.0))

    @property
    def room(self) -> float:
        """Pixels for the branches, from top to bottom."""
        return self.foot - self.head

    @cached_property
    def least(self) -> int:
        """Branches of fewer discs are left out."""
        return self.branches.smallest(max(1, int(self.seen.detail * self.room / ROW)))

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The branches that have a row, from top to bottom."""
        return self.branches.of_size(self.least)

    @cached_property
    def pitch(self) -> float:
        """Pixels from row to row."""
        return min(_MOST_ROW, max(ROW, self.seen.detail * self.room / len(self.rows)))

    @property
    def length(self) -> float:
        """Pixels of all rows together."""
        return self.pitch * len(self.rows)

    @property
    def most_detail(self) -> float:
        """The detail at which every branch has a row."""
        return max(1.0, self.branches.count * ROW / self.room)

    def y(self, row: NDArray[np.int64] | int) -> NDArray[np.float64]:
        """The middle of a row."""
        return self.head + (np.asarray(row, np.float64) + 0.5) * self.pitch - self.seen.top

    def row_of(self, branch: NDArray[np.int64] | int) -> NDArray[np.int64]:
        """The row of a branch, or the last one before it where it has none."""
        return np.maximum(np.searchsorted(self.rows, branch, side="right") - 1, 0)

    def x(self, time: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Where a time is; the end of time is the right end."""
        seen = self.seen
        share = np.minimum(self.scale.share(np.minimum(time, 1e300)), 1.0)
        return self.left + (share - seen.left) / (seen.right - seen.left) * (self.right - self.left)

    def share_at(self, x: float) -> float:
        """The share of the axis at a pixel."""
        seen = self.seen
        return seen.left + (x - self.left) / (self.right - self.left) * (seen.right - seen.left)

    def time_at(self, x: float) -> float:
        """The time at a pixel."""
        return float(self.scale.time(min(max(self.share_at(x), 0.0), 1.0)))

    @cached_property
    def _joints(self) -> NDArray[np.int64]:
        """The rows that join another one, which is all of them but the trunk."""
        return np.flatnonzero(self.branches.into[self.rows] >= 0)

    @cached_property
    def _joint_places(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Of each joint: where it is in time, the row that goes on, and the row that ends, in pixels."""
        ending = self.rows[self._joints]
        keeping = self.row_of(self.branches.into[ending])
        return self.x(self.branches.ends[ending]), self.y(keeping), self.y(self._joints)

    @property
    def shown_merges(self) -> NDArray[np.int64]:
        """The merges that are seen as a branch that ends, in the order of the rows."""
        return self.branches.merge[self.rows[self._joints]]

    def place(self, merge: int) -> QPointF | None:
        """Where a merge is drawn; None for one whose smaller branch has no row."""
        found = np.flatnonzero(self.shown_merges == merge)
        if not len(found):
            return None
        x, y, _ = self._joint_places
        return QPointF(x[found[0]], y[found[0]])

    def hit(self, at: QPointF) -> Hit | None:
        """What is at a pixel."""
        if not (self.head <= at.y() <= self.foot and self.left - _REACH <= at.x() <= self.right + _REACH):
            return None
        if len(self._joints):
            x, above, below = self._joint_places
            dx, dy = np.abs(x - at.x()), np.maximum(np.maximum(above - at.y(), at.y() - below), 0.0)
            on_dot = np.hypot(dx, above - at.y())
            near = np.where(on_dot <= _REACH, 0.5 * on_dot, np.where((dy == 0.0) & (dx <= 3.0), 3.5 + dx, np.inf))
            best = int(np.argmin(near))
            if np.isfinite(near[best]):
                branch = int(self.rows[self._joints[best]])
                merge = int(self.branches.merge[branch])
                return Hit(self.branches.branch_of(merge), float(self.branches.ends[branch]), merge)
        row = floor((at.y() - self.head + self.seen.top) / self.pitch)
        if not 0 <= row < len(self.rows) or abs(float(self.y(row)) - at.y()) > 0.5 * ROW:
            return None
        branch, time = int(self.rows[row]), self.time_at(at.x())
        return Hit(branch, time) if time < self.branches.ends[branch] else None

    # the picture

    def paint(
        self, page: QPainter, colors: Colors, *, now: float | None, chosen: int = -1, hot: int = -1, focus: int = -1
    ) -> None:
        """Paint it.

        Parameters
        ----------
        now : the time that the picture shows, which is marked; None for none.
        chosen : a node of the tree, which is painted in the accent colour with all that led to it; -1 for none.
        hot, focus : merges with a mark around them: the one under the mouse, and that of the keyboard; -1 for none.
        """
        page.setFont(self.font)
        page.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_axis(page, colors)
        # a little lower than the line of the axis, a little wider than the times: nothing is cut at its edge
        inside = QRectF(self.left - _RING, self.head, self.right - self.left + 2.0 * _RING, self.room)
        page.save()
        page.setClipRect(QRectF(0.0, self.head, self.width, self.room))
        self._paint_sizes(page, colors)
        page.setClipRect(inside)
        ink, strong = QColor(colors.muted), QColor(colors.text)
        self._paint_branches(page, ink, strong, np.arange(len(self.rows)))
        if chosen >= 0:
            self._paint_chosen(page, colors, chosen, inside)
        for merge, color in ((hot, colors.text), (focus, colors.accent)):
            at = self.place(merge) if merge >= 0 else None
            if at is not None:
                page.setBrush(Qt.BrushStyle.NoBrush)
                page.setPen(QPen(QColor(color), 2.0))
                page.drawEllipse(at, _RING, _RING)
        if now is not None:
            self._paint_now(page, colors, now)
        page.restore()

    def _paint_sizes(self, page: QPainter, colors: Colors) -> None:
        """The numbers of discs at the ends of the branches."""
        page.setPen(QColor(colors.text))
        height = self._metrics.height()
        for row in self._rows_in_view():
            text = count(int(self.branches.sizes[self.rows[row]]))
            y = float(self.y(int(row)))
            where = QRectF(0.0, y - 0.5 * height, self.left - 8.0, height)
            page.drawText(where, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _rows_in_view(self) -> range:
        first = floor(self.seen.top / self.pitch)
        last = ceil((self.seen.top + self.room) / self.pitch)
        return range(max(first, 0), min(last, len(self.rows)))

    def _paint_branches(self, page: QPainter, ink: QColor, strong: QColor, which: NDArray[np.int64]) -> None:
        """Rows, lines where they join others, and dots over these."""
        view = self._rows_in_view()
        chosen = which[(which >= view.start) & (which < view.stop)]
        page.setPen(Qt.PenStyle.NoPen)
        page.setBrush(ink)
        for row in chosen.tolist():
            self._paint_row(page, row)
        if not len(self._joints):
            return
        x, above, below = self._joint_places
        own = np.isin(self._joints, which)
        seen = own & (below >= self.head - _RING) & (above <= self.foot + _RING)
        seen &= (x >= self.left - _RING) & (x <= self.right + _RING)
        page.setPen(QPen(ink, _THIN, cap=Qt.PenCapStyle.FlatCap))
        low, high = self.head - _RING, self.foot + _RING
        at, top, bottom = np.rint(x), np.maximum(above, low), np.minimum(below, high)
        # those that end below what is seen are many, and few of them are not at the same pixels
        for part in (_apart(np.flatnonzero(seen & (below > high)), at, top), np.flatnonzero(seen & (below <= high))):
            for joint in part.tolist():
                page.drawLine(QPointF(at[joint], top[joint]), QPointF(at[joint], bottom[joint]))
        page.setPen(Qt.PenStyle.NoPen)
        page.setBrush(strong)
        for joint in _apart(np.flatnonzero(seen & (above >= low)), at, above).tolist():
            page.drawEllipse(QPointF(at[joint], above[joint]), _DOT, _DOT)

    def _paint_row(self, page: QPainter, row: int) -> None:
        """A branch, as thick as it is large."""
        branch, y = int(self.rows[row]), float(self.y(row))
        begin = max(self.left, float(self.x(self.branches.begin)))
        end = min(self.right, float(self.x(self.branches.ends[branch])))
        if isinf(self.branches.ends[branch]):
            end = self.right
        if end <= begin:
            return
        x = np.append(np.arange(begin, end, _STEP), end)
        share = (x - self.left) / (self.right - self.left)
        times = self.scale.time(self.seen.left + share * (self.seen.right - self.seen.left))
        sizes = self.branches.sizes_at(branch, times)
        half = 0.5 * (_THIN + (_THICK - _THIN) * np.sqrt(sizes / self.branches.sizes[0]))
        half = np.round(4.0 * half) / 4.0
        turns = np.flatnonzero(np.diff(half))
        keep = np.unique(np.concatenate([[0], turns, turns + 1, [len(x) - 1]]))
        x, half = x[keep], half[keep]
        outline = np.concatenate([np.stack([x, y - half], axis=1), np.stack([x, y + half], axis=1)[::-1]])
        page.drawPolygon(QPolygonF([QPointF(*point) for point in outline.tolist()]))

    def _paint_chosen(self, page: QPainter, colors: Colors, node: int, inside: QRectF) -> None:
        """A node with all that led to it, over the rest."""
        tree = self.branches.tree
        begin = int(tree.first[node] - tree.first[self.branches.node])
        rows = np.flatnonzero((self.rows >= begin) & (self.rows < begin + tree.leaf_counts[node]))
        end = float(self.x(tree.time_of(node)))
        page.save()
        page.setClipRect(QRectF(inside.left(), inside.top(), end + _DOT - inside.left(), inside.height()))
        accent = QColor(colors.accent)
        self._paint_branches(page, accent, accent, rows)
        page.restore()

    def _paint_axis(self, page: QPainter, colors: Colors) -> None:
        """Times below, and what the numbers at the left are."""
        height = self._metrics.height()
        page.setPen(QPen(QColor(colors.muted)))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        page.drawText(QRectF(0.0, 0.0, self.left - 8.0, self.head), right, "discs")
        page.setPen(QPen(QColor(colors.border), 1.0))
        page.drawLine(QPointF(self.left, self.foot + 0.5), QPointF(self.right, self.foot + 0.5))
        name = "time t"
        room = self.right - self.left - self._metrics.horizontalAdvance(name) - 16.0
        most = max(2, int(room / _LABELS))
        grid = QColor(colors.text)
        grid.setAlpha(colors.grid)
        for time in self.scale.ticks(self.seen.left, self.seen.right, most):
            x = float(np.rint(self.x(time))) + 0.5
            page.setPen(QPen(grid, 1.0))
            page.drawLine(QPointF(x, self.head), QPointF(x, self.foot + 4.0))
            text = f"{time:.6g}"
            wide = self._metrics.horizontalAdvance(text)
            at = max(self.left - 8.0, x - 0.5 * wide)
            if at + wide > self.left + room + 8.0:
                continue
            page.setPen(QColor(colors.muted))
            page.drawText(QRectF(at, self.foot + 5.0, wide + 1.0, height), Qt.AlignmentFlag.AlignLeft, text)
        page.setPen(QColor(colors.muted))
        page.drawText(QRectF(self.left, self.foot + 5.0, self.right - self.left, height), right, name)

    def _paint_now(self, page: QPainter, colors: Colors, now: float) -> None:
        """A line at the time that the picture shows."""
        x = float(np.rint(self.x(now))) + 0.5
        if self.left - 1.0 <= x <= self.right + 1.0:
            page.setPen(QPen(QColor(colors.accent), 1.5, Qt.PenStyle.DashLine))
            page.drawLine(QPointF(x, self.head), QPointF(x, self.foot))


def _apart(which: NDArray[np.int64], x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.int64]:
    """Of some places one for each pixel; x and y are those of all places, x whole numbers."""
    found: NDArray[np.int64] = which[np.unique(x[which] + 1e6 * y[which], return_index=True)[1]]
    return found
