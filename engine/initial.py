"""The state that a scenario starts from: radii, positions, velocities, each from random numbers of their own."""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import NDArray

from engine.arrangements import lattice_positions
from engine.errors import InputError
from engine.initial_file import box_of, read_frame
from engine.overlaps import deepest_overlap
from engine.random_packing import random_positions
from engine.scenario import Scenario
from engine.scenario.model import MAX_SIDE, MIN_SIDE
from engine.state import InitialState

Array = NDArray[np.float64]

OVERLAP_TOLERANCE = 1e-9  # relative to R_i + R_j
SMALLEST = 1e-12  # radius over the longer side of the box
FASTEST = 1e15


def initial_state(scenario: Scenario, *, check: bool = True) -> InitialState:
    """The initial state of a scenario; the same scenario gives the same bits.

    Radii, positions and velocities have streams of random numbers of their own (children of the seed), so that a
    change of one leaves the others as they were. Raises InputError where no such state exists.

    check : False leaves out the search for overlaps, of which a lattice has none; a lattice is then made without
    compiled kernels.
    """
    radii_rng, positions_rng, velocities_rng = np.random.default_rng(scenario.seed).spawn(3)
    if scenario.discs.arrangement == "file":
        return _from_file(scenario, radii_rng, velocities_rng)
    box = np.array(scenario.box_size())
    periodic = scenario.box.boundary == "periodic"
    radii = draw_radii(scenario, scenario.discs.count, box, radii_rng)
    if scenario.discs.arrangement == "lattice":
        positions = lattice_positions(radii, box)
    else:
        positions = random_positions(radii, box, periodic, positions_rng)
    masses = masses_of(radii)
    velocities = draw_velocities(scenario, masses, velocities_rng)
    cluster = np.arange(len(radii), dtype=np.int32)
    state = InitialState(positions, velocities, radii, masses, cluster, box, periodic)
    if check:
        validate_state(state)
    return state


def masses_of(radii: Array) -> Array:
    """Masses m_i ∝ R_i² with mean 1, (N,)."""
    squares = radii * radii
    return np.asarray(squares / squares.mean())


