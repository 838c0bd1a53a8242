"""What a checkpoint holds, declared: of each array its shape, its type and the range of its values.

Kernels index arrays without bounds checks, and a checkpoint may come from any file. So a system declares what it saves
(`SavedArray`, `Values`), and `take` gives it these arrays and nothing else, or raises InputError. What the ranges alone
do not say, such as that an order names every disc once, is left to the few conditions below. All of it takes numpy,
which checks bounds, and O(N log N) at most. Arrays and fields that are not declared are not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.limits import MAX_COUNT, MAX_SIDE, MIN_SIDE, SMALLEST, fault_of_box
from engine.records import with_third

Arrays = Mapping[str, NDArray[Any]]
"""The arrays of a checkpoint by their names."""

MOST = float(np.finfo(np.float64).max)
"""The largest number that is finite."""

ABOVE_0 = float(np.finfo(np.float64).smallest_subnormal)
"""The least number above 0."""

MOST_COUNTED = 1 << 60
"""Counters must be below this, so that adding to them cannot overflow."""

ROUNDING = 1e-6
"""Relative difference that is allowed for what is computed in another way."""


def need(condition: bool | np.bool_, what: str) -> None:
    """Raise InputError unless `condition` holds; `what` is the end of its sentence."""
    if not condition:
        raise InputError(f"the saved state is damaged: {what}")


def check_radii(radii: NDArray[np.float64], box: NDArray[np.float64]) -> None:
    """Need a box (d,) that is not too long and narrow, and radii (N,) for which the numbers of places in it are precise
    enough, none beyond its sides."""
    need(not fault_of_box(box), "its box is too long and narrow")
    need(radii.min() >= 0.5 * SMALLEST * box.max() and radii.max() <= box.min(), "a radius is out of range")


def discs_fit(largest: float, box: NDArray[np.float64]) -> bool:
    """Whether a disc of radius `largest` fits between the walls of a box (d,), but for rounding."""
    return bool(2.0 * largest <= box.min() * (1.0 + 1e-6))


@dataclass(frozen=True)
class Values:
    """The values of an array, or of a field of a structured one.

    Parameters
    ----------
    kind : their type, as numpy writes it, such as ``"f8"``.
    low, high : the least and the greatest one. No value may be NaN, so that a number without limits of its own is
        finite. Where `high` is a name, values are numbers of what is counted under that name, from 0 and below it.
    missing : the value where a file does not have the field; None if each file must have it.
    """

    kind: str
    low: float
    high: float | str
    missing: float | None = None

    def check(self, values: NDArray[Any], counts: Mapping[str, int], what: str) -> None:
        """Raise InputError if one of `values` is out of range. counts : how many there are, by name."""
        high = counts[self.high] - 1 if isinstance(self.high, str) else self.high
        fits = not values.size or (values.min() >= self.low and values.max() <= high)
        need(bool(fits), f"{what} is out of range")


def real(low: float = -MOST, high: float = MOST, missing: float | None = None) -> Values:
    """Numbers of 8 bytes within limits, by default all that are finite."""
    return Values("f8", low, high, missing)


def whole(low: int, high: int, kind: str = "i8") -> Values:
    """Whole numbers within limits."""
    return Values(kind, low, high)


def number_of(name: str, *, none: bool = False) -> Values:
    """Numbers of what is counted under a name, such as ``"discs"``: from 0, or from -1 where that stands for none."""
    return Values("i4", -1 if none else 0, name)


COUNTER = whole(0, MOST_COUNTED - 1)
"""How often something has happened."""

SINCE_START = real(0.0)
"""A time that has been reached."""

EVER = real(0.0, inf)
"""A time that may never come."""

FLAG = whole(0, 1, "i1")
"""1 where something is so."""

SIDE = real(MIN_SIDE, MAX_SIDE)
"""A side of the box."""

RADIUS = real(0.5 * SMALLEST * MIN_SIDE, MAX_SIDE)
"""A radius in the largest box, and in the smallest one."""

LIGHTEST, HEAVIEST = 1e-100, 1e100

MASS = real(LIGHTEST, HEAVIEST)
"""The mass of a disc."""


@dataclass(frozen=True)
class SavedArray:
    """An array of a checkpoint.

    Parameters
    ----------
    of : its values; of a structured array those of its fields, where a key may name several: ``"x y"``.
    shape : its sides: numbers, or names of what is counted. A name that is new stands for any number, and for the same
        number wherever it appears again.
    optional : whether a checkpoint may lack it.
    """

    of: Values | Mapping[str, Values]
    shape: tuple[int | str, ...]
    optional: bool = False

    def along(self, dimensions: int) -> SavedArray:
        """The same for so many dimensions: in space with the fields of the third axis (`engine.records.with_third`)."""
        if dimensions < 3 or isinstance(self.of, Values):
            return self
        return replace(self, of={" ".join(with_third(names.split())): values for names, values in self.of.items()})

    @cached_property
    def fields(self) -> dict[str, Values]:
        """The values of each field of a structured array; empty for a plain one."""
        told = {} if isinstance(self.of, Values) else self.of
        return {name: values for names, values in told.items() for name in names.split()}

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The type of the array."""
        if isinstance(self.of, Values):
            return np.dtype(self.of.kind)
        return np.dtype([(name, values.kind) for name, values in self.fields.items()], align=True)

    def of_rows(
        self, rows: NDArray[Any], at: NDArray[Any] | slice = slice(None), **more: NDArray[Any]
    ) -> NDArray[np.void]:
        """A structured array of this type with the fields of the rows `at` of `rows`, and those that `more` gives."""
        names = rows.dtype.names or ()
        made = np.zeros(rows[names[0]][at].shape, self.dtype)
        for name in self.fields:
            made[name] = more[name] if name in more else rows[name][at]
        return made

    def take(self, name: str, array: NDArray[Any], counts: dict[str, int]) -> NDArray[Any]:
        """The array with its declared fields alone. Raises InputError; new names of its shape are added to `counts`."""
        need(isinstance(array, np.ndarray) and array.ndim == len(self.shape), f"{name} has another shape")
        for side, length in zip(self.shape, array.shape, strict=True):
            wanted = side if isinstance(side, int) else counts.setdefault(side, length)
            need(length == wanted, f"{name} has another shape")
        if isinstance(self.of, Values):
            need(array.dtype == self.dtype, f"{name} has another type")
            self.of.check(array, counts, name)
            return array
        there = array.dtype.names or ()
        taken = np.zeros(array.shape, self.dtype)
        for field, values in self.fields.items():
            if field not in there and values.missing is not None:
                taken[field] = values.missing
                continue
            need(field in there and array.dtype[field] == self.dtype[field], f"{name} has another type")
            values.check(array[field], counts, f"{field} of {name}")
            taken[field] = array[field]
        return taken


