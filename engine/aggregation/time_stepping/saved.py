"""Checkpoints of the time-stepping method, and restoring arrays from them.

Saved are the state at the last whole step and the time shown. A current step is left out and repeated with the same
bits. Cells, lists of links and the calendar are rebuilt.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from engine.aggregation.saved import MERGED, box_of, check_history, check_merges, check_state, taken
from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping.links import insert_link
from engine.aggregation.time_stepping.motion import find_fastest, set_velocity
from engine.kernels import borrowed, kernel
from engine.limits import MAX_COUNT
from engine.records import Records, along, columns, zeros
from engine.saved import (
    COUNTER,
    HEAVIEST,
    LIGHTEST,
    SIDE,
    SINCE_START,
    Arrays,
    SavedArray,
    need,
    number_of,
    permutation,
    real,
    whole,
)
from engine.scenario import Scenario
from engine.state import InitialState

_WIDEST = 1e6
"""How far the discs of a cluster may be from the origin of its frame, and that from the box, in sides of the box."""

_FARTHEST = 1e9
"""How far a cluster may fly in a step, in sides of the box."""

LINKS = SavedArray({"i j": number_of("discs"), "slack": whole(0, 1, "i4")}, ("links",))
"""Fields of `arrays.LINK`."""


@cache
def saved(dimensions: int) -> dict[str, SavedArray]:
    """The arrays of a checkpoint in so many dimensions, in addition to those of both methods.

    sim, clusters : fields of `arrays.SIMULATION` and `arrays.CLUSTER` that do not follow from others.
    """
    plane = {
        "sim": SavedArray(
            {
                "steps walls work iterations minimisations not_converged restarts rounds undone looked": COUNTER,
                "periodic rigid": whole(0, 1),
                "time now": SINCE_START,
                "dt energy": real(0.0),
                "impulse_x impulse_y": real(),
                "box_x box_y": SIDE,
            },
            (1,),
        ),
        "discs": SavedArray({"x y": real()}, ("discs",)),
        "clusters": SavedArray(
            {"px py x y": real(), "mass": real(LIGHTEST, HEAVIEST * MAX_COUNT), "time": SINCE_START}, ("clusters",)
        ),
        "ring": SavedArray(number_of("discs"), ("discs",)),
        "links": LINKS,
        "log": SavedArray({"time": SINCE_START, "clusters": COUNTER, "kinetic_energy": real()}, ("steps and start",)),
        "convergence": SavedArray(
            {"time": real(), "iterations not_converged links rounds": COUNTER, "residual x y": real()},
            (ts.CONVERGENCE_KEPT,),
        ),
        "merged": SavedArray(SINCE_START, ("discs",)),
        "joins": SavedArray(MERGED.of, ("merges",)),
    }
    return {name: array.along(dimensions) for name, array in plane.items()}


def arrays_of(st: ts.Stepping) -> dict[str, NDArray[Any]]:
    """The arrays of a checkpoint in addition to those of `engine.aggregation.base`; some are those of `st`."""
    live = st.live[: int(st.sim["clusters"][0])]
    dimensions = st.pos.shape[1]
    declared = saved(dimensions)
    return {
        "sim": declared["sim"].of_rows(st.sim),
        "discs": st.discs[along("", dimensions)],
        "label": st.label,
        "live": live,
        "clusters": declared["clusters"].of_rows(st.clusters, live),
        "ring": st.ring,
        "links": _settled_links(st.sim[0], st.links),
        "log": st.log[: int(st.sim["logged"][0])],
        "convergence": st.convergence,
        "merged": st.merged,
        "joins": st.joins[: int(st.sim["merges"][0])],
    }


def _settled_links(sim: NDArray[Any], links: Records) -> Records:
    """The links at the last whole step."""
    if sim["phase"] == ts.REST:
        return LINKS.of_rows(links[: sim["links"]])
    links = links[: sim["links_before"]]
    slack = np.where(links["before"] >> 1 == sim["steps"], links["before"] & 1, links["slack"])
    return LINKS.of_rows(links, slack=slack)


def of_0_2(arrays: Arrays) -> Arrays:
    """Convert the arrays of a checkpoint of version 0.2.0, which has a row of clusters for each disc and the current
    step; newer ones are returned unchanged.

    A link that was dropped in that step counts as dropped before it, since the file does not say when that was.
    """
    if "head" not in arrays:
        return arrays
    try:
        sim = arrays["sim"][0]
        live = arrays["live"][: sim["clusters"]]
        links = arrays["links"]
        if sim["phase"] != ts.REST:
            new = set(arrays["fresh"]["row"][: sim["inserted"]].tolist())
            first = len(links)
            while first - 1 in new:
                first -= 1
            links = links[:first]
        clusters = saved(2)["clusters"].of_rows(arrays["clusters"], live)
        return dict(arrays) | {"live": live, "clusters": clusters, "links": links}
    except (IndexError, KeyError, ValueError, TypeError):
        need(False, "its arrays are not those of its method")
        raise


def check(arrays: Arrays, scenario: Scenario) -> None:
    """Raise InputError unless kernels can safely continue with the result of `restored`. O(N log N)."""
    dimensions = scenario.dimensions
    found = taken(of_0_2(arrays), saved(dimensions), dimensions)
    check_state(found)
    sim, clusters, label, ring = found["sim"][0], found["clusters"], found["label"], found["ring"]
    count = len(label)
    permutation(ring, count, "the rings of the clusters")
    need(np.array_equal(label[ring], label), "a ring holds a disc of another cluster")
    circles, _ = connected_components(coo_array((np.ones(count), (np.arange(count), ring)), shape=(count, count)))
    need(circles == len(clusters), "a cluster is not one ring")
    settings, _ = ts.settings_of(scenario)
    need(sim["rigid"] == settings["rigid"], "its clusters are not those of the scenario")
    need(sim["time"] <= sim["now"], "the time does not fit")
    box = box_of(sim, dimensions)
    velocity = columns(clusters, *along("p", dimensions)) / clusters["mass"][:, None]
    ahead = sim["now"] - sim["time"]
    longest = max(sim["dt"] if ahead > 0.0 else 0.0, settings["fixed_step"], ahead)
    need(np.linalg.norm(velocity, axis=1).max() * longest <= _FARTHEST * box.min(), "a step is too long")
    _check_places(found, velocity, box)
    links = found["links"]
    need(bool((links["i"] != links["j"]).all()), "a link is one of a disc with itself")
    need(bool((found["merged"] <= sim["now"]).all()), "a merge is yet to come")
    log, joins = found["log"], found["joins"]
    need(len(log) == sim["steps"] + 1, "its history does not fit its steps")
    check_history(log["time"], log["clusters"], count)
    times = np.concatenate([log["time"][:1], joins["time"], [sim["time"]]])
    need(len(joins) < count and bool((np.diff(times) >= 0.0).all()), "the times of its merges run backwards")
    check_merges(found, len(joins), float(log["time"][0]))


def _check_places(found: Arrays, velocity: NDArray[np.float64], box: NDArray[np.float64]) -> None:
    """Check that discs are near their clusters, and in the box at the last whole step; in a periodic box they are
    wrapped wherever they are used."""
    sim, clusters = found["sim"][0], found["clusters"]
    axes = along("", len(box))
    place, origin = columns(found["discs"], *axes), columns(clusters, *axes)
    need(bool((np.abs(place) <= _WIDEST * box.max()).all()), "a disc is far from its cluster")
    need(bool((np.abs(origin) <= _WIDEST * box.max()).all()), "a cluster is outside of the box")
    need(bool((clusters["time"] <= sim["time"]).all()), "a cluster flies from a time to come")
    row = np.zeros(len(place), np.int64)
    row[found["live"]] = np.arange(len(clusters))
    flown = origin + velocity * (sim["time"] - clusters["time"])[:, None]
    settled = flown[row[found["label"]]] + place
    margin = _WIDEST * box.max() if sim["periodic"] else 0.5 * box
    need(bool(((settled >= -margin) & (settled <= box + margin)).all()), "a disc is outside of the box")


@kernel
def build_lists(arrays: ts.Stepping, links: Records) -> None:
    """Add links (K,) of `LINKS` to the lists of their discs, and compute velocities and the fastest cluster."""
    st = borrowed(arrays)
    for k in range(len(links)):
        insert_link(st, links[k].i, links[k].j)
        st.links[k].slack = links[k].slack
    for k in range(st.sim[0].clusters):
        set_velocity(st, st.live[k])
    find_fastest(st)


def restored(arrays: Mapping[str, NDArray[Any]], scenario: Scenario) -> ts.Stepping:
    """The arrays of a run that continues from a checkpoint, which `check` accepts; nothing is shared with it."""
    dimensions = scenario.dimensions
    declared = saved(dimensions)
    found = taken(of_0_2(arrays), declared, dimensions)
    numbers, live, original, links = found["sim"][0], found["live"], found["original"], found["links"]
    count, still = len(original), np.zeros((len(original), dimensions))
    box, masses = box_of(numbers, dimensions), found["masses"][original]
    discs = (found["radii"][original], masses, found["label"], box, bool(numbers["periodic"]))
    st = ts.allocate(InitialState(still, still, *discs))
    sim = st.sim[0]
    for name in declared["sim"].fields:
        sim[name] = numbers[name]
    sim["clusters"], sim["logged"], sim["merges"] = len(live), len(found["log"]), len(found["joins"])
    sim["by_cluster"] = numbers["rigid"]
    for name in along("", dimensions):
        st.discs[name] = found["discs"][name]
    for name in declared["clusters"].fields:
        st.clusters[name][live] = found["clusters"][name]
    st.live[: len(live)] = live
    st.seat[live] = np.arange(len(live))
    st.ring[:], st.merged[:] = found["ring"], found["merged"]
    st.convergence[:] = found["convergence"]
    st = st._replace(log=_with_room(found["log"], st.log), joins=_with_room(found["joins"], st.joins, count))
    if len(links) > len(st.links) - 64:
        more = 2 * len(links) + 64
        rows = {name: np.zeros(more, getattr(st, name).dtype) for name in ("links", "group_links")}
        st = st._replace(**rows, wake=np.zeros(2 * more, np.int32))
    ts.take_settings(st, scenario)
    build_lists(st, links)
    sim["work"] = numbers["work"]
    return st


def _with_room(rows: Records, empty: Records, most: int | None = None) -> Records:
    """An array like `empty` that begins with the rows (K,), at least as long as `empty`, or with space for as many
    more; most : its greatest length."""
    made = zeros(most or max(len(empty), 2 * len(rows)), empty.dtype)
    for name in rows.dtype.names or ():
        made[name][: len(rows)] = rows[name]
    return made