def draw_radii(scenario: Scenario, count: int, box: Array, rng: np.random.Generator) -> Array:
    """Radii (N,) of the chosen distribution, scaled so that V_f = Σ π R_i² / (L_x L_y)."""
    discs = scenario.discs
    relative = np.ones(count)
    if discs.radii == "bidisperse":
        relative[: count // 2] = discs.spread
        rng.shuffle(relative)
    elif discs.radii == "uniform":
        relative = 1.0 + discs.spread * (rng.random(count) - 0.5)
    elif discs.radii == "lognormal":
        relative = np.exp(np.sqrt(np.log1p(discs.spread**2)) * rng.standard_normal(count))
    area = pi * float(np.square(relative).sum())
    return np.asarray(relative * np.sqrt(discs.volume_fraction * box[0] * box[1] / area))


def draw_velocities(scenario: Scenario, masses: Array, rng: np.random.Generator) -> Array:
    """Velocities (N, 2): unit vectors, uniform in [-1/2, 1/2]², Maxwell or 0, times ``velocities.speed``.

    Maxwell: each component is normal with standard deviation speed · √(⟨m⟩ / m_i), one temperature for all.
    """
    count = len(masses)
    speed = scenario.velocities.speed
    distribution = scenario.velocities.distribution
    if distribution == "circle":
        angle = 2.0 * pi * rng.random(count)
        return np.asarray(speed * np.stack([np.cos(angle), np.sin(angle)], axis=1))
    if distribution == "square":
        return np.asarray(speed * (rng.random((count, 2)) - 0.5))
    if distribution == "maxwell":
        width = np.sqrt(masses.mean() / masses)
        return np.asarray(speed * width[:, None] * rng.standard_normal((count, 2)))
    return np.zeros((count, 2))


def validate_state(state: InitialState) -> None:
    """Refuse a state that cannot start: shapes, NaN, radii, discs outside the box or overlapping. O(N).

    Discs of the same cluster may touch or overlap; discs of different clusters by at most 1e-9 of R_i + R_j.
    """
    _check_numbers(state)
    _check_inside(state)
    depth, i, j = deepest_overlap(state.positions, state.radii, state.cluster, state.box, state.periodic)
    if depth > OVERLAP_TOLERANCE:
        raise InputError(
            f"discs {i} and {j} overlap by {depth:.3g} of the sum of their radii; discs of different clusters must "
            "not overlap",
            "discs.file",
        )


def _check_numbers(state: InitialState) -> None:
    count = len(state.radii)
    shapes = (state.positions.shape, state.velocities.shape, state.masses.shape, state.cluster.shape)
    if count == 0:
        raise InputError("a state needs at least one disc", "discs.count")
    if shapes != ((count, 2), (count, 2), (count,), (count,)) or state.box.shape != (2,):
        raise InputError(f"the arrays of a state of {count} discs do not fit together")
    if not ((state.box >= MIN_SIDE) & (state.box <= MAX_SIDE)).all():
        raise InputError(
            f"the sides of the box must be from {MIN_SIDE:g} to {MAX_SIDE:g}, not {state.box.tolist()}", "box.size"
        )
    for name, values in (("position", state.positions), ("velocity", state.velocities)):
        bad = ~np.isfinite(values).all(axis=1)
        if bad.any():
            raise InputError(f"the {name} of disc {int(bad.argmax())} is not a finite number", "discs.file")
    if float(np.abs(state.velocities).max()) > FASTEST:
        i = int(np.abs(state.velocities).max(axis=1).argmax())
        raise InputError(f"disc {i} is faster than {FASTEST:g}", "discs.file")
    for name, values in (("radius", state.radii), ("mass", state.masses)):
        bad = ~(np.isfinite(values) & (values > 0.0))
        if bad.any():
            i = int(bad.argmax())
            raise InputError(f"the {name} of disc {i} must be a number above 0, not {values[i]:g}", "discs.file")


def _check_inside(state: InitialState) -> None:
    margin = np.zeros_like(state.radii) if state.periodic else state.radii * (1.0 - OVERLAP_TOLERANCE)
    outside = (state.positions < margin[:, None]) | (state.positions > state.box - margin[:, None])
    if outside.any():
        i = int(outside.any(axis=1).argmax())
        x, y = state.positions[i]
        raise InputError(
            f"disc {i} at ({x:g}, {y:g}) with radius {state.radii[i]:g} is not inside the box of "
            f"{state.box[0]:g} x {state.box[1]:g}",
            "discs.file",
        )
    if 2.0 * float(state.radii.max()) > float(state.box.min()) * (1.0 + OVERLAP_TOLERANCE):
        raise InputError("the largest disc is wider than the box", "box.size")
    if float(state.radii.min()) < SMALLEST * float(state.box.max()):
        raise InputError(
            f"the smallest radius, {float(state.radii.min()):.3g}, is less than {SMALLEST:g} of the box's longer side: "
            "positions do not resolve it",
            "discs.volume_fraction",
        )


def _from_file(scenario: Scenario, radii_rng: np.random.Generator, velocities_rng: np.random.Generator) -> InitialState:
    """The state in ``discs.file``; what the file leaves open comes from the scenario."""
    path = scenario.discs.file
    frame = read_frame(path)
    count = len(frame.positions)
    if scenario.box.size is not None:
        frame.box = np.array(scenario.box_size())
    if frame.radii is None:
        if frame.box is None:
            raise InputError(f"{path} has no radius column and does not say its box; set box.size", "box.size")
        frame.radii = draw_radii(scenario, count, frame.box, radii_rng)
    frame.periodic = scenario.box.boundary == "periodic"
    box = box_of(frame, path)
    masses = masses_of(frame.radii) if frame.masses is None else frame.masses
    if scenario.velocities.distribution == "file":
        velocities = np.zeros((count, 2)) if frame.velocities is None else frame.velocities
    else:
        velocities = draw_velocities(scenario, masses, velocities_rng)
    cluster = np.arange(count, dtype=np.int32) if frame.cluster is None else frame.cluster
    state = InitialState(frame.positions, velocities, frame.radii, masses, cluster, box, frame.periodic)
    try:
        validate_state(state)
    except InputError as error:
        raise InputError(f"{path}: {error}", error.key) from None
    return state
