"""Colour scales: finding the limits of a scale from the values in one frame after another.

A scale belongs to one run and one quantity. Its limits are round numbers that change as rarely as possible, so that a
colour keeps its meaning while a person watches.
"""

from __future__ import annotations

from math import ceil, floor, log10, pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_COOLED = 0.4
"""A scale that can shrink finds its limit again where what it is based on falls below this share of the limit."""


class ColorLimits(NamedTuple):
    """The values of the first and the last colour, and whether values `beyond` the last one are shown in its colour; of
    signed amounts, values beyond either of them."""

    low: float
    high: float
    beyond: bool = False


class Scale:
    """Limits that include 0 and all values so far, rounded outwards. They only ever widen.

    Attributes
    ----------
    constant : whether the limits are the same in all frames of a run.
    """

    constant = False

    def __init__(self) -> None:
        self._low = self._high = 0.0

    def follow(self, values: NDArray[Any]) -> ColorLimits:
        """The limits for the next frame, whose discs have the values (N,)."""
        if len(values):
            self._low = min(self._low, float(values.min()))
            self._high = max(self._high, float(values.max()))
        low = -rounded_up(-self._low) if self._low < 0.0 else 0.0
        high = rounded_up(self._high) if self._high > 0.0 else 0.0
        return ColorLimits(low, high if high > low else low + 1.0)

    def may_exceed(self, radii: NDArray[np.float64]) -> bool:
        """Whether other frames may have values above the limits found so far, for discs of these radii (N,)."""
        return False


class Fixed(Scale):
    """Limits that are given."""

    constant = True

    def __init__(self, low: float, high: float) -> None:
        super().__init__()
        self._limits = ColorLimits(low, high)

    def follow(self, values: NDArray[Any]) -> ColorLimits:
        """The limits that were given."""
        return self._limits


class Turn(Fixed):
    """The limits of angles, -π and π."""

    def __init__(self) -> None:
        super().__init__(-pi, pi)


class OneToAll(Scale):
    """For numbers of discs: from 1 to all discs, so that a colour means the same number throughout a run."""

    constant = True

    def follow(self, values: NDArray[Any]) -> ColorLimits:
        """From 1 to the number of discs."""
        return ColorLimits(1.0, float(max(len(values), 2)))


class Typical(Scale):
    """For amounts: from 0 to twice their root mean square.

    Up to the largest value, the few fast discs of a Maxwell distribution would leave all others at the dark end.

    Parameters
    ----------
    cools : whether the limit is found again where all values have become much smaller. A granular gas cools without
        end, and would become dark as a whole.
    """

    def __init__(self, *, cools: bool = False) -> None:
        super().__init__()
        self._cools = cools
        self._limit = 0.0
        self._largest = 0.0

    def follow(self, values: NDArray[Any]) -> ColorLimits:
        """From 0 to a round number."""
        largest = float(values.max(initial=0.0))
        typical = 2.0 * float(np.sqrt(_mean_square(values))) if len(values) else 0.0
        wanted = min(largest, typical)
        if self._cools and wanted < _COOLED * self._limit:
            self._limit = self._largest = 0.0
        self._limit = max(self._limit, wanted)
        limit = rounded_up(self._limit) if self._limit > 0.0 else 1.0
        self._largest = max(self._largest, largest)
        return ColorLimits(0.0, limit, self._largest > limit * (1.0 + 1e-9))


def _mean_square(values: NDArray[Any]) -> float:
    """The mean of the squares of (N,) values, N > 0; of real numbers without an array of the squares. `@` would wake
    the threads of the linear algebra library, which then wait at full speed for more."""
    if values.dtype.kind != "f":
        return float(np.mean(values**2))
    return float(np.einsum("i,i->", values, values)) / len(values)


class Cooling(Typical):
    """A typical amount for colours (`Typical`) that becomes smaller and smaller."""

    def __init__(self) -> None:
        super().__init__(cools=True)


class Balanced(Cooling):
    """For signed amounts: from minus to plus a typical amount, so that 0 is in the middle."""

    def follow(self, values: NDArray[Any]) -> ColorLimits:
        """Two round numbers of the same amount. values : (N,)."""
        _, limit, beyond = super().follow(np.abs(values))
        return ColorLimits(-limit, limit, beyond)


class SmallCount(Scale):
    """For small counts: from 0 to 8, and to 12 once there was a larger one, as among spheres."""

    def __init__(self) -> None:
        super().__init__()
        self._most = 0

    def follow(self, values: NDArray[Any]) -> ColorLimits:
        """From 0 to 8 or 12."""
        self._most = max(self._most, int(values.max(initial=0)))
        return ColorLimits(0.0, 8.0 if self._most <= 8 else 12.0, self._most > 12)

    def may_exceed(self, radii: NDArray[np.float64]) -> bool:
        """Only where sizes differ: at most six discs, or twelve spheres, of equal size can touch one of them."""
        return float(np.ptp(radii)) > 0.0


class Span(Scale):
    """From the smallest to the largest value of each frame."""

    def follow(self, values: NDArray[Any]) -> ColorLimits:
        """The range of the values; 0.5 to 1.5 where they are all equal."""
        low, high = (float(values.min()), float(values.max())) if len(values) else (1.0, 1.0)
        return ColorLimits(low, high) if high - low >= 1e-9 else ColorLimits(0.5, 1.5)


class Steps(Scale):
    """For counts that grow together, such as collisions: from about the smallest to about the largest value.

    Both limits are multiples of a round number, so that they do not change with every frame.
    """

    def follow(self, values: NDArray[Any]) -> ColorLimits:
        """Multiples of a round number; at most three standard deviations above the mean."""
        low, high = 0.0, 0.0
        if len(values):
            low, high = float(values.min()), min(float(values.max()), float(values.mean() + 3.0 * values.std()))
        step = float(ceil(rounded_up(max(high - low, 1.0) / 4.0)))
        first, last = step * floor(low / step), step * max(ceil(high / step), floor(low / step) + 1)
        return ColorLimits(first, last, bool(len(values)) and float(values.max()) > last)


class Waiting(Scale):
    """For waiting times, which are distributed exponentially: from 0 to about three times their mean.

    The limit is kept until three times the mean is above it or far below it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._longest = 0.0

    def follow(self, values: NDArray[Any]) -> ColorLimits:
        """From 0 to a round number."""
        wanted = 3.0 * float(values.mean()) if len(values) else 0.0
        if wanted > self._longest or wanted < _COOLED * self._longest:
            self._longest = rounded_up(wanted) if wanted > 0.0 else 0.0
        limit = self._longest or 1.0
        return ColorLimits(0.0, limit, bool(len(values)) and float(values.max()) > limit)


def rounded_up(value: float) -> float:
    """The smallest 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten that is not below `value` > 0."""
    power = 10.0 ** floor(log10(value))
    for step in (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0):
        if step * power >= value * (1.0 - 1e-9):
            return step * power
    return 10.0 * power
