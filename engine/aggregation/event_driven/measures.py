"""Positions, velocities and checks read off the clusters of the event-driven method."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.event_driven.clusters import Clusters
from engine.kernels import borrowed, inner, kernel


@kernel
def fill_frame(
    arrays: Clusters,
    positions: NDArray[np.float64],
    velocities: NDArray[np.float64],
    cluster: NDArray[np.int32],
    original: NDArray[np.int32],
) -> None:
    """State at the simulation's time in the caller's order of discs.

    X = reference + V (t - t_reference) + place in the frame. original (N,): the caller's number of each disc of the
    engine (discs are kept in a spatial order).
    """
    st = borrowed(arrays)
    sim = st.sim[0]
    now = sim.time
    lx = sim.box_x
    ly = sim.box_y
    periodic = sim.periodic
    for k in range(st.label.shape[0]):
        c = st.label[k]
        of = st.clusters[c]
        dt = now - of.time
        x = of.x + of.vx * dt + st.discs[k].x
        y = of.y + of.vy * dt + st.discs[k].y
        if periodic:
            x -= lx * np.floor(x / lx)
            y -= ly * np.floor(y / ly)
        i = original[k]
        positions[i, 0] = x
        positions[i, 1] = y
        velocities[i, 0] = of.vx
        velocities[i, 1] = of.vy
        cluster[i] = original[c]


@inner
def sums(st: Clusters) -> tuple[float, float, float, float]:
    """Mass, momentum (x, y) and kinetic energy, summed over the clusters."""
    mass = px = py = energy = 0.0
    for k in range(st.sim[0].clusters):
        cluster = st.clusters[st.live[k]]
        m = cluster.mass
        mass += m
        px += cluster.px
        py += cluster.py
        energy += 0.5 * (cluster.px**2 + cluster.py**2) / m
    return mass, px, py, energy


@kernel
def totals(arrays: Clusters) -> tuple[float, float, float, float]:
    """`sums`, for Python."""
    return sums(borrowed(arrays))
