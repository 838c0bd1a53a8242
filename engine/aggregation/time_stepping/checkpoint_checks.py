"""Whether the arrays of a checkpoint of the time-stepping method may be given to its kernels, also amid a step.

Here: discs, clusters, motion, the grid and what a step under way has done so far. Links and groups:
`checkpoint_checks_links`. What follows from other arrays (grid, rings, places in lists, coefficients) has to be equal
to what it follows from. See `stepping` for the names.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.base import PAST
from engine.aggregation.checkpoint_arrays import (
    MOST_COUNTED,
    ROUNDING,
    Arrays,
    Shape,
    check_clusters,
    check_discs,
    check_history,
    check_motion,
    close,
    disc_count,
    finite,
    need,
    need_shapes,
    permutation,
    unique,
    within,
)
from engine.aggregation.section import Aggregation
from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping import group_arrays as ga
from engine.aggregation.time_stepping.checkpoint_checks_links import check_fresh, check_group, check_links
from engine.geometry.cells import usual_radius
from engine.scenario import Scenario

_FARTHEST = 1e9  # in sides of the box: what a step may fly, and where a disc may be while it does


def check_arrays(arrays: Arrays, scenario: Scenario) -> None:
    """InputError unless the kernels can go on with `arrays` under `scenario`. O(N log N)."""
    count = disc_count(arrays)
    si, gi = _check_controls(arrays, scenario)
    need_shapes(arrays, _shapes(count, si, gi))
    sf = arrays["sf"]
    box = sf[[ts.LX, ts.LY]]
    check_discs(arrays, arrays["radius"], box)
    _check_lengths(arrays, count)
    live = check_clusters(arrays["label"], arrays["live"], arrays["seat"], int(si[ts.M]))
    _check_rings(arrays)
    _check_motion(arrays, live, box)
    _check_places(arrays, box)
    _check_grid(arrays, box)
    _check_progress(arrays, live)
    check_links(arrays)
    check_fresh(arrays)
    check_group(arrays)
    log = arrays["log_f"]
    need(len(log) == si[ts.STEPS] + 1, "its history does not fit its steps")
    check_history(log[:, 0], log[:, 1], log[:, 2], count)
    finite(arrays["conv"], "how its steps have converged")


def _shapes(count: int, si: NDArray[np.int64], gi: NDArray[np.int64]) -> dict[str, tuple[Any, Shape]]:
    whole, real = np.int32, np.float64
    per_disc = ("label", "ring", "live", "seat", "head", "chain", "cell", "order", "hit_c", "mark", "moved", "member")
    return {
        "pos": (real, (2, count, 2)),
        "motion": (real, (count, 8)),
        "hit": (real, (count, 2)),
        **dict.fromkeys((*per_disc, "place", "original"), (whole, (count,))),
        **dict.fromkeys(("radius", "sx", "sy", "drift", "radii", "masses"), (real, (count,))),
        "pool": (whole, (int(si[ts.LINKS]), 5)),
        "fresh": (whole, (int(si[ts.FRESH]), 5)),
        "start": (whole, (int(si[ts.COLUMNS] * si[ts.ROWS]) + 2,)),
        "body": (real, (int(gi[ga.BODIES]), ga.BODY_COLUMNS)),
        "lf": (real, (int(gi[ga.LINKS]), ga.LINK_COLUMNS)),
        "li": (whole, (int(gi[ga.LINKS]), 3)),
        "wake": (whole, (int(gi[ga.WAKES]),)),
        "gi": (np.int64, (ga.GI_LENGTH,)),
        "gf": (real, (ga.GF_LENGTH,)),
        "log_f": (real, (int(si[ts.LOGGED]), 3)),
        "conv": (real, (ts.CONVERGENCE_KEPT, 8)),
        "si": (np.int64, (ts.SI_LENGTH,)),
        "sf": (real, (ts.SF_LENGTH,)),
        "rows": (np.int64, (7,)),
        "momentum": (real, (3,)),
        "past": (PAST, (None,)),
    }


def _check_controls(arrays: Arrays, scenario: Scenario) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The counters, by which the shapes of the others go, and the coefficients, which are the scenario's."""
    lengths = {"si": ts.SI_LENGTH, "gi": ga.GI_LENGTH, "sf": ts.SF_LENGTH, "gf": ga.GF_LENGTH}
    for name, length in lengths.items():
        kind = np.int64 if name.endswith("i") else np.float64
        array = arrays.get(name)
        fits = isinstance(array, np.ndarray) and array.dtype == np.dtype(kind) and array.shape == (length,)
        need(fits, f"{name} has another shape")
    si, gi, sf, gf = (arrays[name] for name in ("si", "gi", "sf", "gf"))
    for counters in (si, gi):
        need((counters >= 0).all() and (counters < MOST_COUNTED).all(), "a counter is out of range")
    finite(sf, "a number of the state")
    finite(np.delete(gf, [ga.BEST, ga.BEST_MERIT]), "a number of the minimisation")
    need(si[ts.COLUMNS] <= 1 << 20 and si[ts.ROWS] <= 1 << 20, "its grid is out of range")
    flags = (ts.WHICH, ts.PERIODIC, ts.RIGID, ts.BY_CLUSTER)
    need(all(si[flag] <= 1 for flag in flags), "a setting is out of range")
    need(si[ts.PHASE] <= ts.FINISH and si[ts.PATCH] <= ts.UNDONE_GROUP, "the phase of its step is none")
    stepping, damping = scenario.section(Aggregation).time_stepping, scenario.section(Aggregation).damping
    need(bool(si[ts.RIGID]) == (stepping.clusters == "rigid"), "its clusters are not those of the scenario")
    wanted_gi, wanted_gf = gi.copy(), gf.copy()
    ga.Coefficients(
        damping.alpha,
        damping.beta,
        damping.gamma,
        damping.c,
        damping.scheme == "damped",
        damping.adaptive,
        damping.tolerance,
        damping.max_iterations,
    ).write(wanted_gi, wanted_gf)
    step = 0.0 if stepping.step == "adaptive" else stepping.step
    same = np.array_equal(gi, wanted_gi) and np.array_equal(gf, wanted_gf, equal_nan=True)
    same = same and sf[ts.STEP] == step and sf[ts.FRACTION] == stepping.fraction
    need(same, "its coefficients are not those of the scenario")
    return si, gi


