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

from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven.build import build_lists, build_trees, enter_cells, lay_out_grid
from engine.aggregation.saved import box_of, check_history, check_merges, check_state, taken
from engine.limits import MAX_COUNT
from engine.records import along, columns, zeros
from engine.saved import (
    COUNTER,
    EVER,
    FLAG,
    HEAVIEST,
    LIGHTEST,
    ROUNDING,
    SIDE,
    SINCE_START,
    Arrays,
    SavedArray,
    need,
    number_of,
    real,
    unique,
    whole,
)

_WIDEST = 1000.0
"""The largest size, in boxes, of a cluster that wraps around a periodic box."""

_MOST_IMAGES = (2.0 * _WIDEST) ** 2
"""The most boxes that such a cluster extends over, along all axes together: so many images may have to be compared."""

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
                "periodic": whole(0, 1),
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
        ),
        "watchers": WATCHERS,
        "log": SavedArray(
            {"time": SINCE_START, "kinetic_energy": real(), "i j": whole(-1, MAX_COUNT, "i4")}, ("merges and start",)
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
        "clusters": declared["clusters"].of_rows(st.clusters, live, holds=_holds(st.clusters, live)),
        "bigs": declared["bigs"].of_rows(st.clusters, bigs, cluster=bigs),
        "watchers": _watchers(bigs, st.clusters, st.watches),
        "log": st.log[: sim["merges"] + 1],
    }
    arrays["sim"]["cursor"] = min(sim["cursor"], len(live)) if by_trees else 0
    return arrays


