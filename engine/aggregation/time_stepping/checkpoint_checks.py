"""Whether the arrays of a checkpoint of the time-stepping method may be given to its kernels, also amid a step.

Checked are discs, clusters, motion, the grid, what a step under way has done so far, links and groups. What follows
from other arrays (grid, rings, places in lists, coefficients) has to be equal to what it follows from. See `arrays` for
the names.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from engine.aggregation.checkpoint_checks import (
    OPTIONAL,
    check_clusters,
    check_discs,
    check_history,
    check_merges,
    check_motion,
    shared_shapes,
)
from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping import arrow_hurwicz as ah
from engine.checkpoint_arrays import (
    ROUNDING,
    Arrays,
    Shape,
    close,
    disc_count,
    finite,
    need,
    need_shapes,
    numbers_of_state,
    permutation,
    places,
    same_lists,
    same_values,
    unique,
    within,
)
from engine.geometry.cells import usual_radius
from engine.records import Record, Records, columns
from engine.scenario import Scenario

_FARTHEST = 1e9  # in sides of the box: what a step may fly, and where a disc may be while it does
_WIDEST = 1e6  # in sides of the box: how far the discs of a cluster may be from the origin of its frame
_LEAST = 1e-140  # a displacement whose square is 0 would count as none


def check_arrays(arrays: Arrays, scenario: Scenario) -> None:
    """InputError unless the kernels can go on with `arrays` under `scenario`. O(N log N)."""
    arrays = ts.with_later_fields(arrays)
    count = disc_count(arrays)
    sim, group = _check_controls(arrays, scenario)
    need(sim["clusters"] + sim["merges"] <= count, "the number of merges is out of range")
    need_shapes(arrays, _shapes(count, sim, group), OPTIONAL)
    box = np.array([sim["box_x"], sim["box_y"]])
    check_discs(arrays, arrays["radius"], box)
    _check_lengths(arrays, count)
    live = check_clusters(arrays["label"], arrays["live"], arrays["seat"], int(sim["clusters"]))
    _check_rings(arrays)
    _check_motion(arrays, sim, live, box)
    _check_places(arrays, sim, box)
    _check_grid(arrays, sim, box)
    _check_progress(arrays, sim, live)
    _check_links(arrays)
    _check_fresh(arrays, sim)
    _check_group(arrays, sim, group)
    finite(arrays["merged"], "the time of a merge")
    need((arrays["merged"] <= sim["now"]).all(), "a merge is yet to come")
    log = arrays["log"]
    need(len(log) == sim["steps"] + 1, "its history does not fit its steps")
    check_history(log["time"], log["clusters"], log["kinetic_energy"], count)
    _check_joins(arrays, sim)
    finite(arrays["convergence"], "how its steps have converged")


def _check_joins(arrays: Arrays, sim: Record) -> None:
    """The record of the merges of this method."""
    joins, began = arrays["joins"], float(arrays["log"]["time"][0])
    within(columns(joins, "i", "j"), 0, len(arrays["label"]), "a merge of its record")
    times = np.concatenate([[began], joins["time"], [sim["time"]]])
    need((np.diff(times) >= 0.0).all(), "the times of its merges run backwards")
    check_merges(arrays, int(sim["merges"]), began)


def _shapes(count: int, sim: Record, group: Record) -> dict[str, tuple[Any, Shape]]:
    whole, real = np.int32, np.float64
    per_disc = ("label", "ring", "live", "seat", "head", "chain", "cell", "order", "hit_c", "mark", "moved", "member")
    rows = {
        "sim": 1,
        "discs": count,
        "clusters": count,
        "links": int(sim["links"]),
        "fresh": int(sim["fresh"]),
        "group": 1,
        "bodies": int(group["bodies"]),
        "group_links": int(group["links"]),
        "log": int(sim["logged"]),
        "convergence": ts.CONVERGENCE_KEPT,
        "joins": int(sim["merges"]),
    }
    return {
        **{name: (dtype, (rows[name],)) for name, dtype in ts.ROWS.items()},
        "pos": (real, (count, 2)),
        "hit": (real, (count, 2)),
        **dict.fromkeys((*per_disc, "place"), (whole, (count,))),
        **dict.fromkeys(("radius", "sx", "sy", "drift", "merged"), (real, (count,))),
        "start": (whole, (int(sim["columns"] * sim["rows"]) + 2,)),
        "wake": (whole, (int(group["wakes"]),)),
        "rows": (np.int64, (6,)),
        **shared_shapes(count),
    }


def _check_controls(arrays: Arrays, scenario: Scenario) -> tuple[Record, Record]:
    """The counters, by which the shapes of the others go, and the coefficients, which are the scenario's."""
    for name in ("sim", "group"):
        array = arrays.get(name)
        fits = isinstance(array, np.ndarray) and same_values(array.dtype, ts.ROWS[name]) and array.shape == (1,)
        need(fits, f"{name} has another shape")
    sim, group = arrays["sim"][0], arrays["group"][0]
    numbers_of_state(sim)
    numbers_of_state(group, infinite=("best", "best_merit"))
    need(sim["columns"] <= 1 << 20 and sim["rows"] <= 1 << 20, "its grid is out of range")
    need(all(sim[flag] <= 1 for flag in ("periodic", "rigid", "by_cluster")), "a setting is out of range")
    need(sim["phase"] <= ts.FINISH and sim["group_state"] <= ts.UNDONE_GROUP, "the phase of its step is none")
    # the copy that is kept has been brought into the form of a step that goes through all discs
    need(sim["sparse"] == 0, "its step does not go through all discs")
    of_sim, of_group = ts.settings_of(scenario)
    need(sim["rigid"] == of_sim["rigid"], "its clusters are not those of the scenario")
    same = all(
        row[name] == value for row, values in ((sim, of_sim), (group, of_group)) for name, value in values.items()
    )
    need(same, "its coefficients are not those of the scenario")
    return sim, group


