"""A disc that is moved and thrown by hand: how far it can go, with its cluster, and the state that this makes.

Nothing here needs kernels: a window follows the pointer with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.boundary import Periodic
from engine.errors import FASTEST, InputError
from engine.geometry.nearest import images_around, nearest_image, tree_of, wrapped
from engine.state import Discs, InitialState, moments_of_inertia

if TYPE_CHECKING:
    from engine.simulation import Simulation


GAP = 1e-9
"""Gap, as a share of the sum of two radii, between a moved disc and what it touches, so that rounding cannot make them
overlap."""

_TURNS = 4  # discs and walls along which a body may slide in one stride
_STRIDES = 200  # at most, from where a body is to where it is wanted
_STRIDE = 4.0  # largest radii that it goes at once: so far its neighbours are looked for
_STUCK = 1e-6  # radii: a body that moves less in a stride stops
_GRAZES = 1e-12  # cosine below which a body passes by
_HEAD_ON = 0.8  # cosine from which a body gives most of its speed to what it hits
_AT_ONCE = 0.1  # largest radii that it flies before


class Surroundings:
    """The discs around a body, one disc or the discs of a cluster, and how far it can be moved between them.

    Parameters
    ----------
    positions : (N, d), of all discs.
    radii : (N,), at that time.
    discs : their box.
    body : (K,), the numbers of the discs of the body.
    across : (3,), a direction of length 1 in which the body does not slide, so that it stays in the plane across it;
        None for none.
    around : the boundary of the box; by default that of `discs`, without a flow.
    """

    def __init__(
        self,
        positions: Floats,
        radii: Floats,
        discs: Discs,
        body: NDArray[np.intp],
        across: Floats | None = None,
        around: Periodic | None = None,
    ) -> None:
        self._across = across
        around = Periodic.of(discs.periodic, len(discs.box)) if around is None else around
        self._box, self._periodic = discs.box, around
        others = np.ones(len(radii), np.bool_)
        others[body] = False
        seen = np.isfinite(positions).all(axis=1) & others  # hidden discs have no place in a picture
        self._others, self._radii = positions[seen], radii[seen]
        self._body, self._own = positions[body], radii[body]

    @cached_property
    def _tree(self) -> tuple[Any, NDArray[np.intp]]:
        """A tree of the others, and the other disc of each of its places: images have places where they are ahead."""
        others = self._others
        if not self._periodic.offset:
            return tree_of(others, self._box, self._periodic), np.arange(len(others))
        farthest = (1.0 + GAP) * float(self._own.max() + self._radii.max()) + _STRIDE * float(self._own.max())
        inside = wrapped(others, self._box, self._periodic)
        places, of = images_around(inside, self._box, farthest, self._periodic)
        return tree_of(places, self._box, False), of

    def towards(self, goal: Floats, start: Floats | None = None) -> Floats:
        """The displacement (d,) of the body nearest to `goal`, (d,), without overlaps.

        If the goal is free, the body goes there, even across others. Otherwise it moves straight from `start`, a free
        displacement, slides along what it touches, and stops where it gets no nearer.
        """
        goal = np.asarray(goal, np.float64)
        way = np.zeros(len(goal)) if start is None else start
        if np.array_equal(goal, way) or self._is_free(goal):
            return goal
        longest, least = _STRIDE * float(self._own.max()), _STUCK * float(self._own.min())
        for _ in range(_STRIDES):
            left = goal - way
            length = _length(left)
            if length < least:
                break
            before = way
            way = self._slide(way, left * min(1.0, longest / length))
            if _length(way - before) < least:
                break
        return way

    def hits(self, way: Floats, velocity: Floats) -> bool:
        """Whether the body, moved by `way`, (d,), and thrown with a velocity (d,), at once hits another disc head-on,
        which then gets most of its speed."""
        speed = _length(velocity)
        if speed == 0.0:
            return False
        reach = _AT_ONCE * float(self._own.max())
        apart, touching = self._near(way, reach)
        distance = np.hypot.reduce(apart, axis=1)
        return bool(((distance <= touching + reach) & (apart @ velocity >= _HEAD_ON * speed * distance)).any())

    def _near(self, way: Floats, reach: float) -> tuple[Floats, Floats]:
        """Of the pairs of a disc of the body, after `way`, and another one nearby: the vectors (P, d) between them, and
        the distances (P,) at which they would touch."""
        if not len(self._others):
            return np.zeros((0, len(way))), np.zeros(0)
        places = self._body + way
        asked = wrapped(places, self._box, self._periodic)
        tree, of = self._tree
        found = tree.query_ball_point(asked, self._own + (1.0 + GAP) * float(self._radii.max()) + reach)
        own = np.repeat(np.arange(len(places)), [len(some) for some in found])
        other = of[np.concatenate([np.asarray(some, np.intp) for some in found])]
        apart = nearest_image(self._others[other] - places[own], self._box, self._periodic)
        return apart, (self._own[own] + self._radii[other]) * (1.0 + GAP)

    def _is_free(self, way: Floats) -> bool:
        walls = list(self._periodic.walls)
        places, room = (self._body + way)[:, walls], (self._own * (1.0 + 0.5 * GAP))[:, None]
        if (places < room).any() or (places > self._box[walls] - room).any():
            return False
        apart, touching = self._near(way, 0.0)
        return bool((np.hypot.reduce(apart, axis=1) >= touching * (1.0 - 0.5 * GAP)).all())

    def _slide(self, way: Floats, step: Floats) -> Floats:
        """Move by a step, sliding along obstacles."""
        met: list[Floats] = []
        for _ in range(_TURNS):
            share, normal = self._first_touch(way, step)
            way = way + share * step
            if normal is None:
                break
            if self._across is not None:  # it slides along the trace of the obstacle in its plane
                normal = normal - float(normal @ self._across) * self._across
                normal = normal / max(_length(normal), _GRAZES)
            met.append(normal)
            step = (1.0 - share) * step
            step = step - max(0.0, float(step @ normal)) * normal
            if any(float(step @ one) > 1e-9 * _length(step) for one in met):
                break  # in a corner
        return way

    def _first_touch(self, way: Floats, step: Floats) -> tuple[float, Floats | None]:
        """The fraction of a step that the body can move, 0…1, and the direction (d,) to what it then touches, None for
        nothing."""
        length = _length(step)
        if length == 0.0:
            return 0.0, None
        share, normal = 1.0, None
        room = self._own * (1.0 + GAP)
        places = self._body + way
        for axis in self._periodic.walls:
            if step[axis] == 0.0:
                continue
            ahead = step[axis] > 0.0
            free = self._box[axis] - room - places[:, axis] if ahead else places[:, axis] - room
            there = max(0.0, float(free.min()) / abs(float(step[axis])))
            if there < share:
                share, normal = there, np.where(np.arange(len(step)) == axis, 1.0 if ahead else -1.0, 0.0)
        apart, touching = self._near(way, length)
        along, squared = apart @ step, np.square(apart).sum(axis=1)
        beyond = squared - np.square(touching)
        inside = np.square(along) - length * length * beyond
        meets = (along > _GRAZES * length * np.sqrt(squared)) & (inside > 0.0)
        if meets.any():
            there = np.maximum(beyond[meets], 0.0) / (along[meets] + np.sqrt(inside[meets]))
            first = int(there.argmin())
            if there[first] < share:
                share = float(there[first])
                between = apart[meets][first] - share * step
                normal = between / _length(between)
        return share, normal


def _length(vector: Floats) -> float:
    return float(np.hypot.reduce(vector))


def body_of(disc: int, cluster: NDArray[np.integer], joins: bool) -> NDArray[np.intp]:
    """The discs that move with a disc: those of its cluster (labels (N,)) if discs join."""
    return np.flatnonzero(cluster == cluster[disc]) if joins else np.array([disc], np.intp)


def thrown_state(
    simulation: Simulation, disc: int, position: Sequence[float] | None, velocity: Sequence[float] | None, joins: bool
) -> tuple[InitialState, NDArray[np.intp]]:
    """The state of a simulation after `engine.throw`, and the discs, (K,), that were moved or thrown.

    disc : its number; position, velocity : (d,), length and length per time, None to leave it as it is; joins : whether
        the discs of a cluster move together. Raises InputError if there is no such disc, and for anything but d
        finite numbers.
    """
    if disc not in range(simulation.count):
        raise InputError(f"there is no disc {disc!r}; discs are numbered 0 to {simulation.count - 1}", "disc")
    state = simulation.state()
    body = body_of(disc, state.cluster, joins)
    if position is not None:
        around = state.around
        goal = nearest_image(_vector(position, state.box, "position") - state.positions[disc], state.box, around)
        way = Surroundings(state.positions, state.radii, state, body, around=around).towards(goal)
        places = state.positions[body] + way
        state.positions[body] = wrapped(places, state.box, around)
        # an image in another box flows faster or slower
        boxes = np.rint((places[:, 1] - state.positions[body, 1]) / state.box[1])
        state.velocities[body, 0] -= boxes * (state.shear_rate * state.box[1])
    if velocity is not None:
        flies = _vector(velocity, state.box, "velocity")
        if state.spin is None or len(body) == 1:
            state.velocities[body] = flies
        else:
            _strike(state, body, disc, flies)
    return state, body


def _strike(state: InitialState, body: NDArray[np.intp], disc: int, velocity: Floats) -> None:
    """Give a disc of a cluster that turns a velocity (d,), by an impulse J at its centre.

    V changes by J / M and ω by I⁻¹ (a × J), where a is from the centre of mass to the disc. A cluster that touches an
    image of itself does not turn: all of it gets the velocity.
    """
    places, whole = _in_one_image(state, body)
    if not whole:
        state.velocities[body] = velocity
        return
    assert state.spin is not None
    masses = state.masses[body]
    mass = float(masses.sum())
    r = places - masses @ places / mass
    own = moments_of_inertia(masses, state.radii[body], r.shape[1]).sum()
    a = r[int(np.flatnonzero(body == disc)[0])]
    squares = float(masses @ np.square(r).sum(axis=1))
    if len(a) > 2:
        inverse = np.linalg.inv((squares + own) * np.eye(3) - (masses[:, None] * r).T @ r)
        lever = np.cross(a, np.eye(3)).T  # a × J = lever J
        impulse = np.linalg.solve(np.eye(3) / mass + lever.T @ inverse @ lever, velocity - state.velocities[disc])
        state.spin[body] = turned = state.spin[disc] + inverse @ (lever @ impulse)
        state.velocities[body] = masses @ state.velocities[body] / mass + impulse / mass + np.cross(turned, r)
        return
    inertia = squares + float(own)
    across = np.array([-a[1], a[0]])  # the velocity of the disc for ω = 1
    impulse = np.linalg.solve(np.eye(2) / mass + np.outer(across, across) / inertia, velocity - state.velocities[disc])
    spin = float(state.spin[disc]) + float(across @ impulse) / inertia
    centre = masses @ state.velocities[body] / mass + impulse / mass
    state.spin[body] = spin
    state.velocities[body] = centre + spin * np.column_stack([-r[:, 1], r[:, 0]])


def _in_one_image(state: InitialState, body: NDArray[np.intp]) -> tuple[Floats, bool]:
    """The places (K, d) of the discs of a cluster in one image of it, and whether there is one: it does not touch an
    image of itself."""
    if not state.periodic.any or len(body) == 1:
        return state.positions[body], True
    from engine.analysis.clusters import layouts
    from engine.analysis.state import disc_state

    own = disc_state(state.positions[body], state.radii[body], state.box, periodic=state.periodic)
    periods, whole = layouts(own, np.zeros(len(body), np.int64), np.array([len(body)]))
    return own.positions + periods * state.box, bool(whole[0])


def _vector(value: Sequence[float], box: Floats, name: str) -> Floats:
    try:
        vector = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        vector = np.zeros(0)  # such as a word
    if vector.shape != box.shape or not all(isfinite(one) and abs(one) <= FASTEST for one in vector.tolist()):
        raise InputError(f"the {name} must be {'two' if len(box) == 2 else 'three'} numbers, not {value!r}", name)
    return vector
