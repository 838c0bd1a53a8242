"""Checkpoints of the time-stepping method, and restoring arrays from them.

Saved are the state at the last whole step and the time shown. A current step is left out and repeated with the same
bits. Cells, lists of links and the calendar are rebuilt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from engine.aggregation.base import MERGED, box_of, check_clusters, checked_arrays
from engine.aggregation.section import Aggregation
from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping.loop import build_lists
from engine.aggregation.turning.bodies import put_columns, turning_fields
from engine.aggregation.turning.saved import DISC_TURNS, checked_spins, disc_turns, turning_values, turns_of_discs
from engine.arrays import Arrays
from engine.errors import MAX_COUNT
from engine.records import Records, along, columns, zeros
from engine.saved import (
    BOUNDARY,
    COUNTER,
    HEAVIEST,
    LIGHTEST,
    SIDE,
    SINCE_START,
    SavedArray,
    Values,
    need,
    number_of,
    periodic_in,
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


_FARTHEST_TURN = 1e6
"""How far a cluster may turn in a step, in radians."""


@cache
def saved(dimensions: int, turns: bool = False) -> dict[str, SavedArray]:
    """The arrays of a checkpoint in so many dimensions, in addition to those of both methods.

    sim, clusters : fields of `arrays.SIMULATION` and `arrays.CLUSTER`, or where clusters turn those that are theirs,
    that do not follow from others.
    """
    plane = {
        "sim": SavedArray(
            {
                "steps walls work iterations minimisations not_converged restarts rounds undone looked": COUNTER,
                "periodic": BOUNDARY,
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
        "ring": SavedArray(number_of("discs"), ("discs",), once="all"),
        "links": LINKS,
        "log": SavedArray(
            {"time": SINCE_START, "clusters": COUNTER, "kinetic_energy": real()}, ("steps and start",), fewest=1
        ),
        "convergence": SavedArray(
            {"time": real(), "iterations not_converged links rounds": COUNTER, "residual x y": real()},
            (ts.CONVERGENCE_KEPT,),
        ),
        "merged": SavedArray(SINCE_START, ("discs",)),
        "joins": replace(MERGED, shape=("merges",)),
    }
    if turns:
        fields: dict[str, Values] = {"centre_x centre_y": real(), "spans": whole(0, 1)}
        for name, own in (("sim", {"spanning reshaped": COUNTER, "raised": real()}), ("clusters", fields)):
            plane[name] = replace(plane[name], of={**plane[name].fields, **own})
    found = {name: array.along(dimensions) for name, array in plane.items()}
    if turns:
        clusters = found["clusters"]
        found["clusters"] = replace(clusters, of={**clusters.fields, **turning_values(dimensions)})
        found |= disc_turns(dimensions)
    return found


def arrays_of(st: ts.Stepping) -> dict[str, NDArray[Any]]:
    """The arrays of a checkpoint in addition to those of `engine.aggregation.base`; some are those of `st`."""
    live = st.live[: int(st.sim["clusters"][0])]
    dimensions, turns = st.pos.shape[1], "spans" in (st.clusters.dtype.names or ())
    declared = saved(dimensions, turns)
    return {
        **(turns_of_discs(st.clusters, dimensions) if turns else {}),
        "sim": declared["sim"].of_rows(st.sim),
        "discs": st.discs[along("", st.pos.shape[1])],
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


def check(arrays: Arrays, scenario: Scenario) -> None:
    """Raise InputError unless kernels can safely continue with the result of `restored`. O(N log N)."""
    dimensions, turns = scenario.dimensions, scenario.section(Aggregation).rotation
    found = checked_arrays(arrays, saved(dimensions, turns), dimensions)
    check_clusters(found, len(found["joins"]))
    sim, clusters, label, ring = found["sim"][0], found["clusters"], found["label"], found["ring"]
    count = len(label)
    need(np.array_equal(label[ring], label), "ring must lead to a disc of the same cluster")
    circles, _ = connected_components(coo_array((np.ones(count), (np.arange(count), ring)), shape=(count, count)))
    need(circles == len(clusters), "ring must be one circle for each cluster")
    need(bool((found["links"]["i"] != found["links"]["j"]).all()), "links must be of two discs")
    box = box_of(sim, dimensions)
    velocity = columns(clusters, *along("p", dimensions)) / clusters["mass"][:, None]
    longest = max(sim["dt"], ts.settings_of(scenario)[0]["fixed_step"], sim["now"] - sim["time"])
    need(np.linalg.norm(velocity, axis=1).max() * longest <= _FARTHEST * box.min(), "a cluster flies too far in a step")
    if turns:
        with np.errstate(over="ignore"):
            spin = checked_spins(found, dimensions)
            need(bool((spin * longest <= _FARTHEST_TURN).all()), "a cluster turns too far in a step")
    _check_places(found, velocity, box)


def _check_places(found: Arrays, velocity: NDArray[np.float64], box: NDArray[np.float64]) -> None:
    """Check that discs are near their clusters, and these in the box at the last whole step; along periodic axes they
    are wrapped wherever they are used. Where clusters turn, their centres of mass are to be there, else all discs.
    """
    sim, clusters = found["sim"][0], found["clusters"]
    axes, farthest = along("", len(box)), _WIDEST * box.max()
    place = columns(found["discs"], *axes)
    row = np.zeros(len(place), np.int64)
    row[found["live"]] = np.arange(len(clusters))
    settled = columns(clusters, *axes) + velocity * (sim["time"] - clusters["time"])[:, None]
    margin = np.where(periodic_in(sim, len(box)), farthest, 0.5 * box)
    if "spans" in (clusters.dtype.names or ()):
        place = place - columns(clusters, *along("centre_", len(box)))[row[found["label"]]]
        if not sim["periodic"]:
            farthest = 2.0 * float(np.linalg.norm(box))
    else:
        settled = settled[row[found["label"]]] + place
    near = (np.abs(place) <= farthest).all() and ((settled >= -margin) & (settled <= box + margin)).all()
    need(bool(near), "a disc is far from its cluster or outside of the box")


def restored(arrays: Mapping[str, NDArray[Any]], scenario: Scenario) -> ts.Stepping:
    """The arrays of a run that continues from a checkpoint, which `check` accepts; nothing is shared with it."""
    dimensions, turns = scenario.dimensions, scenario.section(Aggregation).rotation
    declared = saved(dimensions, turns)
    found = checked_arrays(arrays, declared, dimensions)
    numbers, live, original, links = found["sim"][0], found["live"], found["original"], found["links"]
    count, still = len(original), np.zeros((len(original), dimensions))
    box, masses = box_of(numbers, dimensions), found["masses"][original]
    discs = (found["radii"][original], masses, found["label"], box, periodic_in(numbers, dimensions))
    st = ts.allocate(InitialState(still, still, *discs), turns)
    sim = st.sim[0]
    for name in declared["sim"].fields:
        sim[name] = numbers[name]
    sim["clusters"], sim["logged"], sim["merges"] = len(live), len(found["log"]), len(found["joins"])
    for name in along("", dimensions):
        st.discs[name] = found["discs"][name]
    for name in declared["clusters"].fields:
        st.clusters[name][live] = found["clusters"][name]
    if turns:
        put_columns(st.clusters, turning_fields(dimensions).of_disc, found[DISC_TURNS[dimensions]])
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
    sim["by_cluster"] = sim["rigid"]
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
