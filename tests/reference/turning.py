"""Ballistic aggregation of discs in clusters that turn, in the simplest way: small steps of all discs, and bisection.

Every contact of every pair of discs, of every image and wall is looked at in every step. Nothing is kept but the discs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import numpy as np

SHORTEST = 2e-4  # of a step, as a share of the time in which the fastest disc flies a radius
PRECISION = 1e-13  # of an event, in units of that time


@dataclass
class Body:
    """A rigid cluster at the time of the run: its discs, the vectors (n, 2) to them, and its motion."""

    discs: list[int]
    arms: np.ndarray
    mass: float
    inertia: float
    place: np.ndarray
    velocity: np.ndarray
    spin: float
    spans: bool = False


@dataclass
class Found:
    """Of each merge the time, the two discs and the energy after it; how many walls were met; the last bodies."""

    times: list[float] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    energies: list[float] = field(default_factory=list)
    walls: int = 0
    spanning: int = 0
    bodies: list[Body] = field(default_factory=list)


def cross(a, b):
    """The vector product in the plane."""
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def turn(spin, arms):
    """The velocity that turning gives points (n, 2)."""
    return spin * np.stack([-arms[..., 1], arms[..., 0]], axis=-1)


def moved(body, dt):
    """The vectors to the discs and the place of a body after a time."""
    c, s = np.cos(body.spin * dt), np.sin(body.spin * dt)
    return body.arms @ np.array([[c, s], [-s, c]]), body.place + body.velocity * dt


def energy(bodies):
    """The kinetic energy of bodies."""
    return sum(0.5 * b.mass * b.velocity @ b.velocity + 0.5 * b.inertia * b.spin**2 for b in bodies)


class Turning:
    """A run of single discs that stick and turn.

    state : positions, velocities, radii, masses, box, periodic; spin : (N,).
    """

    def __init__(self, state, spin):
        self.state, self.time, self.found = state, 0.0, Found()
        own = 0.5 * state.masses * state.radii**2
        self.bodies = [
            Body([i], np.zeros((1, 2)), state.masses[i], own[i], state.positions[i], state.velocities[i], spin[i])
            for i in range(len(spin))
        ]
        periods = (-1, 0, 1) if state.periodic else (0,)
        self.shifts = np.array(list(product(periods, repeat=2))) * state.box

    def gaps(self, dt):
        """All gaps after a time: of pairs of discs in each image (K, N, N), and of discs and walls (N, 4); the closing
        speeds. Pairs that cannot meet have infinite ones."""
        n = len(self.state.radii)
        x, v, name, turns = np.zeros((n, 2)), np.zeros((n, 2)), np.zeros(n, int), np.zeros(n, bool)
        for k, body in enumerate(self.bodies):
            arms, place = moved(body, dt)
            x[body.discs], v[body.discs] = place + arms, body.velocity + turn(body.spin, arms)
            name[body.discs], turns[body.discs] = k, body.spin != 0.0
        home = np.array([self.bodies[k].place + self.bodies[k].velocity * dt for k in name])
        back = np.floor(home / self.state.box) * self.state.box if self.state.periodic else 0.0
        x = x - back
        apart = x[None, None, :] + self.shifts[:, None, None] - x[None, :, None]
        distance = np.linalg.norm(apart, axis=-1)
        gap = distance - (self.state.radii[:, None] + self.state.radii)
        closing = -(apart * (v[None, None, :] - v[None, :, None])).sum(-1) / np.maximum(distance, 1e-300)
        same = name[:, None] == name
        own = np.abs(self.shifts).max(axis=1) == 0.0
        gap[own[:, None, None] & same] = np.inf
        gap[:, same & ~turns[:, None]] = np.inf
        walls = np.full((n, 4), np.inf)
        if not self.state.periodic:
            radius = self.state.radii[:, None]
            walls = np.hstack([x - radius, self.state.box - x - radius])
        return gap, closing, walls, np.hstack([-v, v]), x

    def run(self, until_bodies=1, until_time=np.inf):
        """Take events until so few bodies are left, or up to a time."""
        while len(self.bodies) > until_bodies and self.time < until_time:
            self.step(until_time)
        self.found.bodies = self.bodies
        return self.found

    def step(self, until_time):
        """Advance to the next event, or by a step in which nothing can happen."""
        fastest = 1e-300 + max(
            np.linalg.norm(b.velocity) + abs(b.spin) * np.linalg.norm(b.arms, axis=1).max() for b in self.bodies
        )
        unit = self.state.radii.min() / fastest
        gap, _, walls, _, _ = self.gaps(0.0)
        nearest = min(0.5 * gap.min(), walls.min())
        dt = min(max(nearest / fastest, SHORTEST * unit), until_time - self.time)
        if not self.event(dt):
            self.advance(dt)
            return
        low, high = 0.0, dt
        while high - low > PRECISION * unit:
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self.event(middle) else (middle, high)
        event = self.event(high)
        self.advance(high)
        self.carry_out(*event)

    def event(self, dt):
        """What has happened after a time: the image, disc and disc, or None, the disc and the wall; the deepest one."""
        gap, closing, walls, outward, _ = self.gaps(dt)
        met, hit = (gap < 0.0) & (closing > 0.0), (walls < 0.0) & (outward > 0.0)
        if met.any():
            return np.unravel_index(np.where(met, gap, np.inf).argmin(), gap.shape)
        if hit.any():
            return (None, *np.unravel_index(np.where(hit, walls, np.inf).argmin(), walls.shape))
        return None

    def advance(self, dt):
        """Move all bodies."""
        for body in self.bodies:
            body.arms, body.place = moved(body, dt)
        self.time += dt

    def of(self, disc):
        """The body of a disc, and its place among its discs."""
        return next((b, b.discs.index(disc)) for b in self.bodies if disc in b.discs)

    def carry_out(self, image, i, j):
        """A wall (image None), a merge, or the contact of a body with its own image."""
        one, at = self.of(i)
        if image is None:
            axis, side = j % 2, (-1.0, 1.0)[j // 2]
            n = side * np.eye(2)[axis]
            arm = one.arms[at]
            speed = (one.velocity + turn(one.spin, arm)) @ n
            push = -2.0 * speed / (1.0 / one.mass + cross(arm, n) ** 2 / one.inertia) * n
            one.velocity, one.spin = one.velocity + push / one.mass, one.spin + cross(arm, push) / one.inertia
            self.found.walls += 1
            return
        two, beside = self.of(j)
        if one is two:
            one.spans, one.spin = True, 0.0
            self.found.spanning += 1
            return
        x = self.gaps(0.0)[-1]
        r = x[j] - two.arms[beside] + self.shifts[image] - (x[i] - one.arms[at])
        u = two.velocity - one.velocity
        mass = one.mass + two.mass
        reduced = one.mass * two.mass / mass
        inertia = one.inertia + two.inertia + reduced * r @ r
        spans = one.spans or two.spans
        momentum = one.inertia * one.spin + two.inertia * two.spin + reduced * cross(r, u)
        share = two.mass / mass * r
        body = Body(
            one.discs + two.discs,
            np.concatenate([one.arms - share, two.arms + r - share]),
            mass,
            inertia,
            x[i] - one.arms[at] + share,
            (one.mass * one.velocity + two.mass * two.velocity) / mass,
            0.0 if spans else momentum / inertia,
            spans,
        )
        self.bodies = [b for b in self.bodies if b is not one and b is not two] + [body]
        self.found.times.append(self.time)
        self.found.pairs.append((int(i), int(j)))
        self.found.energies.append(energy(self.bodies))
