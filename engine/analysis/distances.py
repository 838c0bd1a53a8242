"""Pairs of discs by their distance: pair distribution P(r) (4.14), pair correlation g(r), its value at contact.

Pairs are counted up to tens of radii: exact numbers, computed mostly in single precision (`pairs_by_distance`). Each
disc has a few hundred others in range, so the loop over pairs must be very fast. It processes blocks of cells: all
discs in range of any disc of the block are copied into one row, relative to the block. A first loop over the row
computes intervals in single precision with vector instructions; a second one counts them. A pair so near to the edge of
an interval that single precision cannot decide (about one in a thousand) is marked, and compared again in double
precision. For 10^6 discs at V_f = 0.2 all pairs within 20 R are counted in a quarter of the time of a double-precision
loop over cells, with the same result.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, frexp, hypot, ldexp, prod, sqrt
from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from engine.analysis.state import DiscState, disc_state
from engine.arrays import Floats, Ints, Longs
from engine.boundary import Periodic
from engine.geometry.cells import CellGrid, column_ranges, column_reach, columns_ahead, rows_ahead
from engine.geometry.minimum_image import axis_distance, nearest_image
from engine.geometry.nearest import nearest_image as nearest_images
from engine.geometry.neighbours import near_pairs as pairs_in_space
from engine.geometry.neighbours import near_pairs_in_parts, one_image_within
from engine.geometry.pairs import near_pairs
from engine.kernels import borrowed, elements, inlined, kernel

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


def pair_distribution(positions: Floats, radii: Floats, box: Floats, *, periodic: Periodic | bool) -> PairDistribution:
    """P(r) = 1/N sum over i, j of [|X_i - X_j| <= r] (4.14), cumulative, i = j counts, exact.

    r runs over the midpoints of 180 equal intervals of (2 R, 20 R), R the mean radius: 2.05 R, 2.15 R, …, 19.95 R.
    Midpoints avoid 2 R, 4 R, …, at which discs in contact and lattices have distances equal to r up to rounding. In a
    periodic box each pair counts once, by its nearest image, also where two are equally near.

    Parameters
    ----------
    positions, radii, box : (N, d), (N,) and (d,), d = 2 or 3, in one unit of length.
    periodic : along which axes there are no walls.

    Raises
    ------
    InputError
        The arrays do not fit together, or contain numbers that are not finite.
    """
    return distribution_of(disc_state(positions, radii, box, periodic=periodic))


def distribution_of(state: DiscState) -> PairDistribution:
    """P(r) of a state that has been checked; see `pair_distribution`."""
    r = _points(state)
    return _distribution(state, r, np.cumsum(_count_pairs(state, r)[:_POINTS]))


def _count_pairs(state: DiscState, r: Floats) -> Longs:
    """Numbers of pairs at distances up to r[0], in (r[0], r[1]], …, and beyond r[-1]; see `pairs_by_distance`."""
    tilted = state.periodic.offset != 0.0
    if state.dimensions == 2 and not tilted:
        return pairs_by_distance(state.grid, r)
    pairs, periods = np.zeros(len(r) + 1, np.int64), state.periodic.periods(state.box)
    if tilted:
        places = state.spheres.positions
        for first, second, apart in near_pairs_in_parts(state.spheres, float(r[-1])):
            if not one_image_within(state.box, state.periodic, float(r[-1])):
                apart = _nearest_once(places, first, second, apart, state)
            found = np.searchsorted(r * r, np.square(apart).sum(axis=1))
            pairs += np.bincount(found, minlength=len(pairs))
        return pairs
    if prod(_CELLS * r[-1] / state.box) > 1.0:
        _bin_all(state.spheres.positions, periods, r, r * r, pairs)
        return pairs
    for first, second, apart in near_pairs_in_parts(state.spheres, float(r[-1])):
        _bin_lengths(state.spheres.positions, first, second, apart, periods, r, r * r, pairs)
    return pairs


def _nearest_once(places: Floats, first: Ints, second: Ints, apart: Floats, state: DiscState) -> Floats:
    """Of vectors (K, d) of pairs (K,) those to the nearest image, one for each pair also where two are equally near."""
    wanted = nearest_images(places[first] - places[second], state.box, state.periodic)
    off = np.abs(apart - wanted)
    half = 0.5 * float(state.box.min())
    return apart[(off <= half).all(axis=1)]


@kernel
def _bin_all(positions: Floats, periods: Floats, r: Floats, squares: Floats, pairs: Longs) -> None:
    """Add all pairs up to r[-1], each by the distance of its nearest image; periods : (3,), infinite between walls. In
    a box that is small beside r[-1] this is faster than cells, which would list every image of a pair."""
    for i in range(len(positions)):
        for j in range(i):
            squared = 0.0
            for axis in range(3):
                squared += axis_distance(positions[i, axis], positions[j, axis], periods[axis]) ** 2
            if squared <= squares[-1]:
                _bin(squared, r, squares, pairs)


@kernel
def _bin_lengths(
    positions: Floats,
    first: Ints,
    second: Ints,
    apart: Floats,
    periods: Floats,
    r: Floats,
    squares: Floats,
    pairs: Longs,
) -> None:
    """Add pairs (K,) by the length of their vectors (K, 3), each by its nearest image. Of two that are equally near,
    half a side apart, it is the same one whichever of the two vectors is looked at: the pair counts once."""
    for k in range(len(apart)):
        nearest = True
        for axis in range(3):
            side = periods[axis]
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
    """The distances r at which P(r) is measured."""
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
    distance r apart than without walls. This is taken into account exactly: averaged over directions, the fraction 1 -
    (2 r / pi) (1/a + 1/b) + r^2 / (pi a b) of all displacements of length r begins and ends within sides a, b; in space
    it is 1 - (r / 2) (1/a + 1/b + 1/c) + (2 r^2 / 3 pi) (1/ab + 1/bc + 1/ca) - r^3 / (4 pi abc); along a periodic axis
    1/a is 0. Under gravity the density itself is uneven, and g does not tend to 1.

    None for fewer than two discs and for a box without space for centres.

    counted : (K,), numbers of pairs in these intervals (may be longer); None to count them.
    """
    count = len(state.radii)
    diameter = 2.0 * state.mean_radius
    sides = state.room.tolist()
    farthest = min(_DIAMETERS * diameter, 0.5 * min(sides))
    intervals = int(farthest / diameter * _PER_DIAMETER + 1e-9)
    if count < 2 or intervals < 2:
        return None
    edges = _edges(state, intervals)
    pairs = _count_pairs(state, edges)[1:-1] if counted is None else counted[:intervals]
    between = np.where(state.periodic, np.inf, sides).tolist()
    room = _disc_around(edges, *between) if len(sides) == 2 else _ball(edges, *between)
    ideal = 0.5 * count * (count - 1) * np.diff(room) / prod(sides)
    return PairCorrelation(0.5 * (edges[1:] + edges[:-1]), pairs / ideal, diameter)


