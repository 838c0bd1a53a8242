"""What comes before jamming: checks of the states, with error messages, and compression on request.

Compression lets hard discs grow while they fly (Lubachevsky and Stillinger). From any start they approach a jammed
packing on a different path than the chain of linear programs.
"""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from engine.arrays import Floats
from engine.boundary import AXES, Periodic
from engine.errors import InputError
from engine.files.quantities import PARTS
from engine.geometry.neighbours import DenseState, near_pairs, walls, widest_growth
from engine.hard_discs.simulation import HardDiscGas
from engine.hard_discs.theory import CLOSE_PACKING
from engine.jamming.rules import RULES, volume_fraction
from engine.jamming.section import Jamming
from engine.overlaps import OVERLAP_TOLERANCE, OverlapError
from engine.portable import normal
from engine.scenario import Scenario
from engine.state import InitialState

SOLVERS = ("interior-point", "highs")


def fewest(periodic: Periodic) -> int:
    """The smallest number of discs that can hold each other, or that walls can hold."""
    return 2 if periodic.any else 1


def checked_state(
    positions: ArrayLike, radii: ArrayLike, box: ArrayLike, periodic: Periodic | bool
) -> tuple[Floats, Floats, Floats]:
    """Check an initial state.

    Returns
    -------
    Copies as float64 arrays: positions (N, d) inside the box, radii (N,), box (d,). Overlaps within the tolerance are
    removed by reducing the radii.

    Raises
    ------
    InputError : invalid shapes or values, or larger overlaps.
    """
    positions, radii, box = (
        _as_numbers(values, name) for values, name in ((positions, "positions"), (radii, "radii"), (box, "box"))
    )
    if positions.ndim != 2 or positions.shape[1] not in (2, 3):
        raise InputError(f"positions must have the shape (N, 2) or (N, 3), not {positions.shape}")
    count, dimensions = positions.shape
    if radii.shape != (count,):
        raise InputError(f"radii must have the shape ({count},) for {count} positions, not {radii.shape}")
    if box.shape != (dimensions,):
        raise InputError(f"the box must have {dimensions} sides, not the shape {box.shape}", "box.size")
    around = Periodic.of(periodic, dimensions)
    if count < fewest(around):
        lone = "an empty box" if count == 0 else "a single disc in a periodic box, which meets only its own images,"
        if count and around.mixed:
            lone = f"a single disc in a box with {around.words}, which nothing holds along {AXES[around.axes[0]]},"
        raise InputError(f"{lone} cannot jam: at least {'2 are' if around.any else '1 is'} needed", "discs.count")
    if not (np.isfinite(box).all() and (box > 0.0).all()):
        raise InputError(f"the sides of the box must be numbers above 0, not {box.tolist()}", "box.size")
    _check_discs(positions, radii)
    _check_density(radii, box)
    positions = wrapped(positions, box, around)
    if (outside := ((positions < 0.0) | (positions > box)).any(axis=1)).any():
        i = int(outside.argmax())
        raise InputError(f"disc {i} at {positions[i].tolist()} is not inside the box", "discs.file")
    return positions, without_overlap(positions, radii, box, around), box


def checked_names(rules: str, solver: str) -> None:
    """Refuse rules and solvers that do not exist."""
    if rules not in RULES:
        raise InputError(f"rules must be one of {', '.join(sorted(RULES))}, not {rules!r}", "jamming.rules")
    if solver not in SOLVERS:
        raise InputError(f"solver must be one of {', '.join(SOLVERS)}, not {solver!r}", "jamming.solver")


def checked_tolerance(name: str, value: Any) -> float:
    """A tolerance above 0 and below 1. Raises InputError."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating, np.integer)):
        raise InputError(f"{name} must be a number, not {value!r}", f"jamming.{name}")
    if not (isfinite(value) and 0.0 < value < 1.0):
        raise InputError(f"{name} must be above 0 and below 1, not {value:g}", f"jamming.{name}")
    return float(value)


def checked_iterations(value: Any) -> int:
    """A number of iterations, at least 1. Raises InputError."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise InputError(f"max_iterations must be a whole number above 0, not {value!r}", "jamming.max_iterations")
    return int(value)


def wrapped(positions: Floats, box: Floats, periodic: Periodic) -> Floats:
    """The images of positions in [0, box) along periodic axes, (N, d)."""
    inside = positions - np.floor(positions / box) * box
    return np.where(periodic, np.where(inside >= box, 0.0, inside), positions)


def _as_numbers(values: ArrayLike, name: str) -> Floats:
    try:
        return np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be an array of numbers") from error


