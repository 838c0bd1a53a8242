"""Where a run begins: radii, positions and velocities, drawn from random numbers or read from a file, and checked.

Radii, positions and velocities have a stream of random numbers each. Discs that overlap a little, as in files whose
numbers have few digits, can be moved apart (`moved_apart`).
"""

from __future__ import annotations

from dataclasses import replace
from math import cbrt, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from engine import portable
from engine.arrangements.relaxation import relax
from engine.errors import InputError
from engine.geometry.nearest import wrapped
from engine.kernels import kernel
from engine.limits import fault_of_box, fault_of_masses, fault_of_motion, fault_of_radii
from engine.overlaps import OverlapError, beyond_walls, deepest, deepest_overlap, near_pairs_of
from engine.scenario import Scenario
from engine.state import InitialState, masses_of
from engine.state_file import box_of, read_frame
from engine.system import system_of, systems

Array = NDArray[np.float64]

_MANY = 20_000  # discs; for more, it is not tested whether there is room
OVERLAP_TOLERANCE = 1e-9  # relative to R_i + R_j
CLOSE = 4e-10  # largest remaining overlap, as a share of the sum of two radii
MOST_SHRUNK = 0.01  # largest share by which radii are reduced
_WIDEST = 1.5  # pairs are listed up to this multiple of the sum of their radii
_ROUNDS = 12
_SWEEPS, _VISITS = 20_000, 200_000_000  # limits per round: sweeps, and visits of pairs in all sweeps


def initial_state(scenario: Scenario, *, check: bool = True) -> InitialState:
    """The initial state of a scenario; the same scenario gives the same bits.

    Radii, positions and velocities have streams of random numbers of their own (children of the seed), so that a change
    of one leaves the others as they were. Raises InputError if no such state exists.

    check : False leaves out the search for overlaps, of which an arrangement has none; most are then made without
    compiled kernels (`engine.arrangements.table.Arrangement.compiled`).
    """
    radii_rng, positions_rng, velocities_rng = np.random.default_rng(scenario.seed).spawn(3)
    arrangement = scenario.discs.placed
    if arrangement is None:
        return _from_file(scenario, radii_rng, velocities_rng)
    box = np.array(scenario.box_size())
    periodic = scenario.box.boundary == "periodic"
    radii = draw_radii(scenario, scenario.discs.count, box, radii_rng)
    positions = arrangement.place(radii, box, periodic, positions_rng)
    masses = masses_of(radii, len(box))
    velocities = start_velocities(scenario, masses, velocities_rng)
    aggregated = arrangement.aggregated and system_of(scenario).joins
    cluster = np.zeros(len(radii), np.int32) if aggregated else np.arange(len(radii), dtype=np.int32)
    state = InitialState(positions, velocities, radii, masses, cluster, box, periodic)
    if check:
        validate_state(state, overlaps=system_of(scenario).overlaps)
    return state


def initial_radii(scenario: Scenario) -> NDArray[np.float64]:
    """The radii (N,) of `engine.initial.initial_state`, bit by bit. InputError if there is no such state."""
    if scenario.discs.arrangement == "file":
        return initial_state(scenario, check=False).radii
    radii_rng = np.random.default_rng(scenario.seed).spawn(1)[0]  # the first of those of `initial_state`
    return draw_radii(scenario, scenario.discs.count, np.array(scenario.box_size()), radii_rng)


