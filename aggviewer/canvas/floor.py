"""The edges of a box in space and the floor on which spheres fall, as lines behind and before what the box holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.colors import line_color
from aggviewer.canvas.in_view import BEHIND, box_edges
from aggviewer.canvas.layers.primitives import Color
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from engine.arrays import Floats
from engine.plotting.projection import sees_face

_CELLS = 8  # squares of the floor along the longer side of the box
_MORE = 2  # squares by which it reaches beyond the box on each side
_ABOVE, _BELOW = 0.4, 0.12  # opacity of the floor, seen from above and from below


def _ink(view: ViewModel) -> Color:
    return Color.of(line_color(view))


def lines_behind(scene: Scene, camera: Camera, view: ViewModel, unit: float = 1.0) -> Iterator[tuple[Floats, Color]]:
    """The lines behind what a box in space holds, with their colours: (K, 4), x and y of both ends in pixels.

    unit : pixels of the camera per pixel on the screen.
    """
    if camera.pose is None or not scene.count:
        return
    ink = _ink(view)
    if view.show_box:
        yield box_edges(scene.box, camera, scene.periodic, unit)[1], replace(ink, alpha=BEHIND)
    floor = floor_of(scene, camera, view)
    if floor is not None and floor.is_behind:
        yield camera.seen(floor.lines)[0].reshape(-1, 4), replace(ink, alpha=_ABOVE)


def look_behind(scene: Scene, view: ViewModel) -> tuple[object, ...]:
    """What determines `lines_behind` besides the camera and the background."""
    return view.show_box, view.show_gravity, scene.gravity, scene.sides, scene.periodic


def lines_before(scene: Scene, camera: Camera, view: ViewModel) -> Iterator[tuple[Floats, Color]]:
    """The lines in front of what a box in space holds, with their colours: (K, 4), as `lines_behind` gives them."""
    ink = _ink(view)
    floor = floor_of(scene, camera, view)
    if floor is not None and not floor.is_behind:
        yield camera.seen(floor.lines)[0].reshape(-1, 4), replace(ink, alpha=_BELOW)
    if view.show_box:
        yield box_edges(scene.box, camera, scene.periodic)[0], ink


@dataclass(frozen=True, eq=False)
class Floor:
    """The ground on which a box in space stands: its lines (K, 2, 3), and whether it is seen from above, and so behind
    the spheres."""

    lines: Floats
    is_behind: bool


def floor_of(scene: Scene, camera: Camera, view: ViewModel) -> Floor | None:
    """The floor that the view shows; None in the plane and without gravity."""
    if camera.pose is None or not view.show_gravity or len(scene.gravity) != 3:
        return None
    box = scene.box
    along = int(np.abs(scene.gravity).argmax())
    upper = scene.gravity[along] > 0.0
    sides = [axis for axis in range(3) if axis != along]
    cell = float(box[sides].max()) / _CELLS
    found = []
    counts = [max(1, round(float(box[axis]) / cell)) for axis in sides]
    for axis, other, count, others in (*zip(sides, sides[::-1], counts, counts[::-1], strict=True),):
        number = np.arange(-_MORE, count + _MORE + 1)
        one = np.zeros((len(number), 2, 3))
        one[:, :, axis] = (box[axis] / count * number)[:, np.newaxis]
        one[:, :, other] = box[other] / others * np.array([-_MORE, others + _MORE])
        one[:, :, along] = box[along] * upper
        found.append(one)
    outside = sees_face(box, camera.pose, (camera.x, camera.y), along, upper=upper)
    return Floor(np.concatenate(found), not outside)
