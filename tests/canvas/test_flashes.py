"""Collisions that light up, and radii that grow, in the picture."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pytestqt.qtbot import QtBot

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.flashes import Flashes, flashes_of
from aggviewer.canvas.layers.layer import LayerInput
from aggviewer.canvas.layers.primitives import Text
from aggviewer.canvas.layers.regions import RemarkLayer
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.export.pictures import vector_discs
from aggviewer.export.sources import FilmColors, show_state
from engine.frame import Frame, Impacts, Remark

from .conftest import PLAIN, MakeCanvas, grabbed
from .drawing import BOTH, Noted, overlays_of

BOX = np.array([10.0, 8.0])
RADII = np.array([0.5, 0.5, 0.3])


def bouncing(pairs: list[tuple[int, int]], times: list[float], now: float) -> Frame:
    """Two discs that met head on at x = 5 at the time 1, and fly apart; a third one at rest."""
    positions = np.array([[4.5 - (now - 1.0), 4.0], [5.5 + (now - 1.0), 4.0], [9.8, 1.0]])
    velocities = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    frame = Frame(now, positions, velocities, {}, 3, 1.0)
    frame.fields["last_contact"] = np.array([1.0, 1.0, -np.inf])
    frame.impacts = Impacts(np.array(times), np.array(pairs, np.int32))
    return frame


@pytest.mark.parametrize("now", [1.0, 1.2, 1.39])
def test_a_flash_stays_where_the_discs_have_touched_and_fades(now: float) -> None:
    found = flashes_of(bouncing([(0, 1)], [1.0], now), RADII, BOX, False, 0.4)
    assert found is not None
    assert_allclose(found.points, [[5.0, 4.0]], atol=1e-12)
    assert_allclose(found.strength, [1.0 - (now - 1.0) / 0.4], atol=1e-12)
    assert_allclose(found.radii, [0.5])


def test_old_collisions_and_those_to_come_are_dark() -> None:
    assert flashes_of(bouncing([(0, 1)], [1.0], 1.5), RADII, BOX, False, 0.4) is None
    assert flashes_of(bouncing([(0, 1)], [1.1], 1.0), RADII, BOX, False, 0.4) is None
    assert flashes_of(bouncing([(0, 1)], [1.0], 1.01), RADII, BOX, False, 0.0) is None
    frame = bouncing([(0, 1)], [1.0], 1.0)
    frame.impacts = None
    assert flashes_of(frame, RADII, BOX, False, 0.4) is None


def test_an_event_of_this_moment_is_seen_whatever_the_pace() -> None:
    frame = bouncing([(0, 2), (0, 1)], [0.9, 1.0 + 1e-16], 1.0)
    found = flashes_of(frame, RADII, BOX, False, 0.0)
    assert found is not None
    assert_allclose(found.points, [[5.0, 4.0]], atol=1e-12)
    assert found.strength.tolist() == [1.0]


def test_a_flash_is_at_the_place_that_the_frame_gives() -> None:
    frame = bouncing([(0, 1), (2, -1)], [1.0, 1.1], 1.2)
    points = np.array([[7.0, 3.0], [10.0, 1.0]])
    frame.impacts = Impacts(np.array([1.0, 1.1]), np.array([[0, 1], [2, -1]], np.int32), points)
    found = flashes_of(frame, RADII, BOX, False, 0.4)
    assert found is not None
    assert_allclose(found.points, points)
    assert_allclose(found.radii, [0.5, 0.3])
    assert_allclose(found.strength, [0.5, 0.75])


def test_a_remark_is_written_in_the_picture_and_its_rings_are_as_large_as_the_discs(view: ViewModel) -> None:
    frame = bouncing([], [], 1.0)
    frame.remark, frame.radius_factor = Remark("the clock stands", np.array([2], np.int32)), 2.0
    found = RemarkLayer().take(LayerInput(frame, RADII, BOX, False))
    assert found is not None
    assert_allclose(found.points, frame.positions[[2]])
    assert_allclose(found.radii, [0.6])
    scene, noted = Scene(), Noted()
    scene.replace_discs(RADII, BOX, False)
    scene.set_frame(frame.positions, np.zeros(3, np.float32), PLAIN, 0.0, layers={"remark": found})
    Painter(view).overlays.draw(noted, scene, Camera.fitting((10.0, 8.0), (400, 320)))
    texts = [one.text for one in (*noted.primitives, *noted.flats) if isinstance(one, Text)]
    assert "the clock stands" in texts


def test_a_disc_that_has_met_another_one_since_is_taken_where_it_is() -> None:
    frame = bouncing([(0, 1)], [1.0], 1.2)
    assert "last_contact" in frame.fields
    frame.fields["last_contact"][0] = 1.1
    found = flashes_of(frame, RADII, BOX, False, 0.4)
    assert found is not None
    assert_allclose(found.points, [[4.3 + 0.5, 4.0]])  # from where disc 0 is now


def test_a_collision_over_the_edge_of_a_periodic_box() -> None:
    frame = bouncing([(2, 1)], [1.0], 1.0)
    frame.positions[1] = [0.6, 1.0]  # 0.8 to the right of disc 2, through the edge
    found = flashes_of(frame, RADII, BOX, True, 0.4)
    assert found is not None
    assert_allclose(found.points, [[0.1, 1.0]], atol=1e-12)
    assert_allclose(found.radii, [0.3])  # of the smaller one


def test_a_collision_with_a_wall_flashes_at_the_wall() -> None:
    frame = bouncing([(2, -1)], [1.0], 1.0)
    frame.positions[2] = [9.7, 1.0]
    found = flashes_of(frame, RADII, BOX, False, 0.4)
    assert found is not None
    assert_allclose(found.points, [[10.0, 1.0]])


def test_discs_that_have_grown_touch_farther_out() -> None:
    frame = bouncing([(2, -1)], [1.0], 1.0)
    frame.positions[2] = [9.4, 1.0]
    frame.radius_factor = 2.0
    found = flashes_of(frame, RADII, BOX, False, 0.4)
    assert found is not None
    assert_allclose(found.points, [[10.0, 1.0]])
    assert_allclose(found.radii, [0.6])


def painted(view: ViewModel, flashes: Flashes | None) -> np.ndarray:
    scene, camera = Scene(), Camera.fitting((10.0, 8.0), (200, 160))
    scene.replace_discs(RADII, BOX, False)
    scene.set_frame(
        np.full((3, 2), 2.0),
        np.zeros(3, np.float32),
        PLAIN,
        0.0,
        layers={} if flashes is None else {"flashes": flashes},
    )
    return overlays_of(view, scene, camera)


def test_a_flash_is_painted_at_its_place_and_weaker_with_time(view: ViewModel) -> None:
    at = np.array([[5.0, 4.0]])
    nothing = painted(view, None)
    strong = painted(view, Flashes(at, np.array([0.5]), np.array([1.0])))
    weak = painted(view, Flashes(at, np.array([0.5]), np.array([0.1])))
    assert not nothing.any()
    assert strong[80, 100, 3] > 200
    assert 0 < weak[80, 100, 3] < strong[80, 100, 3]
    assert not strong[80, 130:].any()


@BOTH
def test_radii_that_grow_reach_picture_and_picking(
    make_canvas: MakeCanvas, qtbot: QtBot, view: ViewModel, kind: str
) -> None:
    canvas = make_canvas(kind, 400, 400)
    for radii in (np.array([0.5, 0.5]), np.array([0.5, 0.4])):  # one radius for all, and a buffer of them
        canvas.replace_discs(radii, np.array([10.0, 10.0]), False)
        positions, scalar = np.array([[5.0, 5.0], [1.0, 1.0]]), np.ones(2, np.float32)
        covered = []
        for factor in (1.0, 1.5, 2.0, 1.0):
            canvas.show_frame(positions, scalar, PLAIN, 0.0, factor)
            covered.append(int((grabbed(qtbot, canvas).max(axis=2) > 100).sum()))
            edge = canvas.camera.to_pixel(5.0 + 0.5 * factor - 0.02, 5.0)
            beyond = canvas.camera.to_pixel(5.0 + 0.5 * factor + 0.2, 5.0)
            assert canvas.disc_at(*edge) == 0
            assert canvas.disc_at(*beyond) is None
            assert canvas.scene.mean_radius == pytest.approx(radii.mean() * factor)
        assert covered[1] / covered[0] == pytest.approx(1.5**2, rel=0.06)
        assert covered[2] / covered[0] == pytest.approx(4.0, rel=0.06)
        assert covered[3] == pytest.approx(covered[0], rel=0.01)


def test_radii_that_grow_reach_snapshots_and_vectors(make_canvas: MakeCanvas, view: ViewModel) -> None:
    canvas = make_canvas("painter", 300, 300)
    canvas.replace_discs(np.array([0.5]), np.array([10.0, 10.0]), False)
    areas = []
    for factor in (1.0, 2.0):
        canvas.show_frame(np.array([[5.0, 5.0]]), np.ones(1, np.float32), PLAIN, 0.0, factor)
        areas.append(int((canvas.snapshot(300, 300)[..., :3].max(axis=2) > 100).sum()))
        discs = vector_discs(canvas.scene, canvas.camera, view)
        assert discs.radii[0] + discs.widths[0] / 2 == pytest.approx(0.5 * factor * canvas.camera.scale, rel=1e-6)
    assert areas[1] / areas[0] == pytest.approx(4.0, rel=0.05)


def test_radii_that_grow_reach_films() -> None:
    class Growing:
        system, lacks, frames = "hard-discs", frozenset(), 0
        count, radii, masses, box, periodic = 3, RADII, RADII, BOX, False
        first_time, last_time, colors = 0.0, np.inf, {}

        def samples(self):  # type: ignore[no-untyped-def]
            yield bouncing([(0, 1)], [1.0], 1.0)

    source, scene = Growing(), Scene()
    colors = FilmColors(source, "cluster")  # type: ignore[arg-type]
    for factor in (1.0, 1.5, 3.0):
        frame = bouncing([(0, 1)], [1.0], 1.0)
        frame.radius_factor = factor
        show_state(scene, source, frame, colors, ViewModel())  # type: ignore[arg-type]
        assert_allclose(scene.radii, RADII * factor)
    assert scene.coloring.by == "speed"  # discs that bounce have no clusters
