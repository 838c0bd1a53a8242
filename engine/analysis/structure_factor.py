"""The structure factor S(k), directly from the positions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.analysis.state import DiscState
from engine.arrays import Floats, Longs
from engine.geometry.vectors import Vector
from engine.kernels import fused

_LARGEST = 20.0  # k times the mean diameter
_PER_DECADE = 32  # bins of k
_WORK = 1e8  # terms of the sums, about
_FEWEST, _MOST = 400, 8192  # wave vectors, about
_WAVES = 2.0**48  # waves across the box; with more, rounding of the positions spoils the phase
_GOLDEN = 0.6180339887498949  # turns the directions from bin to bin
_PEAKED = 8.0  # see `structure_factor`
_TOGETHER = 512  # number of discs whose positions stay in the cache


@dataclass(frozen=True, eq=False)
class StructureFactor:
    """S(k), 1 for an ideal gas.

    Attributes
    ----------
    k : (K,), ascending, the mean length of the wave vectors of each bin.
    s : (K,), the mean of S over them.
    error : (K,), its standard error S / sqrt(n + 1) for n wave vectors. It is valid for a disordered state, where the
        sum over discs is a random walk in the plane, so that |sum|^2 has a standard deviation equal to its mean. nan if
        the values in a bin vary far more than that, as at the peaks of a crystal.
    diameter : the mean one.
    """

    k: Floats
    s: Floats
    error: Floats
    diameter: float


def structure_factor(state: DiscState) -> StructureFactor | None:
    """S(k) = |sum over j of exp(i k . X_j)|^2 / N, averaged over wave vectors of about the same length.

    These are k = 2 pi (n / L_x, m / L_y), in space with l / L_z, where along a periodic axis L is the side of the box,
    so that all images of a disc have the same phase. Between walls L_x, … are the sides of the part of the box
    accessible to centres (all but a mean radius along the walls). Where images above are ahead by d along x, they are
    k = 2 pi (n / L_x, (m - n d / L_x) / L_y). At these wave vectors the transform of that box is 0,
    so that its shape does not contribute, and an ideal gas has 1 there too. Layers of discs along walls do contribute.

    k runs from the smallest wave vector to 20 over the mean diameter, with 32 bins per decade. The first bins include
    all wave vectors, later ones some in evenly spread directions, so that there are about 8000 in total, 400 for very
    many discs. O(N).

    None for a single disc and for a box without space for centres.
    """
    count = len(state.radii)
    sides = state.room
    if count < 2 or not (sides > 0.0).all():
        return None
    largest = min(_LARGEST / (2.0 * state.mean_radius), 2.0 * np.pi * _WAVES / float(sides.max()))
    tilt = state.periodic.offset / float(sides[0])
    numbers = wave_numbers(sides, largest, min(max(_WORK / count, _FEWEST), _MOST), tilt)
    if not len(numbers):
        return None
    places = (state.positions - state.margins) / sides
    if tilt:
        places[:, 0] -= tilt * places[:, 1]
    squared = _squared_sums(places, numbers.astype(np.float64), tuple(sides.tolist()))
    length = _lengths(numbers, sides, tilt)
    place = np.floor(_PER_DECADE * np.log10(length / length.min()) + 0.5).astype(np.int64)
    each = np.bincount(place)
    known = each > 0
    k = np.bincount(place, length)[known] / each[known]
    many = each[known]
    mean = np.bincount(place, squared)[known] / many
    error = mean / np.sqrt(many + 1.0)
    # relative to m^2, squares of random walks have the variance 1; that of n of them exceeds 1 + 8/sqrt(n) once in 1000
    variance = np.bincount(place, squared**2)[known] / many - mean**2
    error[variance > (1.0 + _PEAKED / np.sqrt(many)) * mean**2] = np.nan
    return StructureFactor(k, mean / count, error / count, 2.0 * state.mean_radius)


def _lengths(numbers: Longs, sides: Floats, tilt: float) -> Floats:
    """The lengths (K,) of wave vectors; the parameters are those of `wave_numbers`."""
    seen = numbers.astype(np.float64)
    if tilt:
        seen[:, 1] -= tilt * seen[:, 0]
    return np.asarray(2.0 * np.pi * np.hypot.reduce(seen / sides, axis=1))


def wave_numbers(sides: Floats, largest: float, wanted: float, tilt: float = 0.0) -> Longs:
    """About `count` wave vectors 2 pi (n / a, m / b), as rows (n, m), none longer than `largest`; in space (n, m, l).

    Only one of k and -k, which have the same S, is included. sides : (d,), a, b and, in space, c. tilt : how far images
    above are ahead, over a: m - n tilt stands in the place of m then.
    """
    dimensions = len(sides)
    least = 2.0 * np.pi / float(sides.max())
    bins = max(1, int(np.ceil(_PER_DECADE * np.log10(max(largest / least, 1.0 + 1e-9)))))
    each = max(2, int(wanted / bins))
    # a bin around k has pi k^2 w a b / (2 pi)^2 wave vectors of the half plane, with the relative width w of a bin, and
    # 2 pi k^3 w a b c / (2 pi)^3 of the half space
    width = np.log(10.0) / _PER_DECADE
    room = width * float(sides.prod())
    all_up_to = 2.0 * np.sqrt(np.pi * each / room) if dimensions == 2 else np.cbrt(4.0 * np.pi**2 * each / room)
    all_up_to = min(largest, all_up_to)
    most = np.floor(all_up_to * sides / (2.0 * np.pi)).astype(np.int64)
    most[1] += int(np.ceil(abs(tilt) * most[0]))
    ahead = [np.arange(-number, number + 1) for number in most[:-1]]
    first = np.column_stack([along.ravel() for along in np.meshgrid(*ahead, np.arange(most[-1] + 1))])
    length = _lengths(first, sides, tilt)
    first = first[(length <= all_up_to) | (np.abs(first).sum(axis=1) == 1)]
    middles = all_up_to * 10.0 ** (np.arange(0.5, bins) / _PER_DECADE)
    middles = middles[middles <= largest]
    ways = _directions(each, len(middles)) if dimensions == 2 else _directions_in_space(each, len(middles))
    along = middles[:, None, None] * ways * sides / (2.0 * np.pi)
    if tilt:
        along[..., 1] += tilt * np.rint(along[..., 0])
    found = np.concatenate([first, np.rint(along).astype(np.int64).reshape(-1, dimensions)])
    sign = np.zeros(len(found), np.int64)
    for axis in range(dimensions - 1, -1, -1):
        sign = np.where(sign == 0, np.sign(found[:, axis]), sign)
    found = (sign[:, None] * found)[sign != 0]
    return np.unique(found[_lengths(found, sides, tilt) <= largest * (1.0 + 1e-12)], axis=0)


def _directions(each: int, bins: int) -> Floats:
    """Directions spread evenly over half the circle, turned from bin to bin, (bins, each, 2)."""
    turn = (np.arange(each) + (_GOLDEN * np.arange(bins)[:, None]) % 1.0) * np.pi / each
    return np.stack([np.cos(turn), np.sin(turn)], axis=-1)


def _directions_in_space(each: int, bins: int) -> Floats:
    """Directions on a golden spiral over half the sphere, turned from bin to bin, (bins, each, 3)."""
    height = (np.arange(each) + 0.5) / each
    turn = 2.0 * np.pi * _GOLDEN * (np.arange(each) + np.arange(bins)[:, None])
    flat = np.sqrt(1.0 - height * height)
    return np.stack([flat * np.cos(turn), flat * np.sin(turn), np.broadcast_to(height, turn.shape)], axis=-1)


@fused
def _squared_sums(places: Floats, numbers: Floats, sides: Vector) -> Floats:
    """|sum over j of exp(2 pi i (n x_j + m y_j))|^2 for each row (n, m) of `numbers`; places (N, 2) in box sides.

    In space rows are (n, m, l) and places (N, 3): the number of `sides` says it.

    Discs are processed in groups that stay in the cache for all wave vectors. The angle is 2 pi t with |t| <= 1/2. Sine
    and cosine of pi t are interpolating polynomials at Chebyshev points of t^2: 6 points for the sine over t (error
    3e-11), and 7 for the cosine (8e-13). Cosine and sine of the angle are 1 - 2 s^2 and 2 s c, of which halves are
    summed. In this form the loop over discs is vectorised.
    """
    count = len(numbers)
    real, imaginary = np.zeros(count), np.zeros(count)
    x, y, z = np.empty(_TOGETHER), np.empty(_TOGETHER), np.empty(_TOGETHER)
    for first in range(0, len(places), _TOGETHER):
        together = min(_TOGETHER, len(places) - first)
        for j in range(together):
            x[j], y[j] = places[first + j, 0], places[first + j, 1]
            if len(sides) > 2:
                z[j] = places[first + j, 2]
        for k in range(count):
            n, m = numbers[k, 0], numbers[k, 1]
            deep = numbers[k, 2] if len(sides) > 2 else 0.0
            re = im = 0.0
            for j in range(together):
                t = n * x[j] + m * y[j]
                if len(sides) > 2:
                    t += deep * z[j]
                t -= np.rint(t)
                u = t * t
                s = 0.08205035020147247 - u * 0.007028303855203096
                s = 2.550163317938427 + u * (-0.599252186531583 + u * s)
                s = t * (3.141592653536132 + u * (-5.167712764593 + u * s))
                c = 0.2353254365877112 + u * (-0.02577631642731586 + u * 0.0018399894372694043)
                c = 4.0587121075374375 + u * (-1.33526231526157 + u * c)
                c = 0.9999999999992479 + u * (-4.93480220024985 + u * c)
                re += 0.5 - s * s
                im += s * c
            real[k] += re
            imaginary[k] += im
    return 4.0 * (real * real + imaginary * imaginary)
