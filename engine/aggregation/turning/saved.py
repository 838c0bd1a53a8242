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
from engine.aggregation.event_driven.clusters import ClusterArrays
from engine.aggregation.event_driven.loop import build_lists
from engine.aggregation.event_driven.saved import impacts_hold, in_the_grid
from engine.aggregation.event_driven.saved import saved as saved_without
from engine.aggregation.turning import bodies
from engine.aggregation.turning.loop import build_trees
from engine.arrays import Arrays
from engine.records import columns
from engine.saved import COUNTER, FLAG, SIDE, SavedArray, Values, need, number_of, real, whole

_FARTHEST_TURN = 1e3  # radians until the next event: a horizon is at most 12 away
_MOST_BOXES = 1e3
"""How far away a cluster may be, or fly before its next event, in sides of the box."""
_WIDEST = 100.0
"""How far a cluster may reach: all of its images within that are compared with each other."""


@cache
def saved() -> dict[str, SavedArray]:
    """The arrays of a checkpoint, in addition to those of both methods: those of clusters that translate, without
    envelopes and watchers, and with what turning needs."""
    known = saved_without(2)
    own: dict[str, Values] = dict(known["clusters"].fields)
    del own["watching"], own["is_bound"]
    own |= {name: real() for name in ("spin_momentum", "centre_x", "centre_y")}
    own |= {
        "own_kind": whole(bodies.OWN_HORIZON, bodies.OWN_IMAGE, "i1"),
        "angle": real(-4.0, 4.0),
        "inertia": real(1e-300),
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
        "disc_angles": SavedArray(real(-4.0, 4.0), ("discs",)),
        "bigs": SavedArray(number_of("discs"), ("bigs",), once="all"),
        "log": known["log"],
    }


def arrays_of(st: ClusterArrays) -> dict[str, NDArray[Any]]:
    """The arrays of a checkpoint in addition to those of `engine.aggregation.base`; some are views of those of `st`."""
    sim = st.sim[0]
    live = st.live[: sim["clusters"]]
    declared = saved()
    arrays: dict[str, NDArray[Any]] = {
        "sim": declared["sim"].of_rows(st.sim),
        "discs": st.discs[["x", "y"]],
        "label": st.label,
        "live": live,
        "clusters": declared["clusters"].of_rows(st.clusters, live, holds=impacts_hold(st.clusters, live)),
        "disc_angles": st.clusters["disc_angle"],
        "bigs": st.bigs[: sim["bigs"]],
        "log": st.log[: sim["merges"] + 1],
    }
    arrays["sim"]["cursor"] = min(sim["cursor"], len(live))
    return arrays


