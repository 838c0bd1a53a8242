"""One time step of clusters that turn, in the simplest way: the flight by small steps, sums over discs after it.

The minimisation in between is not repeated: where it puts the discs is given.
"""

from __future__ import annotations

import numpy as np

from tests.reference.turning import cross, turn

SMALL = 400  # steps of a flight that meets something
HALVINGS = 60


def in_one_image(positions, cluster, links, box, periodic):
    """The positions (N, 2) of discs such that linked discs of a cluster are next to each other; and whether each disc's
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


class Cluster:
    """A cluster at the beginning of a step: its discs at arms (n, 2) from the centre of mass, and its motion."""

    def __init__(self, discs, places, velocities, spin, masses, radii, spans):
        self.discs, self.radii, m = discs, radii[discs], masses[discs]
        self.mass, self.spin, self.spans = m.sum(), spin, spans
        self.place, self.velocity = m @ places / self.mass, m @ velocities / self.mass
        self.arms = places - self.place
        self.inertia = m @ (self.arms**2).sum(axis=1) + 0.5 * m @ self.radii**2

    def after(self, dt):
        """The arms and the centre of mass after a time of flight."""
        c, s = np.cos(self.spin * dt), np.sin(self.spin * dt)
        return self.arms @ np.array([[c, s], [-s, c]]), self.place + dt * self.velocity

    def gaps(self, dt, box, periodic):
        """Gaps after a time: to each wall, (n, 4), or between discs of different images, (K, n, n); and how fast they
        close."""
        arms, place = self.after(dt)
        v = self.velocity + turn(self.spin, arms)
        if not periodic:
            x, r = place + arms, self.radii[:, None]
            return np.hstack([x - r, box - x - r]), np.hstack([-v, v])
        shifts = np.array([(k, m) for k in range(-3, 4) for m in range(-3, 4) if (k, m) != (0, 0)]) * box
        apart = arms[None, None, :] + shifts[:, None, None] - arms[None, :, None]
        distance = np.linalg.norm(apart, axis=-1)
        w = v[None, :] - v[:, None]
        return distance - self.radii[:, None] - self.radii, -(apart * w).sum(-1) / distance

    def fly(self, dt, box, periodic):
        """Fly for a time; at walls the impulse, at an image of itself the end of turning. Returns the impacts."""
        here = self.gaps(dt, box, periodic)[0]
        if here.min() >= 0.0 or (periodic and (self.spans or self.spin == 0.0)):
            self.arms, self.place = self.after(dt)
            return 0
        now, impacts = 0.0, 0

        def met(t):
            gap, closing = self.gaps(t, box, periodic)
            return (gap < 0.0) & (closing > 0.0)

        while now < dt:
            h = min(dt / SMALL, dt - now)
            if not met(h).any():
                self.arms, self.place = self.after(h)
                now += h
                continue
            low, high = 0.0, h
            for _ in range(HALVINGS):
                middle = 0.5 * (low + high)
                low, high = (low, middle) if met(middle).any() else (middle, high)
            gap, _ = self.gaps(high, box, periodic)
            at = np.unravel_index(np.where(met(high), gap, np.inf).argmin(), gap.shape)
            self.arms, self.place = self.after(high)
            now += high
            impacts += 1
            if periodic:
                self.spin, self.spans = 0.0, True
                self.place = self.place + (dt - now) * self.velocity
                return 1
            normal = (-1.0, 1.0)[at[1] // 2] * np.eye(2)[at[1] % 2]
            arm = self.arms[at[0]]
            toward = (self.velocity + turn(self.spin, arm)) @ normal
            push = -2.0 * toward / (1.0 / self.mass + cross(arm, normal) ** 2 / self.inertia) * normal
            self.velocity = self.velocity + push / self.mass
            self.spin += cross(arm, push) / self.inertia
        return impacts


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
            self.impacts += one.fly(dt, box, periodic)
            self.flown[discs] = one.place + one.arms
            self.velocities[discs] = one.velocity + turn(one.spin, one.arms)
            self.spin[discs], self.spans[discs] = one.spin, one.spans

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
        (N, 2), with these clusters and links: V, L from the places before it, I from those after it."""
        places, spans = in_one_image(after, cluster, links, self.box, self.periodic)
        before = places + self.nearest(self.flown - places)
        v, spin = np.zeros_like(after), np.zeros(len(after))
        for name in np.unique(cluster):
            discs = np.flatnonzero(cluster == name)
            m, r = self.masses[discs], self.radii[discs]
            own = 0.5 * m * r**2
            v[discs] = m @ self.velocities[discs] / m.sum()
            arms = before[discs] - m @ before[discs] / m.sum()
            momentum = m @ cross(arms, self.velocities[discs] - v[discs]) + own @ self.spin[discs]
            arms = places[discs] - m @ places[discs] / m.sum()
            spans[discs] |= self.spans[discs].any()
            spin[discs] = 0.0 if spans[discs].any() else momentum / (m @ (arms**2).sum(axis=1) + own.sum())
        return v, spin, spans

    def nearest(self, d):
        """Differences (N, 2) to the nearest images."""
        return d - self.box * np.round(d / self.box) if self.periodic else d
