"""Power laws y = a · x^b through points, by least squares in the logarithms."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats

Range = tuple[float, float]
"""The two ends; values, not logarithms."""

_ROUNDING = 1e-9  # relative: a point at the end of the range belongs to it
_LEAST = 0.1  # of the exponent of x over y


@dataclass(frozen=True)
class Power:
    """A fit y = amplitude · x^exponent, and the number of its points.

    error : the standard error of the exponent if the points are independent; nan for two points.
    """

    exponent: float
    amplitude: float
    count: int
    error: float = nan


def points_in(x: Floats, y: Floats, within: Range) -> NDArray[np.bool_]:
    """Which of the points x, y (K,) a fit over this range uses, (K,)."""
    low, high = within
    return (x >= low * (1.0 - _ROUNDING)) & (x <= high * (1.0 + _ROUNDING)) & (x > 0.0) & (y > 0.0)


def power_through(x: Floats, y: Floats, within: Range) -> Power | None:
    """The power law through the points x, y (K,) in this range, by least squares in log y over log x; None if there are
    fewer than two different x."""
    taken = points_in(x, y, within)
    at, up = np.log(x[taken]), np.log(y[taken])
    off = at - at.mean() if len(at) else at
    spread = float(off @ off)
    if not (spread > 0.0 and len(np.unique(at)) > 1):
        return None
    exponent = float(off @ (up - up.mean()) / spread)
    rest = up - up.mean() - exponent * off
    error = sqrt(float(rest @ rest) / (len(at) - 2) / spread) if len(at) > 2 else nan
    return Power(exponent, float(np.exp(up.mean() - exponent * at.mean())), len(at), error)


def power_of_exact(x: Floats, y: Floats, within: Range) -> Power | None:
    """The power law through points x, y (K,) of which only x scatters, as the radii of clusters of given masses do.

    Least squares in log y over log x would give a smaller exponent, the more x scatters. So log x is fitted over log y,
    and the range of x is taken as the range of y that the law through all points has there. None if there are too few
    points, or x hardly grows with y.
    """
    known = points_in(x, y, (0.0, inf))
    x, y = x[known], y[known]
    whole = power_through(y, x, (0.0, inf))
    if whole is None or whole.exponent < _LEAST:
        return None
    low, high = ((end / whole.amplitude) ** (1.0 / whole.exponent) for end in within)
    inside = (low if within[0] > x.min() else 0.0, high if within[1] < x.max() * (1.0 - _ROUNDING) else inf)
    found = power_through(y, x, inside)
    if found is None or found.exponent < _LEAST:
        return None
    exponent = 1.0 / found.exponent
    return Power(exponent, found.amplitude**-exponent, found.count, found.error * exponent**2)


def last_decades(x: Floats, decades: float, low: float | None = None) -> Range | None:
    """The range of the last decades of x, (n,), starting at `low` at least (None: the smallest x above 0); None if it
    is empty."""
    positive = x[np.isfinite(x) & (x > 0.0)]
    if not len(positive):
        return None
    high = float(positive.max())
    low = max(float(positive.min()) if low is None else low, high / 10.0**decades)
    return (low, high) if low < high else None