def _holds(clusters: NDArray[Any], names: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of these clusters have an impact whose partner still moves as it did when the impact was found."""
    known = clusters["partner_trajectory"][names]
    return np.asarray(clusters["trajectory"][clusters["partner"][names]] == known)


def _watchers(bigs: NDArray[Any], clusters: NDArray[Any], watches: NDArray[Any]) -> NDArray[np.void]:
    """The entries of the lists of watchers that still hold. InputError if lists go in circles, as in a bad file."""
    found: list[NDArray[np.void]] = [np.zeros(0, WATCHERS.dtype)]
    bigs = bigs.astype(np.int32)
    at = clusters["watchers"][bigs]
    many = 0
    while (some := at >= 0).any():
        bigs, watch = bigs[some], watches[at[some]]
        many += len(watch)
        need(many <= len(watches), "a list of watchers goes in a circle")
        made = np.zeros(len(watch), WATCHERS.dtype)
        made["big"], made["cluster"] = bigs, watch["cluster"]
        holds = clusters["evaluation"][watch["cluster"]] == watch["evaluation"]
        holds &= (clusters["seat"][watch["cluster"]] >= 0) & (watch["cluster"] != bigs)
        found.append(made[holds])
        at = watch["next"]
    return np.concatenate(found)


def of_0_2(arrays: Arrays) -> Arrays:
    """The arrays of a checkpoint of version 0.2.0, which has a row for each disc, as those of today; others as they
    are."""
    if "watches" not in arrays:
        return arrays
    try:
        sim, clusters = arrays["sim"][0], arrays["clusters"]
        live, bigs = arrays["live"][: sim["clusters"]], arrays["bigs"][: sim["bigs"]]
        return dict(arrays) | {
            "live": live,
            "clusters": saved(2)["clusters"].of_rows(clusters, live, holds=_holds(clusters, live)),
            "bigs": saved(2)["bigs"].of_rows(clusters, bigs, cluster=bigs),
            "watchers": _watchers(bigs, clusters, arrays["watches"]),
            "log": arrays["log"][: sim["merges"] + 1],
        }
    except (IndexError, KeyError, ValueError, TypeError):
        need(False, "its arrays are not those of its method")
        raise


def check(arrays: Arrays, dimensions: int) -> None:
    """Raise InputError unless kernels can safely continue with the result of `restored`. O(N log N)."""
    found = taken(of_0_2(arrays), saved(dimensions), dimensions)
    check_state(found)
    sim, clusters, live = found["sim"][0], found["clusters"], found["live"]
    need(len(live) <= sim["grid_clusters"] <= len(found["label"]), "the number of clusters is out of range")
    box, axes = box_of(sim, dimensions), along("", dimensions)
    places = columns(clusters, *axes)
    need(bool((np.abs(places - 0.5 * box) <= 1.5 * box).all()), "a cluster is far outside of the box")
    for corner in ("_min", "_max"):
        extent = np.abs(columns(clusters, *along(corner, dimensions)))
        need(_is_near(extent, box), "a cluster is larger than can be")
    need(_is_near(np.abs(columns(found["discs"], *axes)), box), "a disc is far from its cluster")
    need(bool((clusters["time"] <= sim["time"]).all()), "a cluster is ahead of the time")
    bigs = found["bigs"]["cluster"]
    registered = clusters[: int(sim["cursor"])]
    unique(bigs, "the list of big clusters")
    need(bool(np.isin(bigs, live[: int(sim["cursor"])]).all()), "the list of big clusters names one that is gone")
    _check_horizons(found, registered, dimensions)
    _check_impacts(found, registered)
    watchers = found["watchers"]
    need(bool(np.isin(watchers["big"], bigs).all()), "a cluster is watched that is not big")
    need(bool((found["label"][watchers["cluster"]] == watchers["cluster"]).all()), "a watcher is gone")
    _check_log(found)


def _is_near(extent: NDArray[np.float64], box: NDArray[np.float64]) -> bool:
    """Whether no place (K, d) is farther away from the origin of its cluster than clusters reach."""
    boxes = extent / box
    return bool((boxes <= _WIDEST).all() and ((1.0 + 2.0 * boxes).prod(axis=1) <= 1.1 * _MOST_IMAGES).all())


def _check_horizons(found: Arrays, registered: NDArray[Any], dimensions: int) -> None:
    """Check that clusters look ahead no farther than in a run, which limits the number of periodic images to
    consider."""
    laid_out = zeros(1, cl.SPACE_SIMULATION if dimensions > 2 else cl.SIMULATION)
    for name in found["sim"].dtype.names or ():
        laid_out[name] = found["sim"][name]
    lay_out_grid(laid_out)
    sim = laid_out.view(np.recarray)[0]
    clusters, bigs = found["clusters"], found["bigs"]
    speed = np.linalg.norm(columns(clusters, *along("p", dimensions)), axis=1) / clusters["mass"]
    fastest = (1.0 + ROUNDING) * sim.grid_clusters * sim.typical_speed
    need(speed.max() <= fastest, "a cluster is faster than its horizon allows")
    late = 1e-9 * sim.time
    is_big = np.isin(found["live"][: len(registered)], bigs["cluster"])
    small, speed = registered[~is_big], speed[: len(registered)][~is_big]
    wait = small["own_time"] - small["time"]
    fits = (wait >= -late) & (wait <= (1.0 + ROUNDING) * sim.longest_horizon + late)
    need(bool(fits.all()), "a horizon is too far")
    with np.errstate(over="ignore", invalid="ignore"):
        fits = speed * wait <= (1.0 + ROUNDING) * sim.travel * sim.cell + speed * late
    need(bool(fits[speed > 0.0].all()), "a horizon is too far")
    most = (1.0 + ROUNDING) * sim.longest_horizon * (sim.big_patience / sim.patience) + late
    need(bool((bigs["horizon"] <= sim.time + most).all()), "a horizon is too far")
    need(bool((registered["own_time"][is_big] <= sim.time + most).all()), "a horizon is too far")
    widest = (1.0 + ROUNDING) * sim.envelope * sim.typical_speed
    middle = np.linalg.norm(columns(bigs, *along("envelope_v", dimensions)), axis=1)
    need(bool(((bigs["envelope"] <= widest) & (middle <= fastest)).all()), "the envelope of a cluster does not fit")


def _check_impacts(found: Arrays, registered: NDArray[Any]) -> None:
    """Check the predicted impacts: with an existing cluster, between discs of the two."""
    label = found["label"]
    counts = np.isfinite(registered["impact_time"]) & (registered["holds"] == 1)
    own, name = registered[counts], found["live"][: len(registered)][counts]
    partner = own["partner"]
    right = (label[own["disc"]] == name) & (label[own["partner_disc"]] == partner) & (partner != name)
    need(bool(right.all()), "an impact is not one of two clusters")


def _check_log(found: Arrays) -> None:
    """Check the history of merges."""
    log, count = found["log"], len(found["label"])
    merges = len(log) - 1
    need(0 <= merges < count, "its history does not fit its clusters")
    check_history(log["time"], len(found["live"]) + merges - np.arange(merges + 1), count)
    for name in ("i", "j"):
        need(bool(((log[name][1:] >= 0) & (log[name][1:] < count)).all()), "a merge of its history is out of range")
    need(log["time"][-1] <= found["sim"][0]["time"], "its history lies ahead of its time")
    check_merges(found, merges, float(log["time"][0]))


def restored(arrays: Mapping[str, NDArray[Any]], dimensions: int) -> cl.ClusterArrays:
    """The arrays of a run that continues from a checkpoint, which `check` accepts; nothing is shared with it."""
    found = taken(of_0_2(arrays), saved(dimensions), dimensions)
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
    at = 0
    while (at := enter_cells(st, at)) < sim["cursor"]:
        longer = zeros(2 * len(st.buckets), st.buckets.dtype)
        longer[: len(st.buckets)] = st.buckets
        st = st._replace(buckets=longer)
    for name in ("work", "tree_builds"):
        st.sim[0][name] = numbers_saved[name]
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
