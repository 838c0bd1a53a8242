"""The places of a step where something happens: groups of new links that lie together. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.step.motion import Floats, nearest_image

_CELL = 3.0  # radii; links in neighbouring cells belong together
_MARGIN = 5.0  # radii around the discs of a group


@dataclass(frozen=True)
class Place:
    """A world rectangle (lower left corner and size) around `links` new links; it may stand out of a periodic box."""

    x: float
    y: float
    width: float
    height: float
    links: int

    @property
    def middle(self) -> tuple[float, float]:
        """The middle of the rectangle."""
        return self.x + self.width / 2, self.y + self.height / 2


def find_places(pairs: NDArray[np.int32], positions: Floats, radius: float, box: Floats, periodic: bool) -> list[Place]:
    """Groups of `pairs` (F, 2), those with most links first; radius : of a typical disc."""
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
        places.append(Place(float(low[0]), float(low[1]), float(width), float(height), len(group)))
    return sorted(places, key=lambda place: -place.links)


def _connected(members: dict[tuple[int, int], list[int]], cells: tuple[int, int], periodic: bool) -> list[int]:
    """Take a cell, and all that hang together with it, out of `members`."""
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
