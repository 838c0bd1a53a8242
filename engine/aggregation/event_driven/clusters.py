"""The arrays in which the event-driven method keeps its clusters, and what they mean.

Cluster c is named by one of its discs, 0 <= c < N. The whole state is in arrays; `saved` defines which of them
determine the results. Lengths, times and masses are in the units of the scenario.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.recent import no_events
from engine.geometry.box_tree import DISC, SPACE_DISC, allocate_nodes
from engine.geometry.bucket_grid import BUCKET
from engine.geometry.impact import NODE_PAIR
from engine.geometry.tree_build import JOB, PART, SPACE_PART
from engine.kernels import vector_field
from engine.records import Records, along, in_space, record, zeros
from engine.state import InitialState, representatives

OWN_HORIZON, OWN_WALL_X, OWN_WALL_Y, OWN_WALL_Z = 0, 1, 2, 3

CLUSTER = record(
    "f8 x y vx vy time own_time",
    "f4 outer_x_min outer_y_min outer_x_max outer_y_max",
    "f8 mass px py impact_time x_min y_min x_max y_max",
    "f8 envelope",
    "i4 trajectory grid_x grid_y partner partner_trajectory disc partner_disc big evaluation watchers built seat",
    "i2 grid_columns grid_rows",
    "i1 own_kind watching is_bound",
    "f8 envelope_vx envelope_vy horizon",
    size=256,
)
SPACE_CLUSTER = in_space(CLUSTER, size=320)
"""A cluster: four cache lines, the first is what a neighbour reads; in space five, the first two.

x, y : origin of its frame at `time` (length); vx, vy : velocity; time : to which x and y belong; own_time : when its
horizon ends or it meets a wall, as `own_kind` says.
outer_x_min … outer_y_max : box around its discs in its frame, rounded outwards to float32 (length).

mass; px, py : momentum; impact_time : of the earliest impact that this cluster answers for, inf for none.
x_min … y_max : box around its discs in its frame (length). Walls are met with this one, exactly.

envelope : radius of the circle of velocities that others reckon with, 0 for a small cluster; envelope_vx, envelope_vy :
its centre; horizon : until when a big cluster knows its impacts (time).
trajectory : incremented when the motion leaves the envelope that others used for predictions; grid_x, grid_y,
    grid_columns, grid_rows :
first cell in which it is entered and how many, 0 for none; partner, partner_trajectory, disc, partner_disc : of the
impact at `impact_time`: the other cluster, its `trajectory` when it was predicted, and the discs that meet; is_bound :
`impact_time` is only a lower bound; big : place in the list of big clusters, -1 for a small one;
evaluation : incremented when its impacts are recomputed; watchers : first entry of the list of clusters that rely on
    the exact velocity of this big cluster, -1 for none; watching : whether its own impacts rely on such a velocity;
    built : discs when its tree was last rebuilt; seat : index in the list of clusters, -1 after a merge into another
    one.
"""

WATCH = record("i4 cluster evaluation next")
"""An entry in the list of a big cluster's watchers.

cluster : the watching cluster; evaluation : the entry is valid as long as the cluster has this value; next : entry, -1
    for none.
"""

MERGE = record("f8 time kinetic_energy", "i4 i j")
"""A merge: time and kinetic energy after it, and the discs in contact. Row 0 is the start, with i = j = -1."""

SIMULATION = record(
    "i8 clusters queued bigs merges grid_clusters cursor stamps",
    "i8 columns rows free_watch used_watches periodic big_cells",
    "i8 wall_events horizon_events stale_events bound_events watch_events grid_horizons work",
    "i8 pair_walks node_visits disc_tests tree_builds grid_builds big_registrations",
    "f8 time energy energy_reference impulse_x impulse_y box_x box_y",
    "f8 cell_x cell_y cell typical_speed spread longest_horizon delta",
    "f8 travel patience big_patience envelope rebuild",
)
SPACE_SIMULATION = in_space(SIMULATION)
"""Scalar values: counters, settings, the grid.

