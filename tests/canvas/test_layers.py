"""Layers of the picture: what follows from one that is registered, and the arrows of velocities."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydantic import ValidationError
from PyQt6.QtGui import QFont
from pytestqt.logging import _QtMessageCapture
from pytestqt.qtbot import QtBot

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers import registry
from aggviewer.canvas.layers.layer import Layer, LayerInput, Style
from aggviewer.canvas.layers.primitives import Arrows, Circles, Color, Look, Primitive, Stroke
from aggviewer.canvas.layers.velocities import VelocityLayer, velocities_of
from aggviewer.canvas.legend import Entry, Key, line_sample
from aggviewer.canvas.overlays import Overlays
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.export.pictures import write_picture
from aggviewer.systems.base import RunningSystem
from aggviewer.systems.registry import view_of
from aggviewer.widgets.command import Command
from aggviewer.window.view import layer_groups
from engine import plugins
from engine.boundary import Periodic
from engine.errors import InputError
from engine.frame import Frame

from .conftest import PLAIN, MakeCanvas, grabbed

BOX = np.array([8.0, 6.0])
RADII = np.full(4, 0.5)
POSITIONS = np.array([[1.0, 3.0], [2.0, 3.0], [6.0, 1.0], [7.8, 5.0]])
PINK = Color(255, 0, 200)


def a_frame(cluster: tuple[int, ...] = (0, 1, 2, 3)) -> Frame:
    made = Frame.empty(4)
    made.positions[:] = POSITIONS
    made.velocities[:] = [[1.0, 0.0], [0.0, 1.0], [-2.0, 0.0], [0.5, 0.5]]
    made.fields["cluster"] = np.array(cluster, np.int32)
    return made


class Spots(Layer):
    """A pink disc where the middle of all discs is."""

    name = "spots"
    label = "Middle of all discs"
    tip = "A spot in the middle"
    keys = ("F9",)

    def available(self, frame: Frame | None) -> bool:
        return frame is not None

    def take(self, given: LayerInput) -> np.ndarray:
        return given.frame.positions.mean(axis=0)[None]

    def marks(self, data: np.ndarray, style: Style) -> Iterator[Primitive]:
        radius = np.array([0.4 * style.camera.scale])
        yield Circles(data, radius, float(radius[0]), (Look(fill=PINK),))

    def legend(self, data: np.ndarray | None, style: Style, key: Key) -> list[Entry]:
        return [key.rows([(line_sample(Stroke(PINK, 3.0)), "middle")])]


class SpotsBelow(Spots):
    """The same below the flashes."""

    below = "flashes"


@pytest.fixture
def spots(monkeypatch: pytest.MonkeyPatch) -> Layer:
    monkeypatch.setattr(registry.LAYERS, "parts", registry.LAYERS.parts)
    return registry.register(SpotsBelow())


def filled(view: ViewModel, frame: Frame, periodic: bool = True) -> Scene:
    scene = Scene()
    scene.replace_discs(RADII, BOX, periodic)
    layers = registry.of_frame(LayerInput(frame, RADII, BOX, periodic), view)
    scene.set_frame(frame.positions, np.zeros(4, np.float32), PLAIN, 1.0, layers=layers)
    return scene


def pink_in(image: np.ndarray) -> np.ndarray:
    found: np.ndarray = (np.abs(image[..., :3].astype(int) - (255, 0, 200)) < 3).all(axis=2)
    return found


def test_a_layer_that_is_registered_is_in_pictures_vectors_and_the_legend(spots: Layer, tmp_path: Path) -> None:
    camera = Camera.fitting((8.0, 6.0), (800.0, 600.0))
    own = registry.LAYERS.parts
    assert [layer.name for layer in registry.layers() if layer in own] == [
        *(
            "gravity",
            "rims",
            "spokes",
            "density",
            "boxes",
            "hulls",
            "voronoi",
            "forces",
            "contacts",
            "tracks",
            "velocities",
        ),
        *("spots", "flashes", "path", "selection", "remark", "measures", "throw"),
    ]
    for on in (False, True):
        view = ViewModel()
        spots.show(view, on)
        assert view.layers == (("forces", "spots") if on else ("forces",))
        scene = filled(view, a_frame())
        assert (scene.data("spots") is not None) == on
        image = Painter(view).paint(scene, camera)
        x, y = camera.to_pixel(*POSITIONS.mean(axis=0))
        assert pink_in(image)[round(y), round(x)] == on
        assert pink_in(image)[480:].any() == on, "the legend"
        for suffix in (".svg", ".pdf"):
            write_picture(tmp_path / f"t{suffix}", scene, camera, view, (800, 600))
        assert ("#ff00c8" in (tmp_path / "t.svg").read_text()) == on
    with pytest.raises(ValueError, match="there is a layer spots already"):
        registry.register(Spots())


def test_a_layer_that_is_registered_has_a_command_with_its_key(spots: Layer) -> None:
    view, frame = ViewModel(), a_frame()
    shown = [None]
    groups = layer_groups(view, RunningSystem(view_of("aggregation")), lambda: cast("object", shown[0]))  # type: ignore[arg-type, return-value]
    commands = {entry.id: entry for group in groups for entry in group.make() if isinstance(entry, Command)}
    command = commands["view.show_spots"]
    assert (command.text, command.keys, command.tooltip) == ("Middle of all discs", ("F9",), "A spot in the middle")
    assert command.menu is None  # the list of layers has it
    assert command.checked is not None
    assert command.available is not None
    assert not command.available()
    shown[0] = SimpleNamespace(frame=frame)  # type: ignore[call-overload]
    assert command.available()
    for on in (True, False):
        command.run()
        assert command.checked() == on
    assert {"view.show_forces", "view.flash_contacts", "view.show_velocities"} <= set(commands)


def test_a_layer_of_a_plug_in_is_painted_over_the_others(tmp_path: Path) -> None:
    path = tmp_path / "spots.py"
    path.write_text(
        "PLUG_POINTS = 1\n\n\ndef make():\n    from tests.canvas.test_layers import Spots\n    return Spots()\n\n\n"
        "def fails():\n    raise ValueError('no')\n\n\n"
        "def register(points):\n    points.layer('spots', make)\n    points.layer('other', fails)\n"
    )
    assert plugins.load_file(path).problem == ""
    assert registry.layers()[-1].name == "spots"
    assert [known.problem for known in plugins.known()] == ["its layer fails: ValueError: no"]


def test_an_expensive_layer_that_is_off_is_not_computed(spots: Layer) -> None:
    frame = a_frame()
    assert registry.of_frame(LayerInput(frame, RADII, BOX, True), ViewModel()) == {}
    both = ViewModel(layers=("spots", "velocities", "of a plug-in that is not there"))
    assert set(registry.of_frame(LayerInput(frame, RADII, BOX, True), both)) == {"spots", "velocities"}


class Broken(Layer):
    """Fails in one of its parts, and counts how often it was asked for that."""

    name = "broken"
    label = "Broken layer"

    def __init__(self, part: str) -> None:
        self.part = part
        self.asked = 0

    def _at(self, part: str) -> None:
        if part == self.part:
            self.asked += 1
            raise ValueError("no such thing")

    def take(self, given: LayerInput) -> np.ndarray:
        self._at("take")
        return given.frame.positions

    def marks(self, data: np.ndarray, style: Style) -> Iterator[Primitive]:
        yield Circles(data, np.ones(len(data)), 1.0, (Look(fill=PINK),))
        self._at("marks")
        if self.part == "primitives":
            self.asked += 1
            yield Circles(data[:, 0], np.ones(1), 1.0, (Look(fill=PINK),))

    def legend(self, data: np.ndarray | None, style: Style, key: Key) -> list[Entry]:
        self._at("legend")
        return [Entry(40.0, 10.0, lambda rect: self._at("entry") or ())]


@pytest.fixture
def broken(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Broken:
    monkeypatch.setattr(registry.LAYERS, "parts", registry.layers())
    layer = Broken(request.param)
    registry.register(layer)
    return layer


@pytest.mark.parametrize("broken", ["take", "marks", "primitives", "legend", "entry"], indirect=True)
def test_a_layer_that_fails_is_said_once_and_left_out_until_it_is_switched_on_again(
    qtbot: QtBot, qtlog: _QtMessageCapture, make_canvas: MakeCanvas, view: ViewModel, broken: Broken
) -> None:
    view.layers, view.show_legend = ("broken", "velocities"), True
    canvas, frame = make_canvas("painter", 700, 400), a_frame()
    canvas.replace_discs(RADII, BOX, False)

    def painted(times: int) -> list[str]:
        """What is said in the course of some frames."""
        said = []
        for _ in range(times):
            layers = canvas.layers_of(LayerInput(frame, RADII, BOX, False))
            canvas.show_frame(frame.positions, np.zeros(4, np.float32), PLAIN, 1.0, layers=layers)
            grabbed(qtbot, canvas)
            said += [canvas.notice] if canvas.notice else []
            canvas.notice = ""
        return said

    for number in (1, 2):
        (sentence,) = painted(4)
        assert sentence.startswith("The layer “Broken layer” failed and was switched off: ")
        assert sentence.endswith(". Switch it on to try again.")
        assert broken.asked == number
        assert view.layers == ("velocities",), "it is switched off, and the others stay"
        broken.part = broken.part if number == 1 else ""
        broken.show(view, True)
    assert painted(3) == [], "one that does not fail any more is drawn"
    assert pink_in(grabbed(qtbot, canvas)).any()
    assert not [record.message for record in qtlog.records if "painter" in record.message], "each has been ended"


@pytest.mark.parametrize("broken", ["take", "marks", "legend"], indirect=True)
def test_a_picture_in_a_file_is_not_written_without_a_layer_that_fails(broken: Broken, tmp_path: Path) -> None:
    view, camera = ViewModel(layers=("broken",)), Camera.fitting((8.0, 6.0), (800.0, 600.0))
    for suffix in (".png", ".svg", ".pdf"):
        with pytest.raises(InputError, match="the layer broken fails: ValueError: no such thing"):
            write_picture(tmp_path / f"a{suffix}", filled(view, a_frame()), camera, view, (800, 600))
    assert list(tmp_path.iterdir()) == []


# velocities


def test_lone_discs_have_an_arrow_each() -> None:
    frame = a_frame()
    found = velocities_of(frame, RADII, BOX, True)
    assert found is not None
    assert_allclose(found.feet, POSITIONS)
    assert_allclose(found.velocities, frame.velocities)
    assert found.usual == pytest.approx(np.sqrt((1.0 + 1.0 + 4.0 + 0.5) / 4))
    frame.velocities[:] = 9.0
    assert not (found.velocities == 9.0).any(), "the arrays are its own"


def test_a_cluster_has_one_arrow_at_its_centre_of_mass_with_its_momentum() -> None:
    radii = np.array([0.5, 1.0, 0.5, 0.5])
    found = velocities_of(a_frame((7, 7, 2, 3)), radii, BOX, False)
    assert found is not None
    assert_allclose(found.feet, [[6.0, 1.0], [7.8, 5.0], [1.8, 3.0]])
    assert_allclose(found.velocities, [[-2.0, 0.0], [0.5, 0.5], [0.2, 0.8]])


def test_the_arrow_of_a_cluster_across_a_periodic_edge_stands_in_the_cluster() -> None:
    frame = a_frame((0, 1, 2, 2))
    frame.positions[2:] = [[7.6, 3.0], [0.2, 3.0]]
    found = velocities_of(frame, RADII, BOX, True)
    assert found is not None
    assert_allclose(found.feet[2], [7.9, 3.0], atol=1e-9)
    frame.positions[2:] = [[7.6, 5.8], [0.2, 0.2]]
    found = velocities_of(frame, RADII, BOX, Periodic((True, False)))
    assert found is not None
    assert_allclose(found.feet[2], [7.9, 3.0], atol=1e-9)


@pytest.mark.parametrize("faster", [1.0, 1.05, 40.0])
def test_arrows_are_as_long_as_the_legend_says(faster: float) -> None:
    view, camera = ViewModel(layers=("velocities",)), Camera.fitting((8.0, 6.0), (800.0, 600.0))
    frame = a_frame()
    frame.velocities *= faster
    scene = filled(view, frame)
    data, style = scene.data("velocities"), Style(scene, camera, view)
    (arrows,) = VelocityLayer().marks(data, style)
    assert isinstance(arrows, Arrows)
    lengths = np.hypot(*(arrows.segments[:, 1] - arrows.segments[:, 0]).T) / np.hypot(*frame.velocities.T)
    assert_allclose(lengths, lengths[0])
    # the round speed below the usual one, a mean diameter long
    usual = np.sqrt(np.square(frame.velocities).sum() / 4)
    assert 1.0 / 2.5 < lengths[0] * usual / 2.5 <= 1.0
    assert lengths[0] * {1.0: 1.0, 1.05: 1.0, 40.0: 50.0}[faster] == pytest.approx(1.0)
    overlays = Overlays(view, QFont())
    (entry,) = VelocityLayer().legend(data, style, overlays._key)
    assert entry.width > 60
    assert VelocityLayer().legend(None, style, overlays._key) == []


def test_arrows_keep_the_scale_that_the_view_names() -> None:
    view, camera = ViewModel(layers=("velocities",), arrow_speed=0.5), Camera.fitting((8.0, 6.0), (800.0, 600.0))
    for faster in (1.0, 0.1):
        frame = a_frame()
        frame.velocities *= faster
        scene = filled(view, frame)
        (arrows,) = VelocityLayer().marks(scene.data("velocities"), Style(scene, camera, view))
        assert isinstance(arrows, Arrows)
        lengths = np.hypot(*(arrows.segments[:, 1] - arrows.segments[:, 0]).T)
        assert_allclose(lengths, 2.0 * scene.mean_radius * np.hypot(*frame.velocities.T) / 0.5)
    with pytest.raises(ValidationError):
        view.arrow_speed = 0.0


def test_more_arrows_than_can_be_told_apart_are_none_until_one_zooms_in() -> None:
    rng = np.random.default_rng(2)
    count = 4000
    view, frame = ViewModel(layers=("velocities",)), Frame.empty(count)
    frame.positions[:] = rng.uniform(0.0, 100.0, (count, 2))
    frame.velocities[:] = rng.normal(size=(count, 2))
    scene, radii = Scene(), np.full(count, 0.3)
    scene.replace_discs(radii, [100.0, 100.0], False)
    layers = registry.of_frame(LayerInput(frame, radii, np.full(2, 100.0), False), view)
    scene.set_frame(frame.positions, np.zeros(count, np.float32), PLAIN, 1.0, layers=layers)
    drawn = [
        len(list(VelocityLayer().marks(scene.data("velocities"), Style(scene, camera, view))))
        for camera in (
            Camera.fitting((100.0, 100.0), (800.0, 600.0)),
            Camera.showing(0.0, 0.0, 30.0, 30.0, (800.0, 600.0)),
        )
    ]
    assert drawn == [0, 1]
