"""Box counting by minimum cover: the dimension of a set is the same wherever it lies, and the paper's mesh stays."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine import analysis, load_scenario
from engine.analysis.fractal import minimum_cover
from engine.initial import initial_state
from tests.reference import indicators as plain

Array = NDArray[np.float64]

SIERPINSKI = float(np.log(3) / np.log(2))


def square(count: int = 64) -> Array:
    """Touching discs of diameter 1."""
    return np.stack(np.meshgrid(np.arange(count), np.arange(count)), axis=-1).reshape(-1, 2) + 0.5


def sierpinski(side: float = 120.0) -> Array:
    corners = np.zeros((1, 2))
    for generation in range(1, 7):
        step = side / 2**generation
        corners = np.concatenate([corners, corners + np.array([step, 0.0]), corners + np.array([0.0, step])])
    return corners


def by_definition(points: Array, radius: float) -> list[int]:
    """Least occupied cells, by trying all shifts."""
    low = points.min(axis=0) - radius
    side = float((points.max(axis=0) + radius - low).max())
    found = []
    for m in range(1, 11):
        eps = side / 2**m
        if eps < 3.0 * radius * (1.0 - 1e-12):
            break
        most = 4096 if len(low) == 2 else 256
        if 2**m > most:
            break
        parts = min(8, most // 2**m)
        cells = np.minimum(np.floor((points - low) / eps * parts), 2**m * parts - 1).astype(int)
        shifted = ((cells + np.array(by)) // parts for by in product(range(parts), repeat=len(low)))
        found.append(min(len(np.unique(one, axis=0)) for one in shifted))
    return found


@pytest.mark.parametrize(("side", "corner", "paper"), [(64, 0, 2.0), (100, 0, 1.78), (400, 168, 1.34)])
def test_a_filled_square_has_two_in_every_box(side: float, corner: float, paper: float) -> None:
    found = analysis.analyse(square() + corner, np.full(64 * 64, 0.5), np.full(2, float(side)), periodic=False)
    assert found.fractal_dimension == pytest.approx(paper, abs=0.01), "the paper's mesh is the default as ever"
    assert found.minimum_cover_dimension == pytest.approx(2.0, abs=1e-12)
    assert found.mesh_matters == (side > 64)


@pytest.mark.parametrize(
    ("side", "corner", "paper"), [(120.0, 0.0, SIERPINSKI), (200.0, 0.0, 1.448), (300.0, 77.3, 1.37)]
)
def test_a_sierpinski_triangle_in_every_box(side: float, corner: float, paper: float) -> None:
    places = sierpinski() + corner
    found = analysis.analyse(places, np.full(len(places), 1.0), np.full(2, side), periodic=False)
    assert found.fractal_dimension == pytest.approx(paper, abs=0.01)
    assert found.minimum_cover_dimension == pytest.approx(SIERPINSKI, abs=1e-12)
    assert found.mesh_matters == (side > 120.0)


@pytest.mark.parametrize("name", ["lines-900", "block-900", "sierpinski-729"])
def test_in_the_paper_s_box_the_paper_s_mesh_is_as_good(name: str) -> None:
    state = initial_state(load_scenario(name), check=False)
    assert analysis.analyse(state.positions, state.radii, state.box, periodic=False).mesh_matters is False


def test_a_line_has_one() -> None:
    line = np.column_stack([np.arange(300.0) + 0.5, np.full(300, 77.0)])
    found = analysis.analyse(line, np.full(300, 0.5), np.full(2, 900.0), periodic=False)
    assert found.minimum_cover_dimension == pytest.approx(1.0, abs=1e-12)


def test_a_filled_cube_has_three_a_sheet_two_and_a_rod_one() -> None:
    cube = np.stack(np.meshgrid(*[np.arange(16.0) + 0.5] * 3), axis=-1).reshape(-1, 3)
    box = np.full(3, 50.0)
    for axes, dimension in ((3, 3.0), (2, 2.0), (1, 1.0)):
        points = np.unique(np.where(np.arange(3) < axes, cube, 0.5), axis=0)
        found = analysis.analyse(points + np.array([20.0, 7.3, 33.0]), np.full(len(points), 0.5), box, periodic=False)
        assert found.minimum_cover_dimension == pytest.approx(dimension, abs=1e-12)
        assert found.orientation is None
    inside = analysis.analyse(cube, np.full(4096, 0.5), np.full(3, 16.0), periodic=False)
    assert inside.fractal_dimension is None, "all boxes are full"
    assert inside.minimum_cover_dimension == pytest.approx(3.0, abs=1e-12)
    assert inside.aspect_ratio == pytest.approx(1.0)


def test_boxes_in_space_are_counted_as_by_definition() -> None:
    box = np.array([7.0, 3.0, 5.0])
    points = np.random.default_rng(2).uniform(0.0, 1.0, (300, 3)) * box
    points[:4] = [box, [0.0, 0.0, 0.0], [7.0, 0.0, 5.0], [3.5, 1.5, 2.5]]  # corners, and an edge of cubes
    assert analysis.box_counting(points, box)["n"].tolist() == plain.box_counting(points, box).tolist()


@settings(max_examples=8)
@given(seed=st.integers(0, 2**31), count=st.integers(1, 60), flat=st.floats(0.05, 1.0), radius=st.floats(0.5, 2.0))
def test_the_least_of_all_shifts_in_space(seed: int, count: int, flat: float, radius: float) -> None:
    points = np.random.default_rng(seed).uniform(0.0, 1.0, (count, 3)) * [40.0, 40.0 * flat, 20.0]
    found = minimum_cover(points, radius)
    assert ([] if found is None else found["n"].tolist()) == by_definition(points, radius)


def test_the_finest_cubes_are_coarser_in_space() -> None:
    """L' / 3R is 300: one mesh at m = 8, halves at m = 7."""
    points = np.random.default_rng(5).uniform(0.0, 900.0, (400, 3))
    found = minimum_cover(points, 1.0)
    assert found["n"].tolist() == by_definition(points, 1.0)
    assert len(found["n"]) == 8


