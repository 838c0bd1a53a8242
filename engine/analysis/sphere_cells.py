"""The Voronoi cells of spheres: volumes, and which cells share a face of what area.

Every point of the box belongs to the sphere to which its tangent is shortest (the radical or Laguerre tessellation, as
of discs in `engine.analysis.voronoi`); for equal spheres this is the ordinary Voronoi tessellation. Walls cut cells;
along a periodic axis they continue at the opposite side.

Qhull (`scipy.spatial.ConvexHull`) finds which spheres are neighbours: with the height |X|² - R² as a fourth coordinate,
each tetrahedron on the lower side of the convex hull joins four spheres whose cells meet in one corner. Images of
spheres stand beyond the sides of the box: periodic ones, or at walls mirror images, whose cells begin at the wall.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from engine.analysis.state import DiscState
from engine.arrays import Floats, Longs
from engine.boundary import Periodic
from engine.geometry.nearest import images_around, nearest_image, unwrapped, wrapped
from engine.state import sums_of_rows

_MOVED = 1e-8  # mean distances, at random: so that no more than four cells meet in a corner, in a crystal neither
_SMALLEST = 1e-7  # of the surface of a cell: smaller faces come from that and are left out
_REACH = 2.0  # mean distances beyond the sides of the box up to which there are images at first
_ROUNDING = 1e-9
_ROUNDS = 100  # of adding images; a few are enough


class SphereCells(NamedTuple):
    """The cells of N spheres.

    Attributes
    ----------
    volume : (N,), of each cell; 0 for a sphere without a cell because others cover it.
    sphere, neighbour : (K,), the spheres on both sides of each face, which is listed for both. The neighbour is -1
        for a wall, and the sphere itself where it is beside its own image.
    vectors : (K, 3), from the sphere to its neighbour, or to its mirror image behind the wall.
    area : (K,), of each face.
    """

    volume: Floats
    sphere: Longs
    neighbour: Longs
    vectors: Floats
    area: Floats


class _Images(NamedTuple):
    """Images of spheres. of : (M,), their spheres; shift : (M, 3), -1 or 1 for an image beyond the lower or the upper
    side of an axis, 0 for none; along a periodic axis further numbers of periods too."""

    of: Longs
    shift: Longs


class _Tetrahedra(NamedTuple):
    """places : (T, 4), the numbers of their spheres and images, spheres first; beside : (T, 4), the tetrahedra opposite
    to each, -1 for none; corners : (T, 3), where their four cells meet; open_ended : (E,), the places whose cells have
    no end."""

    places: Longs
    beside: Longs
    corners: Floats
    open_ended: Longs


@lru_cache(maxsize=1)
def sphere_cells(state: DiscState) -> SphereCells:
    """Tessellate a box of spheres, about O(N): less than a second for 10⁴. The last result is kept for what asks for
    the same one: a colour, plots, the columns of a table."""
    points, own, box, periodic = state.positions, state.radii, state.box, state.periodic
    count = len(own)
    apart = float(np.cbrt(box.prod() / count))
    points = wrapped(points, box, periodic)
    points = points + _MOVED * apart * (np.random.default_rng(0).random(points.shape) - 0.5)
    images = _first_images(points, box, _REACH * apart, periodic)
    for _ in range(_ROUNDS):
        at = np.concatenate([points, _placed(points, images, box, periodic)])
        of = np.concatenate([np.arange(count), images.of])
        cells = _tetrahedra(at, own[of])
        missing = (
            _nearer_images(cells, points, own, box, _REACH * apart, periodic),
            _mirror_images(cells, count, box, periodic),
        )
        both = np.unique(np.concatenate([np.column_stack(one) for one in (images, *missing)]), axis=0)
        if len(both) == len(images.of):
            break
        images = _Images(both[:, 0], both[:, 1:])
    volume, first, second, area = _measured(cells, at, own[of], count)
    behind = np.append(np.zeros(count, np.bool_), images.shift[:, list(periodic.walls)].any(axis=1))
    neighbour = np.where(behind[second], -1, of[second])
    return SphereCells(volume, first, neighbour, at[second] - at[first], area)


def _placed(points: Floats, images: _Images, box: Floats, periodic: Periodic) -> Floats:
    """The places of images, (M, 3)."""
    at, shift = points[images.of], images.shift
    mirrored = np.where(shift < 0, -at, np.where(shift > 0, 2.0 * box - at, at))
    return np.where(periodic, unwrapped(at, shift, box, periodic.offset / float(box[1])), mirrored)


def _first_images(points: Floats, box: Floats, reach: float, periodic: Periodic) -> _Images:
    """The images within `reach` of the box, and all of one sphere, which make the hull of all places a solid."""
    parts = []
    along_x = 2 if periodic.offset else 1  # the images above may be half a side ahead
    for shift in (np.array(one) - (along_x, 1, 1) for one in np.ndindex(2 * along_x + 1, 3, 3)):
        if shift.any() and np.count_nonzero(shift[list(periodic.walls)]) <= 1:
            every = _Images(np.arange(len(points)), np.tile(shift, (len(points), 1)))
            at = _placed(points, every, box, periodic)
            near = np.asarray(((at >= -reach) & (at <= box + reach)).all(axis=1))
            near[0] = True
            parts.append(np.column_stack(every)[near])
    found = np.unique(np.concatenate(parts), axis=0)
    return _Images(found[:, 0], found[:, 1:])


def _tetrahedra(at: Floats, radii: Floats) -> _Tetrahedra:
    """The tetrahedra of places (M, 3) with these radii (M,)."""
    from scipy.spatial import ConvexHull

    middle = at.mean(axis=0)
    off = at - middle
    scale = 1.0 / float(np.ptp(off, axis=0).max())
    hull = ConvexHull(np.column_stack([off, scale * (np.square(off).sum(axis=1) - np.square(radii))]))
    lower = hull.equations[:, 3] < 0.0
    number = np.where(lower, np.cumsum(lower) - 1, -1)
    normals = hull.equations[lower]
    corners = middle - normals[:, :3] / (2.0 * scale * normals[:, 3:4])
    places = hull.simplices[lower].astype(np.int64)
    return _Tetrahedra(places, number[hull.neighbors[lower]], corners, np.unique(hull.simplices[~lower]))


def _nearer_images(
    cells: _Tetrahedra, points: Floats, radii: Floats, box: Floats, reach: float, periodic: Periodic
) -> _Images:
    """The images along periodic axes that are nearer to a corner of a sphere's cell than the sphere is, by their
    tangents. All images within `reach` of the box are there already. Corners behind walls are left to mirror images."""
    from scipy.spatial import cKDTree

    owner = cells.places.min(axis=1)
    corners, owner = cells.corners[owner < len(points)], owner[owner < len(points)]
    room = float(np.square(radii).max())
    tangent = np.square(corners - points[owner]).sum(axis=1) - np.square(radii[owner])
    free = np.maximum(tangent + room, 0.0)
    inside = np.minimum(corners, box - corners)
    unsure = np.sqrt(free) > np.where(periodic, inside, np.inf).min(axis=1) + reach
    unsure &= (np.where(periodic, 0.0, inside) >= -_ROUNDING * float(box.max())).all(axis=1)
    if not unsure.any():
        return _Images(np.empty(0, np.int64), np.empty((0, 3), np.int64))
    corners, free = corners[unsure], free[unsure]
    # in a fourth direction, in which the box does not repeat, so that the nearest one is that of the shortest tangent
    places, number, sides = wrapped(points, box, periodic), np.arange(len(points)), np.where(periodic, box, 0.0)
    if periodic.offset:
        farthest = min(float(free.max()), 0.25 * float(box @ box) + room)  # no corner is farther from all images
        places, number = images_around(places, box, float(np.sqrt(farthest)), periodic)
        sides = np.zeros(3)
    lifted = np.column_stack([places, np.sqrt(room - np.square(radii[number]))])
    tree = cKDTree(lifted, boxsize=np.append(sides, 0.0))
    distance, of = tree.query(np.column_stack([wrapped(corners, box, periodic), np.zeros(len(corners))]))
    nearer = np.square(distance) < free * (1.0 - _ROUNDING)
    of = number[np.asarray(of, np.int64)[nearer]]
    apart = corners[nearer] - points[of]
    if periodic.offset:
        apart -= nearest_image(apart, box, periodic)
        apart[:, 0] -= np.rint(apart[:, 1] / box[1]) * periodic.offset
    periods = np.where(periodic, np.rint(apart / box), 0.0)
    return _Images(of, periods.astype(np.int64))


def _mirror_images(cells: _Tetrahedra, count: int, box: Floats, periodic: Periodic) -> _Images:
    """The mirror images of spheres whose cells have corners behind a wall, or no end."""
    rounding = _ROUNDING * float(box.max())
    parts = [np.empty((0, 4), np.int64)]
    for axis in periodic.walls:
        for side in (-1, 1):
            along = cells.corners[:, axis]
            beyond = along < -rounding if side < 0 else along > box[axis] + rounding
            of = np.unique(np.append(cells.places[beyond], cells.open_ended))
            of = of[of < count]
            shift = np.zeros((len(of), 3), np.int64)
            shift[:, axis] = side
            parts.append(np.column_stack([of, shift]))
    found = np.concatenate(parts)
    return _Images(found[:, 0], found[:, 1:])


def _measured(cells: _Tetrahedra, at: Floats, radii: Floats, count: int) -> tuple[Floats, Longs, Longs, Floats]:
    """The volumes (count,) of the cells of the spheres, and of each of their faces (K,) the sphere, the place beside it
    and the area.

    A face between two places is a polygon whose sides belong to the triangles of tetrahedra that contain both: each
    goes from the corner on one side of the triangle to that on the other. Volumes are sums of pyramids.
    """
    sides, pairs = [], []
    for k in range(4):
        triangle = np.delete(cells.places, k, axis=1)
        beside = cells.beside[:, k]
        once = np.flatnonzero((beside > np.arange(len(beside))) & (triangle.min(axis=1) < count))
        for edge in ((0, 1), (0, 2), (1, 2)):
            pair = np.sort(triangle[once][:, edge], axis=1)
            ours = pair[:, 0] < count
            pairs.append(pair[ours])
            sides.append(np.column_stack([once, beside[once]])[ours])
    ends, of = np.concatenate(sides), np.concatenate(pairs)
    keys, face = np.unique(of[:, 0] * len(at) + of[:, 1], return_inverse=True)
    first, second = np.divmod(keys, len(at))
    begin, end = cells.corners[ends[:, 0]], cells.corners[ends[:, 1]]
    middle = sums_of_rows(face, begin + end, len(keys)) / (2.0 * np.bincount(face, minlength=len(keys)))[:, None]
    begin, end = begin - middle[face], end - middle[face]
    area = np.bincount(face, 0.5 * np.linalg.norm(np.cross(begin, end), axis=1), len(keys))
    apart = np.linalg.norm(at[second] - at[first], axis=1)
    nearer = (np.square(radii[first]) - np.square(radii[second])) / (2.0 * apart)
    both = second < count
    sphere, beside = np.append(first, second[both]), np.append(second, first[both])
    height = np.append(0.5 * apart + nearer, (0.5 * apart - nearer)[both])
    area = np.append(area, area[both])
    volume = np.bincount(sphere, height * area / 3.0, count)
    seen = area > _SMALLEST * np.bincount(sphere, area, count)[sphere]
    return np.maximum(volume, 0.0), sphere[seen], beside[seen], area[seen]
