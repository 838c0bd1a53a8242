"""What a film follows stays in the middle of its picture, also across a periodic edge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from aggviewer.canvas.camera import Camera
from aggviewer.document.view import ViewModel
from aggviewer.export.film import FilmRun, write_film
from aggviewer.export.follow import Follow, FollowingCamera
from aggviewer.export.spec import FilmSpec
from engine.boundary import Periodic
from engine.errors import InputError
from engine.frame import Frame
from tests.export.conftest import BARE, decoded, middle_of_light

SIDE = 20.0
SPEC = FilmSpec(size=(240, 180), fps=10.0, speed=1.0, start=0.0, end=3.0, quality="high", over=BARE)
NEAR = Camera.showing(0.0, 0.0, 12.0, 9.0, (240.0, 180.0))
BOX = np.array([SIDE, SIDE])


class Crossing:
    """One disc of radius 1 that flies through the right edge of a periodic box at t = 1, and up through no edge."""

    count, frames, system = 1, 0, "aggregation"
    lacks: frozenset[str] = frozenset()
    first_time, last_time = 0.0, np.inf

    def __init__(self, periodic: Periodic | bool = True) -> None:
        self.radii, self.masses, self.box = np.array([1.0]), np.ones(1), BOX
        self.periodic = Periodic.of(periodic, 2)

    def place(self, time: float) -> tuple[float, float]:
        return (16.0 + 4.0 * time) % SIDE, 8.0 + time

    def frame_at(self, time: float, cancelled: object = None) -> Frame:
        x, y = self.place(time)
        return state([(x, y)], [0], time)

    def samples(self) -> Iterator[Frame]:
        yield self.frame_at(0.0)


def state(places: list[tuple[float, float]], cluster: list[int], time: float = 0.0) -> Frame:
    count = len(places)
    fields = {"cluster": np.array(cluster, np.int32)}
    return Frame(time, np.array(places), np.ones((count, 2)), fields, len(set(cluster)), 1.0)


@pytest.mark.parametrize(
    "periodic", [Periodic.of(True, 2), Periodic((True, False))], ids=lambda periodic: periodic.title
)
@pytest.mark.parametrize(("suffix", "fitted"), [(".gif", False), ("", True)])
def test_a_disc_stays_in_the_middle_across_a_periodic_edge(
    tmp_path: Path, view: ViewModel, suffix: str, fitted: bool, periodic: Periodic
) -> None:
    path = tmp_path / f"film{suffix}"
    write_film(path, replace(SPEC, follow=Follow((0,), fitted=fitted)), [FilmRun(Crossing(periodic))], view, NEAR)
    images = decoded(path)[0]
    assert len(images) == 31
    for number, image in enumerate(images):
        assert image[88:92, 116:124].sum(axis=2).max() > 90, number  # the disc is there
        x = Crossing().place(number / 10.0)[0]
        if min(x, SIDE - x) > 1.2:  # at the edge itself a part of it is on the other side
            assert middle_of_light(image) == pytest.approx((120.0, 90.0), abs=1.0), number


def looking(follow: Follow, *frames: Frame, periodic: Periodic | bool = True, fps: float = 20.0) -> list[Camera]:
    following = FollowingCamera(follow, NEAR, fps)
    return [following.looking(frame, np.ones(len(frame.positions)), BOX, periodic) for frame in frames]


def test_the_middle_of_a_selection_lies_between_its_discs_also_across_an_edge() -> None:
    (camera,) = looking(Follow((0, 1), fitted=True), state([(19.0, 3.0), (1.0, 5.0), (10.0, 10.0)], [0, 1, 2]))
    assert camera.x % SIDE == pytest.approx(0.0, abs=1e-9) or camera.x == pytest.approx(SIDE)
    assert camera.y == pytest.approx(4.0)
    (walls,) = looking(Follow((0, 1)), state([(19.0, 3.0), (1.0, 5.0), (10.0, 10.0)], [0, 1, 2]), periodic=False)
    assert_allclose((walls.x, walls.y), (10.0, 4.0), atol=1e-9)
    assert walls.scale == NEAR.scale  # the size of the view is kept
    corner = state([(19.0, 19.0), (1.0, 1.0)], [0, 1])
    (mixed,) = looking(Follow((0, 1)), corner, periodic=Periodic((False, True)))
    assert_allclose((mixed.x, mixed.y % SIDE), (10.0, 0.0), atol=1e-9)
    far = [(2.0, 2.0), (18.0, 18.0)]
    (fitted,) = looking(Follow((0, 1), fitted=True), state(far, [0, 1]), periodic=False)
    for x, y in far:
        column, row = fitted.to_pixel(x, y)
        assert 0.0 < column < fitted.width
        assert 0.0 < row < fitted.height


def test_a_cluster_takes_in_what_joins_it_smoothly() -> None:
    apart = state([(5.0, 5.0), (9.0, 5.0), (9.0, 9.0)], [0, 1, 1])
    joined = state([(5.0, 5.0), (9.0, 5.0), (9.0, 9.0)], [1, 1, 1])
    cameras = looking(Follow((0,), cluster=True), apart, apart, *[joined] * 60, periodic=False)
    places = np.array([(camera.x, camera.y) for camera in cameras])
    assert_allclose(places[:2], [[5.0, 5.0]] * 2)
    assert_allclose(places[2], (5.0, 5.0), atol=1e-9)  # the merge itself moves nothing
    steps = np.hypot(*np.diff(places, axis=0).T)
    assert steps.max() < 0.7
    assert_allclose(places[-1], (23.0 / 3.0, 19.0 / 3.0), atol=1e-3)
    # what joins from then on moves the view from where it is
    alone = looking(Follow((0,)), apart, joined, periodic=False)
    assert_allclose([(camera.x, camera.y) for camera in alone], [(5.0, 5.0)] * 2)


def test_a_disc_without_a_place_leaves_the_view() -> None:
    cameras = looking(Follow((0,)), state([(5.0, 5.0)], [0]), state([(np.nan, 5.0)], [0]))
    assert cameras[0] == cameras[1]


def test_texts_name_what_a_film_follows() -> None:
    assert Follow.of_text("17") == Follow((17,), fitted=True)
    assert Follow.of_text("3, 5,10-12") == Follow((3, 5, 10, 11, 12), fitted=True)
    assert Follow.of_text("cluster:4", fitted=False) == Follow((4,), cluster=True)
    for text in ("x", "-1", "cluster:", "cluster:1-2", "cluster:1,2", "1.5"):
        with pytest.raises(InputError, match="choose what to follow: a disc such as 17"):
            Follow.of_text(text)


def test_discs_that_are_not_there_are_refused(tmp_path: Path, view: ViewModel) -> None:
    with pytest.raises(InputError, match=r"there is no 1 to follow: the numbers are 0 to 0"):
        write_film(tmp_path / "film.mp4", replace(SPEC, follow=Follow((1,))), [FilmRun(Crossing())], view)
    with pytest.raises(InputError, match="select one"):
        Follow(())
    assert list(tmp_path.iterdir()) == []


def test_the_middle_of_unequal_discs_is_their_centre_of_mass() -> None:
    """Masses are as areas are: 1 at x = 2, 4 at x = 7; across an edge too."""
    radii = np.array([1.0, 2.0])
    for shift, periodic in ((0.0, False), (0.0, True), (15.0, True)):
        looking = FollowingCamera(Follow((0, 1)), NEAR, fps=10.0)
        places = [((2.0 + shift) % SIDE, 5.0), ((7.0 + shift) % SIDE, 10.0)]
        camera = looking.looking(state(places, [0, 1]), radii, BOX, periodic)
        assert (camera.x, camera.y) == pytest.approx(((6.0 + shift) % SIDE, 9.0))
