"""What a box in space holds, for vector files: spheres with light, the rods between them (forces, contacts) and rings,
sorted by what covers what.

The half of a rod between the centre of a sphere and its contact lies inside that sphere at full size, and so do smaller
ones drawn in its place. Full spheres do not overlap, so all of this has the place of its sphere in the order from back
to front, and in there halves that point away come before the sphere, the others after it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas import colors
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import Depths, DiscsInView
from aggviewer.canvas.layers.primitives import Bars, Rings
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from engine.arrays import Floats
from engine.geometry.nearest import tree_of
from engine.plotting.light import AMBIENT, CUT, DIFFUSE, LIGHT, gradients
from engine.plotting.projection import HAZE, WHOLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_AT = 1e-6  # mean radii from the centre of a sphere at which a rod ends in it
_NOWHERE = 1e30
_SEAM = 0.3  # pixels by which the halves of a rod overlap
_EDGE = 0.5  # share of its light that the edge of a rod has
_CORE = 0.5  # share of its width that is bright


@dataclass
class _Circles:
    """Circles in pixels with what they look like; slot : the sphere in whose place each is; turn : which comes first
    there."""

    places: Floats
    radii: Floats
    colors: Floats
    keeps: Floats
    far: Floats
    flat: NDArray[np.bool_]
    slot: NDArray[np.int64]
    turn: Floats

    def and_(self, *others: _Circles) -> _Circles:
        return _Circles(
            *(np.concatenate(parts) for parts in zip(*(vars(one).values() for one in (self, *others)), strict=True))
        )


def draw_solids(
    axes: Axes,
    scene: Scene,
    camera: Camera,
    view: ViewModel,
    marks: Iterable[tuple[Bars | Rings, float]],
    share: float,
    name: str,
) -> int:
    """Draw them in axes whose units are the pixels of a camera; returns the number of spheres.

    marks : of the layers, with their opacity, which rings have not; share : of their radii with which spheres are
        drawn; name : of the group in an SVG.
    """
    from engine.plotting.solids import SolidCollection  # brings matplotlib

    assert camera.pose is not None
    in_view = DiscsInView()
    count = in_view.find_lit(scene, camera, view) if scene.shown else 0
    circles = _spheres(scene, camera, view, in_view, count)
    places, depth, magnified = camera.pose.seen(scene.positions, (camera.x, camera.y))
    order = depth
    if np.isfinite(camera.pose.eye):
        across = np.square(places / magnified[:, np.newaxis]).sum(axis=1)
        order = np.square(scene.radii) - across - np.square(camera.pose.eye - depth)
    slots: list[NDArray[np.int64]] = []
    turns: list[Floats] = []
    corners, inks = [np.zeros((0, 4, 2))], [np.zeros((0, 4))]
    # hidden spheres are nowhere
    tree = tree_of(np.nan_to_num(scene.positions, nan=_NOWHERE), scene.box, False) if scene.count else None
    for one, opacity in marks if tree is not None else ():
        if isinstance(one, Rings):
            circles = circles.and_(*_rings(one, tree, scene, camera))
            continue
        surfaces, ink, places_in_order, first = _rods(one, tree, scene, camera, share)
        ink = np.column_stack([ink, np.full(len(ink), 255.0 * opacity)])
        corners, inks, slots, turns = [*corners, surfaces], [*inks, ink], [*slots, places_in_order], [*turns, first]
    slot, turn = (np.concatenate([own, *more]) for own, more in ((circles.slot, slots), (circles.turn, turns)))
    ground = np.array(view.background_rgb, np.float64)
    looks, which = gradients(circles.colors, circles.keeps, circles.far, ground, circles.flat)
    made = SolidCollection(
        axes, circles.places, circles.radii, looks, which, np.concatenate(corners),
        np.clip(np.rint(np.concatenate(inks)), 0, 255).astype(np.uint8), np.lexsort((turn, order[slot])),
    )  # fmt: skip
    made.set_gid(name)
    return count


def _spheres(scene: Scene, camera: Camera, view: ViewModel, found: DiscsInView, count: int) -> _Circles:
    """The spheres, and the flat faces of those that a slab cuts."""
    places, radii = found.outlines(camera, count)
    entries = colors.entries_of(found.scalar[:count], colors.coloring_in_view(scene, view))
    cut = found.cut[:count].astype(np.float64)
    off = cut[:, 3] >= cut[:, 1] - 1e-6  # the centre is cut off: the outline is the face
    own = _Circles(
        places,
        radii,
        colors.scene_table(scene, view)[entries, :3].astype(np.float64),
        found.shade(count) if found.darkest else np.ones(count),
        HAZE * (1.0 - found.near[:count].astype(np.float64)) if view.depth_fades else np.zeros(count),
        off,
        found.number[:count].astype(np.int64),
        np.zeros(count),
    )
    own.keeps[off] = 1.0
    open_ = np.flatnonzero((cut[:, 3] > 0.0) & ~off)
    faces = _Circles(*(values[open_] for values in vars(own).values()))
    faces.places = camera.pixels(found.offset[open_].astype(np.float64) * cut[open_, 2:3])
    faces.radii = found.radius[open_] * camera.scale * cut[open_, 3]
    faces.keeps, faces.flat, faces.turn = np.ones(len(open_)), np.ones(len(open_), np.bool_), np.full(len(open_), 0.1)
    return own.and_(faces)


def _rings(rings: Rings, tree: Any, scene: Scene, camera: Camera) -> list[_Circles]:
    """Rings, each as a disc in the colour of its rim and a smaller one in that of its inside."""
    assert camera.pose is not None
    rings = _in_slab(rings, scene, camera)
    places, _, magnified = camera.pose.seen(rings.points, (camera.x, camera.y))
    places, slot = camera.pixels(places), tree.query(rings.points)[1].astype(np.int64)
    count, turns, widths = len(places), (0.2, 0.3), (0.0, rings.width)
    nothing, flat = np.zeros(count), np.ones(count, np.bool_)
    found = []
    for turn, less, color in zip(turns, widths, (rings.color, rings.ground), strict=True):
        inside, ink = np.maximum(rings.radii * magnified - less, 0.0), np.tile(np.array(color.rgb) / CUT, (count, 1))
        found.append(_Circles(places, inside, ink, nothing, nothing, flat, slot, np.full(count, turn)))
    return found


def _in_slab(rings: Rings, scene: Scene, camera: Camera) -> Rings:
    """Those whose middles are in the slab."""
    assert camera.pose is not None
    middle = camera.x, camera.y
    seen = camera.pose.beyond_slab(camera.pose.seen(rings.points, middle)[1], scene.box, middle) <= 0.0
    return replace(rings, points=rings.points[seen], radii=rings.radii[seen])


def _rods(
    bars: Bars, tree: Any, scene: Scene, camera: Camera, share: float
) -> tuple[Floats, Floats, NDArray[np.int64], Floats]:
    """The surfaces of rods: corners (K, 4, 2) in pixels, colours (K, 3), and slot and turn (K,) of each."""
    pose = camera.pose
    assert pose is not None
    middle = camera.x, camera.y
    away, own = tree.query(bars.segments)
    ends_here = away < _AT * scene.mean_radius  # (K, 2)
    step = bars.segments[:, 1] - bars.segments[:, 0]
    radii = np.where(ends_here, scene.radii[own], 0.0)
    both = ends_here.all(axis=1)
    at = np.where(both, radii[:, 0] / np.maximum(radii.sum(axis=1), 1e-300), np.where(ends_here[:, 1], 0.0, 1.0))
    contact = bars.segments[:, 0] + at[:, np.newaxis] * step
    # from a centre to the contact
    halves = np.concatenate([np.stack([bars.segments[:, end], contact], axis=1) for end in (0, 1)])
    which = np.tile(np.arange(len(step)), 2)
    slot = own.T.reshape(-1)
    keep = np.square(halves[:, 1] - halves[:, 0]).sum(axis=1) > 0.0
    halves, which, slot, radius = halves[keep], which[keep], slot[keep], radii.T.reshape(-1)[keep]
    along = halves[:, 1] - halves[:, 0]
    along /= np.sqrt(np.square(along).sum(axis=1))[:, np.newaxis]
    depth = pose.seen(halves, middle)[1]
    tilt = depth[:, 1] - depth[:, 0]
    # what points to the viewer begins at the surface, the edges of the rod too
    half = bars.half[which] / camera.scale
    begin = np.where(tilt > 0.0, np.sqrt(np.maximum(np.square(share * radius) - np.square(half), 0.0)), 0.0)
    halves[:, 0] += begin[:, np.newaxis] * along
    keep = ((halves[:, 1] - halves[:, 0]) * along).sum(axis=1) > 0.0
    halves, which, slot, tilt = halves[keep], which[keep], slot[keep], tilt[keep]
    if pose.slab != WHOLE:
        halves, left = Depths(scene, camera).within_slab(halves)
        which, slot, tilt = which[left], slot[left], tilt[left]
    places, depth, magnified = pose.seen(halves, middle)
    ends, half = camera.pixels(places), bars.half[which, np.newaxis] * magnified
    along = ends[:, 1] - ends[:, 0]
    length = np.maximum(np.hypot(*along.T), 1e-9)[:, np.newaxis]
    along /= length
    ends[:, 1] += _SEAM * along
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    sideways = across[:, 0] * LIGHT[0] - across[:, 1] * LIGHT[1]  # pixels go down
    most = np.hypot(sideways, LIGHT[2])
    ink = np.where(bars.marked[which, np.newaxis], bars.marked_color.rgb, bars.color.rgb)
    mixed, ground = np.zeros((len(which), 1)), np.zeros(3)
    if bars.haze is not None:
        back, front, _, _ = pose.depths(scene.box, middle)
        near = np.clip((depth.mean(axis=1) - back) / (front - back), 0.0, 1.0)
        mixed, ground = bars.haze[1] * (1.0 - near)[:, np.newaxis], np.array(bars.haze[0].rgb, np.float64)
    corners, inks = [], []
    for wide, to_light, bright in ((1.0, 0.0, _EDGE), (_CORE, 1.0 - _CORE, 1.0)):
        core = ends + (to_light * sideways / most)[:, np.newaxis, np.newaxis] * half[..., np.newaxis] * across[:, None]
        side = wide * half[..., np.newaxis] * across[:, np.newaxis]
        corners.append(np.stack([core[:, 0] - side[:, 0], core[:, 1] - side[:, 1], core[:, 1] + side[:, 1],
                                 core[:, 0] + side[:, 0]], axis=1))  # fmt: skip
        lit = np.minimum(AMBIENT + DIFFUSE * bright * most, 1.0)[:, np.newaxis]
        inks.append(lit * ((1.0 - mixed) * ink + mixed * ground))
    turn = np.where(tilt > 0.0, 1.0, -1.0) + tilt / (1.0 + np.abs(tilt)) / 2
    return np.concatenate(corners), np.concatenate(inks), np.tile(slot, 2), np.concatenate([turn, turn + 1e-9])
