"""Very many lines and shapes are painted by kernels, all of a layer onto one sheet: the picture is that of Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from PyQt6.QtGui import QImage, QPainter

from aggviewer.canvas import warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.kernels import line_kernels
from aggviewer.canvas.layers import painter as painter_module
from aggviewer.canvas.layers.painter import PrimitivePainter
from aggviewer.canvas.layers.primitives import Arrows, Circles, Color, Lines, Look, Polygons, Primitive, Stroke
from aggviewer.canvas.qt_images import pixels_of
from aggviewer.canvas.scene import Scene

SIDE = 200
NEVER = 10**9


@pytest.fixture(scope="module", autouse=True)
def compiled(qapp: object) -> None:
    """The kernels are there."""
    warmup.warm_up()


def painted(primitives: Iterable[Primitive], *, periodic: bool = True, ratio: float = 1.0) -> NDArray[np.float64]:
    """A picture of a box of 10 times 10 with these marks on a dark ground."""
    scene = Scene()
    scene.set_system(np.full(1, 0.1), np.full(2, 10.0), periodic)
    scene.set_frame(np.full((1, 2), 5.0), np.zeros(1, np.float32), scene.coloring, 0.0)
    camera = replace(Camera(width=SIDE, height=SIDE), x=5.0, y=5.0, scale=SIDE / 11.0)
    image = QImage(round(SIDE * ratio), round(SIDE * ratio), QImage.Format.Format_RGBA8888_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(0xFF203040)
    with QPainter(image) as painter:
        PrimitivePainter(painter, scene, camera).paint(primitives, cut=True)
    return pixels_of(image)[..., :3].astype(float)


def by_qt(monkeypatch: pytest.MonkeyPatch, primitives: list[Primitive], **options: float) -> NDArray[np.float64]:
    """The same without kernels."""
    with monkeypatch.context() as patch:
        patch.setattr(painter_module, "_MANY_LINES", NEVER)
        patch.setattr(painter_module, "_MANY_POLYGONS", NEVER)
        return painted(primitives, **options)  # type: ignore[arg-type]


def segments(count: int, length: float = 0.6) -> NDArray[np.float64]:
    """Lines anywhere in the box and across its edges, (count, 2, 2)."""
    rng = np.random.default_rng(3)
    start = rng.uniform(0.0, 10.0, (count, 2))
    return np.stack([start, start + rng.normal(0.0, length, (count, 2))], axis=1)


def shapes(count: int) -> Polygons:
    """Rounded shapes and stars of two looks, some across the edges of the box."""
    rng = np.random.default_rng(4)
    angle = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    points = []
    for k in range(count):
        radius = rng.uniform(0.15, 0.8) * (np.where(np.arange(24) % 2, 0.4, 1.0) if k % 5 == 0 else 1.0)
        around = np.c_[np.cos(angle), np.sin(angle)] * np.broadcast_to(radius, 24)[:, None]
        points.append(rng.uniform(0.0, 10.0, 2) + around)
    fills, edges = (Color(200, 40, 40, 0.3), Color(40, 160, 220, 0.3)), (Color(200, 40, 40), Color(40, 160, 220))
    start = np.arange(0, 24 * count + 1, 24)
    return Polygons(np.concatenate(points), start, np.arange(count) % 2, fills, edges, 1.25)


STROKES = Stroke(Color(16, 19, 23, 0.4), 3.5), Stroke(Color(255, 209, 102, 0.5), 1.75)

SOLID = Stroke(Color(16, 19, 23), 3.5), Stroke(Color(255, 209, 102), 1.75)


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize(
    "marks",
    [
        [Lines(segments(500, 0.12), STROKES)],
        [Lines(segments(500, 0.12), STROKES), Lines(segments(500, 0.12)[:, ::-1] * 0.9, STROKES[1:])],
        [Arrows(segments(450, 0.2), SOLID, head=7.0, shortest=3.0)],
        [shapes(150)],
    ],
    ids=["lines", "lines over lines", "arrows", "shapes"],
)
def test_kernels_paint_what_qt_paints(monkeypatch: pytest.MonkeyPatch, marks: list[Primitive], ratio: float) -> None:
    found, wanted = painted(marks, ratio=ratio), by_qt(monkeypatch, marks, ratio=ratio)
    bare = painted([], ratio=ratio)
    drawn = np.abs(wanted - bare).mean()
    assert drawn > 5.0
    assert np.abs(found - wanted).mean() < 0.12 * drawn
    assert np.abs(found.mean(axis=(0, 1)) - wanted.mean(axis=(0, 1))).max() < 0.05 * drawn


def test_lines_that_cross_are_no_less_transparent() -> None:
    cross = np.array([[5.0, 50.0, 95.0, 50.0], [50.0, 5.0, 50.0, 95.0]])
    image, cover = np.zeros((100, 100, 4), np.uint8), np.zeros((100, 100), np.float32)
    line_kernels.paint_pale_lines(cross, 3.0, np.full(3, 200.0), 0.5, np.array([0, 0, 100, 100]), cover, image)
    assert image[50, 50].tolist() == image[50, 20].tolist() == [100, 100, 100, 128]
    assert not cover.any()


def test_all_lines_of_a_layer_are_laid_down_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    usual = painter_module._Sheet

    def noted(*given: object) -> object:
        made.append(given)
        return usual(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(painter_module, "_Sheet", noted)
    painted([Lines(segments(500), STROKES) for _ in range(8)])
    assert len(made) == 1


def test_what_follows_many_lines_lies_over_them() -> None:
    cover = Look(fill=Color(10, 250, 10))
    disc = Circles(np.array([[5.0, 5.0]]), np.array([60.0]), 60.0, (cover,))
    image = painted([Lines(segments(2000), (Stroke(Color(255, 0, 0), 2.0),)), disc])
    assert image[SIDE // 2, SIDE // 2].tolist() == [10.0, 250.0, 10.0]


def test_shapes_that_are_not_finite_are_left_out() -> None:
    corners = np.array([[10.0, 10.0], [np.nan, 20.0], [30.0, 30.0], [50.0, 50.0], [90.0, 50.0], [70.0, 90.0]])
    image = np.zeros((100, 100, 4), np.uint8)
    looks, clip = np.full((2, 4), [200.0, 0.0, 0.0, 1.0]), np.array([0, 0, 100, 100])
    line_kernels.paint_polygons(corners, np.array([0, 3, 6]), looks, looks[:, :3].copy(), 0.5, clip, image)
    assert image[60, 70, 0] == 200
    assert not image[:40].any()


@pytest.mark.parametrize("far", [1e9, 1e14, 1e19, 1e200])
def test_marks_that_reach_very_far_are_painted_where_they_are_seen_or_not_at_all(far: float) -> None:
    image, ink = np.zeros((20, 30, 4), np.uint8), np.full(3, 200.0)
    clip, cover = np.array([0, 0, 30, 20]), np.zeros((20, 30), np.float32)
    lines = np.array([[-far, 5.0, far, 5.0], [8.0, -far, 8.0, far], [far, far, 2 * far, far], [far, 3.0, 2 * far, 4.0]])
    line_kernels.paint_lines(lines, np.full(4, 1.0), ink, clip, image)
    line_kernels.paint_pale_lines(lines + 9.0, 1.0, ink, 0.5, clip, cover, image)
    assert not cover.any()
    corners = np.array([[-far, 15.0], [far, 15.0], [0.0, far], [far, far], [2 * far, far], [far, 2 * far]])
    line_kernels.paint_polygons(corners, np.array([0, 3, 6]), np.full((2, 4), 1.0), np.zeros((2, 3)), 0.5, clip, image)
    line_kernels.paint_rings(corners, np.full(6, far), 1.0, ink, ink, clip, image)
    assert image.any() == (far < 1e15), "the lines that cross the picture are seen"
