"""Contacts between discs: relative number N_c (4.13), histogram, number per disc, and the pairs.

A contact is a disc and an image of another one, or of itself: in a small periodic box two discs may have several.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.analysis.state import DiscState, disc_state
from engine.arrays import Floats, Ints, Longs
from engine.boundary import Periodic
from engine.geometry.cells import SLACK
from engine.geometry.nearest import nearest_image, unwrapped
from engine.geometry.neighbours import near_pairs as pairs_in_space
from engine.geometry.pairs import near_pairs
from engine.kernels import kernel

CONTACT = 1.05  # discs are in contact up to this distance over R_i + R_j; half of the paper's alpha_R = 2.1
_MOST = {2: 6, 3: 12}  # most discs (spheres) of equal size that one can touch, by the number of dimensions


class Contacts(NamedTuple):
    """Numbers of contacts.

    Attributes
    ----------
    relative : N_c (4.13): (1 + mean number of contacts) / 6, so 1/6 for lone discs, 7/6 if all have six; in space over
        12, the most spheres that one can touch.
    histogram : (K,) int64, number of discs with 0, 1, …, K - 1 contacts, K >= 7 (13); its sum is N.
    """

    relative: float
    histogram: Longs


class ContactList(NamedTuple):
    """Contacts, each once.

    Attributes
    ----------
    pairs : (K, 2) int32, the two discs. Of a disc and its own image both are the same, once for the two images on
        opposite sides.
    periods : (K, d) int64, how many sides of the box to add to the second centre for the image that is meant, which is
        ahead by as many offsets as sides along y; (0, d) if that is the nearest one in all contacts.
    """

    pairs: Ints
    periods: Longs


def contacts(positions: Floats, radii: Floats, box: Floats, *, periodic: Periodic | bool) -> Contacts:
    """N_c = 1 / (6 N) sum over i, j of [|X_i - X_j| <= 2.1 R] (4.13), where i = j counts, and the histogram.

    With unequal radii two discs are in contact when |X_i - X_j| <= 1.05 (R_i + R_j), which is 2.1 R for equal ones. In
    a periodic box j runs over all images.

    positions : (N, d); radii : (N,); box : (d,). Raises InputError for other shapes and values that are not finite or
        not positive.
    """
    return summary(contact_counts(positions, radii, box, periodic=periodic), len(box))


def contact_counts(positions: Floats, radii: Floats, box: Floats, *, periodic: Periodic | bool) -> Ints:
    """Number of contacts of each disc, itself not counted, but its images: (N,) int32. Parameters as for `contacts`."""
    state = disc_state(positions, radii, box, periodic=periodic)
    return counts_of_pairs(list_contacts(state).pairs, state)


def contact_pairs(positions: Floats, radii: Floats, box: Floats, *, periodic: Periodic | bool) -> Ints:
    """Discs in contact: (K, 2) int32, smaller number first, a pair as often as it touches (`ContactList.pairs`).

    Parameters as for `contacts`.
    """
    return list_contacts(disc_state(positions, radii, box, periodic=periodic), of_discs=True).pairs


def contact_vectors(positions: Floats, radii: Floats, box: Floats, *, periodic: Periodic | bool) -> tuple[Ints, Floats]:
    """`contact_pairs`, and the vectors (K, d) from the first centre to that image of the second which it touches."""
    state = disc_state(positions, radii, box, periodic=periodic)
    pairs, periods = list_contacts(state, of_discs=True)
    apart = state.positions[pairs[:, 1]] - state.positions[pairs[:, 0]]
    if len(periods):
        return pairs, unwrapped(apart, periods, state.box, state.periodic.offset / float(state.box[1]))
    return pairs, nearest_image(apart, state.box, state.periodic)


def list_contacts(state: DiscState, *, of_discs: bool = False) -> ContactList:
    """The contacts of a checked state, by slots or by discs, to all images (but see `DiscState.nearest_only`). O(N)."""
    radii, sides, nearest = state.radii, state.box, state.nearest_only(CONTACT)
    of_nearest = np.zeros((0, len(sides)), np.int64)
    if len(sides) == 2 and nearest and not state.periodic.offset:
        return ContactList(near_pairs(state.grid, state.radii_by_slot, CONTACT, of_discs=of_discs), of_nearest)
    growth = CONTACT * SLACK
    first, second, apart = pairs_in_space(state.spheres, cutoff=0.0, growth=growth, step=0.0, own=not nearest)
    near = np.square(apart).sum(axis=1) <= np.square(CONTACT * (radii[first] + radii[second]))
    first, second, apart = first[near], second[near], apart[near]
    order = np.lexsort((second, first))
    first, second, apart = first[order], second[order], apart[order]
    pairs = np.stack([first, second], axis=1)
    if nearest:  # discs wider than the box may meet in several images, which are not told apart
        new = np.ones(len(pairs), np.bool_)
        new[1:] = (pairs[1:] != pairs[:-1]).any(axis=1)
        return ContactList(pairs[new], of_nearest)
    # relative to the given centres, which may lie outside the box along a periodic axis
    between = state.positions[first] - state.positions[second] - apart
    between[:, 0] -= np.rint(between[:, 1] / sides[1]) * state.periodic.offset
    periods = np.rint(between / sides).astype(np.int64)
    if len(sides) == 2 and not of_discs:
        slots = np.empty(len(radii), np.int32)
        slots[state.order] = np.arange(len(radii), dtype=np.int32)
        pairs = slots[pairs]
    return ContactList(pairs, periods)


def counts_of_pairs(pairs: Ints, state: DiscState) -> Ints:
    """The number of times that each disc is in pairs (K, 2) of slots, (N,)."""
    counts = np.empty(len(state.radii), np.int32)
    _count_ends(pairs, state.order, np.zeros(len(counts), np.int32), counts)
    return counts


def summary(counts: Ints, dimensions: int = 2) -> Contacts:
    """`Contacts` from the number of contacts per disc, (N,)."""
    most = _MOST[dimensions]
    histogram = np.bincount(counts, minlength=most + 1)
    return Contacts((int(counts.sum(dtype=np.int64)) + len(counts)) / (most * len(counts)), histogram)


@kernel
def _count_ends(pairs: Ints, order: Ints, of_slot: Ints, counts: Ints) -> None:
    """Count the pairs (K, 2) of each slot, first in `of_slot` (zeros), since neighbouring slots are near in memory."""
    for k in range(len(pairs)):
        of_slot[pairs[k, 0]] += 1
        of_slot[pairs[k, 1]] += 1
    for slot in range(len(order)):
        counts[order[slot]] = of_slot[slot]
