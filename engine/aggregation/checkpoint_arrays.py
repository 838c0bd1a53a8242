"""What every check of a checkpoint needs: one sentence for whatever is wrong, shapes, and structures without loops.

Kernels index without looking at bounds. The checks are written with numpy, which does look, and cost O(N log N) at
most; none of them trusts an array before its shape, its type and the range of the indices in it are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.base import METHODS
from engine.errors import InputError
from engine.initial import FASTEST, SMALLEST
from engine.scenario.model import MAX_COUNT, MAX_SIDE, MIN_SIDE

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
        for column in [array] if array.dtype.names is None else [array[field] for field in array.dtype.names]:
            need(column.dtype.kind != "f" or not np.isnan(column).any(), f"{name} holds what is not a number")


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


def finite(values: NDArray[Any], what: str) -> None:
    """Every value is a finite number."""
    need(np.isfinite(values).all(), f"{what} is not finite")


def permutation(values: NDArray[Any], count: int, what: str) -> None:
    """(count,): each of 0 … count - 1 once."""
    within(values, 0, count, what)
    need((np.bincount(values, minlength=count) == 1).all(), f"{what} names one disc twice")


def unique(values: NDArray[Any], count: int, what: str) -> None:
    """Numbers below `count`, none twice."""
    within(values, 0, count, what)
    if values.size:
        need(int(np.bincount(values, minlength=count).max()) <= 1, f"{what} names one twice")


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


def check_discs(arrays: Arrays, radius: NDArray[Any], box: NDArray[Any]) -> None:
    """What both methods keep beside their own arrays, and the discs as they number them. `radius` (N,) is theirs."""
    count = len(radius)
    need(((box >= MIN_SIDE) & (box <= MAX_SIDE)).all(), "the sides of its box are out of range")
    permutation(arrays["original"], count, "the order of the discs")
    for name in ("radii", "masses"):
        finite(arrays[name], f"one of the {name}")
        need((arrays[name] > 0.0).all(), f"one of the {name} is not above 0")
    need(np.array_equal(radius, arrays["radii"][arrays["original"]]), "the radii are not those of the discs")
    radii = arrays["radii"]
    need(radii.min() >= 0.5 * SMALLEST * box.max() and radii.max() <= box.min(), "a radius is out of range")
    need(arrays["masses"].min() > 1e-100 and arrays["masses"].max() < 1e100, "a mass is out of range")
    finite(arrays["momentum"], "the momentum")
    need(arrays["momentum"][2] > 0.0, "the momentum is out of range")
    if "past" in arrays:
        past = arrays["past"]
        need(len(past) >= 1, "its past is empty")
        need(_are_methods(past["method"]), "its past has an unknown method")
        check_history(past["time"], past["clusters"], past["kinetic_energy"], count)


def _are_methods(numbers: NDArray[Any]) -> bool:
    """Numbers of methods, or -1 for entries whose method is not known: those come first."""
    known = numbers >= 0
    return bool(np.isin(numbers, (-1, *range(len(METHODS)))).all() and np.array_equal(known, np.sort(known)))


def check_history(time: NDArray[Any], clusters: NDArray[Any], energy: NDArray[Any], count: int) -> None:
    """Rows of a history: times that do not run backwards, numbers of clusters that can be, energies."""
    for values in (time, clusters, energy):
        finite(values, "its history")
    need((np.diff(time) >= 0.0).all() and time[0] >= 0.0, "the times of its history run backwards")
    need(((clusters >= 1.0) & (clusters <= count)).all(), "its history has impossible numbers of clusters")


def check_clusters(label: NDArray[Any], live: NDArray[Any], seat: NDArray[Any], clusters: int) -> NDArray[np.int64]:
    """Every disc belongs to a cluster, named by one of its discs, that stands in the list; returns the list (M,)."""
    count = len(label)
    need(1 <= clusters <= count, "the number of clusters is out of range")
    within(label, 0, count, "the cluster of a disc")
    names = live[:clusters].astype(np.int64)
    unique(names, count, "the list of clusters")
    need((label[label] == label).all(), "a cluster is not named by one of its discs")
    need(int((label == np.arange(count)).sum()) == clusters, "the list of clusters is not complete")
    need((label[names] == names).all(), "the list of clusters names one that is gone")
    wanted = np.full(count, -1, np.int64)
    wanted[names] = np.arange(clusters)
    need(np.array_equal(seat, wanted), "the places of the clusters do not fit")
    return names


def check_motion(velocity: NDArray[Any], momentum: NDArray[Any], mass: NDArray[Any], wanted_mass: NDArray[Any]) -> None:
    """Masses are those of the discs, velocities those of the momenta; rows of clusters that there are, (M, 2), (M,)."""
    for values in (velocity, momentum, mass):
        finite(values, "the motion of a cluster")
    need((mass > 0.0).all(), "the mass of a cluster is not above 0")
    close(mass, wanted_mass, wanted_mass, "the mass of a cluster")
    need(np.abs(velocity).max() <= 2.0 * FASTEST, "a cluster is too fast")
    scale = np.abs(momentum) + 1e-300
    close(velocity * mass[:, None], momentum, scale, "the velocity of a cluster")
