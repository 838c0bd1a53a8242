"""Finds which objects of a scene are in view, and where, in pixels: discs and marks with their periodic copies, the
box, its edges in space, discs as circles (for vector files, and for Qt until the kernels are ready), and which parts of
lines and points are hidden by spheres. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, hypot

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas import colors
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.primitives import DrawnDiscs
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from engine.arrays import Floats
from engine.boundary import Periodic
from engine.geometry.nearest import nearest_image
from engine.plotting.projection import CLOSEST, WHOLE, are_dashed, axes_of, edges_of, shaded

MOST = 6000
"""Most marks of a kind that are drawn; of more, only every second, third … is."""

_UNCUT = 1.0, 1.0, 1.0, 0.0  # see `engine.plotting.projection.SpheresSeen`
_REACH = 3.6  # distance of two spheres, in radii of the larger one, from which neither is in the shadow of the other
_DARKEST = 0.65  # share of its light that a point loses from which neighbours hide everything
_MOST_SHADED = 30_000  # spheres in view between which there are shadows: finding them takes 10 ms
_MANY = 5000  # number of marks from which a first selection of those near the view pays off


def periods_away(places: Floats, box: Floats, periodic: Periodic) -> Floats:
    """How many periods places (..., d) are away from the box along each axis, 0 between walls."""
    return np.where(periodic, np.floor(places / box), 0.0)


def beyond_box(places: Floats, box: Floats, periodic: Periodic) -> Floats:
    """What has to be taken off places (..., d) so that they are in the box, 0 between walls."""
    turns = periods_away(places, box, periodic)
    off = turns * box
    if periodic.offset:
        ahead = turns[..., 1] * periodic.offset
        off[..., 0] = ahead + box[0] * np.floor((places[..., 0] - ahead) / box[0])
    return off


def cut_in_space(segments: Floats, box: Floats, periodic: Periodic) -> tuple[Floats, NDArray[np.int64]]:
    """Segments (K, 2, 3) of which those that leave a box across a periodic face are two halves, each at the end where
    its disc is drawn, and the segment of each: in space nothing continues at the opposite face. In the plane and
    between walls nothing is cut."""
    if len(box) == 2 or not periodic.any:
        return segments, np.arange(len(segments))
    away = beyond_box(segments[:, 1], box, periodic)
    leaves = np.flatnonzero(away.any(axis=1))
    middle = segments[leaves].mean(axis=1)
    cut = segments.copy()
    cut[leaves, 1] = middle
    others = np.stack([segments[leaves, 1], middle], axis=1) - away[leaves, np.newaxis]
    return np.concatenate([cut, others]), np.concatenate([np.arange(len(segments)), leaves])


class DiscsInView:
    """The discs that a camera sees, in buffers that are reused from frame to frame and grow if necessary.

    A disc that crosses a periodic edge appears once for each of its copies. Spheres come from back to front.

    Attributes
    ----------
    offset : (capacity, 2) float32, from the centre of the view in world units; radius, scalar : (capacity,) float32. In
        space offsets are to the right and up; these and the radii are magnified by perspective.
    depth, near, cut, number : (capacity,), (capacity,), (capacity, 4) float32 and (capacity,) int32, in space depth,
        near, cut and which of `engine.plotting.projection.SpheresSeen`; in the plane near is 1 and nothing is cut.
    shadow, darkest : (capacity, 9) float32, what neighbours hide from spheres (`aggviewer.canvas.occlusion`), and the
        share of its light that a point loses from which they hide everything. `find_lit` sets both.
    """

    def __init__(self) -> None:
        self._make_room(1)

    def _make_room(self, capacity: int) -> None:
        self.offset = np.zeros((capacity, 2), np.float32)
        self.radius, self.scalar = np.zeros((2, capacity), np.float32)
        self.depth, self.near = np.zeros(capacity, np.float32), np.ones(capacity, np.float32)
        self.cut, self.number = np.full((capacity, 4), _UNCUT, np.float32), np.zeros(capacity, np.int32)
        self.shadow, self.darkest = np.zeros((capacity, 9), np.float32), 0.0
        self._uncut = True  # all of `cut`

    def _cut_nothing(self) -> None:
        """Let `cut` say that nothing is cut, without writing it for every picture."""
        if not self._uncut:
            self.cut[:] = _UNCUT
            self._uncut = True

    def find(
        self, scene: Scene, camera: Camera, margin: float = 0.0, *, compiled: bool = True, share: float = 1.0
    ) -> int:
        """Write the discs that overlap the view or its margin of `margin` pixels, and return their number.

        share : of their radii with which spheres are drawn (`Scene.drawn_share`).
        compiled : whether to use a kernel, which must be compiled or loaded; numpy is ten times as slow.
        """
        more = margin / camera.scale
        if camera.pose is not None:
            return self._find_spheres(scene, camera, more, compiled, share)
        left, bottom, width, height = camera.rect
        edges = np.array([left - more, bottom - more, left + width + more, bottom + height + more, camera.x, camera.y])
        discs = scene.positions, scene.radii, scene.scalar, scene.box, scene.periodic.code, scene.periodic.offset
        if compiled:
            from aggviewer.canvas.disc_kernels import gather  # brings numba
        else:
            gather = gather_by_numpy
        while (count := gather(*discs, edges, self.offset, self.radius, self.scalar)) > len(self.offset):
            self._make_room(count + count // 8)
        self._cut_nothing()
        return int(count)

    def _find_spheres(self, scene: Scene, camera: Camera, more: float, compiled: bool, share: float) -> int:
        assert camera.pose is not None
        pose = camera.pose
        middle = camera.x, camera.y, pose.z
        seen = camera.width / 2 / camera.scale + more, camera.height / 2 / camera.scale + more
        positions, radii = scene.positions, scene.radii if share == 1.0 else share * scene.radii
        if not compiled:
            found = pose.spheres(positions, radii, scene.box, middle[:2])
            places, sizes = found.outlines
            these = np.flatnonzero((np.abs(places) - sizes[:, np.newaxis] <= seen).all(axis=1))
            self.number, self.scalar = found.which[these].astype(np.int32), scene.scalar[found.which[these]]
            self.offset, self.radius, self.depth, self.near, self.cut = (
                part[these].astype(np.float32)
                for part in (found.places, found.radii, found.depth, found.near, found.cut)
            )
            self._uncut = False
            return len(these)
        from aggviewer.canvas.sphere_kernels import gather_spheres  # brings numba

        depths = pose.depths(scene.box, middle[:2])
        view = np.array([*middle, *axes_of(pose.turn).ravel(), *seen, pose.eye, CLOSEST, *depths])
        while True:
            buffers = self.offset, self.radius, self.scalar, self.depth, self.near, self.cut, self.number
            count = gather_spheres(positions, radii, scene.scalar, view, *buffers)
            if count <= len(self.offset):
                if pose.slab == WHOLE:
                    self._cut_nothing()
                else:
                    self._uncut = False
                return int(count)
            self._make_room(count + count // 8)

    def find_lit(
        self, scene: Scene, camera: Camera, view: ViewModel, margin: float = 0.0, *, compiled: bool = True
    ) -> int:
        """The same as `find`, for a picture: spheres as large as the view shows them, with what their neighbours hide
        from them, also those beside the view. There are no shadows without the kernels, and none between very many
        spheres."""
        share, lit = scene.drawn_share(view.layers), compiled and view.soft_shadows and camera.pose is not None
        if lit:
            margin += _REACH * share * float(scene.radii.max(initial=0.0)) * camera.scale
        count = self.find(scene, camera, margin, compiled=compiled, share=share)
        self.darkest = _DARKEST if lit and count <= _MOST_SHADED else 0.0
        if self.darkest and camera.pose is not None:
            from aggviewer.canvas.occlusion import occlude_spheres  # brings numba

            half = camera.width / 2.0 / camera.scale, camera.height / 2.0 / camera.scale
            seen = np.array([*half, camera.pose.eye, CLOSEST, _REACH])
            occlude_spheres(self.offset, self.radius, self.depth, self.cut, count, seen, self.shadow)
        return count

    def shade(self, count: int) -> Floats:
        """The share of their light that the first `count` spheres keep, (count,), in the mean over what is seen of
        them."""
        one, _, _, z, xx, yy, *_ = self.shadow[:count].T.astype(np.float64)
        hidden = np.maximum(one + z * 2.0 / 3.0 + (xx + yy) / 4.0, 0.0)  # means over a disc
        return np.asarray(1.0 - self.darkest * hidden / (1.0 + hidden))

    def outlines(self, camera: Camera, count: int) -> tuple[Floats, Floats]:
        """The circles in which the first `count` discs are seen, in pixels: their middles (count, 2) and radii
        (count,)."""
        places = camera.pixels(self.offset[:count].astype(np.float64) * self.cut[:count, :1])
        return places, self.radius[:count].astype(np.float64) * self.cut[:count, 1] * camera.scale

    def at(self, scene: Scene, camera: Camera, px: float, py: float, reach: float, share: float = 1.0) -> int | None:
        """The sphere at a pixel that is in front of all others there, or the nearest one within `reach` pixels; None if
        there is none. share : as for `find`."""
        count = self.find(scene, camera, reach, share=share)
        places, radii = self.outlines(camera, count)
        away = np.hypot(*(places - (px, py)).T) - radii
        inside = np.flatnonzero(away <= 0.0)
        if len(inside):
            return int(self.number[inside[-1]])
        nearest = int(away.argmin()) if count else 0
        return int(self.number[nearest]) if count and away[nearest] <= reach else None


def gather_by_numpy(
    positions: Floats,
    radii: Floats,
    scalar: NDArray[np.float32],
    box: Floats,
    periodic: int,
    ahead: float,
    view: Floats,
    offset: NDArray[np.float32],
    radius: NDArray[np.float32],
    value: NDArray[np.float32],
) -> int:
    """The same as `aggviewer.canvas.disc_kernels.gather`, in the same order, for use before that is compiled.

    positions : (N, 2); radii, scalar : (N,); box : (2,); periodic : see `engine.boundary.Periodic.code`; ahead : see
        `Periodic.offset`; view : (6,), the sides of the view and the origin, in world units. offset : (K, 2), radius,
        value : (K,), the buffers that are filled. Returns how many discs there are, which may be more than K.
    """
    around = np.array(Periodic.of_code(periodic, 2))
    each, reach = np.array([-1.0, 0.0, 1.0]), radii[:, np.newaxis]
    rows = np.tile(positions[:, :1], 3)
    if ahead:
        rows[:, ::2] = (rows[:, ::2] + ahead * each[::2]) % box[0]
    x = rows[:, :, np.newaxis] + each * box[0]  # (N, rows, copies in a row)
    y = positions[:, 1:] + each * box[1]  # (N, rows)
    in_row = (x + reach[:, :, np.newaxis] >= view[0]) & (x - reach[:, :, np.newaxis] <= view[2])
    in_row[:, :, 0] &= (rows + reach > box[0]) & around[0]
    in_row[:, :, 2] &= (rows < reach) & around[0]
    seen = (y + reach >= view[1]) & (y - reach <= view[3])
    seen[:, 0] &= (positions[:, 1] + radii > box[1]) & around[1]
    seen[:, 2] &= (positions[:, 1] < radii) & around[1]
    disc, b, a = np.nonzero(seen[:, :, np.newaxis] & in_row)
    kept = slice(0, min(len(disc), len(offset)))
    offset[kept, 0] = x[disc, b, a][kept] - view[4]
    offset[kept, 1] = y[disc, b][kept] - view[5]
    radius[kept], value[kept] = radii[disc][kept], scalar[disc][kept]
    return len(disc)


def in_view(
    segments: Floats, scene: Scene, camera: Camera, margin: float = 0.0, most: int = MOST
) -> tuple[Floats, NDArray[np.int64]]:
    """Segments (K, 2, d) as (K, 2, 2) in pixels that may be visible, at most `most`, with their indices (K,) in the
    list.

    margin : pixels that a mark covers around its segment. A segment that crosses a periodic edge appears again at the
        opposite edge; both must be clipped at the box.
    """
    index = np.arange(len(segments))
    if len(segments) > _MANY and camera.pose is None:
        index = _near(segments, scene, camera, margin / camera.scale)
        segments = segments[index]
    segments, index = _with_copies(segments, index, scene, margin / camera.scale)
    pixels = to_pixels(segments, camera)
    seen = np.flatnonzero(touches(pixels, camera, margin))
    seen = seen[:: max(1, -(-len(seen) // most))]
    return pixels[seen], index[seen]


def _near(segments: Floats, scene: Scene, camera: Camera, margin: float) -> NDArray[np.int64]:
    """The segments that overlap the view or the margin around it, or cross a periodic edge."""
    left, bottom, width, height = camera.rect
    low, high = (left - margin, bottom - margin), (left + width + margin, bottom + height + margin)
    ends = [(np.minimum(a, b), np.maximum(a, b)) for a, b in (segments[:, :, axis].T for axis in (0, 1))]
    seen = np.ones(len(segments), np.bool_)
    for (least, most), first, last in zip(ends, low, high, strict=True):
        seen &= (most >= first) & (least <= last)
    for axis in scene.wraps.axes:
        least, most = ends[axis]
        seen |= (least < margin) | (most > scene.box[axis] - margin)
    return np.flatnonzero(seen)


def to_pixels(points: Floats, camera: Camera) -> Floats:
    """Convert world points (..., d) to pixels (..., 2)."""
    return camera.seen(points)[0]


def touches(pixels: Floats, camera: Camera, margin: float) -> NDArray[np.bool_]:
    """Which rectangles, given by two corners (K, 2, 2) in pixels, overlap the picture or the margin around it."""
    # reducing an axis of two is slow in numpy
    low, high = np.minimum(pixels[:, 0], pixels[:, 1]), np.maximum(pixels[:, 0], pixels[:, 1])
    seen = (high >= -margin) & (low <= (camera.width + margin, camera.height + margin))
    inside: NDArray[np.bool_] = seen[:, 0] & seen[:, 1]
    return inside


def _with_copies(
    segments: Floats, index: NDArray[np.int64], scene: Scene, margin: float
) -> tuple[Floats, NDArray[np.int64]]:
    """The segments, and for each periodic axis of a plane copies of those that cross an edge of the box."""
    steps = np.diag(scene.box[:2])
    steps[1, 0] = scene.periodic.offset
    for axis in reversed(scene.wraps.axes):
        side, step = float(scene.box[axis]), steps[axis]
        start, end = segments[:, 0, axis], segments[:, 1, axis]
        over_low = np.minimum(start, end) < margin
        over_high = np.maximum(start, end) > side - margin
        copies = np.concatenate([segments[over_low] + step, segments[over_high] - step])
        if axis and scene.periodic.offset:
            copies[:, :, 0] -= steps[0, 0] * np.floor(copies[:, :1, 0] / steps[0, 0])
        segments = np.concatenate([segments, copies])
        index = np.concatenate([index, index[over_low], index[over_high]])
    return segments, index


def pair_segments(pairs: NDArray[np.int32], positions: Floats, box: Floats, periodic: Periodic | bool) -> Floats:
    """(K, 2, d) from the first disc of each pair to the nearest image of the second."""
    start = positions[pairs[:, 0]]
    between = nearest_image(positions[pairs[:, 1]] - start, box, periodic)
    return np.stack([start, start + between], axis=1)


def box_clip(scene: Scene, camera: Camera) -> tuple[int, int, int, int]:
    """First column, first row, end column, end row of the part that discs may cover: the picture as far as the periodic
    edges of the box. A disc that crosses one is cut there and continues at the opposite edge."""
    return pixels_within(scene, camera, scene.wraps)


def box_pixels(scene: Scene, camera: Camera) -> tuple[int, int, int, int]:
    """First column, first row, end column, end row of the visible part of the box; in space, of the picture."""
    return pixels_within(scene, camera, (camera.pose is None, camera.pose is None))


def pixels_within(scene: Scene, camera: Camera, along: Sequence[bool]) -> tuple[int, int, int, int]:
    """`picture_within` in whole pixels of the picture: first column, first row, end column, end row."""
    width, height = int(camera.width), int(camera.height)
    left, top, right, bottom = picture_within(scene, camera, along)
    first_column, first_row = min(max(round(left), 0), width), min(max(round(top), 0), height)
    end_column, end_row = min(max(round(right), 0), width), min(max(round(bottom), 0), height)
    return first_column, first_row, end_column, end_row


def picture_within(scene: Scene, camera: Camera, along: Sequence[bool]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom in pixels of the picture, which ends at the edges of the box along some axes of the
    plane. along : whether it does along x, and along y."""
    left, bottom = camera.to_pixel(0.0, 0.0)
    right, top = camera.to_pixel(*scene.sides[:2])
    x, y, *_ = along
    return left if x else 0.0, top if y else 0.0, right if x else camera.width, bottom if y else camera.height


