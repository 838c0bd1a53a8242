"""Exponents of the curves of single runs, for the plots of the window and for studies, which average them over seeds.

The points of one run are correlated, so their scatter about the line gives no valid error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.study.model import CurveSlope
from engine.study.quantities import CurveQuantity

Floats = NDArray[np.float64]
Range = tuple[float, float]
"""The two ends; values, not logarithms."""

_ROUNDING = 1e-9  # relative: a point at the end of the range belongs to it


@dataclass(frozen=True)
class Power:
    """A fit y = amplitude · x^exponent, and the number of its points."""

    exponent: float
    amplitude: float
    count: int


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
    if not (off @ off > 0.0 and len(np.unique(at)) > 1):
        return None
    exponent = float(off @ (up - up.mean()) / (off @ off))
    return Power(exponent, float(np.exp(up.mean() - exponent * at.mean())), len(at))


def last_decades(x: Floats, decades: float, low: float | None = None) -> Range | None:
    """The range of the last decades of x, starting at `low` at least (None: the smallest x above 0); None if it is
    empty."""
    positive = x[np.isfinite(x) & (x > 0.0)]
    if not len(positive):
        return None
    high = float(positive.max())
    low = max(float(positive.min()) if low is None else low, high / 10.0**decades)
    return (low, high) if low < high else None


def slope_of(curve: CurveQuantity | None, wanted: CurveSlope) -> float | None:
    """The exponent that a study measures from the curve of a run; None if no law can be fitted."""
    if curve is None:
        return None
    within = wanted.between or last_decades(curve.x, wanted.decades or np.inf)
    found = None if within is None else power_through(curve.x, curve.y, within)
    return None if found is None else wanted.sign * found.exponent
