"""Moving discs apart that overlap a little, as in files whose numbers have few digits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.arrangements.relaxation import relax
from engine.errors import InputError
from engine.initial.checks import OVERLAP_TOLERANCE
from engine.kernels import kernel
from engine.overlaps import deepest, near_pairs_of
from engine.state import InitialState

Array = NDArray[np.float64]

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
        if state.periodic:
            positions -= np.floor(positions / state.box) * state.box
            positions = np.where(positions >= state.box, 0.0, positions)
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


def _words(moves: Array) -> str:
    lengths = np.hypot.reduce(moves, axis=1)
    count = int((lengths > 0.0).sum())
    return f"{count} {'disc was' if count == 1 else 'discs were'} moved apart, by at most {float(lengths.max()):.3g}"


def _relaxed(state: InitialState, most: float) -> InitialState | None:
    """Push single discs with deep overlaps apart as soft discs; None if that moves a disc by more than `most`."""
    found = relax(state.positions, state.radii, state.box, state.periodic)
    if found is None:
        return None
    moves = found - state.positions
    if state.periodic:
        moves -= state.box * np.round(moves / state.box)
    if float(np.hypot.reduce(moves, axis=1).max()) > most:
        return None
    return replace(state, positions=found, notice=_words(moves))


def _least_moves(start: InitialState, now: InitialState, unit: NDArray[np.int64], most: float, moves: Array) -> Array:
    """The smallest moves (units, d) from `start`, each at most `most`, for the directions of pairs in `now`.

    moves : those from `start` to `now`.
    """
    radii, box = start.radii, start.box
    factor = min(1.0 + 1.01 * most / float(radii.min()), _WIDEST)
    pairs, _ = near_pairs_of(now.positions, radii, box, now.periodic, factor)
    pairs = np.ascontiguousarray(pairs[start.cluster[pairs[:, 0]] != start.cluster[pairs[:, 1]]])
    way = now.positions[pairs[:, 0]] - now.positions[pairs[:, 1]]
    if now.periodic:
        way -= box * np.round(way / box)
    distance = np.hypot.reduce(way, axis=1)
    reach = radii[pairs].sum(axis=1)
    along = np.where(distance[:, None] > 0.0, way / np.maximum(distance, 1e-300)[:, None], np.eye(len(box))[0])
    units = unit[pairs]
    # the component along n that `moves` already contain: `distance` includes it
    already = (along * (moves[units[:, 0]] - moves[units[:, 1]])).sum(axis=1)
    wanted = reach * (1.0 + 0.5 * CLOSE) - distance + already
    sweeps = min(_SWEEPS, max(100, _VISITS // (len(pairs) + len(radii))))
    found = np.zeros_like(moves)
    _project(found, units, along, wanted, CLOSE * reach, start.positions, radii, box, now.periodic, unit, most, sweeps)
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
    periodic: bool,
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
        if not periodic:
            for i in range(count):
                for side in range(2 * axes):
                    axis, sign = side // 2, 1.0 - 2.0 * (side % 2)
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
