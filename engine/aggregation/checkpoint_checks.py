"""What checkpoints of both methods have in common: the discs, the clusters, their motion, the history."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.aggregation import saved
from engine.aggregation.section import METHODS
from engine.checkpoint_arrays import Arrays, Shape, close, finite, need, permutation, places, within
from engine.limits import FASTEST, MAX_SIDE, MIN_SIDE, SMALLEST
from engine.records import columns

MERGED, PAST, RECORD_BEGIN = saved.MERGED.dtype, saved.PAST.dtype, saved.RECORD_BEGIN.dtype

OPTIONAL = ("past",)
"""The arrays that not every checkpoint has."""


def shared_shapes(count: int) -> dict[str, tuple[Any, Shape]]:
    """Types and shapes of the arrays that a checkpoint of N = `count` discs has beside those of its method."""
    per_disc = {"original": (np.int32, (count,)), "radii": (np.float64, (count,)), "masses": (np.float64, (count,))}
    record = {"merges_before": (MERGED, (None,)), "merges_since": (RECORD_BEGIN, (1,))}
    merges = {"merge_leaves": (np.int32, (count,)), **record}
    return {**per_disc, **merges, "momentum": (np.float64, (3,)), "past": (PAST, (None,))}


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


def check_merges(arrays: Arrays, merges: int, began: float) -> None:
    """The record of merges, as far as it is not the method's own.

    merges : how many the method has made; began : when it took over.
    """
    leaves, before, since = arrays["merge_leaves"], arrays["merges_before"], arrays["merges_since"][0]
    within(leaves, 0, len(leaves), "the cluster in which the record of its merges begins")
    need(0 <= since["skipped"] <= merges, "the record of its merges begins too late")
    finite(arrays["merges_since"], "the beginning of the record of its merges")
    finite(before, "a merge of its record")
    within(columns(before, "i", "j"), 0, len(leaves), "a merge of its record")
    if len(before):
        times = np.concatenate([[since["time"]], before["time"], [began]])
        need((np.diff(times) >= 0.0).all(), "the times of its merges run backwards")
    joined = len(np.unique(leaves)) - len(before) - (merges - int(since["skipped"]))
    need(joined == arrays["sim"][0]["clusters"], "the record of its merges does not fit its clusters")


def check_clusters(label: NDArray[Any], live: NDArray[Any], seat: NDArray[Any], clusters: int) -> NDArray[np.int64]:
    """Every disc belongs to a cluster, named by one of its discs, that stands in the list; returns the list (M,)."""
    count = len(label)
    need(1 <= clusters <= count, "the number of clusters is out of range")
    within(label, 0, count, "the cluster of a disc")
    names = live[:clusters].astype(np.int64)
    wanted = places(names, count, "the list of clusters")
    need((label[label] == label).all(), "a cluster is not named by one of its discs")
    need(int((label == np.arange(count)).sum()) == clusters, "the list of clusters is not complete")
    need((label[names] == names).all(), "the list of clusters names one that is gone")
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
