"""Profiles of density and speed against the distance from a centre, or against the height."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, pi

import numpy as np

from engine.analysis.state import DiscState, mean_of
from engine.arrays import Floats, Longs
from engine.kernels import kernel

_MOST = 50  # rings, or slabs
_LEAST = 0.5  # mean diameters: their least width
_GROWS = 1.25  # outer radius of a ring around a cluster over its inner one
_FEWEST = 10  # least number of discs of a cluster with a profile
_CELLS = 1024  # of equal width, that the range of a profile is divided into to find the part of a distance
_NEAR = 1e-14  # relative: a root of squares that is nearer to an edge may be rounded to its other side


@dataclass(frozen=True, eq=False)
class Profile:
    """Discs in rings or slabs.

    Attributes
    ----------
    edges : (K + 1,), of the rings or slabs, ascending.
    density : (K,); see the function that returns it.
    speed : (K,), mean |v|, nan where there is no disc; None without velocities. As an indicator of a whole periodic box
        it is relative to the centre of mass.
    """

    edges: Floats
    density: Floats
    speed: Floats | None

    @property
    def middle(self) -> Floats:
        """(K,), the middle of the rings or slabs."""
        return 0.5 * (self.edges[1:] + self.edges[:-1])


def radial_profile(state: DiscState, velocities: Floats | None = None) -> Profile | None:
    """The density of centres over their mean density, against the distance from the centre of the box.

    Rings, in space shells, of equal width, at least half a mean diameter and at most 50, out to half of the shortest
    side; between walls for the part of the box accessible to centres (all but a mean radius along the walls), so that a
    uniform density gives 1 in both cases. None for a box too small for a ring.

    velocities : (N, d), for the mean speed in each ring; None if they are not known.
    """
    sides = state.room
    edges = _even(0.5 * float(sides.min()), state.mean_radius)
    if edges is None:
        return None
    centre = 0.5 * state.box
    number, speeds = _count(_distances(state.positions, centre), edges, velocities, state.positions, centre)
    of_unit = pi if state.dimensions == 2 else 4.0 / 3.0 * pi
    even = len(state.radii) * of_unit * np.diff(edges**state.dimensions) / float(sides.prod())
    return Profile(edges, number / even, speeds)


def height_profile(state: DiscState, velocities: Floats | None = None) -> Profile | None:
    """The density of centres over their mean density, against y, in space z, in up to 50 slabs of equal height.

    Between walls for the part of the box accessible to centres. It is 1 in a uniform gas, and decreases with height
    under gravity. None for a box too small for a slab.

    velocities : (N, d), for the mean speed in each slab; None if they are not known.
    """
    margin, height = float(state.margins[-1]), float(state.room[-1])
    edges = _even(height, state.mean_radius)
    if edges is None:
        return None
    places = np.clip(state.positions[:, -1] - margin, 0.0, height)
    number, speeds = _count(places, edges, velocities, state.positions[:0], np.zeros(state.dimensions))
    return Profile(edges + margin, number * (len(edges) - 1) / len(state.radii), speeds)


def cluster_profile(points: Floats, mean_radius: float, velocities: Floats | None = None) -> Profile | None:
    """The fraction of each ring (in space, of each shell) around the centre of a cluster that its discs fill.

    The first ring reaches to a diameter, each further one to 1.25 times as far. In a cluster of fractal dimension D the
    fraction decreases as r^(D - d) in d dimensions. None for fewer than ten discs.

    points : (n, d), the centres, unwrapped; mean_radius : of the discs.
    """
    if len(points) < _FEWEST:
        return None
    centre = mean_of(points)
    distance = _distances(points, centre)
    farthest = points[distance >= distance.max() * (1.0 - _NEAR)] - centre
    first = 2.0 * mean_radius
    widest = float(np.hypot.reduce(farthest, axis=1).max())
    rings = max(0, int(np.ceil(np.log(max(widest / first, 1.0)) / np.log(_GROWS))))
    edges = np.append(0.0, first * _GROWS ** np.arange(rings + 1))
    number, speeds = _count(distance, edges, velocities, points, centre)
    d = points.shape[1]
    return Profile(edges, number * mean_radius**d / np.diff(edges**d), speeds)


def _even(length: float, mean_radius: float) -> Floats | None:
    """Edges of equal parts of a length; None if not even one has room."""
    parts = min(_MOST, int(length / (2.0 * mean_radius * _LEAST) + 1e-9))
    return np.linspace(0.0, length, parts + 1) if parts > 0 else None


def _count(
    distance: Floats, edges: Floats, velocities: Floats | None, points: Floats, centre: Floats
) -> tuple[Longs, Floats | None]:
    """Numbers of discs between edges, and their mean speed. Discs on the last edge belong to the last part.

    points, centre : what `distance` is between, where that is a root of squares; else no points.
    """
    number, speeds = np.zeros(len(edges) - 1, np.int64), np.zeros(len(edges) - 1)
    guess = np.searchsorted(edges, np.arange(_CELLS + 1) * (float(edges[-1]) / _CELLS), side="right") - 1
    seen = np.zeros((0, 2)) if velocities is None else velocities
    _add(distance, points, centre, seen, edges, np.minimum(guess, len(number) - 1), number, speeds)
    if velocities is None:
        return number, None
    return number, np.divide(speeds, number, out=np.full(len(number), np.nan), where=number > 0)


@kernel
def _distances(points: Floats, centre: Floats) -> Floats:
    """The distances of points (N, d) from a centre (d,).

    Squares are added and the root is taken, which may differ from `hypot` in the last two bits.
    """
    distance = np.empty(len(points))
    for i in range(len(points)):
        x, y = points[i, 0] - centre[0], points[i, 1] - centre[1]
        squared = x * x + y * y
        if points.shape[1] > 2:
            squared += (points[i, 2] - centre[2]) ** 2
        distance[i] = np.sqrt(squared)
    return distance


@kernel
def _add(
    distance: Floats,
    points: Floats,
    centre: Floats,
    velocities: Floats,
    edges: Floats,
    guess: Longs,
    number: Longs,
    speeds: Floats,
) -> None:
    """Count discs (N,) between edges, and add up their speeds where velocities (N, d) are known.

    A distance that is a root of squares is recomputed with `hypot` if it lies near an edge: `hypot` rounds only once,
    but takes seven times as long.

    guess : (_CELLS + 1,), the part in which each of as many cells of equal width begins.
    """
    last, most = edges[-1], len(number) - 1
    per_unit = (len(guess) - 1) / last
    for i in range(len(distance)):
        apart = distance[i]
        if apart > last * (1.0 + _NEAR):
            continue
        place = guess[min(int(apart * per_unit), len(guess) - 1)]
        while place > 0 and apart < edges[place]:
            place -= 1
        while place < most and apart >= edges[place + 1]:
            place += 1
        if len(points) > 0 and (apart <= edges[place] * (1.0 + _NEAR) or apart >= edges[place + 1] * (1.0 - _NEAR)):
            apart = hypot(points[i, 0] - centre[0], points[i, 1] - centre[1])
            if points.shape[1] > 2:
                apart = hypot(apart, points[i, 2] - centre[2])
            place = min(np.searchsorted(edges, apart, side="right") - 1, most)
        if apart > last:
            continue
        number[place] += 1
        if len(velocities) > 0:
            squared = velocities[i, 0] ** 2 + velocities[i, 1] ** 2
            if velocities.shape[1] > 2:
                squared += velocities[i, 2] ** 2
            speeds[place] += np.sqrt(squared)
