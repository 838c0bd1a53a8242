"""Fractal dimension of the three kinds of set of figure 9: 900 discs of radius 1 (V_f = 0.2) in a box of side 120.

The paper gives no coordinates, so each set is built where the number of boxes can be counted by hand.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import analysis

SIDE = 120.0
BOX = np.array([SIDE, SIDE])
RADIUS = 1.0  # boxes of the fit: 3 R <= eps, that is 60, 30, 15, 7.5, 3.75

SIERPINSKI = np.log(3) / np.log(2)


def measure(positions: NDArray[np.floating]) -> tuple[list[int], float]:
    """Boxes counted in the fit's range, and D_f."""
    found = analysis.analyse(positions.astype(np.float64), np.full(len(positions), RADIUS), BOX, periodic=False)
    used = found.box_counting["eps"] >= 3 * RADIUS
    assert (found.fractal_fit.eps_min, found.fractal_fit.eps_max) == (3.75, 60.0)
    assert found.fractal_dimension == found.fractal_fit.dimension
    return found.box_counting["n"][used].tolist(), found.fractal_fit.dimension


def test_three_horizontal_lines() -> None:
    """Near 1: exactly 1 once the boxes tell the lines apart; in boxes of half the side two of them are one."""
    x = (np.arange(300) + 0.5) * SIDE / 300
    lines = np.concatenate([np.column_stack([x, np.full(300, y)]) for y in (20.0, 65.0, 100.0)])
    counts, dimension = measure(lines)
    assert counts == [2 * 2, 3 * 4, 3 * 8, 3 * 16, 3 * 32]
    assert dimension == pytest.approx(1.0, abs=0.15)


def test_one_line_of_boxes_is_exactly_one() -> None:
    x = (np.arange(900) + 0.5) * SIDE / 900
    counts, dimension = measure(np.column_stack([x, np.full(900, 50.0)]))
    assert counts == [2, 4, 8, 16, 32]
    assert dimension == pytest.approx(1.0, abs=1e-12)


def test_square_lattice_at_zero_gap() -> None:
    """30 by 30 discs fill one quarter of the box, every box of it: exactly 2."""
    x, y = np.meshgrid(np.arange(30), np.arange(30))
    lattice = (np.column_stack([x.ravel(), y.ravel()]) + 0.5) * 2 * RADIUS
    counts, dimension = measure(lattice)
    assert counts == [1, 4, 16, 64, 256]
    assert dimension == pytest.approx(2.0, abs=1e-12)


def test_sierpinski_triangle_along_the_axes() -> None:
    """The right-angled one: 729 corners of the sixth generation, 3^m boxes of side L / 2^m, exactly log 3 / log 2."""
    corners = np.zeros((1, 2))
    for generation in range(1, 7):
        step = SIDE / 2**generation
        corners = np.concatenate([corners, corners + np.array([step, 0.0]), corners + np.array([0.0, step])])
    counts, dimension = measure(corners)
    assert counts == [3**m for m in range(1, 6)]
    assert dimension == pytest.approx(SIERPINSKI, abs=1e-12)


def test_equilateral_sierpinski_triangle() -> None:
    """The paper's: 900 points of the chaos game. Boxes do not fit the triangles, hence the wider tolerance."""
    rng = np.random.default_rng(9)
    corners = SIDE * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
    point, points = corners.mean(axis=0), []
    for corner in rng.integers(3, size=920):
        point = (point + corners[corner]) / 2
        points.append(point)
    _, dimension = measure(np.array(points[20:]))  # the first ones are still on their way to the set
    assert dimension == pytest.approx(SIERPINSKI, abs=0.1)
