"""Distances, angles, rectangles and radii of gyration against grids of points and all pairs."""

from __future__ import annotations

from itertools import pairwise
from math import pi, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from engine.boundary import Periodic
from engine.errors import InputError
from engine.selection.measures import (
    angle_between,
    in_rectangle,
    radius_of_gyration,
    step_between,
)
from tests.builders.boxes import EVERY
from tests.reference.images import images, step_to
from tests.reference.measures import covered_share, grid, pair_radius_of_gyration

BOX = np.array([10.0, 8.0])
coordinate = st.floats(-3.0, 12.0)


def lattice(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """20 discs that do not overlap, some of them across the edges of a periodic box, of different radii."""
    rng = np.random.default_rng(seed)
    x, y = (part.ravel() for part in np.meshgrid(np.arange(5) * 2.0, np.arange(4) * 2.0))
    radii = rng.uniform(0.2, 0.9, 20)
    places = np.column_stack([x, y]) + rng.uniform(-1.0, 1.0, (20, 2)) * (0.95 - radii)[:, None] * sqrt(0.5)
    return places % BOX, radii


@settings(max_examples=20)
@given(
    st.integers(0, 10**6), coordinate, coordinate, st.floats(0.05, 9.0), st.floats(0.05, 9.0), st.sampled_from(EVERY[2])
)
def test_rectangle_against_points(
    seed: int, x: float, y: float, width: float, height: float, periodic: Periodic
) -> None:
    places, radii = lattice(seed)
    found = in_rectangle(places, radii, BOX, (x + width, y), (x, y + height), periodic=periodic)
    low, high = np.array([x, y]), np.array([x + width, y + height])
    low, high = (np.where(periodic, edge, np.clip(edge, 0.0, BOX)) for edge in (low, high))
    assert_allclose(found.area, np.prod(high - low), rtol=1e-12)
    if found.area <= 0.0:
        assert np.isnan(found.volume_fraction)
        return
    size = high - low
    points = grid(low, np.array([size[0], 0.0]), np.array([0.0, size[1]]), 100)
    assert_allclose(found.volume_fraction, covered_share(points, places, radii, BOX, periodic), atol=0.024)
    shifts = np.array(images(2, periodic, 3)) * BOX
    every = (places[None] + shifts[:, None]).reshape(-1, 2)
    assert found.count == int(((every >= low) & (every < high)).all(axis=1).sum())


@pytest.mark.parametrize("strain", [0.3, -0.42, 5.9])
def test_discs_in_a_rectangle_are_counted_with_images_that_flow(strain: float) -> None:
    places, periodic = np.random.default_rng(4).random((300, 2)) * BOX, Periodic.of(True, 2).strained(strain, BOX)
    every = np.concatenate([places + step_to(image, BOX, periodic) for image in images(2, periodic, 3)])
    for low in np.array([(1.0, 6.0), (-2.0, -4.0), (7.0, 3.0)]):
        high = low + np.array([3.0, 6.0])
        found = in_rectangle(places, np.full(300, 0.1), BOX, low, high, periodic=periodic)
        assert found.count == int(((every >= low) & (every < high)).all(axis=1).sum())


def test_areas_by_geometry() -> None:
    def area(*corners: float, radius: float = 2.0) -> float:
        found = in_rectangle(np.array([[5.0, 4.0]]), np.array([radius]), BOX, corners[:2], corners[2:], periodic=False)
        return found.covered

    assert_allclose(area(0, 0, 10, 8), 4 * pi, rtol=1e-14)
    assert_allclose(area(5, 0, 10, 8), 2 * pi, rtol=1e-14)
    assert_allclose(area(5, 4, 10, 8), pi, rtol=1e-14)
    assert_allclose(area(4.5, 3.5, 5.5, 4.5), 1.0, rtol=1e-12)  # all of it inside of the disc
    assert area(7.0, 0, 10, 8) == pytest.approx(0.0, abs=1e-14)  # touches it
    assert area(6.8, 5.8, 10, 8) == pytest.approx(0.0, abs=1e-14)  # near its corner, and outside
    assert_allclose(area(6, 0, 10, 8), 4 * pi / 3 - sqrt(3.0), rtol=1e-13)  # the segment of a third of a turn


def test_rectangles_side_by_side_add_up() -> None:
    places, radii = lattice(3)
    cuts = np.sort(np.random.default_rng(1).uniform(0.0, 10.0, 6))
    edges = [0.0, *cuts.tolist(), 10.0]
    parts = [in_rectangle(places, radii, BOX, (a, 0), (b, 8), periodic=True) for a, b in pairwise(edges)]
    assert sum(part.count for part in parts) == 20
    assert_allclose(sum(part.covered for part in parts), (pi * radii**2).sum(), rtol=1e-12)


def test_a_rectangle_of_many_periods() -> None:
    places, radii = lattice(4)
    found = in_rectangle(places, radii, BOX, (-7.0, -3.0), (23.0, 13.0), periodic=True)
    assert found.count == 20 * 3 * 2
    assert_allclose(found.volume_fraction, (pi * radii**2).sum() / 80.0, rtol=1e-12)
    with pytest.raises(InputError, match="too large compared with the box"):
        in_rectangle(places, radii, BOX, (0, 0), (1e6, 1e6), periodic=True)


def test_distance_and_angle_to_the_nearest_image() -> None:
    assert_allclose(step_between((9.5, 1.0), (0.5, 7.5), BOX, periodic=True), (1.0, -1.5))
    assert_allclose(step_between((9.5, 1.0), (0.5, 7.5), BOX, periodic=False), (-9.0, 6.5))
    assert_allclose(step_between((9.5, 1.0), (0.5, 7.5), BOX, periodic=Periodic((True, False))), (1.0, 6.5))
    assert_allclose(step_between((9.5, 1.0), (0.5, 7.5), BOX, periodic=Periodic((False, True))), (-9.0, -1.5))
    right = angle_between((1.0, 7.5), (0.5, 7.5), (0.5, 0.5), BOX, periodic=True)
    assert_allclose(right, pi / 2)
    assert_allclose(angle_between((9.5, 4.0), (0.5, 4.0), (2.0, 4.0), BOX, periodic=True), pi)
    assert np.isnan(angle_between((1, 1), (1, 1), (2, 2), BOX, periodic=True))
    one, corner, other = np.array([[9.5, 1.0, 1.0], [0.5, 1.0, 1.0], [0.5, 2.0, 2.0]])  # of spheres
    assert_allclose(angle_between(one, corner, other, (*BOX, 5.0), periodic=True), pi / 2.0)
    assert_allclose(angle_between(other, corner, (0.5, 2.0, 1.0), (*BOX, 5.0), periodic=False), pi / 4.0)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.floats(0.0, 10.0), st.floats(0.0, 8.0))
