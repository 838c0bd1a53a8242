"""What shows in a picture that clusters turn: spokes in discs, and arcs beside the arrows of velocities."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.layer import LayerInput, Style
from aggviewer.canvas.layers.primitives import Bars, Lines, Polygons
from aggviewer.canvas.layers.registry import of_frame
from aggviewer.canvas.layers.spokes import SpokeLayer
from aggviewer.canvas.layers.velocities import VelocityLayer, velocities_of
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from engine.frame import Frame
from engine.plotting.projection import FROM_ABOVE, Pose
from tests.builders.colorists import colorist_of

RADII, BOX = np.full(3, 0.5), np.array([6.0, 4.0])
POSITIONS = np.array([[1.0, 2.0], [2.0, 2.0], [5.0, 2.0]])
ANGLE = np.array([0.5 * np.pi, 0.5 * np.pi, 0.0])


def a_frame(*, turning: bool) -> Frame:
    cluster = np.array([0, 0, 2], np.int32)
    fields = {"cluster": cluster} | ({"angle": ANGLE, "spin": np.array([2.0, 2.0, -1.0])} if turning else {})
    return Frame(0.0, POSITIONS, np.zeros((3, 2)), fields, 2, 1.0)


def scene_of(frame: Frame, view: ViewModel) -> Scene:
    scene = Scene()
    scene.replace_discs(RADII, BOX, False)
    scalar, coloring = colorist_of("aggregation", RADII, BOX).color(frame, view.color_by)
    scene.set_frame(frame.positions, scalar, coloring, 0.0, layers=of_frame(LayerInput(frame, RADII, BOX, False), view))
    return scene


def picture(frame: Frame, scale: float, **given: str) -> NDArray[np.uint8]:
    nothing = {"show_scale_bar": False, "show_legend": False, "show_time": False, "show_box": False}
    view = ViewModel(**(nothing | given))
    return Painter(view).paint(scene_of(frame, view), Camera(3.0, 2.0, scale, 6.0 * scale, 4.0 * scale))


@pytest.mark.parametrize("background", ["dark", "light"])
def test_a_disc_of_a_cluster_that_turns_has_a_spoke_in_its_direction(background: str) -> None:
    plain, spoked = (picture(a_frame(turning=on), 40.0, background=background) for on in (False, True))
    changed = (plain.astype(int) - spoked).any(axis=2)
    for (x, y), angle in zip(POSITIONS, ANGLE, strict=True):
        for share in (0.2, 0.35, 0.7):
            column, row = 40.0 * (x + share * 0.5 * np.cos(angle)), 40.0 * (4.0 - y - share * 0.5 * np.sin(angle))
            back = 80.0 * x - column, 40.0 * 2.0 * (4.0 - y) - row
            assert changed[int(row), int(column)]
            assert not changed[int(back[1]), int(back[0])], "on one side of the centre only"
    assert changed.mean() < 0.02


def test_spokes_fade_where_discs_are_small() -> None:
    contrast = []
    for radius in (8.0, 4.0, 3.0, 2.0, 1.0):
        plain, spoked = (picture(a_frame(turning=on), 2.0 * radius, background="dark") for on in (False, True))
        contrast.append(int(np.abs(plain.astype(int) - spoked).max()))
    assert contrast[0] >= contrast[1] > contrast[2] > 0
    assert contrast[3:] == [0, 0]


def test_nothing_is_taken_or_drawn_where_clusters_do_not_turn_or_discs_are_hidden() -> None:
    layer, frame = SpokeLayer(), a_frame(turning=True)
    assert layer.take(LayerInput(a_frame(turning=False), RADII, BOX, False)) is None
    view = ViewModel()
    scene = Scene()
    scene.replace_discs(RADII, BOX, False)
    scene.hide(np.array([True, False, False]))
    scene.set_frame(frame.positions, np.zeros(3, np.float32), scene_of(frame, view).coloring, 0.0)
    style = Style(scene, Camera(3.0, 2.0, 40.0, 240.0, 160.0), view)
    (bars,) = layer.marks(layer.take(LayerInput(frame, RADII, BOX, False)), style)
    assert isinstance(bars, Bars)
    np.testing.assert_array_equal(bars.segments[:, 0], POSITIONS[1:])


def test_a_sphere_has_an_arc_that_turns_with_it() -> None:
    turns = Rotation.from_rotvec([[0.0, 0.0, 0.0], [0.0, 0.4, 0.0], [0.3, -2.0, 1.0]])
    fields = {"orientation": np.roll(turns.as_quat(), 1, axis=1)}
    positions, box = np.column_stack([POSITIONS, np.full(3, 2.0)]), np.array([6.0, 4.0, 4.0])
    frame, scene, view = Frame(0.0, positions, np.zeros((3, 3)), fields, 3, 0.0), Scene(), ViewModel()
    scene.replace_discs(RADII, box, False)
    scene.set_frame(positions, np.zeros(3, np.float32), scene_of(a_frame(turning=True), view).coloring, 0.0)
    layer = SpokeLayer()
    data = layer.take(LayerInput(frame, RADII, box, False))
    assert data is not None
    far, near = (Camera(3.0, 2.0, scale, 240.0, 160.0, Pose(2.0, FROM_ABOVE, 0.0)) for scale in (9.0, 40.0))
    assert not list(layer.marks(data, Style(scene, far, view))), "none on small ones"
    (arcs,) = layer.marks(data, Style(scene, near, view))
    assert isinstance(arcs, Lines)
    for one, position, turn in zip(arcs.segments.reshape(3, -1, 3), positions, turns, strict=True):
        of_sphere = turn.inv().apply(one - position) / 0.5
        np.testing.assert_allclose(of_sphere[:, 1], 0.0, atol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(of_sphere, axis=1), 1.03, rtol=1e-12)
        assert (of_sphere[:, 2] > 0.5).all(), "about its pole"


def test_an_arc_for_the_angular_velocity_goes_round_its_cluster_in_the_sense_of_rotation() -> None:
    frame, view = a_frame(turning=True), ViewModel(layers=("velocities",))
    data = velocities_of(frame, RADII, BOX, False)
    assert data is not None, "clusters that only turn have arcs, though no arrows"
    style = Style(scene_of(frame, view), Camera(3.0, 2.0, 40.0, 240.0, 160.0), view)
    shapes = [mark for mark in VelocityLayer().marks(data, style) if isinstance(mark, Polygons)]
    halo, arcs = shapes
    assert np.ptp(halo.points) > np.ptp(arcs.points), "it stands out from any disc"
    outlines = arcs.points.reshape(2, -1, 2) - data.feet[:, None]
    angles = np.unwrap(np.arctan2(outlines[..., 1], outlines[..., 0]), axis=1) - 0.5 * np.pi
    tips = np.take_along_axis(angles, np.abs(angles).argmax(axis=1)[:, None], axis=1)[:, 0]
    assert tips[0] > 0.0 > tips[1], "counterclockwise, and clockwise"
    assert tips[0] + tips[1] == pytest.approx(0.5 * np.pi), "a quarter for each unit of ω, and a head"
    assert np.hypot(*outlines[1].T).max() < 1.5
    still = velocities_of(a_frame(turning=False), RADII, BOX, False)
    assert still is None
