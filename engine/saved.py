"""What a checkpoint holds, declared: of each array its shape, its type, the range of its values, and their order.

Kernels index arrays without bounds checks, and a checkpoint may come from any file. So a system declares what it saves
(`SavedArray`, `Values`), and `take` gives it these arrays and nothing else, or raises InputError. The declaration is
also what a run writes, and what tests spoil. What it cannot say, such as that rings are closed, is left to the few
conditions of each system (`need`). All of it takes numpy, which checks bounds, and O(N log N) at most. Arrays and
fields that are not declared are not read. `check_checkpoint` checks one of any system.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Arrays
from engine.boundary import Periodic
from engine.errors import MAX_COUNT, MAX_SIDE, MIN_SIDE, SMALLEST, InputError, fault_of_box
from engine.files.checks import MAX_SCENARIO, plain
from engine.records import with_third
from engine.scenario import Scenario
from engine.simulation import Checkpoint
from engine.system import find

MOST = float(np.finfo(np.float64).max)
"""The largest number that is finite."""

ABOVE_0 = float(np.finfo(np.float64).smallest_subnormal)
"""The least number above 0."""

MOST_COUNTED = 1 << 60
"""Counters must be below this, so that adding to them cannot overflow."""


def need(condition: bool | np.bool_, what: str) -> None:
    """Raise InputError unless `condition` holds; `what` is the end of its sentence."""
    if not condition:
        raise InputError(f"the saved state is damaged: {what}")


def periodic_in(record: Any, dimensions: int) -> Periodic:
    """Along which axes the box of a record with the number ``periodic`` is periodic. Needs a number that a box of so
    many dimensions has."""
    found = Periodic.of_code(int(record["periodic"]), dimensions)
    need(found.code == record["periodic"], f"periodic must be a number for {dimensions} axes")
    return found


def check_radii(radii: NDArray[np.float64], box: NDArray[np.float64], *, periodic: Periodic | bool) -> None:
    """Need a box (d,) that is not too long and narrow, and radii (N,) for which the numbers of places in it are precise
    enough. A disc fits into the box, but for rounding: between walls it would be thrown ever farther."""
    fault = fault_of_box(box)
    need(not fault, fault)
    low, most = 0.5 * SMALLEST * box.max(), np.where(Periodic.of(periodic, len(box)), box, 0.5 * box * (1.0 + 1e-6))
    high = most.min()
    need(radii.min() >= low and radii.max() <= high, f"a radius must be from {low:g} to {high:g}")


@dataclass(frozen=True)
class Values:
    """The values of an array, or of a field of a structured one.

    Parameters
    ----------
    kind : their type, as numpy writes it, such as ``"f8"``.
    low, high : the least and the greatest one. No value may be NaN, so that a number without limits of its own is
        finite. Where `high` is a name, values are numbers of what is counted under that name, from 0 and below it.
    """

    kind: str
    low: float
    high: float | str

    def check(self, values: NDArray[Any], counts: Mapping[str, int], what: str) -> None:
        """Raise InputError if one of `values`, of any shape, is out of range. counts : how many there are, by name."""
        high = counts[self.high] - 1 if isinstance(self.high, str) else self.high
        fits = not values.size or (values.min() >= self.low and values.max() <= high)
        allowed = "a finite number" if (self.low, high) == (-MOST, MOST) else f"from {self.low:g} to {high:g}"
        need(bool(fits), f"{what} must be {allowed}")


def real(low: float = -MOST, high: float = MOST) -> Values:
    """Numbers of 8 bytes within limits, by default all that are finite."""
    return Values("f8", low, high)


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

BOUNDARY = whole(0, max(Periodic(axes).code for axes in product((False, True), repeat=3)))
"""The boundary of the box (`engine.boundary.Periodic.code`); `periodic_in` checks the rest."""

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
    fewest : the least number of its rows.
    once : the field in which no number may be there twice, "all" of a plain array: one for each of what is counted is a
        permutation.
    rising : the field whose values never decrease from row to row.
    """

    of: Values | Mapping[str, Values]
    shape: tuple[int | str, ...]
    optional: bool = False
    fewest: int = 0
    once: str = ""
    rising: str = ""

    def along(self, dimensions: int) -> SavedArray:
        """This array in 2 or 3 dimensions: in space with the fields of the third axis (`engine.records.with_third`)."""
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
        """A structured array of this type with the fields of the rows `at` of `rows`, and those that `more` gives.

        rows : of any shape, structured; at : (K,), indices of rows, all rows by default.
        """
        names = rows.dtype.names or ()
        made = np.zeros(rows[names[0]][at].shape, self.dtype)
        for name in self.fields:
            made[name] = more[name] if name in more else rows[name][at]
        return made

    def take(self, name: str, array: NDArray[Any], counts: dict[str, int]) -> NDArray[Any]:
        """The array with its declared fields alone, of the same shape.

        Raises InputError if it is not as declared. New names of its shape are added to `counts`.
        """
        axes = len(self.shape)
        need(isinstance(array, np.ndarray) and array.ndim == axes, f"{name} must have {axes} axes")
        for side, length in zip(self.shape, array.shape, strict=True):
            wanted = side if isinstance(side, int) else counts.setdefault(side, length)
            need(length == wanted, f"{name} must have {wanted} values along each of its axes, not {length}")
        need(len(array) >= self.fewest, f"{name} must have at least {self.fewest} rows")
        if isinstance(self.of, Values):
            need(array.dtype == self.dtype, f"{name} must be of type {self.dtype}")
            self.of.check(array, counts, name)
            self._check_order(name, {"all": array})
            return array
        there = array.dtype.names or ()
        taken = np.zeros(array.shape, self.dtype)
        for field, values in self.fields.items():
            kind = self.dtype[field]
            need(field in there and array.dtype[field] == kind, f"{name} must have a field {field} of type {kind}")
            values.check(array[field], counts, f"{field} of {name}")
            taken[field] = array[field]
        self._check_order(name, taken)
        return taken

    def _check_order(self, name: str, columns: Any) -> None:
        """Check `once` and `rising`. columns : the fields of the array by their names."""
        if self.once:
            numbers = columns[self.once]
            need(not numbers.size or int(np.bincount(numbers).max()) == 1, f"{name} must have no number twice")
        if self.rising:
            need(bool((np.diff(columns[self.rising]) >= 0.0).all()), f"{self.rising} of {name} must not decrease")


