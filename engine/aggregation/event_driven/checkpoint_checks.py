"""Whether the arrays of a checkpoint of the event-driven method may be given to its kernels.

Primary state (discs, clusters, motion) has to be right; what is derived from it (trees, grid, queue, lists) has to be
what the kernels rely on: every index in range, every list and tree without circles, every cluster in each structure as
often as it belongs there. Bounds on speeds and horizons keep the loops over periodic images as short as in a real run.
See `clusters` for the names of the fields.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.checkpoint_checks import (
    OPTIONAL,
    check_clusters,
    check_discs,
    check_history,
    check_merges,
    check_motion,
    shared_shapes,
)
from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven.broad_phase import NEVER
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
    roots_of,
    unique,
    within,
)
from engine.geometry.bucket_grid import CAPACITY
from engine.records import Record, Records, columns

_MOST_RAISED = 1 << 30  # of counters of 32 bits that are compared for being equal
_WIDEST = 1000.0  # a cluster that goes around a periodic box may be so many boxes long
_LOOSE = 1e-5  # boxes of tree nodes are rounded outwards to float32, each time that they are moved
_TUNING = {"travel": 100.0, "patience": 1000.0, "big_patience": 1000.0, "envelope": 100.0, "rebuild": 1e300}


def check_arrays(arrays: Arrays) -> None:
    """InputError unless the kernels can go on with `arrays`. O(N log N)."""
    count = disc_count(arrays)
    need_shapes(arrays, _shapes(count), OPTIONAL)
    sim = arrays["sim"][0]
    _check_counters(sim, count)
    box = np.array([sim["box_x"], sim["box_y"]])
    discs, clusters = arrays["discs"], arrays["clusters"]
    check_discs(arrays, discs["radius"], box)
    need(np.array_equal(discs["mass"], arrays["masses"][arrays["original"]]), "the masses are not those of discs")
    live = check_clusters(arrays["label"], arrays["live"], clusters["seat"], int(sim["clusters"]))
    registered = live[: min(int(sim["cursor"]), len(live))]
    _check_motion(arrays, sim, live, box)
    _check_horizons(clusters[registered], sim)
    _check_trees(arrays, sim, live)
    _check_bigs(arrays, sim, registered)
    _check_grid(arrays, sim, registered)
    _check_queue(arrays, sim, live, registered)
    _check_watchers(arrays, sim, live)
    _check_impacts(arrays, registered)
    _check_log(arrays, sim)


def _shapes(count: int) -> dict[str, tuple[Any, Shape]]:
    whole = np.int32
    rows: dict[str, Shape] = {"sim": (1,), "nodes": (3 * count + 2,), "buckets": (None,), "watches": (None,)}
    return {
        **{name: (dtype, rows.get(name, (count,))) for name, dtype in cl.ROWS.items()},
        "bucket_top": (np.int64, (1,)),
        **dict.fromkeys(("label", "heap_owner", "heap_slot", "live", "bigs", "stamp"), (whole, (count,))),
        "heap_key": (np.float64, (count,)),
        "initial_clusters": (np.int64, ()),
        **shared_shapes(count),
    }


def _check_counters(sim: Record, count: int) -> None:
    """What there is once: counters, the tuning, the cells of the grid, how long horizons are."""
    numbers_of_state(sim, infinite=("spread",), below_zero=("free_watch",))
    need(sim["periodic"] <= 1 and 1 <= sim["big_cells"] <= 0x7FFF, "a setting is out of range")
    need(1 <= sim["clusters"] <= sim["grid_clusters"] <= count, "the number of clusters is out of range")
    need(sim["stamps"] < _MOST_RAISED, "a counter is out of range")
    need(sim["spread"] >= 0.0 and sim["time"] >= 0.0, "the time is below 0")
    for name, most in _TUNING.items():
        need(0.0 <= sim[name] <= most, "a setting is out of range")
    need(sim["travel"] > 0.0 and sim["patience"] > 0.0 and sim["rebuild"] >= 1.0, "a setting is out of range")
    nx, ny = int(sim["columns"]), int(sim["rows"])
    fits = 1 <= nx <= sim["grid_clusters"] and 1 <= ny <= sim["grid_clusters"] and nx * ny <= count
    need(fits, "its grid is out of range")
    cell_x, cell_y = sim["box_x"] / nx, sim["box_y"] / ny
    need(sim["cell_x"] == cell_x and sim["cell_y"] == cell_y, "the cells of its grid do not fit")
    cell = min(cell_x if nx > 1 else np.inf, cell_y if ny > 1 else np.inf)
    need(sim["cell"] == (max(cell_x, cell_y) if nx == ny == 1 else cell), "the cells of its grid do not fit")
    typical = sim["typical_speed"]
    horizon = sim["patience"] * sim["cell"] / typical if typical > 0.0 else NEVER
    need(typical >= 0.0 and sim["delta"] >= 0.0, "its speeds are out of range")
    close(sim["longest_horizon"], horizon, horizon, "its horizon")


def _check_motion(arrays: Arrays, sim: Record, live: NDArray[np.int64], box: NDArray[np.float64]) -> None:
    """Places, velocities, masses and boxes of the clusters."""
    label, clusters = arrays["label"], arrays["clusters"]
    finite(clusters, "the motion of a cluster", but=("own_time", "impact_time"))
    mass = np.bincount(label, weights=arrays["discs"]["mass"], minlength=len(label))[live]
    own = clusters[live]
    velocity = columns(own, "vx", "vy")
    check_motion(velocity, columns(own, "px", "py"), own["mass"], mass)
    fastest = (1.0 + ROUNDING) * sim["grid_clusters"] * sim["typical_speed"]
    need(np.hypot(velocity[:, 0], velocity[:, 1]).max() <= fastest, "a cluster is faster than its horizon allows")
    need((np.abs(columns(own, "x", "y") - 0.5 * box) <= 1.5 * box).all(), "a cluster is far outside of the box")
    need(((own["time"] >= 0.0) & (own["time"] <= sim["time"])).all(), "a cluster is ahead of the time")
    _check_boxes(arrays, live, box)


def _check_boxes(arrays: Arrays, live: NDArray[np.int64], box: NDArray[np.float64]) -> None:
    """Boxes of the clusters around their discs, exact and as neighbours read them."""
    discs, own = arrays["discs"], arrays["clusters"][live]
    place, radius = columns(discs, "x", "y"), discs["radius"][:, None]
    finite(place, "a disc")
    low, high = np.full(place.shape, np.inf), np.full(place.shape, -np.inf)
    np.minimum.at(low, arrays["label"], place - radius)
    np.maximum.at(high, arrays["label"], place + radius)
    low, high = low[live], high[live]
    need((high - low <= _WIDEST * box).all(), "a cluster is larger than can be")
    size = (np.abs(low) + np.abs(high) + 1e-6 * box).max(axis=1, keepdims=True)
    for outer, scale in (("", size), ("outer_", 3.0 * size)):
        close(columns(own, outer + "x_min", outer + "y_min"), low, scale, "the box of a cluster")
        close(columns(own, outer + "x_max", outer + "y_max"), high, scale, "the box of a cluster")


def _check_horizons(registered: Records, sim: Record) -> None:
    """Until when clusters have looked ahead: no farther than they do in a run."""
    kind = registered["own_kind"]
    need(((kind >= 0) & (kind <= cl.OWN_WALL_Y)).all(), "an event is of no known kind")
    if sim["periodic"]:
        need((kind == cl.OWN_HORIZON).all(), "there is a wall in a periodic box")
    is_big = registered["big"] >= 0
    speed = np.hypot(registered["vx"], registered["vy"])
    late = 1e-9 * sim["time"]
    wait = registered["own_time"] - registered["time"]
    need((wait >= -late).all(), "an event lies in the past")
    most = (1.0 + ROUNDING) * sim["longest_horizon"] + late
    need((wait[~is_big] <= most).all(), "a horizon is too far")
    travel = (1.0 + ROUNDING) * sim["travel"] * sim["cell"] + speed * late
    need((speed * wait <= travel)[~is_big & (speed > 0.0)].all(), "a horizon is too far")
    need((registered["envelope"][~is_big] == 0.0).all(), "the envelope of a cluster does not fit")
    big = registered[is_big]
    most = (1.0 + ROUNDING) * sim["longest_horizon"] * (sim["big_patience"] / sim["patience"]) + late
    need((big["horizon"] - big["time"] <= most).all(), "a horizon is too far")
    need((big["own_time"] <= big["horizon"]).all(), "a horizon is too far")
    widest = (1.0 + ROUNDING) * sim["envelope"] * sim["typical_speed"]
    need(((big["envelope"] >= 0.0) & (big["envelope"] <= widest)).all(), "the envelope of a cluster does not fit")
    fastest = (1.0 + ROUNDING) * sim["grid_clusters"] * sim["typical_speed"]
    middle = np.hypot(big["envelope_vx"], big["envelope_vy"])
    need((middle <= fastest).all(), "the envelope of a cluster does not fit")


def _check_trees(arrays: Arrays, sim: Record, live: NDArray[np.int64]) -> None:
    """The box trees are trees: one for each cluster, over its discs and no others.

    No walk is needed: as many inner nodes as there are pairs of siblings in use, each pair below exactly one of them,
    give every node one parent; that all of them reach the root of their cluster leaves no circle.
    """
    nodes, count = arrays["nodes"], len(arrays["label"])
    pairs = count - len(live)
    free = int(sim["free_pair"])
    need(free in (0, count + 2 * pairs), "the number of tree nodes does not fit")
    # which pairs are in use: the first ones, or those of the clusters that are gone
    in_use = np.arange(count) < pairs if free else arrays["clusters"]["seat"] < 0
    first = count + 2 * np.flatnonzero(in_use)
    used = np.concatenate([live, first, first + 1])
    left = nodes["left"][used].astype(np.int64)
    is_leaf = left < 0
    inner, below = used[~is_leaf], left[~is_leaf]
    leaf, disc = used[is_leaf], ~left[is_leaf]
    need(len(inner) == pairs, "a tree has too few discs")
    within(below, count, 3 * count, "a tree node")
    need(((below - count) % 2 == 0).all(), "a tree node is out of place")
    need(in_use[(below - count) // 2].all(), "a tree node is out of place")
    unique((below - count) // 2, count, "a tree")
    permutation(disc, count, "the leaves of the trees")
    parent = np.arange(len(nodes))
    parent[below] = inner
    parent[below + 1] = inner
    root = roots_of(parent, "a tree")
    need(np.array_equal(root[leaf], arrays["label"][disc]), "a tree holds a disc of another cluster")
    need((root[used] < count).all(), "a tree goes in a circle")
    size = nodes["size"].astype(np.int64)
    need((size[leaf] == 1).all(), "the sizes of a tree do not fit")
    need((size[inner] == size[below] + size[below + 1]).all(), "the sizes of a tree do not fit")
    built = arrays["clusters"]["built"][live]
    need(((built >= 1) & (built <= size[live])).all(), "the sizes of a tree do not fit")
    finite(nodes[used], "the box of a tree node")
    low, high = (columns(nodes, "x" + end, "y" + end).astype(np.float64) for end in ("_min", "_max"))
    x, r = columns(arrays["discs"], "x", "y")[disc], arrays["discs"]["radius"][disc, None]
    loose = _LOOSE * (np.abs(x) + r)
    need((low[leaf] <= x - r + loose).all() and (high[leaf] >= x + r - loose).all(), "a disc is outside of its box")
    loose = _LOOSE * (np.abs(low[inner]) + np.abs(high[inner]))
    for side in (below, below + 1):
        held = (low[inner] <= low[side] + loose) & (high[inner] >= high[side] - loose)
        need(held.all(), "a tree node is outside of its parent")


def _check_bigs(arrays: Arrays, sim: Record, registered: NDArray[np.int64]) -> None:
    """The list of big clusters, and where they stand in it."""
    big, count = arrays["clusters"]["big"], int(sim["bigs"])
    need(count <= len(registered), "the list of big clusters is too long")
    bigs = arrays["bigs"][:count].astype(np.int64)
    wanted = places(bigs, len(big), "the list of big clusters")
    need(np.isin(bigs, registered).all(), "the list of big clusters names one that is gone")
    need(np.array_equal(big, wanted), "the places of the big clusters do not fit")


def _check_grid(arrays: Arrays, sim: Record, registered: NDArray[np.int64]) -> None:
    """The grid holds every small cluster that has been entered in its cells, and nobody else."""
    clusters, buckets = arrays["clusters"], arrays["buckets"]
    count, cells = len(clusters), int(sim["columns"] * sim["rows"])
    least = count + count // 4 + 1024
    top = int(arrays["bucket_top"][0])
    need(least <= len(buckets) <= 64 * least and cells <= top <= len(buckets), "its grid is out of range")
    within(arrays["stamp"][clusters["seat"] >= 0], 0, int(sim["stamps"]) + 1, "the stamp of a search")
    used = buckets[:top]
    within(used["count"], 0, CAPACITY + 1, "a cell of the grid")
    after = used["next"].astype(np.int64)
    within(after, -1, top, "a cell of the grid")
    extra = after[after >= 0]
    need((extra >= cells).all(), "a cell of the grid continues in another")
    permutation(extra - cells, top - cells, "the cells of the grid")
    parent = np.arange(top)
    parent[extra] = np.flatnonzero(after >= 0)
    cell = roots_of(parent, "a cell of the grid")
    need((cell < cells).all(), "a cell of the grid goes in a circle")
    filled = np.arange(CAPACITY) < used["count"][:, None]
    owner = used["owners"][filled].astype(np.int64)
    within(owner, 0, count, "who stands in a cell")
    stand = np.sort(np.repeat(cell, used["count"]) * count + owner)
    wanted = _wanted_in_grid(clusters, sim, registered, len(stand))
    need(np.array_equal(stand, wanted), "the grid does not hold its clusters")


def _wanted_in_grid(clusters: Records, sim: Record, registered: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """cell · N + cluster for every cell of every small cluster, sorted; InputError where there are more than `most`."""
    count, nx, ny = len(clusters), int(sim["columns"]), int(sim["rows"])
    small = registered[clusters["big"][registered] < 0]
    outside = np.ones(count, bool)
    outside[small] = False
    empty = (clusters["grid_columns"][outside] == 0) & (clusters["grid_rows"][outside] == 0)
    need(empty.all(), "the grid holds a cluster that is not in it")
    wide, tall = (clusters[name][small].astype(np.int64) for name in ("grid_columns", "grid_rows"))
    fits = (wide >= 1) & (wide <= nx) & (tall >= 1) & (tall <= ny) & (wide * tall <= sim["big_cells"])
    need(fits.all(), "a cluster covers too many cells")
    entries = wide * tall
    need(int(entries.sum()) == most, "the grid does not hold its clusters")
    which = np.repeat(np.arange(len(small)), entries)
    at = np.arange(most) - (np.cumsum(entries) - entries)[which]
    x = (clusters["grid_x"][small].astype(np.int64)[which] + at % wide[which]) % nx
    y = (clusters["grid_y"][small].astype(np.int64)[which] + at // wide[which]) % ny
    return np.sort((y * nx + x) * count + small[which])


def _check_queue(arrays: Arrays, sim: Record, live: NDArray[np.int64], registered: NDArray[np.int64]) -> None:
    """The heap of events: every cluster once, none before its parent, at the time of its next event."""
    key, slot, size = arrays["heap_key"], arrays["heap_slot"], int(sim["queued"])
    need(size <= len(live), "the queue of events is too long")
    owner = arrays["heap_owner"][:size].astype(np.int64)
    wanted = places(owner, len(slot), "the queue of events")
    need(np.array_equal(slot, wanted), "the places in the queue do not fit")
    need((arrays["clusters"]["seat"][owner] >= 0).all(), "the queue of events names a cluster that is gone")
    parent = (np.arange(1, size) - 1) >> 2
    need((key[parent] <= key[1:size]).all(), "the queue of events is not in order")
    need((slot[registered] >= 0).all(), "the queue of events is not complete")
    own = arrays["clusters"][registered]
    next_one = np.minimum(own["impact_time"], own["own_time"])
    need(np.array_equal(key[slot[registered]], next_one), "the queue of events does not fit")


def _check_watchers(arrays: Arrays, sim: Record, live: NDArray[np.int64]) -> None:
    """Which clusters rely on whose velocity: linked lists in a pool, with one of free entries."""
    clusters, watches = arrays["clusters"], arrays["watches"]
    count, top = len(clusters), int(sim["used_watches"])
    need(1 <= len(watches) <= 64 * (2 * count + 1024) and top <= len(watches), "the pool of watchers is out of range")
    used, own = watches[:top], clusters[live]
    after = np.concatenate([own["watchers"], used["next"], [sim["free_watch"]]])
    within(after, -1, top, "a list of watchers")
    unique(after[after >= 0], top, "a list of watchers")
    need((own["watchers"][own["big"] < 0] == -1).all(), "a small cluster is watched")
    within(used["cluster"], 0, count, "a watcher")
    within(clusters["trajectory"], 0, _MOST_RAISED, "a counter of a cluster")
    within(clusters["evaluation"], 0, _MOST_RAISED, "a counter of a cluster")
    within(used["evaluation"], 0, _MOST_RAISED, "a counter of a watcher")


def _check_impacts(arrays: Arrays, registered: NDArray[np.int64]) -> None:
    """The impacts that clusters answer for: with one that is there, between discs of the two."""
    clusters, label = arrays["clusters"], arrays["label"]
    met = registered[np.isfinite(clusters["impact_time"][registered])]
    partner, i, j = (clusters[name][met].astype(np.int64) for name in ("partner", "disc", "partner_disc"))
    for values in (partner, i, j):
        within(values, 0, len(clusters), "an impact")
    known, now = clusters["partner_trajectory"][met], clusters["trajectory"][partner]
    need(((known >= 0) & (known <= now)).all(), "an impact is out of date")
    holds = known == now
    right = (clusters["seat"][partner] >= 0) & (partner != met) & (label[i] == met) & (label[j] == partner)
    need(right[holds].all(), "an impact is not one of two clusters")


def _check_log(arrays: Arrays, sim: Record) -> None:
    """The history of merges."""
    count, merges, initial = len(arrays["label"]), int(sim["merges"]), int(arrays["initial_clusters"])
    need(1 <= initial <= count and merges == initial - sim["clusters"], "its history does not fit its clusters")
    log = arrays["log"][: merges + 1]
    check_history(log["time"], initial - np.arange(merges + 1.0), log["kinetic_energy"], count)
    within(log["i"][1:], 0, count, "a merge of its history")
    within(log["j"][1:], 0, count, "a merge of its history")
    need(log["time"][-1] <= sim["time"], "its history lies ahead of its time")
    check_merges(arrays, merges, float(log["time"][0]))
