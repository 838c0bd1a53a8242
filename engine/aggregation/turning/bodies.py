"""The arrays of clusters that turn, and what they mean.

A cluster is a rigid body. Its discs have fixed places b in a frame of its own, whose origin and axes are those of the
heaviest cluster that has merged into it; `centre` is its centre of mass there. At a time t, disc i is at

    X + V (t - t_0) + R(t) (b_i - centre),

where R turns by the angle φ + ω (t - t_0) in the plane, and as a free top in space (`engine.aggregation.turning.top`).

What a cluster keeps for the broad phase is a circle about its centre of mass, which turning leaves as it is. Arrays,
grid, queue and trees are those of clusters that only translate (`engine.aggregation.event_driven.clusters`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.event_driven.clusters import SIMULATION, WATCH, ClusterArrays, filled
from engine.aggregation.event_driven.clusters import TUNING as OF_TRANSLATION
from engine.aggregation.event_driven.clusters import empty as empty_rows
from engine.aggregation.turning import top
from engine.kernels import vector_field
from engine.records import Records, along, in_space, record, zeros
from engine.state import InitialState

MOST_AT_ONCE = 64
"""The most pairs of clusters that merge in one event; others merge at the same time in the next one."""

OWN_HORIZON, OWN_WALL_X, OWN_IMAGE = 0, 1, 4

TURNING = record(
    "f8 x y vx vy time own_time reach angle",
    "f8 spin centre_x centre_y impact_time",
    "i4 trajectory big partner partner_trajectory disc partner_disc own_disc seat",
    "f8 mass px py spin_momentum inertia wall_time disc_angle",
    "f8 x_min y_min x_max y_max",
    "i4 grid_x grid_y evaluation watchers built wall_repeats",
    "i2 grid_columns grid_rows",
    "i1 own_kind watching is_bound spans",
    size=256,
)
"""A cluster that turns. Fields that `engine.aggregation.event_driven.clusters.CLUSTER` has too mean the same, but:

x, y : its centre of mass at `time` (length); x_min … y_max : the square around its circle, seen from there.

angle : φ at `time`, from -π to π; spin : ω (1 / time); spin_momentum : its angular momentum about its centre of mass;
inertia : the moment of inertia about it; reach : radius of the circle about it that holds all discs (length); centre_x,
centre_y : the centre of mass in the frame of the body (length).
own_disc : the disc that its own event is about; spans : whether it touches an image of itself, so that it turns no
more; disc_angle : not of the cluster but of the disc with this number: how far it is turned in the frame of the cluster
that it is in; wall_time, wall_repeats : of its last wall, and how often it has met walls in hardly any time since.
"""

_OF_THE_PLANE = ("angle", "spin", "spin_momentum", "inertia", "disc_angle", "flown_inertia", "undone_angle")


def turning_in_space(plane: np.dtype[np.void], *more: str, size: int | None = None) -> np.dtype[np.void]:
    """The record of a cluster that turns in space, after that of one in the plane: without `_OF_THE_PLANE`, with what a
    free top needs (`engine.aggregation.turning.top.FIELDS`), and

    seen_11 … seen_33, spin_x, spin_y, spin_z : its pose and its ω at seen_time, the last time at which they were asked
    for; disc_w … : in place of disc_angle, a unit quaternion; alone : whether it is a single sphere.

    more, size : more fields, and how long a row is, as for `engine.records.record`.
    """
    both = in_space(
        record(*(f"{plane[name].str[1:]} {name}" for name in plane.names or () if name not in _OF_THE_PLANE))
    )
    return record(
        *(f"{both[name].str[1:]} {name}" for name in both.names or ()),
        *top.FIELDS,
        "f8 seen_time seen_11 seen_12 seen_13 seen_21 seen_22 seen_23 seen_31 seen_32 seen_33",
        "f8 spin_x spin_y spin_z disc_w disc_i disc_j disc_k",
        "i1 alone",
        *more,
        size=size,
    )


SPACE_TURNING = turning_in_space(TURNING, size=896)
"""A cluster that turns in space."""

TURNING_SIMULATION = record(
    "i8 span_events", "f8 smallest_radius", *(f"{SIMULATION[name].str[1:]} {name}" for name in SIMULATION.names or ())
)
SPACE_TURNING_SIMULATION = in_space(TURNING_SIMULATION)
"""The values of `engine.aggregation.event_driven.clusters.SIMULATION`, and span_events : how many clusters have met an
image of themselves; smallest_radius : of all discs."""

centre, put_centre = vector_field("centre_x", "centre_y", "centre_z")
spin, put_spin = vector_field("spin_x", "spin_y", "spin_z")
seen, put_seen = vector_field(*(f"seen_{i}{j}" for i in "123" for j in "123"))
disc_orientation, put_disc_orientation = vector_field("disc_w", "disc_i", "disc_j", "disc_k")

TUNING = {dimensions: replace(tuning, envelope=0.0) for dimensions, tuning in OF_TRANSLATION.items()}
"""The defaults by the number of dimensions, see `Tuning`; there are no envelopes."""


def empty(count: int, dimensions: int) -> ClusterArrays:
    """Arrays of zeros for this many discs or spheres. The kernels of `loop` fill them."""
    at_once = np.zeros(2 * MOST_AT_ONCE, np.int32)  # pairs of discs that touch at one time
    plane, space = (TURNING_SIMULATION, TURNING), (SPACE_TURNING_SIMULATION, SPACE_TURNING)
    st = empty_rows(count, dimensions, rows=space if dimensions > 2 else plane)
    return st._replace(watches=zeros(1, WATCH), near=at_once)


def allocate(
    state: InitialState, spin: NDArray[np.float64], turned: NDArray[np.float64], spans: NDArray[np.bool_]
) -> ClusterArrays:
    """Arrays for the discs of `state`, filled except for what `loop.start` derives.

    Positions of joined discs must be those of one image of their cluster. spin : (N,) or (N, 3), ω of each disc;
    turned : (N,), the angle of each disc, or (N, 4), its orientation; spans : (N,), which of them belong to clusters
    that touch an image of themselves.
    """
    dimensions = len(state.box)
    st = filled(empty(len(state.radii), dimensions), state, TUNING[dimensions])
    fields = turning_fields(dimensions)
    put_columns(st.clusters, fields.spin, spin)
    put_columns(st.clusters, fields.of_disc, turned)
    st.clusters["spans"] = spans
    return st


class TurningFields(NamedTuple):
    """Names of fields of a cluster that turns, or of one of its discs."""

    spin: tuple[str, ...]  # ω
    momentum: tuple[str, ...]  # L
    inertia: tuple[str, ...]
    facing: tuple[str, ...]  # how far its frame is turned
    of_disc: tuple[str, ...]  # how far a disc is turned in that frame


def turning_fields(dimensions: int) -> TurningFields:
    """The names in this number of dimensions."""
    if dimensions == 2:
        return TurningFields(("spin",), ("spin_momentum",), ("inertia",), ("angle",), ("disc_angle",))
    of_disc = ("disc_w", "disc_i", "disc_j", "disc_k")
    spin, momentum = tuple(along("spin_", 3)), tuple(along("spin_momentum_", 3))
    return TurningFields(spin, momentum, top.TENSOR, top.ORIENTATION, of_disc)


def put_columns(rows: Records, names: Iterable[str], values: NDArray[np.float64]) -> None:
    """Write values (N,) or (N, k) into k fields of records (N,)."""
    for name, column in zip(names, values.reshape(len(rows), -1).T, strict=True):
        rows[name] = column
