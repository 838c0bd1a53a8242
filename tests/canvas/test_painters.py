"""Every layer on every target, and what painters have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.text import Text as Words
from PyQt6.QtGui import QColor, QFontMetricsF, QImage, QPainter
from scipy.ndimage import uniform_filter

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_pixels import InPixels, shapes
from aggviewer.canvas.in_view import pair_segments
from aggviewer.canvas.layers import registry
from aggviewer.canvas.layers.layer import Layer, LayerInput, Style
from aggviewer.canvas.layers.marks import MarkList
from aggviewer.canvas.layers.paths import Paths
from aggviewer.canvas.layers.primitives import (
    Circles,
    Color,
    Heat,
    Image,
    Lenses,
    Lines,
    Look,
    Primitive,
    Stroke,
    Text,
)
from aggviewer.canvas.layers.velocities import ThrowArrow
from aggviewer.canvas.overlays import Overlays, Target
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.pixels import PixelPainter
from aggviewer.canvas.qt_drawing import pixels_of
from aggviewer.canvas.scene import Scene
from aggviewer.document.run import Anchor, Mark
from aggviewer.document.view import ViewModel
from aggviewer.export.page import PagePainter
from aggviewer.export.sheet import Sheet, write_page
from engine.boundary import Periodic
from engine.frame import Frame, Impacts, Network, Remark

from .conftest import PLAIN
from .drawing import Noted

WIDTH, HEIGHT = 640, 480
GROUND = (20, 24, 29)
INK = Color(208, 16, 32)
CROSSED = (5.0, 2.5), (2.5, 5.0)
BARE = dict.fromkeys(("show_legend", "show_scale_bar", "show_time", "show_box"), False)
Draw = Callable[[Target], None]
Paint = Callable[[Draw, Scene, Camera, Overlays], np.ndarray]


class LensLayer(Layer):
    """Where pairs of discs overlap: a primitive that only an extension draws."""

    name, optional = "lens", False

    def take(self, given: LayerInput) -> None:
        """None: a test gives the pairs."""
        return

    def marks(self, data: np.ndarray, style: Style) -> Iterator[Primitive]:
        scene = style.scene
        radii = 1.3 * scene.radii[data] * style.camera.scale
        segments = pair_segments(data, scene.positions, scene.box, scene.periodic)
        yield Lenses(segments, radii, float(radii.max()), INK)


LAYERS = (*registry.LAYERS.parts, LensLayer())


@pytest.fixture(autouse=True)
def lens_is_a_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry.LAYERS, "parts", LAYERS)


def scene_of(view: ViewModel, dimensions: int) -> Scene:
    """Discs or spheres in a periodic box, some across its edges, of which every layer has something to draw."""
    side = 4
    grid = np.stack(np.meshgrid(*[np.arange(side)] * dimensions, indexing="ij"), axis=-1).reshape(-1, dimensions)
    places, box = grid * 1.0 + 0.1, np.full(dimensions, side + 1.0)
    moved = np.array([0.1, 0.7, 0.2])[:dimensions]
    radii = np.full(len(places), 0.52)
    scene = Scene()
    scene.replace_discs(radii, box, True)
    numbers = np.arange(len(places))
    pairs = np.stack([numbers, (numbers + 1) % len(numbers)], axis=1).astype(np.int32)[::2]
    vectors = pair_segments(pairs, places, box, True)
    vectors = vectors[:, 1] - vectors[:, 0]
    vectors /= np.hypot.reduce(vectors, axis=1)[:, np.newaxis]
    memories: dict[str, Any] = {}
    for step in (0.0, 1.0):
        frame = Frame.empty(len(places), dimensions)
        frame.time, frame.positions[:], frame.velocities[:] = 1.0 + step, (places + step * moved) % box, 1.0
        frame.velocities[::2, 0] = -2.0
        frame.fields["cluster"] = (numbers // 3 * 3).astype(np.int32)
        frame.clusters = len(set(frame.fields["cluster"].tolist()))
        frame.network = Network(pairs, np.linspace(0.5, 2.0, len(pairs)), vectors, numbers % 5 == 0)
        frame.impacts = Impacts(np.full(len(pairs), frame.time), pairs)
        frame.remark = Remark("these two", numbers[2:4].astype(np.int32))
        given = registry.in_scene(LayerInput(frame, radii, box, True, 0.5), scene)
        taken = registry.of_frame(given, view, memories=memories)
    scene.set_frame(frame.positions, np.zeros(len(places), np.float32), PLAIN, frame.time, layers=taken)
    paths = Paths(numbers[::2], box, True)
    for time in range(3):
        paths.add(float(time), (places + time * moved) % box)
    anchors = Anchor(x=0.0, y=0.0, disc=1), Anchor(x=0.0, y=0.0, disc=7)
    scene.pinned = {
        "lens": pairs,
        "path": paths,
        "selection": np.array([1, 2, 6]),
        "measures": MarkList((Mark(kind="distance", anchors=anchors),)),
        "throw": ThrowArrow(3, np.array([1.0, 0.5, 0.25])[:dimensions], 1.0),
    }
    return scene


def in_window(draw: Draw, scene: Scene, camera: Camera, overlays: Overlays) -> np.ndarray:
    """As on a widget, whose pixels the painter does not know."""
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGBA8888_Premultiplied)
    image.fill(QColor(*GROUND))
    with QPainter(image) as painter:
        painter.setFont(overlays.font)
        draw(PixelPainter(painter, scene, camera, overlays.share(scene)))
    return pixels_of(image)[..., :3].astype(float)


def in_picture(draw: Draw, scene: Scene, camera: Camera, overlays: Overlays) -> np.ndarray:
    """As in pictures and films."""
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGBA8888_Premultiplied)
    image.fill(QColor(*GROUND))
    with QPainter(image) as painter:
        painter.setFont(overlays.font)
        draw(PixelPainter(painter, scene, camera, overlays.share(scene), pixels_of(image)))
    return pixels_of(image)[..., :3].astype(float)


def on_page(draw: Draw, scene: Scene, camera: Camera, overlays: Overlays) -> np.ndarray:
    """As in vector files and figures."""
    sheet = Sheet.whole(WIDTH, HEIGHT, unit=1.0, dots=1.0)
    sheet.figure.set_facecolor([part / 255.0 for part in GROUND])
    draw(PagePainter(sheet, scene, camera, overlays, 1.0, "over"))
    canvas = FigureCanvasAgg(sheet.figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].astype(float)


TARGETS = {"window": in_window, "picture": in_picture, "page": on_page}
EACH = [
    pytest.param(layer.name, dimensions, id=f"{layer.name} {dimensions}d")
    for layer in LAYERS
    # rims and spokes cover discs with the ground (see `test_rim_layer`, `test_turning_clusters`), and gravity lies
    # beside them (see `test_around`)
    if layer.name not in ("rims", "spokes", "gravity")
    for dimensions in layer.dimensions
]


def alike(one: np.ndarray, other: np.ndarray) -> float:
    """How much two pictures differ, over what they show; edges may lie half a pixel apart."""
    one, other = (uniform_filter(image - np.array(GROUND), (5, 5, 0)) for image in (one, other))
    return float(np.abs(one - other).sum() / np.abs(other).sum())


def only(name: str, scene: Scene) -> None:
    """Leave the data of one layer."""
    scene.of_frame = {key: data for key, data in scene.of_frame.items() if key == name}
    scene.pinned = {key: data for key, data in scene.pinned.items() if key == name}


@pytest.mark.parametrize(("name", "dimensions"), EACH)
def test_a_layer_looks_the_same_on_every_target_and_can_be_paler(name: str, dimensions: int) -> None:
    layer = next(layer for layer in registry.LAYERS.parts if layer.name == name)
    view = ViewModel(layers=(name,), show_selection=True, flash_contacts=True, **BARE)
    scene, overlays = scene_of(view, dimensions), Painter(view).overlays
    camera = Camera.fitting(scene.sides, (WIDTH, HEIGHT), view=view)
    only(name, scene)

    def draw(target: Target) -> None:
        data = scene.data(name)
        target.layer(
            layer.marks(data, Style(scene, camera, view)), cut=layer.cut, opacity=view.opacities.get(name, 1.0)
        )

    # on pages those are drawn with the spheres (see `test_pages`)
    solid = dimensions > 2 and name in ("forces", "contacts")
    targets = {target: paint for target, paint in TARGETS.items() if not (solid and target == "page")}
    pictures = {target: paint(draw, scene, camera, overlays) for target, paint in targets.items()}
    assert np.abs(pictures["picture"] - GROUND).sum() > 5000.0
    assert alike(pictures["window"], pictures["picture"]) < 0.02
    if not solid:
        assert alike(pictures["page"], pictures["picture"]) < 0.3
    view.opacities = {name: 0.4}
    for target, paint in targets.items():
        paler, whole = (
            np.abs(image - GROUND).sum() for image in (paint(draw, scene, camera, overlays), pictures[target])
        )
        assert paler / whole == pytest.approx(0.4, abs=0.12), target


@pytest.mark.parametrize("dimensions", [2, 3])
def test_box_and_legends_look_the_same_on_every_target(dimensions: int) -> None:
    view = ViewModel(layers=tuple(layer.name for layer in registry.LAYERS.parts))
    scene, overlays = scene_of(view, dimensions), Painter(view).overlays
    camera = Camera.fitting(scene.sides, (WIDTH, HEIGHT), view=view)
    noted = Noted()
    overlays.draw(noted, scene, camera)
    pictures = {
        target: paint(lambda on: on.screen(noted.flats), scene, camera, overlays) for target, paint in TARGETS.items()
    }
    assert np.abs(pictures["picture"] - GROUND).sum() > 5000.0
    assert alike(pictures["window"], pictures["picture"]) == 0.0
    assert alike(pictures["page"], pictures["picture"]) < 0.25


def test_layers_use_every_primitive() -> None:
    """So all of them are drawn in the table above."""
    view, noted = ViewModel(layers=tuple(layer.name for layer in registry.LAYERS.parts), flash_contacts=True), Noted()
    scene = scene_of(view, 2)
    Painter(view).overlays.draw(noted, scene, Camera.fitting(scene.sides, (WIDTH, HEIGHT), view=view))
    assert {type(one) for one in noted.primitives} == set(get_args(Primitive))


@pytest.mark.parametrize("paint", TARGETS.values(), ids=TARGETS)
def test_a_line_across_a_periodic_edge_continues_at_the_other(paint: Paint) -> None:
    scene, camera = scene_of(ViewModel(), 2), Camera(2.5, 2.5, 80.0, WIDTH, HEIGHT)  # the box begins at column 120
    line = Lines(np.array([[[4.0, 2.5], [6.0, 2.5]]]), (Stroke(INK, 6.0),))
    overlays = Painter(ViewModel()).overlays
    cut, whole = (
        paint(lambda target, cut=cut: target.layer([line], cut=cut, opacity=1.0), scene, camera, overlays)[240, :, 0]
        for cut in (True, False)
    )
    assert np.flatnonzero(cut > 150).tolist() == [*range(120, 203), *range(437, 520)]  # with round ends
    assert whole[540] > 150


CROSSING = {
    # primitives of half a unit across around the middles of the right and of the upper edge
    "line": Lines(np.array([[[4.5, 2.5], [5.5, 2.5]], [[2.5, 4.5], [2.5, 5.5]]]), (Stroke(INK, 20.0),)),
    "circle": Circles(np.array([[4.9, 2.5], [2.5, 4.9]]), np.full(2, 40.0), 40.0, (Look(fill=INK),)),
    "polygon": shapes([np.array(one) + 0.5 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) for one in CROSSED], INK),
}


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", CROSSING)
@pytest.mark.parametrize("paint", TARGETS.values(), ids=TARGETS)
def test_a_box_with_walls_along_one_axis_cuts_and_continues_across_its_periodic_edges_only(
    paint: Paint, name: str, axis: int
) -> None:
    scene, camera = Scene(), Camera(2.5, 2.5, 80.0, WIDTH, HEIGHT)
    scene.replace_discs(np.ones(1), (5.0, 5.0), Periodic((axis == 0, axis == 1)))
    overlays = Painter(ViewModel()).overlays
    picture = paint(lambda target: target.layer([CROSSING[name]], cut=True, opacity=1.0), scene, camera, overlays)

    def inked(x: float, y: float) -> bool:
        column, row = camera.to_pixel(x, y)
        return bool(picture[int(row), int(column), 0] > 150)

    for across, (there, beyond, opposite) in enumerate(
        [((4.9, 2.5), (5.2, 2.5), (0.1, 2.5)), ((2.5, 4.9), (2.5, 5.2), (2.5, 0.1))]
    ):
        assert inked(*there)
        assert inked(*beyond) == (across != axis), across
        assert inked(*opposite) == (across == axis), across


@pytest.mark.parametrize("axis", [0, 1])
def test_a_map_goes_on_smoothly_across_the_periodic_edges_of_a_box_only(axis: int) -> None:
    scene, camera = Scene(), Camera(2.5, 2.5, 80.0, WIDTH, HEIGHT)
    scene.replace_discs(np.ones(1), (5.0, 5.0), Periodic((axis == 0, axis == 1)))
    table = np.repeat(np.arange(256, dtype=np.uint8)[:, np.newaxis], 4, axis=1)
    entries = np.arange(16, dtype=np.uint8).reshape(4, 4)  # rows of the box from below
    seen = InPixels(scene, camera, 1.0, QFontMetricsF(Painter(ViewModel()).overlays.font))
    (image,) = seen.seen(Heat(entries, table))
    assert isinstance(image, Image)
    cells = image.pixels[::-1, :, 0]
    assert cells[1:5, 0].tolist() == entries[:, 3 if axis == 0 else 0].tolist()
    assert cells[0, 1:5].tolist() == entries[3 if axis == 1 else 0].tolist()


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("paint", TARGETS.values(), ids=TARGETS)
def test_the_periodic_sides_of_a_box_are_dashed_and_its_walls_are_not(paint: Paint, axis: int) -> None:
    scene, camera, view = Scene(), Camera(2.5, 2.5, 80.0, WIDTH, HEIGHT), ViewModel(**BARE | {"show_box": True})
    scene.replace_discs(np.ones(1), (5.0, 5.0), Periodic((axis == 0, axis == 1)))
    noted, overlays = Noted(), Painter(view).overlays
    overlays.draw(noted, scene, camera)
    picture = np.abs(paint(lambda on: on.screen(noted.flats), scene, camera, overlays) - GROUND).sum(axis=2)
    sides = [picture[40:440, k - 1 : k + 2] for k in (120, 520)], [picture[k - 1 : k + 2, 120:520].T for k in (40, 440)]
    for across in (0, 1):
        for side in sides[across]:
            drawn = (side.max(axis=1) > 40.0).mean()
            assert 0.4 < drawn < 0.75 if across == axis else drawn > 0.99, across


@pytest.mark.parametrize("paint", TARGETS.values(), ids=TARGETS)
def test_each_primitive_lies_over_those_before_it(paint: Paint) -> None:
    scene, camera = scene_of(ViewModel(), 2), Camera(2.5, 2.5, 80.0, WIDTH, HEIGHT)
    lines = Lines(np.tile([[[1.0, 2.5], [4.0, 2.5]]], (1000, 1, 1)), (Stroke(INK, 20.0),))
    disc = Circles(np.array([[2.5, 2.5]]), np.array([30.0]), 30.0, (Look(fill=Color(10, 250, 10)),))
    overlays = Painter(ViewModel()).overlays
    picture = paint(lambda target: target.layer([lines, disc, lines], cut=True, opacity=1.0), scene, camera, overlays)
    assert picture[240, 320].tolist() == list(INK.rgb)
    picture = paint(lambda target: target.layer([lines, disc], cut=True, opacity=1.0), scene, camera, overlays)
    assert picture[240, 320].tolist() == [10.0, 250.0, 10.0]


def test_on_a_page_text_stays_text_of_its_size_and_no_line_is_thinner_than_a_printer_draws(tmp_path: Path) -> None:
    scene, camera, overlays = Scene(), Camera(width=200.0, height=50.0), Painter(ViewModel()).overlays
    sheet = Sheet.whole(400.0, 100.0)
    page = PagePainter(sheet, scene, camera, overlays, 2.0, "words")
    page.screen([Text(5.0, 20.0, "a $ in it", INK), Lines(np.array([[[5.0, 20.0], [9.0, 9.0]]]), (Stroke(INK, 0.01),))])
    (text,) = [one for one in sheet.figure.findobj(Words) if one.get_text()]
    assert text.get_fontsize() == pytest.approx(2 * overlays.font.pixelSize() * sheet.unit)
    (line,) = sheet.figure.findobj(PathCollection)
    assert line.get_linewidths() == [0.25]
    write_page(sheet.figure, tmp_path / "a.svg", "svg", "words")
    assert re.search(r"<text [^>]*fill: #d01020[^>]*>a \$ in it</text>", (tmp_path / "a.svg").read_text("utf-8"))
