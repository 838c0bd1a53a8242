"""Checkpoints of the event-driven method, and restoring arrays from them.

Saved is what determines the results: discs, clusters with their predictions, big clusters and their watchers, and the
merges. Box trees, grid and queue are rebuilt; the results do not depend on their layout.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.base import box_of, check_clusters, checked_arrays
from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven.loop import build_lists, build_trees, enter_cells
from engine.arrays import Arrays
from engine.errors import MAX_COUNT
from engine.records import along, columns, zeros
from engine.saved import (
    BOUNDARY,
    COUNTER,
    EVER,
    FLAG,
    HEAVIEST,
    LIGHTEST,
    SIDE,
    SINCE_START,
    SavedArray,
    need,
    number_of,
    real,
    whole,
)

_FARTHEST = 1e5
"""How far away a disc, or a cluster at its next event, may be from where it is known, in sides of a periodic box."""

_MOST_IMAGES = 4e6
"""The most boxes that lie so near, along all axes together: so many images may have to be compared."""

_ABOVE_0 = 1e-9

WATCHERS = SavedArray({"big cluster": number_of("discs")}, ("watchers",))
"""The watchers: which cluster relies on the exact velocity of which big cluster."""


@cache
def saved(dimensions: int) -> dict[str, SavedArray]:
    """The arrays of a checkpoint in so many dimensions, in addition to those of both methods.

    sim : fields of `clusters.SIMULATION` that do not follow from others; discs : places in the frames of clusters;
    clusters : fields of `clusters.CLUSTER`, and holds : 1 where the partner's motion is the one that the impact was
    found with; bigs : the big clusters in their order, with fields that only they have; log : rows of `clusters.MERGE`
    that are used.
    """
    plane = {
        "sim": SavedArray(
            {
                "grid_clusters cursor grid_horizons": COUNTER,
                "wall_events horizon_events stale_events bound_events watch_events work": COUNTER,
                "pair_walks node_visits disc_tests tree_builds grid_builds big_registrations": COUNTER,
                "periodic": BOUNDARY,
                "big_cells": whole(1, 0x7FFF),
                "time": SINCE_START,
                "energy energy_reference impulse_x impulse_y": real(),
                "box_x box_y": SIDE,
                "typical_speed delta": real(0.0),
                "spread": EVER,
                "travel": real(_ABOVE_0, 100.0),
                "patience": real(_ABOVE_0, 1000.0),
                "big_patience": real(0.0, 1000.0),
                "envelope": real(0.0, 100.0),
                "rebuild": real(1.0, 1e300),
            },
            (1,),
        ),
        "discs": SavedArray({"x y": real()}, ("discs",)),
        "clusters": SavedArray(
            {
                "x y px py": real(),
                "time": SINCE_START,
                "own_time impact_time": EVER,
                "mass": real(LIGHTEST, HEAVIEST * MAX_COUNT),
                "x_min y_min x_max y_max": real(),
                "partner disc partner_disc": number_of("discs"),
                "own_kind": whole(cl.OWN_HORIZON, cl.OWN_HORIZON + dimensions, "i1"),
                "watching is_bound holds": FLAG,
            },
            ("clusters",),
        ),
        "bigs": SavedArray(
            {"cluster": number_of("discs"), "envelope_vx envelope_vy": real(), "envelope horizon": real(0.0)},
            ("bigs",),
            once="cluster",
        ),
        "watchers": WATCHERS,
        "log": SavedArray(
            {"time": SINCE_START, "kinetic_energy": real(), "i j": number_of("discs", none=True)},
            ("merges and start",),
            fewest=1,
            rising="time",
        ),
    }
    return {name: array.along(dimensions) for name, array in plane.items()}


def arrays_of(st: cl.ClusterArrays, *, by_trees: bool) -> dict[str, NDArray[Any]]:
    """The arrays of a checkpoint in addition to those of `engine.aggregation.base`; some are views of those of `st`.

    by_trees : whether events are found by box trees and grid; the search over all pairs keeps no predictions.
    """
    sim = st.sim[0]
    live = st.live[: sim["clusters"]]
    bigs = st.bigs[: sim["bigs"]]
    if not by_trees:
        bigs = bigs[:0]
    dimensions = cl.dimensions_of(st)
    declared = saved(dimensions)
    arrays: dict[str, NDArray[Any]] = {
        "sim": declared["sim"].of_rows(st.sim),
        "discs": st.discs[along("", dimensions)],
        "label": st.label,
        "live": live,
        "clusters": declared["clusters"].of_rows(st.clusters, live, holds=impacts_hold(st.clusters, live)),
        "bigs": declared["bigs"].of_rows(st.clusters, bigs, cluster=bigs),
        "watchers": _watchers(bigs, st.clusters, st.watches),
        "log": st.log[: sim["merges"] + 1],
    }
    arrays["sim"]["cursor"] = min(sim["cursor"], len(live)) if by_trees else 0
    return arrays


def impacts_hold(clusters: NDArray[Any], names: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether the impact stored with each of the clusters `names`, (M,), still holds, (M,): its partner still moves as
    it did when the impact was found. clusters : (N,) of `clusters.CLUSTER`."""
    known = clusters["partner_trajectory"][names]
    return np.asarray(clusters["trajectory"][clusters["partner"][names]] == known)


