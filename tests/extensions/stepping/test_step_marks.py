"""Marks over the discs, by their pixels: in the window and in snapshots."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QFont, QFontMetricsF, QPolygonF
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_pixels import label_beside, lens
from aggviewer.canvas.in_view import MOST, in_view, pair_segments
from aggviewer.canvas.layers.layer import Style
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.extensions.stepping.layer import Overlaps, StepArrows, StepLayer, StepLines, StepMarks, drawn_roles
from tests.canvas import drawing
from tests.canvas.conftest import PLAIN, MakeCanvas, grabbed
from tests.canvas.drawing import BOTH

RED = (255, 59, 48)
ORANGE = (255, 154, 92)


show = partial(drawing.show, value=0.0)  # dark discs


def where(picture: np.ndarray, color: tuple[int, int, int], tolerance: int = 40) -> np.ndarray:
    """(H, W) bool: the pixels of about this colour."""
    near: np.ndarray = (np.abs(picture[..., :3].astype(int) - color) <= tolerance).all(axis=2)
    return near


def segment(x0: float, y0: float, x1: float, y1: float) -> np.ndarray:
    return np.array([[[x0, y0], [x1, y1]]])


@BOTH
def test_overlapping_discs_are_red_where_they_overlap_and_on_their_rims(
    qtbot: QtBot, make_canvas: MakeCanvas, kind: str
) -> None:
    canvas = make_canvas(kind)
    show(canvas, [[5.2, 4.5], [6.8, 4.5], [10.0, 4.5]])
    assert not where(grabbed(qtbot, canvas), RED).any()
    canvas.pin(StepLayer.name, StepMarks(overlaps=Overlaps(np.array([[0, 1]], np.int32))))
    picture = grabbed(qtbot, canvas)
    red = where(picture, RED)
    ratio = canvas.devicePixelRatioF()

    def at(x: float, y: float) -> bool:
        px, py = canvas.camera.to_pixel(x, y)
        return bool(red[int(py * ratio), int(px * ratio)])

    assert at(6.0, 4.5)
    assert at(6.0, 4.9)
    assert not at(5.2, 4.5)
    assert not at(6.9, 4.5)
    assert at(4.23, 4.5)  # the rim
    px, _ = canvas.camera.to_pixel(8.5, 4.5)
    assert not red[:, int(px * ratio) :].any()  # the third disc has no part in it
    canvas.pin(StepLayer.name, None)
    assert not where(grabbed(qtbot, canvas), RED).any()


def test_marks_are_in_snapshots_and_go_with_another_system(make_canvas: MakeCanvas) -> None:
    canvas = make_canvas()
    show(canvas, [[5.2, 4.5], [6.8, 4.5]])
    canvas.pin(StepLayer.name, StepMarks(overlaps=Overlaps(np.array([[0, 1]], np.int32))))
    for width, height in ((400, 300), (1600, 1200)):
        red = where(canvas.snapshot(width, height), RED)
        px, py = canvas.camera.rendered(width, height).to_pixel(6.0, 4.5)
        assert red[int(py), int(px)]
        assert not red[int(py), int(0.35 * width)]
        assert red.sum() > 0.002 * red.size
    show(canvas, [[5.2, 4.5], [6.8, 4.5]])
    assert not where(canvas.snapshot(400, 300), RED).any()


def test_a_new_link_is_orange_from_disc_to_disc(make_canvas: MakeCanvas) -> None:
    canvas = make_canvas()
    show(canvas, [[3.0, 4.5], [9.0, 4.5]])
    canvas.pin(StepLayer.name, StepMarks(lines=(StepLines("new_link", segment(3.0, 4.5, 9.0, 4.5)),)))
    columns = np.flatnonzero(where(canvas.snapshot(400, 300), ORANGE).any(axis=0))
    ends = [canvas.camera.to_pixel(x, 4.5)[0] for x in (3.0, 9.0)]
    assert columns.min() == pytest.approx(ends[0], abs=3)
    assert columns.max() == pytest.approx(ends[1], abs=3)


def test_overlaps_across_a_periodic_edge_are_red_on_both_sides(make_canvas: MakeCanvas) -> None:
    canvas = make_canvas()
    show(canvas, [[11.5, 4.5], [0.6, 4.5]], radius=0.8, periodic=True)
    canvas.pin(StepLayer.name, StepMarks(overlaps=Overlaps(np.array([[0, 1]], np.int32))))
    red = where(canvas.snapshot(400, 300), RED)
    for x in (0.05, 11.95):
        px, py = canvas.camera.to_pixel(x, 4.5)
        assert red[int(py), int(px)]
    left, right = (canvas.camera.to_pixel(x, 4.5)[0] for x in (0.0, 12.0))
    columns = np.flatnonzero(red.any(axis=0))
    assert columns.min() >= int(left) - 1
    assert columns.max() <= int(right) + 1


def test_only_what_is_in_view_is_painted_and_never_too_much() -> None:
    scene = Scene()
    scene.replace_discs(np.full(4, 0.5), [100.0, 100.0], False)
    camera = Camera.showing(0.0, 0.0, 10.0, 10.0, (200.0, 200.0))
    segments = np.array([segment(1, 1, 2, 2)[0], segment(50, 50, 51, 51)[0], segment(-5, 5, 50, 5)[0]])
    pixels, index = in_view(segments, scene, camera)
    assert index.tolist() == [0, 2]
    np.testing.assert_allclose(pixels[0], [[20, 180], [40, 160]])
    assert in_view(segments, scene, camera, margin=1000.0)[1].tolist() == [0, 1, 2]
    crowd = np.random.default_rng(1).uniform(0.0, 10.0, (5 * MOST, 2, 2))
    kept = in_view(crowd, scene, camera)[1]
    assert MOST / 2 < len(kept) <= MOST
    assert np.ptp(kept) > 4.9 * MOST  # thinned evenly, not cut off


def test_in_a_corner_of_a_periodic_box_a_mark_comes_four_times() -> None:
    scene = Scene()
    scene.replace_discs(np.full(1, 0.5), [10.0, 10.0], True)
    camera = Camera.fitting((10.0, 10.0), (200.0, 200.0))
    spot = np.array([[[9.9, 9.9], [9.9, 9.9]]])
    assert len(in_view(spot, scene, camera, margin=5.0)[0]) == 4
    assert len(in_view(spot - 5.0, scene, camera, margin=5.0)[0]) == 1


def test_from_afar_red_rings_stay_and_quiet_marks_go(make_canvas: MakeCanvas, view: ViewModel) -> None:
    canvas = make_canvas()
    rng = np.random.default_rng(2)
    count = 3000
    canvas.replace_discs(np.full(count, 0.02), [12.0, 9.0], False)  # 1.2 pixels across
    at = rng.uniform((0.0, 0.0), (12.0, 9.0), (count, 2))
    canvas.show_frame(at, np.zeros(count, np.float32), PLAIN, 1.0)
    pairs = np.array([[0, 1]], np.int32)
    many = rng.integers(0, count, (500, 2)).astype(np.int32)
    lines = pair_segments(many, at, canvas.scene.box, False)
    marks = StepMarks(
        (StepLines("link", lines), StepLines("new_link", lines)), Overlaps(pairs), (StepArrows("velocity", lines),)
    )
    canvas.pin(StepLayer.name, marks)
    picture = canvas.snapshot(400, 300)
    assert not where(picture, ORANGE).any()
    assert not where(picture, (255, 255, 255)).any()
    assert where(picture, RED).sum() > 30
    assert drawn_roles(marks, Style(canvas.scene, canvas.camera, view)) == ["overlap"]
    assert marks.roles == ["overlap", "new_link", "link", "velocity"]


def test_the_legend_names_the_marks_that_are_drawn(make_canvas: MakeCanvas, view: ViewModel) -> None:
    view.show_legend = True
    canvas = make_canvas()
    show(canvas, [[1.0, 8.0], [2.0, 8.0]], radius=0.4)
    far = segment(1.0, 8.0, 2.0, 8.0)

    def red_and_orange_below() -> tuple[int, int]:
        low = canvas.snapshot(400, 300)[100:]
        return int(where(low, RED).sum()), int(where(low, ORANGE).sum())

    assert red_and_orange_below() == (0, 0)
    canvas.pin(StepLayer.name, StepMarks(lines=(StepLines("new_link", far),)))
    red, orange = red_and_orange_below()
    assert (red, orange > 20) == (0, True)
    canvas.pin(
        StepLayer.name, StepMarks(lines=(StepLines("new_link", far),), overlaps=Overlaps(np.array([[0, 1]], np.int32)))
    )
    assert red_and_orange_below()[0] > 20
    view.show_legend = False
    assert red_and_orange_below() == (0, 0)


@pytest.mark.parametrize(
    ("distance", "r", "s", "area"),
    [
        (3.0, 1.0, 1.0, 0.0),
        (1.0, 1.0, 1.0, 2 * np.pi / 3 - np.sqrt(3) / 2),
        (0.2, 1.0, 0.5, np.pi / 4),
        (0.0, 1.0, 1.0, np.pi),
    ],
)
@pytest.mark.parametrize("angle", [0.0, 0.7, 2.0, -2.5])
def test_the_lens_is_what_two_circles_share(distance: float, r: float, s: float, area: float, angle: float) -> None:
    scale = 100.0
    first = np.array([500.0, 500.0])
    second = first + scale * distance * np.array([np.cos(angle), np.sin(angle)])
    x, y = lens(first, scale * r, second, scale * s).T
    found = abs(float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))) / 2 if len(x) else 0.0
    assert found == pytest.approx(scale**2 * area, rel=0.02, abs=1.0)
    if area and distance:
        middle = (first + second) / 2 if r == s else second
        assert QPolygonF([QPointF(*at) for at in zip(x, y, strict=True)]).containsPoint(
            QPointF(*middle), Qt.FillRule.OddEvenFill
        )


@pytest.mark.parametrize("angle", np.linspace(0.0, 2 * np.pi, 13))
def test_the_numbers_of_discs_that_touch_lie_beside_each_other(qapp: QApplication, angle: float) -> None:
    taken: list[QRectF] = []
    for side, number in ((-1.0, 624), (1.0, 565)):
        middle = 100.0 + side * 6.0 * np.cos(angle), 100.0 + side * 6.0 * np.sin(angle)
        size = QFontMetricsF(QFont()).tightBoundingRect(str(number))
        taken.append(label_beside(*middle, 6.0, size, taken))
        assert not taken[-1].contains(QPointF(*middle))
    assert not taken[0].adjusted(-2.0, -1.0, 2.0, 1.0).intersects(taken[1])
