"""What a gas should have counted: from its frames, one event after another, in plain Python.

Nothing here reads a counter of the gas. Between two events discs fly straight, so that the frame at an event, with the
one before, says all: who met (`frame.impacts`), where everybody was, and what it did to the velocities. No gravity, no
growth.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

NEAR = 1e-10  # of a diameter: below it an overlap is decided in exact arithmetic
DOUBTFUL = 2.0  # units in the last place of σ: nearer to contact, floats may say either


@dataclass
class Tally:
    """Over some events. three_body, stabilising : [fewest, most], apart where an overlap is as small as rounding;
    separations (K,): |r_ij| - σ in units in the last place of σ, exactly; virial : Σ |Δp · r|; kinetic_time : ∫ K dt;
    last : when each disc was predicted last.
    """

    pairs: int = 0
    walls: int = 0
    three_body: list[int] = field(default_factory=lambda: [0, 0])
    stabilising: list[int] = field(default_factory=lambda: [0, 0])
    separations: list[float] = field(default_factory=list)
    virial: float = 0.0
    kinetic_time: float = 0.0
    time: float = 0.0
    last: dict[int, float] = field(default_factory=dict)

    def z(self, count: int) -> float:
        """Z = 1 + Σ |Δp · r| / (2 N kT t), kT = K / (N - 1): without total momentum."""
        return 1.0 + self.virial * (count - 1) / (2.0 * count * self.kinetic_time)


def separation(a, b, sigma, box, periodic) -> float:
    """(|r|² - σ²) / 2σ of discs at a and b in units in the last place of σ; exact where they nearly touch."""
    d = b - a
    if periodic:
        d -= box * np.round(d / box)
    rough = (float(d @ d) - sigma**2) / (2.0 * sigma)
    unit = float(np.spacing(sigma))
    if abs(rough) > NEAR * sigma:
        return rough / unit
    x, y = (Fraction(float(value)) for value in d)
    exact = x * x + y * y - Fraction(sigma) ** 2
    return float(exact / (2 * Fraction(sigma) * Fraction(unit)))


def step(simulation, before, tally):
    """On by one event; `before` : the frame before it. Returns the frame after it."""
    simulation.advance(max_events=1)
    after = simulation.frame()
    i, j = after.impacts.pairs[-1]
    mass, box, periodic = simulation.masses, simulation.box, simulation.periodic
    dt = after.time - before.time
    tally.kinetic_time += 0.5 * float((mass * np.square(before.velocities).sum(axis=1)).sum()) * dt
    tally.time += dt
    waited = after.time - max(tally.last.get(int(k), 0.0) for k in (i, j) if k >= 0)
    tally.last |= {int(k): after.time for k in (i, j) if k >= 0}
    if j < 0:
        tally.walls += 1
        return after
    tally.pairs += 1
    x, r = after.positions, simulation.radii
    d = x[j] - x[i]
    if periodic:
        d -= box * np.round(d / box)
    push = mass[i] * (before.velocities[i] - after.velocities[i])
    tally.virial += abs(float(push @ d))
    apart = separation(x[i], x[j], r[i] + r[j], box, periodic)
    tally.separations.append(apart)
    others = []  # how deep each of the two overlaps somebody else
    for k, partner in ((i, j), (j, i)):
        gap = x - x[k]
        if periodic:
            gap -= box * np.round(gap / box)
        close = np.flatnonzero(np.hypot(gap[:, 0], gap[:, 1]) < (r + r[k]) * (1.0 + 1e-9))
        others += [separation(x[k], x[m], r[k] + r[m], box, periodic) for m in close if m not in (k, partner)]
    deepest = min(others, default=np.inf)
    tally.three_body[0] += deepest < -DOUBTFUL
    tally.three_body[1] += deepest < DOUBTFUL
    # nobody flies into another one farther than rounding: such a pair overlapped when it was predicted, and met at once
    deep = apart * float(np.spacing(r[i] + r[j])) < -NEAR
    tally.stabilising[0] += deep
    tally.stabilising[1] += deep or (apart < DOUBTFUL and waited <= 0.0)
    return after


def count(simulation, events) -> Tally:
    """On by so many events, counted."""
    tally, frame = Tally(), simulation.frame()
    for _ in range(events):
        frame = step(simulation, frame, tally)
    return tally
