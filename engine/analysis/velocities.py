"""Velocity correlations: of two discs against their distance, and of each disc with its initial velocity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from engine.analysis.sample import EarlierState, Sample
from engine.analysis.state import DiscState, power_of_two, without_drift
from engine.arrays import Floats, Ints, Longs
from engine.boundary import Periodic
from engine.geometry.cells import SLACK, CellGrid, slots_around
from engine.geometry.minimum_image import nearest_image
from engine.geometry.neighbours import near_pairs_in_parts
from engine.indicators import ANY, Averaging, Indicator, unsaid
from engine.kernels import borrowed, elements, kernel

_DIAMETERS = {2: 20.0, 3: 6.0}  # range, in mean diameters; in space so many neighbours are farther away
_PER_DIAMETER = 5  # intervals
_PAIRS = {2: 1e7, 3: 2e6}  # approximate number of pairs that are used


@dataclass(frozen=True, eq=False)
class VelocityCorrelation:
    """The correlation of the velocities of two discs at the distance r, over <v^2>.

    Attributes
    ----------
    r : (K,), middle of the intervals with pairs.
    total : (K,), C(r) = <v_i . v_j> / <v^2>, 1 for discs that move alike.
    parallel : (K,), of the components along the line between the two; `total` minus this is the transverse part.
    diameter : the mean one.
    """

    r: Floats
    total: Floats
    parallel: Floats
    diameter: float


def velocity_correlation(
    state: DiscState, velocities: Floats, masses: Floats, pairs: float | None = None
) -> VelocityCorrelation | None:
    """C(r) up to 20 mean diameters, in space 6, or half of the shortest side, in intervals of 1/5 diameter.

    Along periodic axes velocities are relative to the centre of mass, and distances to the nearest image. All pairs
    count, up to about 10^7 of them (`pairs`); for more discs only every second, third, … one is compared with its
    neighbours. In space, if there are more than about 2 10^6 pairs, only those of a random sample of the spheres count,
    which has so many.

    velocities : (N, d); masses : (N,). None for a single disc, for a box without space for centres, and if nothing
        moves.
    """
    return _correlation_of(state, without_drift(velocities, masses, periodic=state.periodic), pairs)


def _correlation_of(state: DiscState, velocities: Floats, pairs: float | None = None) -> VelocityCorrelation | None:
    """As `velocity_correlation`, for velocities from which the drift has been subtracted."""
    diameter = 2.0 * state.mean_radius
    farthest = min(_DIAMETERS[state.dimensions] * diameter, 0.5 * float(state.box.min()))
    intervals = int(farthest / diameter * _PER_DIAMETER + 1e-9)
    count = len(state.radii)
    seen = velocities / power_of_two(velocities)
    squared = float(np.square(seen).sum()) / count
    if count < 2 or intervals < 1 or not squared > 0.0:
        return None
    reach = intervals * diameter / _PER_DIAMETER
    add_up = _in_plane if state.dimensions == 2 and not state.periodic.offset else _of_listed_pairs
    number, total, parallel = add_up(state, seen, reach, _PAIRS[state.dimensions] if pairs is None else pairs)
    met = number[:intervals] > 0
    r = (np.flatnonzero(met) + 0.5) * diameter / _PER_DIAMETER
    norm = number[:intervals][met] * squared
    return VelocityCorrelation(r, total[:intervals][met] / norm, parallel[:intervals][met] / norm, diameter)


def _in_plane(state: DiscState, seen: Floats, reach: float, pairs: float) -> tuple[Longs, Floats, Floats]:
    """Pairs in intervals of the distance, and the sums of their v_i . v_j and of the parts along the line between."""
    count, diameter = len(state.radii), 2.0 * state.mean_radius
    around = count * np.pi * reach**2 / float(state.box.prod())
    every = max(1, int(np.ceil(count * around / pairs)))
    longest = float(np.hypot(reach + 2.0 * state.grid.width, reach + 2.0 * state.grid.height))  # that is looked at
    bins = int(longest * _PER_DIAMETER / diameter) + 3
    number, total, parallel = np.zeros(bins, np.int64), np.zeros(bins), np.zeros(bins)
    row = _Row(np.empty(count, np.int32), *np.empty((2, count)))
    vx, vy = np.empty((2, count))
    _by_slot(seen, state.grid.order, vx, vy)
    _correlate(state.grid, vx, vy, every, reach, _PER_DIAMETER / diameter, row, number, total, parallel)
    return number, total, parallel


def _of_listed_pairs(state: DiscState, seen: Floats, reach: float, pairs: float) -> tuple[Longs, Floats, Floats]:
    """Count the pairs up to the distance `reach`, about `pairs` of them, in intervals, in space and in a shear flow.

    seen : (N, d), the velocities. Returns three arrays (K,): the number of pairs in each interval, the sum of V_i ·
        V_j, and that of the products of the components along the line of the pair.
    """
    spheres, count = state.spheres, len(state.radii)
    around = np.pi * reach**2 if state.dimensions == 2 else 4.0 / 3.0 * np.pi * reach**3
    expected = 0.5 * count**2 * around / float(state.box.prod())
    if expected > pairs:
        drawn = np.random.default_rng(0).permutation(count)[: int(count * np.sqrt(pairs / expected)) + 1]
        spheres = replace(spheres, positions=spheres.positions[drawn], radii=spheres.radii[drawn])
        seen = seen[drawn]
    per_unit = _PER_DIAMETER / (2.0 * state.mean_radius)
    bins = int(reach * per_unit) + 3
    number, total, parallel = np.zeros(bins, np.int64), np.zeros(bins), np.zeros(bins)
    for first, second, apart in near_pairs_in_parts(spheres, reach):
        _add_pairs(first, second, apart, seen, per_unit, number, total, parallel)
    return number, total, parallel


@kernel
def _add_pairs(
    first: Ints,
    second: Ints,
    apart: Floats,
    velocities: Floats,
    per_unit: float,
    number: Longs,
    total: Floats,
    parallel: Floats,
) -> None:
    """Add pairs (K,), with the vectors (K, d) between them, to the intervals of their distances."""
    for k in range(len(first)):
        squared = dot = one = other = 0.0
        for axis in range(apart.shape[1]):
            d, v, w = apart[k, axis], velocities[first[k], axis], velocities[second[k], axis]
            squared += d * d
            dot += v * w
            one += v * d
            other += w * d
        if not squared > 0.0:  # discs at the same place are not counted
            continue
        # touching spheres may be nearer than a diameter by a rounding error
        at = min(int(np.sqrt(squared) * per_unit * (1.0 + 1e-9)), len(number) - 1)
        number[at] += 1
        total[at] += dot
        parallel[at] += one * other / squared


@kernel
def _by_slot(velocities: Floats, order: Ints, x: Floats, y: Floats) -> None:
    """Components (N,) of velocities (N, 2) by slot of a grid."""
    for slot in range(len(order)):
        x[slot] = velocities[order[slot], 0]
        y[slot] = velocities[order[slot], 1]


class _Row(NamedTuple):
    """Pair data of one disc and its neighbours, contiguous in memory.

    place : interval of their distance; total : v_i . v_j; parallel : that along the line between them.
    """

    place: Ints
    total: Floats
    parallel: Floats


@kernel
def _correlate(
    grid: CellGrid,
    velocity_x: Floats,
    velocity_y: Floats,
    every: int,
    reach: float,
    per_unit: float,
    row_of_pairs: _Row,
    number: Longs,
    total: Floats,
    parallel: Floats,
) -> None:
    """Compare each `every`-th disc with its neighbours: add up pairs, v_i . v_j, and its part along the line between
    them.

    A first, vectorised loop over the neighbours computes, a second one adds up.

    velocity_x, velocity_y : (N,), by slot of the grid; number, total, parallel : (K,), by intervals of the distance.
    """
    grid = borrowed(grid)
    ranges = np.empty((2 * grid.rows, 2), np.int64)
    half_x, half_y = 0.5 * grid.period_x, 0.5 * grid.period_y
    xs, ys, vxs, vys = elements(grid.x), elements(grid.y), elements(velocity_x), elements(velocity_y)
    place, dot, along = elements(row_of_pairs.place), elements(row_of_pairs.total), elements(row_of_pairs.parallel)
    for row in range(grid.rows):
        for column in range(grid.columns):
            cell = row * grid.columns + column
            for a in range(grid.start[cell], grid.start[cell + 1]):
                if grid.order[a] % every != 0:
                    continue
                x, y, vx, vy = grid.x[a], grid.y[a], velocity_x[a], velocity_y[a]
                found = 0
                for k in range(slots_around(grid, row, column, reach * SLACK, ranges)):
                    for b in range(ranges[k, 0], ranges[k, 1]):
                        dx = nearest_image(xs[b] - x, grid.period_x, half_x)
                        dy = nearest_image(ys[b] - y, grid.period_y, half_y)
                        squared = dx * dx + dy * dy
                        # touching discs may be nearer than a diameter by a rounding error
                        interval = np.int32(np.sqrt(squared) * per_unit * (1.0 + 1e-9))
                        # itself, and discs at the same place, are not counted
                        place[found] = interval if squared > 0.0 else np.int32(len(number) - 1)
                        dot[found] = vx * vxs[b] + vy * vys[b]
                        along[found] = (vx * dx + vy * dy) * (vxs[b] * dx + vys[b] * dy) / squared
                        found += 1
                for k in range(found):
                    number[place[k]] += 1
                    total[place[k]] += dot[k]
                    parallel[place[k]] += along[k]


def velocity_autocorrelation(
    velocities: Floats, start: Floats, masses: Floats, *, periodic: Periodic | bool
) -> float | None:
    """<v(t) . v(0)> / <v(0)^2>, along periodic axes relative to the centre of mass. None if nothing moved at the start.

    velocities, start : (N, d), now and at the start; masses : (N,).
    """
    now = without_drift(velocities, masses, periodic=periodic)
    return _autocorrelation_of(now, without_drift(start, masses, periodic=periodic))


def _autocorrelation_of(now: Floats, then: Floats) -> float | None:
    """As `velocity_autocorrelation`, for velocities from which the drift has been subtracted."""
    squared = float(np.square(then).sum())
    return float((now * then).sum()) / squared if squared > 0.0 else None


def _correlation(sample: Sample) -> VelocityCorrelation | None:
    return _correlation_of(sample.state, sample.relative_velocities)


def _autocorrelation(sample: Sample) -> float | None:
    if sample.start_velocities is None:
        return None
    assert sample.masses is not None
    start = without_drift(sample.start_velocities, sample.masses, periodic=sample.periodic)
    return _autocorrelation_of(sample.relative_velocities, start)


def _autocorrelation_between(now: EarlierState, then: EarlierState) -> float | None:
    if now.velocities is None or then.velocities is None:
        return None
    return _autocorrelation_of(now.velocities, then.velocities)


MOTION = (
    Indicator(
        "velocity_correlation",
        "velocity correlation",
        _correlation,
        "C(r)",
        needs=("velocities", "masses"),
        dimensions=ANY,
        averaging=Averaging(("total", "parallel"), "r"),
    ),
    Indicator(
        "velocity_autocorrelation",
        "velocity autocorrelation",
        _autocorrelation,
        "⟨v(t)·v(0)⟩/⟨v²⟩",
        in_words=unsaid,
        needs=("velocities", "masses"),
        since_start=True,
        dimensions=ANY,
        averaging=Averaging(between=_autocorrelation_between),
    ),
)
"""The indicators of moving discs with known velocities."""
