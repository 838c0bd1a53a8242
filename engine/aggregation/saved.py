"""The common part of checkpoints of both aggregation methods: discs, clusters, earlier history, merges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.section import METHODS
from engine.limits import FASTEST
from engine.records import along, columns
from engine.saved import (
    COUNTER,
    MASS,
    RADIUS,
    ROUNDING,
    SINCE_START,
    Arrays,
    SavedArray,
    check_radii,
    disc_count,
    discs_fit,
    need,
    number_of,
    permutation,
    real,
    take,
    unique,
    whole,
)
from engine.simulation import History

PAST = SavedArray(
    {"time": SINCE_START, "clusters": COUNTER, "kinetic_energy": real(), "method": whole(-1, 1)}, ("past",)
)
"""A saved past, see `History`; method : its place in `METHODS`, -1 where it is not known."""

MERGED = SavedArray({"time": real(), "i j": number_of("discs")}, ("merges before",))
"""The merges of the simulations that this one continues: their times and the two discs that touched, by the caller's
numbers."""

RECORD_BEGIN = SavedArray({"time": real(), "skipped": COUNTER}, (1,))
"""Where the record of merges begins: the time, and how many merges of this simulation lie before it."""

SHARED = {
    "original": SavedArray(number_of("discs"), ("discs",)),
    "radii": SavedArray(RADIUS, ("discs",)),
    "masses": SavedArray(MASS, ("discs",)),
    "momentum": SavedArray(real(), ("axes and 1",)),
    "past": SavedArray(PAST.of, PAST.shape, optional=True),
    "merge_leaves": SavedArray(number_of("discs"), ("discs",)),
    "merges_before": MERGED,
    "merges_since": RECORD_BEGIN,
    "label": SavedArray(number_of("discs"), ("discs",)),
    "live": SavedArray(number_of("discs"), ("clusters",)),
}
"""The arrays that both methods save.

original (N,) : the caller's number of each disc of the arrays, which keep discs in a spatial order; radii (N,),
masses (N,) : by the caller's numbers; momentum (d + 1,) : at the start, and the sum of |m v| then; past : of the
simulation that this one carries on; merge_leaves (N,), merges_before, merges_since : see `engine.merges.MergeLog`;
label (N,) : the cluster of each disc, named by one of its discs; live (M,) : the clusters, in the order in which they
are gone through.
"""


def past_array(past: History) -> NDArray[np.void]:
    """The records of a past, (K,), for a checkpoint."""
    saved = np.empty(len(past.time), PAST.dtype)
    saved["time"], saved["clusters"], saved["kinetic_energy"] = past.time, past.clusters, past.kinetic_energy
    saved["method"] = -1
    for name, first in past.stretches:
        saved["method"][first:] = METHODS.index(name)
    return saved


def past_of(saved: NDArray[np.void]) -> History:
    """What `past_array` was given."""
    method = saved["method"]
    begins = np.flatnonzero(np.diff(method, prepend=-1))
    stretches = tuple((METHODS[method[first]], int(first)) for first in begins if method[first] >= 0)
    columns = (saved[name].copy() for name in ("time", "clusters", "kinetic_energy"))
    return History(*columns, stretches=stretches)


def box_of(sim: NDArray[Any], dimensions: int) -> NDArray[np.float64]:
    """The sides of the box, (d,), from a record of scalar values."""
    return np.array([sim[side] for side in along("box_", dimensions)])


def taken(arrays: Arrays, own: dict[str, SavedArray], dimensions: int) -> dict[str, NDArray[Any]]:
    """The arrays of both methods and those of one, `own`, from a checkpoint, in range. Raises InputError.

    `own` has ``sim`` with the sides of the box and ``clusters``, a row for each cluster in the order of ``live``, with
    px, py and mass.
    """
    return take(arrays, SHARED | own, {"discs": disc_count(arrays), "axes and 1": dimensions + 1})


def check_state(found: Arrays) -> None:
    """Check what the ranges do not say of discs, clusters and the past. found : as `taken` gives it."""
    sim, count = found["sim"][0], len(found["radii"])
    dimensions = len(found["momentum"]) - 1
    box = box_of(sim, dimensions)
    permutation(found["original"], count, "the order of the discs")
    radii = found["radii"]
    check_radii(radii, box)
    # the walls throw a wider disc ever farther out
    need(sim["periodic"] or discs_fit(radii.max(), box), "its discs do not fit into the box")
    need(found["momentum"][-1] > 0.0, "the momentum is out of range")
    _check_clusters(found["label"], found["live"])
    _check_motion(found)
    if "past" in found:
        past = found["past"]
        need(len(past) >= 1, "its past is empty")
        method = past["method"]
        need(np.array_equal(method >= 0, np.sort(method >= 0)), "its past has an unknown method")
        check_history(past["time"], past["clusters"], count)


def _check_clusters(label: NDArray[np.int32], live: NDArray[np.int32]) -> None:
    """Check that every disc belongs to a cluster, named by one of its discs, that is in the list once."""
    unique(live, "the list of clusters")
    named = np.flatnonzero(label == np.arange(len(label)))
    need(np.array_equal(np.sort(live), named), "the list of clusters does not fit its discs")
    need(bool((label[label] == label).all()), "a cluster is not named by one of its discs")


def _check_motion(found: Arrays) -> None:
    """Check that masses are those of the discs, and that no cluster is too fast."""
    clusters, mass = found["clusters"], found["masses"][found["original"]]
    summed = np.bincount(found["label"], weights=mass, minlength=len(mass))[found["live"]]
    need(bool((np.abs(clusters["mass"] - summed) <= ROUNDING * summed).all()), "the mass of a cluster does not fit")
    momenta = columns(clusters, *along("p", len(found["momentum"]) - 1))
    fastest = np.abs(momenta / clusters["mass"][:, None]).max()
    need(fastest <= 2.0 * FASTEST, "a cluster is too fast")


def check_history(time: NDArray[np.float64], clusters: NDArray[Any], count: int) -> None:
    """Check the rows of a history: times must not decrease, and numbers of clusters must be possible."""
    need(bool((np.diff(time) >= 0.0).all()), "the times of its history run backwards")
    need(bool(((clusters >= 1) & (clusters <= count)).all()), "its history has impossible numbers of clusters")


def check_merges(found: Arrays, merges: int, began: float) -> None:
    """Check the record of merges, except for the method's own part.

    merges : the method's number of merges; began : the time at which it took over.
    """
    leaves, before, since = found["merge_leaves"], found["merges_before"], found["merges_since"][0]
    need(since["skipped"] <= merges, "the record of its merges begins too late")
    if len(before):
        times = np.concatenate([[since["time"]], before["time"], [began]])
        need(bool((np.diff(times) >= 0.0).all()), "the times of its merges run backwards")
    joined = len(np.unique(leaves)) - len(before) - (merges - int(since["skipped"]))
    need(joined == len(found["live"]), "the record of its merges does not fit its clusters")
