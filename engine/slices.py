"""How much work fits into a slice: kernels count units of work, people give seconds."""

from __future__ import annotations

from math import isfinite

NO_LIMIT = 1 << 60


def limited(count: int | None) -> int:
    """A count for a kernel: None is no limit, and so is more than an int64 comfortably holds."""
    return NO_LIMIT if count is None else min(count, NO_LIMIT)


class WorkRate:
    """Units of work a second, learnt as a simulation runs; `guess` is what it starts from."""

    def __init__(self, guess: float) -> None:
        self._rate = guess

    def units(self, budget: float) -> int:
        """Units that take about `budget` seconds, inf for no limit."""
        return max(200, int(self._rate * max(budget, 0.0))) if isfinite(budget) else NO_LIMIT

    def learn(self, units: int, seconds: float) -> None:
        """A mean that follows within a few slices; a first call that holds a compile is forgotten soon."""
        if units > 1000 and seconds > 0.0:
            self._rate += 0.3 * (units / seconds - self._rate)