@settings(max_examples=15)
@given(
    seed=st.integers(0, 2**31), count=st.integers(1, 250), stretch=st.floats(0.02, 50.0), radius=st.floats(0.05, 2.0)
)
def test_the_least_of_all_shifts(seed: int, count: int, stretch: float, radius: float) -> None:
    points = np.random.default_rng(seed).uniform(0.0, 1.0, (count, 2)) * [40.0, 40.0 * stretch]
    found = minimum_cover(points, radius)
    assert ([] if found is None else found["n"].tolist()) == by_definition(points, radius)


def test_one_cluster_across_a_periodic_edge_is_laid_out() -> None:
    """It has the same cover as in the middle of the box."""
    box, radii = np.full(2, 200.0), np.full(64 * 64, 0.5)
    middle = analysis.analyse(square() + 60.0, radii, box, periodic=True, cluster=np.zeros(64 * 64, np.int32))
    across = analysis.analyse(
        (square() + 170.0) % 200.0, radii, box, periodic=True, cluster=np.zeros(64 * 64, np.int32)
    )
    assert middle.minimum_cover_dimension == pytest.approx(2.0, abs=1e-9)
    assert across.minimum_cover_dimension == pytest.approx(2.0, abs=1e-9)


def test_large_sets_have_coarser_shifts_but_no_larger_meshes() -> None:
    """L' / 3R is 1 400: quarters of a cell at m = 10."""
    points = np.random.default_rng(5).uniform(0.0, 4200.0, (20_000, 2))
    found = minimum_cover(points, 1.0)
    assert len(found["n"]) == 10
    assert found["n"][:3].tolist() == [4, 16, 64]
    low = points.min(axis=0) - 1.0
    side = float((points.max(axis=0) + 1.0 - low).max())
    quarters = np.floor((points - low) / side * 4096).astype(int)
    shifted = ((quarters + np.array([x, y])) // 4 for x in range(4) for y in range(4))
    assert found["n"][9] == min(len(np.unique(cells, axis=0)) for cells in shifted)
