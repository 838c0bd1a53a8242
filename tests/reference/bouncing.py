"""Hard discs and spheres that bounce, all pairs at every event, in plain numpy: the slow and obviously right twin of
`engine.hard_discs.simulation`.

All discs are moved to every event. Discs of equal radii and masses or not, walls or images along each axis,
restitution, gravity (which acts on all alike and so never enters the meeting of two), growth. Nobody rests here.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np


@dataclass
class Run:
    """Events in order: times (K,), pairs (K, 2) with -1 for a wall, and the state at the end."""

    times: np.ndarray
    pairs: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray


def _first_after(a: float, b: float, c: float) -> float:
    """The smallest t >= 0 with a t^2 + 2 b t + c <= 0 while falling."""
    if c <= 0.0 and b < 0.0:
        return 0.0
    if a >= 0.0 and c > 0.0 and (b >= 0.0 or b * b < (1.0 - 1e-9) * a * c):
        return np.inf  # no term is negative, or no root is real: most pairs are done with here
    roots = np.roots([a, 2.0 * b, c]) if a != 0.0 else (np.array([-c / (2.0 * b)]) if b != 0.0 else np.array([]))
    real = [float(z.real) for z in roots if abs(z.imag) < 1e-14 * max(1.0, abs(z.real))]
    falling = [t for t in real if t > 0.0 and a * t + b < 0.0]
    return min(falling, default=np.inf)


def _next(x, v, r, box, periodic, gravity, gamma):
    """(dt, i, j) of the next event; j = -1 - axis for a wall."""
    n = len(r)
    best, who = np.inf, (-1, -1)
    shifts = list(product(*[(-1, 0, 1) if wraps else (0,) for wraps in periodic]))
    for i in range(n):
        for j in range(i + 1, n):
            u = v[j] - v[i]
            sigma = r[i] + r[j]
            alpha = gamma * sigma
            for shift in shifts:
                d = x[j] - x[i] + np.array(shift) * box
                t = _first_after(u @ u - alpha**2, d @ u - alpha * sigma, d @ d - sigma**2)
                if t < best:
                    best, who = t, (i, j)
        for axis in np.flatnonzero(np.logical_not(periodic)):
            grow = gamma * r[i]
            for gap, speed, pull in (
                (x[i, axis] - r[i], v[i, axis] - grow, gravity[axis]),
                (box[axis] - x[i, axis] - r[i], -v[i, axis] - grow, -gravity[axis]),
            ):
                t = _first_after(0.5 * pull, 0.5 * speed, gap)
                if t < best:
                    best, who = t, (i, -1 - axis)
    return best, who


def bounce(
    state, events, *, restitution=1.0, wall_restitution=1.0, gravity=(0.0, 0.0), growth=0.0, contact_time=0.0
) -> Run:
    """Run an `InitialState` for so many events. growth : dR/dt of the mean radius."""
    x, v = state.positions.copy(), state.velocities.copy()
    r0, m, box = state.radii, state.masses, state.box
    g = np.array((*gravity, 0.0)[: len(box)])
    k = growth / r0.mean()
    around = np.array(state.periodic)
    last = np.full(len(r0), -np.inf)
    now = 0.0
    times, pairs = [], []
    while len(times) < events:
        r = r0 * (1.0 + k * now)
        gamma = k / (1.0 + k * now)
        dt, (i, j) = _next(x, v, r, box, around, g, gamma)
        limit = np.inf
        if around.any():  # images are looked for one box away only: no farther before looking again
            limit = 0.1 * box[around].min() / max(np.abs(v).max(), 1e-300)
        step = min(dt, limit)
        if not np.isfinite(step):
            break
        x += v * step + 0.5 * g * step * step
        v += g * step
        now += step
        x -= around * box * np.floor(x / box)
        if step < dt:
            continue
        r = r0 * (1.0 + k * now)
        if j < 0:
            axis = -1 - j
            low = x[i, axis] < 0.5 * box[axis]
            grow = k * r0[i]
            away = 1.0 if low else -1.0
            e = 1.0 if now - last[i] < contact_time else wall_restitution
            v[i, axis] = away * (grow - e * (away * v[i, axis] - grow))
            last[i] = now
            pairs.append((i, -1))
        else:
            d = x[j] - x[i]
            d -= around * box * np.round(d / box)
            normal = d / np.sqrt(d @ d)
            e = 1.0 if now - max(last[i], last[j]) < contact_time else restitution
            closing = (v[j] - v[i]) @ normal - k * (r0[i] + r0[j])
            push = -(1.0 + e) * closing / (m[i] + m[j])
            v[i] -= push * m[j] * normal
            v[j] += push * m[i] * normal
            last[i] = last[j] = now
            pairs.append((i, j))
        times.append(now)
    return Run(np.array(times), np.array(pairs), x, v)