BEHIND = 0.55
"""Opacity of the edges behind."""

_DASH, _GAP = 5.0, 4.0  # pixels
_MOST = 2000  # dashes of an edge


def box_edges(box: Floats, camera: Camera, periodic: Periodic, unit: float = 1.0) -> tuple[Floats, Floats]:
    """The edges in front, (K, 4), and those behind, (J, 4): x and y of both ends in pixels.

    Those between two periodic faces are cut into dashes. unit : pixels of the camera per pixel on the screen.
    """
    assert camera.pose is not None
    found = []
    for edges in edges_of(box, camera.pose, (camera.x, camera.y)):
        lines, dashed = camera.seen(edges)[0].reshape(-1, 4), are_dashed(edges, periodic)
        found.append(np.concatenate([lines[~dashed], dashes(lines[dashed], unit)]))
    far, near = found
    return near, far


def dashes(lines: Floats, unit: float) -> Floats:
    """The dashes, (M, 4), of lines (K, 4), x and y of both ends: evenly spread, so that each line begins and ends with
    one."""
    found = [np.zeros((0, 4))]
    for x, y, to_x, to_y in lines.tolist():
        count = min(max(ceil((hypot(to_x - x, to_y - y) / unit + _GAP) / (_DASH + _GAP)), 1), _MOST)
        step = 1.0 / (count - _GAP / (_DASH + _GAP))
        begin = step * np.arange(count)
        end = begin + step * _DASH / (_DASH + _GAP)
        place = np.stack([begin, begin, end, end], axis=1)
        found.append(np.array([x, y, x, y]) + place * np.array([to_x - x, to_y - y] * 2))
    return np.concatenate(found)