def _check_lengths(arrays: Arrays, count: int) -> None:
    """How long the arrays were that are kept as far as they are in use."""
    sim = arrays["sim"][0]
    links, fresh, log, bodies, group_links, wake = arrays["rows"].tolist()
    least = 3 * count + 64
    fits = least <= links <= max(least, 2 * int(sim["links"])) and links == group_links and wake == 2 * links
    fits = fits and count + 64 <= fresh <= 64 * (count + 64) and bodies == count
    fits = fits and 1024 <= log <= max(1024, 2 * int(sim["logged"]))
    need(fits, "the lengths of its arrays do not fit")
    for name, length in {"fresh": fresh, "bodies": bodies, "wake": wake}.items():
        need(len(arrays[name]) <= length, "it is too long")
    need(len(arrays["links"]) <= links and len(arrays["group_links"]) <= links, "it has too many links")


def _check_rings(arrays: Arrays) -> None:
    """The discs of each cluster in one circle, and in no other."""
    ring, label = arrays["ring"], arrays["label"]
    count = len(ring)
    permutation(ring, count, "the rings of the clusters")
    need(np.array_equal(label[ring], label), "a ring holds a disc of another cluster")
    circles, _ = connected_components(coo_array((np.ones(count), (np.arange(count), ring)), shape=(count, count)))
    need(circles == arrays["sim"]["clusters"][0], "a cluster is not one ring")


def _check_motion(arrays: Arrays, sim: Record, live: NDArray[np.int64], box: NDArray[np.float64]) -> None:
    """Velocities and masses of the clusters, times and lengths of steps."""
    clusters = arrays["clusters"]
    finite(clusters, "the motion of a cluster")
    mass = np.bincount(arrays["label"], weights=arrays["masses"][arrays["original"]], minlength=len(clusters))[live]
    own = clusters[live]
    velocity = columns(own, "vx", "vy")
    check_motion(velocity, columns(own, "px", "py"), own["mass"], mass)
    fastest = np.hypot(velocity[:, 0], velocity[:, 1]).max()
    close(sim["fastest"], fastest, fastest, "the greatest speed")
    need(sim["largest_radius"] == arrays["radii"].max(), "the largest radius does not fit")
    need(0.0 <= sim["time"] <= sim["now"] and sim["dt"] >= 0.0 and sim["energy"] >= 0.0, "the time does not fit")
    longest = max(sim["dt"] if sim["phase"] != ts.REST else 0.0, sim["fixed_step"], sim["now"] - sim["time"])
    need(fastest * longest <= _FARTHEST * box.min(), "a step is too long")


