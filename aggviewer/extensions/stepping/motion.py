"""The motion in a traced step: positions and velocities of discs at any moment, and the places of collisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.arrays import Floats
from engine.geometry.nearest import nearest_image
from engine.state import sums_of_rows

if TYPE_CHECKING:
    from engine.aggregation.time_stepping.trace import StepTrace


ARROW_RADII = 3.0
"""Arrow length of the fastest disc in the first traced step of a run, in mean radii."""

_CELL = 3.0  # radii; links in neighbouring cells belong together
_MARGIN = 5.0  # radii around the discs of a group


class Flight:
    """The free flight: straight, except for clusters reflected by a wall.

    Parameters
    ----------
    trace : the step.
    radii : (N,).
    box : (2,), L_x and L_y.
    periodic : whether there are no walls.

    Attributes
    ----------
    bent : (K,), the discs of the clusters that do not fly straight.
    """

    def __init__(self, trace: StepTrace, radii: Floats, box: ArrayLike, periodic: bool) -> None:
        self._trace = trace
        self._box = np.asarray(box, dtype=np.float64)
        self._periodic = periodic
        self._path = trace.velocities_before * trace.dt
        off = nearest_image(trace.flown - trace.before - self._path, self._box, periodic)
        bent = np.abs(off).max(axis=1, initial=0.0) > 1e-9 * float(self._box.max())
        self.bent = np.flatnonzero(np.isin(trace.clusters_before, trace.clusters_before[bent]))
        if len(self.bent):
            self._find_room(radii)

    def _find_room(self, radii: Floats) -> None:
        """The free range of each reflected cluster between the walls: the box minus its extent."""
        at = self._trace.before[self.bent]
        _, label = np.unique(self._trace.clusters_before[self.bent], return_inverse=True)
        low = np.full((int(label.max()) + 1, 2), np.inf)
        high = -low
        np.minimum.at(low, label, at - radii[self.bent, None])
        np.maximum.at(high, label, at + radii[self.bent, None])
        self._low = low[label]
        self._room = np.maximum(self._box - (high - low), 1e-12 * self._box)[label]
        # a cluster may be stuck between walls or have been pushed into one: the path is shifted to meet both ends
        self._first = at - self._folded(0.0)
        self._last = self._trace.flown[self.bent] - self._folded(1.0)

    def _folded(self, share: float) -> Floats:
        """Positions of the reflected discs: a cluster bounces back and forth between the walls (2.2)."""
        place = np.mod(self._low + share * self._path[self.bent], 2.0 * self._room)
        folded = np.where(place > self._room, 2.0 * self._room - place, place)
        places: Floats = self._trace.before[self.bent] + folded - self._low
        return places

    def positions(self, share: float) -> Floats:
        """Positions (N, 2) after this share of Δt, 0…1; the end agrees exactly with the engine's flight."""
        if share <= 0.0:
            return self._trace.before
        if share >= 1.0:
            return self._trace.flown
        out = self._trace.before + share * self._path
        if self._periodic:
            out %= self._box
        elif len(self.bent):
            out[self.bent] = self._folded(share) + (1.0 - share) * self._first + share * self._last
        return out


class IterationPositions:
    """`StepTrace.positions` with random access to iterations, at the cost of the moves in between.

    Each record is stored with the position it replaces, so that going back is as cheap as going forward.

    Attributes
    ----------
    count : Q, the iterations of the step.
    moved : (K,), the discs that any iteration moves.
    """

    def __init__(self, trace: StepTrace) -> None:
        disc, frame = trace.record_disc.astype(np.int64), trace.record_frame
        # groups of one round may share a disc: as in `StepTrace.positions`, of two records the later one counts
        order = np.lexsort((np.arange(len(disc)), frame, disc))
        disc, frame = disc[order], frame[order]
        newest = np.maximum.accumulate(order + disc * (len(order) + 1)) if len(order) else order
        stays = newest == order + disc * (len(order) + 1)
        last_of_frame = np.ones(len(order), bool)
        last_of_frame[:-1] = (disc[1:] != disc[:-1]) | (frame[1:] != frame[:-1])
        keep = stays & last_of_frame
        disc, frame, place = disc[keep], frame[keep], trace.record_position[order[keep]]
        replaced = np.empty_like(place)
        replaced[1:] = place[:-1]
        first = np.ones(len(disc), bool)
        first[1:] = disc[1:] != disc[:-1]
        replaced[first] = trace.flown[disc[first]]
        by_frame = np.argsort(frame, kind="stable")
        self._disc, self._place, self._replaced = disc[by_frame], place[by_frame], replaced[by_frame]
        self.count = len(trace.residual)
        self._starts = np.searchsorted(frame[by_frame], np.arange(self.count + 1))
        self._now = 0
        self._positions = trace.flown.copy()
        self.moved = np.unique(disc)

    def positions(self, iteration: int) -> Floats:
        """(N, 2) after `iteration` iterations, 0…Q; the array is changed by the next call."""
        a, b = self._starts[self._now], self._starts[iteration]
        # a disc may be there several times: the last assignment counts
        if b > a:
            self._positions[self._disc[a:b]] = self._place[a:b]
        elif b < a:
            self._positions[self._disc[b:a][::-1]] = self._replaced[b:a][::-1]
        self._now = iteration
        return self._positions


