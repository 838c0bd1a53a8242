"""Checks of the state that a simulation starts from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.limits import fault_of_box, fault_of_masses, fault_of_motion, fault_of_radii
from engine.overlaps import OverlapError, beyond_walls, deepest_overlap
from engine.state import InitialState

OVERLAP_TOLERANCE = 1e-9  # relative to R_i + R_j


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
