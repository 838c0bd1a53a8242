"""The common part of checkpoints of both aggregation methods: discs, clusters, earlier history, merges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.section import METHODS
from engine.arrays import Arrays
from engine.records import along
from engine.saved import (
    COUNTER,
    MASS,
    RADIUS,
    SINCE_START,
    SavedArray,
    check_radii,
    need,
    number_of,
    real,
    take,
    whole,
)
from engine.simulation import History

PAST = SavedArray(
    {"time": SINCE_START, "clusters": COUNTER, "kinetic_energy": real(), "method": whole(-1, len(METHODS) - 1)},
    ("past",),
    optional=True,
    fewest=1,
    rising="time",
)
"""A saved past, see `History`; method : its place in `METHODS`, -1 where it is not known."""

MERGED = SavedArray({"time": real(), "i j": number_of("discs")}, ("merges before",), rising="time")
"""The merges of the simulations that this one continues: their times and the two discs that touched, by the caller's
numbers."""

RECORD_BEGIN = SavedArray({"time": real(), "skipped": COUNTER}, (1,))
"""Where the record of merges begins: the time, and how many merges of this simulation lie before it."""

SHARED = {
    "original": SavedArray(number_of("discs"), ("discs",), once="all"),
    "radii": SavedArray(RADIUS, ("discs",)),
    "masses": SavedArray(MASS, ("discs",)),
    "momentum": SavedArray(real(), ("axes and 1",)),
    "past": PAST,
    "merge_leaves": SavedArray(number_of("discs"), ("discs",)),
    "merges_before": MERGED,
    "merges_since": RECORD_BEGIN,
    "label": SavedArray(number_of("discs"), ("discs",)),
    "live": SavedArray(number_of("discs"), ("clusters",), once="all"),
}
"""The arrays that both methods save.

original (N,) : the caller's number of each disc of the arrays, which keep discs in a spatial order; radii (N,),
masses (N,) : by the caller's numbers; momentum (d + 1,) : at the start, and the sum of |m v| then; past : of the
simulation that this one continues; merge_leaves (N,), merges_before, merges_since : see `engine.merges.MergeLog`;
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
    """The history whose records, (K,), `past_array` has put into a checkpoint."""
    method = saved["method"]
    begins = np.flatnonzero(np.diff(method, prepend=-1))
    stretches = tuple((METHODS[method[first]], int(first)) for first in begins if method[first] >= 0)
    columns = (saved[name].copy() for name in ("time", "clusters", "kinetic_energy"))
    return History(*columns, stretches=stretches)


def box_of(sim: NDArray[Any], dimensions: int) -> NDArray[np.float64]:
    """The sides of the box, (d,), from a record of scalar values."""
    return np.array([sim[side] for side in along("box_", dimensions)])


def checked_arrays(arrays: Arrays, own: dict[str, SavedArray], dimensions: int) -> dict[str, NDArray[Any]]:
    """The arrays of both methods and those of one, `own`, from a checkpoint, in range. Raises InputError.

    `own` has ``sim`` with the sides of the box and ``clusters``, a row for each cluster in the order of ``live``.
    """
    return take(arrays, SHARED | own, {"axes and 1": dimensions + 1})


def check_clusters(found: Arrays, merges: int) -> None:
    """Check that discs fit into the box, and that each is in one cluster, named by one of its discs.

    found : the result of `checked_arrays`; merges : the number of merges so far, for which arrays have a row of each
        disc.
    """
    sim, label, live = found["sim"][0], found["label"], found["live"]
    check_radii(found["radii"], box_of(sim, len(found["momentum"]) - 1), periodic=bool(sim["periodic"]))
    need(found["momentum"][-1] > 0.0, "the sum of |m v| in momentum must be above 0")
    named = np.flatnonzero(label == np.arange(len(label)))
    need(np.array_equal(np.sort(live), named), "live must name the clusters of label")
    need(bool((label[label] == label).all()), "label must name each cluster by one of its discs")
    need(merges + len(live) <= len(label), "there must be no more merges than clusters that are gone")
