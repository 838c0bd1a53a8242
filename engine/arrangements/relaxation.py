"""Pushing overlapping discs or spheres apart: by soft repulsion, or with the least moves.

Arrangements that are made dense are relaxed as soft discs with harmonic repulsion, by FIRE (`relax`). States whose
discs overlap a little, as in files whose numbers have few digits, are mended (`moved_apart`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints
from engine.boundary import Periodic
from engine.errors import InputError
from engine.geometry.cells import SLACK, CellGrid, cell_grid, column_ranges, row_range
from engine.geometry.minimum_image import (
    NO_PERIOD,
    axis_distance,
    has_walls,
    periods_to_nearest,
    rounded_image,
    wraps,
)
from engine.geometry.nearest import nearest_image
from engine.geometry.neighbours import DenseState, near_pairs
from engine.geometry.vectors import Vector, dot, minus, over, row_of, times
from engine.kernels import borrowed, inner, kernel
from engine.overlaps import OVERLAP_TOLERANCE, deepest, near_pairs_of
from engine.records import record
from engine.state import InitialState

MARGIN = 1e-3  # soft discs are larger by this factor, so that real ones end apart
SKIN = 0.4  # margin of the list of pairs in mean radii
MAX_STEPS = 20_000

_FIRE = record("f8 dt mixing downhill")
"""The variables of FIRE: time step, share of the velocity turned towards the force, steps since the power of the force
was last negative."""

# statuses of `_fire`: no overlaps; the list of pairs is out of date; no steps are left
_APART, _LIST_OLD, _STEPS_SPENT = range(3)


def relax(
    start: NDArray[np.float64],
    radii: NDArray[np.float64],
    box: NDArray[np.float64],
    periodic: Periodic | bool,
) -> NDArray[np.float64] | None:
    """Positions (N, d) near `start` at which discs with `radii` (N,) do not overlap, along each axis inside walls or
    periodic.

    Fast inertial relaxation (FIRE, Bitzek et al. 2006) of the energy Σ (R_i' + R_j' - |X_i - X_j|)² / 2 over
    overlapping soft discs, R' = 1.001 R. None if they jam before.
    """
    count = len(radii)
    soft = radii * (1.0 + MARGIN)
    skin = SKIN * float(radii.mean())
    positions, velocity, force = start.copy(), np.zeros_like(start), np.zeros_like(start)
    fire = np.array([(0.1, 0.1, 0.0)], _FIRE)[0]
    sides, periods = tuple(box.tolist()), tuple(Periodic.of(periodic, len(box)).periods(box).tolist())
    near = _near_in_space if len(box) > 2 else _near_in_plane
    pairs = np.empty((8 * count + 64, 2), np.int32)
    left = MAX_STEPS
    while True:
        pairs, found = near(DenseState(positions, soft, box, periodic), skin, pairs)
        status, left = _fire(
            positions, velocity, force, radii, soft, sides, periods, pairs[:found], positions.copy(), skin, fire, left
        )
        if status == _APART:
            return positions
        if status == _STEPS_SPENT:
            return None


def _near_in_plane(state: DenseState, skin: float, pairs: Ints) -> tuple[Ints, int]:
    """Pairs of soft discs with gaps below `skin`, in `pairs` or, where it has no room for them, in another array, and
    how many there are."""
    width = (2.0 * float(state.radii.max()) + skin) * SLACK
    grid = cell_grid(state.positions, state.box, periodic=state.periodic, width=width)
    found = _list_pairs(grid, state.radii, skin, pairs)
    if found > len(pairs):
        pairs = np.empty((found + found // 4, 2), np.int32)
        found = _list_pairs(grid, state.radii, skin, pairs)
    return pairs, found


def _near_in_space(state: DenseState, skin: float, pairs: Ints) -> tuple[Ints, int]:
    """Pairs of soft spheres with gaps below `skin`, each at its nearest image, and how many there are."""
    wider = replace(state, radii=state.radii + 0.5 * skin)
    first, second, apart = near_pairs(wider, cutoff=0.0, growth=1.0, step=0.0)
    nearest = (np.abs(apart) <= 0.5 * state.periodic.periods(state.box)).all(axis=1)
    return np.stack([first, second], axis=1)[nearest], int(nearest.sum())


@kernel
def _list_pairs(grid: CellGrid, soft: NDArray[np.float64], skin: float, pairs: NDArray[np.int32]) -> int:
    """List pairs i < j closer than the sum of their soft radii plus `skin`, in the order of cells.

    Returns their number; those beyond ``len(pairs)`` are counted but not stored. See `engine.geometry.pairs` for why
    its sweep is not used here.
    """
    grid = borrowed(grid)
    found = 0
    for row in range(grid.rows):
        first, end = row_range(grid, row, 1)
        for column in range(grid.columns):
            cell = row * grid.columns + column
            for a in range(grid.start[cell], grid.start[cell + 1]):
                i = grid.order[a]
                for other in range(first, end):
                    begin, stop, begin2, stop2 = column_ranges(grid, other % grid.rows, column - 1, column + 1)
                    for part in range(2):
                        for b in range(begin if part == 0 else begin2, stop if part == 0 else stop2):
                            j = grid.order[b]
                            if j <= i:
                                continue
                            dx = axis_distance(grid.x[a], grid.x[b], grid.period_x)
                            dy = axis_distance(grid.y[a], grid.y[b], grid.period_y)
                            reach = soft[i] + soft[j] + skin
                            if dx * dx + dy * dy < reach * reach:
                                if found < pairs.shape[0]:
                                    pairs[found, 0] = i
                                    pairs[found, 1] = j
                                found += 1
    return found


@inner
def _repel(
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    soft: NDArray[np.float64],
    box: Vector,
    periods: Vector,
    pairs: NDArray[np.int32],
    force: NDArray[np.float64],
) -> bool:
    """Forces (N, d), unit stiffness times the soft overlaps; returns whether any real discs overlap."""
    force[:] = 0.0
    overlapping = False
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        apart = minus(row_of(positions, i, box), row_of(positions, j, box))
        apart = minus(apart, periods_to_nearest(apart, periods))
        reach = soft[i] + soft[j]
        square = dot(apart, apart)
        if square < reach * reach:
            distance = np.sqrt(square)
            overlapping |= distance < radii[i] + radii[j]
            push = over(times(reach - distance, apart), distance)
            for axis in range(len(box)):
                # coincident centres have no direction: use the x axis
                part = push[axis] if distance > 0.0 else reach * (axis == 0)
                force[i, axis] += part
                force[j, axis] -= part
    for axis in range(len(box)):
        if periods[axis] == NO_PERIOD:
            for i in range(positions.shape[0]):
                x = positions[i, axis]
                force[i, axis] += max(soft[i] - x, 0.0) - max(x + soft[i] - box[axis], 0.0)
                overlapping |= x < radii[i] or x + radii[i] > box[axis]
    return overlapping


@kernel
def _fire(
    positions: NDArray[np.float64],
    velocity: NDArray[np.float64],
    force: NDArray[np.float64],
    radii: NDArray[np.float64],
    soft: NDArray[np.float64],
    box: Vector,
    periods: Vector,
    pairs: NDArray[np.int32],
    listed: NDArray[np.float64],
    skin: float,
    fire: Any,
    steps: int,
) -> tuple[int, int]:
    """FIRE steps in place until no real discs overlap or a disc has moved half the skin from `listed` (N, d).

    Unit mass and stiffness make the time step a pure number; 0.3 is well below the 2 / ω_max ≈ 0.57 of six contacts,
    and below the 0.41 of the twelve of a sphere.
    Returns the reason and the steps left.
    """
    count = positions.shape[0]
    for step in range(steps):
        if not _repel(positions, radii, soft, box, periods, pairs, force):
            return _APART, steps - step
        power = speed2 = force2 = 0.0
        for i in range(count):
            for axis in range(len(box)):
                power += force[i, axis] * velocity[i, axis]
                speed2 += velocity[i, axis] * velocity[i, axis]
                force2 += force[i, axis] * force[i, axis]
        keep, turn = 1.0, 0.0
        if power > 0.0:
            keep = 1.0 - fire.mixing
            turn = fire.mixing * np.sqrt(speed2 / force2)
            fire.downhill += 1.0
            if fire.downhill > 5.0:
                fire.dt = min(fire.dt * 1.1, 0.3)
                fire.mixing *= 0.99
        else:
            keep = 0.0
            fire.dt, fire.mixing, fire.downhill = max(0.5 * fire.dt, 0.02), 0.1, 0.0
        dt = fire.dt
        farthest = 0.0
        for i in range(count):
            moved = 0.0
            for axis in range(len(box)):
                velocity[i, axis] = keep * velocity[i, axis] + (turn + dt) * force[i, axis]
                x = positions[i, axis] + dt * velocity[i, axis]
                if periods[axis] == NO_PERIOD:  # walls act at most up to the centre of the disc
                    x = min(max(x, 0.0), box[axis])
                else:
                    x -= box[axis] * np.floor(x / box[axis])
                positions[i, axis] = x
                d = rounded_image(x - listed[i, axis], periods[axis])
                moved += d * d
            farthest = max(farthest, moved)
        if farthest > 0.25 * skin * skin:
            return _LIST_OLD, steps - step - 1
    return _STEPS_SPENT, 0


CLOSE = 4e-10  # largest remaining overlap, as a share of the sum of two radii
MOST_SHRUNK = 0.01  # largest share by which radii are reduced
_WIDEST = 1.5  # pairs are listed up to this multiple of the sum of their radii
_ROUNDS = 12
_SWEEPS, _VISITS = 20_000, 200_000_000  # limits per round: sweeps, and visits of pairs in all sweeps


def moved_apart(state: InitialState) -> InitialState:
    """A state without overlaps: each disc is moved as little as possible, by at most the deepest overlap.

    Discs of one cluster move together. If there is no room, as in a packing with rounded radii, all radii are reduced
    in the same ratio, by at most 1 %. The notice of the returned state says what was done.

    The moves u minimise Σ |u|² under n · (u_i - u_j) >= R_i + R_j - n · (X_i - X_j) for every pair, where n is its
    direction, and |u| <= the deepest overlap. They are found by Dykstra's projections (Boyle & Dykstra 1986). Such
    pairs do not overlap, since the distance is at least its component along n.

    Raises
    ------
    InputError
        The overlaps cannot be removed by moves that small.
    """
    most, left = deepest(state)
    if left <= OVERLAP_TOLERANCE:
        return state
    _, unit = np.unique(state.cluster, return_inverse=True)
    unit = unit.astype(np.int64)
    moves = np.zeros((int(unit.max()) + 1, len(state.box)))
    now = state
    for _ in range(_ROUNDS):
        trial = _least_moves(state, now, unit, most, moves)
        positions = state.positions + trial[unit]
        around = np.array(Periodic.of(state.periodic, len(state.box)))
        positions -= np.where(around, np.floor(positions / state.box) * state.box, 0.0)
        positions = np.where(around & (positions >= state.box), 0.0, positions)
        found = replace(state, positions=positions)
        _, rest = deepest(found)
        if rest >= left:
            break
        slow = rest > 0.5 * left
        now, moves, left = found, trial, rest
        if slow or rest <= CLOSE:
            break
    if left > MOST_SHRUNK and len(moves) == len(unit):
        relaxed = _relaxed(state, most)
        if relaxed is not None:
            return relaxed
    if left > MOST_SHRUNK:
        raise InputError(
            f"not enough room: with moves of at most {most:.3g}, overlaps of {left:.3g} of the sum of their "
            "radii remain",
            "discs.fix_overlaps",
        )
    if left <= CLOSE:
        return replace(now, notice=_words(moves[unit]))
    words = f"{_words(moves[unit])}, and all radii were reduced by a fraction of {left:.3g}, for lack of room"
    return replace(now, radii=now.radii * (1.0 - left), notice=words)


def _words(moves: Floats) -> str:
    lengths = np.hypot.reduce(moves, axis=1)
    count = int((lengths > 0.0).sum())
    return f"{count} {'disc was' if count == 1 else 'discs were'} moved apart, by at most {float(lengths.max()):.3g}"


def _relaxed(state: InitialState, most: float) -> InitialState | None:
    """Push single discs with deep overlaps apart as soft discs; None if that moves a disc by more than `most`."""
    found = relax(state.positions, state.radii, state.box, state.periodic)
    if found is None:
        return None
    moves = nearest_image(found - state.positions, state.box, state.periodic)
    if float(np.hypot.reduce(moves, axis=1).max()) > most:
        return None
    return replace(state, positions=found, notice=_words(moves))


def _least_moves(start: InitialState, now: InitialState, unit: NDArray[np.int64], most: float, moves: Floats) -> Floats:
    """The smallest moves (units, d) from `start`, each at most `most`, for the directions of pairs in `now`.

    moves : those from `start` to `now`.
    """
    radii, box = start.radii, start.box
    factor = min(1.0 + 1.01 * most / float(radii.min()), _WIDEST)
    pairs, _ = near_pairs_of(now.positions, radii, box, now.periodic, factor)
    pairs = np.ascontiguousarray(pairs[start.cluster[pairs[:, 0]] != start.cluster[pairs[:, 1]]])
    way = nearest_image(now.positions[pairs[:, 0]] - now.positions[pairs[:, 1]], box, now.periodic)
    distance = np.hypot.reduce(way, axis=1)
    reach = radii[pairs].sum(axis=1)
    along = np.where(distance[:, None] > 0.0, way / np.maximum(distance, 1e-300)[:, None], np.eye(len(box))[0])
    units = unit[pairs]
    # the component along n that `moves` already contain: `distance` includes it
    already = (along * (moves[units[:, 0]] - moves[units[:, 1]])).sum(axis=1)
    wanted = reach * (1.0 + 0.5 * CLOSE) - distance + already
    sweeps = min(_SWEEPS, max(100, _VISITS // (len(pairs) + len(radii))))
    found = np.zeros_like(moves)
    code = Periodic.of(now.periodic, len(box)).code
    _project(found, units, along, wanted, CLOSE * reach, start.positions, radii, box, code, unit, most, sweeps)
    return found


@kernel
def _project(
    moves: NDArray[np.float64],
    units: NDArray[np.int64],
    along: NDArray[np.float64],
    wanted: NDArray[np.float64],
    close: NDArray[np.float64],
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    box: NDArray[np.float64],
    periodic: int,
    unit: NDArray[np.int64],
    most: float,
    sweeps: int,
) -> int:
    """Dykstra's projections on all constraints in turn until all hold; returns the sweeps that are left."""
    count, number = positions.shape[0], moves.shape[0]
    pull = np.zeros(wanted.shape[0])
    axes = box.shape[0]
    push = np.zeros((count, 2 * axes))
    excess = np.zeros((number, axes))
    for sweep in range(sweeps):
        holds = True
        for k in range(wanted.shape[0]):
            a, b = units[k, 0], units[k, 1]
            missing = wanted[k]
            for axis in range(axes):
                missing -= along[k, axis] * (moves[a, axis] - moves[b, axis])
            holds &= missing <= close[k]
            change = max(-pull[k], 0.5 * missing)
            pull[k] += change
            for axis in range(axes):
                moves[a, axis] += change * along[k, axis]
                moves[b, axis] -= change * along[k, axis]
        if has_walls(periodic):
            for i in range(count):
                for side in range(2 * axes):
                    axis, sign = side // 2, 1.0 - 2.0 * (side % 2)
                    if wraps(periodic, axis):
                        continue
                    edge = radii[i] - positions[i, axis] if side % 2 == 0 else positions[i, axis] + radii[i] - box[axis]
                    missing = edge - sign * moves[unit[i], axis]
                    holds &= missing <= 1e-10 * radii[i]
                    change = max(-push[i, side], missing)
                    push[i, side] += change
                    moves[unit[i], axis] += sign * change
        for a in range(number):
            before = after = 0.0
            for axis in range(axes):
                before = np.hypot(before, moves[a, axis])
                excess[a, axis] += moves[a, axis]
                after = np.hypot(after, excess[a, axis])
            holds &= before <= most * (1.0 + 1e-9)
            share = most / max(after, most)
            for axis in range(axes):
                moves[a, axis] = share * excess[a, axis]
                excess[a, axis] -= moves[a, axis]
        if holds:
            return sweeps - sweep
    return 0
