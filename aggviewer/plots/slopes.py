"""Power laws through the points of a plot: which curves have one, and over which range. No Qt.

The points of one run depend on each other, so that their scatter about the line is no standard error of the exponent:
that takes runs with other seeds (`aggviewer.plots.over_seeds`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.study.fits import fit_line
from engine.study.series import Line

Range = tuple[float, float]
"""From and to, as quantities: not their logarithms."""

_ROUNDING = 1e-9  # relative: a point at the end of the range belongs to it
_DIGITS = 3  # of an exponent, behind the point


def read_range(plain: object) -> Range | None:
    """The range in a list of two numbers above 0, None where there is none."""
    if not (isinstance(plain, list | tuple) and len(plain) == 2):
        return None
    low, high = plain
    if not (isinstance(low, int | float) and isinstance(high, int | float)):
        return None
    return (float(low), float(high)) if 0.0 < low < high < float("inf") else None


@dataclass(frozen=True)
class Slope:
    """A curve that has an exponent.

    Parameters
    ----------
    field : the curve, a field of `Plot._new_items`.
    symbol : of the exponent, in rich text.
    name : the same in plain text, for tables.
    sign : -1 for an exponent that is told with the other sign.
    """

    field: str
    symbol: str
    name: str
    sign: float = 1.0


@dataclass(frozen=True)
class PowerFit:
    """Says that curves of a plot on two logarithmic axes are fitted by powers of x, see `Plot.power_fit`.

    Parameters
    ----------
    slopes : the curves.
    low : least x that is fitted where the person has chosen no range, None for that of the first point.
    decades : how much is fitted then before the last point, at most; None for all of it.
    always : whether the exponent stands in the plot also while its range is neither chosen nor shown.
    """

    slopes: tuple[Slope, ...] = ()
    low: float | None = None
    decades: float | None = None
    always: bool = True

    def usual_range(self, x: NDArray[np.float64]) -> Range | None:
        """The range for points at x (K,), None where there is none."""
        positive = x[np.isfinite(x) & (x > 0.0)]
        if not len(positive):
            return None
        high = float(positive.max())
        low = float(positive.min()) if self.low is None else self.low
        if self.decades is not None:
            low = max(low, high / 10.0**self.decades)
        return (low, high) if low < high else None


@dataclass(frozen=True)
class FittedSlope:
    """y = amplitude · x^exponent, of least squares in log y over log x.

    Parameters
    ----------
    exponent : with its own sign.
    amplitude : y of the line at x = 1.
    count : points that it rests on.
    """

    exponent: float
    amplitude: float
    count: int

    def in_words(self, sign: float = 1.0) -> str:
        """``1.795``."""
        return f"{0.0 + sign * self.exponent:.{_DIGITS}f}".replace("-", "−")  # no minus zero


def points_in(x: NDArray[np.float64], y: NDArray[np.float64], within: Range) -> NDArray[np.bool_]:
    """Which of the points x, y (K,) a fit over this range takes (K,)."""
    low, high = within
    return (x >= low * (1.0 - _ROUNDING)) & (x <= high * (1.0 + _ROUNDING)) & (x > 0.0) & (y > 0.0)


def fitted_slope(x: NDArray[np.float64], y: NDArray[np.float64], within: Range) -> FittedSlope | None:
    """The power law through the points x, y (K,) in this range; None where fewer than two x differ."""
    taken = points_in(x, y, within)
    line = Line(None, x[taken], y[taken], np.full(int(taken.sum()), np.nan), ())
    found = fit_line(line, "power")
    if found.problem:
        return None
    return FittedSlope(found.slope[0], found.amplitude[0], found.count)
