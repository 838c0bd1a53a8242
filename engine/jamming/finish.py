"""From the last state of a run to a packing: contacts by gap, forces in balance, states of self-stress.

All of it follows from the rigidity matrix R, (K, d n): its row for a contact has the unit vector from the second disc
to the first at the first one and the opposite at the second one, so that Rᵀf are the sums of the forces f on the discs.

**Fine tuning, without motion** (`in_balance`). The dual variables of the last linear program balance only to the
solver's tolerance and may belong to contacts that are not quite closed, and those of a vertex may be zero on contacts
that could carry a force. So up to four sets of forces are compared:

1. those dual variables;
2. the same contacts with forces balanced at the final places;
3. the forces of one more linear program on closed contacts alone, without a bound, by the interior-point method, which
   finds the middle of all possible forces;
4. for few contacts, where a crystal leaves none of these in balance, the least squares of all forces that push.

**Self-stresses beyond the one that holds all of it** (`stress_patches`). A hexagon of equal discs around a seventh one
has such a state: its twelve contacts can press and pull so that the forces on every disc add up to zero. All of them
are exactly closed, one more than is needed to hold seven discs. Some other closed rings have such a state as well, by
symmetry. In a random state of self-stress every contact outside of such patches carries the same multiple of its force,
since the forces that hold the packing are the only self-stress there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.optimize import nnls
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from engine.arrays import Bools, Floats, Ints
from engine.boundary import Periodic
from engine.frame import StressPatch
from engine.geometry.neighbours import DenseState, near_pairs, walls
from engine.jamming.interior_point.solver import InteriorPointSolver
from engine.jamming.linear_program import build_program, incidence
from engine.jamming.packing import (
    NO_FORCE,
    ROUNDED,
    StableNetwork,
    among_stable,
    in_contact,
    network_of,
    rattlers,
    resultants,
)

_SHIFT = 1e-13  # eigenvalues of the stiffness RᵀR below this count as zero


def balanced(network: StableNetwork, fixed: int) -> StableNetwork:
    """A network of the same contacts, with forces balanced at the present positions of the discs.

    Contacts whose force would be negative are left out. fixed : a disc whose sum of forces follows from the others,
        since all forces add up to zero in a box without walls; -1 with some.
    """
    count = len(network.rattlers)
    first, second, vectors, forces = network.first, network.second, network.vectors, network.forces
    while len(first):
        forces = balanced_forces(first, second, vectors, forces, count, fixed)
        pushing = forces > NO_FORCE
        if pushing.all():
            break
        first, second, vectors, forces = first[pushing], second[pushing], vectors[pushing], forces[pushing]
    if len(first) == 0:
        return StableNetwork.empty(count, vectors.shape[1])
    return StableNetwork.with_forces(first, second, vectors, forces, network.rattlers)


def contact_gaps(network: StableNetwork, radii: Floats) -> Floats:
    """The gap of each contact of a network, (K,): rounding where discs touch."""
    first, second = network.first, network.second
    reach = radii[first] + np.where(second >= 0, radii[np.maximum(second, 0)], radii[first])
    return np.asarray(np.linalg.norm(network.vectors, axis=1) - reach)


def widest_closed(network: StableNetwork, radii: Floats, most: float) -> float:
    """The gap up to which two discs of a final state count as touching, a length.

    If discs exert a force on each other, the linear program has closed their gap (complementary slackness), up to
    rounding and the square of the last displacements, which it neglects. So the gaps of the contacts of `network` show
    how precisely this run closes contacts: the result is ten times the widest of them, but at least the rounding error,
    and at most `most`, beyond which a force does not imply a contact. radii : (N,).
    """
    gaps = contact_gaps(network, radii)
    closed = gaps[gaps <= most]
    if not len(closed):
        return most
    return min(most, max(10.0 * float(closed.max()), ROUNDED * 2.0 * float(radii.mean())))


def without_open(network: StableNetwork, radii: Floats, near: float) -> StableNetwork:
    """The contacts with a gap of at most `near`, a length. If a linear program has many solutions, almost closed pairs
    may carry a force in the one found. radii : (N,)."""
    first, second = network.first, network.second
    closed = contact_gaps(network, radii) <= near
    if closed.all():
        return network
    count, dimensions = len(radii), network.vectors.shape[1]
    rattling = rattlers(first[closed], second[closed], count, dimensions)
    closed[closed] = among_stable(first[closed], second[closed], rattling)
    if not closed.any():
        return StableNetwork.empty(count, dimensions)
    first, second, vectors, forces = first[closed], second[closed], network.vectors[closed], network.forces[closed]
    return StableNetwork.with_forces(first, second, vectors, forces / forces.mean(), rattling)


def balanced_forces(first: Ints, second: Ints, vectors: Floats, forces: Floats, count: int, fixed: int) -> Floats:
    """The forces nearest to `forces` that add up to zero on every disc, mean 1, (K,).

    first, second, vectors : the contacts; forces > 0; fixed : as for `balanced`. The change δ that minimises Σ δ² / f,
        so that small forces change little, is -F R (RᵀFR)⁻¹ Rᵀ f, with F the diagonal matrix of f. It is iterated down
        to rounding.
    """
    rigidity = _rigidity(first, second, vectors, count, fixed)
    weight = forces / forces.mean()
    stiffness = (rigidity.T @ sparse.diags_array(weight) @ rigidity).tocsc()
    factors = _factors(stiffness + _SHIFT * sparse.eye(stiffness.shape[0], format="csc"))
    best, least = forces, np.inf
    for _ in range(8):
        forces = forces / forces.mean()
        left = float(np.abs(resultants(first, second, vectors, forces, count)).max())
        if left >= 0.5 * least:
            break
        best, least = forces, left
        forces = forces - weight * (rigidity @ factors.solve(rigidity.T @ forces))
    return best


def pushing_forces(first: Ints, second: Ints, vectors: Floats, count: int, fixed: int) -> Floats:
    """Forces >= 0 of mean 1 whose sums on all discs are as small as possible, (K,): the least squares of Lawson and
    Hanson, whose time grows as K³. If they are not unique many of them are zero. Contacts as for `balanced_forces`.
    """
    rigidity = _rigidity(first, second, vectors, count, fixed).toarray()
    # the last row keeps them from all being zero
    rows = np.vstack((rigidity.T, np.full((1, len(first)), 1e-3)))
    wanted = np.append(np.zeros(rigidity.shape[1]), 1e-3 * len(first))
    forces = nnls(rows, wanted, maxiter=50 * len(first))[0]
    return np.asarray(forces / forces.mean()) if forces.any() else forces


def extra_self_stresses(first: Ints, second: Ints, vectors: Floats, count: int, fixed: int) -> int:
    """Independent states of self-stress beyond one: K - rank(R) - 1.

    first, second : (K,), the discs of each contact, `second` negative for a wall; vectors : (K, d), X_i - X_j; count :
        N; fixed : as for `balanced`.
    """
    unknowns, motions = _free_motions(_rigidity(first, second, vectors, count, fixed))
    return len(first) - (unknowns - motions) - 1


def free_motions(first: Ints, second: Ints, vectors: Floats, count: int, fixed: int) -> int:
    """Independent motions of the discs with contacts that, to first order, change no length of a contact.

    As many as these discs have degrees of freedom, less the rank of R. first, second : (K,), the discs of each contact,
    `second` negative for a wall; vectors : (K, d), X_i - X_j; count : N; fixed : as for `balanced`; with a fixed disc,
    the common translations do not count.
    """
    return _free_motions(_rigidity(first, second, vectors, count, fixed))[1]


def moving_discs(first: Ints, second: Ints, vectors: Floats, count: int, periodic: Periodic) -> Bools:
    """The discs with contacts that one of the free motions moves, (N,); the common translation of most is none.

    A random motion whose part that changes lengths of contacts, (RᵀR + shift)⁻¹ RᵀR of it, is taken off until only
    rounding is left. Contacts as for `balanced_forces`.
    """
    dimensions = vectors.shape[1]
    rigidity = _rigidity(first, second, vectors, count, -1)
    unknowns = int(rigidity.shape[1])
    shift = 100.0 * _SHIFT
    factors = _factors(((rigidity.T @ rigidity) + shift * sparse.eye(unknowns)).tocsc())
    motion = np.random.default_rng(0).standard_normal(unknowns)
    for _ in range(4):
        motion = shift * factors.solve(motion)
    motion = motion.reshape(-1, dimensions)
    if periodic.any:
        motion = motion - np.where(periodic, np.median(motion, axis=0), 0.0)
    moving = np.zeros(count, bool)
    moving[in_contact(first, second, count)] = (np.abs(motion) > 1e-6).any(axis=1)
    return moving


def _free_motions(rigidity: sparse.csr_array) -> tuple[int, int]:
    """Degrees of freedom, and how many independent motions a rigidity matrix allows.

    That is the number of zero eigenvalues of RᵀR, of the negative pivots of RᵀR minus a small multiple of the unit
    matrix (Sylvester's law of inertia).
    """
    unknowns = int(rigidity.shape[1])
    if not unknowns:
        return 0, 0
    stiffness = (rigidity.T @ rigidity).tocsc()
    shifted = stiffness - 100.0 * _SHIFT * sparse.eye(unknowns, format="csc")
    return unknowns, int((_factors(shifted).U.diagonal() < 0.0).sum())


def random_self_stress(first: Ints, second: Ints, vectors: Floats, count: int) -> Floats:
    """A random state of self-stress, forces of both signs that add up to zero on every disc, (K,); the same each time.

    Random numbers n without their component in the range of R: n - R (RᵀR)⁻¹ Rᵀ n, repeated until only rounding is
    left of that component.
    """
    # no disc need be fixed: RᵀR is singular only for translations, which the shift removes and Rᵀ n does not contain
    rigidity = _rigidity(first, second, vectors, count, -1)
    stiffness = (rigidity.T @ rigidity).tocsc()
    factors = _factors(stiffness + _SHIFT * sparse.eye(stiffness.shape[0], format="csc"))
    stress = np.random.default_rng(0).standard_normal(len(first))
    for _ in range(4):
        stress = stress - rigidity @ factors.solve(rigidity.T @ stress)
    return np.asarray(stress)


def _rigidity(first: Ints, second: Ints, vectors: Floats, count: int, fixed: int) -> sparse.csr_array:
    """R for the n discs that have contacts and are not fixed, (K, d n)."""
    units = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    free = in_contact(first, second, count)
    if fixed >= 0:
        free[fixed] = False
    return incidence(first, second, units, count)[:, np.repeat(free, vectors.shape[1])]


def _factors(matrix: sparse.csc_array) -> splu:
    """The LU factors of a symmetric matrix without exchange of rows: U has the pivots of LDLᵀ on its diagonal."""
    return splu(matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})


def closed_contacts(state: DenseState, near: float) -> tuple[Ints, Ints, Floats]:
    """Pairs, of a disc and its own image too, and walls with a gap of at most `near`, without rattlers: first (K,),
    second (K,), negative for a wall, and vectors (K, d). `near` and vectors are lengths."""
    radii, dimensions = state.radii, len(state.box)
    growth = 1.0 + near / float(radii.min())
    first, second, vectors = near_pairs(state, cutoff=0.0, growth=growth, step=0.0, own=state.periodic.any)
    closed = np.linalg.norm(vectors, axis=1) - radii[first] - radii[second] <= near
    parts = [(first[closed], second[closed], vectors[closed])]
    for wall, axis, inwards, distance in walls(state):
        discs = np.flatnonzero(distance - radii <= near).astype(np.int32)
        way = np.zeros((len(discs), dimensions))
        way[:, axis] = inwards * 2.0 * distance[discs]
        parts.append((discs, np.full(len(discs), wall, np.int32), way))
    first, second, vectors = (np.concatenate(part) for part in zip(*parts, strict=True))
    inside = among_stable(first, second, rattlers(first, second, len(radii), dimensions))
    return first[inside], second[inside], vectors[inside]


_SAME = 1e-6  # of the greatest multiple: so nearly equal are those of contacts outside of patches
_ROUNDING = 1e-9  # of the greatest share: rounding leaves less than 1e-15, the least share of a patch seen is 1.3e-7
_EQUAL = 1e-9  # of a radius: so nearly equal are the discs of a hexagon


def stress_patches(
    first: Ints, second: Ints, vectors: Floats, forces: Floats, radii: Floats
) -> tuple[StressPatch, ...]:
    """The patches, those with most discs first.

    first, second, vectors, forces : (K, …) all closed contacts of a packing without rattlers, a negative `second` is a
    wall; forces >= 0 that balance.
    """
    local = _beside_the_forces(first, second, vectors, forces, len(radii))
    marked = np.flatnonzero(local)
    pairs = marked[second[marked] >= 0]
    links = sparse.csr_array((np.ones(len(pairs)), (first[pairs], second[pairs])), shape=(len(radii),) * 2)
    _, patch = connected_components(links, directed=False)
    found = []
    for number in np.unique(patch[first[marked]]):
        own = marked[patch[first[marked]] == number]
        states = extra_self_stresses(first[own], second[own], vectors[own], len(radii), -1) + 1
        discs = np.unique(np.concatenate((first[own], second[own][second[own] >= 0]))).astype(np.int64)
        found.append(StressPatch(own, discs, states, _hexagons(first[own], second[own], discs, radii)))
    return tuple(sorted(found, key=lambda one: (-len(one.discs), int(one.discs[0]))))


def _beside_the_forces(first: Ints, second: Ints, vectors: Floats, forces: Floats, count: int) -> NDArray[np.bool_]:
    """Contacts whose share in a random self-stress is another multiple of their force than most have, (K,)."""
    stress = random_self_stress(first, second, vectors, count)
    carrying = forces > 1e-3 * forces.max(initial=0.0)
    multiples = np.sort(stress[carrying] / forces[carrying])
    if not len(multiples):
        return np.zeros(len(first), bool)
    # most contacts have nearly the same multiple: the window of width `width` that holds the most of them
    width = _SAME * float(np.abs(multiples).max())
    within = np.searchsorted(multiples, multiples + width, side="right") - np.arange(len(multiples))
    start = int(within.argmax())
    usual = float(np.median(multiples[start : start + int(within[start])]))
    return np.abs(stress - usual * forces) > _ROUNDING * float(np.abs(stress).max())


def _hexagons(first: Ints, second: Ints, discs: NDArray[np.int64], radii: Floats) -> int:
    """Discs of a patch that six equal discs surround, each touching the next."""
    around: dict[int, set[int]] = {int(disc): set() for disc in discs}
    for i, j in zip(first.tolist(), second.tolist(), strict=True):
        if j >= 0 and i != j and abs(radii[i] - radii[j]) <= _EQUAL * radii[i]:
            around[i].add(j)
            around[j].add(i)
    return sum(len(near) == 6 and all(len(near & around[one]) == 2 for one in near) for near in around.values())


FINE = 1e-10  # of the mean force: what a packing's forces balance to
_FEW = 400  # most contacts for least squares, which take seconds for more


def in_balance(
    network: StableNetwork, state: DenseState, *, near: float, fixed: int, middle: bool, stop: Callable[[], bool]
) -> StableNetwork:
    """The contacts of `network` with a gap of at most `near`, or all that are closed, and their forces.

    The last set of forces that balances to `FINE` is chosen, else the one that balances best.

    Parameters
    ----------
    near : the greatest gap of discs in contact, a length.
    fixed : a disc whose forces follow from the others, -1 where there are walls.
    middle : whether every closed contact that can carry a force should have one.
    stop : returns True if there is no time for another linear program.
    """
    own = without_open(network, state.radii, near)
    # at the final places, and without the contacts of discs that count as rattlers
    own = StableNetwork.with_forces(own.first, own.second, own.vectors, own.forces, own.rattlers)
    found = [own, balanced(own, fixed)]
    closed = closed_contacts(state, near)
    lacks = len(found[-1].first) == 0 or (middle and len(found[-1].first) < len(closed[0]))
    if lacks or found[-1].force_mismatch() > FINE:
        found.append(_from_closed(own, state, near, fixed, stop))
        if 0 < len(closed[0]) <= _FEW and found[-1].force_mismatch() > FINE:
            found.append(_pushing(*closed, len(state.radii), fixed))
    usable = [one for one in found if len(one.first)]
    fine = [one for one in usable if one.force_mismatch() <= FINE]
    if fine:
        return fine[-1]
    return min(usable, key=StableNetwork.force_mismatch, default=own)


def _from_closed(
    before: StableNetwork, state: DenseState, near: float, fixed: int, stop: Callable[[], bool]
) -> StableNetwork:
    """Forces from a linear program on contacts that are closed, or `before` where it finds none."""
    most = 2.0 * near / float(state.radii.min())
    program = build_program(state, cutoff=0.0, bound=0.0, most=most, fixed=fixed)
    touching = program.slack * state.unit <= near
    if not touching.any():
        return before
    closed = replace(
        program,
        first=program.first[touching],
        second=program.second[touching],
        direction=program.direction[touching],
        inflation=program.inflation[touching],
        slack=np.zeros(int(touching.sum())),
        bound=inf,
        most=1.0,
    )
    solution = InteriorPointSolver().solve(closed, stop)
    if not solution.usable:
        return before
    still = replace(solution, displacements=np.zeros_like(solution.displacements))
    return balanced(network_of(closed, still, state.unit, closed=True), fixed)


def _pushing(first: Ints, second: Ints, vectors: Floats, count: int, fixed: int) -> StableNetwork:
    """Forces of least squares on closed contacts. A disc that some of them hold without a force is no rattler."""
    forces = pushing_forces(first, second, vectors, count, fixed)
    rattling = rattlers(first, second, count, vectors.shape[1])
    held = forces > NO_FORCE * forces.max()
    first, second, vectors, forces = first[held], second[held], vectors[held], forces[held]
    if len(forces) == 0:
        return StableNetwork.empty(count, vectors.shape[1])
    return StableNetwork.with_forces(first, second, vectors, forces / forces.mean(), rattling)
