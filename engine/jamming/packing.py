"""The results of a run of jamming: one entry for each iteration, and the packing at its end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints
from engine.frame import StressPatch

LOOSE = "balanced"
"""The status of an iteration after which discs rest although contacts with forces may not hold them."""

PUSHED = "pushed"
"""The status of an iteration that leaves such a state, since discs can move at no cost (`jamming.second_order`)."""


@dataclass(frozen=True)
class Iteration:
    """One iteration of the chain of linear programs, and the state after it. Lengths in the unit of the input.

    Attributes
    ----------
    number : 1, 2, ….
    status : "optimal": a linear program was solved; "stopped early": a good point of it, or of the problem with the
        distances themselves (see `interior_point.solver`); "balanced": one was solved, and the discs rest although
        contacts with forces may not hold them; "pushed": they were moved at no cost (see `second_order.push`);
        "interrupted", "failed: …": nothing has changed.
    seconds : of the solver alone.
    cutoff : pairs closer than this had rows; 0 where rows were the pairs that could meet.
    bound : s_b.
    inflation : √Γ - 1.
    moved, moved_stable : max |s_i,μ| of all discs, and of those that are not rattlers.
    volume_fraction, contacts, rattlers : of the state; contacts are those with a force.
    isostatic_gap : contacts less those of an isostatic packing.
    force_mismatch : greatest sum of forces on a disc over the mean force.
    min_gap : least gap of all pairs and walls over the mean diameter.
    rows : the number of pairs and walls that could meet.
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
    """Jammed discs, or the state that the run reached, with contacts and forces.

    Attributes
    ----------
    positions : (N, d).
    radii : (N,).
    box : (d,).
    periodic : a periodic box, or hard walls.
    contacts : (K, 2) discs i, j that push each other; j = -1 - 2 axis - side for a wall (-1 left, -2 right, -3 bottom,
        -4 top, …), j = i for an image of the disc itself, once for the two on opposite sides. Two discs may touch in
        several images, each of which is a contact.
    forces : (K,), > 0, in units of their mean.
    contact_vectors : (K, d), X_i - X_j, or twice the vector from the wall.
    rattlers : (N,) discs with at most d contacts, contacts with rattlers not counted; they are not in `contacts`.
    jammed : √Γ - 1 and max |s| of stable discs (no rattlers) are below their tolerances, forces balance, and discs with
        forces cannot move at no cost.
    reason : why the run ended.
    isostatic : K = d (N_s - 1) + 1, or d N_s + 1 between walls, for N_s stable discs.
    contacts_by_gap : pairs and walls of stable discs whose gap is as small as those of contacts with a force (see
        `finish.widest_closed`).
    self_stresses : independent states of self-stress that these contacts have beyond the one that holds the packing.
    force_mismatch : greatest sum of forces on a disc over the mean force.
    min_gap : least gap over the mean diameter, of all pairs and walls.
    volume_fraction : of the discs.
    iterations : how many there were.
    history : one entry for each iteration.
    patches : where the states of self-stress are among the contacts that carry a force.
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