def _disc_around(r: Floats, a: float, b: float) -> Floats:
    """The mean area within r of a point that lies in the box: the integral of 2 pi r times the share in
    `pair_correlation`. a, b : between walls, infinite along periodic axes."""
    return np.pi * r**2 - (4.0 / 3.0 * r**3 * (1.0 / a + 1.0 / b) - 0.5 * r**4 / (a * b))


def _ball(r: Floats, a: float, b: float, c: float) -> Floats:
    """The mean volume within r of a point that lies in the box: the integral of 4 pi r^2 times the share in
    `pair_correlation`. a, b, c : between walls, infinite along periodic axes."""
    volume = 4.0 / 3.0 * np.pi * r**3 - 0.5 * np.pi * r**4 * (1.0 / a + 1.0 / b + 1.0 / c)
    return volume + (8.0 / 15.0 * r**5 * (1.0 / (a * b) + 1.0 / (b * c) + 1.0 / (c * a)) - r**6 / (6.0 * a * b * c))


@dataclass(frozen=True)
class ContactPressure:
    """z : Z from the gaps between neighbours; error : its standard error."""

    z: float
    error: float


def contact_compressibility(state: DiscState) -> ContactPressure | None:
    """Z = 1 + 2 phi g(sigma+), of spheres 1 + 4 phi g(sigma+), from the gaps between neighbours, extrapolated to 0.

    With C(s) ds ordered pairs at distances between s and s + ds in units of R_i + R_j, Z - 1 is the limit of C(s) / (2
    d s^(d-1) N) for s -> 1. This also holds for mixtures, where a pair has the weight (R_i + R_j)^d. ln (C / s^(d-1))
    is fitted by a parabola over the smallest gaps, two per disc and at most 0.3. One state of 10^4 discs gives Z - 1 to
    about 3 %. The error is that of the fit, as if pairs were independent. Z is the pressure of a uniform gas in
    equilibrium, of elastic discs; none of this is checked here.

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
    logarithm, certainty = np.log(pairs[met] / s[met] ** (state.dimensions - 1)), np.sqrt(pairs[met])
    parabola, covariance = np.polyfit((s - 1.0)[met], logarithm, 2, w=certainty, cov="unscaled")
    more = float(2.0 * np.exp(parabola[-1]) / (2.0 * state.dimensions * count * _FINE * width))
    return ContactPressure(1.0 + more, more * sqrt(float(covariance[-1, -1])))


def _count_gaps(state: DiscState) -> Longs:
    """Pairs by their gap, |X_i - X_j| / (R_i + R_j) - 1, from 0 to `_WIDEST` in steps of `_FINE`, without overlaps;
    of a disc with all images of the others."""
    gaps = np.zeros(round(_WIDEST / _FINE), np.int64)
    if state.dimensions > 2 or state.periodic.offset or not state.nearest_only(1.0 + _WIDEST):
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


_BLOCK = 5  # cells along each side of a block: about ten discs, found by measurement
_MOST = 4096  # most counted places: there are more only for a few discs in wide cells, which are all compared again
_FAR = 2.0**60  # a length whose square does not overflow in single precision
_ROUNDING = 16.0 * float(np.finfo(np.float32).eps)
"""Largest error of a distance in single precision, over the largest coordinate: about twice the sum of all roundings
(10 halves of `eps` from the coordinates, 5 from the root and what follows it)."""


class _Row(NamedTuple):
    """Discs to compare with each other, contiguous in memory.

    x, y : relative to one of them; slot : in the grid; place : of the distance from the present disc.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    slot: NDArray[np.int32]
    place: NDArray[np.int32]


