"""Which contacts of a packing have states of self-stress of their own, beyond the one that holds all of it.

A hexagon of equal discs around a seventh one has such a state: its twelve contacts can press and pull so that the
forces on every disc add up to zero. All of them are exactly closed, one more than is needed to hold seven discs. Some
other closed rings have such a state as well, by symmetry.

In a random state of self-stress every contact outside of such patches carries the same multiple of its force, since the
forces that hold the packing are the only self-stress there.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from engine.frame import StressPatch
from engine.geometry.neighbours import Floats, Ints
from engine.jamming.finish import extra_self_stresses, random_self_stress

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
