"""Lines that kernels paint, against a reference that paints one pixel after the other with numpy."""

from __future__ import annotations

import numpy as np
import pytest

from aggviewer.canvas import line_kernels
from tests.reference import lines

HEIGHT, WIDTH = 60, 90
COLOR = np.array([250.0, 3.0, 120.0])


def an_image(rng):
    """Premultiplied: no colour is above the opacity."""
    image = rng.integers(0, 256, (HEIGHT, WIDTH, 4)).astype(np.uint8)
    image[..., :3] = np.minimum(image[..., :3], image[..., 3:])
    return image


def segments_of(rng, count):
    """Some of them beyond the image, some without a length, some level and some upright."""
    found = rng.uniform(-15.0, 105.0, (count, 4))
    found[:, 2:] = found[:, :2] + rng.normal(0.0, 12.0, (count, 2))
    found[::5, 3] = found[::5, 1]
    found[1::5, 2] = found[1::5, 0]
    found[2::15, 2:] = found[2::15, :2]
    return found


@pytest.mark.parametrize("half", [0.2, 0.5, 0.875, 4.0])
@pytest.mark.parametrize("count", [1, 8, 90])
def test_lines_are_those_of_the_reference(count, half):
    rng = np.random.default_rng(count)
    image, segments = an_image(rng), segments_of(rng, count)
    want = lines.painted(image, segments, half, COLOR)
    line_kernels.paint_lines(segments, np.full(count, half), COLOR, np.array([0, 0, WIDTH, HEIGHT]), image)
    assert np.abs(image.astype(int) - want).max() <= 1  # where a distance is rounded differently
    assert (image != want).mean() < 1e-3


@pytest.mark.parametrize("half", [0.2, 1.875, 4.0])
@pytest.mark.parametrize("count", [1, 8, 90])  # a few are come to once more, many are looked for in the image
def test_pale_lines_are_those_of_the_reference(count, half):
    rng = np.random.default_rng(count)
    image, segments = an_image(rng), segments_of(rng, count)
    want = lines.pale(image, segments, half, COLOR, 0.4)
    cover = np.zeros((HEIGHT, WIDTH), np.float32)
    line_kernels.paint_pale_lines(segments, half, COLOR, 0.4, np.array([0, 0, WIDTH, HEIGHT]), cover, image)
    assert not cover.any()
    assert np.abs(image.astype(int) - want).max() <= 1
    assert (image != want).mean() < 1e-3


def test_lines_are_painted_inside_the_clip_only():
    rng = np.random.default_rng(3)
    image, segments = an_image(rng), segments_of(rng, 90)
    cover, before = np.zeros((HEIGHT, WIDTH), np.float32), image.copy()
    clip = np.array([20, 10, 70, 45])
    line_kernels.paint_pale_lines(segments, 2.0, COLOR, 0.5, clip, cover, image)
    line_kernels.paint_lines(segments, np.full(90, 2.0), COLOR, clip, image)
    inside = np.zeros((HEIGHT, WIDTH), bool)
    inside[10:45, 20:70] = True
    np.testing.assert_array_equal(image[~inside], before[~inside])
    assert (image[inside] != before[inside]).any()
    assert not cover.any()


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
    ones, inks = np.ones(6), np.tile(ink, (6, 1))
    line_kernels.paint_discs(corners, far * ones, ones, inks, inks, clip, image)
    line_kernels.paint_rings(corners, far * ones, np.ones(2), ink, clip, image)
    assert image.any() == (far < 1e15), "the lines that cross the picture are seen"