_RIM_FROM, _RIM_FULL = 5.0, 8.0  # pixels: radii from which a disc has a rim, and its full rim
_RIM_STEPS = 8


def circles_in_view(
    scene: Scene, camera: Camera, view: ViewModel, in_view: DiscsInView, *, pixel: float = 1.0, compiled: bool = True
) -> DrawnDiscs:
    """The discs that a camera sees, including periodic copies; spheres from back to front.

    Parameters
    ----------
    in_view : buffers for them.
    pixel : the width of a rim, which is the outermost part of a disc.
    compiled : whether to use a kernel, see `DiscsInView.find`.
    """
    count = in_view.find_lit(scene, camera, view, compiled=compiled) if scene.shown else 0
    places, radii = in_view.outlines(camera, count)
    strength = np.clip((radii / pixel - _RIM_FROM) / (_RIM_FULL - _RIM_FROM), 0.0, 1.0)
    step = np.rint(strength * _RIM_STEPS).astype(np.int64)
    entries = colors.entries_of(in_view.scalar[:count], colors.coloring_in_view(scene, view))
    faces = colors.scene_table(scene, view)[entries, :3]
    if in_view.darkest:
        faces = np.rint(faces * in_view.shade(count)[:, np.newaxis]).astype(np.uint8)
    if camera.pose is not None and view.depth_fades:
        faces = np.rint(shaded(faces, in_view.near[:count], view.background_rgb)).astype(np.uint8)
    rims = np.rint(faces * (1.0 - colors.RIM / _RIM_STEPS * step[:, None])).astype(np.uint8)
    widths = np.where(step > 0, pixel, 0.0)
    return DrawnDiscs(places, radii - widths / 2, faces, rims, widths)


