"""The nearest image along an axis, at exactly half a box too, where two images are equally near."""

from __future__ import annotations

import numpy as np
import pytest

from engine.geometry import minimum_image
from engine.kernels import kernel

nearest_image = kernel(minimum_image.nearest_image.py_func)
axis_distance = kernel(minimum_image.axis_distance.py_func)
images = kernel(minimum_image.images.py_func)

SIDE = 8.0


@pytest.mark.parametrize("delta", [0.0, 3.5, 4.0, -4.0, 4.5, -4.5, 7.5, -7.5, 8.0, -8.0])
def test_the_nearest_image_is_never_farther_than_half_a_box(delta: float) -> None:
    found = nearest_image(delta, SIDE, 0.5 * SIDE)
    assert (found - delta) % SIDE == 0.0
    assert abs(found) == min(abs(delta + k * SIDE) for k in range(-2, 3)) == axis_distance(delta, 0.0, SIDE)


@pytest.mark.parametrize("delta", [4.0, -4.0])
def test_a_place_half_a_box_away_is_not_moved(delta: float) -> None:
    """Runs depend on which of two equally near images is taken: the one that needs no shift, so that the other disc of
    the pair sees the opposite vector."""
    assert nearest_image(delta, SIDE, 0.5 * SIDE) == delta


def test_between_walls_there_is_no_other_image() -> None:
    assert axis_distance(1.0, 7.5, np.inf) == 6.5


def test_intervals_meet_in_every_image_in_which_they_have_a_point_in_common() -> None:
    ends = np.arange(0.0, SIDE, 1.0)
    for low, other_low in ((a, b) for a in ends for b in ends):
        for length, other_length in ((0.0, 1.0), (2.0, 3.0), (7.0, 9.0)):
            high, other_high = low + length, other_low + other_length
            meet = [k for k in range(-4, 5) if low <= other_high + k * SIDE and other_low + k * SIDE <= high]
            first, last = images(low, high, other_low, other_high, SIDE)
            assert list(range(first, last + 1)) == meet
            assert images(low, high, other_low, other_high, np.inf) == (0, 0)
