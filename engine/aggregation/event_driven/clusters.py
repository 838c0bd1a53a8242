"""The arrays in which the event-driven method keeps its clusters, and what they mean.

Cluster c is named by one of its discs, 0 <= c < N. Rows of `cf` (N, 16) float64 are its motion and its next events,
rows of `ci` (N, 16) int32 its counters, both on cache lines of 64 bytes; `si` and `sf` hold what there is once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.event_driven.recent import no_events
from engine.geometry.box_tree import DISC, allocate_nodes
from engine.geometry.tree_build import JOB
from engine.geometry.tree_impact import NODE_PAIR
from engine.records import Records, zeros
from engine.state import InitialState, representatives

# cf, first cache line: what a neighbour reads. Reference position, velocity, time of the reference
PX, PY, VX, VY, T = 0, 1, 2, 3, 4
OWN_T = 5  # horizon or wall
FX0, FY0, FX1, FY1 = 12, 13, 14, 15  # columns of `cg`, the float32 view of cf: its box, rounded outwards
# second cache line
MASS = 8
PAIR_T = 9  # earliest impact that this cluster answers for, inf for none
BX0, BY0, BX1, BY1 = 10, 11, 12, 13  # box of the discs in the cluster's frame, float64: walls are exact
MOMX = 14  # momentum, x
W = 15  # half-width of the velocity envelope, 0 for a small cluster

# more: centre of the envelope, until when a big cluster knows its impacts, momentum, y
EX, EY, HORIZON, MOMY = 0, 1, 2, 3

# ci
TRAJ = 0  # raised when the trajectory leaves what others have predicted with
GRID_SPAN = 1  # columns and rows (<< 16) of grid cells in which it is entered, 0 for none,
PARTNER, PARTNER_TRAJ, DISC_I, DISC_J = 2, 3, 4, 5  # of the impact at PAIR_T
OWN_KIND = 6
BIG = 7  # place in the list of big clusters, -1 for the others
GRID_X, GRID_Y = 8, 15  # from this cell on
EVAL = 9  # raised when its impacts are computed anew
WATCHERS = 10  # list of those that rely on the exact velocity of this big cluster
WATCHING = 11  # its own impacts rely on its exact velocity
BUILT = 12  # discs when the tree was last built anew
LIVE = 13  # place in the list of clusters, -1 for one that is gone
BOUND = 14  # PAIR_T is a lower bound, to be looked at again, not yet an impact

OWN_HORIZON, OWN_WALL_X, OWN_WALL_Y = 0, 1, 2

# si
M, HEAP, PAIR_FREE, BIGS, MERGES, GRID_M, CURSOR, STAMPS = range(8)
NX, NY, WATCH_FREE, WATCH_TOP, PERIODIC, BIG_CELLS = range(8, 14)
(
    WALL_EVENTS,
    HORIZON_EVENTS,
    STALE_EVENTS,
    CHECK_EVENTS,
    WATCH_EVENTS,
    PAIR_WALKS,
    NODE_VISITS,
    DISC_TESTS,
    TREE_BUILDS,
    FULL_BIG,
    GRID_BUILDS,
    WORK,
    GRID_HORIZONS,
) = range(16, 29)
SI_LENGTH = 32

# sf
NOW, ENERGY, V_TYPICAL, CELL_X, CELL_Y, LX, LY, DELTA, H_CAP, IMPULSE_X, IMPULSE_Y = range(11)
TRAVEL, PATIENCE, BIG_PATIENCE, ENVELOPE, REBUILD, CELL, ENERGY_REFERENCE, APART = range(11, 19)
SF_LENGTH = 24

# columns of watch entries
W_CLUSTER, W_EVAL, W_NEXT = 0, 1, 2


@dataclass(frozen=True)
class Tuning:
    """What the method may choose freely: the cost depends on it, the result does not.

    travel : horizon of a small cluster, in grid cells of travel; patience, big_patience : longest horizon of a small
    and of a big cluster, in cells at the typical speed; big_cells : a cluster that sweeps more cells than this is big;
    envelope : half-width of a big cluster's velocity envelope, in typical speeds; rebuild : a tree is built anew when
    its cluster has grown by this factor.
    The defaults were found by measurement (docs/event-driven.md).
    """

    travel: float = 0.8
    patience: float = 4.0
    big_patience: float = 0.25
    big_cells: int = 32
    envelope: float = 0.03
    rebuild: float = 1.5


class Clusters(NamedTuple):
    """All of the state, as arrays: a copy of each is an exact checkpoint."""

    discs: Records  # (N,) of DISC
    label: NDArray[np.int32]  # (N,) cluster of each disc
    nodes: Records  # (3 N + 2,) of NODE: the box trees
    cf: NDArray[np.float64]
    ci: NDArray[np.int32]
    cg: NDArray[np.float32]  # (N, 32) the same memory as cf
    more: NDArray[np.float64]  # (N, 4)
    heap_key: NDArray[np.float64]
    heap_owner: NDArray[np.int32]
    heap_slot: NDArray[np.int32]
    live: NDArray[np.int32]  # (N,) clusters, the first M valid
    bigs: NDArray[np.int32]  # (N,) big clusters, the first BIGS valid
    bucket: NDArray[np.int32]  # (K, 16) the grid, see geometry.bucket_grid
    bucket_top: NDArray[np.int64]
    stamp: NDArray[np.int32]  # (N,) last search that met a cluster
    watch: NDArray[np.int32]  # (K, 4) pool of watch entries
    log_f: NDArray[np.float64]  # (N, 2) time and kinetic energy after each merge; row 0: the start
    log_i: NDArray[np.int32]  # (N, 2) discs in contact at each merge
    found: NDArray[np.int32]  # scratch: candidates of a search,
    found_t: NDArray[np.float64]  # and when their boxes meet
    node_pairs: Records  # (N + 8,) of NODE_PAIR: scratch of walks down two trees
    ids: NDArray[np.int32]  # scratch of tree building
    jobs: Records  # (N + 8,) of JOB: the same
    recent_f: NDArray[np.float64]  # the newest events, see `recent`
    recent_i: NDArray[np.int32]
    si: NDArray[np.int64]
    sf: NDArray[np.float64]


VIEWS = {"cg": ("cf", np.float32)}  # the same memory under another type
SCRATCH = frozenset({"found", "found_t", "node_pairs", "ids", "jobs", "recent_f", "recent_i"})


def aligned(rows: int, columns: int, dtype: type[np.generic]) -> NDArray[Any]:
    """Zeros, (rows, columns), that start on a cache line."""
    size = np.dtype(dtype).itemsize
    raw = np.zeros(rows * columns + 64 // size, dtype)
    start = (-raw.ctypes.data % 64) // size
    return raw[start : start + rows * columns].reshape(rows, columns)


def scratch(count: int) -> dict[str, NDArray[np.generic]]:
    """The arrays that carry nothing from one event to the next."""
    return {
        "found": np.zeros(count, np.int32),
        "found_t": np.zeros(count, np.float64),
        "node_pairs": np.zeros(count + 8, NODE_PAIR),
        "ids": np.zeros(3 * count + 24, np.int32),
        "jobs": np.zeros(count + 8, JOB),
        **no_events(),
    }


def allocate(state: InitialState, tuning: Tuning) -> Clusters:
    """Arrays for the discs of `state`, filled with what `start` (events.py) does not derive."""
    n = len(state.radii)
    discs = zeros(n, DISC)
    discs["x"], discs["y"] = state.positions.T
    discs["radius"] = state.radii
    discs["mass"] = state.masses
    cf = aligned(n, 16, np.float64)
    cf[:, VX : VY + 1] = state.velocities
    si = np.zeros(SI_LENGTH, np.int64)
    sf = np.zeros(SF_LENGTH)
    si[PERIODIC] = int(state.periodic)
    sf[LX], sf[LY] = state.box
    si[BIG_CELLS] = tuning.big_cells
    sf[TRAVEL], sf[PATIENCE], sf[BIG_PATIENCE], sf[ENVELOPE], sf[REBUILD] = (
        tuning.travel,
        tuning.patience,
        tuning.big_patience,
        tuning.envelope,
        tuning.rebuild,
    )
    arrays: dict[str, NDArray[np.generic]] = {
        "discs": discs,
        "label": representatives(state.cluster).astype(np.int32),
        "nodes": allocate_nodes(n),
        "cf": cf,
        "cg": cf.view(np.float32),
        "ci": aligned(n, 16, np.int32),
        "more": np.zeros((n, 4)),
        "heap_key": np.zeros(n),
        "heap_owner": np.zeros(n, np.int32),
        "heap_slot": np.full(n, -1, np.int32),
        "live": np.zeros(n, np.int32),
        "bigs": np.zeros(n, np.int32),
        "bucket": aligned(n + n // 4 + 1024, 16, np.int32),
        "bucket_top": np.zeros(1, np.int64),
        "stamp": np.zeros(n, np.int32),
        "watch": np.zeros((2 * n + 1024, 4), np.int32),
        "log_f": np.zeros((n, 2)),
        "log_i": np.full((n, 2), -1, np.int32),
        "si": si,
        "sf": sf,
        **scratch(n),
    }
    return Clusters(**arrays)  # type: ignore[arg-type]
