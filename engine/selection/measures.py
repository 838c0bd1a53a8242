"""Exact measures of a state of discs: distance, angle, what lies in a rectangle, the radius of gyration of some discs.

Common to all: positions (N, 2), radii (N,), box (2,); distance, angle and `radius_of_gyration` take spheres too. Along
a periodic axis a distance is that to the nearest image, and a region may reach over the edges: it continues at the
opposite side. Between walls there is nothing outside of the box. A disc whose position is NaN is left out.

The distance of each disc from one of them is also a field that discs can be coloured by (`distance_field`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import atan2, pi
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.arrays import Floats
from engine.boundary import Periodic
from engine.errors import InputError
from engine.fields import Field
from engine.geometry.nearest import nearest_image
from engine.selection.clusters import laid_out
from engine.state import sums_of_rows

if TYPE_CHECKING:
    from engine.frame import Frame
    from engine.state import Discs


_MOST_COPIES = 1_000_000  # periods of the box that a region may hold


def step_between(one: ArrayLike, other: ArrayLike, box: ArrayLike, *, periodic: Periodic | bool) -> Floats:
    """The step (d,) from one place to the other, along periodic axes to its nearest image."""
    step: Floats = np.asarray(other, np.float64) - np.asarray(one, np.float64)
    return nearest_image(step, np.asarray(box), periodic)


def angle_between(
    one: ArrayLike, vertex: ArrayLike, other: ArrayLike, box: ArrayLike, *, periodic: Periodic | bool
) -> float:
    """The angle at `vertex` between the directions to two points, from 0 to π; NaN if one of them is the vertex."""
    first, second = (step_between(vertex, place, box, periodic=periodic) for place in (one, other))
    if not (first.any() and second.any()):
        return float("nan")
    cross = np.cross(first, second) if len(first) == 3 else first[0] * second[1] - first[1] * second[0]
    return atan2(float(np.linalg.norm(cross)), float(first @ second))


@dataclass(frozen=True)
class Inside:
    """What lies in a rectangle.

    Attributes
    ----------
    count : the number of discs whose centres lie inside.
    area : of the rectangle; between walls of the part within them.
    covered : area of the discs inside, those that are cut with the part that lies inside.
    """

    count: int
    area: float
    covered: float

    @property
    def number_density(self) -> float:
        """Centres over area; NaN for an empty rectangle."""
        return self.count / self.area if self.area > 0.0 else float("nan")

    @property
    def volume_fraction(self) -> float:
        """Covered area over area; NaN for an empty rectangle."""
        return self.covered / self.area if self.area > 0.0 else float("nan")


def in_rectangle(
    positions: Floats,
    radii: Floats,
    box: ArrayLike,
    corner: ArrayLike,
    opposite: ArrayLike,
    *,
    periodic: Periodic | bool,
) -> Inside:
    """Number density and volume fraction in the rectangle between two opposite corners, sides along the axes.

    positions : (N, d); radii : (N,); box, corner, opposite : (d,). A centre on the left or lower edge lies inside, one
        on the right or upper edge does not, so that rectangles side by side count each disc once.
    """
    sides = np.asarray(box, np.float64)
    low, high = np.minimum(corner, opposite).astype(float), np.maximum(corner, opposite).astype(float)
    around = Periodic.of(periodic, len(sides))
    low, high = (np.where(around, edge, np.clip(edge, 0.0, sides)) for edge in (low, high))
    places, sizes = _copies(positions, radii, sides, low, high, around)
    inside = (places >= low).all(axis=1) & (places < high).all(axis=1)
    area = float(np.prod(high - low))
    return Inside(int(inside.sum()), area, float(_overlap(places, sizes, low, high).sum()))


def _copies(
    positions: Floats, radii: Floats, box: Floats, low: Floats, high: Floats, periodic: Periodic
) -> tuple[Floats, Floats]:
    """Places and radii of the discs, along periodic axes of all images, that may reach between `low` and `high`."""
    there = np.isfinite(positions[:, 0])
    if not there.all():
        positions, radii = positions[there], radii[there]
    reach = float(radii.max(initial=0.0))
    least = np.where(periodic, np.ceil((low - reach - box) / box), 0.0).astype(int)
    most = np.where(periodic, np.floor((high + reach) / box), 0.0).astype(int)
    if np.prod((most - least + 1).astype(float)) * max(len(radii), 1) > _MOST_COPIES * 10:
        raise InputError("the region is too large compared with the box")
    places, sizes = [], []
    for j in range(least[1], most[1] + 1):
        ahead = j * periodic.offset % float(box[0])
        for i in range(least[0] - int(ahead > 0.0), most[0] + 1):
            moved = positions + np.array([i, j]) * box + (ahead, 0.0)
            near = ((moved > low - reach) & (moved < high + reach)).all(axis=1)
            places.append(moved[near])
            sizes.append(radii[near])
    if not places:
        return np.zeros((0, 2)), np.zeros(0)
    return np.concatenate(places), np.concatenate(sizes)


def _overlap(places: Floats, radii: Floats, low: Floats, high: Floats) -> Floats:
    """Area that each disc shares with a rectangle, (K,); low, high : (2,)."""
    (left, bottom), (right, top) = (((edge - places) / radii[:, None]).T for edge in (low, high))
    shared = _corner(right, top) - _corner(left, top) - _corner(right, bottom) + _corner(left, bottom)
    result: Floats = np.maximum(shared, 0.0) * radii**2
    return result


def _corner(x: Floats, y: Floats) -> Floats:
    """Area of the part of the unit disc that lies left of `x` and below `y`, (K,)."""
    a, b = np.clip(x, -1.0, 1.0), np.clip(y, -1.0, 1.0)
    left, below = (0.5 * (edge * np.sqrt(1.0 - edge**2) + np.arcsin(edge)) for edge in (a, b))
    inside = 0.25 * pi + left + below + a * b
    # where the corner lies outside of the disc, at most one arc is cut off on each side
    segments = 0.5 * pi + 2.0 * left, 0.5 * pi + 2.0 * below
    beyond = np.where(
        a >= 0.0,
        np.where(b >= 0.0, segments[0] + segments[1] - pi, segments[1]),
        np.where(b >= 0.0, segments[0], 0.0),
    )
    area: Floats = np.where(a * a + b * b < 1.0, inside, beyond)
    return area


def radius_of_gyration(positions: Floats, radii: Floats, box: ArrayLike, *, periodic: Periodic | bool) -> float:
    """R_g of the centres of some discs, each counting alike; 0 for one disc, NaN for none. A length.

    positions : (n, d), NaN for a disc that is not there; radii : (n,); box : (d,). Along periodic axes discs that touch
        are unwrapped together (`engine.selection.clusters`), and pieces that do not touch are taken nearest to the
        common middle of all. NaN if a piece is joined to its own image: it has no end.
    """
    there = np.isfinite(positions[:, 0])
    positions, radii, sides = positions[there], radii[there], np.asarray(box, np.float64)
    if not len(positions):
        return float("nan")
    around = Periodic.of(periodic, len(sides))
    points = _unwrapped(positions, radii, sides, around) if around.any else positions
    return float(np.sqrt(np.square(points - points.mean(axis=0)).sum(axis=1).mean()))


def _unwrapped(positions: Floats, radii: Floats, box: Floats, periodic: Periodic) -> Floats:
    """Unwrapped places (N, d): pieces of discs that touch, each nearest to the middle of all. NaN for discs of a piece
    that is joined to its own image."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    from engine.analysis import contact_pairs

    count = len(positions)
    first, second = contact_pairs(positions, radii, box, periodic=periodic).T
    graph = coo_array((np.ones(len(first), np.int8), (first, second)), shape=(count, count))
    number, piece = connected_components(graph.tocsr(), directed=False)
    piece, sizes = piece.astype(np.int64), np.bincount(piece, minlength=number)
    points = laid_out(positions, radii, box, periodic, piece, sizes)
    middles = sums_of_rows(piece, points) / sizes[:, None]
    turns = np.rint((middles[piece] - _mean_on_circle(positions, box)) / box)
    nearest: Floats = points - np.where(periodic, box * turns, 0.0)
    return nearest


