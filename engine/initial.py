"""Where a run begins: radii, positions and velocities, drawn from random numbers or read from a file, and checked.

Radii, positions and velocities have a stream of random numbers each.
"""

from __future__ import annotations

from dataclasses import replace
from math import cbrt, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from engine import portable
from engine.arrangements.relaxation import MOST_SHRUNK, moved_apart
from engine.arrays import Floats
from engine.boundary import Periodic
from engine.errors import InputError, either, fault_of_box, fault_of_flow, fault_of_radii
from engine.files import FileFrame
from engine.files.quantities import ALWAYS, PARTS
from engine.geometry.nearest import wrapped
from engine.overlaps import OVERLAP_TOLERANCE, OverlapError, beyond_walls, deepest, deepest_overlap
from engine.scenario import DiscsSection, Scenario
from engine.scenario.kinds import kinds_of
from engine.state import TURNING, InitialState, masses_of, moments_of_inertia
from engine.state_file import box_of, read_frame
from engine.system import system_of, systems
from engine.words import body_names

_MANY = 20_000  # discs; for more, it is not tested whether there is room


def initial_state(scenario: Scenario, *, check: bool = True) -> InitialState:
    """The initial state of a scenario; the same scenario gives the same bits.

    Radii, positions and velocities have streams of random numbers of their own (children of the seed), so that a change
    of one leaves the others as they were. Raises InputError if no such state exists.

    check : False leaves out the search for overlaps, of which an arrangement has none; most are then made without
    compiled kernels (`engine.arrangements.table.Arrangement.compiled`).
    """
    radii_rng, positions_rng, velocities_rng, spins_rng = np.random.default_rng(scenario.seed).spawn(4)
    arrangement = scenario.discs.placed
    if arrangement is None:
        return _from_file(scenario, radii_rng, velocities_rng, spins_rng)
    box = np.array(scenario.box_size())
    periodic = scenario.periodic
    radii, masses = draw_sizes(scenario, scenario.discs.count, box, radii_rng)
    positions = arrangement.place(radii, box, periodic, positions_rng)
    velocities = start_velocities(scenario, masses, velocities_rng)
    aggregated = arrangement.aggregated and system_of(scenario).joins
    cluster = np.zeros(len(radii), np.int32) if aggregated else np.arange(len(radii), dtype=np.int32)
    state = InitialState(positions, velocities, radii, masses, cluster, box, periodic)
    state.spin = draw_spins(scenario, state, spins_rng)
    if check:
        validate_state(state, overlaps=system_of(scenario).overlaps)
    return state


def initial_radii(scenario: Scenario) -> NDArray[np.float64]:
    """The radii (N,) of `engine.initial.initial_state`, bit by bit. InputError if there is no such state."""
    if scenario.discs.arrangement == "file":
        return initial_state(scenario, check=False).radii
    radii_rng = np.random.default_rng(scenario.seed).spawn(1)[0]  # the first of those of `initial_state`
    return draw_sizes(scenario, scenario.discs.count, np.array(scenario.box_size()), radii_rng)[0]


