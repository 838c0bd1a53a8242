"""The structure factor S(k), directly from the positions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.analysis.state import DiscState, Floats, Longs
from engine.kernels import fused

_LARGEST = 20.0  # k times the mean diameter
_PER_DECADE = 32  # bins of k
_WORK = 1e8  # terms of the sums, about
_FEWEST, _MOST = 400, 8192  # wave vectors, about
_GOLDEN = 0.6180339887498949  # turns the directions from bin to bin


@dataclass(frozen=True, eq=False)
class StructureFactor:
    """S(k), 1 for an ideal gas.

    Attributes
    ----------
    k : (K,), rising, the mean length of the wave vectors of each bin.
    s : (K,), the mean of S over them.
    error : (K,), its standard error S / sqrt(n) for n wave vectors: the sum over a disordered state is a random walk in
        the plane, so that its square has the deviation of its mean.
    diameter : the mean one.
    """

    k: Floats
    s: Floats
    error: Floats
    diameter: float


def structure_factor(state: DiscState) -> StructureFactor | None:
    """S(k) = |sum over j of exp(i k . X_j)|^2 / N, averaged over wave vectors of about the same length.

    In a periodic box these are k = 2 pi (n / L_x, m / L_y), at which all images of a disc have the same phase. Between
    walls L_x and L_y are the sides of the part of the box that centres can reach (all but a mean radius along the
    walls). At these wave vectors the transform of that rectangle is 0: its shape does not show, and an ideal gas has 1
    there too. Layers of discs along walls do show.

    k runs from the smallest wave vector to 20 over the mean diameter, 32 bins a decade. The first bins have all wave
    vectors there are, later ones some in evenly spread directions, so that there are about 8000 of them in all, 400
    for very many discs. O(N).

    None for a single disc and for a box that leaves centres no room.
    """
    count = len(state.radii)
    margin = 0.0 if state.periodic else state.mean_radius
    sides = state.box - 2.0 * margin
    if count < 2 or not (sides > 0.0).all():
        return None
    numbers = wave_numbers(sides, _LARGEST / (2.0 * state.mean_radius), min(max(_WORK / count, _FEWEST), _MOST))
    if not len(numbers):
        return None
    squared = _squared_sums((state.positions - margin) / sides, numbers.astype(np.float64))
    length = 2.0 * np.pi * np.hypot(*(numbers / sides).T)
    place = np.floor(_PER_DECADE * np.log10(length / length.min()) + 0.5).astype(np.int64)
    each = np.bincount(place)
    known = each > 0
    k = np.bincount(place, length)[known] / each[known]
    s = np.bincount(place, squared)[known] / each[known] / count
    return StructureFactor(k, s, s / np.sqrt(each[known]), 2.0 * state.mean_radius)


def wave_numbers(sides: Floats, largest: float, wanted: float) -> Longs:
    """About so many wave vectors 2 pi (n / a, m / b), as rows (n, m), none longer than `largest`.

    Of k and -k, which have the same S, one is taken. sides : (2,), a and b.
    """
    least = 2.0 * np.pi / float(sides.max())
    bins = max(1, int(np.ceil(_PER_DECADE * np.log10(max(largest / least, 1.0 + 1e-9)))))
    each = max(2, int(wanted / bins))
    # a bin around k has pi k^2 w a b / (2 pi)^2 wave vectors of the half plane, with the relative width w of a bin
    width = np.log(10.0) / _PER_DECADE
    all_up_to = min(largest, 2.0 * np.sqrt(np.pi * each / (width * float(sides.prod()))))
    most = np.floor(all_up_to * sides / (2.0 * np.pi)).astype(np.int64)
    n, m = np.meshgrid(np.arange(-most[0], most[0] + 1), np.arange(most[1] + 1))
    first = np.column_stack([n.ravel(), m.ravel()])
    first = first[(2.0 * np.pi * np.hypot(*(first / sides).T) <= all_up_to) | (np.abs(first).sum(axis=1) == 1)]
    middles = all_up_to * 10.0 ** (np.arange(0.5, bins) / _PER_DECADE)
    middles = middles[middles <= largest]
    turn = (np.arange(each) + (_GOLDEN * np.arange(len(middles))[:, None]) % 1.0) * np.pi / each
    along = middles[:, None, None] * np.stack([np.cos(turn), np.sin(turn)], axis=-1) * sides / (2.0 * np.pi)
    found = np.concatenate([first, np.rint(along).astype(np.int64).reshape(-1, 2)])
    found = np.where(((found[:, 1] < 0) | ((found[:, 1] == 0) & (found[:, 0] < 0)))[:, None], -found, found)
    found = found[(found != 0).any(axis=1)]
    return np.unique(found[2.0 * np.pi * np.hypot(*(found / sides).T) <= largest * (1.0 + 1e-12)], axis=0)


@fused
def _squared_sums(places: Floats, numbers: Floats) -> Floats:
    """|sum over j of exp(2 pi i (n x_j + m y_j))|^2 for each row (n, m) of `numbers`; places (N, 2) in box sides.

    Sine and cosine of half the angle, at most pi / 2, are their series up to the 15th power: 1e-10 is left. Written out
    so, the loop over wave vectors becomes vector instructions.
    """
    count = len(numbers)
    across, up = numbers[:, 0].copy(), numbers[:, 1].copy()
    real, imaginary = np.zeros(count), np.zeros(count)
    for j in range(len(places)):
        x, y = places[j, 0], places[j, 1]
        for k in range(count):
            turns = across[k] * x + up[k] * y
            half = np.pi * (turns - np.floor(turns + 0.5))
            u = half * half
            s = -1.0 / 39916800.0 + u * (1.0 / 6227020800.0 - u / 1307674368000.0)
            s = 1.0 / 120.0 + u * (-1.0 / 5040.0 + u * (1.0 / 362880.0 + u * s))
            s = half * (1.0 + u * (-1.0 / 6.0 + u * s))
            c = -1.0 / 3628800.0 + u * (1.0 / 479001600.0 - u / 87178291200.0)
            c = 1.0 / 24.0 + u * (-1.0 / 720.0 + u * (1.0 / 40320.0 + u * c))
            c = 1.0 + u * (-0.5 + u * c)
            real[k] += 1.0 - 2.0 * s * s
            imaginary[k] += 2.0 * s * c
    return real * real + imaginary * imaginary