def check(arrays: Arrays) -> None:
    """Raise InputError unless kernels can safely continue with the result of `restored`. O(N log N)."""
    found = checked_arrays(arrays, saved(), 2)
    check_clusters(found, len(found["log"]) - 1)
    sim, clusters, live, label = found["sim"][0], found["clusters"], found["live"], found["label"]
    need(1 <= sim["grid_clusters"] <= len(label), "grid_clusters of sim must be a number of clusters")
    need(bool(np.isin(found["bigs"], live).all()), "bigs must be clusters")
    registered, name = clusters[: int(sim["cursor"])], live[: int(sim["cursor"])]
    partner = registered["partner"]
    right = (label[registered["disc"]] == name) & (label[registered["partner_disc"]] == partner) & (partner != name)
    counts = np.isfinite(registered["impact_time"]) & (registered["holds"] == 1)
    need(bool(right[counts].all()), "an impact must be one of two clusters")
    need(not (registered["own_kind"] == bodies.OWN_IMAGE - 1).any(), "own_kind must be one of an event")
    need(
        bool((label[registered["own_disc"]] == name)[registered["own_kind"] > 0].all()),
        "own_disc must be of its cluster",
    )
    reach = np.zeros(len(label))
    places = columns(found["discs"], "x", "y")
    of = np.zeros(len(label), np.intp)
    of[live] = np.arange(len(live))
    away = np.linalg.norm(places - columns(clusters, "centre_x", "centre_y")[of[label]], axis=1)
    np.maximum.at(reach, of[label], away + found["radii"][found["original"]])
    need(bool((reach[: len(live)] <= clusters["reach"] * (1.0 + 1e-9)).all()), "reach must hold all discs of a cluster")
    velocity = np.abs(columns(clusters, "px", "py")) / clusters["mass"][:, None]
    speed = np.linalg.norm(velocity, axis=1).max()
    fastest = (1.0 + 1e-6) * sim["grid_clusters"] * sim["typical_speed"]
    need(speed <= fastest, f"the speed of a cluster must be from 0 to {fastest:g}")
    wait = np.minimum(np.maximum(registered["own_time"] - sim["time"], 0.0), 1e300)
    with np.errstate(over="ignore"):
        spin = np.abs(clusters["spin_momentum"] / clusters["inertia"])[: len(wait)]
        far = spin * (wait - 4.0 * np.spacing(sim["time"])) > _FARTHEST_TURN
    need(not far.any(), "a cluster turns too far before its next event")
    box = box_of(sim, 2)
    flown = velocity * np.abs(sim["time"] - clusters["time"])[:, None]
    ways = (columns(clusters, "x", "y"), flown, velocity[: len(wait)] * wait[:, None])
    near = all((np.abs(way) / box <= _MOST_BOXES).all() for way in ways)
    near &= bool(clusters["reach"].max() <= _WIDEST * box.min())
    need(near, "a cluster is too large, or too far away, or flies too far before its next event")


def restored(arrays: Mapping[str, NDArray[Any]]) -> ClusterArrays:
    """The arrays of a run that continues from a checkpoint, which `check` accepts; nothing is shared with it."""
    found = checked_arrays(arrays, saved(), 2)
    original, live, bigs, own = found["original"], found["live"], found["bigs"], found["clusters"]
    st = bodies.empty(len(original))
    numbers = {name: found["sim"][0][name] for name in found["sim"].dtype.names or ()}
    numbers |= {"clusters": len(live), "merges": len(found["log"]) - 1, "bigs": len(bigs), "free_watch": -1}
    for name, value in numbers.items():
        st.sim[0][name] = value
    st.sim[0]["cursor"] = min(numbers["cursor"], len(live))
    for name in ("x", "y"):
        st.discs[name] = found["discs"][name]
    st.discs["radius"], st.discs["mass"] = found["radii"][original], found["masses"][original]
    st.label[:] = found["label"]
    st.live[: len(live)] = live
    st.log[: len(found["log"])] = found["log"]
    clusters = st.clusters
    for name in own.dtype.names or ():
        if name != "holds":
            clusters[name][live] = own[name]
    for speed, push in (("vx", "px"), ("vy", "py")):
        clusters[speed][live] = own[push] / own["mass"]
    clusters["spin"][live] = own["spin_momentum"] / own["inertia"]
    for name, sign in (("x_min", -1.0), ("y_min", -1.0), ("x_max", 1.0), ("y_max", 1.0)):
        clusters[name][live] = sign * own["reach"]
    clusters["disc_angle"] = found["disc_angles"]
    clusters["partner_trajectory"][live] = own["holds"].astype(np.int32) - 1
    clusters["big"] = clusters["watchers"] = clusters["seat"] = -1
    clusters["seat"][live] = np.arange(len(live))
    clusters["big"][bigs] = np.arange(len(bigs))
    st.bigs[: len(bigs)] = bigs
    build_trees(st)
    build_lists(st, np.zeros(0, np.int32), np.zeros(0, np.int32))
    st = in_the_grid(st)
    for name in ("work", "tree_builds"):
        st.sim[0][name] = numbers[name]
    return st