def _watchers(bigs: NDArray[Any], clusters: NDArray[Any], watches: NDArray[Any]) -> NDArray[np.void]:
    """The entries of the lists of watchers that still hold."""
    found: list[NDArray[np.void]] = [np.zeros(0, WATCHERS.dtype)]
    bigs = bigs.astype(np.int32)
    at = clusters["watchers"][bigs]
    while (some := at >= 0).any():
        bigs, watch = bigs[some], watches[at[some]]
        made = np.zeros(len(watch), WATCHERS.dtype)
        made["big"], made["cluster"] = bigs, watch["cluster"]
        holds = clusters["evaluation"][watch["cluster"]] == watch["evaluation"]
        holds &= (clusters["seat"][watch["cluster"]] >= 0) & (watch["cluster"] != bigs)
        found.append(made[holds])
        at = watch["next"]
    return np.concatenate(found)


def check(arrays: Arrays, dimensions: int) -> None:
    """Raise InputError unless kernels can safely continue with the result of `restored`. O(N log N)."""
    found = checked_arrays(arrays, saved(dimensions), dimensions)
    check_clusters(found, len(found["log"]) - 1)
    sim, clusters, live, label = found["sim"][0], found["clusters"], found["live"], found["label"]
    need(1 <= sim["grid_clusters"] <= len(label), "grid_clusters of sim must be a number of clusters")
    need(bool(np.isin(found["bigs"]["cluster"], live).all()), "bigs must be clusters")
    registered, name = clusters[: int(sim["cursor"])], live[: int(sim["cursor"])]
    partner = registered["partner"]
    right = (label[registered["disc"]] == name) & (label[registered["partner_disc"]] == partner) & (partner != name)
    counts = np.isfinite(registered["impact_time"]) & (registered["holds"] == 1)
    need(bool(right[counts].all()), "an impact must be one of two clusters")
    _check_reach(found, registered, dimensions)


