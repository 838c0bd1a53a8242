from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggviewer.canvas.camera import MARGIN, Camera, LegendRoom

coordinate = st.floats(-1e4, 1e4)
length = st.floats(1e-3, 1e4)
pixels = st.floats(1.0, 4000.0)


@given(coordinate, coordinate, length, st.floats(0.05, 20.0), pixels, pixels)
def test_zoom_keeps_the_world_point_under_the_pointer(
    x: float, y: float, scale: float, factor: float, px: float, py: float
) -> None:
    camera = Camera(x, y, scale, 800.0, 600.0)
    before, after = camera.to_world(px, py), camera.zoomed(factor, px, py).to_world(px, py)
    size = max(abs(x), abs(y), 4000.0 / scale, 4000.0 / (scale * factor))
    assert after == pytest.approx(before, abs=1e-12 * size, rel=0)
    assert camera.zoomed(factor, px, py).scale == pytest.approx(scale * factor)


@given(coordinate, coordinate, length, pixels, pixels)
def test_pixel_and_world_are_inverse(x: float, y: float, scale: float, px: float, py: float) -> None:
    camera = Camera(x, y, scale, 1200.0, 700.0)
    assert camera.to_pixel(*camera.to_world(px, py)) == pytest.approx((px, py), abs=1e-11 * scale * 1e4 + 1e-6)


def test_y_points_up_and_pan_follows_the_hand() -> None:
    camera = Camera(0.0, 0.0, 10.0, 100.0, 100.0)
    assert camera.to_world(50.0, 0.0) == (0.0, 5.0)
    moved = camera.panned(20.0, 10.0)
    assert moved.to_pixel(0.0, 0.0) == (70.0, 60.0)


@given(length, length, st.floats(10, 4000), st.floats(10, 4000))
def test_fit_shows_the_whole_box_with_a_margin(lx: float, ly: float, width: float, height: float) -> None:
    camera = Camera.fitting((lx, ly), (width, height))
    left, bottom = camera.to_pixel(0.0, 0.0)
    right, top = camera.to_pixel(lx, ly)
    wanted = min(MARGIN, 0.05 * width), min(MARGIN, 0.05 * height)
    beyond = min(left, width - right) - wanted[0], min(top, height - bottom) - wanted[1]
    assert min(beyond) == pytest.approx(0.0, abs=1e-6)


ROOM = LegendRoom(200.0, 70.0)


@given(st.integers(1, 8000), st.integers(1, 8000))
def test_another_picture_size_holds_the_view(width: int, height: int) -> None:
    camera = Camera(3.0, 4.0, 12.0, 400.0, 300.0)
    left, bottom, w, h = camera.rendered(width, height).rect
    own = camera.rect
    assert left <= own[0] + 1e-9
    assert bottom <= own[1] + 1e-9
    assert w >= own[2] - 1e-9
    assert h >= own[3] - 1e-9
    assert w == pytest.approx(own[2]) or h == pytest.approx(own[3])