def draw_sizes(scenario: Scenario, count: int, box: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Radii (N,) of the chosen distribution, scaled so that `engine.state.volume_fraction` is that of the scenario, and
    masses (N,), with the mean 1."""
    kinds = kinds_of(scenario.discs.kinds)
    if kinds is None:
        radii = _scaled(scenario, _drawn(scenario.discs, count, rng), box)
        return radii, masses_of(radii, len(box))
    which = np.repeat(np.arange(len(kinds.radius)), kinds.numbers(count))
    rng.shuffle(which)
    radii = _scaled(scenario, kinds.radius[which], box)
    if kinds.mass is None:
        return radii, masses_of(radii, len(box))
    masses = kinds.mass[which]
    return radii, masses / masses.mean()


def _drawn(discs: DiscsSection, count: int, rng: np.random.Generator) -> Floats:
    """Radii (N,) of the chosen distribution in any unit."""
    relative = np.ones(count)
    if discs.radii == "bidisperse":
        relative[: count // 2] = discs.spread
        rng.shuffle(relative)
    elif discs.radii == "uniform":
        relative = 1.0 + discs.spread * (rng.random(count) - 0.5)
    elif discs.radii == "lognormal":
        relative = portable.exp(sqrt(portable.log1p(discs.spread**2)) * portable.normal(rng, count))
    return relative


def _scaled(scenario: Scenario, relative: Floats, box: Floats) -> Floats:
    """Radii (N,), scaled so that they have the volume fraction of the scenario in the box (d,)."""
    if len(box) > 2:
        filled = 4.0 / 3.0 * pi * float((relative * relative * relative).sum())
        return np.asarray(relative * cbrt(scenario.discs.volume_fraction * float(box.prod()) / filled))
    area = pi * float(np.square(relative).sum())
    return np.asarray(relative * np.sqrt(scenario.discs.volume_fraction * box[0] * box[1] / area))


def start_velocities(scenario: Scenario, masses: Floats, rng: np.random.Generator) -> Floats:
    """Velocities (N, d) as `draw_velocities` draws them, with zero total momentum along periodic axes if the system
    wants that: nothing would ever stop a common motion there. A single disc keeps its velocity.

    With ``velocities.exact`` they are scaled to the temperature that their distribution has on average.
    """
    velocities = draw_velocities(scenario, masses, rng)
    dimensions, axes = scenario.dimensions, list(scenario.periodic.axes)
    freedom = dimensions * len(masses)
    if system_of(scenario).rests_as_a_whole and axes and len(masses) > 1:
        velocities[:, axes] -= (masses[:, None] * velocities).sum(axis=0)[axes] / masses.sum()
        freedom -= len(axes)  # the temperature is that of the motion relative to the centre of mass
    if scenario.velocities.exact and velocities.any():
        share = {"circle": 1.0 / dimensions, "square": 1.0 / 12.0, "maxwell": 1.0}[scenario.velocities.distribution]
        wanted = share * float(masses.mean()) * scenario.velocities.speed**2
        found = float((masses[:, None] * np.square(velocities)).sum())
        velocities *= sqrt(wanted * dimensions * (freedom / dimensions) / found)
    return velocities


def draw_velocities(scenario: Scenario, masses: Floats, rng: np.random.Generator) -> Floats:
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


def draw_spins(scenario: Scenario, state: InitialState, rng: np.random.Generator) -> Floats | None:
    """ω of each disc, (N,), or (N, 3) in space, as ``velocities.spin`` says; None where all are 0.

    Thermal: normal, so that ½ I ⟨ω²⟩ of each, about each axis, is the mean kinetic energy of the velocities in one
    direction. A number: that ω, in space about an axis of any direction.
    """
    spin, (count, dimensions) = scenario.velocities.spin, state.positions.shape
    if not spin:
        return None
    axes = portable.normal(rng, (count, 3)) if dimensions > 2 else np.ones(count)
    if spin == "thermal":
        temperature = float((state.masses[:, None] * np.square(state.velocities)).mean())
        usual = np.sqrt(temperature / moments_of_inertia(state.masses, state.radii, dimensions))
        return np.asarray(usual[:, None] * axes if dimensions > 2 else usual * portable.normal(rng, count))
    return np.asarray(spin * axes / (np.linalg.norm(axes, axis=1, keepdims=True) if dimensions > 2 else 1.0))


def _from_file(
    scenario: Scenario,
    radii_rng: np.random.Generator,
    velocities_rng: np.random.Generator,
    spins_rng: np.random.Generator,
) -> InitialState:
    """The state in ``discs.file``; what the file leaves open comes from the scenario.

    Spins of the file are taken over with its velocities; where nothing turns they are left out.
    """
    path = scenario.discs.file
    frame = read_frame(path, dimensions=scenario.dimensions)
    count = len(frame.positions)
    if scenario.box.size is not None:
        frame.box = np.array(scenario.box_size())
    if frame.radii is None:
        if frame.box is None:
            raise InputError(f"{path} has no radius column and does not give its box; set box.size", "box.size")
        frame.radii, drawn = draw_sizes(scenario, count, frame.box, radii_rng)
        frame.masses = drawn if frame.masses is None else frame.masses
    frame.periodic = scenario.periodic
    box = box_of(frame, path)
    _check_tilt(scenario, frame)
    masses = masses_of(frame.radii, len(box)) if frame.masses is None else frame.masses
    if scenario.velocities.distribution == "file":
        velocities = np.zeros((count, len(box))) if frame.velocities is None else frame.velocities
    else:
        velocities = start_velocities(scenario, masses, velocities_rng)
    cluster = frame.cluster if system_of(scenario).joins else None  # where nothing sticks, its numbers mean nothing
    if cluster is None:
        cluster = np.arange(count, dtype=np.int32)
    positions = wrapped(frame.positions, box, frame.around)
    state = InitialState(positions, velocities, frame.radii, masses, cluster, box, frame.periodic, strain=frame.strain)
    if scenario.velocities.distribution == "file":
        state.shear_rate = frame.shear_rate
    if scenario.velocities.distribution == "file" and system_of(scenario).turns(scenario):
        for name in TURNING:
            setattr(state, name, frame.part(name))
    if state.spin is None:
        state.spin = draw_spins(scenario, state, spins_rng)
    try:
        return _startable(scenario, state)
    except OverlapError as error:
        raise InputError(f"{path}: {error}; {_advice(scenario, state)}", error.key) from None
    except InputError as error:
        raise InputError(f"{path}: {error}", error.key) from None


def _check_tilt(scenario: Scenario, frame: FileFrame) -> None:
    """Raise InputError for a tilted box in which this scenario cannot run."""
    if not frame.strain:
        return
    tilted = f"the box in {scenario.discs.file} is tilted"
    if not system_of(scenario).shears:
        able = either(f'"{kind.name}"' for kind in systems() if kind.shears)
        raise InputError(f"{tilted}: system must be {able}, which can be sheared", "system")
    if not scenario.periodic.all:
        raise InputError(f'{tilted}: box.boundary must be "periodic"', "box.boundary")
    if scenario.discs.fix_overlaps:
        raise InputError(f"{tilted}: discs.fix_overlaps must be false", "discs.fix_overlaps")


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
    if state.around.offset:
        return "in a tilted box discs cannot be moved apart"
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
    depth, i, j = deepest_overlap(state.positions, state.radii, state.cluster, state.box, state.around)
    if depth > OVERLAP_TOLERANCE:
        things = body_names(len(state.box)).discs
        raise OverlapError(f"{things} {i} and {j} overlap by {depth:.3g} of the sum of their radii", "discs.file")


def _check_numbers(state: InitialState) -> None:
    """Raise InputError for a state whose arrays do not fit together, are not finite, or are out of range."""
    count = len(state.radii)
    if count == 0:
        raise InputError("a state needs at least one disc", "discs.count")
    dimensions = len(state.box)
    if state.box.shape not in ((2,), (3,)):
        raise InputError("the box of a state must have two or three sides", "box.size")
    if fault := fault_of_box(state.box):
        raise InputError(fault, "box.size")
    if fault := fault_of_flow(state.strain, state.shear_rate, state.box, state.periodic.all):
        raise InputError(fault, "discs.file")
    for name in (*ALWAYS, *TURNING):
        values = getattr(state, name)
        if values is None:
            continue
        if values.shape != PARTS[name].shape(count, dimensions):
            raise InputError(
                f"the arrays of a state of {count} discs do not fit together: {name} is of shape {values.shape}"
            )
        if fault := PARTS[name].fault_of(values):
            raise InputError(fault, "discs.file")


def _check_inside(state: InitialState) -> None:
    """Raise InputError unless all discs are inside the box."""
    margin = np.where(state.periodic, 0.0, (state.radii * (1.0 - OVERLAP_TOLERANCE))[:, None])
    outside = (state.positions < margin) | (state.positions > state.box - margin)
    if outside.any():
        beyond = beyond_walls(state, range(len(state.box)))
        i = int(np.where(outside.any(axis=1), beyond, -np.inf).argmax())
        behind = beyond_walls(state, state.periodic.walls)[i]
        how_far = f": it reaches {behind:.3g} beyond a wall" if behind > 0.0 else ""
        raise OverlapError(
            f"disc {i} at {_in_words(state.positions[i])} with radius {state.radii[i]:g} is not inside the box of "
            f"{_sides(state.box)}{how_far}",
            "discs.file",
        )


def check_centres(positions: NDArray[np.float64], box: NDArray[np.float64], periodic: Periodic) -> None:
    """Raise InputError if the centre of a disc lies beyond a wall of the box. positions : (N, d); box : (d,)."""
    outside = (((positions < 0.0) | (positions > box)) & ~np.array(periodic)).any(axis=1)
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
