"""Ballistic aggregation as the paper's appendix A writes it: all pairs of discs at every event, O(N^2) each.

The plain twin of `engine.aggregation.event_driven.simulation`: every disc carries its own position and
velocity, everything is moved to every event. Slow and obviously right; compiled only so
that a few hundred discs take seconds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np


@dataclass
class Run:
    """Merges in order: times (K,), pairs (K, 2) of the discs in contact, and the state at the end."""

    times: np.ndarray
    pairs: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray
    cluster: np.ndarray
    time: float
    wall_events: int


@numba.njit(cache=True)
def _pair_time(dx, dy, ux, uy, sigma):
    """(A.5), free of cancellation, with the stable rule for discs that touch."""
    b = dx * ux + dy * uy
    if b >= 0.0:
        return np.inf
    c = dx * dx + dy * dy - sigma * sigma
    if c <= 0.0:
        return 0.0
    a = ux * ux + uy * uy
    disc = b * b - a * c
    if disc < 0.0:
        return np.inf
    return c / (-b + np.sqrt(disc))


@numba.njit(cache=True)
def _run(x, v, r, m, label, clusters, box, periodic, until_clusters, until_time, max_events):
    n = x.shape[0]
    times = np.empty(n)
    pairs = np.empty((n, 2), np.int64)
    k = 0
    t = 0.0
    walls = 0
    images = 1 if periodic else 0
    for _ in range(max_events):
        if clusters <= until_clusters:
            break
        best = np.inf
        bi = bj = -1
        axis = -1
        for i in range(n):
            for j in range(i + 1, n):
                if label[i] == label[j]:
                    continue
                ux, uy = v[j, 0] - v[i, 0], v[j, 1] - v[i, 1]
                for kx in range(-images, images + 1):
                    for ky in range(-images, images + 1):
                        dx = x[j, 0] - x[i, 0] + kx * box[0]
                        dy = x[j, 1] - x[i, 1] + ky * box[1]
                        s = _pair_time(dx, dy, ux, uy, r[i] + r[j])
                        if s < best:
                            best, bi, bj, axis = s, i, j, -1
            if not periodic:
                for d in range(2):
                    s = np.inf
                    if v[i, d] > 0:
                        s = max(0.0, (box[d] - r[i] - x[i, d]) / v[i, d])
                    elif v[i, d] < 0:
                        s = max(0.0, (x[i, d] - r[i]) / -v[i, d])
                    if s < best:
                        best, bi, bj, axis = s, i, -1, d
        if periodic:
            # images are looked for one box away only: do not fly further than that before looking again
            fastest = 0.0
            for i in range(n):
                fastest = max(fastest, abs(v[i, 0]), abs(v[i, 1]))
            limit = 0.2 * min(box[0], box[1]) / max(2 * fastest, 1e-300)
            if best > limit:
                best, axis, bi = limit, 9, -1
        if not np.isfinite(best) or t + best > until_time:
            break
        for i in range(n):
            x[i] += best * v[i]
            if periodic:
                x[i, 0] -= box[0] * np.floor(x[i, 0] / box[0])
                x[i, 1] -= box[1] * np.floor(x[i, 1] / box[1])
        t += best
        if axis == 9:
            continue
        if axis >= 0:
            walls += 1
            c = label[bi]
            for i in range(n):
                if label[i] == c:
                    v[i, axis] = -v[i, axis]
            continue
        a, b = label[bi], label[bj]
        ma = mb = 0.0
        for i in range(n):
            if label[i] == a:
                ma += m[i]
            elif label[i] == b:
                mb += m[i]
        vx = (ma * v[bi, 0] + mb * v[bj, 0]) / (ma + mb)
        vy = (ma * v[bi, 1] + mb * v[bj, 1]) / (ma + mb)
        for i in range(n):
            if label[i] == a or label[i] == b:
                label[i] = a if ma >= mb else b
                v[i, 0], v[i, 1] = vx, vy
        times[k] = t
        pairs[k, 0], pairs[k, 1] = bi, bj
        k += 1
        clusters -= 1
    return times[:k], pairs[:k], t, walls, clusters


def run_all_pairs(state, until_clusters=1, until_time=np.inf, max_events=10_000_000) -> Run:
    """Run an `InitialState` to `until_clusters` or `until_time`; the state itself is left alone."""
    x, v = state.positions.copy(), state.velocities.copy()
    label = state.cluster.astype(np.int64)
    times, pairs, t, walls, clusters = _run(
        x, v, state.radii, state.masses, label, len(np.unique(label)), state.box, state.periodic,
        until_clusters, until_time, max_events,
    )  # fmt: skip
    if np.isfinite(until_time) and clusters > until_clusters:
        x += (until_time - t) * v
        t = until_time
    return Run(times, pairs, x, v, label, t, walls)
