"""Box counting: centres on the upper edges, and sizes of which all boxes are full, which say nothing in space."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import analysis
from engine.analysis.fractal import count_boxes, fit_dimension
from engine.boundary import Periodic
from tests.builders.boxes import every_boundary
from tests.builders.points import nested
from tests.reference import indicators as reference

Array = NDArray[np.float64]


@pytest.mark.parametrize("box", [(8.0, 8.0), (8.0, 4.0), (2.0, 8.0), (8.0, 8.0, 8.0), (8.0, 4.0, 2.0), (1.0, 8.0, 4.0)])
def test_centres_on_the_upper_edges_are_in_the_last_boxes_inside(box: tuple[float, ...]) -> None:
    """On each edge or face by itself: there, nothing else is in those boxes."""
    sides = np.array(box)
    for axis in range(len(box)):
        places = np.full((9, len(box)), 0.3) * sides
        places[:, axis] = np.linspace(0.0, 1.0, 9) * sides[axis]  # the last but one may share its box, not the others
        for points in (places, places[-1:], np.concatenate([places[-1:], np.nextafter(places[-1:], 0.0)])):
            assert analysis.box_counting(points, sides)["n"].tolist() == reference.box_counting(points, sides).tolist()
    corner = np.stack([sides, sides * (1.0 - 2.0**-11)])
    assert analysis.box_counting(corner, sides)["n"].tolist() == [1] * 10


def measured(points: Array, side: float, radius: float, periodic: bool = True) -> analysis.Indicators:
    box, labels = np.full(points.shape[1], side), np.zeros(len(points), np.int32)
    return analysis.analyse(points, np.full(len(points), radius), box, periodic=periodic, cluster=labels)


@pytest.mark.parametrize("periodic", [True, False])
def test_sizes_of_which_all_boxes_are_full_are_not_fitted_in_space(periodic: bool) -> None:
    """Slopes of 3, 2.6 and 1.7: the last is that of the aggregate, 2.45 a mean with those of the box."""
    points = nested([8, 64, 388, 1261], 3, 48.0)
    found = measured(points, 48.0, 1.0, periodic)
    assert found.box_counting["n"][:5].tolist() == [8, 64, 388, 1261, 1261]
    assert found.box_counting["full"].tolist() == [True, True] + [False] * 8
    assert found.fractal_dimension == pytest.approx(np.log2(1261 / 388), rel=1e-12)
    fit = found.fractal_fit
    assert (fit.eps_min, fit.eps_max) == (3.0, 6.0)
    assert fit.slopes == pytest.approx([np.log2(1261 / 388)])
    said = json.loads(json.dumps(found.to_dict()))
    assert said["box_counting"]["full"][:3] == [True, True, False]
    assert said["fractal_fit"]["slopes"] == pytest.approx([np.log2(1261 / 388)])
    everything = {key: value for key, value in found.box_counting.items() if key != "full"}
    mixed = fit_dimension(everything, 1.0)  # type: ignore[arg-type]
    assert mixed.dimension == pytest.approx(2.450, abs=0.001)
    assert mixed.slopes == pytest.approx([3.0, np.log2(388 / 64), np.log2(1261 / 388)])


@every_boundary(3)
def test_boxes_are_full_that_centres_reach_between_walls_and_up_to_periodic_edges(periodic: Periodic) -> None:
    """Boxes of side 3 beside a wall hold no centres of spheres of radius 3.2, so they need none to be full."""
    box, margin = np.full(3, 48.0), np.where(periodic, 0.0, 3.2)
    grid = [np.arange(low + 0.5 * (48.0 - 2.0 * low) / 32, 48.0 - low, (48.0 - 2.0 * low) / 32) for low in margin]
    points = np.stack(np.meshgrid(*grid), axis=-1).reshape(-1, 3)
    sample = analysis.Sample(points, np.full(len(points), 3.2), box, periodic=periodic)
    assert sample.boxes["full"][:4].all()
    for axis in periodic.axes:  # without the boxes at an edge
        sample = analysis.Sample(
            points[points[:, axis] > 3.0], np.full((points[:, axis] > 3.0).sum(), 3.2), box, periodic=periodic
        )
        assert sample.boxes["full"][:4].tolist() == [True, True, True, False]


def test_in_the_plane_all_sizes_are_fitted_as_in_the_paper() -> None:
    points = nested([4, 16, 50, 120], 2, 48.0)
    found = measured(points, 48.0, 1.0)
    assert "full" not in found.box_counting
    eps = found.box_counting["eps"]
    assert found.fractal_dimension == pytest.approx(
        reference.fractal_dimension(eps, found.box_counting["n"], 1.0), rel=1e-12
    )
    assert found.fractal_fit.slopes == pytest.approx(np.log2([4.0, 50 / 16, 120 / 50]))


def test_fewer_than_two_sizes_that_are_not_full_have_no_dimension() -> None:
    for numbers in ([8, 64, 512, 4096], [8, 64, 512, 1000]):
        found = measured(nested(numbers, 3, 48.0), 48.0, 1.0)
        assert found.fractal_dimension is None
        assert found.fractal_fit is None
        assert found.mesh_matters is None
        assert found.minimum_cover_dimension is not None


def test_boxes_that_centres_cannot_reach_need_not_be_occupied() -> None:
    """Between walls, of a box whose third side is a little longer than half of the others."""
    box = np.array([16.0, 16.0, 8.4])
    points = nested([8, 64], 3, 16.0)
    points = points[points[:, 2] < 8.0]
    assert count_boxes(points, box, 0.5)["full"][:3].tolist() == [True, True, False]
    assert not count_boxes(points, box)["full"].any()