def _check_places(arrays: Arrays, sim: Record, box: NDArray[np.float64]) -> None:
    """Positions at the last whole step inside of the box, those under way not too far to be told apart."""
    discs, under_way = arrays["discs"], arrays["pos"]
    finite(under_way, "a position")
    finite(discs, "the place of a disc")
    need(np.array_equal(discs["radius"], arrays["radius"]), "the radii do not fit")
    clusters = arrays["clusters"][arrays["label"]]
    place, origin = columns(discs, "x", "y"), columns(clusters, "x", "y")
    need((np.abs(place) <= _WIDEST * box.max()).all(), "a disc is far from its cluster")
    need((np.abs(origin) <= _WIDEST * box.max()).all(), "a cluster is outside of the box")
    need(((clusters["time"] >= 0.0) & (clusters["time"] <= sim["time"])).all(), "a cluster flies from a time to come")
    settled = origin + columns(clusters, "vx", "vy") * (sim["time"] - clusters["time"])[:, None] + place
    # in a periodic box they are wrapped into it wherever they are used
    margin = _WIDEST * box.max() if sim["periodic"] else 0.5 * box
    need(((settled >= -margin) & (settled <= box + margin)).all(), "a disc is outside of the box")
    need((np.abs(under_way) <= 2.0 * _FARTHEST * box.max()).all(), "a disc is far outside of the box")


def _check_grid(arrays: Arrays, sim: Record, box: NDArray[np.float64]) -> None:
    """Cells as they follow from box and radii; discs sorted by cell, as far as the step has come."""
    cell, start = arrays["cell"], arrays["start"]
    count, phase, at = len(cell), int(sim["phase"]), int(sim["cursor"])
    columns, rows = ts.grid_shape(count, usual_radius(arrays["radius"]), box)
    need(sim["columns"] == columns and sim["rows"] == rows, "its grid does not fit its discs")
    need(sim["cell_x"] == box[0] / columns and sim["cell_y"] == box[1] / rows, "its grid does not fit its box")
    cells = columns * rows
    within(cell, 0, cells, "the cell of a disc")
    if phase < ts.COUNT or (phase == ts.COUNT and at == 0):
        return  # it is made anew
    counted = np.bincount(cell[:at] if phase == ts.COUNT else cell, minlength=cells)
    wanted = np.zeros(cells + 2, np.int64)
    wanted[2:] = counted
    if phase > ts.COUNT:
        np.cumsum(wanted, out=wanted)
        done = min(at, count) if phase == ts.SORT else count
        wanted[1:-1] += np.bincount(cell[:done], minlength=cells)
        _check_slots(arrays, done, columns)
    need(np.array_equal(start, wanted), "the discs are not sorted into cells")


def _check_slots(arrays: Arrays, done: int, columns: int) -> None:
    """The first `done` discs stand in the slots of their cells, in their order, at places in these cells."""
    sim, cell, order = arrays["sim"][0], arrays["cell"], arrays["order"]
    first = np.cumsum(np.bincount(cell, minlength=int(sim["columns"] * sim["rows"])))
    by_cell = np.argsort(cell[:done], kind="stable")
    sorted_cells = cell[by_cell].astype(np.int64)
    begin = np.searchsorted(sorted_cells, sorted_cells)
    before = np.where(sorted_cells > 0, first[sorted_cells - 1], 0)
    slot = before + np.arange(done) - begin
    within(order, 0, len(order), "the disc of a slot")
    need(np.array_equal(order[slot], by_cell), "the discs are not sorted into cells")
    x, y = arrays["sx"][slot], arrays["sy"][slot]
    low = (x > -sim["cell_x"]).all() and (y > -sim["cell_y"]).all()
    need(low and np.isfinite(x).all() and np.isfinite(y).all(), "a disc is outside of its cell")
    limit = _FARTHEST * max(sim["box_x"], sim["box_y"])
    need((x <= limit).all() and (y <= limit).all(), "a disc is outside of its cell")
    column = np.clip((x / sim["cell_x"]).astype(np.int64), 0, columns - 1)
    row = np.clip((y / sim["cell_y"]).astype(np.int64), 0, int(sim["rows"]) - 1)
    need(np.array_equal(row * columns + column, sorted_cells), "a disc is outside of its cell")


