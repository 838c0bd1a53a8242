"""A box under gravity is turned about the vertical, whatever its axis."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggviewer.canvas.camera import Camera, LegendRoom, Viewpoint
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.scene import GRAVITY, Scene
from aggviewer.canvas.turning import ALONG, along, dragged, turned_around
from aggviewer.document.view import ViewModel
from engine.plotting.projection import FROM_ABOVE, axes_of, checked_turn, first_turn, times, upright, vertical_of

from .conftest import PLAIN

SIZE = (700.0, 560.0)
number = st.floats(-1.0, 1.0)
turns = st.tuples(number, number, number, number).filter(lambda q: np.hypot.reduce(q) > 0.1).map(checked_turn)
pulls = st.tuples(number, number, number).filter(lambda g: np.hypot.reduce(g) > 1e-3)
drags = st.lists(st.tuples(st.floats(-900.0, 900.0), st.floats(-900.0, 900.0)), min_size=1, max_size=12)
AXES = [sign * np.eye(3)[axis] for axis in range(3) for sign in (-1.0, 1.0)]


def scene_with(gravity: tuple[float, ...]) -> Scene:
    scene = Scene()
    scene.replace_discs(np.full(1, 0.5), (3.0, 4.0, 5.0), False)
    scene.set_frame(np.ones((1, 3)), np.ones(1, np.float32), PLAIN, 0.0, layers={GRAVITY: gravity} if gravity else {})
    return scene


@given(turns, pulls, drags)
def test_the_vertical_stays_vertical_in_every_drag(
    turn: tuple[float, float, float, float], gravity: tuple[float, float, float], moves: list[tuple[float, float]]
) -> None:
    view, scene = ViewModel(turn=turn), scene_with(gravity)
    viewpoint = Viewpoint(scene, lambda: SIZE, lambda: None, view=view)
    above, height = np.array(vertical_of(gravity)), -1.0
    for dx, dy in moves:
        view.turn = viewpoint.turned((350.0, 280.0), (350.0 + dx, 280.0 + dy))
        camera = Camera.fitting(scene.sides, SIZE, view=view)
        foot, top = camera.seen(np.stack([camera.middle, camera.middle + above]))[0]
        assert abs(top[0] - foot[0]) < 1e-9 * np.hypot(*SIZE)
        before, height = height, float(axes_of(view.turn)[1] @ above)
        assert height >= -1e-9 or before < -1e-9, "nothing is turned upside down"


def test_a_drag_to_the_side_turns_about_the_vertical_and_one_upwards_ends_at_the_pole() -> None:
    up = (0.0, 0.0, 1.0)
    before = axes_of(FROM_ABOVE)
    aside = axes_of(dragged(FROM_ABOVE, (0.0, 0.0), (100.0, 0.0), SIZE, up))
    assert aside[:, 2] == pytest.approx(before[:, 2])
    angle = np.arctan2(aside[0, 1], aside[0, 0]) - np.arctan2(before[0, 1], before[0, 0])
    assert angle == pytest.approx(-100.0 / (0.45 * SIZE[1]))
    for down, height in ((5000.0, 1.0), (-5000.0, -1.0)):
        seen = axes_of(dragged(FROM_ABOVE, (0.0, 0.0), (0.0, down), SIZE, up))
        assert seen[2] @ up == pytest.approx(height)
        assert seen[0] == pytest.approx(before[0]), "the pole is reached without a twist"
    point = before[2]  # in front, in the middle
    moved = axes_of(dragged(FROM_ABOVE, (350.0, 280.0), (360.0, 285.0), SIZE, up)) @ point
    assert moved[0] > 0.0 > moved[1], "what is in front follows the hand"


def test_without_gravity_or_with_a_modifier_a_drag_turns_freely() -> None:
    view = ViewModel()
    start, end = (350.0, 280.0), (420.0, 330.0)
    free = dragged(view.turn, start, end, SIZE)
    for gravity, modifier, expected in (
        ((), False, True),
        ((0.0, 0.0, -1.0), True, True),
        ((0.0, 0.0, -1.0), False, False),
    ):
        viewpoint = Viewpoint(scene_with(gravity), lambda: SIZE, lambda: None, view=view)
        assert (viewpoint.turned(start, end, free=modifier) == free) == expected


def test_a_box_keeps_its_size_while_it_is_turned_and_is_then_fitted_without_a_jump() -> None:
    view, scene = ViewModel(), scene_with((0.0, 0.0, -1.0))
    viewpoint = Viewpoint(scene, lambda: SIZE, lambda: None, lambda: LegendRoom(180.0, 60.0), view)
    middle = np.array(scene.sides) / 2
    for start in ALONG.values():  # a front view is so large that it shrinks a little
        view.turn = start
        viewpoint.fit()
        at = viewpoint.camera.seen(middle)[0]
        for _ in range(20):
            view.turn = viewpoint.turned((350.0, 280.0), (355.0, 300.0), free=True)
            viewpoint.follow_view()
            over = viewpoint.camera.scale / Camera.fitting(scene.sides, SIZE, LegendRoom(180.0, 60.0), view).scale
            assert over < 1.11
            assert viewpoint.camera.seen(middle)[0] == pytest.approx(at)
    view.turn = FROM_ABOVE
    viewpoint.fit()
    scale = viewpoint.camera.scale
    at = viewpoint.camera.seen(middle)[0]
    for _ in range(20):
        view.turn = viewpoint.turned((350.0, 280.0), (355.0, 300.0))
        viewpoint.follow_view()
        viewpoint.refit()  # as the canvas does
        assert viewpoint.camera.scale == scale
        assert viewpoint.camera.seen(middle)[0] == pytest.approx(at)
    fit = Camera.fitting(scene.sides, SIZE, LegendRoom(180.0, 60.0), view)
    assert abs(fit.scale / scale - 1.0) > 0.05
    sizes = [scale]
    while viewpoint.turning:
        viewpoint.settle()
        sizes.append(viewpoint.camera.scale)
    assert 5 < len(sizes) < 40
    assert np.abs(np.diff(np.log(sizes))).max() < 0.4 * abs(np.log(fit.scale / scale))
    assert viewpoint.camera == fit
    assert viewpoint.fitted


def test_scale_bar_and_legend_stay_where_they_are_while_a_box_is_turned(qapp: object) -> None:
    turns = [ALONG["x"], ALONG["z"], FROM_ABOVE, checked_turn((0.3, 0.9, -0.2, 0.4))]
    for sides, size in product(((3.0, 4.0, 5.0), (9.0, 9.0, 2.0), (2.0, 2.0, 9.0)), (SIZE, (1000.0, 560.0))):
        scene = scene_with((0.0, 0.0, -1.0))
        scene.box = np.array(sides)
        found = set()
        for turn in turns:
            painter = Painter(ViewModel(turn=turn))
            cards = painter.overlays.cards(scene, painter.fitting(sides, (round(size[0]), round(size[1]))))
            found.add(tuple(card.rect.getRect()[:2] for card in cards))
        assert len(found) == 1, (sides, size, found)


@given(pulls)
def test_at_first_gravity_points_down_and_the_box_is_seen_from_above(gravity: tuple[float, float, float]) -> None:
    up, down = vertical_of(gravity), axes_of(first_turn(gravity)) @ np.array(gravity)
    assert up is not None
    assert down[0] == pytest.approx(0.0, abs=1e-9)
    assert down[1] < 0.0
    assert axes_of(first_turn(gravity))[2] @ np.array(up) == pytest.approx(axes_of(FROM_ABOVE)[2, 2])


def test_the_first_view_of_a_box_on_the_floor_is_that_of_any_box() -> None:
    for gravity in ((), (0.0, -1.0), (0.0, 0.0, -9.81)):
        assert first_turn(gravity) == FROM_ABOVE
        assert {axis: along(axis, gravity) for axis in ALONG} == ALONG


@pytest.mark.parametrize("gravity", AXES, ids=str)
@pytest.mark.parametrize("axis", "xyz")
def test_a_view_along_an_axis_looks_there_and_has_gravity_downwards(axis: str, gravity: np.ndarray) -> None:
    axes, usual = axes_of(along(axis, tuple(gravity))), axes_of(ALONG[axis])
    assert axes[2] == pytest.approx(usual[2])
    if abs(usual[2] @ gravity) < 0.5:
        assert axes[1] @ gravity == pytest.approx(-1.0)


@given(turns, pulls, st.floats(-720.0, 720.0))
def test_a_film_turns_the_box_about_the_vertical(
    turn: tuple[float, float, float, float], gravity: tuple[float, float, float], angle: float
) -> None:
    up = vertical_of(gravity)
    assert up is not None
    assert axes_of(turned_around(turn, angle, up)) @ up == pytest.approx(axes_of(turn) @ up, abs=1e-9)
    assert axes_of(times(turned_around(turn, 90.0, up), (1.0, 0.0, 0.0, 0.0))) == pytest.approx(
        axes_of(turned_around(turned_around(turn, 45.0, up), 45.0, up)), abs=1e-9
    )


@given(turns, pulls)
def test_making_a_view_upright_keeps_the_line_of_sight(
    turn: tuple[float, float, float, float], gravity: tuple[float, float, float]
) -> None:
    up = vertical_of(gravity)
    assert up is not None
    if abs(axes_of(turn)[2] @ np.array(up)) < 0.999:
        assert axes_of(upright(turn, up))[2] == pytest.approx(axes_of(turn)[2], abs=1e-6)