@dataclass(frozen=True)
class CollisionPlace:
    """A rectangle around `links` new links, in world units from its lower left corner; it may extend beyond a periodic
    box."""

    x: float
    y: float
    width: float
    height: float
    links: int

    @property
    def middle(self) -> tuple[float, float]:
        """The centre of the rectangle."""
        return self.x + self.width / 2, self.y + self.height / 2


def find_places(
    pairs: NDArray[np.int32], positions: Floats, radius: float, box: Floats, periodic: bool
) -> list[CollisionPlace]:
    """Find places where new links are close together.

    Parameters
    ----------
    pairs : (F, 2), the two discs of each new link.
    positions : (N, 2), after the flight.
    radius : of a typical disc.
    box, periodic : (2,), and whether it has no walls.

    Returns
    -------
    A place for each group of links, largest group first.
    """
    if not len(pairs):
        return []
    between = nearest_image(positions[pairs[:, 1]] - positions[pairs[:, 0]], box, periodic)
    middle = positions[pairs[:, 0]] + between / 2
    cells = np.maximum(1, np.floor(box / (_CELL * radius))).astype(np.int64)
    inside = np.mod(middle, box) if periodic else np.clip(middle, 0.0, box)
    at = np.minimum((inside / box * cells).astype(np.int64), cells - 1)
    members: dict[tuple[int, int], list[int]] = {}
    for k, (i, j) in enumerate(at.tolist()):
        members.setdefault((i, j), []).append(k)
    places = []
    while members:
        group = _connected(members, (int(cells[0]), int(cells[1])), periodic)
        spots = middle[group[0]] + nearest_image(middle[group] - middle[group[0]], box, periodic)
        low, high = spots.min(axis=0) - _MARGIN * radius, spots.max(axis=0) + _MARGIN * radius
        width, height = high - low
        places.append(CollisionPlace(float(low[0]), float(low[1]), float(width), float(height), len(group)))
    return sorted(places, key=lambda place: -place.links)


def _connected(members: dict[tuple[int, int], list[int]], cells: tuple[int, int], periodic: bool) -> list[int]:
    """Remove a cell and all connected ones from `members`; returns their links."""
    start = next(iter(members))
    found, open_cells = members.pop(start), [start]
    while open_cells:
        i, j = open_cells.pop()
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                cell = ((i + di) % cells[0], (j + dj) % cells[1]) if periodic else (i + di, j + dj)
                if cell in members:
                    found = found + members.pop(cell)
                    open_cells.append(cell)
    return found


class Velocities:
    """The discs with velocity arrows, the arrow scale, and the merged clusters.

    Parameters
    ----------
    scale : of the arrows in an earlier step; 0 if there was none.

    Attributes
    ----------
    scale : length of an arrow per speed.
    flying : (M,), the central disc of every cluster.
    changed : (K,), the discs at new links, and one disc of each cluster reflected by a wall.
    joined, after_joining : number of clusters that merged, and number after merging.
    reflected : number of clusters reflected without merging.
    """

    def __init__(self, trace: StepTrace, radius: float, box: Floats, periodic: bool, scale: float = 0.0) -> None:
        fastest = max(float(np.hypot(*v.T).max(initial=0.0)) for v in (trace.velocities_before, trace.velocities_after))
        self.scale = scale or (ARROW_RADII * radius / fastest if fastest > 0.0 else 0.0)
        self.flying = representatives(trace.clusters_before, trace.before, box, periodic)
        at_links = np.unique(trace.new_links)
        pairs = np.unique(np.stack([trace.clusters_before, trace.clusters_after], axis=1), axis=0)
        came_from = np.bincount(pairs[:, 1])
        self.after_joining = int(np.count_nonzero(came_from > 1))
        self.joined = int(came_from[came_from > 1].sum())
        mixed = came_from[trace.clusters_after[self.flying]] > 1
        turned = np.any(trace.velocities_before[self.flying] != trace.velocities_after[self.flying], axis=1)
        alone = self.flying[turned & ~mixed]
        self.reflected = len(alone)
        self.changed = np.union1d(at_links, alone)


def representatives(cluster: NDArray[np.int32], positions: Floats, box: Floats, periodic: bool) -> NDArray[np.int64]:
    """The disc nearest to the centre of each cluster, (M,), in order of labels."""
    _, label, sizes = np.unique(cluster, return_inverse=True, return_counts=True)
    if periodic:  # the mean direction on a circle for each axis, which needs no origin
        angle = positions * (2.0 * np.pi / box)
        mean = np.arctan2(sums_of_rows(label, np.sin(angle)), sums_of_rows(label, np.cos(angle)))
        off = nearest_image(angle - mean[label], 2.0 * np.pi, periodic) * box
    else:
        mean = sums_of_rows(label, positions) / sizes[:, None]
        off = positions - mean[label]
    order = np.lexsort((np.hypot(off[:, 0], off[:, 1]), label))
    return order[np.concatenate([[0], np.cumsum(sizes)[:-1]])] if len(order) else order
