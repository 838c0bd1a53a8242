"""The bond order q₆ of spheres: how much the directions to the nearest spheres are those of a crystal."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.analysis.state import disc_state
from engine.arrays import Floats
from engine.errors import InputError
from engine.geometry.nearest import nearest_image, places_around, tree_of

_NEAREST = 12  # spheres; so many touch one in both closest packings
_BLOCK = 4096  # spheres at a time, whose 144 pairs of directions each take 5 MB


def bond_order(positions: Floats, radii: Floats, box: Floats, *, periodic: bool) -> Floats:
    """Bond order q₆ of each sphere, (N,), from 0 to 1 (Steinhardt, Nelson and Ronchetti, Phys. Rev. B 28, 784 (1983)).

    With the directions u to the 12 nearest spheres, q₆² is the mean of P₆(u_j · u_k) over all j and k, where P₆ is a
    Legendre polynomial. By the addition theorem this is 4 π / 13 Σ_m |⟨Y_6m⟩|². It is 0.575 in a face-centred
    cubic crystal, 0.485 in a hexagonal close-packed one, about 0.3 for directions at random. Walls are not neighbours;
    in a periodic box the nearest ones are images of any spheres, of the same ones too. 0 for a sphere alone between
    walls.

    Parameters
    ----------
    positions : (N, 3), centres inside the box.
    radii : (N,).
    box : (3,), sides of the box.
    periodic : whether the box is periodic.

    Raises
    ------
    InputError
        An array has the wrong shape, or holds values that are not finite or not positive.
    """
    state = disc_state(positions, radii, box, periodic=periodic)
    if state.dimensions != 3:
        raise InputError("the bond order q6 is of spheres: box must have three sides", "box")
    count = len(state.radii)
    if count == 1 and not state.periodic:
        return np.zeros(1)
    found = np.empty(count)
    tree = tree_of(state.positions, state.box, state.periodic)
    of_images = state.periodic and count <= _NEAREST
    if of_images:
        tree = _tree_of_images(tree, state.box)
    for first in range(0, count, _BLOCK):
        of = np.arange(first, min(first + _BLOCK, count))
        far, near = tree.query(tree.data[of], k=min(_NEAREST + 1, tree.n))
        if state.periodic and not of_images and not _are_nearest(far, state.box):
            tree, of_images = _tree_of_images(tree, state.box), True
            _, near = tree.query(tree.data[of], k=_NEAREST + 1)
        # the sphere itself comes first, except where others have the same centre
        itself = near == of[:, None]
        itself[~itself.any(axis=1), -1] = True
        near = near[~itself].reshape(len(of), -1)
        if of_images:
            apart = tree.data[near] - tree.data[of, None]
        else:
            apart = nearest_image(state.positions[near] - state.positions[of, None], state.box, state.periodic)
        length = np.linalg.norm(apart, axis=2, keepdims=True)
        toward = np.divide(apart, length, out=np.zeros_like(apart), where=length > 0.0)
        square = np.square(toward @ toward.transpose(0, 2, 1))
        legendre = (((231.0 * square - 315.0) * square + 105.0) * square - 5.0) / 16.0
        found[of] = np.sqrt(np.maximum(legendre.mean(axis=(1, 2)), 0.0))
    return found


def _are_nearest(far: Floats, box: Floats) -> bool:
    """Whether the spheres found at these distances (n, k) across the edges are the 12 nearest of all images: any other
    image than the nearest one of a sphere is at least half a side away."""
    return float(far[:, -1].max()) <= 0.5 * float(box.min())


def _tree_of_images(tree: Any, box: Floats) -> Any:
    """A tree of the spheres of a periodic one, in their order, and all images that may be among 12 nearest ones."""
    reach = _NEAREST // 2 * float(box.min())  # so many own images lie on either side
    if tree.n > _NEAREST:
        reach = min(reach, float(tree.query(tree.data, k=[_NEAREST + 1])[0].max()))
    return tree_of(places_around(tree.data, box, reach), box, periodic=False)
