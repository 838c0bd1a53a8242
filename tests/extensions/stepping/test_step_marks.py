"""Marks over the discs inside a step: which of them are drawn, and where."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QFont, QFontMetricsF, QPolygonF
from PyQt6.QtWidgets import QApplication

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_pixels import label_beside, lens
from aggviewer.canvas.in_view import MOST, in_view
from aggviewer.canvas.layers.layer import Style
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.extensions.stepping.layer import Overlaps, StepArrows, StepLines, StepMarks, drawn_roles


def segment(x0: float, y0: float, x1: float, y1: float) -> np.ndarray:
    return np.array([[[x0, y0], [x1, y1]]])


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


def test_from_afar_only_overlaps_are_drawn_of_many_links_and_arrows(view: ViewModel) -> None:
    scene, count = Scene(), 3000
    scene.replace_discs(np.full(count, 0.02), [12.0, 9.0], False)  # 1.2 pixels across
    lines = np.random.default_rng(2).uniform(0.0, 9.0, (500, 2, 2))
    marks = StepMarks(
        (StepLines("link", lines), StepLines("new_link", lines)),
        Overlaps(np.array([[0, 1]], np.int32)),
        (StepArrows("velocity", lines),),
    )
    camera = Camera.fitting((12.0, 9.0), (400.0, 300.0))
    assert drawn_roles(marks, Style(scene, camera, view)) == ["overlap"]
    assert marks.roles == ["overlap", "new_link", "link", "velocity"]


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
