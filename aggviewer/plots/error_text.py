"""Standard errors of plotted values: of counts, and in words. No Qt."""

from __future__ import annotations

from math import floor, inf, log10

import numpy as np
from numpy.typing import NDArray

_DIGITS = (3, 6)  # behind the point, at least and at most


def error_text(value: float, error: float) -> str:
    """A value with its standard error, such as ``1.795 ± 0.012``; without it if it is unknown or 0 to six decimals."""
    if not (np.isfinite(error) and error > 10.0 ** -_DIGITS[1]):
        text = f"{value:.{_DIGITS[0]}f}"
    else:
        digits = min(max(-floor(log10(error)), _DIGITS[0]), _DIGITS[1])  # at least the first digit of the error
        text = f"{value:.{digits}f} ± {error:.{digits}f}"
    return text.replace("-", "−")


def of_counts(counts: NDArray[np.float64] | NDArray[np.int64], total: float = inf) -> NDArray[np.float64]:
    """The standard errors √(n (1 - n/N)) of counts n (K,) in bins, for N independent entries; √n if N is infinite, that
    is if the number of entries is random too."""
    n = np.asarray(counts, np.float64)
    return np.sqrt(np.maximum(n * (1.0 - n / total), 0.0))
