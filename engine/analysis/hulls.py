"""Convex hulls of clusters, including those that cross the edges of a periodic box."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.analysis.clusters import check_labels, layouts
from engine.analysis.state import disc_state
from engine.arrays import Floats, Ints, Longs
from engine.boundary import Periodic
from engine.kernels import inner, kernel

_STEP = np.pi / 12.0  # angle between corners on the rim of a disc: hulls are too small by less than 1 % of its radius
_SAME = 1e-9  # radians: two directions that differ by less are the same


class Hulls(NamedTuple):
    """The hulls of clusters of at least two discs.

    Attributes
    ----------
    points : (P, 2), corners of all hulls, each counterclockwise; they lie outside a periodic box if a hull crosses its
        edge.
    start : (C + 1,), the first corner of each hull, and P.
    label : (C,), the cluster.
    without : the number of clusters without a hull: those that wrap around a periodic box, and those that contacts do
        not connect.
    """

    points: Floats
    start: Longs
    label: Longs
    without: int

    @property
    def areas(self) -> Floats:
        """The area of each hull, (C,)."""
        if not len(self.label):
            return np.zeros(0)
        after = np.arange(1, len(self.points) + 1)
        after[self.start[1:] - 1] = self.start[:-1]
        x, y = self.points.T
        areas: Floats = 0.5 * np.add.reduceat(x * y[after] - x[after] * y, self.start[:-1])
        return areas


def cluster_hulls(
    positions: Floats,
    radii: Floats,
    cluster: Ints,
    box: Floats,
    *,
    periodic: Periodic | bool,
    among: NDArray[np.bool_] | None = None,
) -> Hulls:
    """The convex hull of the discs of each cluster of at least two discs.

    In a periodic box a cluster is first unwrapped into the plane (`engine.analysis.clusters.layouts`).

    Parameters
    ----------
    positions : (N, 2), centres inside the box.
    radii : (N,).
    cluster : (N,) integers, discs with the same number belong together.
    box : (2,), sides of the box.
    periodic : along which axes the box is periodic.
    among : (N,), the discs to enclose; the others still connect their cluster. None for all.

    Raises
    ------
    InputError
        An array has the wrong shape, or holds values that are not finite or not positive.
    """
    state = disc_state(positions, radii, box, periodic=periodic)
    names, which = np.unique(check_labels(cluster, len(state.radii)), return_inverse=True)
    sizes = np.bincount(which, minlength=len(names))
    points, together = (state.positions, np.ones(len(names), np.bool_))
    if state.periodic.any:
        image, together = layouts(state, which, sizes)
        points = state.positions + image * state.box
    inside = sizes if among is None else np.bincount(which[among], minlength=len(names))
    wanted = (inside >= 2) & together
    # clusters one after the other, and the centres of each from left to right, as the search for the hull needs them
    discs = np.lexsort((points[:, 1], points[:, 0], which))
    if among is not None:
        discs = discs[among[discs]]
    first = np.concatenate([[0], np.cumsum(inside)])
    room = 40 * int(wanted.sum()) + 64
    while True:
        corners, start = np.empty((room, 2)), np.zeros(int(wanted.sum()) + 1, np.int64)
        found = _hulls(points[discs], state.radii[discs], first, wanted, _STEP, corners, start)
        if found <= room:
            label = np.asarray(names[wanted], np.int64)
            return Hulls(corners[:found], start, label, int(((inside >= 2) & ~together).sum()))
        room = found


@kernel
def _hulls(
    points: Floats,
    radii: Floats,
    first: Longs,
    wanted: NDArray[np.bool_],
    step: float,
    corners: Floats,
    start: Longs,
) -> int:
    """Write the hulls of the wanted clusters as far as they fit; returns the number of corners.

    points, radii : (N, 2), (N,), cluster by cluster, those of a cluster by x and then by y. first : (L + 1,).
    """
    longest = 0
    for c in range(len(wanted)):
        longest = max(longest, first[c + 1] - first[c])
    chain = np.empty(2 * longest + 2, np.int64)
    outer = np.empty(longest, np.int64)
    found = done = 0
    for c in range(len(wanted)):
        if not wanted[c]:
            continue
        start[done] = found
        length = _chain(points, first[c], first[c + 1], chain)
        count = _candidates(points, radii, first[c], first[c + 1], chain, length, outer)
        found = _around(points, radii, outer, count, step, corners, found)
        done += 1
    start[done] = found
    return found


@inner
def _turn(points: Floats, a: int, b: int, c: int) -> float:
    """Twice the signed area of the triangle of three points, positive if they are counterclockwise."""
    return float(
        (points[b, 0] - points[a, 0]) * (points[c, 1] - points[a, 1])
        - (points[b, 1] - points[a, 1]) * (points[c, 0] - points[a, 0])
    )


@inner
def _chain(points: Floats, begin: int, end: int, chain: Longs) -> int:
    """The hull of the centres, counterclockwise, by the monotone chains of Andrew (1979); how many corners."""
    n = 0
    for i in range(begin, end):
        while n >= 2 and _turn(points, chain[n - 2], chain[n - 1], i) <= 0.0:
            n -= 1
        chain[n] = i
        n += 1
    lower = n + 1
    for i in range(end - 2, begin - 1, -1):
        while n >= lower and _turn(points, chain[n - 2], chain[n - 1], i) <= 0.0:
            n -= 1
        chain[n] = i
        n += 1
    return n - 1


@inner
def _candidates(points: Floats, radii: Floats, begin: int, end: int, chain: Longs, length: int, outer: Longs) -> int:
    """The discs that may touch the hull: those whose rim extends farther than the smallest disc would from the hull of
    the centres."""
    least, largest = radii[begin], radii[begin]
    for i in range(begin, end):
        least, largest = min(least, radii[i]), max(largest, radii[i])
    count = 0
    if least == largest:
        for k in range(length):
            outer[count] = chain[k]
            count += 1
        return count
    for i in range(begin, end):
        for k in range(length):
            a, b = chain[k], chain[k + 1 if k + 1 < length else 0]
            side = np.hypot(points[b, 0] - points[a, 0], points[b, 1] - points[a, 1])
            inside = _turn(points, a, b, i) / side if side > 0.0 else 0.0
            if inside <= radii[i] - least:
                outer[count] = i
                count += 1
                break
    return count


@inner
def _around(points: Floats, radii: Floats, outer: Longs, count: int, step: float, corners: Floats, found: int) -> int:
    """Write the hull of these discs by gift wrapping (Jarvis 1973) from one disc to the next; returns the number of
    corners.

    A disc i is on the hull in the directions θ in which it extends farthest, x_i cos θ + y_i sin θ + R_i. Another disc
    j overtakes it at θ = φ - arccos((R_i - R_j) / d), where d and φ are the distance and direction from i to j.
    """
    at = 0
    for k in range(1, count):
        if points[outer[k], 0] + radii[outer[k]] > points[outer[at], 0] + radii[outer[at]]:
            at = k
    turned = 0.0
    for _ in range(4 * count):
        i = outer[at]
        best, farthest, following = 2.0 * np.pi - turned, 0.0, -1
        for k in range(count):
            j = outer[k]
            dx, dy = points[j, 0] - points[i, 0], points[j, 1] - points[i, 1]
            d = np.hypot(dx, dy)
            if k == at or d <= abs(radii[i] - radii[j]):
                continue
            further = np.arctan2(dy, dx) - np.arccos((radii[i] - radii[j]) / d) - turned
            further -= np.floor(further / (2.0 * np.pi)) * 2.0 * np.pi
            if further < best - _SAME or (further < best + _SAME and d > farthest and following >= 0):
                best, farthest, following = min(further, best), d, k
        pieces = max(1, int(np.ceil(best / step - _SAME)))
        for piece in range(pieces + 1):
            angle = turned + best * piece / pieces
            if found < len(corners):
                corners[found, 0] = points[i, 0] + radii[i] * np.cos(angle)
                corners[found, 1] = points[i, 1] + radii[i] * np.sin(angle)
            found += 1
        turned += best
        if following < 0 or turned > 2.0 * np.pi - _SAME:
            break
        at = following
    return found