def pairs_by_distance(grid: CellGrid, r: Floats) -> Longs:
    """Numbers of pairs at distances up to r[0], in (r[0], r[1]], …, and beyond r[-1] (as far as they were found).

    r : (K,) float64, >= 0, evenly spaced and ascending, K >= 2. Exact, each pair once (by its nearest image), (K + 1,)
    int64.
    """
    step = float(r[-1] - r[0]) / (len(r) - 1)
    reach = column_reach(grid, float(r[-1]))
    across, up = int(reach.max()), len(reach) - 1
    block = _BLOCK
    around = (grid.wraps_x and grid.columns <= 2 * (across + block)) or (grid.wraps_y and grid.rows <= 2 * (up + block))
    if around:
        block = 1  # discs ahead of a larger block might also be behind it
    # the scale on which r[k] is the whole number first + k, first >= 1: intervals are the whole parts
    first = ceil(float(r[0]) / step) + 1
    longest = hypot((across + block) * grid.width, (up + block) * grid.height)
    # lengths are scaled so that an interval is about 1 and single precision does not overflow, in any unit of length
    scale = ldexp(1.0, -frexp(max(step, longest / _FAR))[1])
    per_unit = min(1.0 / (step * scale), _FAR)
    unsure = min(_ROUNDING * longest / step, 1.0)
    bins = min(int(longest / step) + first + 2, _MOST)
    count = len(grid.order)
    row = _Row(*np.empty((2, count), np.float32), *np.empty((2, count), np.int32))
    places = np.zeros((2, 2 * bins), np.int64)
    edges, pairs = np.append(r * r, np.inf), np.zeros(len(r) + 1, np.int64)
    shift = first - float(r[0]) / step
    _count(grid, reach, block, around, edges, first, shift, 1.0 / step, scale, per_unit, unsure, row, places, pairs)
    return pairs