def _check_progress(arrays: Arrays, sim: Record, live: NDArray[np.int64]) -> None:
    """How far the step has come: clusters at walls, discs moved, discs or clusters in a group."""
    drift = arrays["drift"]
    count, phase, at = len(drift), int(sim["phase"]), int(sim["cursor"])
    most = {ts.FLIGHT: count, ts.REFLECT: int(sim["hits"]), ts.COUNT: count, ts.SORT: count}
    wide = len(ts.wide_discs(arrays["radius"], usual_radius(arrays["radius"])))
    most |= {ts.DETECT: int(sim["rows"]) + wide, ts.MINIMISE: int(sim["round_end"]), ts.FINISH: int(sim["fresh"])}
    need(phase == ts.REST or at <= most[phase], "a step has come too far")
    hits, moved = int(sim["hits"]), int(sim["moved"])
    need(hits <= count and moved <= count, "a step has come too far")
    mark = np.full(count, -1, np.int64)
    if phase != ts.REST:
        hit = arrays["hit_c"][:hits].astype(np.int64)
        mark = places(hit, count, "the clusters at walls")
        need(np.isin(hit, live).all(), "a cluster at a wall is gone")
        # turned round already: those up to the cursor, or all of them
        turned = at if phase == ts.REFLECT else hits if phase > ts.REFLECT else 0
        finite(arrays["hit"][:turned], "the velocity of a cluster at a wall")
        need(not sim["periodic"] or hits == 0, "there is a wall in a periodic box")
    need(np.array_equal(arrays["mark"], mark), "the marks of clusters at walls do not fit")
    need(sim["drift"] >= 0.0 and np.isfinite(drift).all() and (drift >= 0.0).all(), "how far discs were moved is wrong")
    if phase != ts.MINIMISE and phase != ts.FINISH:
        need(phase == ts.REST or moved == 0, "discs were moved before they were")
        need((drift == 0.0).all(), "discs were moved before they were")
    else:
        names = arrays["moved"][:moved].astype(np.int64)
        unique(names, count, "the discs that were moved")
        need((drift[names] > 0.0).all() and int((drift > 0.0).sum()) == moved, "the discs that were moved do not fit")
        need((drift <= sim["drift"] * (1.0 + ROUNDING)).all(), "how far discs were moved is wrong")
    finite(arrays["hit"], "the velocity of a cluster at a wall")


def _check_links(arrays: Arrays) -> None:
    """All links, and the lists in which each disc finds its own."""
    links, count = arrays["links"], len(arrays["label"])
    one, two = links["i"], links["j"]
    within(columns(links, "i", "j"), 0, count, "the disc of a link")
    need((one != two).all(), "a disc is linked to itself")
    within(links["slack"], 0, 2, "a link")
    row = np.arange(len(links))
    after = np.concatenate([links["next_i"], links["next_j"]])
    same_lists(np.concatenate([one, two]), np.concatenate([row, row]), after, arrays["head"], "links")


def _check_fresh(arrays: Arrays, sim: Record) -> None:
    """New links of the step, those inserted with their row among the links and in the lists of their clusters."""
    fresh, label, links = arrays["fresh"], arrays["label"], arrays["links"]
    phase, inserted, end = int(sim["phase"]), int(sim["inserted"]), int(sim["round_end"])
    need(inserted <= len(fresh) and end <= len(fresh), "the new links do not fit")
    one, two = fresh["i"], fresh["j"]
    within(columns(fresh, "i", "j"), 0, len(label), "the disc of a new link")
    need((one != two).all(), "a disc is linked to itself")
    row = fresh["row"]
    within(row[:inserted], 0, max(1, len(links)), "the row of a new link")
    need(len(links) > 0 or inserted == 0, "the row of a new link is out of range")
    linked = columns(links[row[:inserted]] if inserted else links[:0], "i", "j")
    same = np.array_equal(np.sort(linked, axis=1), np.sort(columns(fresh[:inserted], "i", "j"), axis=1))
    need(same, "a new link is not the one of its row")
    if phase == ts.REST:
        need((arrays["chain"] == ts.NOWHERE).all(), "the new links are not linked as they should be")
        return
    need((row[inserted:] == -1).all(), "the row of a new link does not fit")
    if phase < ts.DETECT:
        need(len(fresh) == 0, "there are new links before they were looked for")
    if phase < ts.MINIMISE:
        need(inserted == end == 0, "there are new links before they were looked for")
    if phase == ts.FINISH:
        need(inserted == len(fresh), "the new links do not fit")
    need(inserted <= int(arrays["rows"][0]), "there are too many new links")
    apart = np.flatnonzero(label[one[:inserted]] != label[two[:inserted]])
    owner = np.concatenate([label[one[apart]], label[two[apart]]])
    after = np.concatenate([fresh["next_i"][apart], fresh["next_j"][apart]])
    same_lists(owner, np.concatenate([apart, apart]), after, arrays["chain"], "new links")


