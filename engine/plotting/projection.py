"""How a box in space is seen: the pose of a camera, and its projection onto the plane of the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import atan2, cos, inf, pi, sin, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.boundary import Periodic

Quaternion = tuple[float, float, float, float]
"""A rotation in space as a unit quaternion (w, x, y, z)."""

FROM_ABOVE: Quaternion = (0.8044116135723833, -0.5425824844015316, -0.1352810072135251, -0.20056234107586277)
"""The first view of a box in space: from above and from the side, with z up."""

Direction = tuple[float, float, float]
"""A direction in space, with length 1."""

EYE = 6.0
"""With perspective, the distance from the eye to the middle of the picture, in half diagonals of the box."""

CLOSEST = 0.1
"""How near to the eye a point is still drawn in its place, as a share of that distance."""


WHOLE = (0.0, 1.0)
"""The slab that hides nothing."""

HAZE = 0.62
"""How much of the background is mixed into what is at the back of a box in space, where depth fades."""


def checked_turn(turn: Sequence[float]) -> Quaternion:
    """A turn, with length 1. ValueError if it is none."""
    length = sqrt(sum(part * part for part in turn))
    if len(turn) != 4 or not 1e-6 < length < inf:  # not: NaN is refused
        raise ValueError(f"a turn must be four finite numbers that are not all 0, not {turn}")
    w, x, y, z = (part / length for part in turn)
    return w, x, y, z


def checked_slab(slab: Sequence[float]) -> tuple[float, float]:
    """Both ends of a slab (see `Pose`). ValueError if they are none."""
    if len(slab) != 2 or not 0.0 <= slab[0] < slab[1] <= 1.0:  # not: NaN is refused
        raise ValueError(f"a slab must be two shares of the depth with 0 <= back < front <= 1, not {slab}")
    return slab[0], slab[1]


def times(first: Quaternion, second: Quaternion) -> Quaternion:
    """The product of two unit quaternions: the rotation by `second`, followed by `first`."""
    (a, b, c, d), (w, x, y, z) = first, second
    return (
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )


def vertical_of(gravity: Sequence[float]) -> Direction | None:
    """The direction opposite to gravity, which has a number for each axis. None in the plane and without gravity."""
    strength = sqrt(sum(g * g for g in gravity))
    if len(gravity) != 3 or strength == 0.0:
        return None
    x, y, z = (0.0 - g / strength for g in gravity)
    return x, y, z


def first_turn(gravity: Sequence[float] = ()) -> Quaternion:
    """How a box in space is turned at first: seen from above and from the side. Gravity, with a number for each axis,
    points down in the picture; without gravity z points up."""
    up = vertical_of(gravity)
    if up is None or up == (0.0, 0.0, 1.0):
        return FROM_ABOVE
    x, y, z = up
    onto_z = checked_turn((1.0 + z, y, -x, 0.0)) if z > -1.0 + 1e-9 else (0.0, 1.0, 0.0, 0.0)
    return upright(times(FROM_ABOVE, onto_z), up)


def upright(turn: Quaternion, up: Direction, azimuth: float = 0.0, elevation: float = 0.0) -> Quaternion:
    """The turn in which `up` points up in the picture, seen from the same direction, or along it.

    azimuth : by how much the box is then rotated about `up`, counterclockwise seen from its tip; elevation : by how
        much the eye then rises, at most until it looks along `up`; both in radians.
    """
    axes, above = axes_of(turn), np.array(up)
    towards = float(axes[2] @ above)
    right = axes[0] - above * (axes[0] @ above)
    tilted = abs(axes[0] @ above) > 1e-9 or axes[1] @ above < 0.0
    if tilted and abs(towards) < 1.0 - 1e-9:
        right = np.cross(above, axes[2])
    right /= sqrt(float(right @ right))
    right = cos(azimuth) * right - sin(azimuth) * np.cross(above, right)
    level = np.cross(right, above)  # towards the eye, horizontal
    across = axes[2] - towards * above
    high = min(max(atan2(towards, sqrt(float(across @ across))) + elevation, -pi / 2), pi / 2)
    return _turn_of(
        np.array([right, cos(high) * above - sin(high) * level, cos(high) * level + sin(high) * above], np.float64)
    )


def _turn_of(axes: Floats) -> Quaternion:
    """The turn whose `axes_of` are these, (3, 3)."""
    (a, b, c), (d, e, f), (g, h, i) = axes.tolist()
    candidates = (
        (1.0 + a + e + i, h - f, c - g, d - b),
        (h - f, 1.0 + a - e - i, b + d, c + g),
        (c - g, b + d, 1.0 - a + e - i, f + h),
        (d - b, c + g, f + h, 1.0 - a - e + i),
    )
    return checked_turn(max(candidates, key=lambda one: sum(part * part for part in one)))


@lru_cache(maxsize=64)
def axes_of(turn: Quaternion) -> Floats:
    """The axes of the camera in the world, one in each row (3, 3): to the right, up, and towards the viewer."""
    w, x, y, z = (part / sqrt(sum(each * each for each in turn)) for part in turn)
    axes = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    axes.setflags(write=False)
    return axes


@dataclass(frozen=True)
class Pose:
    """How a camera stands in space.

    z : third coordinate of the point in the middle of the picture; turn : of the camera; eye : distance of the eye from
    that point in world units, inf for a parallel projection; slab : the part of the box that is shown, between two
    planes across the line of sight, as shares of its depth from the back, 0, to the front, 1.
    """

    z: float
    turn: Quaternion
    eye: float = inf
    slab: tuple[float, float] = WHOLE

    def seen(self, points: Floats, middle: tuple[float, float]) -> tuple[Floats, Floats, Floats]:
        """The places of world points (..., 3) for this camera, in world units from the middle of the picture.

        middle : x and y of the point there.

        Returns
        -------
        places : (..., 2), to the right and up, magnified by perspective.
        depth : (...), towards the viewer.
        magnified : (...), by perspective; 1 at the depth of the middle.
        """
        from_middle = (points - (*middle, self.z)) @ axes_of(self.turn).T
        depth = from_middle[..., 2]
        nearness = self.nearness(depth)
        return from_middle[..., :2] * nearness[..., np.newaxis], depth, nearness

    def nearness(self, depth: Floats) -> Floats:
        """How much perspective magnifies what is at these depths, (n,)."""
        return np.ones_like(depth) if self.eye == inf else 1.0 / np.maximum(1.0 - depth / self.eye, CLOSEST)

    def depths(self, box: Floats, middle: tuple[float, float]) -> tuple[float, float, float, float]:
        """The depths of the back and of the front of a box (3,), and of both planes of the slab, which are infinite if
        it is the whole box: what reaches out of the box is shown, too."""
        centre, half = float(self.seen(box / 2, middle)[1]), reach(box, self.turn)
        back, front = centre - half, centre + half
        if self.slab == WHOLE:
            return back, front, -inf, inf
        low, high = (back + share * (front - back) for share in self.slab)
        return back, front, low, high

    def beyond_slab(self, depth: Floats, box: Floats, middle: tuple[float, float]) -> Floats:
        """How far what is at these depths is outside the slab of a box (3,), below 0 inside."""
        _, _, low, high = self.depths(box, middle)
        return np.asarray(np.maximum(depth - high, low - depth))

    def spheres(self, positions: Floats, radii: Floats, box: Floats, middle: tuple[float, float]) -> SpheresSeen:
        """Spheres, positions (N, 3) and radii (N,), as this camera sees them in a box (3,), without those outside the
        slab. middle : x and y of the point in the middle of the picture.

        Notes
        -----
        Spheres that do not overlap are sorted by their power distance to the eye, |c - e|² - R²: a plane between two
        spheres has the same side first on every line of sight. That is so for parts of them, too.
        """
        places, depth, magnified = self.seen(positions, middle)
        back, front, low, high = self.depths(box, middle)
        order = depth
        if self.eye != inf:
            across = np.square(places / magnified[:, np.newaxis]).sum(axis=1)
            order = np.square(radii) - across - np.square(self.eye - depth)
        which = np.flatnonzero((depth - radii < high) & (depth + radii > low))
        which = which[np.argsort(order[which], kind="stable")]
        places, depth, magnified, radii = places[which], depth[which], magnified[which], radii[which]
        outline, flat = np.clip(depth, low, high), depth + radii > high
        cut = np.empty((len(which), 4))
        for column, plane in ((0, outline), (2, np.where(flat, high, depth))):
            cut[:, column] = self.nearness(plane) / magnified
            cut[:, column + 1] = np.sqrt(np.maximum(1.0 - np.square((plane - depth) / radii), 0.0)) * cut[:, column]
        cut[:, 3] *= flat
        near = np.clip((outline - back) / (front - back), 0.0, 1.0)
        return SpheresSeen(which, places, radii * magnified, depth, near, cut)


class SpheresSeen(NamedTuple):
    """Spheres as circles in a picture, from back to front, in world units.

    Attributes
    ----------
    which : (K,), their numbers.
    places, radii : (K, 2) and (K,), of the whole spheres: from the middle of the picture to the right and up, magnified
        by perspective.
    depth : (K,), of their centres, towards the viewer.
    near : (K,), the place of the outline between the back of the box, 0, and its front, 1.
    cut : (K, 4), what the slab leaves, as two circles: the outline, which is the circle in which a plane cuts the
        sphere if the centre is cut off, and the flat face where the front plane cuts it. Of each, how much perspective
        magnifies there over what it does at the centre, and its radius over that of the sphere, 0 for no face.
    """

    which: NDArray[np.intp]
    places: Floats
    radii: Floats
    depth: Floats
    near: Floats
    cut: Floats

    @property
    def outlines(self) -> tuple[Floats, Floats]:
        """The circles that are seen: places (K, 2) and radii (K,)."""
        return self.places * self.cut[:, :1], self.radii * self.cut[:, 1]


def ball_around(box: tuple[float, ...], perspective: bool) -> tuple[float, float]:
    """Half the diagonal of a box as large as it appears, and the distance of the eye."""
    half = sqrt(sum(side * side for side in box)) / 2.0
    return (half * EYE / sqrt(EYE * EYE - 1.0), EYE * half) if perspective else (half, inf)


def reach(box: Floats, turn: Quaternion) -> float:
    """How far the box, (d,), reaches from its middle towards the viewer, a length."""
    return float(np.abs(axes_of(turn)[2]) @ box) / 2.0


class FlatView(NamedTuple):
    """Discs or spheres as circles in a plane, those behind first, in the units of their box.

    Attributes
    ----------
    places, radii : (N, 2) and (N,), from the lower left corner of the view.
    near : (N,), the places between the back of a box in space, 0, and its front, 1; in the plane 1.
    which : (N,), the numbers of the discs that are seen: all but those outside the slab.
    edges : (K, 2, 2), of a box in space those behind, which are drawn first, and those in front.
    dashed : (K,) each, which of these edges are dashed.
    size : width and height of the view.
    """

    places: Floats
    radii: Floats
    near: Floats
    which: NDArray[np.intp]
    edges: tuple[Floats, Floats]
    dashed: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    size: tuple[float, float]


def flat_view(
    positions: Floats,
    radii: Floats,
    box: Floats,
    turn: Quaternion = FROM_ABOVE,
    slab: tuple[float, float] = WHOLE,
    periodic: Periodic | bool = False,
) -> FlatView:
    """Discs in the plane as they are, and spheres in perspective.

    positions, radii, box : (N, d), (N,) and (d,); turn, slab : of the camera in space, see `Pose`; periodic : along
    which axes the box is, which decides how its edges look.
    """
    if len(box) == 2:
        edge, line, every = np.empty((0, 2, 2)), np.zeros(0, np.bool_), np.arange(len(radii))
        width, height = box.tolist()
        return FlatView(positions, radii, np.ones(len(radii)), every, (edge, edge), (line, line), (width, height))
    pose = Pose(float(box[2]) / 2, turn, ball_around(tuple(box.tolist()), True)[1], slab)
    middle = float(box[0]) / 2, float(box[1]) / 2
    beyond = float(radii.max(initial=0.0))
    spheres = pose.spheres(positions, radii, box, middle)
    places, sizes = spheres.outlines
    sides = edges_of(box, pose, middle)
    edges = tuple(pose.seen(side, middle)[0] for side in sides)
    corners = np.concatenate(edges).reshape(-1, 2)
    low, high = corners.min(axis=0) - beyond, corners.max(axis=0) + beyond
    width, height = (high - low).tolist()
    behind, before = (side - low for side in edges)
    far, close = (are_dashed(side, Periodic.of(periodic, 3)) for side in sides)
    return FlatView(places - low, sizes, spheres.near, spheres.which, (behind, before), (far, close), (width, height))


def edges_of(box: Floats, pose: Pose, middle: tuple[float, float]) -> tuple[Floats, Floats]:
    """The edges of a box (3,) behind what it holds, and those in front, (K, 2, 3) each: both ends in the world.

    An edge is behind if the camera sees neither of its faces from outside. middle : x and y of the point in the middle
    of the picture.
    """
    # along each axis, whether the lower and the upper face are seen from outside
    faces = [[sees_face(box, pose, middle, axis, upper=upper) for upper in (False, True)] for axis in range(3)]
    sides: tuple[list[Floats], list[Floats]] = [], []
    for along in range(3):
        one, other = (axis for axis in range(3) if axis != along)
        for low, high in product((0, 1), repeat=2):
            ends = np.zeros((2, 3))
            ends[1, along] = box[along]
            ends[:, one], ends[:, other] = low * box[one], high * box[other]
            sides[faces[one][low] or faces[other][high]].append(ends)
    behind, before = (np.array(edges).reshape(-1, 2, 3) for edges in sides)
    return behind, before


def are_dashed(edges: Floats, periodic: Periodic) -> NDArray[np.bool_]:
    """Which edges (K, 2, 3) of a box are drawn dashed: those where two periodic faces meet."""
    along = edges[:, 0] != edges[:, 1]
    dashed: NDArray[np.bool_] = (along | np.array(periodic)).all(axis=1)
    return dashed


def sees_face(box: Floats, pose: Pose, middle: tuple[float, float], axis: int, *, upper: bool) -> bool:
    """Whether a camera sees the lower or the upper face of a box (3,) across an axis from outside.

    middle : x and y of the point in the middle of the picture.
    """
    towards = float(axes_of(pose.turn)[2, axis])
    if pose.eye == inf:
        return towards > 1e-9 if upper else towards < -1e-9
    at = float((*middle, pose.z)[axis]) + pose.eye * towards
    return at > float(box[axis]) if upper else at < 0.0


def shaded(faces: NDArray[Any], near: NDArray[Any], ground: Sequence[float] = (1.0, 1.0, 1.0)) -> Floats:
    """Colours (N, 3) or (N, 4) mixed with the background the more, the farther back they are.

    near : (N,), 0 to 1; ground : red, green and blue of the background, in the units of the faces.
    """
    mixed = faces.astype(np.float64)
    far = HAZE * (1.0 - near[:, np.newaxis])
    mixed[:, :3] = (1.0 - far) * faces[:, :3] + far * np.array(ground)
    return mixed