def _check_lengths(arrays: Arrays, count: int) -> None:
    """How long the arrays were that are kept as far as they are in use."""
    si = arrays["si"]
    pool, fresh, log, body, lf, li, wake = arrays["rows"].tolist()
    least = 3 * count + 64
    fits = least <= pool <= max(least, 2 * int(si[ts.LINKS])) and pool == lf == li and wake == 2 * pool
    fits = fits and count + 64 <= fresh <= 64 * (count + 64) and body == count
    fits = fits and 1024 <= log <= max(1024, 2 * int(si[ts.LOGGED]))
    need(fits, "the lengths of its arrays do not fit")
    need(
        len(arrays["fresh"]) <= fresh and len(arrays["body"]) <= body and len(arrays["wake"]) <= wake, "it is too long"
    )
    need(len(arrays["pool"]) <= pool and len(arrays["lf"]) <= lf, "it has too many links")


def _check_rings(arrays: Arrays) -> None:
    """The discs of each cluster in one circle, and in no other."""
    ring, label = arrays["ring"], arrays["label"]
    count = len(ring)
    permutation(ring, count, "the rings of the clusters")
    need(np.array_equal(label[ring], label), "a ring holds a disc of another cluster")
    # the least disc of a circle, by doubling the steps: circles of different clusters are different ones
    least, step = np.arange(count), ring.astype(np.int64)
    for _ in range(count.bit_length()):
        least = np.minimum(least, least[step])
        step = step[step]
    circles = int((least == np.arange(count)).sum())
    need(circles == arrays["si"][ts.M], "a cluster is not one ring")


def _check_motion(arrays: Arrays, live: NDArray[np.int64], box: NDArray[np.float64]) -> None:
    """Velocities and masses of the clusters, times and lengths of steps."""
    motion, sf, si = arrays["motion"], arrays["sf"], arrays["si"]
    finite(motion, "the motion of a cluster")
    mass = np.bincount(arrays["label"], weights=arrays["masses"][arrays["original"]], minlength=len(motion))[live]
    velocity = motion[live, ts.VX : ts.VY + 1]
    check_motion(velocity, motion[live, ts.MOMX : ts.MOMY + 1], motion[live, ts.MASS], mass)
    fastest = np.hypot(velocity[:, 0], velocity[:, 1]).max()
    close(sf[ts.V_MAX], fastest, fastest, "the greatest speed")
    need(sf[ts.R_MAX] == arrays["radii"].max(), "the largest radius does not fit")
    need(0.0 <= sf[ts.T] <= sf[ts.NOW] and sf[ts.DT] >= 0.0 and sf[ts.ENERGY] >= 0.0, "the time does not fit")
    longest = max(sf[ts.DT] if si[ts.PHASE] != ts.REST else 0.0, sf[ts.STEP], sf[ts.NOW] - sf[ts.T])
    need(fastest * longest <= _FARTHEST * box.min(), "a step is too long")


def _check_places(arrays: Arrays, box: NDArray[np.float64]) -> None:
    """Positions at the last whole step inside of the box, those under way not too far to be told apart."""
    which = int(arrays["si"][ts.WHICH])
    settled, under_way = arrays["pos"][which], arrays["pos"][1 - which]
    finite(arrays["pos"], "a position")
    margin = 1e-6 * box if arrays["si"][ts.PERIODIC] else 0.5 * box
    need(((settled >= -margin) & (settled <= box + margin)).all(), "a disc is outside of the box")
    need((np.abs(under_way) <= 2.0 * _FARTHEST * box.max()).all(), "a disc is far outside of the box")