def _mean_on_circle(positions: Floats, box: Floats) -> Floats:
    """The mean place in a periodic box, each axis as a circle, (d,)."""
    turns = 2.0 * pi * positions / box
    mean: Floats = np.arctan2(np.sin(turns).mean(axis=0), np.cos(turns).mean(axis=0)) * box / (2.0 * pi)
    return mean


_NAME = re.compile(r"distance:(\d{1,9})")


def distance_field(name: str) -> Field | None:
    """The field called ``distance:17``: the distance of each disc's centre from that of disc 17. None for other names.

    In a periodic box it is the distance to the nearest image.
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    number = int(found[1])

    def distances(frame: Frame, discs: Discs) -> NDArray[np.float64] | None:
        return distances_from(number, frame.positions, discs, frame.around(discs))

    return Field(name, f"Distance from {{disc}} {number}", distances, unit="length")


def distances_from(
    disc: int, positions: NDArray[np.float64], discs: Discs, around: Periodic
) -> NDArray[np.float64] | None:
    """The distance of each centre from that of one disc, (N,); None if there is no such disc. around : what the box
    ends in at that time."""
    if not 0 <= disc < len(positions):
        return None
    between = nearest_image(positions - positions[disc], discs.box, around)
    distances: NDArray[np.float64] = np.sqrt(np.square(between).sum(axis=1))
    return distances
