"""What jamming ends with: the results of each iteration, the packing, and the network of its contacts.

The network says which discs are rattlers, how far forces are from balance, and how many contacts are in excess.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Bools, Floats, Ints
from engine.boundary import Periodic
from engine.frame import StressPatch
from engine.jamming.linear_program import LinearProgram, Solution, sums_on_discs
from engine.kernels import kernel

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
    periodic : along which axes the box is periodic, with hard walls along the others.
    contacts : (K, 2) discs i, j that push each other; j = -1 - 2 axis - side for a wall (-1 left, -2 right, -3 bottom,
        -4 top, …), j = i for an image of the disc itself, once for the two on opposite sides. Two discs may touch in
        several images, each of which is a contact.
    forces : (K,), > 0, in units of their mean.
    contact_vectors : (K, d), X_i - X_j, or twice the vector from the wall.
    rattlers : (N,) discs with at most d contacts, contacts with rattlers not counted; they are not in `contacts`.
    jammed : √Γ - 1 and max |s| of stable discs (no rattlers) are below their tolerances, forces balance, and discs with
        forces cannot move at no cost.
    reason : why the run ended.
    isostatic : K = d N_s + 1, less one for each periodic axis, for N_s stable discs.
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
    periodic: Periodic
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


NO_FORCE = 1e-9  # of the greatest force: rounding, where a vertex has a zero
CLOSED = 1e-9  # of the mean diameter: wider gaps are not contacts, unless tolerances are wider
ROUNDED = 1e-11  # of the mean diameter: what rounding and a solver's own tolerance may leave of a closed gap


@kernel
def rattlers(first: Ints, second: Ints, count: int, dimensions: int) -> Bools:
    """The rattlers, (N,): discs with at most d contacts, where contacts with rattlers do not count.

    first, second : (K,) the contacts; a negative `second` is a wall. A disc's own images move with it and hold nothing.
    """
    rattling = np.zeros(count, np.bool_)
    held = np.zeros(count, np.int64)
    while True:
        held[:] = 0
        for k in range(len(first)):
            i, j = first[k], second[k]
            if rattling[i] or (j >= 0 and rattling[j]):
                continue
            if i == j:
                continue
            held[i] += 1
            if j >= 0:
                held[j] += 1
        changed = False
        for i in range(count):
            if not rattling[i] and held[i] <= dimensions:
                rattling[i] = True
                changed = True
        if not changed:
            return rattling


def among_stable(first: Ints, second: Ints, rattling: Bools) -> Bools:
    """Which contacts join discs that are not rattlers, or such a disc and a wall, (K,)."""
    inside = ~rattling[first]
    pairs = second >= 0
    inside[pairs] &= ~rattling[second[pairs]]
    return inside


def in_contact(first: Ints, second: Ints, count: int) -> Bools:
    """Which of `count` discs have one of the contacts (K,), (N,)."""
    found = np.zeros(count, np.bool_)
    found[first] = True
    found[second[second >= 0]] = True
    return found


def isostatic_count(stable: int, dimensions: int, periodic: Periodic | bool) -> int:
    """Contacts of an isostatic packing of `stable` discs: one more than its degrees of freedom, d N_s between walls.

    Along each periodic axis the common translation is free, which leaves one less.
    """
    return dimensions * stable - len(Periodic.of(periodic, dimensions).axes) + 1


@dataclass(frozen=True)
class StableNetwork:
    """Contacts that carry a force, among stable discs.

    Attributes
    ----------
    first, second : (K,) discs i and j; a negative `second` is a wall.
    vectors : (K, d), X_i - X_j, or twice the vector from the wall.
    forces : (K,), > 0, mean 1.
    rattlers : (N,).
    residual : (N, d), the sum of the forces on every disc, which is zero where they balance.
    """

    first: Ints
    second: Ints
    vectors: Floats
    forces: Floats
    rattlers: Bools
    residual: Floats

    @staticmethod
    def empty(count: int, dimensions: int) -> StableNetwork:
        """No contacts: every disc is a rattler."""
        none = np.zeros(0, np.int32)
        return StableNetwork(
            none, none, np.zeros((0, dimensions)), np.zeros(0), np.ones(count, bool), np.zeros((count, dimensions))
        )

    @staticmethod
    def with_forces(first: Ints, second: Ints, vectors: Floats, forces: Floats, rattling: Bools) -> StableNetwork:
        """The network of contacts with forces, with the sum of the forces on every disc.

        first, second, forces : (K,); vectors : (K, d), X_i - X_j; rattling : (N,), the rattlers.
        """
        residual = resultants(first, second, vectors, forces, len(rattling))
        return StableNetwork(first, second, vectors, forces, rattling, residual)

    def force_mismatch(self) -> float:
        """Greatest sum of forces on a disc over the mean force; 0 without forces."""
        return float(np.sqrt((self.residual**2).sum(axis=1).max())) if len(self.forces) else 0.0

    def isostatic_gap(self, periodic: Periodic) -> int:
        """Contacts less those of an isostatic packing of the stable discs."""
        stable = int((~self.rattlers).sum())
        return len(self.first) - isostatic_count(stable, self.vectors.shape[1], periodic) if stable else 0

    def firmest(self) -> int:
        """The disc with the greatest forces on it."""
        total = np.zeros(len(self.rattlers))
        np.add.at(total, self.first, self.forces)
        pairs = self.second >= 0
        np.add.at(total, self.second[pairs], self.forces[pairs])
        return int(total.argmax())


def resultants(first: Ints, second: Ints, vectors: Floats, forces: Floats, count: int) -> Floats:
    """Sum of the forces (K,) along the vectors (K, d) on every disc, (N, d)."""
    pushes = forces[:, None] * vectors / np.linalg.norm(vectors, axis=1)[:, None]
    return sums_on_discs(first, second, pushes, count)


def network_of(program: LinearProgram, solution: Solution, unit: float, *, closed: bool = False) -> StableNetwork:
    """The contacts with a dual variable above 0 in a solved linear program, after the discs have moved.

    Parameters
    ----------
    unit : the mean diameter.
    closed : all rows are contacts. Then a disc that some of them hold without a force is not a rattler.
    """
    count, dimensions = program.shape
    force = 0.5 * solution.duals * np.linalg.norm(program.direction, axis=1)
    held = force > NO_FORCE * force.max() if len(force) and force.max() > 0.0 else np.zeros(len(force), bool)
    carries = held.copy()
    touching = np.ones(len(force), bool) if closed else held
    rattling = rattlers(program.first[touching], program.second[touching], count, dimensions)
    held[held] = among_stable(program.first[held], program.second[held], rattling)
    if not held.any():
        return StableNetwork.empty(count, dimensions)
    first, second, force = program.first[held], program.second[held], force[held]
    pairs, moved, direction = (second >= 0)[:, None], solution.displacements, program.direction[held]
    # c = r / σ with σ = 2 b for a pair; for a wall c = x / R with 2x the vector and R = 2 b
    vectors = direction * np.where(pairs, 2.0, 4.0) * program.inflation[held][:, None]
    vectors += np.where(pairs, moved[first] - moved[np.maximum(second, 0)], 2.0 * (direction != 0.0) * moved[first])
    if solution.curved:  # forces are along these vectors
        force = 0.5 * solution.duals[held] * np.linalg.norm(vectors, axis=1)
        force /= np.where(second >= 0, 2.0, 4.0) * program.inflation[held]
        return StableNetwork.with_forces(first, second, vectors * unit, force / force.mean(), rattling)
    # before rattlers are removed: straight lines of discs, which a vertex may leave, balance too
    residual = program.resultants(np.where(carries, solution.duals, 0.0)) / force.mean()
    return StableNetwork(first, second, vectors * unit, force / force.mean(), rattling, residual)


def coordination(packing: Packing) -> dict[str, float | None]:
    """Contacts of a disc, ready for JSON; None if nothing holds.

    ``coordination`` is z, the contacts with a force of a disc that is no rattler, on average; ``excess_coordination``
    is twice the contacts beyond those of an isostatic packing, over these discs; ``rattler_share`` is of all discs.
    """
    count, standing = len(packing.radii), int((~packing.rattlers).sum())
    share = 1.0 - standing / count
    if not len(packing.forces) or not standing:
        return {"coordination": None, "excess_coordination": None, "rattler_share": share}
    ends = int((packing.contacts >= 0).sum())  # a contact with a wall is that of one disc
    excess = len(packing.forces) - isostatic_count(standing, packing.positions.shape[1], packing.periodic)
    return {
        "coordination": ends / standing,
        "excess_coordination": 2.0 * excess / standing,
        "rattler_share": share,
    }
