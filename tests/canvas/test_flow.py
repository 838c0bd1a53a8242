"""Pictures of discs whose images above and below flow past the box: what crosses an edge goes on displaced along x."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from PyQt6.QtGui import QFont, QFontMetricsF

import engine
from aggviewer.canvas import disc_kernels, line_kernels
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_pixels import InPixels, shapes
from aggviewer.canvas.in_view import DiscsInView, in_view
from aggviewer.canvas.layers.flashes import flashes_of
from aggviewer.canvas.layers.layer import LayerInput
from aggviewer.canvas.layers.paths import Paths, TrackLayer, TrackMemory
from aggviewer.canvas.layers.primitives import Color, Heat, Stroke
from aggviewer.canvas.overlays import corners_of_images
from aggviewer.canvas.raster import Raster
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from engine.boundary import Periodic
from engine.frame import Frame, FrameDiscs
from engine.plotting.discs import images
from tests.builders.states import gas

from .conftest import PLAIN

BOX = np.array([10.0, 7.0])
STRAINS = (0.3, -0.42, 12.9)
"""Displacements along x of 2.1, -2.94 and, over many periods, 0.3."""


def scene_of(positions: np.ndarray, radii: np.ndarray, strain: float, box: np.ndarray = BOX) -> Scene:
    scene = Scene()
    scene.replace_discs(radii, box, True)
    scene.set_frame(positions, np.ones(len(radii), np.float32), PLAIN, 0.0, strain=strain)
    return scene


def copies(positions: np.ndarray, radii: np.ndarray, strain: float) -> list[tuple[int, float, float]]:
    """All images that reach into the box, each with the number of its disc: from a sum over many periods."""
    found = []
    far = int(abs(strain * BOX[1]) / BOX[0]) + 3
    for i, ((x, y), r) in enumerate(zip(positions, radii, strict=True)):
        for a, b in product(range(-far, far + 1), (-1, 0, 1)):
            xi, yi = x + a * BOX[0] + b * strain * BOX[1], y + b * BOX[1]
            if -r < xi < BOX[0] + r and -r < yi < BOX[1] + r:
                found.append((i, xi, yi))
    return found


def some_discs(count: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    return rng.random((count, 2)) * BOX, 0.05 + 0.5 * rng.random(count)


@pytest.mark.parametrize("strain", STRAINS)
def test_copies_at_the_edges_are_those_of_images_that_flow(strain: float) -> None:
    positions, radii = some_discs()
    wanted = copies(positions, radii, strain)
    assert len(wanted) > len(radii) + 20
    scene, camera, view = scene_of(positions, radii, strain), Camera(5.0, 3.5, 20.0, 240.0, 180.0), DiscsInView()
    for compiled in (True, False):
        count = view.find(scene, camera, compiled=compiled)
        offsets = view.offset[:count] + np.array([5.0, 3.5])
        np.testing.assert_allclose(sorted(offsets.tolist()), sorted([x, y] for _, x, y in wanted), atol=2e-5)
    places, which = images(positions, radii, BOX, Periodic.of(True, 2).strained(strain, BOX))
    seen = ((places > -radii[which, None]) & (places < BOX + radii[which, None])).all(axis=1)
    found = sorted((i, *place) for i, place in zip(which[seen].tolist(), places[seen].tolist(), strict=True))
    np.testing.assert_allclose(found, sorted(wanted), atol=1e-9)


@pytest.mark.parametrize("strain", STRAINS)
def test_painted_discs_are_those_of_a_box_whose_images_are_given_one_by_one(strain: float) -> None:
    positions, radii = some_discs(80)
    which, places = [i for i, _, _ in copies(positions, radii, strain)], copies(positions, radii, strain)
    alone = Scene()
    alone.replace_discs(radii[which], BOX, False)
    alone.set_frame(np.array([place[1:] for place in places]), np.ones(len(which), np.float32), PLAIN, 0.0)
    camera, view = Camera(5.0, 3.5, 20.0, 200.0, 140.0), ViewModel()  # the box fills the picture
    one = Raster().paint(scene_of(positions, radii, strain), camera, view).astype(int)
    np.testing.assert_allclose(one, Raster().paint(alone, camera, view), atol=1)


def test_a_copy_that_flows_is_picked_where_it_is_seen() -> None:
    scene = scene_of(np.array([[9.0, 0.1], [5.0, 3.0]]), np.array([0.5, 0.5]), 0.3)
    assert scene.disc_at(1.1, 6.8, 0.0) == 0  # 9.0 + 2.1 - 10
    assert scene.disc_at(9.0, 6.8, 0.0) is None


@pytest.mark.parametrize("strain", STRAINS)
def test_lines_across_an_edge_go_on_at_the_displaced_image(strain: float) -> None:
    ahead = strain * BOX[1] % BOX[0]
    camera = Camera(5.0, 3.5, 20.0, 200.0, 140.0)
    line = np.array([[[4.0, 6.9], [4.3, 7.4]]])
    pixels, which = in_view(line, scene_of(np.ones((1, 2)), np.ones(1), strain), camera, 1.0)
    assert set(which) == {0}
    below = (4.0 - ahead) % BOX[0]
    starts = pixels[:, 0] / 20.0
    assert np.isclose(starts, [below, 7.0 + 0.1]).all(axis=1).any()  # pixels count from above
    assert not np.isclose(starts, [4.0, 7.1]).all(axis=1).any()


def test_shapes_across_an_edge_go_on_at_the_displaced_image() -> None:
    scene, camera = scene_of(np.ones((1, 2)), np.ones(1), 0.3), Camera(5.0, 3.5, 20.0, 200.0, 140.0)
    square = np.array([(8.5, 6.5), (9.5, 6.5), (9.5, 7.5), (8.5, 7.5)])
    found = InPixels(scene, camera, 1.0, QFontMetricsF(QFont()))._polygons(
        shapes([square], Color(0, 0, 0), Stroke(Color(0, 0, 0), 1.0))
    )
    corners = sorted((float(x), float(y)) for x, y in found.points[found.start[:-1]] / (20.0, -20.0) + (0.0, 7.0))
    np.testing.assert_allclose(corners, [(6.4, -0.5), (8.5, 6.5)])  # below the box it is 2.1 behind


def test_ticks_show_where_the_corners_of_the_images_are() -> None:
    ticks = corners_of_images(scene_of(np.ones((1, 2)), np.ones(1), 0.3), Camera(5.0, 3.5, 20.0, 200.0, 140.0))
    assert ticks[:, :, 0].tolist() == [[42.0, 42.0], [158.0, 158.0]]
    assert ticks.mean(axis=1)[:, 1].tolist() == [0.0, 140.0]


@pytest.mark.parametrize("dimensions", [2, 3])
def test_collisions_flash_where_discs_touched_also_across_a_flowing_edge(dimensions: int) -> None:
    simulation = gas(60, 0.3, dimensions=dimensions, shear__rate=0.8, seed=5, velocities__distribution="circle")
    across = followed = 0
    for _ in range(400):
        simulation.advance(max_events=1)
        at_once = simulation.frame()
        assert at_once.impacts is not None
        pair = at_once.impacts.pairs[-1]
        apart = at_once.positions[pair[1]] - at_once.positions[pair[0]]
        crosses = abs(apart[1]) > simulation.box[1] / 2
        across += crosses
        now = flashes_of(at_once, simulation.radii, simulation.box, True, 0.0)
        assert now is not None
        gaps = np.hypot.reduce(
            to_nearest(now.points[-1] - at_once.positions[pair], simulation.box, at_once.strain), axis=1
        )
        assert gaps == pytest.approx(simulation.radii[pair], rel=1e-6)
        if crosses:
            later = engine.copy(simulation)
            later.advance(until_time=at_once.time + 0.02)
            frame = later.frame()
            assert frame.impacts is not None
            if (frame.fields["last_contact"][pair] == at_once.impacts.time[-1]).all():
                frame.impacts = replace(frame.impacts, time=at_once.impacts.time[-1:], pairs=pair[None])
                then = flashes_of(frame, later.radii, later.box, True, 0.1)
                assert then is not None
                np.testing.assert_allclose(then.points[0], now.points[-1], atol=1e-9)
                followed += 1
    assert min(across, followed) > 5


def to_nearest(steps: np.ndarray, box: np.ndarray, strain: float) -> np.ndarray:
    """Steps to the nearest image, from a loop over images."""
    ahead = strain * box[1]
    found = []
    for step in steps:
        candidates = []
        for image in product(range(-1, 2), *[(-1, 0, 1)] * (len(box) - 1)):
            moved = step + np.array(image) * box
            moved[0] += image[1] * ahead
            moved[0] -= box[0] * np.rint(moved[0] / box[0])
            candidates.append(moved)
        found.append(min(candidates, key=lambda one: float(one @ one)))
    return np.array(found)


def test_a_track_across_a_flowing_edge_goes_on_where_the_image_was() -> None:
    memory, layer, radii = TrackMemory(), TrackLayer(), np.full(1, 0.1)
    rate = 0.5
    path = Paths(np.zeros(1, np.int64), BOX, True)

    def at(time: float) -> Frame:
        """A disc that flies up from (2, 6.5) and goes through the edge at t = 1: where it is in the box."""
        frame = Frame.empty(1)
        frame.time, frame.strain = time, 2.0 + rate * time
        x, y = 2.0 + 0.4 * time, 6.5 + 0.5 * time
        if y >= BOX[1]:
            x, y = x - frame.strain * BOX[1], y - BOX[1]
        frame.positions[0] = x % BOX[0], y
        return frame

    for time in (0.0, 0.8, 1.6):
        frame = at(time)
        tracks = layer.take(LayerInput(frame, radii, BOX, True, memory=memory))
        path.add(time, frame.positions, None, frame.strain)
    assert tracks is not None
    for segments in (tracks.segments, path.segments()[0]):
        assert len(segments) == 3
        (before, up, down) = segments[np.argsort(segments[:, 0, 1])[[1, 2, 0]]]
        np.testing.assert_allclose(before, [[2.0, 6.5], [2.32, 6.9]])
        np.testing.assert_allclose(up, [[2.32, 6.9], [2.4, 7.0]])
        arrives = (2.4 - (2.0 + rate) * BOX[1]) % BOX[0]
        np.testing.assert_allclose(down, [[arrives, 0.0], at(1.6).positions[0]], atol=1e-9)


def test_one_pixel_of_small_discs_is_at_the_displaced_place() -> None:
    """Small discs are spread over pixels by another branch of the kernel."""
    scene = scene_of(np.array([[2.0, 6.999]]), np.array([0.02]), 0.3)
    total = np.zeros((140, 200, 4), np.float32)
    where, ramp = np.array([5.0, 3.5, 20.0, 100.0, 70.0]), np.array([0.0, 256.0, 0.0, 0.0, 1.0])
    disc_kernels.paint(
        scene.positions, scene.radii, scene.scalar, scene.box, 1, scene.periodic.offset, where, ramp,
        np.zeros((256, 4), np.uint8), np.array([0, 0, 200, 140]), total,
    )  # fmt: skip
    rows, columns = np.nonzero(total[..., 3])
    assert set(columns[rows > 130]) <= {196, 197, 198, 199}  # 2.0 - 2.1 + 10 = 9.9
    assert len(columns[rows > 130])


def test_rings_around_discs_follow_the_images() -> None:
    positions, radii, image = np.array([[2.0, 6.9]]), np.array([0.4]), np.zeros((140, 200, 4), np.uint8)
    line_kernels.paint_marks(
        positions, radii, np.zeros(1, np.int64), BOX, 1, 2.1, np.array([5.0, 3.5, 20.0, 100.0, 70.0]),
        np.array([4.0, 1.0, 2.0, 1.0]), np.full(3, 255.0), np.array([0, 0, 200, 140]), image,
    )  # fmt: skip
    rows, columns = np.nonzero(image[..., 3])
    below = columns[rows > 120]
    assert len(below)
    assert ((below >= 188) | (below <= 8)).all()  # around 2.0 - 2.1 + 10 = 9.9
    assert not ((below > 20) & (below < 60)).any(), "straight below it there is nothing"


def test_a_map_of_density_goes_on_at_the_displaced_image() -> None:
    entries = np.zeros((7, 10), np.uint8)
    entries[6, 4] = 255  # at the upper edge
    table = np.zeros((256, 4), np.uint8)
    table[:, 0] = np.arange(256)
    scene, camera = scene_of(np.ones((1, 2)), np.ones(1), 2.0 / BOX[1]), Camera(5.0, 3.5, 20.0, 240.0, 180.0)
    image = InPixels(scene, camera, 1.0, QFontMetricsF(QFont()))._heat(Heat(entries, table)).pixels[..., 0]
    assert np.flatnonzero(image[-1]).tolist() == [1 + 4 - 2]  # the margin below the box, behind by two cells
    assert not image[0].any()


def test_a_scene_keeps_its_discs_while_images_flow() -> None:
    scene, discs = scene_of(np.ones((1, 2)), np.ones(1), 0.0), engine.create(engine.Scenario())
    scene.replace_discs(discs.radii, discs.box, True)
    known = FrameDiscs(discs.radii, discs.masses, discs.box, Periodic.of(True, 2), discs.scenario)
    scene.set_discs(known)
    radii = scene.radii
    for strain in (0.2, 0.4):
        scene.set_discs(known)
        scene.set_frame(np.ones((discs.count, 2)), np.ones(discs.count, np.float32), PLAIN, 0.0, strain=strain)
        assert scene.periodic.offset == pytest.approx(strain * discs.box[1])
    assert scene.radii is radii
