"""Power laws of a plot: which curves are fitted, and over which range. No Qt.

The points of one run are correlated, so their scatter about the line gives no valid error of the exponent; runs with
other seeds do (`aggviewer.plots.plot_study`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from engine.study.quantities import Range as Range
from engine.study.quantities import last_decades

_DIGITS = 3  # decimals of an exponent


@dataclass(frozen=True)
class Slope:
    """A curve with an exponent.

    Parameters
    ----------
    field : the key of the series.
    symbol : of the exponent, in rich text.
    name : the same in plain text, for tables.
    sign : -1 for an exponent that is given with the opposite sign.
    """

    field: str
    symbol: str
    name: str
    sign: float = 1.0


@dataclass(frozen=True)
class PowerFit:
    """Declares that curves of a plot on two logarithmic axes are fitted by powers of x, see `Plot.power_fit`.

    Parameters
    ----------
    slopes : the curves.
    low : least x of the default fit range, None for the first point.
    decades : greatest length of the default range before the last point; None for all points.
    always : whether the exponent is shown even if its range is neither chosen nor shown.
    """

    slopes: tuple[Slope, ...] = ()
    low: float | None = None
    decades: float | None = None
    always: bool = True

    def usual_range(self, x: NDArray[np.float64]) -> Range | None:
        """The default range for points at x (K,), None if there is none."""
        return last_decades(x, inf if self.decades is None else self.decades, self.low)


def exponent_text(exponent: float) -> str:
    """``1.795``."""
    return f"{exponent:z.{_DIGITS}f}".replace("-", "−")  # z: no minus zero
