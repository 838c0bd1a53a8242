"""Positions, velocities and checks read off the clusters of the event-driven method."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.event_driven import clusters as cl
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
    """State at NOW in the caller's order of discs: X = reference + V (t - t_reference) + place in the frame.

    original (N,): the caller's number of each disc of the engine (discs are kept in a spatial order).
    """
    st = borrowed(arrays)
    cf = st.cf
    now = st.sf[cl.NOW]
    lx = st.sf[cl.LX]
    ly = st.sf[cl.LY]
    periodic = st.si[cl.PERIODIC]
    for k in range(st.label.shape[0]):
        c = st.label[k]
        dt = now - cf[c, cl.T]
        x = cf[c, cl.PX] + cf[c, cl.VX] * dt + st.discs[k].x
        y = cf[c, cl.PY] + cf[c, cl.VY] * dt + st.discs[k].y
        if periodic:
            x -= lx * np.floor(x / lx)
            y -= ly * np.floor(y / ly)
        i = original[k]
        positions[i, 0] = x
        positions[i, 1] = y
        velocities[i, 0] = cf[c, cl.VX]
        velocities[i, 1] = cf[c, cl.VY]
        cluster[i] = original[c]


@inner
def sums(st: Clusters) -> tuple[float, float, float, float]:
    """Mass, momentum (x, y) and kinetic energy, summed over the clusters."""
    mass = mx = my = energy = 0.0
    for k in range(st.si[cl.M]):
        c = st.live[k]
        m = st.cf[c, cl.MASS]
        mass += m
        mx += st.cf[c, cl.MOMX]
        my += st.more[c, cl.MOMY]
        energy += 0.5 * (st.cf[c, cl.MOMX] ** 2 + st.more[c, cl.MOMY] ** 2) / m
    return mass, mx, my, energy


@kernel
def totals(arrays: Clusters) -> tuple[float, float, float, float]:
    """`sums`, for Python."""
    return sums(borrowed(arrays))