def _check_reach(found: Arrays, registered: NDArray[Any], dimensions: int) -> None:
    """Check that no cluster is so large, so far away or so fast before its next event that kernels would compare it in
    too many periodic images. registered : the clusters that have been entered in the grid."""
    sim, clusters, bigs = found["sim"][0], found["clusters"], found["bigs"]
    velocity = np.abs(columns(clusters, *along("p", dimensions))) / clusters["mass"][:, None]
    speed = np.linalg.norm(velocity, axis=1).max()
    fastest = (1.0 + 1e-6) * sim["grid_clusters"] * sim["typical_speed"]
    need(speed <= fastest, f"the speed of a cluster must be from 0 to {fastest:g}")
    # a small cluster also looks for big ones, which may be faster, until its own event
    small = ~np.isin(found["live"][: len(registered)], bigs["cluster"])
    wait = np.maximum(registered["own_time"][small] - sim["time"], 0.0)
    envelopes = np.abs(columns(bigs, *along("envelope_v", dimensions))) + bigs["envelope"][:, None]
    widest = np.max(envelopes, axis=0, initial=0.0)
    ways = (velocity[: len(registered)][small] + widest) * wait[:, None]
    longest = max(0.0, np.max(bigs["horizon"], initial=0.0) - sim["time"])
    flown = velocity * np.abs(sim["time"] - clusters["time"])[:, None]
    for way in (
        *(columns(clusters, *along(corner, dimensions)) for corner in ("", "_min", "_max")),
        *(columns(found["discs"], *along("", dimensions)), flown, ways, (widest * longest)[None]),
    ):
        boxes = np.abs(way) / box_of(sim, dimensions)  # along walls too, beyond which nothing can be
        near = (boxes <= _FARTHEST).all() and ((1.0 + 2.0 * boxes).prod(axis=1) <= _MOST_IMAGES).all()
        need(bool(near), "a cluster is too large, or too far away, or flies too far before its next event")


def restored(arrays: Mapping[str, NDArray[Any]], dimensions: int) -> cl.ClusterArrays:
    """The arrays of a run that continues from a checkpoint, which `check` accepts; nothing is shared with it."""
    found = checked_arrays(arrays, saved(dimensions), dimensions)
    original, live, bigs, watchers = found["original"], found["live"], found["bigs"], found["watchers"]
    count = len(original)
    st = cl.empty(count, dimensions, watches=len(watchers))
    sim, numbers_saved = st.sim[0], found["sim"][0]
    numbers = {name: numbers_saved[name] for name in numbers_saved.dtype.names}
    numbers |= {"clusters": len(live), "merges": len(found["log"]) - 1, "bigs": len(bigs), "free_watch": -1}
    for name, value in numbers.items():
        sim[name] = value
    sim["cursor"] = min(numbers_saved["cursor"], len(live))
    for name in along("", dimensions):
        st.discs[name] = found["discs"][name]
    st.discs["radius"], st.discs["mass"] = found["radii"][original], found["masses"][original]
    st.label[:] = found["label"]
    st.live[: len(live)] = live
    st.log[: len(found["log"])] = found["log"]
    _fill_clusters(st, found)
    build_trees(st)
    build_lists(st, watchers["big"], watchers["cluster"])
    st = in_the_grid(st)
    for name in ("work", "tree_builds"):
        st.sim[0][name] = numbers_saved[name]
    return st


def in_the_grid(st: cl.ClusterArrays) -> cl.ClusterArrays:
    """Enter the clusters of a restored run in the grid, with more buckets where these are needed."""
    at = 0
    while (at := enter_cells(st, at)) < st.sim[0]["cursor"]:
        longer = zeros(2 * len(st.buckets), st.buckets.dtype)
        longer[: len(st.buckets)] = st.buckets
        st = st._replace(buckets=longer)
    return st


def _fill_clusters(st: cl.ClusterArrays, found: Arrays) -> None:
    """The rows of clusters and the list of big ones."""
    live, own, bigs = found["live"], found["clusters"], found["bigs"]
    clusters = st.clusters
    for name in own.dtype.names or ():
        if name != "holds":
            clusters[name][live] = own[name]
    dimensions = cl.dimensions_of(st)
    for speed, push in zip(along("v", dimensions), along("p", dimensions), strict=True):
        clusters[speed][live] = own[push] / own["mass"]
    clusters["partner_trajectory"][live] = own["holds"].astype(np.int32) - 1
    clusters["big"] = clusters["watchers"] = clusters["seat"] = -1
    clusters["seat"][live] = np.arange(len(live))
    names = bigs["cluster"]
    for name in bigs.dtype.names or ():
        if name != "cluster":
            clusters[name][names] = bigs[name]
    clusters["big"][names] = np.arange(len(names))
    st.bigs[: len(names)] = names
