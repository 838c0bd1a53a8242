"""Ballistic aggregation of discs or spheres in clusters that turn, in the simplest way: small steps, and bisection.

Every contact of every pair of discs, of every image and wall is looked at in every step. Nothing is kept but the discs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import numpy as np
from scipy.integrate import OdeSolution, solve_ivp

SHORTEST = 2e-4  # of a step, as a share of the time in which the fastest disc flies a radius
PRECISION = 1e-13  # of an event, in units of that time


@dataclass
class Body:
    """A rigid cluster: its discs, the vectors (n, d) to them and its moment or tensor of inertia when it began to move
    as it does, its motion, for how long it has moved so, and over how many radians its motion is integrated at once."""

    discs: list[int]
    arms: np.ndarray
    mass: float
    inertia: float | np.ndarray
    place: np.ndarray
    velocity: np.ndarray
    momentum: float | np.ndarray
    spans: bool = False
    age: float = 0.0
    path: list[tuple[float, OdeSolution]] = field(default_factory=list)
    ahead: float = 3.0


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
    """The vector product, a number in the plane."""
    return np.cross(a, b) if np.shape(a)[-1] == 3 else a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def turn(spin, arms):
    """The velocity that turning gives points (n, d)."""
    return np.cross(spin, arms) if np.ndim(spin) else spin * np.stack([-arms[..., 1], arms[..., 0]], axis=-1)


def of_points(masses, arms):
    """The moment or tensor of inertia of point masses (n,) at (n, d)."""
    squares = np.square(arms).sum(axis=1)
    if arms.shape[1] == 2:
        return masses @ squares
    return (masses * squares).sum() * np.eye(3) - (masses[:, None] * arms).T @ arms


def moved(body, dt):
    """After a time: the vectors to the discs of a body, its place, ω, and its moment or tensor of inertia."""
    place, age = body.place + body.velocity * dt, body.age + dt
    if np.ndim(body.momentum) == 0:
        spin = body.momentum / body.inertia
        c, s = np.cos(spin * age), np.sin(spin * age)
        return body.arms @ np.array([[c, s], [-s, c]]), place, spin, body.inertia
    if len(body.discs) == 1 or not body.momentum.any():
        return body.arms, place, np.linalg.solve(body.inertia, body.momentum), body.inertia
    turned = turned_by(body, age)
    spin = turned @ np.linalg.solve(body.inertia, turned.T @ body.momentum)
    return body.arms @ turned.T, place, spin, turned @ body.inertia @ turned.T


def turned_by(body, age):
    """The rotation (3, 3) of a body in space since it began to move as it does, by integrating its motion."""
    inverse, fastest = np.linalg.inv(body.inertia), np.linalg.norm(body.momentum) / np.linalg.eigvalsh(body.inertia)[0]

    def rate(_, y):
        turned = y.reshape(3, 3)
        return np.cross(turned @ (inverse @ (turned.T @ body.momentum)), turned.T).T.ravel()

    while not body.path or body.path[-1][0] < age:
        begin, y = (body.path[-1][0], body.path[-1][1](body.path[-1][0])) if body.path else (0.0, np.eye(3).ravel())
        end = max(age, begin + body.ahead / fastest)
        ways = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14, "dense_output": True, "max_step": 0.05 / fastest}
        body.path.append((end, solve_ivp(rate, (begin, end), y, **ways).sol))
    return next(path(age) for end, path in body.path if age <= end).reshape(3, 3)


def energy(bodies):
    """The kinetic energy of bodies."""
    return sum(0.5 * b.mass * b.velocity @ b.velocity + 0.5 * np.dot(b.momentum, moved(b, 0.0)[2]) for b in bodies)


class Turning:
    """A run of single discs that stick and turn.

    state : positions, velocities, radii, masses, box, periodic; spin : (N,) or (N, 3).
    """

    def __init__(self, state, spin):
        self.state, self.time, self.found = state, 0.0, Found()
        dimensions = len(state.box)
        own = (0.5 if dimensions == 2 else 0.4) * state.masses * state.radii**2
        eye = 1.0 if dimensions == 2 else np.eye(3)
        self.bodies = [
            Body(
                [i], np.zeros((1, dimensions)), state.masses[i], own[i] * eye, state.positions[i],
                state.velocities[i], own[i] * spin[i],
            )
            for i in range(len(spin))
        ]  # fmt: skip
        periods = [(-1, 0, 1) if around else (0,) for around in state.periodic]
        self.shifts = np.array(list(product(*periods))) * state.box

    def gaps(self, dt):
        """All gaps after a time: of pairs of discs in each image (K, N, N), and of discs and walls (N, 2 d); closing
        speeds. Pairs that cannot meet have infinite ones."""
        n = len(self.state.radii)
        x, v, name, turns = *np.zeros((2, n, len(self.state.box))), np.zeros(n, int), np.zeros(n, bool)
        for k, body in enumerate(self.bodies):
            arms, place, spin, _ = moved(body, dt)
            x[body.discs], v[body.discs] = place + arms, body.velocity + turn(spin, arms)
            name[body.discs], turns[body.discs] = k, np.any(body.momentum)
        home = np.array([self.bodies[k].place + self.bodies[k].velocity * dt for k in name])
        back = np.where(self.state.periodic, np.floor(home / self.state.box) * self.state.box, 0.0)
        x = x - back
        apart = x[None, None, :] + self.shifts[:, None, None] - x[None, :, None]
        distance = np.linalg.norm(apart, axis=-1)
        gap = distance - (self.state.radii[:, None] + self.state.radii)
        closing = -(apart * (v[None, None, :] - v[None, :, None])).sum(-1) / np.maximum(distance, 1e-300)
        same = name[:, None] == name
        own = np.abs(self.shifts).max(axis=1) == 0.0
        gap[own[:, None, None] & same] = np.inf
        gap[:, same & ~turns[:, None]] = np.inf
        radius = self.state.radii[:, None]
        walls = np.hstack([x - radius, self.state.box - x - radius])
        walls[:, np.tile(self.state.periodic, 2)] = np.inf
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
            np.linalg.norm(b.velocity)
            + np.linalg.norm(b.momentum)
            / np.min(np.linalg.eigvalsh(np.atleast_2d(b.inertia)))
            * np.linalg.norm(b.arms, axis=1).max()
            for b in self.bodies
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
            body.place, body.age = body.place + body.velocity * dt, body.age + dt
        self.time += dt

    def of(self, disc):
        """The body of a disc, and its place among its discs."""
        return next((b, b.discs.index(disc)) for b in self.bodies if disc in b.discs)

    def carry_out(self, image, i, j):
        """A wall (image None), a merge, or the contact of a body with its own image."""
        one, at = self.of(i)
        arms, _, spin, inertia = moved(one, 0.0)
        if image is None:
            dimensions = len(one.place)
            axis, side = j % dimensions, (-1.0, 1.0)[j // dimensions]
            n = side * np.eye(dimensions)[axis]
            lever = cross(arms[at], n)
            speed = (one.velocity + turn(spin, arms[at])) @ n
            yields = lever @ np.linalg.solve(inertia, lever) if np.ndim(inertia) else lever**2 / inertia
            if one.spans:  # it does not turn, however it is pushed
                yields, lever = 0.0, 0.0 * lever
            push = -2.0 * speed / (1.0 / one.mass + yields)
            momentum = one.momentum + push * lever
            velocity = one.velocity + push / one.mass * n
            self.replace([one], Body(one.discs, arms, one.mass, inertia, one.place, velocity, momentum, one.spans))
            self.found.walls += 1
            return
        two, beside = self.of(j)
        if one is two:
            one.arms, one.inertia, one.age, one.path = arms, inertia, 0.0, []
            one.spans, one.momentum = True, 0.0 * one.momentum
            self.found.spanning += 1
            return
        others, _, _, more = moved(two, 0.0)
        x = self.gaps(0.0)[-1]
        r = x[j] - others[beside] + self.shifts[image] - (x[i] - arms[at])
        u = two.velocity - one.velocity
        mass = one.mass + two.mass
        reduced = one.mass * two.mass / mass
        spans = one.spans or two.spans
        momentum = one.momentum + two.momentum + reduced * cross(r, u)
        share = two.mass / mass * r
        body = Body(
            one.discs + two.discs,
            np.concatenate([arms - share, others + r - share]),
            mass,
            inertia + more + of_points(np.array([reduced]), r[None]),
            x[i] - arms[at] + share,
            (one.mass * one.velocity + two.mass * two.velocity) / mass,
            0.0 * momentum if spans else momentum,
            spans,
        )
        self.replace([one, two], body)
        self.found.times.append(self.time)
        self.found.pairs.append((int(i), int(j)))
        self.found.energies.append(energy(self.bodies))

    def replace(self, before, body):
        """Put a body in the place of others."""
        self.bodies = [b for b in self.bodies if all(b is not one for one in before)] + [body]
