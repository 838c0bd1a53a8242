"""One time step of clusters that turn, in the simplest way: the flight by small steps, sums over discs after it.

The minimisation in between is not repeated: where it puts the discs is given.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from tests.reference.turning import Body, cross, moved, of_points, turn

SMALL = 400  # steps of a flight that meets something
HALVINGS = 60


def in_one_image(positions, cluster, links, box, periodic):
    """The positions (N, d) of discs such that linked discs of a cluster are next to each other; and whether each disc's
    cluster, (N,), touches an image of itself."""
    places, seen, spans = positions.copy(), np.zeros(len(cluster), bool), np.zeros(len(cluster), bool)
    if not periodic:
        return places, spans
    own = links[cluster[links[:, 0]] == cluster[links[:, 1]]]
    for first in range(len(cluster)):
        waiting = [] if seen[first] else [first]
        seen[first] = True
        while waiting:
            i = waiting.pop()
            for a, b in own[(own == i).any(axis=1)]:
                j = b if a == i else a
                d = positions[j] - places[i]
                there = places[i] + d - box * np.round(d / box)
                if not seen[j]:
                    seen[j], places[j] = True, there
                    waiting.append(j)
                elif not np.allclose(there, places[j], atol=1e-6 * box.min()):
                    spans[cluster == cluster[i]] = True
    return places, spans


def whole_inertia(masses, radii, arms):
    """The moment or tensor of inertia of solid discs or spheres at arms (n, d)."""
    own = (0.5 if arms.shape[1] == 2 else 0.4) * masses @ radii**2
    return of_points(masses, arms) + own * (1.0 if arms.shape[1] == 2 else np.eye(3))


def over(inertia, momentum):
    """I⁻¹ L."""
    return np.linalg.solve(inertia, momentum) if np.ndim(inertia) else momentum / inertia


class Cluster:
    """A cluster at the beginning of a step: its discs at arms (n, d) from the centre of mass, and its motion."""

    def __init__(self, discs, places, velocities, spin, masses, radii, spans):
        self.discs, self.radii, m = discs, radii[discs], masses[discs]
        self.spans, mass = spans, m.sum()
        place = m @ places / mass
        inertia = whole_inertia(m, self.radii, places - place)
        self.begin(places - place, mass, inertia, place, m @ velocities / mass, np.dot(inertia, spin))

    def begin(self, arms, *rest):
        """Move as a rigid body from now on: its mass, inertia, place, velocity and angular momentum."""
        self.body = Body(list(self.discs), arms, *rest, ahead=0.0)

    def gaps(self, dt, box, periodic):
        """Gaps after a time: to each wall, (n, 2 d), or between discs of different images, (K, n, n); and how fast they
        close."""
        arms, place, spin, _ = moved(self.body, dt)
        v = self.body.velocity + turn(spin, arms)
        if not periodic:
            x, r = place + arms, self.radii[:, None]
            return np.hstack([x - r, box - x - r]), np.hstack([-v, v])
        shifts = np.array([one for one in product(range(-3, 4), repeat=len(box)) if any(one)]) * box
        apart = arms[None, None, :] + shifts[:, None, None] - arms[None, :, None]
        distance = np.linalg.norm(apart, axis=-1)
        w = v[None, :] - v[:, None]
        return distance - self.radii[:, None] - self.radii, -(apart * w).sum(-1) / distance

    def fly(self, dt, box, periodic):
        """Fly for a time; at walls the impulse, at an image of itself the end of turning. Returns the arms, the centre
        of mass, V and ω then, and the number of impacts."""
        now, impacts = 0.0, 0
        meets = not periodic or not (self.spans or not np.any(self.body.momentum))

        def met(t):
            gap, closing = self.gaps(t, box, periodic)
            return (gap < 0.0) & (closing > 0.0)

        while meets and now < dt and (impacts > 0 or self.gaps(dt, box, periodic)[0].min() < 0.0):
            last = 0.0
            rest = dt - now
            for k in range(1, SMALL + 1):
                high = rest * k / SMALL
                if met(high).any():
                    break
                last = high
            else:
                break
            low = last
            for _ in range(HALVINGS):
                middle = 0.5 * (low + high)
                low, high = (low, middle) if met(middle).any() else (middle, high)
            gap, _ = self.gaps(high, box, periodic)
            at = np.unravel_index(np.where(met(high), gap, np.inf).argmin(), gap.shape)
            arms, place, spin, inertia = moved(self.body, high)
            now += high
            impacts += 1
            velocity, mass, momentum = self.body.velocity, self.body.mass, self.body.momentum
            if periodic:
                self.spans = True
                return arms, place + (dt - now) * velocity, velocity, 0.0 * spin, 1
            d = len(box)
            normal = (-1.0, 1.0)[at[1] // d] * np.eye(d)[at[1] % d]
            arm = arms[at[0]]
            lever = cross(arm, normal)
            toward = (velocity + turn(spin, arm)) @ normal
            push = -2.0 * toward / (1.0 / mass + np.dot(lever, over(inertia, lever))) * normal
            self.begin(arms, mass, inertia, place, velocity + push / mass, momentum + cross(arm, push))
        arms, place, spin, _ = moved(self.body, dt - now)
        return arms, place, self.body.velocity, spin, impacts


class Step:
    """A step: what is there before it, and where its flight ends.

    positions, velocities, spin, cluster : of the discs at the last whole step; links : (K, 2), of it; the other
    arguments are those of all discs, of the box and of the step.
    """

    def __init__(self, positions, velocities, spin, cluster, links, masses, radii, box, periodic, dt, spanning=()):
        self.masses, self.radii, self.box, self.periodic = masses, radii, box, periodic
        places, spans = in_one_image(positions, cluster, links, box, periodic)
        self.clusters = []
        self.flown, self.velocities = places.copy(), velocities.copy()
        self.spin, self.spans, self.impacts = spin.copy(), spans.copy(), 0
        for name in np.unique(cluster):
            discs = np.flatnonzero(cluster == name)
            one = Cluster(discs, places[discs], velocities[discs], spin[discs[0]], masses, radii, spans[discs[0]])
            one.spans = one.spans or bool(np.isin(discs, spanning).any())
            arms, place, velocity, turns, impacts = one.fly(dt, box, periodic)
            self.impacts += impacts
            self.flown[discs] = place + arms
            self.velocities[discs] = velocity + turn(turns, arms)
            self.spin[discs], self.spans[discs] = turns, one.spans

    def overlapping(self, cluster):
        """The pairs of discs of different clusters that overlap after the flight, (K, 2), ordered."""
        d = self.flown[None] - self.flown[:, None]
        if self.periodic:
            d -= self.box * np.round(d / self.box)
        touch = np.linalg.norm(d, axis=-1) < self.radii[:, None] + self.radii
        touch &= cluster[:, None] != cluster
        return np.argwhere(np.triu(touch, 1))

    def joined(self, after, cluster, links):
        """V, ω and whether it spans the box, of the cluster of each disc, after a minimisation that ends at `after`,
        (N, d), with these clusters and links: V, L from the places before it, I from those after it; and the energy of
        turning that the minimisation has added."""
        places, spans = in_one_image(after, cluster, links, self.box, self.periodic)
        before = places + self.nearest(self.flown - places)
        v, spin, raised = np.zeros_like(after), np.zeros_like(self.spin), 0.0
        for name in np.unique(cluster):
            discs = np.flatnonzero(cluster == name)
            m, r = self.masses[discs], self.radii[discs]
            own = (0.5 if len(self.box) == 2 else 0.4) * m * r**2
            v[discs] = m @ self.velocities[discs] / m.sum()
            arms = before[discs] - m @ before[discs] / m.sum()
            momentum = m @ cross(arms, self.velocities[discs] - v[discs]) + own @ self.spin[discs]
            flown = whole_inertia(m, r, arms)
            inertia = whole_inertia(m, r, places[discs] - m @ places[discs] / m.sum())
            spans[discs] |= self.spans[discs].any()
            if not spans[discs].any():
                spin[discs] = over(inertia, momentum)
                raised += 0.5 * np.dot(momentum, over(inertia, momentum) - over(flown, momentum))
        return v, spin, spans, raised

    def nearest(self, d):
        """Differences (N, d) to the nearest images."""
        return d - self.box * np.round(d / self.box) if self.periodic else d
