"""The counting grid over the picture: it counts exactly as the plot N(ε) does."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.grids import BoxLayer, counted_boxes
from aggviewer.canvas.layers.layer import LayerInput, Style
from aggviewer.canvas.layers.primitives import Lines, Polygons
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import GRID_LEVELS, ViewModel
from engine.analysis.fractal import box_counting
from engine.frame import Frame


@settings(max_examples=50, deadline=None)
@given(
    st.integers(0, 1000),
    st.sampled_from([(1.0, 1.0), (20.0, 20.0), (12.0, 8.0), (3.0, 7.0), (1.0, 1.0 / 3.0)]),
    st.integers(1, 300),
)
def test_every_side_gives_the_number_of_the_plot(seed: int, sides: tuple[float, float], number: int) -> None:
    rng, box = np.random.default_rng(seed), np.array(sides)
    positions = rng.random((number, 2)) * box
    on_lines = rng.random(number) < 0.3  # centres on the lines of a grid, and on the edges of the box
    lines = np.rint(positions[on_lines] / box.max() * 64.0) / 64.0 * box.max()
    positions[on_lines] = np.minimum(lines, box)
    found, counted = counted_boxes(positions, box, 0.1), box_counting(positions, box)
    assert [len(found.at(level)) for level in range(1, GRID_LEVELS + 1)] == counted["n"].tolist()


def style(view: ViewModel, wide: float = 480.0) -> Style:
    scene = Scene()
    scene.replace_discs(np.full(3, 0.5), [12.0, 8.0], False)
    return Style(scene, Camera.fitting((12.0, 8.0), (wide, wide / 1.5)), view)


def moment(hidden: np.ndarray | None = None) -> LayerInput:
    frame = Frame.empty(3)
    frame.positions[:] = [[1.0, 1.0], [1.5, 1.0], [11.0, 7.0]]
    return LayerInput(frame, np.full(3, 0.5), np.array([12.0, 8.0]), False, hidden=hidden)


def test_a_counting_grid_draws_the_counted_boxes_inside_the_box() -> None:
    layer, view = BoxLayer(), ViewModel(grid_level=2)  # boxes of side 3
    data = layer.take(moment())
    assert data is not None
    shapes, upright, level = layer.marks(data, style(view))
    assert isinstance(shapes, Polygons)
    assert isinstance(upright, Lines)
    assert isinstance(level, Lines)
    corners = shapes.points.reshape(-1, 4, 2)
    assert corners.min(axis=1).tolist() == [[0.0, 0.0], [9.0, 6.0]]
    assert corners.max(axis=1).tolist() == [[3.0, 3.0], [12.0, 8.0]]  # cut at the upper edge
    assert upright.segments[:, 0, 0].tolist() == [3.0, 6.0, 9.0]
    assert level.segments[:, 0, 1].tolist() == [3.0, 6.0]


def test_boxes_that_are_too_small_are_left_out() -> None:
    layer, view = BoxLayer(), ViewModel(grid_level=GRID_LEVELS)
    data = layer.take(moment())
    assert data is not None
    assert layer.says(data, style(view)) == "zoom in"
    assert list(layer.marks(data, style(view))) == []
    assert layer.says(data, style(view, 4000.0)) == ""


def test_hidden_discs_are_not_counted() -> None:
    data = BoxLayer().take(moment(hidden=np.array([False, False, True])))
    assert data is not None
    assert data.visible
    assert len(data.at(2)) == 1
