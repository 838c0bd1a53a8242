"""Pairs of discs by their distance: pair distribution P(r) (4.14), pair correlation g(r), its value at contact."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TypedDict

import numpy as np

from engine.analysis.pair_counts import pairs_by_distance
from engine.analysis.state import DiscState, Floats, Ints, Longs, disc_state
from engine.geometry.cells import CellGrid
from engine.geometry.minimum_image import axis_distance, nearest_image
from engine.geometry.neighbours import near_pairs as pairs_in_space
from engine.geometry.neighbours import near_pairs_in_parts
from engine.geometry.pairs import near_pairs
from engine.kernels import inlined, kernel

_POINTS = 180  # of P(r)
_CELLS = 3.0  # that a search in space goes through along each axis, as wide as it reaches
_FROM, _TO = 2.0, 20.0  # mean radii: its range
_DIAMETERS = 6.0  # range of g(r), in mean diameters
_PER_DIAMETER = 20  # intervals
_FINE, _WIDEST = 1e-4, 0.3  # gaps over the sum of radii: width of the bins, and the largest gap
_NEIGHBOURS = 2.0  # number of gaps per disc that the extrapolation to contact uses, up to `_WIDEST`
_FIT = 20  # intervals of the extrapolation


class PairDistribution(TypedDict):
    """r : (180,) float64, distances, ascending; p : (180,) float64, P(r), >= 1."""

    r: Floats
    p: Floats


@dataclass(frozen=True, eq=False)
class PairCorrelation:
    """r : (K,) middle of the intervals; g : (K,), 1 for an ideal gas; diameter : the mean one."""

    r: Floats
    g: Floats
    diameter: float


def pair_distribution(positions: Floats, radii: Floats, box: Floats, *, periodic: bool) -> PairDistribution:
    """P(r) = 1/N sum over i, j of [|X_i - X_j| <= r] (4.14), cumulative, i = j counts, exact.

    r runs over the midpoints of 180 equal intervals of (2 R, 20 R), R the mean radius: 2.05 R, 2.15 R, …, 19.95 R.
    Midpoints avoid 2 R, 4 R, …, at which discs in contact and lattices have distances equal to r up to rounding. In a
    periodic box each pair counts once, by its nearest image, also where two are equally near. Parameters and errors are
    those of `analyse`.
    """
    return distribution_of(disc_state(positions, radii, box, periodic=periodic))


def distribution_of(state: DiscState) -> PairDistribution:
    """`pair_distribution` of a checked state."""
    r = _points(state)
    return _distribution(state, r, np.cumsum(_count_pairs(state, r)[:_POINTS]))


def _count_pairs(state: DiscState, r: Floats) -> Longs:
    """Numbers of pairs at distances up to r[0], in (r[0], r[1]], …, and beyond r[-1]; see `pairs_by_distance`."""
    if state.dimensions == 2:
        return pairs_by_distance(state.grid, r)
    pairs = np.zeros(len(r) + 1, np.int64)
    if prod(_CELLS * r[-1] / state.box) > 1.0:
        _bin_all(state.spheres.positions, state.box if state.periodic else np.full(3, np.inf), r, r * r, pairs)
        return pairs
    box = state.box if state.periodic else np.full(3, np.inf)
    for first, second, apart in near_pairs_in_parts(state.spheres, float(r[-1])):
        _bin_lengths(state.spheres.positions, first, second, apart, box, r, r * r, pairs)
    return pairs


@kernel
def _bin_all(positions: Floats, box: Floats, r: Floats, squares: Floats, pairs: Longs) -> None:
    """Add all pairs up to r[-1], each by the distance of its nearest image; box : (3,), infinite between walls. In a
    box that is small beside r[-1] this is faster than cells, which would list every image of a pair."""
    for i in range(len(positions)):
        for j in range(i):
            squared = 0.0
            for axis in range(3):
                squared += axis_distance(positions[i, axis], positions[j, axis], box[axis]) ** 2
            if squared <= squares[-1]:
                _bin(squared, r, squares, pairs)


@kernel
def _bin_lengths(
    positions: Floats,
    first: Ints,
    second: Ints,
    apart: Floats,
    box: Floats,
    r: Floats,
    squares: Floats,
    pairs: Longs,
) -> None:
    """Add pairs (K,) by the length of their vectors (K, 3), each by its nearest image. Of two that are equally near,
    half a side apart, it is the same one whichever of the two vectors is looked at: the pair counts once."""
    for k in range(len(apart)):
        nearest = True
        for axis in range(3):
            side = box[axis]
            wanted = nearest_image(positions[first[k], axis] - positions[second[k], axis], side, 0.5 * side)
            nearest = nearest and not abs(apart[k, axis] - wanted) > 0.5 * side  # images are whole sides apart
        if nearest:
            _bin(apart[k, 0] ** 2 + apart[k, 1] ** 2 + apart[k, 2] ** 2, r, squares, pairs)


@inlined
def _bin(squared: float, r: Floats, squares: Floats, pairs: Longs) -> None:
    """Add a pair by the square of its distance."""
    at = min(max(int((np.sqrt(squared) - r[0]) * ((len(r) - 1) / (r[-1] - r[0]))), 0), len(r) - 1)
    while at > 0 and squared <= squares[at - 1]:
        at -= 1
    while at < len(r) and squared > squares[at]:
        at += 1
    pairs[at] += 1


def _points(state: DiscState) -> Floats:
    """The distances r of P(r)."""
    step = (_TO - _FROM) / _POINTS
    return (_FROM + step * (np.arange(_POINTS, dtype=np.float64) + 0.5)) * state.mean_radius


def _distribution(state: DiscState, r: Floats, within: Longs) -> PairDistribution:
    """P(r) from the numbers of pairs up to each r."""
    count = len(state.radii)
    return {"r": r, "p": (count + 2 * within) / count}


def distribution_and_correlation(state: DiscState) -> tuple[PairDistribution, PairCorrelation | None]:
    """P(r) and g(r), the same numbers as separately, from one count of pairs in intervals half as wide.

    The ends of the intervals of g(r) are even multiples of R / 20, the distances of P(r) are odd ones.
    """
    r = _points(state)
    first = round(_FROM * _PER_DIAMETER) + 1  # the first point of P(r), in R / 20
    all_edges: Floats = np.arange(first + 2 * _POINTS - 1, dtype=np.float64) * (state.mean_radius / _PER_DIAMETER)
    all_edges[first::2] = r
    all_edges[::2] = _edges(state, (len(all_edges) - 1) // 2)
    pairs = _count_pairs(state, all_edges)[:-1]
    fine = pairs[1::2][: len(pairs[2::2])] + pairs[2::2]
    return _distribution(state, r, np.cumsum(pairs)[first::2]), pair_correlation(state, fine)


def _edges(state: DiscState, intervals: int) -> Floats:
    """The ends of the intervals of g(r)."""
    return np.arange(intervals + 1, dtype=np.float64) * (2.0 * state.mean_radius / _PER_DIAMETER)


def pair_correlation(state: DiscState, counted: Longs | None = None) -> PairCorrelation | None:
    """g(r) up to six mean diameters or half of the shortest side, in intervals of 1/20 diameter. O(N).

    The number of pairs in each interval over that of an ideal gas of N discs. It ends at half of the shortest side,
    since farther away a pair may have several images, of which only the nearest is counted. Between walls the ideal gas
    fills the part of the box accessible to centres (all but a mean radius along the walls), where fewer pairs are a
    distance r apart than without walls. This is taken into account exactly: averaged over directions, the fraction
    1 - (2 r / pi) (1/a + 1/b) + r^2 / (pi a b) of all displacements of length r begins and ends within sides a, b; in
    space it is 1 - (r / 2) (1/a + 1/b + 1/c) + (2 r^2 / 3 pi) (1/ab + 1/bc + 1/ca) - r^3 / (4 pi abc). Under gravity
    the density itself is uneven, and g does not tend to 1.

    None for fewer than two discs and for a box without space for centres.

    counted : numbers of pairs in these intervals (may be longer); None to count them.
    """
    count = len(state.radii)
    diameter = 2.0 * state.mean_radius
    sides = [float(side) - (0.0 if state.periodic else diameter) for side in state.box]  # accessible to centres
    farthest = min(_DIAMETERS * diameter, 0.5 * min(sides))
    intervals = int(farthest / diameter * _PER_DIAMETER + 1e-9)
    if count < 2 or intervals < 2:
        return None
    edges = _edges(state, intervals)
    pairs = _count_pairs(state, edges)[1:-1] if counted is None else counted[:intervals]
    room = _disc_around(edges, sides, state.periodic) if len(sides) == 2 else _ball(edges, sides, state.periodic)
    ideal = 0.5 * count * (count - 1) * np.diff(room) / prod(sides)
    return PairCorrelation(0.5 * (edges[1:] + edges[:-1]), pairs / ideal, diameter)


def _disc_around(r: Floats, sides: list[float], periodic: bool) -> Floats:
    """The mean area within r of a point that lies in the box: the integral of 2 pi r times the share in
    `pair_correlation`."""
    area = np.pi * r**2
    if not periodic:
        a, b = sides
        area -= 4.0 / 3.0 * r**3 * (1.0 / a + 1.0 / b) - 0.5 * r**4 / (a * b)
    return area


def _ball(r: Floats, sides: list[float], periodic: bool) -> Floats:
    """The mean volume within r of a point that lies in the box: the integral of 4 pi r^2 times the share in
    `pair_correlation`."""
    volume = 4.0 / 3.0 * np.pi * r**3
    if not periodic:
        a, b, c = sides
        volume -= 0.5 * np.pi * r**4 * (1.0 / a + 1.0 / b + 1.0 / c)
        volume += 8.0 / 15.0 * r**5 * (1.0 / (a * b) + 1.0 / (b * c) + 1.0 / (c * a)) - r**6 / (6.0 * a * b * c)
    return volume


def contact_compressibility(state: DiscState) -> float | None:
    """Z = 1 + 2 phi g(sigma+), of spheres 1 + 4 phi g(sigma+), from the gaps between neighbours, extrapolated to 0.

    With C(s) ds ordered pairs at distances between s and s + ds in units of R_i + R_j, Z - 1 is the limit of C(s) / (2
    d s^(d-1) N) for s -> 1. This also holds for mixtures, where a pair has the weight (R_i + R_j)^d. ln (C / s^(d-1))
    is fitted by a parabola over the smallest gaps, two per disc and at most 0.3. One state of 10^4 discs gives Z - 1 to
    about 3 %.

    None if there are too few neighbours, or if gaps are too small to be resolved.
    """
    count = len(state.radii)
    gaps = _count_gaps(state)
    enough = int(np.searchsorted(np.cumsum(gaps), 0.5 * _NEIGHBOURS * count))
    width = min(enough, len(gaps)) // _FIT
    if width == 0:
        return None
    pairs = gaps[: width * _FIT].reshape(_FIT, width).sum(axis=1).astype(np.float64)
    s = 1.0 + _FINE * width * (np.arange(_FIT) + 0.5)
    met = pairs > 0
    if met.sum() < _FIT // 2 or pairs.sum() < 5 * _FIT:
        return None
    # the logarithm of a Poisson variable with mean n has the standard deviation 1/sqrt(n)
    parabola = np.polyfit(
        (s - 1.0)[met], np.log(pairs[met] / s[met] ** (state.dimensions - 1)), 2, w=np.sqrt(pairs[met])
    )
    return 1.0 + float(2.0 * np.exp(parabola[-1]) / (2.0 * state.dimensions * count * _FINE * width))


def _count_gaps(state: DiscState) -> Longs:
    """Pairs by their gap, |X_i - X_j| / (R_i + R_j) - 1, from 0 to `_WIDEST` in steps of `_FINE`, without overlaps;
    of a disc with all images of the others."""
    gaps = np.zeros(round(_WIDEST / _FINE), np.int64)
    if state.dimensions > 2 or not state.nearest_only(1.0 + _WIDEST):
        first, second, apart = pairs_in_space(state.spheres, cutoff=0.0, growth=1.0 + _WIDEST, step=0.0)
        over = np.linalg.norm(apart, axis=1) / (state.radii[first] + state.radii[second]) - 1.0
        places = (over[over >= 0.0] / _FINE).astype(np.int64)
        return np.bincount(places[places < len(gaps)], minlength=len(gaps))
    radii = state.radii_by_slot
    _bin_gaps(state.grid, radii, near_pairs(state.grid, radii, 1.0 + _WIDEST), gaps)
    return gaps


@kernel
def _bin_gaps(grid: CellGrid, radii: Floats, pairs: Ints, gaps: Longs) -> None:
    """Add pairs of slots to `gaps`, by their gap in steps of `_FINE`."""
    for k in range(len(pairs)):
        a, b = pairs[k, 0], pairs[k, 1]
        dx = axis_distance(grid.x[a], grid.x[b], grid.period_x)
        dy = axis_distance(grid.y[a], grid.y[b], grid.period_y)
        squared, contact = dx * dx + dy * dy, radii[a] + radii[b]
        if squared >= contact * contact:
            place = int((np.sqrt(squared) / contact - 1.0) * (1.0 / _FINE))
            if place < len(gaps):
                gaps[place] += 1