@kernel
def _count(
    grid: CellGrid,
    reach: Longs,
    block: int,
    around: bool,
    edges: Floats,
    first: int,
    shift: float,
    per_length: float,
    scale: float,
    per_unit: float,
    rounding: float,
    row_of_discs: _Row,
    places: Longs,
    pairs: Longs,
) -> None:
    """Add to `pairs`, by interval between consecutive `edges` (squared distances, the last infinite), each pair once.

    around : whether two discs of a row may be nearer to each other around the box.
    shift, per_length : a distance d has the place shift + d per_length on the scale of the intervals.
    scale, per_unit : the same in single precision, with lengths multiplied by `scale`: shift + (scale d) per_unit.
    rounding : largest error of a place in single precision; 1 : all pairs are compared once more.
    places : zeros, (2, K), with K more than twice the number of places: counts by place, and in the second half those
        of marked pairs. One row counts the first half of the neighbours, the other the second half, because a count can
        only be incremented again after it has been written; with two rows, waits are half as frequent.
    """
    grid = borrowed(grid)
    x, y, slot, place = (
        elements(row_of_discs.x),
        elements(row_of_discs.y),
        elements(row_of_discs.slot),
        elements(row_of_discs.place),
    )
    count, other, bins = elements(places[0]), elements(places[1]), places.shape[1] // 2
    period_x: Any = np.float32(grid.period_x * scale)  # mypy does not accept float32 as a float
    period_y: Any = np.float32(grid.period_y * scale)
    per, begin, low = np.float32(per_unit), np.float32(shift), np.float32(rounding)
    last = float(first + len(edges) - 1)
    half, marked, most = np.float32(0.5), np.int32(bins), np.float32(bins - 1)
    for row in range(0, grid.rows, block):
        for column in range(0, grid.columns, block):
            own, total = _neighbourhood(grid, reach, row, column, block, scale, x, y, slot)
            for i in range(own):
                x0, y0 = x[i], y[i]
                unsure = np.int32(0)
                for k in range(i + 1, total):
                    dx = axis_distance(x0, x[k], period_x) if around else x0 - x[k]
                    dy = axis_distance(y0, y[k], period_y) if around else y0 - y[k]
                    at = min(np.sqrt(dx * dx + dy * dy) * per + begin, most)
                    interval = np.int32(at)
                    near = abs(at - np.float32(interval) - half) > half - low
                    place[k] = interval + marked if near else interval
                    unsure += np.int32(near)
                many = (total - i - 1) // 2
                for k in range(i + 1, i + 1 + many):
                    count[place[k]] += 1
                    other[place[k + many]] += 1
                if i + 1 + 2 * many < total:
                    count[place[total - 1]] += 1
                for k in range(i + 1, total if unsure > 0 else 0):
                    if place[k] >= marked:
                        dx = axis_distance(grid.x[slot[i]], grid.x[slot[k]], grid.period_x)
                        dy = axis_distance(grid.y[slot[i]], grid.y[slot[k]], grid.period_y)
                        squared = dx * dx + dy * dy
                        # the edge that it is near to
                        edge = int(min(np.sqrt(squared) * per_length + shift + 0.5, last)) - first
                        if edge >= 0:
                            pairs[edge + 1 if squared > edges[edge] else edge] += 1
                        else:
                            pairs[0] += 1
    for k in range(bins):
        pairs[min(max(k - first + 1, 0), len(pairs) - 1)] += places[0, k] + places[1, k]


@inlined
def _neighbourhood(
    grid: CellGrid,
    reach: Longs,
    row: int,
    column: int,
    block: int,
    scale: float,
    x: NDArray[np.float32],
    y: NDArray[np.float32],
    slot: NDArray[np.int32],
) -> tuple[int, int]:
    """Copy the discs of a block of cells, then those ahead of it within reach, so that each pair is met once.

    x, y : coordinates relative to a disc of the block, by the nearest image, times `scale`. Returns the numbers of
    discs in the block and in all.
    """
    end_row, end_column = min(row + block, grid.rows), min(column + block, grid.columns)
    far = len(reach) - 1
    own = 0
    x0 = y0 = 0.0
    for r in range(row, end_row):
        begin, end = grid.start[r * grid.columns + column], grid.start[r * grid.columns + end_column]
        if own == 0 and begin < end:
            x0, y0 = grid.x[begin], grid.y[begin]
        own = _copy(grid, begin, end, x0, y0, scale, x, y, slot, own)
    if own == 0:
        return 0, 0
    total = own
    last = columns_ahead(grid, end_column - 1, reach[0])
    for r in range(row, end_row):
        begin, end, begin2, end2 = column_ranges(grid, r, end_column, last)
        total = _copy(grid, begin, end, x0, y0, scale, x, y, slot, total)
        total = _copy(grid, begin2, end2, x0, y0, scale, x, y, slot, total)
    for offset in range(1, rows_ahead(grid, end_row - 1, far) + 1):
        apart = min(offset, grid.rows - offset) if grid.wraps_y else offset
        if apart <= far:
            first, last = column - reach[apart], end_column - 1 + reach[apart]
            begin, end, begin2, end2 = column_ranges(grid, (end_row - 1 + offset) % grid.rows, first, last)
            total = _copy(grid, begin, end, x0, y0, scale, x, y, slot, total)
            total = _copy(grid, begin2, end2, x0, y0, scale, x, y, slot, total)
    return own, total


@inlined
def _copy(
    grid: CellGrid,
    begin: int,
    end: int,
    x0: float,
    y0: float,
    scale: float,
    x: NDArray[np.float32],
    y: NDArray[np.float32],
    slot: NDArray[np.int32],
    total: int,
) -> int:
    """Append slots begin to end - 1 to a row of `total` discs, and return how many there are then."""
    from_x, from_y = elements(grid.x), elements(grid.y)
    half_x, half_y = 0.5 * grid.period_x, 0.5 * grid.period_y
    for j in range(begin, end):
        x[total] = scale * nearest_image(from_x[j] - x0, grid.period_x, half_x)
        y[total] = scale * nearest_image(from_y[j] - y0, grid.period_y, half_y)
        slot[total] = j
        total += 1
    return total
