"""Building blocks for checking the arrays of a checkpoint: shapes, ranges, permutations, trees and linked lists.

Kernels index arrays without bounds checks. These checks use numpy, which does check bounds, and take O(N log N) at
most. Indices are used only after the shape, the type and the range of their array have been checked. Each function
raises InputError where its condition does not hold; its argument `what` names the array in the message.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.limits import MAX_COUNT
from engine.records import Record

Arrays = Mapping[str, NDArray[Any]]
Shape = tuple[int | None, ...]

MOST_COUNTED = 1 << 60  # counters must be below this, so that adding to them cannot overflow
ROUNDING = 1e-6  # relative difference that is allowed for sums taken in another order


def need(condition: bool | np.bool_, what: str) -> None:
    """Raise InputError unless `condition` holds; `what` is the end of its sentence."""
    if not condition:
        raise InputError(f"the saved state is damaged: {what}")


def same_values(one: np.dtype[Any], two: np.dtype[Any]) -> bool:
    """Whether two dtypes have fields of the same names and types. Padding may differ, since files do not keep it."""
    if one.names is None or two.names is None:
        return one == two
    return one.names == two.names and all(one[name] == two[name] for name in one.names)


def need_shapes(arrays: Arrays, wanted: Mapping[str, tuple[Any, Shape]], optional: Collection[str] = ("past",)) -> None:
    """Require exactly the arrays of `wanted`, each with its type and shape, where None stands for any length.

    The arrays `optional` may be missing. No array may hold NaN.
    """
    need(set(wanted) - set(optional) <= set(arrays) <= set(wanted), "its arrays are not those of its method")
    for name, array in arrays.items():
        kind, shape = wanted[name]
        need(isinstance(array, np.ndarray) and same_values(array.dtype, np.dtype(kind)), f"{name} has another type")
        fits = array.ndim == len(shape) and all(
            want in (None, have) for want, have in zip(shape, array.shape, strict=False)
        )
        need(fits, f"{name} has another shape")
        for column in _columns(array):
            need(column.dtype.kind != "f" or not np.isnan(column).any(), f"{name} holds what is not a number")


def _columns(values: NDArray[Any], but: Collection[str] = ()) -> Iterator[NDArray[Any]]:
    """The fields of a structured array apart from `but`; a plain array is a single column."""
    if values.dtype.names is None:
        yield values
    else:
        yield from (values[name] for name in values.dtype.names if name not in but)


def disc_count(arrays: Arrays) -> int:
    """The number of discs N, from the radii."""
    radii = arrays.get("radii")
    need(isinstance(radii, np.ndarray) and radii.ndim == 1, "it has no radii")
    assert radii is not None
    need(1 <= len(radii) <= MAX_COUNT, f"it has {len(radii)} discs")
    return len(radii)


def within(values: NDArray[Any], low: int, high: int, what: str) -> None:
    """Require low ≤ value < high of every value."""
    if values.size:
        need(values.min() >= low and values.max() < high, f"{what} is out of range")


def finite(values: NDArray[Any], what: str, but: Collection[str] = ()) -> None:
    """Require that every value is finite; in a structured array those of all fields apart from `but`."""
    for column in _columns(values, but):
        need(np.isfinite(column).all(), f"{what} is not finite")


def numbers_of_state(row: Record, *, infinite: Collection[str] = (), below_zero: Collection[str] = ()) -> None:
    """Require that the real fields of a single record are finite, and that its integers are counts from 0.

    Parameters
    ----------
    row : the record.
    infinite : real fields that may be infinite.
    below_zero : integer fields that may be -1, which means none.
    """
    for name in row.dtype.names:
        value = row[name]
        if value.dtype.kind == "f":
            need(name in infinite or np.isfinite(value), "a number of the state is not finite")
        else:
            need((-1 if name in below_zero else 0) <= value < MOST_COUNTED, "a counter is out of range")


def permutation(values: NDArray[Any], count: int, what: str) -> None:
    """Require that `values` (count,) has each of 0 … count - 1 once."""
    within(values, 0, count, what)
    need((np.bincount(values, minlength=count) == 1).all(), f"{what} names one disc twice")


def unique(values: NDArray[Any], count: int, what: str) -> None:
    """Require numbers from 0 to `count` - 1, none of them twice."""
    within(values, 0, count, what)
    if values.size:
        need(int(np.bincount(values, minlength=count).max()) <= 1, f"{what} names one twice")


def places(names: NDArray[Any], count: int, what: str) -> NDArray[np.int64]:
    """For each of 0 … count - 1 its index in `names`, -1 for those that are not in it, (count,). None may be twice."""
    unique(names, count, what)
    place = np.full(count, -1, np.int64)
    place[names] = np.arange(len(names))
    return place


def close(value: NDArray[Any] | float, wanted: NDArray[Any] | float, scale: NDArray[Any] | float, what: str) -> None:
    """Require |value - wanted| ≤ `ROUNDING` · `scale`."""
    need(bool(np.all(np.abs(np.subtract(value, wanted)) <= ROUNDING * np.asarray(scale))), f"{what} does not fit")


def roots_of(parent: NDArray[np.int64], what: str) -> NDArray[np.int64]:
    """The root above every node; a root is its own parent. Doubles the steps upwards each time.

    Raises InputError for parents that form a circle, unless its length is a power of two; see below.
    """
    for _ in range(len(parent).bit_length() + 1):
        above = parent[parent]
        if np.array_equal(above, parent):
            return parent
        parent = above
    # in a circle whose length is a power of two all nodes become roots; callers find that these are not roots
    need(False, f"{what} goes in a circle")
    return parent


def same_lists(owner: NDArray[Any], entry: NDArray[Any], after: NDArray[Any], head: NDArray[Any], what: str) -> None:
    """Require linked lists that grow at their heads: the entries of each list are in descending order, then -1.

    Parameters
    ----------
    owner, entry, after : (K,), for each entry the list that it belongs to, its number, and the number that follows it.
    head : (lists,), the first entry of each list, -1 for an empty one.
    what : names the lists in the message.
    """
    order = np.lexsort((entry, owner))
    owner, entry, after = owner[order], entry[order], after[order]
    first = np.ones(len(owner), bool)
    first[1:] = owner[1:] != owner[:-1]
    before = np.full(len(owner), -1, np.int64)
    before[1:] = entry[:-1]
    before[first] = -1
    last = np.ones(len(owner), bool)
    last[:-1] = first[1:]
    heads = np.full(len(head), -1, np.int64)
    heads[owner[last]] = entry[last]
    need(np.array_equal(after, before) and np.array_equal(head, heads), f"{what} are not linked as they should be")