def take(arrays: Arrays, declared: Mapping[str, SavedArray], counts: dict[str, int]) -> dict[str, NDArray[Any]]:
    """The declared arrays of a checkpoint, in range; InputError if one is not as declared.

    counts : how many there are of what shapes and ranges name, but for the discs, whose number is that of the radii;
        what is found out from shapes is added.
    """
    radii = arrays.get("radii")
    need(isinstance(radii, np.ndarray) and radii.ndim == 1, "it has no radii")
    assert radii is not None
    need(1 <= len(radii) <= MAX_COUNT, f"it must have from 1 to {MAX_COUNT} discs")
    counts = {"discs": len(radii)} | counts
    taken = {}
    for name, rows in declared.items():
        if name in arrays:
            taken[name] = rows.take(name, arrays[name], counts)
        else:
            need(rows.optional, f"it has no {name}")
    return taken


def check_checkpoint(checkpoint: Checkpoint) -> None:
    """Check that `restore` can safely be given this checkpoint. Takes O(N log N).

    A checkpoint that passes is a state that a simulation can be in, or differs from one only in values that make
    results wrong but cannot crash the program. Checkpoints of this process need no check.

    Raises
    ------
    InputError
        The checkpoint is damaged, or not one of this version.
    """
    if _is_early(checkpoint.arrays):
        raise InputError("the saved state is of an early version 0.2.0, and this version cannot continue from it")
    known = find(checkpoint.system)
    if known is None or checkpoint.method not in known.methods:
        words = f"{plain(str(checkpoint.system))}, {plain(str(checkpoint.method))}"
        raise InputError(f"this version cannot restore a checkpoint of {words}")
    scenario = checked_scenario(checkpoint.scenario)
    if (scenario.system, known.method(scenario)) != (checkpoint.system, checkpoint.method):
        raise InputError("the saved state is damaged: its scenario is one of another method")
    known.check_checkpoint(checkpoint.arrays, scenario)


def _is_early(arrays: Mapping[str, NDArray[Any]]) -> bool:
    """Whether a state was written before 28 November 2026 by a version 0.2.0 that had arrays of today not yet, or some
    more: of event-driven runs, of time stepping, of hard discs."""
    log = arrays["log"].dtype.names or () if "log" in arrays else ()
    return "watches" in arrays or "head" in arrays or ("virial" in log and "heat" not in log)


def checked_scenario(text: str) -> Scenario:
    """The scenario in a text that may come from anywhere. Raises InputError if it is not a valid scenario."""
    if len(text) > MAX_SCENARIO:
        raise InputError("the scenario of the saved state is too long")
    try:
        return Scenario.from_toml(text, name="the scenario of the saved state")
    except InputError:
        raise
    except ValueError as error:  # numbers with thousands of digits
        words = plain(" ".join(str(error).split()))
        raise InputError(f"the scenario of the saved state is not valid: {words}") from None