clusters : their number; queued : entries of the event queue; bigs : number of big clusters; merges : so far;
    grid_clusters : clusters when the grid was built; cursor : how many of them have been entered since; stamps :
    searches so far.
columns, rows : of the grid; free_watch : first unused watch entry in between, -1 for none; used_watches : entries
behind which all are unused; periodic : of the box (`minimum_image.wraps`); big_cells : see `Tuning`. …_events
: of each kind so far; grid_horizons : horizon_events when the grid was built; work : done so far, in units of about ten
nanoseconds; pair_walks … big_registrations : see `EventDriven.statistics`. time; energy : kinetic; energy_reference :
when it was last summed again; impulse_x, impulse_y : momentum that the walls have given; box_x, box_y : sides of the
box.
cell_x, cell_y : sides of a grid cell; cell : the distance that takes a cluster into other cells; typical_speed : mean
of the clusters when the grid was built; spread : sum of |V - V_first| then, inf with walls; longest_horizon : of a
small cluster (time); delta : bounds sooner than this are replaced by exact predictions (time).
travel … rebuild : see `Tuning`.
"""


@dataclass(frozen=True)
class Tuning:
    """Tuning parameters, which affect the cost but not the results.

    travel : horizon of a small cluster, in grid cells of travel; patience, big_patience : longest horizon of a small
    and of a big cluster, in cells at the typical speed; big_cells : a cluster that sweeps more cells than this is big;
    envelope : radius of a big cluster's velocity envelope, in typical speeds; rebuild : a tree is rebuilt when
    its cluster has grown by this factor.
    The defaults were found by measurement (docs/event-driven.md).
    """

    travel: float = 0.8
    patience: float = 4.0
    big_patience: float = 0.25
    big_cells: int = 32
    envelope: float = 0.03
    rebuild: float = 2.0


TUNING = {2: Tuning(), 3: Tuning(big_cells=96)}
"""The defaults by the number of dimensions: a box in space covers more cells."""


class ClusterArrays(NamedTuple):
    """The whole state of an event-driven run, as arrays for the kernels."""

    sim: Records  # (1,) of SIMULATION
    discs: Records  # (N,) of DISC
    label: NDArray[np.int32]  # (N,) cluster of each disc
    nodes: Records  # (3 N + 2,) of NODE: the box trees
    clusters: Records  # (N,) of CLUSTER
    heap_key: NDArray[np.float64]  # the event queue, see geometry.event_heap
    heap_owner: NDArray[np.int32]
    heap_slot: NDArray[np.int32]
    live: NDArray[np.int32]  # (N,) clusters, the first `clusters` valid
    bigs: NDArray[np.int32]  # (N,) big clusters, the first `bigs` valid
    buckets: Records  # (K,) of BUCKET: the grid, see geometry.bucket_grid
    bucket_top: NDArray[np.int64]
    stamp: NDArray[np.int32]  # (N,) last search that met a cluster
    watches: Records  # (K,) of WATCH: the watchers of all big clusters
    log: Records  # (N,) of MERGE
    found: NDArray[np.int32]  # scratch: candidates of a search
    found_time: NDArray[np.float64]  # and when their boxes meet
    node_pairs: Records  # (N + 8,) of NODE_PAIR: scratch of walks down two trees
    ids: NDArray[np.int32]  # scratch of tree building
    jobs: Records  # (N + 8,) of JOB: scratch of tree building
    parts: Records  # (2 N,) of PART: scratch of tree building
    near: NDArray[np.int32]  # (NEAR,) scratch of `lookahead`: for whom memory has been asked, by slot of the queue,
    ways: Records  # (WAYS,) of WAY: and which cells the next event will search, or the next registrations
    recent: Records  # the newest events, see `aggregation.recent`
    recent_next: NDArray[np.int64]


NEAR = 21
"""Slots of the first three rows of the queue, a 4-ary heap: about the number of events that `lookahead` looks ahead."""

WAYS = 16
"""Slots for the clusters that are registered next, a power of two."""

WAY = record("i4 x y columns rows")
SPACE_WAY = in_space(WAY)
"""The cells in which a cluster will be entered: first column and row, and the number of each."""

outer_low, put_outer_low = vector_field("outer_x_min", "outer_y_min", "outer_z_min")
outer_high, put_outer_high = vector_field("outer_x_max", "outer_y_max", "outer_z_max")
envelope_velocity, put_envelope_velocity = vector_field("envelope_vx", "envelope_vy", "envelope_vz")
wall_impulse, put_wall_impulse = vector_field("impulse_x", "impulse_y", "impulse_z")


def scratch(count: int, dimensions: int) -> dict[str, NDArray[np.generic]]:
    """The scratch arrays, which keep nothing from one event to the next."""
    return {
        "found": np.zeros(count, np.int32),
        "found_time": np.zeros(count, np.float64),
        "node_pairs": np.zeros(count + 8, NODE_PAIR),
        "ids": np.zeros(3 * count + 24, np.int32),
        "jobs": np.zeros(count + 8, JOB),
        "parts": np.zeros(2 * count, SPACE_PART if dimensions > 2 else PART),
        "near": np.full(NEAR, -1, np.int32),
        "ways": np.zeros(WAYS, SPACE_WAY if dimensions > 2 else WAY),
        **no_events(dimensions),
    }


def dimensions_of(st: ClusterArrays) -> int:
    """2 for discs, 3 for spheres."""
    return 3 if "box_z" in (st.sim.dtype.names or ()) else 2


def empty(
    count: int, dimensions: int, watches: int = 0, rows: tuple[np.dtype[np.void], np.dtype[np.void]] | None = None
) -> ClusterArrays:
    """Arrays of zeros for this many discs or spheres, with space for at least this many watchers. The kernels of
    `loop` fill them.

    rows : what a row of ``sim`` and one of ``clusters`` is; None for that of clusters that only translate.
    """
    n = count
    space = dimensions > 2
    sim, cluster = rows or ((SPACE_SIMULATION, SPACE_CLUSTER) if space else (SIMULATION, CLUSTER))
    arrays: dict[str, NDArray[np.generic]] = {
        "sim": zeros(1, sim),
        "discs": zeros(n, SPACE_DISC if space else DISC),
        "label": np.zeros(n, np.int32),
        "nodes": allocate_nodes(n, dimensions=dimensions),
        "clusters": zeros(n, cluster),
        "heap_key": np.zeros(n),
        "heap_owner": np.zeros(n, np.int32),
        "heap_slot": np.full(n, -1, np.int32),
        "live": np.zeros(n, np.int32),
        "bigs": np.zeros(n, np.int32),
        "buckets": zeros(n + n // 4 + 1024, BUCKET),
        "bucket_top": np.zeros(1, np.int64),
        "stamp": np.zeros(n, np.int32),
        "watches": zeros(2 * n + 1024 + watches, WATCH),
        "log": zeros(n, MERGE),
        **scratch(n, dimensions),
    }
    st = ClusterArrays(**arrays)  # type: ignore[arg-type]
    st.log["i"] = st.log["j"] = -1
    return st


def allocate(state: InitialState, tuning: Tuning) -> ClusterArrays:
    """Arrays for the discs of `state`, filled except for what `loop.start` derives."""
    return filled(empty(len(state.radii), len(state.box)), state, tuning)


def filled(st: ClusterArrays, state: InitialState, tuning: Tuning) -> ClusterArrays:
    """Fill empty arrays with the discs of `state`, in which each disc has its velocity, and return them."""
    dimensions = len(state.box)
    given = ((st.discs, "", state.positions), (st.clusters, "v", state.velocities), (st.sim, "box_", state.box[None]))
    for rows, name, values in given:
        for field, column in zip(along(name, dimensions), values.T, strict=True):
            rows[field] = column
    st.discs["radius"] = state.radii
    st.discs["mass"] = state.masses
    st.label[:] = representatives(state.cluster)
    st.sim["periodic"] = state.periodic.code
    for name, value in asdict(tuning).items():
        st.sim[name] = value
    return st
