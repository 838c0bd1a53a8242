"""Numbers measured of one run at different times, as a curve over time."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from engine.arrays import Floats

_MOST = 2000  # rows that are remembered


class MeasuredRows:
    """The numbers that were measured in a run so far. When they have become many, every second row is dropped."""

    def __init__(self) -> None:
        self._rows: list[tuple[float, ...]] = []
        self._apart = 0.0  # least difference of time of two rows

    def remember(self, time: float, *numbers: float, past: bool) -> None:
        """Keep what was measured. The present of a run that continues from an earlier state replaces later rows.

        past : whether it is not the present of the run.
        """
        if not past:
            self._rows = [row for row in self._rows if row[0] < time]
        at = bisect_left(self._rows, (time,))
        near = [row[0] for row in self._rows[max(at - 1, 0) : at + 1]]
        if past and any(abs(time - other) <= self._apart for other in near):
            return
        self._rows.insert(at, (time, *numbers))
        if len(self._rows) > _MOST:
            del self._rows[1:-1:2]
            self._apart = (self._rows[-1][0] - self._rows[0][0]) / _MOST

    def up_to(self, time: float) -> Floats | None:
        """The rows up to this time, ascending, as columns: (n, K), the first of them the times; None without any."""
        rows = [row for row in self._rows if row[0] <= time]
        return np.array(rows).T if rows else None
