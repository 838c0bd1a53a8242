"""The arrays of clusters that turn, and what they mean.

A cluster is a rigid body. Its discs have fixed places b in a frame of its own, whose origin and axes are those of the
heaviest cluster that has merged into it; `centre` is its centre of mass there. At a time t, disc i is at

    X + V (t - t_0) + R(φ + ω (t - t_0)) (b_i - centre).

What a cluster keeps for the broad phase is a circle about its centre of mass, which turning leaves as it is. Arrays,
grid, queue and trees are those of clusters that only translate (`engine.aggregation.event_driven.clusters`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.event_driven.clusters import SIMULATION, WATCH, ClusterArrays, Tuning, filled
from engine.aggregation.event_driven.clusters import empty as empty_rows
from engine.kernels import vector_field
from engine.records import record, zeros
from engine.state import InitialState

MOST_AT_ONCE = 64
"""The most pairs of clusters that merge in one event; others merge at the same time in the next one."""

OWN_HORIZON, OWN_WALL_X, OWN_WALL_Y, OWN_IMAGE = 0, 1, 2, 4

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

TURNING_SIMULATION = record(
    "i8 span_events", *(f"{SIMULATION[name].str[1:]} {name}" for name in SIMULATION.names or ())
)
"""The values of `engine.aggregation.event_driven.clusters.SIMULATION`, and span_events : how many clusters have met an
image of themselves."""

centre, put_centre = vector_field("centre_x", "centre_y")

TUNING = Tuning(envelope=0.0)
"""The defaults, see `Tuning`; there are no envelopes."""


def empty(count: int) -> ClusterArrays:
    """Arrays of zeros for this many discs. The kernels of `loop` fill them."""
    at_once = np.zeros(2 * MOST_AT_ONCE, np.int32)  # pairs of discs that touch at one time
    return empty_rows(count, 2, rows=(TURNING_SIMULATION, TURNING))._replace(watches=zeros(1, WATCH), near=at_once)


def allocate(state: InitialState, spin: NDArray[np.float64], spans: NDArray[np.bool_]) -> ClusterArrays:
    """Arrays for the discs of `state`, filled except for what `loop.start` derives.

    Positions of joined discs must be those of one image of their cluster. spin : (N,), ω of each disc; spans : (N,),
    which of them belong to clusters that touch an image of themselves.
    """
    st = filled(empty(len(state.radii)), state, TUNING)
    st.clusters["spin"] = spin
    st.clusters["disc_angle"] = 0.0 if state.angle is None else state.angle
    st.clusters["spans"] = spans
    return st