_COARSE = 2.0  # pixels of the picture per pixel of the depths
_INSIDE = 1.5  # pixels from the outline of a sphere to the place that tells whether it is seen
_PIECE = 3.0  # pixels of a line that are seen or hidden together
_MOST_PIECES = 64  # of a line


class Depths:
    """How near the surfaces of a scene are in each pixel of a camera in space; made at first use."""

    def __init__(self, scene: Scene, camera: Camera, share: float = 1.0, *, compiled: bool = True) -> None:
        """share : of their radii with which spheres are drawn; compiled : whether the kernels are ready."""
        self._scene = scene
        self._camera = camera
        self._share = share
        self._compiled = compiled
        self._in_view: DiscsInView | None = None
        self._count = 0
        self._front: tuple[NDArray[np.float32], NDArray[np.int32]] | None = None

    @property
    def _spheres(self) -> tuple[DiscsInView, int]:
        """The spheres in view, and how many they are."""
        if self._in_view is None:
            self._in_view = DiscsInView()
            self._count = self._in_view.find(self._scene, self._camera, compiled=self._compiled, share=self._share)
        return self._in_view, self._count

    def _near(self) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        if self._front is None:
            self._front = self.front(_COARSE)
        return self._front

    def front(self, coarse: float) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """What is in front in each square of `coarse` pixels: its depth, (H, W), -inf for nothing, and the place of the
        sphere among those in view, (H, W), -1 for none. Needs the kernels."""
        from aggviewer.canvas.sphere_kernels import paint_depths  # brings numba

        camera, (found, count) = self._camera, self._spheres
        assert camera.pose is not None
        shape = ceil(camera.height / coarse), ceil(camera.width / coarse)
        surface, number = np.full(shape, -np.inf, np.float32), np.full(shape, -1, np.int32)
        where = np.array([camera.scale, camera.width / 2, camera.height / 2]) / coarse
        planes = np.array([*camera.pose.depths(self._scene.box, (camera.x, camera.y))[2:], camera.pose.eye])
        paint_depths(found.offset, found.radius, found.depth, found.cut, count, where, planes, surface, number)
        return surface, number

    def rims(self, discs: NDArray[np.int64], around: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """The outlines of those of the spheres `discs` (K,) that are in view.

        Returns
        -------
        places, radii : (M, 2) and (M,), in pixels.
        seen : (M, around), which of so many equal parts of each outline no other sphere hides, counterclockwise from
            the right; for one part, whether none hides the middle. All are while the kernels are not ready.
        """
        found, count = self._spheres
        which = np.flatnonzero(np.isin(found.number[:count], discs))
        places, radii = (part[which] for part in found.outlines(self._camera, count))
        if not self._compiled:
            return places, radii, np.ones((len(which), around), np.bool_)
        number = self._near()[1]
        angles = 2.0 * np.pi * (np.arange(around) + 0.5) / around
        inside = (np.maximum(radii - _INSIDE, 0.0) * (around > 1))[:, np.newaxis, np.newaxis]
        points = places[:, np.newaxis] + inside * np.stack([np.cos(angles), -np.sin(angles)], axis=1)
        column, row = np.moveaxis(np.floor(points / _COARSE).astype(np.int64), -1, 0)
        rows, columns = number.shape
        front = number[row.clip(0, rows - 1), column.clip(0, columns - 1)]
        return places, radii, front <= which[:, np.newaxis]

    def hidden(self, points: Floats, slack: float | Floats = 0.0, outside: float | Floats = 0.0) -> NDArray[np.bool_]:
        """Which points (K, 3) are more than `slack` behind a surface, or more than `outside` beyond the slab. Needs the
        kernels."""
        (surface, _), camera = self._near(), self._camera
        assert camera.pose is not None
        middle = camera.x, camera.y
        _, depth, _ = camera.pose.seen(points, middle)
        column, row = np.floor(to_pixels(points, camera) / _COARSE).astype(np.int64).T
        inside = (row >= 0) & (row < surface.shape[0]) & (column >= 0) & (column < surface.shape[1])
        found: NDArray[np.bool_] = camera.pose.beyond_slab(depth, self._scene.box, middle) > outside
        found[inside] |= surface[row[inside], column[inside]] > (depth + slack)[inside]
        return found

    def within_slab(self, segments: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """The parts of segments (K, 2, 3) inside the slab, and the segment of each."""
        camera, pose = self._camera, self._camera.pose
        assert pose is not None
        middle = camera.x, camera.y
        depth, (_, _, low, high) = pose.seen(segments, middle)[1], pose.depths(self._scene.box, middle)
        start, step = depth[:, 0], depth[:, 1] - depth[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):  # NaN: the segment lies across, in the slab or outside
            ends = np.sort([(low - start) / step, (high - start) / step], axis=0)
        across = (step == 0.0) & (start >= low) & (start <= high)
        first, last = (
            np.where(across, share, np.clip(end, 0.0, 1.0)) for share, end in zip((0.0, 1.0), ends, strict=True)
        )
        own = np.flatnonzero(first < last)
        begin, along = segments[own, 0], segments[own, 1] - segments[own, 0]
        return np.stack([begin + share[own, np.newaxis] * along for share in (first, last)], axis=1), own

    def visible(self, segments: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """The pieces of segments (K, 2, 3) that are not hidden, and the segment of each."""
        pixels = to_pixels(segments, self._camera)
        length = np.hypot(*(pixels[:, 1] - pixels[:, 0]).T)
        pieces = np.clip(np.ceil(length / _PIECE), 1, _MOST_PIECES).astype(np.int64)
        which = np.repeat(np.arange(len(segments)), pieces)
        number = np.arange(len(which)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        start, step = segments[which, 0], (segments[which, 1] - segments[which, 0]) / pieces[which, np.newaxis]
        seen = ~self.hidden(start + (number[:, np.newaxis] + 0.5) * step)
        # pieces that follow one another are one line again
        begins = seen & ((number == 0) | ~np.roll(seen, 1))
        ends = seen & ((number == pieces[which] - 1) | ~np.roll(seen, -1))
        first, last = number[begins, np.newaxis], number[ends, np.newaxis] + 1
        own = which[begins]
        found = np.stack([start[begins] + first * step[begins], start[begins] + last * step[begins]], axis=1)
        return found, own
