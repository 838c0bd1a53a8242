"""The layer of measurements and notes: in pictures, vectors and films, at any zoom, across edges."""

from __future__ import annotations

import numpy as np

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.marks import NAME, MarkList
from aggviewer.canvas.picture import Painter, ensure_gui
from aggviewer.canvas.scene import Scene
from aggviewer.document.mark_kinds import KINDS
from aggviewer.document.run import Anchor, Mark
from aggviewer.document.view import ViewModel
from aggviewer.session.coloring import Coloring

PLAIN = Coloring("speed", "Speed", "", (0.0, 1.0))
SIZE = (400, 300)
CAMERA = Camera.showing(0.0, 0.0, 8.0, 6.0, SIZE)


def place(x: float, y: float) -> Anchor:
    return Anchor(x=x, y=y)


def on(disc: int) -> Anchor:
    return Anchor(x=0.0, y=0.0, disc=disc)


def scene_with(*marks: Mark, periodic: bool = True, chosen: int = -1) -> Scene:
    scene = Scene()
    scene.replace_discs(np.full(3, 0.01), (8.0, 6.0), periodic)
    show(scene, [[1.0, 1.0], [4.0, 5.0], [7.0, 1.0]])
    scene.pinned[NAME] = MarkList(marks, chosen)
    return scene


def show(scene: Scene, places: list[list[float]]) -> None:
    scene.set_frame(np.array(places), np.zeros(3, np.float32), PLAIN, 0.0)


def view(*layers: str) -> ViewModel:
    shown = {"show_legend": False, "show_scale_bar": False, "show_time": False, "show_box": False}
    return ViewModel(layers=layers or (NAME,), **shown)


def inked(scene: Scene, camera: Camera = CAMERA, *layers: str) -> np.ndarray:
    """Which pixels have the colour of measurements."""
    ensure_gui()
    image = Painter(view(*layers)).paint(scene, camera)
    return pink(image)


def pink(image: np.ndarray) -> np.ndarray:
    """Which pixels of an image have it."""
    red, green, blue = (image[..., axis].astype(int) for axis in range(3))
    found: np.ndarray = (red - green > 40) & (blue - green > 25)
    return found


def pixel(x: float, y: float) -> tuple[int, int]:
    column, row = CAMERA.to_pixel(x, y)
    return int(row), int(column)


def test_a_line_between_discs_follows_them() -> None:
    scene = scene_with(Mark(kind="distance", anchors=(on(0), on(1))), periodic=False)
    assert inked(scene)[pixel(1.75, 2.0)]
    assert not inked(scene, CAMERA, "forces").any(), "the layer is off"
    show(scene, [[1.0, 1.0], [4.0, 1.0], [7.0, 1.0]])
    assert inked(scene)[pixel(2.0, 1.0)]
    assert not inked(scene)[pixel(1.75, 2.0)]
    show(scene, [[1.0, 1.0], [np.nan, np.nan], [7.0, 1.0]])
    assert not inked(scene).any(), "a disc that is hidden has no mark"


def test_every_kind_is_drawn() -> None:
    ensure_gui()
    ends = (place(2.0, 2.0), place(6.0, 4.0))
    marks = (
        Mark(kind="distance", anchors=ends),
        Mark(kind="angle", anchors=(*ends, place(6.0, 1.0))),
        Mark(kind="rectangle", anchors=ends),
        Mark(kind="text", anchors=ends[:1], text="here"),
    )
    assert [mark.kind for mark in marks] == list(KINDS)
    for mark in marks:
        drawn = inked(scene_with(mark, periodic=False))
        assert drawn.sum() > 30, mark.kind
    one = inked(scene_with(marks[0], periodic=False)).sum()
    assert inked(scene_with(marks[0], periodic=False, chosen=0)).sum() > 1.2 * one, "what is chosen stands out"