def test_gyration_does_not_depend_on_where_the_edge_is(seed: int, x: float, y: float) -> None:
    """A snake of touching discs that is longer than half the box, moved anywhere."""
    turns = np.random.default_rng(seed).uniform(-0.6, 0.6, 11)
    steps = 0.6 * np.column_stack([np.cos(turns), np.sin(turns)])
    snake = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    wanted = pair_radius_of_gyration(snake)
    found = radius_of_gyration((snake + np.array([x, y])) % BOX, np.full(12, 0.3), BOX, periodic=True)
    assert_allclose(found, wanted, rtol=1e-9)


def test_gyration_of_loose_discs_and_of_pieces_without_an_end() -> None:
    apart = np.array([[9.5, 4.0], [0.5, 4.0]])
    half = np.full(2, 0.3)
    assert_allclose(radius_of_gyration(apart, half, BOX, periodic=True), 0.5)
    assert_allclose(radius_of_gyration(apart, half, BOX, periodic=False), 4.5)
    assert_allclose(radius_of_gyration(apart, half, BOX, periodic=Periodic((True, False))), 0.5)
    assert_allclose(radius_of_gyration(apart, half, BOX, periodic=Periodic((False, True))), 4.5)
    assert radius_of_gyration(apart[:1], half[:1], BOX, periodic=True) == 0.0
    assert np.isnan(radius_of_gyration(apart[:0], half[:0], BOX, periodic=True))
    chain = np.column_stack([np.arange(10.0), np.full(10, 4.0)])
    assert np.isnan(radius_of_gyration(chain, np.full(10, 0.5), BOX, periodic=True))
    across = radius_of_gyration(chain, np.full(10, 0.5), BOX, periodic=Periodic((False, True)))
    assert_allclose(across, pair_radius_of_gyration(chain))


def test_discs_without_a_place_are_left_out() -> None:
    places, radii = lattice(6)
    hidden = np.arange(20) % 3 == 0
    gone = places.copy()
    gone[hidden] = np.nan
    region = (BOX, (1, 1), (9, 7))
    one, other = (
        in_rectangle(gone, radii, *region, periodic=True),
        in_rectangle(places[~hidden], radii[~hidden], *region, periodic=True),
    )
    assert one == other
    assert radius_of_gyration(gone, radii, BOX, periodic=False) == radius_of_gyration(
        places[~hidden], radii[~hidden], BOX, periodic=False
    )