def _check_grid(arrays: Arrays, box: NDArray[np.float64]) -> None:
    """Cells as they follow from box and radii; discs sorted by cell, as far as the step has come."""
    si, sf, cell, start = arrays["si"], arrays["sf"], arrays["cell"], arrays["start"]
    count, phase, at = len(cell), int(si[ts.PHASE]), int(si[ts.CURSOR])
    columns, rows = ts.grid_shape(count, usual_radius(arrays["radius"]), box)
    need(si[ts.COLUMNS] == columns and si[ts.ROWS] == rows, "its grid does not fit its discs")
    need(sf[ts.WIDTH] == box[0] / columns and sf[ts.HEIGHT] == box[1] / rows, "its grid does not fit its box")
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
    si, sf, cell, order = arrays["si"], arrays["sf"], arrays["cell"], arrays["order"]
    first = np.cumsum(np.bincount(cell, minlength=int(si[ts.COLUMNS] * si[ts.ROWS])))
    by_cell = np.argsort(cell[:done], kind="stable")
    sorted_cells = cell[by_cell].astype(np.int64)
    begin = np.searchsorted(sorted_cells, sorted_cells)
    before = np.where(sorted_cells > 0, first[sorted_cells - 1], 0)
    slot = before + np.arange(done) - begin
    within(order, 0, len(order), "the disc of a slot")
    need(np.array_equal(order[slot], by_cell), "the discs are not sorted into cells")
    x, y = arrays["sx"][slot], arrays["sy"][slot]
    low = (x > -sf[ts.WIDTH]).all() and (y > -sf[ts.HEIGHT]).all()
    need(low and np.isfinite(x).all() and np.isfinite(y).all(), "a disc is outside of its cell")
    limit = _FARTHEST * max(sf[ts.LX], sf[ts.LY])
    need((x <= limit).all() and (y <= limit).all(), "a disc is outside of its cell")
    column = np.clip((x / sf[ts.WIDTH]).astype(np.int64), 0, columns - 1)
    row = np.clip((y / sf[ts.HEIGHT]).astype(np.int64), 0, int(si[ts.ROWS]) - 1)
    need(np.array_equal(row * columns + column, sorted_cells), "a disc is outside of its cell")


def _check_progress(arrays: Arrays, live: NDArray[np.int64]) -> None:
    """How far the step has come: clusters at walls, discs moved, discs or clusters in a group."""
    si, sf, drift = arrays["si"], arrays["sf"], arrays["drift"]
    count, phase, at = len(drift), int(si[ts.PHASE]), int(si[ts.CURSOR])
    most = {ts.FLIGHT: count, ts.REFLECT: int(si[ts.HITS]), ts.COUNT: count, ts.SORT: count}
    wide = len(ts.wide_discs(arrays["radius"], usual_radius(arrays["radius"])))
    most |= {ts.DETECT: int(si[ts.ROWS]) + wide, ts.MINIMISE: int(si[ts.ROUND_END]), ts.FINISH: int(si[ts.FRESH])}
    need(phase == ts.REST or at <= most[phase], "a step has come too far")
    hits, moved = int(si[ts.HITS]), int(si[ts.MOVED])
    need(hits <= count and moved <= count, "a step has come too far")
    mark = np.full(count, -1, np.int64)
    if phase != ts.REST:
        hit = arrays["hit_c"][:hits].astype(np.int64)
        unique(hit, count, "the clusters at walls")
        need(np.isin(hit, live).all(), "a cluster at a wall is gone")
        mark[hit] = np.arange(hits)
        # turned round already: those up to the cursor, or all of them
        turned = at if phase == ts.REFLECT else hits if phase > ts.REFLECT else 0
        finite(arrays["hit"][:turned], "the velocity of a cluster at a wall")
        need(not si[ts.PERIODIC] or hits == 0, "there is a wall in a periodic box")
    need(np.array_equal(arrays["mark"], mark), "the marks of clusters at walls do not fit")
    need(sf[ts.DRIFT] >= 0.0 and np.isfinite(drift).all() and (drift >= 0.0).all(), "how far discs were moved is wrong")
    if phase != ts.MINIMISE and phase != ts.FINISH:
        need(phase == ts.REST or moved == 0, "discs were moved before they were")
        need((drift == 0.0).all(), "discs were moved before they were")
    else:
        names = arrays["moved"][:moved].astype(np.int64)
        unique(names, count, "the discs that were moved")
        need((drift[names] > 0.0).all() and int((drift > 0.0).sum()) == moved, "the discs that were moved do not fit")
        need((drift <= sf[ts.DRIFT] * (1.0 + ROUNDING)).all(), "how far discs were moved is wrong")
    finite(arrays["hit"], "the velocity of a cluster at a wall")
