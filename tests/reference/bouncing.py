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


def nearest(delta, side):
    return delta - side * np.round(delta / side)


def _next(x, v, r, box, periodic, gravity, gamma, ahead=0.0, faster=0.0):
    """(dt, i, j) of the next event; j = -1 - axis for a wall."""
    n = len(r)
    best, who = np.inf, (-1, -1)
    shifts = [np.array(k) for k in product(*[(-1, 0, 1) if wraps else (0,) for wraps in periodic])]
    if ahead or faster:  # images above and below flow: they are anywhere along x
        shifts = [np.array(k) for k in product(range(-2, 3), *[(-1, 0, 1)] * (len(box) - 1))]
    first = np.eye(len(box))[0]
    for i in range(n):
        for j in range(i + 1, n):
            sigma = r[i] + r[j]
            alpha = gamma * sigma
            for shift in shifts:
                d = x[j] - x[i] + shift * box + shift[1] * ahead * first
                u = v[j] - v[i] + shift[1] * faster * first
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
    state, events, *, restitution=1.0, wall_restitution=1.0, gravity=(0.0, 0.0), growth=0.0, contact_time=0.0, shear=0.0
) -> Run:
    """Run an `InitialState` for so many events. growth : dR/dt of the mean radius; shear : the rate of a flow along x,
    by which the images above the box get ahead of it (Lees and Edwards)."""
    x, v = state.positions.copy(), state.velocities.copy()
    r0, m, box = state.radii, state.masses, state.box
    g = np.array((*gravity, 0.0)[: len(box)])
    k = growth / r0.mean()
    around = np.array(state.periodic)
    strain, faster = state.strain, shear * box[1]
    last = np.full(len(r0), -np.inf)
    now = 0.0
    times, pairs = [], []
    while len(times) < events:
        r = r0 * (1.0 + k * now)
        gamma = k / (1.0 + k * now)
        dt, (i, j) = _next(x, v, r, box, around, g, gamma, nearest(strain * box[1], box[0]), faster)
        limit = np.inf
        if around.any():  # images are looked for one box away only: no farther before looking again
            limit = 0.1 * box[around].min() / max(np.abs(v).max(), abs(faster), 1e-300)
        step = min(dt, limit)
        if not np.isfinite(step):
            break
        x += v * step + 0.5 * g * step * step
        v += g * step
        now += step
        strain += shear * step
        if shear or strain:
            above = np.floor(x[:, 1] / box[1])
            x[:, 0] -= above * strain * box[1]
            v[:, 0] -= above * faster
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
            above = np.round(d[1] / box[1]) if shear or strain else 0.0
            d[0] -= above * strain * box[1]
            moves = np.eye(len(box))[0] * above * faster
            d -= around * box * np.round(d / box)
            normal = d / np.sqrt(d @ d)
            e = 1.0 if now - max(last[i], last[j]) < contact_time else restitution
            closing = (v[j] - moves - v[i]) @ normal - k * (r0[i] + r0[j])
            push = -(1.0 + e) * closing / (m[i] + m[j])
            v[i] -= push * m[j] * normal
            v[j] += push * m[i] * normal
            last[i] = last[j] = now
            pairs.append((i, j))
        times.append(now)
    return Run(np.array(times), np.array(pairs), x, v)
