"""Where a packing has self-stresses of its own: against the dense null space of what forces do to discs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import null_space

from engine.arrangements.relaxation import relax
from engine.frame import StressPatch, self_stresses_in_words
from engine.jamming import jam
from engine.jamming.finish import stress_patches
from engine.jamming.packing import resultants
from tests.reference.jamming import crystal


def equilibrium(packing, chosen=slice(None)):
    """(2 N, k): what forces of one on each of these contacts do to the discs."""
    contacts, vectors = packing.contacts[chosen], packing.contact_vectors[chosen]
    columns = [
        resultants(
            np.array([i], np.int32), np.array([j], np.int32), vector[None], np.ones(1), len(packing.radii)
        ).ravel()
        for (i, j), vector in zip(contacts.tolist(), vectors, strict=True)
    ]
    return np.array(columns).T


def check_patches(packing):
    """All further self-stresses are in the patches, all contacts of these take part, and nothing else does."""
    states = null_space(equilibrium(packing), rcond=1e-9)
    assert states.shape[1] == packing.self_stresses + 1
    inside = np.zeros(len(packing.contacts), bool)
    for patch in packing.patches:
        assert not inside[patch.contacts].any()
        inside[patch.contacts] = True
        own = null_space(equilibrium(packing, patch.contacts), rcond=1e-9)
        assert own.shape[1] == patch.states
        assert (np.linalg.norm(own, axis=1) > 1e-9).all()  # of those that have no share it is 1e-15
        ends = packing.contacts[patch.contacts]
        assert sorted(set(ends[ends >= 0].tolist())) == patch.discs.tolist()
    if (~inside).any():
        outside = np.linalg.svd(states[~inside], compute_uv=False)
        assert (outside > 1e-9).sum() == 1
    assert sum(patch.states for patch in packing.patches) == packing.self_stresses


def mostly_equal(count, seed):
    """Nine of ten discs are equal: hexagons and other closed rings are frequent. Periodic."""
    radii = np.where(np.arange(count) < count // 10, 1.4, 1.0)
    box = np.full(2, np.sqrt(np.pi * (radii**2).sum() / 0.8))
    return relax(np.random.default_rng(seed).random((count, 2)) * box, radii, box, True), radii, box


def test_patches_hold_all_further_self_stresses():
    found = []
    for count, seed in ((120, 1), (120, 2), (120, 3), (250, 19)):  # the last has two contacts with 1e-7 of the shares
        packing = jam(*mostly_equal(count, seed))
        assert packing.jammed
        assert packing.contacts_by_gap == len(packing.contacts)
        check_patches(packing)
        found += packing.patches
        assert packing.isostatic == (packing.self_stresses == 0)
    assert found


def test_a_crystal_is_one_patch():
    packing = jam(*crystal())
    assert packing.self_stresses == 37
    assert sum(patch.hexagons for patch in packing.patches) > 0
    assert sum(patch.states for patch in packing.patches) >= packing.self_stresses


@pytest.mark.parametrize("ratio", [1.0, 1.0 + 1e-6])
def test_a_hexagon_beside_what_holds_the_packing(ratio):
    """Two triangles share a side and are held by a line of forces; the wheel beside them is in another place.

    With one rim disc a little larger the wheel does not close any more and there is no hexagon of equal discs.
    """
    angle = np.pi / 3.0 * np.arange(6)
    wheel = np.vstack([[0.0, 0.0], np.column_stack([np.cos(angle), np.sin(angle)])])
    spokes = [(0, k) for k in range(1, 7)]
    rim = [(k, k % 6 + 1) for k in range(1, 7)]
    line = np.array([[10.0, 0.0], [11.0, 0.0]])
    positions = np.vstack([wheel, line])
    pairs = np.array(spokes + rim + [(7, 8), (7, 8)], np.int32)
    vectors = positions[pairs[:, 0]] - positions[pairs[:, 1]]
    vectors[-1] *= -1.0  # around a periodic box
    forces = np.append(np.zeros(12), [1.0, 1.0])
    radii = np.full(9, 0.5)
    radii[3] *= ratio
    (patch,) = stress_patches(pairs[:, 0].copy(), pairs[:, 1].copy(), vectors, forces, radii)
    assert patch.contacts.tolist() == list(range(12))
    assert patch.discs.tolist() == list(range(7))
    assert (patch.states, patch.hexagons) == (1, 1 if ratio == 1.0 else 0)


def patch(discs, states, hexagons):
    return StressPatch(np.arange(2 * discs), np.arange(discs), states, hexagons)


def test_self_stresses_are_told_in_words():
    assert self_stresses_in_words((), 2) == ""
    assert self_stresses_in_words((patch(7, 1, 1),), 2) == "1 extra self-stress in a hexagon of touching discs"
    two = (patch(12, 3, 3), patch(7, 1, 1))
    assert self_stresses_in_words(two, 2) == "4 extra self-stresses in 4 hexagons of touching discs"
    assert self_stresses_in_words((patch(10, 1, 0),), 2) == "1 extra self-stress in a patch of 10 touching discs"
    assert self_stresses_in_words((patch(10, 1, 0),), 3) == "1 extra self-stress in a patch of 10 touching spheres"
    both = (patch(10, 1, 0), patch(7, 1, 1))
    assert self_stresses_in_words(both, 2) == "2 extra self-stresses in a hexagon and a patch of 10 touching discs"
