"""Standard errors of plotted values: of counts, with their intervals, and in words. No Qt."""

from __future__ import annotations

from math import erfc, floor, inf, isinf, log10, sqrt

import numpy as np
from numpy.typing import NDArray

_DIGITS = (3, 6)  # behind the point, at least and at most
_TAIL = 0.5 * erfc(sqrt(0.5))  # beyond one standard deviation of a normal distribution, on one side


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


def interval_of_counts(
    counts: NDArray[np.float64] | NDArray[np.int64], total: float = inf
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The lower and upper ends (K,) of the central 68.27 % confidence intervals of counts n (K,) in bins, for N
    independent entries: of Clopper and Pearson; those of Garwood for Poisson counts if N is infinite, that is if the
    number of entries is random too (Gehrels 1986). The lower end is above 0 for every count but 0."""
    from scipy.special import betaincinv, gammaincinv  # takes a tenth of a second to load

    n = np.asarray(counts, np.float64)
    some, rest = np.maximum(n, 1.0), np.maximum(total - n, 1.0)
    if isinf(total):
        low, high = gammaincinv(some, _TAIL), gammaincinv(n + 1.0, 1.0 - _TAIL)
    else:
        low = total * betaincinv(some, total - some + 1.0, _TAIL)
        high = total * betaincinv(n + 1.0, rest, 1.0 - _TAIL)
    return np.where(n > 0.0, low, 0.0), np.where(n < total, high, total)
