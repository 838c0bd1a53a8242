"""Collisions that light up, and radii that grow, in the picture."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pytestqt.qtbot import QtBot

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.flashes import flashes_of
from aggviewer.canvas.layers.layer import LayerInput
from aggviewer.canvas.layers.primitives import Text
from aggviewer.canvas.layers.regions import RemarkLayer
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from engine.boundary import Periodic
from engine.frame import Frame, Impacts, Remark

from .conftest import PLAIN, MakeCanvas, grabbed
from .drawing import BOTH, Noted

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


PLACES = {
    # impacts and their times, when it is, what is changed in the frame, and the points, strengths and radii of flashes
    "where the discs have touched": ([(0, 1)], [1.0], 1.0, {}, [(5.0, 4.0)], [1.0], [0.5]),
    "it fades": ([(0, 1)], [1.0], 1.3, {}, [(5.0, 4.0)], [0.25], [0.5]),
    "beside where a disc is that has met another one since": (
        *([(0, 1)], [1.0], 1.2, {"since": 1.1}, [(4.8, 4.0)], [0.5], [0.5]),
    ),
    "between discs that touch over the edge, as large as the smaller one": (
        *([(2, 1)], [1.0], 1.0, {1: (0.6, 1.0)}, [(0.1, 1.0)], [1.0], [0.3]),
    ),
    "at a wall": ([(2, -1)], [1.0], 1.0, {2: (9.7, 1.0)}, [(10.0, 1.0)], [1.0], [0.3]),
    "farther out where discs have grown": (
        *([(2, -1)], [1.0], 1.0, {2: (9.4, 1.0), "grown": 2.0}, [(10.0, 1.0)], [1.0], [0.6]),
    ),
    "where the frame says": (
        *([(0, 1), (2, -1)], [1.0, 1.1], 1.2, {"points": [(7.0, 3.0), (10.0, 1.0)]}),
        *([(7.0, 3.0), (10.0, 1.0)], [0.5, 0.75], [0.5, 0.3]),
    ),
}


@pytest.mark.parametrize("case", PLACES.values(), ids=PLACES)
def test_a_flash_has_its_place_strength_and_radius(case: tuple[Any, ...]) -> None:
    pairs, times, now, changes, points, strength, radii = case
    frame = bouncing(pairs, times, now)
    for disc in {0, 1, 2} & {*changes}:
        frame.positions[disc] = changes[disc]
    frame.radius_factor = changes.get("grown", 1.0)
    frame.fields["last_contact"][0] = changes.get("since", 1.0)
    if "points" in changes:
        frame.impacts = Impacts(np.array(times), np.array(pairs, np.int32), np.array(changes["points"]))
    found = flashes_of(frame, RADII, BOX, 1 in changes, 0.4)  # disc 1 is moved over the edge of a periodic box
    assert found is not None
    assert_allclose(found.points, points, atol=1e-12)
    assert_allclose(found.strength, strength, atol=1e-12)
    assert_allclose(found.radii, radii)


def test_in_a_box_with_walls_along_one_axis_a_flash_is_at_a_wall_or_across_a_periodic_edge() -> None:
    frame = bouncing([(2, -1), (2, 1)], [1.0, 1.0], 1.0)
    frame.positions[1:] = [(0.6, 7.8), (9.8, 7.8)]  # nearer to the periodic edge than to the wall
    found = flashes_of(frame, RADII, BOX, Periodic((True, False)), 0.4)
    assert found is not None
    assert_allclose(found.points, [(9.8, 8.1), (0.1, 7.8)], atol=1e-12)


def test_an_event_of_this_moment_is_seen_whatever_the_pace() -> None:
    found = flashes_of(bouncing([(0, 2), (0, 1)], [0.9, 1.0 + 1e-16], 1.0), RADII, BOX, False, 0.0)
    assert found is not None
    assert_allclose(found.points, [[5.0, 4.0]], atol=1e-12)


def test_old_collisions_and_those_to_come_are_dark() -> None:
    assert flashes_of(bouncing([(0, 1)], [1.0], 1.5), RADII, BOX, False, 0.4) is None
    assert flashes_of(bouncing([(0, 1)], [1.1], 1.0), RADII, BOX, False, 0.4) is None
    assert flashes_of(bouncing([(0, 1)], [1.0], 1.01), RADII, BOX, False, 0.0) is None
    frame = bouncing([(0, 1)], [1.0], 1.0)
    frame.impacts = None
    assert flashes_of(frame, RADII, BOX, False, 0.4) is None


def test_a_remark_is_written_in_the_picture_of_a_window_and_its_rings_are_as_large_as_the_discs(
    view: ViewModel,
) -> None:
    frame = bouncing([], [], 1.0)
    frame.remark, frame.radius_factor = Remark("the clock stands", np.array([2], np.int32)), 2.0
    found = RemarkLayer().take(LayerInput(frame, RADII, BOX, False))
    assert found is not None
    assert_allclose(found.points, frame.positions[[2]])
    assert_allclose(found.radii, [0.6])
    scene, noted = Scene(), Noted()
    scene.replace_discs(RADII, BOX, False)
    scene.set_frame(frame.positions, np.zeros(3, np.float32), PLAIN, 0.0, layers={"remark": found})
    overlays = Painter(view).overlays
    overlays.in_window = True
    overlays.draw(noted, scene, Camera.fitting((10.0, 8.0), (400, 320)))
    texts = [one.text for one in (*noted.primitives, *noted.flats) if isinstance(one, Text)]
    assert "the clock stands" in texts


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
