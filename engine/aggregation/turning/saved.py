"""Checkpoints of clusters that turn, and restoring arrays from them.

Saved is what determines the results: discs, clusters with their predictions, and the merges. Box trees, grid and queue
are built again; no result depends on their layout.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.base import box_of, check_clusters, checked_arrays
from engine.aggregation.event_driven.clusters import ClusterArrays, dimensions_of
from engine.aggregation.event_driven.loop import build_lists
from engine.aggregation.event_driven.saved import impacts_hold, in_the_grid
from engine.aggregation.event_driven.saved import saved as saved_without
from engine.aggregation.turning import bodies
from engine.aggregation.turning.loop import rebuild
from engine.aggregation.turning.top import ORIENTATION, TENSOR
from engine.arrays import Arrays
from engine.records import Records, along, columns
from engine.saved import COUNTER, FLAG, SIDE, SavedArray, Values, need, number_of, real, whole

_FARTHEST_TURN = 1e3  # radians until the next event: a horizon is at most 12 away
_MOST_BOXES = 1e3
"""How far away a cluster may be, or fly before its next event, in sides of the box."""
_WIDEST = 100.0
"""How far a cluster may reach: all of its images within that are compared with each other."""


def turning_values(dimensions: int) -> dict[str, Values]:
    """The fields of a cluster that its turning follows from, without its centre."""
    fields = bodies.turning_fields(dimensions)
    if dimensions > 2:
        return dict.fromkeys((*fields.momentum, *fields.facing, *fields.inertia), real())
    return {"spin_momentum": real(), "angle": real(-4.0, 4.0), "inertia": real(1e-300)}


DISC_TURNS = {2: "disc_angles", 3: "disc_orientations"}
"""How far each disc is turned in the frame of its cluster: its angle, or a unit quaternion."""


def disc_turns(dimensions: int) -> dict[str, SavedArray]:
    """The declaration of `DISC_TURNS`, by its name."""
    shape = ("discs", 4) if dimensions > 2 else ("discs",)
    return {DISC_TURNS[dimensions]: SavedArray(real(-4.0, 4.0), shape)}


def turns_of_discs(clusters: Records, dimensions: int) -> dict[str, NDArray[np.float64]]:
    """The array `DISC_TURNS` of a checkpoint, (N,) or (N, 4), by its name, from the records (N,) of clusters."""
    turns = columns(clusters, *bodies.turning_fields(dimensions).of_disc)
    return {DISC_TURNS[dimensions]: turns if dimensions > 2 else turns[:, 0]}


@cache
def saved(dimensions: int) -> dict[str, SavedArray]:
    """The arrays of a checkpoint, in addition to those of both methods: those of clusters that translate, without
    envelopes and watchers, and with what turning needs."""
    known = saved_without(dimensions)
    own: dict[str, Values] = dict(known["clusters"].fields)
    del own["watching"], own["is_bound"]
    own |= dict.fromkeys(along("centre_", dimensions), real())
    own |= turning_values(dimensions)
    if dimensions > 2:
        own |= dict.fromkeys(("phase", "wobble"), real(-4.0, 4.0))
    own |= {
        "own_kind": whole(bodies.OWN_HORIZON, bodies.OWN_IMAGE, "i1"),
        "reach": SIDE,
        "own_disc": number_of("discs"),
        "wall_time": real(-1.0),
        "wall_repeats": whole(0, 1 << 30, "i4"),
        "spans": FLAG,
    }
    return {
        "sim": SavedArray(known["sim"].fields | {"span_events": COUNTER}, (1,)),
        "discs": known["discs"],
        "clusters": SavedArray(own, ("clusters",)),
        **disc_turns(dimensions),
        "bigs": SavedArray(number_of("discs"), ("bigs",), once="all"),
        "log": known["log"],
    }


def arrays_of(st: ClusterArrays) -> dict[str, NDArray[Any]]:
    """The arrays of a checkpoint in addition to those of `engine.aggregation.base`; some are views of those of `st`."""
    sim = st.sim[0]
    live = st.live[: sim["clusters"]]
    dimensions = dimensions_of(st)
    declared = saved(dimensions)
    arrays: dict[str, NDArray[Any]] = {
        "sim": declared["sim"].of_rows(st.sim),
        "discs": st.discs[along("", dimensions)],
        "label": st.label,
        "live": live,
        "clusters": declared["clusters"].of_rows(st.clusters, live, holds=impacts_hold(st.clusters, live)),
        **turns_of_discs(st.clusters, dimensions),
        "bigs": st.bigs[: sim["bigs"]],
        "log": st.log[: sim["merges"] + 1],
    }
    arrays["sim"]["cursor"] = min(sim["cursor"], len(live))
    return arrays


def check(arrays: Arrays, dimensions: int) -> None:
    """Raise InputError unless kernels can safely continue with the result of `restored`. O(N log N)."""
    found = checked_arrays(arrays, saved(dimensions), dimensions)
    check_clusters(found, len(found["log"]) - 1)
    sim, clusters, live, label = found["sim"][0], found["clusters"], found["live"], found["label"]
    need(1 <= sim["grid_clusters"] <= len(label), "grid_clusters of sim must be a number of clusters")
    need(bool(np.isin(found["bigs"], live).all()), "bigs must be clusters")
    registered, name = clusters[: int(sim["cursor"])], live[: int(sim["cursor"])]
    partner = registered["partner"]
    right = (label[registered["disc"]] == name) & (label[registered["partner_disc"]] == partner) & (partner != name)
    counts = np.isfinite(registered["impact_time"]) & (registered["holds"] == 1)
    need(bool(right[counts].all()), "an impact must be one of two clusters")
    kind = registered["own_kind"]
    no_axis = (kind >= bodies.OWN_WALL_X + dimensions) & (kind < bodies.OWN_IMAGE)
    need(not no_axis.any(), "own_kind must be one of an event")
    need(
        bool((label[registered["own_disc"]] == name)[registered["own_kind"] > 0].all()),
        "own_disc must be of its cluster",
    )
    reach = np.zeros(len(label))
    places = columns(found["discs"], *along("", dimensions))
    of = np.zeros(len(label), np.intp)
    of[live] = np.arange(len(live))
    away = np.linalg.norm(places - columns(clusters, *along("centre_", dimensions))[of[label]], axis=1)
    np.maximum.at(reach, of[label], away + found["radii"][found["original"]])
    need(bool((reach[: len(live)] <= clusters["reach"] * (1.0 + 1e-9)).all()), "reach must hold all discs of a cluster")
    velocity = np.abs(columns(clusters, *along("p", dimensions))) / clusters["mass"][:, None]
    speed = np.linalg.norm(velocity, axis=1).max()
    fastest = (1.0 + 1e-6) * sim["grid_clusters"] * sim["typical_speed"]
    need(speed <= fastest, f"the speed of a cluster must be from 0 to {fastest:g}")
    wait = np.minimum(np.maximum(registered["own_time"] - sim["time"], 0.0), 1e300)
    with np.errstate(over="ignore"):
        spin = checked_spins(found, dimensions)[: len(wait)]
        far = spin * (wait - 4.0 * np.spacing(sim["time"])) > _FARTHEST_TURN
    need(not far.any(), "a cluster turns too far before its next event")
    box = box_of(sim, dimensions)
    flown = velocity * np.abs(sim["time"] - clusters["time"])[:, None]
    ways = (columns(clusters, *along("", dimensions)), flown, velocity[: len(wait)] * wait[:, None])
    near = all((np.abs(way) / box <= _MOST_BOXES).all() for way in ways)
    near &= bool(clusters["reach"].max() <= _WIDEST * box.min())
    need(near, "a cluster is too large, or too far away, or flies too far before its next event")


def checked_spins(found: Arrays, dimensions: int) -> NDArray[np.float64]:
    """A bound of |ω| of each cluster, (M,); InputError for orientations and moments of inertia that no body has."""
    clusters = found["clusters"]
    if dimensions == 2:
        return np.asarray(np.abs(clusters["spin_momentum"] / clusters["inertia"]))
    for turns in (columns(clusters, *ORIENTATION), found[DISC_TURNS[3]]):
        unit = np.abs(np.linalg.norm(turns, axis=1) - 1.0) <= 1e-9
        need(bool(unit.all()), "an orientation must be a unit quaternion")
    xx, yy, zz, yz, xz, xy = columns(clusters, *TENSOR).T
    tensors = np.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], axis=1).reshape(-1, 3, 3)
    moments = np.linalg.eigvalsh(tensors)
    least, most = moments[:, 0], moments[:, 1:].sum(axis=1)
    a_body = (least > 1e-300) & (moments[:, 2] <= (moments[:, 0] + moments[:, 1]) * (1.0 + 1e-9)) & np.isfinite(most)
    need(bool(a_body.all()), "the moments of inertia of a cluster must be those of a body")
    momentum = columns(clusters, *along("spin_momentum_", 3))
    single = np.bincount(found["label"], minlength=len(found["label"]))[found["live"]] == 1
    return np.where(single, 0.0, np.linalg.norm(momentum, axis=1) / least)


def restored(arrays: Mapping[str, NDArray[Any]], dimensions: int) -> ClusterArrays:
    """The arrays of a run that continues from a checkpoint, which `check` accepts; nothing is shared with it."""
    found = checked_arrays(arrays, saved(dimensions), dimensions)
    original, live, bigs, own = found["original"], found["live"], found["bigs"], found["clusters"]
    st = bodies.empty(len(original), dimensions)
    numbers = {name: found["sim"][0][name] for name in found["sim"].dtype.names or ()}
    numbers |= {"clusters": len(live), "merges": len(found["log"]) - 1, "bigs": len(bigs), "free_watch": -1}
    for name, value in numbers.items():
        st.sim[0][name] = value
    st.sim[0]["cursor"] = min(numbers["cursor"], len(live))
    for name in along("", dimensions):
        st.discs[name] = found["discs"][name]
    st.discs["radius"], st.discs["mass"] = found["radii"][original], found["masses"][original]
    st.label[:] = found["label"]
    st.live[: len(live)] = live
    st.log[: len(found["log"])] = found["log"]
    clusters = st.clusters
    for name in own.dtype.names or ():
        if name != "holds":
            clusters[name][live] = own[name]
    for speed, push in zip(along("v", dimensions), along("p", dimensions), strict=True):
        clusters[speed][live] = own[push] / own["mass"]
    if dimensions == 2:
        clusters["spin"][live] = own["spin_momentum"] / own["inertia"]
    for corner, sign in (("_min", -1.0), ("_max", 1.0)):
        for name in along(corner, dimensions):
            clusters[name][live] = sign * own["reach"]
    bodies.put_columns(clusters, bodies.turning_fields(dimensions).of_disc, found[DISC_TURNS[dimensions]])
    clusters["partner_trajectory"][live] = own["holds"].astype(np.int32) - 1
    clusters["big"] = clusters["watchers"] = clusters["seat"] = -1
    clusters["seat"][live] = np.arange(len(live))
    clusters["big"][bigs] = np.arange(len(bigs))
    st.bigs[: len(bigs)] = bigs
    rebuild(st)
    build_lists(st, np.zeros(0, np.int32), np.zeros(0, np.int32))
    st = in_the_grid(st)
    for name in ("work", "tree_builds"):
        st.sim[0][name] = numbers[name]
    return st
