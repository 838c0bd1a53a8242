"""Pair correlation g(r) of a gas, and what touches: its value at contact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.analysis.near_discs import count_gaps
from engine.analysis.pair_counting import pairs_by_distance
from engine.analysis.state import DiscState

_DIAMETERS = 6.0  # range of g(r), in mean diameters
_PER_DIAMETER = 20  # intervals
_FINE, _WIDEST = 1e-4, 0.3  # gaps over the sum of radii: interval that they are counted in, and the largest
_NEIGHBOURS = 2.0  # gaps a disc that the extrapolation to contact uses, where they are not wider than `_WIDEST`
_FIT = 20  # intervals of the extrapolation


@dataclass(frozen=True, eq=False)
class PairCorrelation:
    """r : (K,) middle of the intervals; g : (K,), 1 for an ideal gas; diameter : the mean one."""

    r: NDArray[np.float64]
    g: NDArray[np.float64]
    diameter: float


def pair_correlation(state: DiscState) -> PairCorrelation | None:
    """g(r) up to six mean diameters or half of the shorter side, in intervals of 1/20 diameter. O(N).

    Pairs over those of an ideal gas of N discs, so that the whole of it is 1 on average. In a periodic box distances
    are to the nearest image. Between walls the ideal gas fills the part of the box that a centre can reach (all but a
    mean radius along the walls), and the pairs that a walled box lacks are counted exactly: at the distance r the share
    of the displacements that stay within sides a, b is 1 - (2 r / pi) (1/a + 1/b) + r^2 / (pi a b), on average over
    directions. Nothing is left out; under gravity the density itself is uneven, and g does not tend to 1.

    None for less than two discs and for a box that discs fill.
    """
    count = len(state.radii)
    diameter = 2.0 * state.mean_radius
    a, b = _reachable(state)
    farthest = min(_DIAMETERS * diameter, 0.5 * min(a, b))
    intervals = int(farthest / diameter * _PER_DIAMETER + 1e-9)
    if count < 2 or intervals < 2:
        return None
    edges = np.arange(intervals + 1, dtype=np.float64) * (diameter / _PER_DIAMETER)
    pairs = pairs_by_distance(state.grid, edges)[1:-1]
    area = np.pi * edges**2
    if not state.periodic:  # integral of 2 pi r times the share above
        area -= 4.0 / 3.0 * edges**3 * (1.0 / a + 1.0 / b) - 0.5 * edges**4 / (a * b)
    ideal = 0.5 * count * (count - 1) * np.diff(area) / (a * b)
    return PairCorrelation(0.5 * (edges[1:] + edges[:-1]), pairs / ideal, diameter)


def contact_compressibility(state: DiscState) -> float | None:
    """Z = 1 + 2 phi g(sigma+), from the gaps between neighbours extrapolated to none.

    With C(s) ds ordered pairs at distances s (R_i + R_j) in (s, s + ds), Z - 1 = lim C(s) / (4 s N) as s falls to 1:
    the same for equal discs, and right for mixtures too, where pairs weigh as (R_i + R_j)^2. ln (C/s) is fitted by a
    parabola over the nearest gaps, two a disc and at most 0.3. One state of 10^4 discs gives Z - 1 within some 3 %.

    None where there are too few neighbours, or gaps too small to be told apart.
    """
    count = len(state.radii)
    gaps = count_gaps(state, _WIDEST, _FINE)
    enough = int(np.searchsorted(np.cumsum(gaps), 0.5 * _NEIGHBOURS * count))
    width = min(enough, len(gaps)) // _FIT
    if width == 0:
        return None
    pairs = gaps[: width * _FIT].reshape(_FIT, width).sum(axis=1).astype(np.float64)
    s = 1.0 + _FINE * width * (np.arange(_FIT) + 0.5)
    met = pairs > 0
    if met.sum() < _FIT // 2 or pairs.sum() < 5 * _FIT:
        return None
    # the logarithm of a Poisson number of mean n has the deviation 1/sqrt(n)
    parabola = np.polyfit((s - 1.0)[met], np.log(pairs[met] / s[met]), 2, w=np.sqrt(pairs[met]))
    return 1.0 + float(2.0 * np.exp(parabola[-1]) / (4.0 * count * _FINE * width))


def _reachable(state: DiscState) -> tuple[float, float]:
    """Sides of the part of the box that centres can be in."""
    margin = 0.0 if state.periodic else 2.0 * state.mean_radius
    return float(state.box[0]) - margin, float(state.box[1]) - margin