def draw_radii(scenario: Scenario, count: int, box: Array, rng: np.random.Generator) -> Array:
    """Radii (N,) of the chosen distribution, scaled so that `engine.state.volume_fraction` is that of the scenario."""
    discs = scenario.discs
    relative = np.ones(count)
    if discs.radii == "bidisperse":
        relative[: count // 2] = discs.spread
        rng.shuffle(relative)
    elif discs.radii == "uniform":
        relative = 1.0 + discs.spread * (rng.random(count) - 0.5)
    elif discs.radii == "lognormal":
        relative = portable.exp(sqrt(portable.log1p(discs.spread**2)) * portable.normal(rng, count))
    if len(box) > 2:
        filled = 4.0 / 3.0 * pi * float((relative * relative * relative).sum())
        return np.asarray(relative * cbrt(discs.volume_fraction * float(box.prod()) / filled))
    area = pi * float(np.square(relative).sum())
    return np.asarray(relative * np.sqrt(discs.volume_fraction * box[0] * box[1] / area))


def start_velocities(scenario: Scenario, masses: Array, rng: np.random.Generator) -> Array:
    """Velocities (N, d) as `draw_velocities` draws them, in a periodic box with zero total momentum if the system wants
    that: nothing would ever stop a common motion there. A single disc keeps its velocity."""
    velocities = draw_velocities(scenario, masses, rng)
    if system_of(scenario).rests_as_a_whole and scenario.box.boundary == "periodic" and len(masses) > 1:
        velocities -= (masses[:, None] * velocities).sum(axis=0) / masses.sum()
    return velocities


def draw_velocities(scenario: Scenario, masses: Array, rng: np.random.Generator) -> Array:
    """Velocities (N, d): unit vectors, uniform in [-1/2, 1/2]^d, Maxwell or 0, times ``velocities.speed``.

    Maxwell: each component is normal with standard deviation speed · √(⟨m⟩ / m_i), one temperature for all.
    """
    count = len(masses)
    speed = scenario.velocities.speed
    distribution = scenario.velocities.distribution
    shape = (count, scenario.dimensions)
    if distribution == "circle" and scenario.dimensions > 2:
        way = portable.normal(rng, shape)
        return np.asarray(speed * way / np.linalg.norm(way, axis=1, keepdims=True))
    if distribution == "circle":
        return np.asarray(speed * portable.cos_sin(2.0 * pi * rng.random(count)))
    if distribution == "square":
        return np.asarray(speed * (rng.random(shape) - 0.5))
    if distribution == "maxwell":
        width = np.sqrt(masses.mean() / masses)
        return np.asarray(speed * width[:, None] * portable.normal(rng, shape))
    return np.zeros(shape)


def _from_file(scenario: Scenario, radii_rng: np.random.Generator, velocities_rng: np.random.Generator) -> InitialState:
    """The state in ``discs.file``; what the file leaves open comes from the scenario."""
    path = scenario.discs.file
    frame = read_frame(path, dimensions=scenario.dimensions)
    count = len(frame.positions)
    if scenario.box.size is not None:
        frame.box = np.array(scenario.box_size())
    if frame.radii is None:
        if frame.box is None:
            raise InputError(f"{path} has no radius column and does not give its box; set box.size", "box.size")
        frame.radii = draw_radii(scenario, count, frame.box, radii_rng)
    frame.periodic = scenario.box.boundary == "periodic"
    box = box_of(frame, path)
    masses = masses_of(frame.radii, len(box)) if frame.masses is None else frame.masses
    if scenario.velocities.distribution == "file":
        velocities = np.zeros((count, len(box))) if frame.velocities is None else frame.velocities
    else:
        velocities = start_velocities(scenario, masses, velocities_rng)
    cluster = frame.cluster if system_of(scenario).joins else None  # where nothing sticks, its numbers mean nothing
    if cluster is None:
        cluster = np.arange(count, dtype=np.int32)
    positions = wrapped(frame.positions, box) if frame.periodic else frame.positions
    state = InitialState(positions, velocities, frame.radii, masses, cluster, box, frame.periodic)
    try:
        return _startable(scenario, state)
    except OverlapError as error:
        raise InputError(f"{path}: {error}; {_advice(scenario, state)}", error.key) from None
    except InputError as error:
        raise InputError(f"{path}: {error}", error.key) from None


def _startable(scenario: Scenario, state: InitialState) -> InitialState:
    """The state of a file in a form that its system can start from. Raises InputError if that is not possible."""
    kind = system_of(scenario)
    validate_state(state, overlaps=True, inside=False)
    if scenario.discs.fix_overlaps and not kind.overlaps:
        state = moved_apart(state)
    radii = kind.start_radii(state)
    if radii is not state.radii:
        share = 1.0 - float(radii[0] / state.radii[0])
        notice = f"all radii were reduced by a fraction of {share:.3g}, since discs overlap"
        state = replace(state, radii=radii, notice=f"{state.notice}; {notice}" if state.notice else notice)
    validate_state(state, overlaps=kind.overlaps)
    return state


def _advice(scenario: Scenario, state: InitialState) -> str:
    """Advice for a state that cannot start because discs overlap or reach beyond a wall."""
    length, share = deepest(state)
    if share > MOST_SHRUNK and not _has_room(scenario, state):  # smaller overlaps can always be removed
        return f"the discs do not fit when each moves by at most {length:.3g}"
    advice = f"discs.fix_overlaps = true (--fix-overlaps) moves discs apart, each by at most {length:.3g}"
    jams = next((kind for kind in systems() if kind.forgives >= share and kind.name != scenario.system), None)
    return advice if jams is None else f'{advice}; or first run it with system = "{jams.name}" and use its final state'


def _has_room(scenario: Scenario, state: InitialState) -> bool:
    """Whether discs with deep overlaps can be moved apart. Not tried for very many discs, nor if it has just failed."""
    if scenario.discs.fix_overlaps or len(state.radii) > _MANY:
        return False
    try:
        moved_apart(state)
    except InputError:
        return False
    return True


def validate_state(state: InitialState, *, overlaps: bool = False, inside: bool = True) -> None:
    """Refuse a state that cannot start: shapes, NaN, radii, discs outside the box or overlapping. O(N).

    Discs of the same cluster may touch or overlap; discs of different clusters by at most 1e-9 of R_i + R_j, unless
    discs do not interact (`overlaps`). inside : False allows discs that reach beyond the walls.
    """
    _check_numbers(state)
    _check_sizes(state)
    if inside:
        _check_inside(state)
    if overlaps:
        return
    depth, i, j = deepest_overlap(state.positions, state.radii, state.cluster, state.box, state.periodic)
    if depth > OVERLAP_TOLERANCE:
        things = "discs" if len(state.box) == 2 else "spheres"
        raise OverlapError(f"{things} {i} and {j} overlap by {depth:.3g} of the sum of their radii", "discs.file")


def _check_numbers(state: InitialState) -> None:
    """Shapes, finite numbers, ranges."""
    count = len(state.radii)
    shapes = (state.positions.shape, state.velocities.shape, state.masses.shape, state.cluster.shape)
    if count == 0:
        raise InputError("a state needs at least one disc", "discs.count")
    dimensions = len(state.box)
    fitting = ((count, dimensions), (count, dimensions), (count,), (count,))
    if shapes != fitting or state.box.shape not in ((2,), (3,)):
        raise InputError(f"the arrays of a state of {count} discs do not fit together")
    if fault := fault_of_box(state.box):
        raise InputError(fault, "box.size")
    for name, values in (("position", state.positions), ("velocity", state.velocities)):
        bad = ~np.isfinite(values).all(axis=1)
        if bad.any():
            raise InputError(f"the {name} of disc {int(bad.argmax())} is not a finite number", "discs.file")
    if fault := fault_of_motion(state.velocities):
        raise InputError(fault, "discs.file")
    for name, values in (("radius", state.radii), ("mass", state.masses)):
        bad = ~(np.isfinite(values) & (values > 0.0))
        if bad.any():
            i = int(bad.argmax())
            raise InputError(f"the {name} of disc {i} must be a number above 0, not {values[i]:g}", "discs.file")
    if fault := fault_of_masses(state.masses):
        raise InputError(fault, "discs.file")


def _check_inside(state: InitialState) -> None:
    """Raise InputError unless all discs are inside the box."""
    margin = np.zeros_like(state.radii) if state.periodic else state.radii * (1.0 - OVERLAP_TOLERANCE)
    outside = (state.positions < margin[:, None]) | (state.positions > state.box - margin[:, None])
    if outside.any():
        beyond = beyond_walls(state.positions, state.radii, state.box)
        i = int(np.where(outside.any(axis=1), beyond, -np.inf).argmax())
        how_far = "" if state.periodic else f": it reaches {beyond[i]:.3g} beyond a wall"
        raise OverlapError(
            f"disc {i} at {_in_words(state.positions[i])} with radius {state.radii[i]:g} is not inside the box of "
            f"{_sides(state.box)}{how_far}",
            "discs.file",
        )


def check_centres(positions: NDArray[np.float64], box: NDArray[np.float64]) -> None:
    """Raise InputError if the centre of a disc is not inside a box with walls. positions : (N, d); box : (d,)."""
    outside = ((positions < 0.0) | (positions > box)).any(axis=1)
    if outside.any():
        i = int(outside.argmax())
        raise InputError(f"the centre of disc {i} at {_in_words(positions[i])} is not inside the box of {_sides(box)}")


def _in_words(place: NDArray[np.float64]) -> str:
    return f"({', '.join(f'{part:g}' for part in place)})"


def _sides(box: NDArray[np.float64]) -> str:
    return " x ".join(f"{side:g}" for side in box)


def _check_sizes(state: InitialState) -> None:
    """Raise InputError if a disc is wider than the box, or too small for the precision of its coordinates."""
    if 2.0 * float(state.radii.max()) > float(state.box.min()) * (1.0 + OVERLAP_TOLERANCE):
        raise InputError("the largest disc is wider than the box", "box.size")
    if fault := fault_of_radii(state.radii, state.box):
        raise InputError(fault, "discs.volume_fraction")


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
