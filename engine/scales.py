"""How the scale of a colour is found from the values that one frame after another has.

A scale belongs to one run and one quantity. Its limits are round numbers that change as seldom as can be, so that a
colour keeps its meaning while a person watches.
"""

from __future__ import annotations

from math import ceil, floor, log10, pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_COOLED = 0.4
"""Share of a limit: where all values have come below it, a scale that follows them begins anew."""


class Limits(NamedTuple):
    """The values of the first and the last colour; beyond : there are values above `high`, which have its colour."""

    low: float
    high: float
    beyond: bool = False


class Scale:
    """Finds limits from values, one frame after another. The limits are round and only ever widen.

    constant : the limits are the same for all frames of a run.
    """

    constant = False

    def __init__(self) -> None:
        self._low = self._high = 0.0

    def follow(self, values: NDArray[Any]) -> Limits:
        """The limits for the next frame, whose discs have these values, (N,)."""
        if len(values):
            self._low = min(self._low, float(values.min()))
            self._high = max(self._high, float(values.max()))
        low = -rounded_up(-self._low) if self._low < 0.0 else 0.0
        high = rounded_up(self._high) if self._high > 0.0 else 0.0
        return Limits(low, high if high > low else low + 1.0)

    def may_exceed(self, radii: NDArray[np.float64]) -> bool:
        """Whether frames that were not looked at may have values above limits that were found from others.

        radii : (N,), of the discs.
        """
        return False


class Fixed(Scale):
    """Limits that are known beforehand."""

    constant = True

    def __init__(self, low: float, high: float) -> None:
        super().__init__()
        self._limits = Limits(low, high)

    def follow(self, values: NDArray[Any]) -> Limits:
        """The limits that were given."""
        return self._limits


class Turn(Fixed):
    """Angles from -π to π."""

    def __init__(self) -> None:
        super().__init__(-pi, pi)


class OneToAll(Scale):
    """Numbers of discs, from one disc to all of them: a colour means the same number from the first frame to the
    last."""

    constant = True

    def follow(self, values: NDArray[Any]) -> Limits:
        """From 1 to the number of discs."""
        return Limits(1.0, float(max(len(values), 2)))


class Typical(Scale):
    """Amounts from 0 to twice their root mean square: the few large ones of a Maxwell distribution would leave all
    others at the dark end.

    cools : where all have become much smaller, the limit is found anew. A granular gas cools without end, and would
    all go dark.
    """

    def __init__(self, *, cools: bool = False) -> None:
        super().__init__()
        self._cools = cools
        self._limit = 0.0
        self._largest = 0.0

    def follow(self, values: NDArray[Any]) -> Limits:
        """From 0 to a round number."""
        largest = float(values.max(initial=0.0))
        typical = 2.0 * float(np.sqrt(np.mean(values**2))) if len(values) else 0.0
        wanted = min(largest, typical)
        if self._cools and wanted < _COOLED * self._limit:
            self._limit = self._largest = 0.0
        self._limit = max(self._limit, wanted)
        limit = rounded_up(self._limit) if self._limit > 0.0 else 1.0
        self._largest = max(self._largest, largest)
        return Limits(0.0, limit, self._largest > limit * (1.0 + 1e-9))


class Cooling(Typical):
    """As `Typical`, and follows amounts that become smaller and smaller."""

    def __init__(self) -> None:
        super().__init__(cools=True)


class EvenCount(Scale):
    """Small whole numbers from 0 to an even one, 6 or more, so that there is a whole number in the middle."""

    def __init__(self) -> None:
        super().__init__()
        self._most = 6

    def follow(self, values: NDArray[Any]) -> Limits:
        """From 0 to an even number."""
        self._most = max(self._most, int(values.max(initial=0)))
        return Limits(0.0, float(2 * ceil(self._most / 2)))

    def may_exceed(self, radii: NDArray[np.float64]) -> bool:
        """Six discs find room around one of their size; more than six only where sizes differ."""
        return float(np.ptp(radii)) > 0.0


class Span(Scale):
    """From the least value to the largest one of the same frame."""

    def follow(self, values: NDArray[Any]) -> Limits:
        """The span of the values, one around 1 where they are all alike."""
        low, high = (float(values.min()), float(values.max())) if len(values) else (1.0, 1.0)
        return Limits(low, high) if high - low >= 1e-9 else Limits(0.5, 1.5)


class Steps(Scale):
    """Numbers that grow together: the scale begins at the fewest, and both ends are round, so that it does not change
    with every frame."""

    def follow(self, values: NDArray[Any]) -> Limits:
        """Both ends are multiples of a round number."""
        low, high = 0.0, 0.0
        if len(values):
            low, high = float(values.min()), min(float(values.max()), float(values.mean() + 3.0 * values.std()))
        step = float(ceil(rounded_up(max(high - low, 1.0) / 4.0)))
        first, last = step * floor(low / step), step * max(ceil(high / step), floor(low / step) + 1)
        return Limits(first, last, bool(len(values)) and float(values.max()) > last)


class Waiting(Scale):
    """Waiting times, which fall off exponentially: from 0 to three times their mean. A scale that is near enough is
    kept."""

    def __init__(self) -> None:
        super().__init__()
        self._longest = 0.0

    def follow(self, values: NDArray[Any]) -> Limits:
        """From 0 to a round number."""
        wanted = 3.0 * float(values.mean()) if len(values) else 0.0
        if wanted > self._longest or wanted < _COOLED * self._longest:
            self._longest = rounded_up(wanted) if wanted > 0.0 else 0.0
        limit = self._longest or 1.0
        return Limits(0.0, limit, bool(len(values)) and float(values.max()) > limit)


def rounded_up(value: float) -> float:
    """The smallest 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten that is not below `value` > 0."""
    power = 10.0 ** floor(log10(value))
    for step in (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0):
        if step * power >= value * (1.0 - 1e-9):
            return step * power
    return 10.0 * power
