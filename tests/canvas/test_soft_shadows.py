"""Soft shadows between spheres: the kernel against all pairs one after the other, and what is seen of them."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from aggviewer.canvas import in_view
from aggviewer.canvas.camera import ALONG, Camera
from aggviewer.canvas.in_view import Depths, DiscsInView, circles_in_view
from aggviewer.canvas.raster import Raster
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from engine.plotting.projection import axes_of
from tests.reference.shadows import hidden

from .conftest import PLAIN, MakeCanvas, grabbed

SIZE = (240, 180)
BARE = {"show_box": False, "show_legend": False, "show_scale_bar": False, "show_time": False, "depth_fades": False}


def scene_of(positions: list[list[float]] | np.ndarray, radii: float | np.ndarray, side: float) -> Scene:
    """Spheres of one colour."""
    scene, places = Scene(), np.array(positions)
    scene.replace_discs(np.broadcast_to(radii, len(places)), np.full(3, side), False)
    scene.set_frame(places, np.ones(len(places), np.float32), PLAIN, 0.0)
    return scene


def crowd() -> Scene:
    """Many small spheres and a few large ones, which overlap; the shadows do not mind."""
    rng = np.random.default_rng(4)
    return scene_of(rng.random((150, 3)) * 10.0, np.where(np.arange(150) < 4, 2.5, rng.uniform(0.2, 0.6, 150)), 10.0)


def painted(scene: Scene, view: ViewModel, camera: Camera | None = None) -> np.ndarray:
    """The brightness of each pixel, (H, W)."""
    seen = camera or Camera.fitting(scene.sides, SIZE, view=view)
    brightness: np.ndarray = Raster().paint(scene, seen, view)[..., :3].astype(float).sum(axis=2)
    return brightness


@pytest.mark.parametrize("perspective", [True, False])
@pytest.mark.parametrize("zoom", [1.0, 5.0])
def test_a_sphere_is_in_the_shadow_of_each_neighbour_even_of_those_beside_the_view(
    perspective: bool, zoom: float
) -> None:
    scene, view = crowd(), ViewModel(perspective=perspective)
    camera, found = Camera.fitting(scene.sides, SIZE, view=view).zoomed(zoom, 120.0, 90.0), DiscsInView()
    count = found.find_lit(scene, camera, view)
    assert camera.pose is not None
    axes = axes_of(camera.pose.turn)
    rng = np.random.default_rng(0)
    normals = rng.normal(size=(6, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    x, y, z = normals.T
    terms = np.stack([np.ones(6), x, y, z, x * x, y * y, x * y, x * z, y * z])
    seen = np.unique(Depths(scene, camera).front(1.0)[1])[1:]  # places among those in view; the first one is "none"
    assert len(seen) > 10
    numbers = np.flatnonzero(np.isin(found.number[:count], _numbers(scene, camera)[seen]))
    for place in numbers.tolist():
        told = found.shadow[place].astype(float) @ terms
        wanted = hidden(scene.positions, scene.radii, axes, found.number[place], normals, in_view._REACH)
        assert told == pytest.approx(wanted, abs=2e-3)


def _numbers(scene: Scene, camera: Camera) -> np.ndarray:
    """The numbers of the spheres in view, from back to front."""
    found = DiscsInView()
    count = found.find(scene, camera)
    return found.number[:count]


def test_a_lone_sphere_has_no_shadow_and_one_beside_it_darkens_the_side_that_faces_it() -> None:
    along, alone = ViewModel(turn=ALONG["z"], perspective=False, **BARE), scene_of([[2.0, 4.0, 4.0]], 1.0, 8.0)
    lit = ViewModel(turn=ALONG["z"], perspective=False, soft_shadows=False, **BARE)
    np.testing.assert_array_equal(painted(alone, along), painted(alone, lit))
    pair = scene_of([[2.0, 4.0, 4.0], [4.0, 4.0, 4.0]], 1.0, 8.0)
    camera = Camera.fitting(pair.sides, SIZE, view=along)
    share = painted(pair, along) / np.maximum(painted(pair, lit), 1.0)
    x, y = camera.seen(pair.positions[0])[0]
    radius = camera.scale
    facing, behind = (share[round(y), round(x + side * 0.8 * radius)] for side in (1.0, -1.0))
    assert behind > 0.95
    assert 0.45 < facing < 0.8
    apart = scene_of([[2.0, 4.0, 4.0], [6.0, 4.0, 4.0]], 1.0, 8.0)
    np.testing.assert_array_equal(painted(apart, along), painted(apart, lit))


def test_a_colour_keeps_a_third_of_its_light_at_least_and_inner_spheres_are_darker_than_outer_ones() -> None:
    spots = np.stack(np.meshgrid(*[np.arange(6) + 0.5] * 3), axis=-1).reshape(-1, 3)
    block = scene_of(spots, 0.5, 6.0)
    view = ViewModel(**BARE)
    lit = ViewModel(soft_shadows=False, **BARE)
    camera = Camera.fitting(block.sides, SIZE, view=view)
    ball = painted(block, lit) > 100.0
    share = painted(block, view)[ball] / painted(block, lit)[ball]
    assert share.min() > 0.33
    assert share.mean() > 0.6
    found = DiscsInView()
    count = found.find_lit(block, camera, view)
    depth, keeps = found.depth[:count], found.shade(count)
    seen = np.abs(found.shadow[:count]).any(axis=1)
    front = depth > np.quantile(depth[seen], 0.8)
    assert keeps[seen & front].mean() > keeps[seen & ~front].mean() + 0.05
    flat, bare = (circles_in_view(block, camera, one, DiscsInView()).faces.astype(float) for one in (view, lit))
    assert (flat / bare).mean(axis=1) == pytest.approx(found.shade(count), abs=0.02)  # as in vector files


def test_shadows_look_alike_with_and_without_opengl(qtbot: QtBot, make_canvas: MakeCanvas) -> None:
    scene, pictures = crowd(), []
    for kind in ("opengl", "painter"):
        canvas = make_canvas(kind, *SIZE)
        for name, value in (BARE | {"soft_shadows": True}).items():
            setattr(canvas.view, name, value)  # which both share
        canvas.replace_discs(scene.radii, scene.box, periodic=False)
        canvas.show_frame(scene.positions, scene.scalar, PLAIN, 0.0)
        lit = grabbed(qtbot, canvas).astype(float)
        canvas.view.soft_shadows = False
        pictures.append((lit, grabbed(qtbot, canvas).astype(float)))
    (one, bright), (other, _) = pictures
    assert np.abs(one - bright).mean() > 2.0
    assert np.abs(one - other).mean() < 1.0
