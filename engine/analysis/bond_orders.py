"""The bond orders q₄, q₆ and w₆ of spheres, which tell crystals from each other and from a fluid.

q_lm of a sphere is the mean of the spherical harmonics Y_lm over the directions to its neighbours (Steinhardt, Nelson
and Ronchetti, Phys. Rev. B 28, 784 (1983)). Neighbours are spheres whose Voronoi cells share a face, weighted by its
area, so that nothing jumps when a face appears (Mickel et al., J. Chem. Phys. 138, 044501 (2013)). The averaged ones
come from the mean of q_lm over a sphere and its neighbours (Lechner and Dellago, J. Chem. Phys. 129, 114707 (2008)),
which tells crystals apart that move.
"""

from __future__ import annotations

from functools import cache, lru_cache
from math import factorial, pi, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial.legendre import Legendre
from numpy.typing import NDArray

from engine.analysis.sphere_cells import SphereCells, sphere_cells
from engine.analysis.state import DiscState, disc_state
from engine.arrays import Complexes, Floats
from engine.boundary import Periodic
from engine.errors import InputError
from engine.state import sums_of_rows


class BondOrders(NamedTuple):
    """The bond orders of N spheres, each (N,); 0 for a sphere without neighbours.

    Attributes
    ----------
    q4, q6 : from 0 to 1, √(4 π / (2 l + 1) Σ_m |q_lm|²).
    w6 : Σ W(m, m', m'') q_6m q_6m' q_6m'' over m + m' + m'' = 0, with Wigner's 3j symbols W, over (Σ_m |q_6m|²)^(3/2);
        negative in closest packings, positive in a body-centred cubic crystal.
    averaged_q4, averaged_q6, averaged_w6 : the same of q_lm averaged over the sphere and its neighbours.
    """

    q4: Floats
    q6: Floats
    w6: Floats
    averaged_q4: Floats
    averaged_q6: Floats
    averaged_w6: Floats


def bond_orders(positions: Floats, radii: Floats, box: Floats, *, periodic: Periodic | bool) -> BondOrders:
    """The bond orders of spheres, about O(N): a second for 10⁴. Walls are not neighbours.

    Parameters
    ----------
    positions : (N, 3), centres inside the box.
    radii : (N,).
    box : (3,), sides of the box.
    periodic : along which axes the box is periodic.

    Raises
    ------
    InputError
        An array has the wrong shape, or holds values that are not finite or not positive.
    """
    state = disc_state(positions, radii, box, periodic=periodic)
    if state.dimensions != 3:
        raise InputError("bond orders are of spheres: box must have three sides", "box")
    return sphere_orders(state)


@lru_cache(maxsize=1)
def sphere_orders(state: DiscState) -> BondOrders:
    """`bond_orders` of a state that has been checked. The last result is kept, as that of `sphere_cells`."""
    return orders_of(sphere_cells(state))


def orders_of(cells: SphereCells) -> BondOrders:
    """The bond orders of spheres with these cells."""
    true = cells.neighbour >= 0
    sphere, neighbour, vectors = cells.sphere[true], cells.neighbour[true], cells.vectors[true]
    count, weight = len(cells.volume), cells.area[true]
    total = np.bincount(sphere, weight, count)
    share = weight / total[sphere]
    ways = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    beside = 1.0 + np.bincount(sphere, minlength=count)
    single, averaged = {}, {}
    for order in (4, 6):
        found = _summed(sphere, share[:, None] * _harmonics(order, ways), count)
        single[order] = found
        averaged[order] = (found + _summed(sphere, found[neighbour], count)) / beside[:, None]
    return BondOrders(
        *(_length(single[4]), _length(single[6]), _third(single[6])),
        *(_length(averaged[4]), _length(averaged[6]), _third(averaged[6])),
    )


def _summed(rows: NDArray[Any], values: Complexes, count: int) -> Complexes:
    """The sums of values (K, m) with the same row, (count, m)."""
    return np.asarray(sums_of_rows(rows, values.real, count) + 1j * sums_of_rows(rows, values.imag, count))


def _harmonics(order: int, ways: Floats) -> Complexes:
    """Y_lm of unit vectors (K, 3) for m = 0 … l, (K, l + 1); those of -m follow from them."""
    x, y, z = ways.T
    around, power = x + 1j * y, np.ones(len(ways), np.complex128)
    found = np.empty((len(ways), order + 1), np.complex128)
    for m in range(order + 1):
        size = sqrt((2 * order + 1) / (4.0 * pi) * factorial(order - m) / factorial(order + m))
        found[:, m] = (-1) ** m * size * Legendre.basis(order).deriv(m)(z) * power
        power = power * around
    return found


def _length(moments: Complexes) -> Floats:
    """√(4 π / (2 l + 1) Σ_m |q_lm|²) of moments (N, l + 1)."""
    squares = np.square(np.abs(moments))
    return np.asarray(np.sqrt(4.0 * pi / (2 * squares.shape[1] - 1) * (2.0 * squares.sum(axis=1) - squares[:, 0])))


def _third(moments: Complexes) -> Floats:
    """The normalised third-order invariant w_l of moments (N, l + 1)."""
    order = moments.shape[1] - 1
    signs = (-1.0) ** np.arange(order, 0, -1)
    every = np.column_stack([signs * moments[:, :0:-1].conj(), moments])  # m from -l to l
    found = np.zeros(len(moments))
    for m in range(-order, order + 1):
        for n in range(max(-order, -order - m), min(order, order - m) + 1):
            three = every[:, m + order] * every[:, n + order] * every[:, order - m - n]
            found += _three_j(order, m, n) * three.real
    size = np.square(np.abs(every)).sum(axis=1) ** 1.5
    return np.asarray(np.divide(found, size, out=np.zeros_like(found), where=size > 0.0))


@cache
def _three_j(order: int, m: int, n: int) -> float:
    """Wigner's 3j symbol (l l l; m n -m-n) for an even l, by the sum of Racah."""
    j, rest = order, -m - n
    total = 0.0
    for k in range(max(0, -m, n), min(j, j - m, j + n) + 1):
        below = (k, j - k, j - m - k, j + n - k, k + m, k - n)
        total += (-1) ** k / np.prod([float(factorial(one)) for one in below])
    delta = factorial(j) ** 3 / factorial(3 * j + 1)
    sizes = np.prod([float(factorial(j + one) * factorial(j - one)) for one in (m, n, rest)])
    return float((-1) ** rest * sqrt(delta * sizes) * total)
