"""Spheres in the picture: the kernels against what is plainly right, the edges of the box, and the camera in space."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from PyQt6.QtCore import QPointF
from PyQt6.QtGui import QPolygonF

from aggviewer.canvas.camera import MARGIN, Camera, LegendRoom, Viewpoint
from aggviewer.canvas.in_view import Depths, DiscsInView, box_edges, to_pixels
from aggviewer.canvas.mouse import discs_within
from aggviewer.canvas.raster import Raster
from aggviewer.canvas.scene import Scene
from aggviewer.canvas.turning import ALONG, about, dragged, turned_around
from aggviewer.document.run import CameraPlace
from aggviewer.document.view import ViewModel
from engine.boundary import Periodic
from engine.plotting.projection import FROM_ABOVE, WHOLE, axes_of, times

from .conftest import PLAIN

BOX = (4.0, 3.0, 5.0)
SIZE = (120.0, 90.0)
PROJECTIONS = pytest.mark.parametrize("perspective", [False, True])


def some_spheres(count: int = 60, seed: int = 2) -> Scene:
    """Spheres of several sizes that do not overlap, some of them at the faces of the box."""
    rng = np.random.default_rng(seed)
    places, radii = np.zeros((0, 3)), np.zeros(0)
    while len(radii) < count:
        place, radius = rng.random(3) * BOX, rng.uniform(0.1, 0.45)
        if (np.sqrt(np.square(places - place).sum(axis=1)) > radii + radius).all():
            places, radii = np.vstack([places, place]), np.append(radii, radius)
    scene = Scene()
    scene.replace_discs(radii, BOX, True)
    scene.set_frame(places, rng.random(count, np.float32), PLAIN, 0.0)
    return scene


SLAB = (0.4, 0.65)


@PROJECTIONS
def test_spheres_are_found_alike_before_and_after_compiling(perspective: bool) -> None:
    scene, view = some_spheres(), ViewModel(perspective=perspective, slab=SLAB)
    scene.positions[7] = np.nan
    camera = Camera.fitting(scene.sides, SIZE, view=view).zoomed(3.0, 20.0, 30.0)
    one, other = DiscsInView(), DiscsInView()
    count = one.find(scene, camera, 2.0)
    assert 5 < count < scene.count - 5
    assert (one.cut[:count, 1] < 1.0).sum() >= 2
    assert other.find(scene, camera, 2.0, compiled=False) == count
    for name in ("offset", "radius", "scalar", "depth", "near", "cut", "number"):
        assert getattr(one, name)[:count] == pytest.approx(getattr(other, name)[:count], abs=1e-6), name
    assert 7 not in one.number[:count]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("before", [True, False], ids=["cut by a kernel", "cut by numpy"])
def test_buffers_forget_a_slab_in_the_next_picture(before: bool, compiled: bool) -> None:
    scene, flat = some_spheres(), Scene()
    flat.replace_discs(np.full(3, 0.5), BOX[:2], False)
    flat.set_frame(np.array([[1.0, 1.0], [2.0, 1.0], [3.0, 2.0]]), np.zeros(3, np.float32), PLAIN, 0.0)
    for after in (scene, flat):
        used, fresh = DiscsInView(), DiscsInView()
        used.find(scene, Camera.fitting(scene.sides, SIZE, view=ViewModel(slab=SLAB)), compiled=before)
        assert (used.cut[:3] != (1.0, 1.0, 1.0, 0.0)).any()
        camera = Camera.fitting(after.sides, SIZE, view=ViewModel())
        count = used.find(after, camera, compiled=compiled)
        assert count == fresh.find(after, camera, compiled=compiled) > 0
        for one, other in zip(used.outlines(camera, count), fresh.outlines(camera, count), strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(used.cut[:count], np.tile((1.0, 1.0, 1.0, 0.0), (count, 1)))


def test_small_spheres_keep_their_area() -> None:
    rng = np.random.default_rng(1)
    scene = Scene()
    scene.replace_discs(np.full(40, 0.004), (1.0, 1.0, 1.0), False)
    scene.set_frame(rng.random((40, 3)), np.ones(40, np.float32), PLAIN, 0.0)
    view = ViewModel(turn=ALONG["z"], perspective=False, show_box=False)
    camera = Camera.fitting(scene.sides, (200.0, 200.0), view=view)
    alpha = Raster().paint(scene, camera, view, transparent=True)[..., 3] / 255.0
    assert alpha.sum() == pytest.approx(40 * np.pi * (0.004 * camera.scale) ** 2, rel=0.25)  # soft edges add some


@PROJECTIONS
def test_three_edges_of_a_box_are_behind_what_it_holds(perspective: bool) -> None:
    box, view = np.array(BOX), ViewModel(perspective=perspective)
    camera = Camera.fitting(BOX, SIZE, view=view)
    near, far = box_edges(box, camera, Periodic.of(False, 3))
    assert (len(near), len(far)) == (9, 3)
    # the three meet at the corner that is farthest from the viewer
    corners = np.array(list(product(*((0.0, side) for side in BOX))))
    assert camera.pose is not None
    _, depth, _ = camera.pose.seen(corners, (camera.x, camera.y))
    x, y = to_pixels(corners[depth.argmin()], camera)
    ends = far.reshape(-1, 2)
    assert np.count_nonzero(np.hypot(ends[:, 0] - x, ends[:, 1] - y) < 1e-6) == 3
    dashes, _ = box_edges(box, camera, Periodic.of(True, 3))
    assert len(dashes) > 5 * len(near)
    lengths = [np.hypot(*(lines[:, 2:] - lines[:, :2]).T).sum() for lines in (dashes, near)]
    assert lengths[0] / lengths[1] == pytest.approx(5.0 / 9.0, abs=0.06)


@pytest.mark.parametrize(
    "periodic", [Periodic(axes) for axes in product((False, True), repeat=3)], ids=lambda one: one.words
)
def test_an_edge_of_a_box_is_dashed_where_two_periodic_faces_meet(periodic: Periodic) -> None:
    camera = Camera.fitting(BOX, SIZE, view=ViewModel(perspective=False))
    assert camera.pose is not None
    drawn = np.concatenate(box_edges(np.array(BOX), camera, periodic))
    ways = drawn[:, 2:] - drawn[:, :2]
    for axis in range(3):
        along = to_pixels(np.eye(3)[axis], camera) - to_pixels(np.zeros(3), camera)
        own = np.abs(ways @ (along[1], -along[0])) < 1e-6 * np.hypot(*along) * np.hypot(*ways.T)
        is_dashed = all(periodic[other] for other in range(3) if other != axis)
        assert (np.hypot(*ways[own].T).max() < 7.0) == is_dashed, axis  # pixels
        assert is_dashed or np.count_nonzero(own) == 4, axis


def test_a_sphere_covers_the_edges_behind_it_only() -> None:
    scene = Scene()
    scene.replace_discs(np.full(1, 0.9), (2.0, 2.0, 2.0), False)
    scene.set_frame(np.ones((1, 3)), np.ones(1, np.float32), PLAIN, 0.0)
    view = ViewModel(background="black")
    camera = Camera.fitting(scene.sides, (300.0, 300.0), view=view)
    plain, bare = (
        Raster().paint(scene, camera, ViewModel(background="black", show_box=shown))[..., :3].astype(int)
        for shown in (True, False)
    )
    far = box_edges(scene.box, camera, scene.periodic)[1]
    assert (np.abs(plain - bare).max(axis=2) > 0).any()  # the corners of the box stick out
    middle = far.reshape(-1, 2).mean(axis=0).astype(int)
    assert (plain[middle[1], middle[0]] == bare[middle[1], middle[0]]).all()


# the camera


@PROJECTIONS
def test_a_fit_shows_the_whole_box_in_every_turn(perspective: bool) -> None:
    corners = np.array(list(product(*((0.0, side) for side in BOX))))
    rng, scales = np.random.default_rng(0), set[float]()
    for _ in range(50):
        turn = rng.normal(size=4).tolist()
        view = ViewModel(turn=turn, perspective=perspective)
        camera = Camera.fitting(BOX, (400.0, 300.0), view=view)
        low, high = (part(to_pixels(corners, camera), axis=0) for part in (np.min, np.max))
        assert (low > MARGIN - 0.5).all()
        assert (high < (400.0 - MARGIN + 0.5, 300.0 - MARGIN + 0.5)).all()
        spun = ViewModel(turn=times(camera.pose.turn, about((0.0, 0.0, 1.0), 30.0)), perspective=perspective)
        scales.add(round(Camera.fitting(BOX, (400.0, 300.0), view=spun).scale / camera.scale, 2))
    assert scales == {1.0}, "nothing grows or shrinks while the box spins"


def test_zoom_keeps_the_point_under_the_pointer_and_pan_follows_the_hand() -> None:
    camera = Camera.fitting(BOX, SIZE)
    assert camera.pose is not None
    right, above, _ = axes_of(camera.pose.turn)
    point = camera.middle + 0.7 * right - 0.3 * above  # at the depth of the middle
    x, y = to_pixels(point, camera)
    assert to_pixels(point, camera.zoomed(3.0, x, y)) == pytest.approx([x, y])
    assert to_pixels(point, camera.panned(20.0, 7.0)) == pytest.approx([x + 20.0, y + 7.0])
    assert to_pixels(point, camera.magnified(2.0)) == pytest.approx([2.0 * x, 2.0 * y])
    wider = camera.rendered(480, 180)
    assert wider.scale == pytest.approx(2.0 * camera.scale)
    assert to_pixels(camera.middle, wider) == pytest.approx([240.0, 90.0])


def test_a_drag_turns_the_box_as_a_ball_that_sticks_to_the_hand() -> None:
    size = (400.0, 400.0)
    start, end = (230.0, 180.0), (260.0, 240.0)
    before = FROM_ABOVE
    after = dragged(before, start, end, size)
    # the point of the ball that was under the hand is under it again
    radius = 0.45 * 400.0
    x, y = (start[0] - 200.0) / radius, (200.0 - start[1]) / radius
    world = np.array([x, y, np.sqrt(1.0 - x * x - y * y)]) @ axes_of(before)
    moved = axes_of(after) @ world
    assert (200.0 + radius * moved[0], 200.0 - radius * moved[1]) == pytest.approx(end, abs=1e-6)
    assert axes_of(after) @ axes_of(after).T == pytest.approx(np.eye(3), abs=1e-12)
    assert dragged(before, start, start, size) == pytest.approx(before)


def test_a_whole_turn_comes_back_and_keeps_the_upright_axis() -> None:
    turn = FROM_ABOVE
    steps = [turned_around(turn, degrees) for degrees in (0.0, 90.0, 360.0)]
    assert axes_of(steps[0]) == pytest.approx(axes_of(turn))
    assert axes_of(steps[2]) == pytest.approx(axes_of(turn), abs=1e-12)
    assert axes_of(steps[1])[:, 2] == pytest.approx(axes_of(turn)[:, 2], abs=1e-12)  # z is seen where it was
    assert axes_of(steps[1])[2, 0] == pytest.approx(axes_of(turn)[2, 1], abs=1e-12)


def test_a_viewpoint_follows_the_view_and_keeps_the_eye_outside_the_box() -> None:
    scene, view, moves = some_spheres(), ViewModel(), []
    viewpoint = Viewpoint(scene, lambda: SIZE, lambda: moves.append(1), view=view)
    viewpoint.fit()
    view.turn = ALONG["x"]
    viewpoint.follow_view()
    assert viewpoint.fitted
    assert viewpoint.camera == Camera.fitting(BOX, SIZE, view=view)
    viewpoint.pan(5000.0, 300.0)
    assert not viewpoint.fitted
    assert ((viewpoint.camera.middle >= 0.0) & (viewpoint.camera.middle <= BOX)).all()
    place = viewpoint.place
    assert place is not None
    viewpoint.fit()
    viewpoint.set_place(place)
    assert viewpoint.place == place
    view.perspective = False
    viewpoint.follow_view()
    assert viewpoint.place == place
    assert viewpoint.camera.pose == replace(viewpoint.camera.pose, eye=np.inf)
    viewpoint.set_place(CameraPlace(x=1e9, y=-1e9, z=0.5, scale=3.0))
    assert viewpoint.camera.middle.tolist() == [4.0, 0.0, 0.5]


@PROJECTIONS
def test_a_fitted_box_turns_about_its_middle_and_a_moved_one_about_that_of_the_picture(perspective: bool) -> None:
    scene, view, room = some_spheres(), ViewModel(perspective=perspective), LegendRoom(45.0, 60.0)
    viewpoint = Viewpoint(scene, lambda: SIZE, lambda: None, lambda: room, view)
    viewpoint.fit()
    fitted, middle = viewpoint.camera, np.array(BOX) / 2
    place = to_pixels(middle, fitted)
    assert place[0] < SIZE[0] / 2 - 10.0, "the legend moves the box from the middle of the picture"
    for degrees in (50.0, 120.0, 300.0):
        turned = fitted.turned(degrees)
        assert to_pixels(middle, turned) == pytest.approx(place)
        assert turned.pose is not None
        view.turn = turned.pose.turn  # as by a drag
        viewpoint.follow_view()
        assert to_pixels(middle, viewpoint.camera) == pytest.approx(place, abs=0.05)
        assert viewpoint.camera.middle == pytest.approx(turned.middle, abs=0.01)
    viewpoint.pan(3.0, 4.0)
    moved = viewpoint.camera
    assert to_pixels(moved.middle, moved.turned(70.0)) == pytest.approx([SIZE[0] / 2, SIZE[1] / 2])
    corner = np.array(BOX)
    assert to_pixels(corner, fitted.centred(corner).turned(70.0)) == pytest.approx([SIZE[0] / 2, SIZE[1] / 2])


def test_a_line_is_seen_as_far_as_no_sphere_hides_it() -> None:
    scene = Scene()
    scene.replace_discs(np.full(1, 1.0), (8.0, 8.0, 8.0), False)
    scene.set_frame(np.array([[4.0, 4.0, 4.0]]), np.ones(1, np.float32), PLAIN, 0.0)
    camera = Camera.fitting(scene.sides, (400.0, 400.0), view=ViewModel(turn=ALONG["z"], perspective=False))
    lines = np.array([[[1.0, 4.0, z], [7.0, 4.0, z]] for z in (1.0, 7.0)])  # behind and in front of the sphere
    parts, which = Depths(scene, camera).visible(lines)
    assert which.tolist() == [0, 0, 1]
    assert parts[2] == pytest.approx(lines[1])
    near = 0.05  # of pieces and coarse pixels
    assert parts[:2, :, 0] == pytest.approx(np.array([[1.0, 3.0], [5.0, 7.0]]), abs=2.0 * near + 0.05)
    inside = np.array([[4.0, 4.0, 4.9], [4.0, 4.0, 5.1], [5.5, 4.0, 0.0]])
    assert Depths(scene, camera).hidden(inside).tolist() == [True, False, False]
    assert Depths(scene, camera).hidden(inside, slack=0.2).tolist() == [False, False, False]


def test_lines_and_a_lasso_end_at_the_planes_of_a_slab() -> None:
    scene = Scene()
    scene.replace_discs(np.ones(1), (8.0, 8.0, 8.0), False)
    scene.set_frame(np.array([[4.0, 4.0, 4.0]]), np.ones(1, np.float32), PLAIN, 0.0)
    view = ViewModel(turn=ALONG["z"], perspective=False, slab=(0.25, 0.5))  # 2 < z < 4
    depths = Depths(scene, Camera.fitting(scene.sides, (400.0, 400.0), view=view))
    up = [[1.0, 1.0, 0.0], [1.0, 1.0, 8.0]]
    across = [[[1.0, 7.0, z], [7.0, 7.0, z]] for z in (1.0, 3.0, 5.0)]
    parts, which = depths.within_slab(np.array([up, *across]))
    assert which.tolist() == [0, 2]
    assert np.sort(parts[0, :, 2]) == pytest.approx([2.0, 4.0])
    assert parts[1] == pytest.approx(np.array(across[1]))
    points = np.array([[1.0, 1.0, z] for z in (1.9, 2.1, 3.9, 4.1)] + [[4.0, 4.0, 3.9], [4.0, 4.0, 4.1]])
    assert depths.hidden(points).tolist() == [True, False, False, True, True, True]
    # the sphere is cut at its centre: what is just behind its face is hidden less far than behind its whole surface
    assert depths.hidden(points, slack=0.2, outside=0.2).tolist() == [False] * 6
    outline = QPolygonF([QPointF(*corner) for corner in ((0, 0), (400, 0), (400, 400), (0, 400))])
    for slab, picked in ((WHOLE, True), ((0.25, 0.5), True), ((0.0, 0.36), False), ((0.64, 1.0), False)):
        view.slab = slab
        camera = Camera.fitting(scene.sides, (400.0, 400.0), view=view)
        assert discs_within(outline, scene, camera).tolist() == [picked], slab