def _check_discs(positions: Floats, radii: Floats) -> None:
    for name, values in (("positions", positions), ("radii", radii)):
        if fault := PARTS[name].fault_of(values):
            raise InputError(fault, "discs.file")


def _check_density(radii: Floats, box: Floats) -> None:
    """Refuse discs that fill more than the densest packing; for unequal discs that is only known to be below 1."""
    equal = float(radii.max()) <= float(radii.min()) * (1.0 + 1e-9)
    densest = CLOSE_PACKING[len(box)] * (1.0 + 1e-9) if equal else 1.0
    fraction = volume_fraction(radii, box)
    if fraction > densest:
        kind = "close packing of equal discs" if equal else "a full box"
        raise InputError(
            f"the volume fraction is {fraction:.6g}, above {kind} ({min(densest, 1.0):.6g})",
            "discs.volume_fraction",
        )


def without_overlap(
    positions: Floats, radii: Floats, box: Floats, periodic: Periodic | bool, *, most: float = OVERLAP_TOLERANCE
) -> Floats:
    """The radii (N,), reduced in the same ratio if discs overlap each other or a wall.

    Parameters
    ----------
    most : the deepest overlap that is removed, as a share of the sum of two radii.

    Raises
    ------
    OverlapError : discs overlap by more.
    """
    state = DenseState(np.ascontiguousarray(positions), np.ascontiguousarray(radii), box, periodic)
    factor, _ = widest_growth(state)
    if factor >= 1.0:
        return radii
    if factor < 1.0 - most:
        raise OverlapError(
            f"the start overlaps: {_tightest(state)}, by {1.0 - factor:.3g} of the sum of their radii, more than "
            f"{most:g}; this state cannot be jammed",
            "discs.file",
        )
    return np.asarray(radii * factor)


def _tightest(state: DenseState) -> str:
    """The discs with the deepest overlap, in words."""
    first, second, vectors = near_pairs(state, cutoff=0.0, growth=1.0, step=0.0)
    shares = np.linalg.norm(vectors, axis=1) / (state.radii[first] + state.radii[second])
    margins = np.full(len(state.radii), np.inf)
    for *_, distances in walls(state):
        margins = np.minimum(margins, distances / state.radii)
    of_image = 0.5 * float(state.periodic.periods(state.box).min()) / float(state.radii.max())
    if min(float(margins.min()), of_image) <= float(shares.min(initial=np.inf)):
        return f"disc {int(margins.argmin())} and a wall" if margins.min() < of_image else "a disc and its image"
    i, j = sorted((int(first[shares.argmin()]), int(second[shares.argmin()])))
    return f"discs {i} and {j}"


PRESSURE = 1e3
"""Growth ends when the compressibility Z exceeds this."""

DENSEST = {2: 0.9, 3: 0.735}
"""Volume fraction at which growth ends at the latest, by the number of dimensions: equal discs that grow slowly become
a crystal."""

_RATE = 0.01  # dR/dt over the thermal speed: faster growth jams discs where they are, slower only takes longer


def grows(scenario: Scenario, state: InitialState) -> bool:
    """Whether these discs are to be grown first, and are not already as dense as after growth. A single disc meets no
    other, so that its growth would not end.
    """
    loose = len(state.radii) > 1 and volume_fraction(state.radii, state.box) < DENSEST[len(state.box)]
    return scenario.section(Jamming).start == "grown" and loose


def growing_scenario(scenario: Scenario) -> Scenario:
    """The scenario of the hard discs: elastic, without gravity, growing."""
    return scenario.with_values(
        {
            "system": "hard-discs",
            "hard_discs.restitution": 1.0,
            "hard_discs.wall_restitution": 1.0,
            "hard_discs.gravity": [0.0] * scenario.dimensions,
            "hard_discs.growth_rate": _RATE,
            "hard_discs.growth_to_fraction": DENSEST[scenario.dimensions],
            "hard_discs.growth_to_pressure": PRESSURE,
            "hard_discs.contact_time": 0.0,
            "hard_discs.equilibration": 0.0,
            "hard_discs.on_collapse": "continue",
        }
    )


def growing_discs(scenario: Scenario, state: InitialState) -> HardDiscGas:
    """The hard discs at their start, with Maxwell's velocities from the seed. InputError if they cannot grow."""
    rng = np.random.default_rng(scenario.seed).spawn(4)[3]  # the first three make the state
    width = np.sqrt(state.masses.mean() / state.masses)
    velocities: Floats = width[:, None] * normal(rng, (len(width), len(state.box)))
    alone = np.arange(len(width), dtype=np.int32)
    return HardDiscGas(growing_scenario(scenario), replace(state, velocities=velocities, cluster=alone))