def _check_group(arrays: Arrays, sim: Record, group: Record) -> None:
    """The group that is being minimised: its bodies, its links, where discs or clusters stand in it."""
    count, bodies, links = len(arrays["label"]), int(group["bodies"]), int(group["links"])
    state, by_cluster = int(sim["group_state"]), bool(sim["by_cluster"])
    need(group["mode"] <= ah.PROJECT, "a group is minimised in no known way")
    if state == ts.NO_GROUP:
        need(bodies == 0 and links == 0, "there is a group where none is minimised")
        need((arrays["place"] == ts.NOWHERE).all(), "the places in the group do not fit")
        return
    need(sim["phase"] == ts.MINIMISE and sim["cursor"] < sim["round_end"], "a group is minimised out of turn")
    need(sim["round_end"] <= sim["inserted"], "a group is minimised out of turn")
    member = arrays["member"][:bodies].astype(np.int64)
    place = places(member, count, "the bodies of a group")
    need(bodies >= 1, "a group is empty")
    if by_cluster:
        need((arrays["label"][member] == member).all(), "a group holds a cluster that is gone")
        need(links <= sim["inserted"], "a group has too many links")
    need(np.array_equal(arrays["place"], place), "the places in the group do not fit")
    side = max(sim["box_x"], sim["box_y"])
    _check_bodies(arrays["bodies"], side)
    joined = arrays["group_links"]
    for name in ("a", "b"):
        within(joined[name], 0, bodies, "the body of a link")
    within(joined["row"], 0, max(1, len(arrays["links"])), "the row of a link")
    need(len(arrays["links"]) > 0 or links == 0, "the row of a link is out of range")
    finite(joined, "a link of a group")
    need(((joined["sigma2"] > 0.0) & (joined["per_s"] > 0.0)).all(), "a link of a group has no length")
    need((np.abs(columns(joined, "x", "y")) <= 1e3 * side).all(), "a link of a group is too long")
    need((np.abs(joined["lean"]) <= 1.0).all(), "the masses of a link of a group are out of range")
    need(((joined["multiplier"] >= 0.0) & (joined["multiplier"] <= 2.0)).all(), "a multiplier is out of range")
    if state == ts.UNDER_WAY:
        need(group["wakes"] == 0, "a group has discs to wake")
        _check_mobile(arrays, by_cluster)
    else:
        need(sim["group_cursor"] <= bodies, "a group has been gone through too far")
    need(0.0 <= group["scale"] <= 1.0 and 0.0 <= group["speed"] <= 4.0, "a number of the minimisation is out of range")


def _check_bodies(bodies: Records, side: float) -> None:
    """Displacements that can be, limits on both sides of 0."""
    finite(bodies, "a body of a group", but=("x_low", "x_high", "y_low", "y_high"))
    shifts = np.abs(columns(bodies, "dx", "dy"))
    need((shifts <= 1e3 * side).all(), "a body of a group is far away")
    need(((shifts == 0.0) | (shifts >= _LEAST)).all(), "a body of a group has hardly moved")
    need(((bodies["mobility"] >= 0.0) & (bodies["stride"] >= 0.0)).all(), "a body of a group cannot be")


def _check_mobile(arrays: Arrays, by_cluster: bool) -> None:
    """Bodies that move, limits that hold them; each link is in the group once, for a disc of it that moves."""
    bodies, joined = arrays["bodies"], arrays["group_links"]
    for axis in ("x", "y"):
        held = (bodies[axis + "_low"] <= 0.0) & (bodies[axis + "_high"] >= 0.0)
        need(held.all(), "the limits of a body do not fit")
    need((bodies["stride"] > 0.0).all(), "a body of a group cannot move")
    mobile = bodies["mobility"] > 0.0
    if by_cluster:
        need(mobile.all(), "a body of a group cannot move")
        return
    need((mobile[joined["a"]] | mobile[joined["b"]]).all(), "a link of a group holds nothing that moves")
    unique(joined["row"], max(1, len(arrays["links"])), "the links of a group")
    pair = arrays["member"][columns(joined, "a", "b")]
    linked = columns(arrays["links"][joined["row"]], "i", "j")
    need(np.array_equal(np.sort(pair, axis=1), np.sort(linked, axis=1)), "a link of a group is not the one of its row")
