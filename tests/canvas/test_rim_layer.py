"""The rims of near clusters of the same colour, in pixels of the window and of pictures, and in figures."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.layer import LayerInput
from aggviewer.canvas.layers.registry import of_frame
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from engine.frame import Frame
from engine.plotting.colors import color_index
from tests.builders.colorists import colorist_of

SAME = np.flatnonzero(color_index(np.arange(200)) == 5)[:2]
"""Two labels of one colour."""
OTHER = int(np.flatnonzero(color_index(np.arange(200)) == 2)[0])

NEAR, FAR = 4.0, 9.0
"""The place of the second cluster: two diameters from the first one, and seven."""


def clusters(second: int, x: float, dimensions: int = 2) -> Frame:
    """Three discs of radius 1/2 in a row and, from x on, two of another cluster."""
    across = np.array([1.0, 2.0, 3.0, x + 1.0, x + 2.0])
    positions = np.column_stack([across, *[np.full(5, 2.0)] * (dimensions - 1)])
    cluster = np.array([SAME[0]] * 3 + [second] * 2, np.int32)
    return Frame(0.0, positions, np.zeros_like(positions), {"cluster": cluster}, 2, 0.0)


def scene_of(frame: Frame, view: ViewModel) -> Scene:
    dimensions = frame.dimensions
    radii, box = np.full(5, 0.5), np.array([14.0, 4.0, 4.0][:dimensions])
    scene = Scene()
    scene.replace_discs(radii, box, False)
    scalar, coloring = colorist_of("aggregation", radii, box).color(frame, view.color_by)
    scene.set_frame(frame.positions, scalar, coloring, 0.0, layers=of_frame(LayerInput(frame, radii, box, False), view))
    return scene


def bare(**given: str) -> ViewModel:
    """A view with nothing but discs."""
    nothing = {"show_scale_bar": False, "show_legend": False, "show_time": False, "show_box": False}
    return ViewModel(**(nothing | given))


def middles(frame: Frame, view: ViewModel, scale: float = 20.0) -> NDArray[np.uint8]:
    """The colours in the middles of the five discs, (5, 3)."""
    camera = Camera(7.0, 2.0, scale, 14.0 * scale, 4.0 * scale)
    picture = Painter(view).paint(scene_of(frame, view), camera)
    columns = (frame.positions[:, 0] * scale).astype(int)
    return picture[int(2.0 * scale), columns, :3]


def rimmed(found: NDArray[np.uint8]) -> list[bool]:
    """Which of the discs differ from the first one."""
    return [bool((one != found[0]).any()) for one in found]


@pytest.mark.parametrize("background", ["dark", "light"])
def test_the_smaller_one_of_two_near_clusters_of_one_colour_has_a_rim(background: str) -> None:
    view = bare(background=background)
    found = middles(clusters(int(SAME[1]), NEAR), view)
    assert rimmed(found) == [False] * 3 + [True] * 2
    ground = np.array(view.background_rgb, float)
    assert np.abs(found[3] - ground).sum() < np.abs(found[0] - ground).sum(), "paler than without a rim"


def test_no_rim_where_clusters_are_far_or_small_or_discs_show_another_quantity() -> None:
    view = bare(background="dark")
    assert rimmed(middles(clusters(int(SAME[1]), FAR), view)) == [False] * 5
    assert rimmed(middles(clusters(int(SAME[1]), NEAR), view, scale=4.0)) == [False] * 5
    assert rimmed(middles(clusters(int(SAME[1]), NEAR), bare(color_by="speed"))) == [False] * 5
    found, alone = middles(clusters(OTHER, NEAR), view), middles(clusters(OTHER, FAR), view)
    np.testing.assert_array_equal(found[3:], alone[3:])
