"""A long history, thinned for a plot with logarithmic axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def thin_history(time: NDArray[np.float64], limit: int = 1200) -> NDArray[np.intp]:
    """Indices, rising, of at most about `limit` entries that show the same curve on log axes.

    time : (K,) rising. M(t) and E(t) never grow, so a subset can lose no peak; it needs to be dense where the axes
    are: half of the entries are evenly spaced in log time, half in the logarithm of how many entries are left, which
    is log M for one entry per merge. First and last are always among them. O(limit log K).
    """
    count = len(time)
    if count <= limit:
        return np.arange(count)
    half = limit // 2
    first = int(np.searchsorted(time, 0.0, side="right"))  # a log axis has no place for t = 0
    parts = [np.array([0, count - 1]), count - 1 - np.unique(np.geomspace(1, count, half).astype(np.intp) - 1)]
    if first < count and time[-1] > time[first]:
        wanted = np.geomspace(time[first], time[-1], half)
        parts.append(np.clip(np.searchsorted(time, wanted), first, count - 1))
    return np.unique(np.concatenate(parts)).astype(np.intp)
