"""Pushing overlapping discs or spheres apart: soft ones with harmonic repulsion, relaxed by FIRE."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.geometry.cells import SLACK, CellGrid, cell_grid, column_ranges, row_range
from engine.geometry.minimum_image import axis_distance, periods_to_nearest, rounded_image
from engine.geometry.neighbours import DenseState, near_pairs
from engine.geometry.pairs import Pairs
from engine.geometry.vectors import Vector, dot, minus, over, row_of, times
from engine.kernels import borrowed, inner, kernel
from engine.records import record

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
    periodic: bool,
) -> NDArray[np.float64] | None:
    """Positions (N, d) near `start` at which discs with `radii` (N,) do not overlap, inside walls or periodic.

    Fast inertial relaxation (FIRE, Bitzek et al. 2006) of the energy Σ (R_i' + R_j' - |X_i - X_j|)² / 2 over
    overlapping soft discs, R' = 1.001 R. None if they jam before.
    """
    count = len(radii)
    soft = radii * (1.0 + MARGIN)
    skin = SKIN * float(radii.mean())
    positions, velocity, force = start.copy(), np.zeros_like(start), np.zeros_like(start)
    fire = np.array([(0.1, 0.1, 0.0)], _FIRE)[0]
    sides = tuple(box.tolist())
    near = _near_in_space if len(box) > 2 else _near_in_plane
    pairs = np.empty((8 * count + 64, 2), np.int32)
    left = MAX_STEPS
    while True:
        pairs, found = near(DenseState(positions, soft, box, periodic), skin, pairs)
        status, left = _fire(
            positions, velocity, force, radii, soft, sides, periodic, pairs[:found], positions.copy(), skin, fire, left
        )
        if status == _APART:
            return positions
        if status == _STEPS_SPENT:
            return None


def _near_in_plane(state: DenseState, skin: float, pairs: Pairs) -> tuple[Pairs, int]:
    """Pairs of soft discs with gaps below `skin`, in `pairs` or, where it has no room for them, in another array, and
    how many there are."""
    width = (2.0 * float(state.radii.max()) + skin) * SLACK
    grid = cell_grid(state.positions, state.box, periodic=state.periodic, width=width)
    found = _list_pairs(grid, state.radii, skin, pairs)
    if found > len(pairs):
        pairs = np.empty((found + found // 4, 2), np.int32)
        found = _list_pairs(grid, state.radii, skin, pairs)
    return pairs, found


def _near_in_space(state: DenseState, skin: float, pairs: Pairs) -> tuple[Pairs, int]:
    """Pairs of soft spheres with gaps below `skin`, each at its nearest image, and how many there are."""
    wider = state._replace(radii=state.radii + 0.5 * skin)
    first, second, apart = near_pairs(wider, cutoff=0.0, growth=1.0, step=0.0)
    nearest = (np.abs(apart) <= 0.5 * state.box).all(axis=1) if state.periodic else np.ones(len(first), np.bool_)
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
    periodic: bool,
    pairs: NDArray[np.int32],
    force: NDArray[np.float64],
) -> bool:
    """Forces (N, d), unit stiffness times the soft overlaps; returns whether any real discs overlap."""
    force[:] = 0.0
    overlapping = False
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        apart = minus(row_of(positions, i, box), row_of(positions, j, box))
        if periodic:
            apart = minus(apart, periods_to_nearest(apart, box))
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
    if not periodic:
        for i in range(positions.shape[0]):
            for axis in range(len(box)):
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
    periodic: bool,
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
        if not _repel(positions, radii, soft, box, periodic, pairs, force):
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
                if periodic:
                    x -= box[axis] * np.floor(x / box[axis])
                else:  # walls act at most up to the centre of the disc
                    x = min(max(x, 0.0), box[axis])
                positions[i, axis] = x
                d = x - listed[i, axis]
                if periodic:
                    d = rounded_image(d, box[axis])
                moved += d * d
            farthest = max(farthest, moved)
        if farthest > 0.25 * skin * skin:
            return _LIST_OLD, steps - step - 1
    return _STEPS_SPENT, 0
