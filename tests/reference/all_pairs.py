"""Ballistic aggregation as the paper's appendix A writes it: all pairs of discs at every event, O(N^2) each.

The plain twin of `engine.aggregation.event_driven.simulation`: every disc carries its own position and
velocity, everything is moved to every event. Slow and obviously right; compiled only so
that a few hundred discs take seconds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.kernels import inlined, kernel


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


@inlined
def _pair_time(x, v, i, j, shift, sigma):
    """(A.5), free of cancellation, with the stable rule for discs that touch. shift : (d,) of the image of j."""
    a = b = 0.0
    c = -sigma * sigma
    for q in range(x.shape[1]):
        d = x[j, q] - x[i, q] + shift[q]
        u = v[j, q] - v[i, q]
        a += u * u
        b += d * u
        c += d * d
    if b >= 0.0:
        return np.inf
    if c <= 0.0:
        return 0.0
    disc = b * b - a * c
    if disc < 0.0:
        return np.inf
    return c / (-b + np.sqrt(disc))


@kernel
def _run(x, v, r, m, label, clusters, box, periodic, until_clusters, until_time, max_events):
    n, dimensions = x.shape
    shift = np.zeros(3)
    sides = np.ones(3)
    sides[:dimensions] = box
    times = np.empty(n)
    pairs = np.empty((n, 2), np.int64)
    k = 0
    t = 0.0
    walls = 0
    most = np.zeros(3, np.int64)
    most[:dimensions] = periodic
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
                for kx in range(-most[0], most[0] + 1):
                    for ky in range(-most[1], most[1] + 1):
                        for kz in range(-most[2], most[2] + 1):
                            shift[0], shift[1], shift[2] = kx * sides[0], ky * sides[1], kz * sides[2]
                            s = _pair_time(x, v, i, j, shift, r[i] + r[j])
                            if s < best:
                                best, bi, bj, axis = s, i, j, -1
            for d in range(dimensions):
                s = np.inf
                if periodic[d]:
                    continue
                if v[i, d] > 0:
                    s = max(0.0, (box[d] - r[i] - x[i, d]) / v[i, d])
                elif v[i, d] < 0:
                    s = max(0.0, (x[i, d] - r[i]) / -v[i, d])
                if s < best:
                    best, bi, bj, axis = s, i, -1, d
        if periodic.any():
            # images are looked for one box away only: do not fly further than that before looking again
            limit = 0.2 * box.min() / max(2 * np.abs(v).max(), 1e-300)
            if best > limit:
                best, axis, bi = limit, 9, -1
        if not np.isfinite(best) or t + best > until_time:
            break
        for i in range(n):
            x[i] += best * v[i]
            for d in range(dimensions):
                if periodic[d]:
                    x[i, d] -= box[d] * np.floor(x[i, d] / box[d])
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
        together = (ma * v[bi] + mb * v[bj]) / (ma + mb)
        for i in range(n):
            if label[i] == a or label[i] == b:
                label[i] = a if ma >= mb else b
                v[i] = together
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
        x, v, state.radii, state.masses, label, len(np.unique(label)), state.box, np.array(state.periodic),
        until_clusters, until_time, max_events,
    )  # fmt: skip
    if np.isfinite(until_time) and clusters > until_clusters:
        x += (until_time - t) * v
        t = until_time
    return Run(times, pairs, x, v, label, t, walls)
