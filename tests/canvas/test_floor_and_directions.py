"""What stands around discs and spheres: floor, axes and the arrow g, in windows, pictures, films and vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QRectF

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.directions import directions
from aggviewer.canvas.floor import floor_of, lines_before, lines_behind
from aggviewer.canvas.layers.layer import LayerInput
from aggviewer.canvas.layers.primitives import Polygons, Text
from aggviewer.canvas.layers.registry import of_frame
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.scene import GRAVITY, Scene
from aggviewer.canvas.turning import along
from aggviewer.document.view import ViewModel
from aggviewer.export.pictures import write_picture
from engine.frame import Frame, FrameDiscs
from engine.plotting.projection import first_turn, upright
from engine.scenario import Scenario

from .conftest import PLAIN
from .drawing import Noted

BOX = np.array([4.0, 4.0, 4.0])
DOWN = (0.0, 0.0, -1.0)
BARE = {"show_legend": False, "show_scale_bar": False, "show_time": False}


def scene_of(gravity: tuple[float, ...] = DOWN, dimensions: int = 3) -> Scene:
    scene = Scene()
    scene.replace_discs(np.full(1, 0.4), BOX[:dimensions], False)
    place = np.full((1, dimensions), 2.0)
    scene.set_frame(place, np.ones(1, np.float32), PLAIN, 0.0, layers={GRAVITY: gravity} if gravity else {})
    return scene


def words(scene: Scene, view: ViewModel, size: tuple[float, float] = (700.0, 560.0)) -> dict[str, tuple[float, float]]:
    """What is written in the corner with the directions, and where each word begins."""
    painter, noted = Painter(view), Noted()
    painter.overlays.draw(noted, scene, Camera.fitting(scene.sides, size, view=view))
    return {flat.text: (flat.x, flat.y) for flat in noted.flats if isinstance(flat, Text)}


@pytest.mark.parametrize(("axis", "sign"), [(axis, sign) for axis in range(3) for sign in (-1.0, 1.0)])
def test_the_floor_is_where_gravity_points_to_and_behind_spheres_when_seen_from_above(axis: int, sign: float) -> None:
    gravity = tuple((sign * np.eye(3)[axis]).tolist())
    scene, view = scene_of(gravity), ViewModel(turn=first_turn(gravity))
    camera = Camera.fitting(scene.sides, (300.0, 300.0), view=view)
    floor = floor_of(scene, camera, view)
    assert floor is not None
    assert set(floor.lines[..., axis].ravel()) == {4.0 if sign > 0 else 0.0}
    assert floor.is_behind
    up = (-gravity[0], -gravity[1], -gravity[2])
    view.turn = upright(view.turn, up, 0.3, -1.0)  # from below
    below = Camera.fitting(scene.sides, (300.0, 300.0), view=view)
    seen = floor_of(scene, below, view)
    assert seen is not None
    assert not seen.is_behind
    pale, strong = (
        min(color.alpha for _, color in lines(scene, of, view))
        for lines, of in ((lines_before, below), (lines_behind, camera))
    )
    assert pale < 0.5 * strong, "from below it lies over the spheres"


def test_there_is_no_floor_in_the_plane_without_gravity_and_when_it_is_switched_off() -> None:
    for scene, view in (
        (scene_of((0.0, -1.0), 2), ViewModel()),
        (scene_of(()), ViewModel()),
        (scene_of(), ViewModel(show_gravity=False)),
    ):
        assert floor_of(scene, Camera.fitting(scene.sides, (300.0, 300.0), view=view), view) is None


def test_a_sphere_hides_the_floor_behind_it() -> None:
    scene = scene_of()
    scene.set_frame(np.full((1, 3), 2.0), np.ones(1, np.float32), PLAIN, 0.0, layers=scene.of_frame)
    with_floor, without = (
        Painter(ViewModel(show_axes=False, show_gravity=on, background="black", turn=along("z", DOWN), **BARE))
        for on in (True, False)
    )
    camera = with_floor.fitting(scene.sides, (400, 400))
    one, other = (painter.paint(scene, camera).astype(int) for painter in (with_floor, without))
    differ = (np.abs(one - other) > 8).any(axis=2)
    assert differ.any()
    assert not differ[180:220, 180:220].any(), "the sphere is in the middle"


def test_axes_and_gravity_are_named_in_a_corner_and_follow_the_turn() -> None:
    scene, view = scene_of(), ViewModel(turn=along("x", DOWN), **BARE)
    found = words(scene, view)
    assert set(found) == {"x", "y", "z", "g"}
    assert found["z"][1] < found["g"][1], "z points up and g down"
    assert found["y"][0] > found["z"][0], "y points to the right, seen along x"
    view.turn = along("z", DOWN)
    assert words(scene, view)["x"][0] > words(scene, view)["y"][0]
    view.show_axes = False
    assert set(words(scene, view)) == {"g"}
    view.show_gravity, view.show_axes = False, True
    assert set(words(scene, view)) == {"x", "y", "z"}
    assert set(words(scene_of(()), view)) == {"x", "y", "z"}
    assert words(scene_of((), 2), view) == {}
    assert set(words(scene_of((0.0, -1.0), 2), ViewModel(**BARE))) == {"g"}, "in the plane g is there, too"


def test_letters_of_the_axes_lie_on_nothing_else() -> None:
    """In each turn no letter is on another one, and the corner with the axes is not on the legend."""
    rng, scene = np.random.default_rng(1), scene_of()
    for _ in range(60):
        view = ViewModel(turn=tuple(rng.normal(size=4).tolist()), **BARE)
        places = list(words(scene, view).values())
        for number, one in enumerate(places):
            for other in places[:number]:
                assert max(abs(one[0] - other[0]) / 5.0, abs(one[1] - other[1]) / 8.0) > 1.0
    view, key = ViewModel(), Painter(ViewModel()).overlays
    for size in ((700.0, 560.0), (300.0, 240.0), (160.0, 120.0)):
        camera = Camera.fitting(scene.sides, size, view=view)
        noted = Noted()
        key.draw(noted, scene, camera)
        letters = [flat for flat in noted.flats if isinstance(flat, Text) and flat.text in "xyzg"]
        for card in key.cards(scene, camera):
            assert not any(card.rect.contains(letter.x, letter.y) for letter in letters)


def test_pictures_and_vectors_have_floor_axes_and_gravity(tmp_path: Path) -> None:
    scene, view = scene_of(), ViewModel(**BARE)
    counts = []
    for on in (True, False):
        view.show_gravity = view.show_axes = on
        write_picture(tmp_path / f"{on}.svg", scene, None, view, (400, 300))
        counts.append((tmp_path / f"{on}.svg").read_text().count("<path"))
    assert counts[0] > counts[1]
    image = Painter(ViewModel(**BARE)).paint(scene, Camera.fitting(scene.sides, (400.0, 300.0)))
    assert (np.abs(image[:80, -90:, :3].astype(int) - image[0, 0, :3]) > 40).any(), "the axes"


def test_layers_take_gravity_from_what_is_simulated() -> None:
    values = {"system": "hard-discs", "box.boundary": "walls", "hard_discs.gravity": [0.5, -1.0]}
    for scenario, gravity in ((Scenario().with_values(values), (0.5, -1.0)), (Scenario(), None)):
        frame = Frame.empty(1)
        frame.discs = FrameDiscs(np.ones(1), np.ones(1), np.ones(2), False, scenario)
        given = LayerInput(frame, np.ones(1), np.ones(2), False)
        for view in (ViewModel(), ViewModel(show_gravity=False)):  # it turns the box even if no arrow is shown
            assert of_frame(given, view).get(GRAVITY) == gravity


def test_directions_go_to_another_corner_and_are_left_out_where_there_is_no_room() -> None:
    scene, view = scene_of(), ViewModel()
    painter = Painter(view)
    camera = Camera.fitting(scene.sides, (700.0, 560.0), view=view)
    key = painter.overlays._key
    first = list(directions(scene, camera, view, key, [], QRectF()))
    left = [flat for flat in first if isinstance(flat, Text)]
    assert min(flat.x for flat in left) > 350.0
    assert not any(isinstance(flat, Polygons) for flat in first), "no ground cuts a piece out of the box"
    corners = [QRectF(600.0, 0.0, 100.0, 100.0), QRectF(0.0, 0.0, 100.0, 100.0)]
    moved = [flat for flat in directions(scene, camera, view, key, corners[:1], QRectF()) if isinstance(flat, Text)]
    assert max(flat.x for flat in moved) < 350.0
    everywhere = [QRectF(0.0, 0.0, 700.0, 560.0)]
    assert list(directions(scene, camera, view, key, everywhere, QRectF())) == []


def test_in_the_plane_the_arrow_lies_beside_the_box() -> None:
    scene = scene_of((0.0, -1.0), 2)
    for size in ((700.0, 560.0), (500.0, 600.0)):
        view, noted = ViewModel(), Noted()
        painter = Painter(view)
        camera = painter.fitting(scene.sides, (int(size[0]), int(size[1])))
        painter.overlays.draw(noted, scene, camera)
        (letter,) = (flat for flat in noted.flats if isinstance(flat, Text) and flat.text == "g")
        (left, bottom), (right, top) = camera.to_pixel(0.0, 0.0), camera.to_pixel(*scene.sides)
        assert not (left - 10.0 < letter.x < right and top < letter.y < bottom + 10.0), size