def take(arrays: Arrays, declared: Mapping[str, SavedArray], counts: dict[str, int]) -> dict[str, NDArray[Any]]:
    """The declared arrays of a checkpoint, in range; InputError if one is not as declared.

    counts : how many there are of what shapes and ranges name; what is found out from shapes is added.
    """
    taken = {}
    for name, rows in declared.items():
        if name in arrays:
            taken[name] = rows.take(name, arrays[name], counts)
        else:
            need(rows.optional, f"it has no {name}")
    return taken


def disc_count(arrays: Arrays) -> int:
    """The number of discs N, from the radii."""
    radii = arrays.get("radii")
    need(isinstance(radii, np.ndarray) and radii.ndim == 1, "it has no radii")
    assert radii is not None
    need(1 <= len(radii) <= MAX_COUNT, f"it has {len(radii)} discs")
    return len(radii)


def close(value: NDArray[Any] | float, wanted: NDArray[Any] | float, scale: NDArray[Any] | float, what: str) -> None:
    """Require |value - wanted| ≤ `ROUNDING` · `scale`."""
    need(bool(np.all(np.abs(np.subtract(value, wanted)) <= ROUNDING * np.asarray(scale))), f"{what} does not fit")


def permutation(values: NDArray[Any], count: int, what: str) -> None:
    """Require that `values` (count,), which are in range, has each of 0 … count - 1 once."""
    need(bool((np.bincount(values, minlength=count) == 1).all()), f"{what} names one disc twice")


def unique(values: NDArray[Any], what: str) -> None:
    """Require that none of `values`, which are not below 0, is there twice."""
    need(not values.size or int(np.bincount(values).max()) <= 1, f"{what} names one twice")
