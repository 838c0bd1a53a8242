"""What a run of jamming ends with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.jamming.neighbours import Floats, Ints
from engine.simulation import StressPatch


@dataclass(frozen=True)
class Iteration:
    """One program of the chain and the state after it. Lengths in the unit of the input.

    status : of the program: "optimal", "stopped early", "interrupted", "failed: …"; the last two change nothing.
    seconds : the program alone. cutoff : l, 0 where rows are the pairs that can meet; bound : s_b.
    inflation : √Γ - 1. moved, moved_stable : max |s_i,μ| of all discs and of those that are no rattlers.
    contacts : with a force. isostatic_gap : contacts less those of an isostatic packing.
    force_mismatch : greatest sum of forces on a disc over the mean force.
    min_gap : least gap of all pairs and walls over the mean diameter. rows : of the program.
    """

    number: int
    status: str
    seconds: float
    cutoff: float
    bound: float
    inflation: float
    moved: float
    moved_stable: float
    volume_fraction: float
    contacts: int
    isostatic_gap: int
    rattlers: int
    force_mismatch: float
    min_gap: float
    rows: int


@dataclass(frozen=True)
class Packing:
    """Discs that are jammed, or as far as the run came, with their contacts and forces.

    positions : (N, d); radii : (N,); box : (d,); periodic.
    contacts : (K, 2) discs i, j that push each other; j = -1 - 2 axis - side for a wall (-1 left, -2 right, -3 bottom,
    -4 top …). forces : (K,), > 0, in units of their mean.
    contact_vectors : (K, d), X_i - X_j, or twice the way from the wall.
    rattlers : (N,) discs with at most d contacts, repeatedly; they have no entry in `contacts`.
    jammed : √Γ - 1 and max |s| of stable discs below their tolerances. reason : why the run ended.
    isostatic : K = d (N_s - 1) + 1, or d N_s + 1 between walls. contacts_by_gap : pairs and walls of stable discs
    closer than 1e-9 of the mean diameter. self_stresses : how many independent states of self-stress these contacts
    have beyond the one that holds the packing. patches : where these are among the contacts that carry a force.
    force_mismatch : greatest sum of forces on a disc over the mean force.
    min_gap : least gap over the mean diameter, of all pairs and walls.
    history : one entry for each program.
    """

    positions: Floats
    radii: Floats
    box: Floats
    periodic: bool
    contacts: Ints
    forces: Floats
    contact_vectors: Floats
    rattlers: NDArray[np.bool_]
    jammed: bool
    reason: str
    isostatic: bool
    contacts_by_gap: int
    self_stresses: int
    force_mismatch: float
    min_gap: float
    volume_fraction: float
    iterations: int
    history: tuple[Iteration, ...]
    patches: tuple[StressPatch, ...] = ()
