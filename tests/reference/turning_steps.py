"""One time step of clusters that turn, or do not, in the simplest way: the flight by small steps, or from wall to wall,
and sums over discs after it.

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
    if not periodic.any:
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
                there = places[i] + nearest(d, box, periodic)
                if not seen[j]:
                    seen[j], places[j] = True, there
                    waiting.append(j)
                elif not np.allclose(there, places[j], atol=1e-6 * box.min()):
                    spans[cluster == cluster[i]] = True
    return places, spans


def nearest(d, box, periodic):
    """Differences (…, d) to the nearest images."""
    return d - np.where(periodic, box * np.round(d / box), 0.0)


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
        """Gaps after a time, and how fast they close: to each wall, (n, 2 d), and between discs of different images,
        (K, n, n), where the cluster turns."""
        arms, place, spin, _ = moved(self.body, dt)
        v = self.body.velocity + turn(spin, arms)
        x, r = place + arms, self.radii[:, None]
        walls = np.where(np.tile(periodic, 2), np.inf, np.hstack([x - r, box - x - r])), np.hstack([-v, v])
        turns = not self.spans and np.any(self.body.momentum)
        periods = product(*(range(-3, 4) if around and turns else (0,) for around in periodic))
        shifts = np.array([one for one in periods if any(one)]).reshape(-1, len(box)) * box
        apart = arms[None, None, :] + shifts[:, None, None] - arms[None, :, None]
        distance = np.linalg.norm(apart, axis=-1)
        w = v[None, :] - v[:, None]
        return walls, (distance - self.radii[:, None] - self.radii, -(apart * w).sum(-1) / distance)

    def fly(self, dt, box, periodic):
        """Fly for a time; at walls the impulse, at an image of itself the end of turning. Returns the arms, the centre
        of mass, V and ω then, and the number of walls."""
        now, impacts, events = 0.0, 0, 0

        def met(t):
            return [(gap < 0.0) & (closing > 0.0) for gap, closing in self.gaps(t, box, periodic)]

        def happened(t):
            return any(one.any() for one in met(t))

        while now < dt and (
            events > 0 or min(gap.min(initial=np.inf) for gap, _ in self.gaps(dt, box, periodic)) < 0.0
        ):
            last = 0.0
            rest = dt - now
            for k in range(1, SMALL + 1):
                high = rest * k / SMALL
                if happened(high):
                    break
                last = high
            else:
                break
            low = last
            for _ in range(HALVINGS):
                middle = 0.5 * (low + high)
                low, high = (low, middle) if happened(middle) else (middle, high)
            arms, place, spin, inertia = moved(self.body, high)
            now += high
            events += 1
            velocity, mass, momentum = self.body.velocity, self.body.mass, self.body.momentum
            walls, images = met(high)
            if images.any():
                self.spans = True
                self.begin(arms, mass, inertia, place, velocity, 0.0 * momentum)
                continue
            impacts += 1
            gap = self.gaps(high, box, periodic)[0][0]
            at = np.unravel_index(np.where(walls, gap, np.inf).argmin(), gap.shape)
            d = len(box)
            normal = (-1.0, 1.0)[at[1] // d] * np.eye(d)[at[1] % d]
            arm = arms[at[0]]
            lever = 0.0 * momentum if self.spans else cross(arm, normal)
            toward = (velocity + turn(spin, arm)) @ normal
            push = -2.0 * toward / (1.0 / mass + np.dot(lever, over(inertia, lever)))
            self.begin(arms, mass, inertia, place, velocity + push / mass * normal, momentum + push * lever)
        arms, place, spin, _ = moved(self.body, dt - now)
        return arms, place, self.body.velocity, spin, impacts

    def bounce(self, dt, box, periodic):
        """`fly` of a cluster that does not turn: as a whole it comes back from each wall."""
        arms, place, velocity, impacts = self.body.arms, self.body.place.copy(), self.body.velocity.copy(), 0
        for axis in range(len(box)):
            low = place[axis] + (arms[:, axis] - self.radii).min()
            room = box[axis] - (arms[:, axis] + self.radii).max() + (arms[:, axis] - self.radii).min()
            left, v = dt, velocity[axis]
            while v != 0.0 and not periodic[axis] and left > (t := max(0.0, (room - low) / v if v > 0.0 else low / -v)):
                low, left, v, impacts = low + t * v, left - t, -v, impacts + 1
            place[axis], velocity[axis] = low + left * v - (arms[:, axis] - self.radii).min(), v
        return arms, place, velocity, 0.0 * self.body.momentum, impacts


class Step:
    """A step: what is there before it, and where its flight ends.

    positions, velocities, spin, cluster : of the discs at the last whole step, spin None where clusters do not turn;
    links : (K, 2), of it; the other arguments are those of all discs, of the box and of the step.
    """

    def __init__(self, positions, velocities, spin, cluster, links, masses, radii, box, periodic, dt, spanning=()):
        fly = Cluster.bounce if spin is None else Cluster.fly
        spin = spin if spin is not None else np.zeros(len(radii) if len(box) == 2 else (len(radii), 3))
        self.masses, self.radii, self.box, self.periodic = masses, radii, box, periodic
        places, spans = in_one_image(positions, cluster, links, box, periodic)
        self.clusters = []
        self.flown, self.velocities = places.copy(), velocities.copy()
        self.spin, self.spans, self.impacts = spin.copy(), spans.copy(), 0
        for name in np.unique(cluster):
            discs = np.flatnonzero(cluster == name)
            one = Cluster(discs, places[discs], velocities[discs], spin[discs[0]], masses, radii, spans[discs[0]])
            one.spans = one.spans or bool(np.isin(discs, spanning).any())
            arms, place, velocity, turns, impacts = fly(one, dt, box, periodic)
            self.impacts += impacts
            self.flown[discs] = place + arms
            self.velocities[discs] = velocity + turn(turns, arms)
            self.spin[discs], self.spans[discs] = turns, one.spans

    def overlapping(self, cluster):
        """The pairs of discs of different clusters that overlap after the flight, (K, 2), ordered."""
        d = self.nearest(self.flown[None] - self.flown[:, None])
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
        return nearest(d, self.box, self.periodic)
