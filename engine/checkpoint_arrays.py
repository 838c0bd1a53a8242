"""What every check of a checkpoint needs: one sentence for whatever is wrong, shapes, and structures without loops.

Kernels index without looking at bounds. The checks are written with numpy, which does look, and cost O(N log N) at
most; none of them trusts an array before its shape, its type and the range of the indices in it are known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.records import Record
from engine.scenario.model import MAX_COUNT

Arrays = Mapping[str, NDArray[Any]]
Shape = tuple[int | None, ...]

MOST_COUNTED = 1 << 60  # counters stay below: adding to them never overflows
ROUNDING = 1e-6  # sums taken in another order, relative


def need(condition: bool | np.bool_, what: str) -> None:
    """InputError that says what is wrong with the checkpoint, unless `condition` holds."""
    if not condition:
        raise InputError(f"the saved state is damaged: {what}")


def same_values(one: np.dtype[Any], two: np.dtype[Any]) -> bool:
    """Whether two dtypes are of the same values: fields of the same names and types; a file keeps no padding."""
    if one.names is None or two.names is None:
        return one == two
    return one.names == two.names and all(one[name] == two[name] for name in one.names)


def need_shapes(arrays: Arrays, wanted: Mapping[str, tuple[Any, Shape]], optional: str = "past") -> None:
    """All of `wanted` and nothing else but `optional`, each of that type and shape (None: any length)."""
    need(set(wanted) - {optional} <= set(arrays) <= set(wanted), "its arrays are not those of its method")
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
    """The fields of structured rows, some left out; other arrays are one column."""
    if values.dtype.names is None:
        yield values
    else:
        yield from (values[name] for name in values.dtype.names if name not in but)


def disc_count(arrays: Arrays) -> int:
    """N, from the radii."""
    radii = arrays.get("radii")
    need(isinstance(radii, np.ndarray) and radii.ndim == 1, "it has no radii")
    assert radii is not None
    need(1 <= len(radii) <= MAX_COUNT, f"it has {len(radii)} discs")
    return len(radii)


def within(values: NDArray[Any], low: int, high: int, what: str) -> None:
    """Every value in low ≤ value < high."""
    if values.size:
        need(values.min() >= low and values.max() < high, f"{what} is out of range")


def finite(values: NDArray[Any], what: str, but: Collection[str] = ()) -> None:
    """Every value is a finite number; of structured rows in all fields, some left out."""
    for column in _columns(values, but):
        need(np.isfinite(column).all(), f"{what} is not finite")


def numbers_of_state(row: Record, *, infinite: Collection[str] = (), below_zero: Collection[str] = ()) -> None:
    """Of what there is once: real numbers are finite, whole ones count from 0 and never overflow.

    infinite : real fields that need not be finite; below_zero : whole ones that may be -1, for none.
    """
    for name in row.dtype.names:
        value = row[name]
        if value.dtype.kind == "f":
            need(name in infinite or np.isfinite(value), "a number of the state is not finite")
        else:
            need((-1 if name in below_zero else 0) <= value < MOST_COUNTED, "a counter is out of range")


def permutation(values: NDArray[Any], count: int, what: str) -> None:
    """(count,): each of 0 … count - 1 once."""
    within(values, 0, count, what)
    need((np.bincount(values, minlength=count) == 1).all(), f"{what} names one disc twice")


def unique(values: NDArray[Any], count: int, what: str) -> None:
    """Numbers below `count`, none twice."""
    within(values, 0, count, what)
    if values.size:
        need(int(np.bincount(values, minlength=count).max()) <= 1, f"{what} names one twice")


def places(names: NDArray[Any], count: int, what: str) -> NDArray[np.int64]:
    """Where in the list `names` each of 0 … count - 1 stands, -1 for those that do not, (count,); none stands twice."""
    unique(names, count, what)
    place = np.full(count, -1, np.int64)
    place[names] = np.arange(len(names))
    return place


def close(value: NDArray[Any] | float, wanted: NDArray[Any] | float, scale: NDArray[Any] | float, what: str) -> None:
    """|value - wanted| within rounding of `scale`."""
    need(bool(np.all(np.abs(np.subtract(value, wanted)) <= ROUNDING * np.asarray(scale))), f"{what} does not fit")


def roots_of(parent: NDArray[np.int64], what: str) -> NDArray[np.int64]:
    """The root above every node, by doubling the steps; a root is its own parent. InputError for a circle."""
    for _ in range(len(parent).bit_length() + 1):
        above = parent[parent]
        if np.array_equal(above, parent):
            return parent
        parent = above
    # a circle whose length is a power of two becomes a set of roots: the callers see that those are none
    need(False, f"{what} goes in a circle")
    return parent


def same_lists(owner: NDArray[Any], entry: NDArray[Any], after: NDArray[Any], head: NDArray[Any], what: str) -> None:
    """Linked lists that grow at their heads: entries of an owner stand in falling order, the last one ends with -1.

    owner, entry, after (K,): to whom an entry belongs, its number and the number that follows it; head (owners,).
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
