"""Standard errors of what a plot draws, as bars."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

_BEAM_SHARE = 0.0  # bars without caps: there may be many beside each other
_FAR = 9.0  # decades below a value whose error is as large as itself


@dataclass(frozen=True)
class Errors:
    """Standard errors of plotted values.

    Parameters
    ----------
    x : (K,), where the bars stand, in plot coordinates.
    y, error : (K,), the quantities themselves and their standard errors; a bar is drawn where both are finite and
        the error is above 0.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    error: NDArray[np.float64]


def draw_errors(item: pg.ErrorBarItem, errors: Errors | None, log: bool) -> None:
    """Draw bars from y - error to y + error, or hide the item. log : whether y is drawn as log10. There, a bar that
    reaches 0 leaves the plot at its lower edge."""
    if errors is None:
        item.hide()
        return
    y, error = errors.y, errors.error
    seen = np.isfinite(y) & np.isfinite(error) & (error > 0.0)
    if log:
        seen &= y > 0.0
    y, error = y[seen], error[seen]
    if not len(y):
        item.hide()
        return
    middle, low, high = y, y - error, y + error
    if log:
        middle, high = np.log10(y), np.log10(high)
        low = np.where(low > 0.0, np.log10(np.where(low > 0.0, low, 1.0)), middle - _FAR)
    item.setData(x=errors.x[seen], y=middle, top=high - middle, bottom=middle - low, beam=_BEAM_SHARE)
    item.show()


def poisson(counts: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
    """The standard error √n of numbers (K,) that were counted."""
    return np.sqrt(np.asarray(counts, np.float64))
