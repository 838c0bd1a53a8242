"""Positions, velocities and convergence data from the arrays of the time-stepping method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.flight import fly, reflect_clusters
from engine.aggregation.time_stepping.pose import bent_facing, bent_spin, centre, from_origin, turning
from engine.aggregation.turning import pose as of_turning
from engine.aggregation.turning.motion import around
from engine.aggregation.turning.pose import pose_of_facing, put_turned, put_turning
from engine.geometry.vectors import Vector, place, plus, put_row, row_of, velocity
from engine.kernels import borrowed, inlined, kernel
from engine.records import along, columns


class FrameScratch(NamedTuple):
    """Arrays for the free flight of a frame and its reflections, which must not disturb the current step."""

    flown: NDArray[np.float64]  # (N, d)
    hit_c: NDArray[np.int32]  # (N,)
    hit: NDArray[np.float64]  # this and `shift` as in `arrays.Stepping`
    mark: NDArray[np.int32]  # (N,) -1 between frames
    shift: NDArray[np.float64]

    @staticmethod
    def of(count: int, dimensions: int, turns: bool) -> FrameScratch:
        """Scratch for `count` discs."""
        hit, shift = (np.zeros((count, columns)) for columns in ts.columns_of_hits(dimensions, turns))
        flown, mark = np.zeros((count, dimensions)), np.full(count, -1, np.int32)
        return FrameScratch(flown, np.zeros(count, np.int32), hit, mark, shift)


@inlined
def _put_turning(
    turns: Vector,
    st: Stepping,
    k: int,
    time: float,
    v: Vector,
    bent: int,
    hit: NDArray[np.float64],
    shift: NDArray[np.float64],
    i: int,
    velocities: NDArray[np.float64],
    fields: tuple[NDArray[np.float64], ...],
) -> None:
    if len(turns) > 0:
        cluster, disc = st.clusters[st.label[k]], st.clusters[k]
        angles, spins = fields
        if bent < 0:
            pose, omega = of_turning.pose_at(cluster, time, v)
            put_turning(angles, spins, i, cluster, disc, time, v)
        else:
            turned_by, omega = bent_facing(cluster, time, shift, bent, v), bent_spin(hit, bent, v)
            pose = pose_of_facing(turned_by)
            put_turned(angles, spins, i, turned_by, omega, disc)
        put_row(velocities, i, plus(v, around(omega, from_origin(pose, centre(cluster), place(st.discs[k])))))


@kernel
def fill_frame(
    arrays: Stepping,
    scratch: FrameScratch,
    time: float,
    positions: NDArray[np.float64],
    velocities: NDArray[np.float64],
    cluster: NDArray[np.int32],
    last_merge: NDArray[np.float64],
    original: NDArray[np.int32],
    fields: tuple[NDArray[np.float64], ...],
) -> None:
    """Write the state at a time in the free flight after the last whole step, in the caller's order of discs.

    Parameters
    ----------
    arrays
        The whole state, which is not changed.
    scratch
        Scratch for flight and reflections.
    time
        The time, from the last whole step up to the next one.
    positions, velocities : (N, d)
        Get the state.
    cluster : (N,)
        Gets the cluster of each disc, by the caller's number of the disc that names it.
    last_merge : (N,)
        Gets the time of the last merge of each disc's cluster.
    original : (N,)
        The caller's number of each disc of the engine, which keeps discs in a spatial order.
    fields
        Where clusters turn, get how far each disc is turned, and ω of its cluster; see
        `engine.aggregation.turning.simulation.FIELDS`.
    """
    st = borrowed(arrays)
    flown = scratch.flown
    _, hit_c, hit, mark, shift = borrowed(scratch)
    n = len(st.label)
    hits = fly(st, flown, hit_c, mark, 0, time, 0, n)
    if time == st.sim[0].time:
        # rounding may have left a disc slightly beyond a wall, which the next step corrects
        for k in range(hits):
            mark[hit_c[k]] = -1
        hits = 0
    reflect_clusters(st, flown, hit_c, hit, shift, time, 0, hits)
    for k in range(n):
        c = st.label[k]
        i = original[k]
        v = velocity(st.clusters[c])
        put_row(positions, i, row_of(flown, k, v))
        cluster[i] = original[c]
        if mark[c] >= 0:
            v = row_of(hit, mark[c], v)
        put_row(velocities, i, v)
        _put_turning(turning(st.clusters[c]), st, k, time, v, mark[c], hit, shift, i, velocities, fields)
        last_merge[i] = st.merged[c]
    for k in range(hits):
        mark[hit_c[k]] = -1


@dataclass(frozen=True)
class Convergence:
    """Convergence of the minimisations of the last steps, oldest first; arrays (K,), K <= 256.

    time : end of the step; iterations : most that one group took; residual : largest max |φ| / s at the end of a group;
    not_converged : groups whose contacts had to be projected, or whose flight was undone; links : new links;
    rounds : number of times that the motion made new contacts, plus one; place : (K, d) a disc of the group that took
        most
    iterations.
    """

    time: NDArray[np.float64]
    iterations: NDArray[np.int64]
    residual: NDArray[np.float64]
    not_converged: NDArray[np.int64]
    links: NDArray[np.int64]
    rounds: NDArray[np.int64]
    place: NDArray[np.float64]


def convergence(st: Stepping) -> Convergence:
    """The last steps, as far as they are kept."""
    steps = int(st.sim["steps"][0])
    kept = st.convergence[np.arange(max(0, steps - ts.CONVERGENCE_KEPT), steps) % ts.CONVERGENCE_KEPT]
    names = ("time", "iterations", "residual", "not_converged", "links", "rounds")
    return Convergence(**{name: kept[name].copy() for name in names}, place=columns(kept, *along("", st.pos.shape[1])))
