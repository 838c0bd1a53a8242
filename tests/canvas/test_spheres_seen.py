"""Spheres whole and cut by a slab: every kind of picture, the mouse and rings against lines of sight that are followed
one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from math import inf
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPointF, QSize
from PyQt6.QtGui import QImage, QPainter, QPolygonF
from PyQt6.QtPdf import QPdfDocument
from PyQt6.QtSvg import QSvgRenderer
from pytestqt.qtbot import QtBot
from scipy.ndimage import binary_erosion, distance_transform_edt

from aggviewer.canvas import colors, qt_drawing
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import DiscsInView, circles_in_view
from aggviewer.canvas.layers.primitives import Color, Rings
from aggviewer.canvas.mouse import discs_within
from aggviewer.canvas.pixels import PixelPainter
from aggviewer.canvas.qt_drawing import from_qimage
from aggviewer.canvas.raster import Raster
from aggviewer.canvas.scene import Scene
from aggviewer.canvas.turning import about
from aggviewer.document.view import ViewModel
from aggviewer.export.pictures import write_picture
from aggviewer.session.coloring import Coloring
from engine.plotting import light
from engine.plotting.projection import FROM_ABOVE, HAZE, WHOLE, Pose, axes_of, flat_view, times
from tests.reference.sight import Sight, inside, planes, sight

from .conftest import MakeCanvas, grabbed
from .drawing import overlays_of

BOX = np.array([4.0, 3.0, 5.0])
SIZE = (300, 240)
COUNT = 24
SLABS = (WHOLE, (0.3, 0.6), (0.55, 0.62))
BY_NUMBER = Coloring("number", "Number", "", (0.0, float(COUNT)))
WHITE = Color(255, 255, 255)
PROJECTIONS = pytest.mark.parametrize("perspective", [True, False], ids=["perspective", "parallel"])

Shown = tuple[np.ndarray, Camera]
"""A picture (H, W, 3), and the camera that it was drawn for."""


def spheres() -> Scene:
    """Spheres of two sizes that do not overlap, each of a hue of its own."""
    rng = np.random.default_rng(5)
    places, radii = np.zeros((0, 3)), np.zeros(0)
    while len(radii) < COUNT:
        place, radius = rng.random(3) * BOX, 0.3 if len(radii) % 2 else 0.75
        if (np.sqrt(np.square(places - place).sum(axis=1)) > radii + radius).all():
            places, radii = np.vstack([places, place]), np.append(radii, radius)
    scene = Scene()
    scene.replace_discs(radii, BOX, False)
    scene.set_frame(places, np.arange(COUNT, dtype=np.float32) + 0.5, BY_NUMBER, 0.0)
    return scene


def view_of(slab: tuple[float, float], perspective: bool) -> ViewModel:
    """A black ground, and nothing but spheres."""
    hidden = dict.fromkeys(("show_box", "show_axes", "show_legend", "show_scale_bar", "show_time"), False)
    turn = times(about((0.0, 0.6, 0.8), 140.0), FROM_ABOVE)
    return ViewModel(colormap="hsv", background="black", turn=turn, slab=slab, perspective=perspective, **hidden)


@cache
def _met(camera: Camera) -> Sight:
    scene, pose = spheres(), camera.pose
    assert pose is not None
    size = int(camera.width), int(camera.height)
    return sight(
        *(scene.positions, scene.radii, BOX, axes_of(pose.turn), camera.middle, pose.eye, pose.slab),
        *(camera.scale, size),
    )


def interior(met: Sight) -> np.ndarray:
    """The pixels that have no edge beside them, (H, W)."""
    clear = np.zeros(met.first.shape, bool)
    clear[1:-1, 1:-1] = True
    for step in product((-1, 0, 1), repeat=2):
        clear &= np.roll(met.first, step, (0, 1)) == met.first
        clear &= np.roll(met.flat, step, (0, 1)) == met.flat
    return clear


def stays(scene: Scene, camera: Camera) -> np.ndarray:
    """How much of its colour depth leaves to each sphere, (N, 1): as at its centre, or at the plane that cuts that
    off."""
    assert camera.pose is not None
    axes = axes_of(camera.pose.turn)
    back, front = planes(BOX, axes, camera.middle, (0.0, np.nextafter(1.0, 0.0)))
    depth = np.clip((scene.positions - camera.middle) @ axes[2], *planes(BOX, axes, camera.middle, camera.pose.slab))
    return 1.0 - HAZE * (1.0 - (depth[:, np.newaxis] - back) / (front - back))


def hue(color: np.ndarray) -> np.ndarray:
    """The hue of colours (..., 3) as a number of length 1 in the complex plane."""
    rgb: np.ndarray = np.asarray(color, float) @ np.exp(2j * np.pi * np.arange(3) / 3.0)
    return rgb / np.maximum(np.abs(rgb), 1e-9)


# the pictures


def _camera(view: ViewModel) -> Camera:
    return Camera.fitting(tuple(BOX), SIZE, view=view).zoomed(1.1, 180.0, 140.0)


def by_kernels(view: ViewModel, **_other: object) -> Shown:
    """A PNG, a film, and the window without OpenGL."""
    return Raster().paint(spheres(), _camera(view), view)[..., :3], _camera(view)


def before_kernels(view: ViewModel, **_other: object) -> Shown:
    """The first pictures of a window."""
    image = QImage(*SIZE, QImage.Format.Format_RGBA8888_Premultiplied)
    image.fill(0xFF000000)
    with QPainter(image) as painter:
        qt_drawing.paint(painter, [circles_in_view(spheres(), _camera(view), view, DiscsInView(), compiled=False)])
    return from_qimage(image)[..., :3], _camera(view)


def _vectors(view: ViewModel, path: Path) -> QImage:
    view.picture = "drawn"
    write_picture(path, spheres(), _camera(view), view, SIZE)
    image = QImage(*SIZE, QImage.Format.Format_RGBA8888)
    image.fill(0xFFFFFFFF)
    return image


def by_svg(view: ViewModel, path: Path, **_other: object) -> Shown:
    """A vector file, as another program shows it."""
    image = _vectors(view, path / "a.svg")
    with QPainter(image) as painter:
        QSvgRenderer(str(path / "a.svg")).render(painter)
    return from_qimage(image)[..., :3], _camera(view)


def by_pdf(view: ViewModel, path: Path, **_other: object) -> Shown:
    """Another kind of vector file."""
    image, document = _vectors(view, path / "a.pdf"), QPdfDocument(None)
    document.load(str(path / "a.pdf"))
    with QPainter(image) as painter:
        painter.drawImage(0, 0, document.render(0, QSize(*SIZE)))
    return from_qimage(image)[..., :3], _camera(view)


def _by_canvas(kind: str, view: ViewModel, qtbot: QtBot, make_canvas: MakeCanvas) -> Shown:
    canvas, scene = make_canvas(kind, *SIZE), spheres()
    canvas._overlay._overlays.in_window = False  # nor the card that says how much is cut off
    for name in type(view).model_fields:
        setattr(canvas.view, name, getattr(view, name))
    canvas.replace_discs(scene.radii, BOX, periodic=False)
    canvas.show_frame(scene.positions, scene.scalar, BY_NUMBER, 0.0)
    canvas.zoom(1.3, (180.0, 140.0))
    return grabbed(qtbot, canvas), canvas.camera.magnified(canvas.devicePixelRatioF())


def by_opengl(view: ViewModel, qtbot: QtBot, make_canvas: MakeCanvas, **_other: object) -> Shown:
    """The window with OpenGL."""
    return _by_canvas("opengl", view, qtbot, make_canvas)


def by_painter(view: ViewModel, qtbot: QtBot, make_canvas: MakeCanvas, **_other: object) -> Shown:
    """The window without."""
    return _by_canvas("painter", view, qtbot, make_canvas)


@PROJECTIONS
@pytest.mark.parametrize("draw", [by_kernels, before_kernels, by_svg, by_pdf, by_opengl, by_painter])
def test_each_pixel_has_the_colour_of_the_sphere_that_its_line_of_sight_meets_first(
    draw: Callable[..., Shown], perspective: bool, qtbot: QtBot, make_canvas: MakeCanvas, tmp_path: Path
) -> None:
    """A cut face is flat."""
    for slab in SLABS:
        view = view_of(slab, perspective)
        picture, camera = draw(view, qtbot=qtbot, make_canvas=make_canvas, path=tmp_path)
        met = _met(camera)
        assert picture.shape[:2] == met.first.shape
        clear = interior(met)
        scene = spheres()
        own = colors.scene_table(scene, view)[colors.entries_of(scene.scalar, colors.coloring_in_view(scene, view)), :3]
        ball, ground = clear & (met.first >= 0), clear & (met.first < 0)
        assert (picture[ground].max(axis=1) <= 2).all(), slab
        wrong = (hue(picture[ball]) * hue(own[met.first[ball]]).conj()).real < np.cos(np.pi / COUNT)
        assert not wrong.any(), (slab, int(wrong.sum()))
        face = clear & met.flat
        assert face.sum() > 100 or slab == WHOLE
        if draw is not before_kernels:  # which has no light
            number = met.first[face]
            expected = light.CUT * stays(scene, camera)[number] * own[number]
            off = 6.0 if draw in (by_svg, by_pdf) else 2.0  # spheres of nearly the same distance share a gradient
            assert np.abs(picture[face] - expected).max(initial=0.0) <= off, slab


# the mouse


@PROJECTIONS
def test_a_click_picks_the_sphere_that_its_line_of_sight_meets_first(perspective: bool) -> None:
    scene, found = spheres(), DiscsInView()
    for slab in SLABS:
        camera = _camera(view_of(slab, perspective))
        met = _met(camera)
        clear = interior(met)
        beside = clear & (away_from(~clear) < 2.0)  # edges
        for row, column in np.argwhere(beside)[::7].tolist():
            number = met.first[row, column]
            picked = found.at(scene, camera, column + 0.5, row + 0.5, 0.0)
            assert picked == (None if number < 0 else number), (slab, row, column)


@PROJECTIONS
def test_a_lasso_takes_what_the_slab_leaves_where_it_is_seen(perspective: bool) -> None:
    scene = spheres()
    for slab in SLABS[:2]:
        camera = _camera(view_of(slab, perspective))
        for number in range(COUNT):
            alone = _alone(camera, number)
            around = [QPointF(x, y) for x, y in _corners(alone)]
            taken = discs_within(QPolygonF(around), scene, camera)
            assert taken[number] == alone.any(), (slab, number)


def _alone(camera: Camera, number: int) -> np.ndarray:
    """The pixels (H, W) in which one sphere is seen without the others."""
    scene, pose = spheres(), camera.pose
    assert pose is not None
    seen = sight(
        *(
            scene.positions[[number]],
            scene.radii[[number]],
            BOX,
            axes_of(pose.turn),
            camera.middle,
            pose.eye,
            pose.slab,
        ),
        *(camera.scale, (int(camera.width), int(camera.height))),
    )
    return seen.first == 0


def _corners(mask: np.ndarray) -> list[tuple[float, float]]:
    """Those of a small box in the middle of the pixels of a mask; one beside the picture for an empty mask."""
    y, x = np.argwhere(mask).mean(axis=0) + 0.5 if mask.any() else (-50.0, -50.0)
    return [(x - 1.5, y - 1.5), (x + 1.5, y - 1.5), (x + 1.5, y + 1.5), (x - 1.5, y + 1.5)]


# rings


@PROJECTIONS
def test_the_ring_of_a_selected_sphere_is_drawn_where_its_outline_is_seen(perspective: bool) -> None:
    """None of a sphere outside the slab or behind others, and an arc where another one hides a part."""
    scene, whole, parts, none = spheres(), 0, 0, 0
    for slab in SLABS[:2]:
        view = view_of(slab, perspective)
        camera = _camera(view)
        met = _met(camera)
        for number in range(0, COUNT, 2):
            scene.pinned["selection"] = np.array([number])
            ring = overlays_of(view, scene, camera)[..., 3] > 128
            alone = _alone(camera, number)
            edge = alone & ~binary_erosion(alone, border_value=1)
            seen, hidden = edge & (met.first == number), edge & (met.first != number)
            none += not ring.any()
            whole, parts = whole + (seen.any() and not hidden.any()), parts + (seen.any() and hidden.any())
            # a ring is up to 5 pixels outside, and its parts begin and end at whole seventy-seconds of it
            assert (away_from(ring)[seen & (away_from(hidden) > 9.0)] < 8.0).all(), (slab, number)
            assert (away_from(ring)[hidden & (away_from(seen) > 9.0)] > 3.0).all(), (slab, number)
            assert (away_from(seen)[ring] < 12.0).all(), (slab, number)
    assert min(whole, parts, none) >= 3


@PROJECTIONS
def test_the_hollow_disc_of_a_rattler_is_what_the_slab_leaves_of_its_sphere(perspective: bool) -> None:
    scene = spheres()
    for slab in SLABS[:2]:
        camera = _camera(view_of(slab, perspective))
        for number in range(1, COUNT, 2):
            one = scene.copy()
            one.positions[np.arange(COUNT) != number] = np.nan  # hidden, so that nothing is in front
            hollow = Rings(scene.positions[[number]], scene.radii[[number]] * camera.scale, 2.0, WHITE, WHITE)
            image = QImage(*SIZE, QImage.Format.Format_RGBA8888_Premultiplied)
            image.fill(0)
            with QPainter(image) as painter:
                PixelPainter(painter, one, camera).layer([hollow], cut=True)
            drawn, alone = from_qimage(image)[..., 3] > 128, _alone(camera, number)
            assert not (drawn & (away_from(alone) > 1.0)).any(), (slab, number)
            assert not (alone & (away_from(drawn) > 1.0)).any(), (slab, number)


def away_from(mask: np.ndarray) -> np.ndarray:
    """How many pixels each one is away from the nearest one of a mask, (H, W)."""
    distance: np.ndarray = distance_transform_edt(~mask) if mask.any() else np.full(mask.shape, np.inf)
    return distance


# other programs' pictures


def test_matplotlib_and_the_window_have_the_same_circles_in_the_same_order() -> None:
    scene, turn = spheres(), view_of(WHOLE, True).turn
    for slab in SLABS:
        view = view_of(slab, True)
        camera = replace(Camera.fitting(tuple(BOX), SIZE, view=view).centred(np.array(BOX) / 2), scale=1.0)
        plotted, drawn = flat_view(scene.positions, scene.radii, BOX, turn, slab), DiscsInView()
        places, radii = drawn.outlines(camera, drawn.find(scene, camera))
        assert drawn.number[: len(radii)].tolist() == plotted.which.tolist()
        assert plotted.radii == pytest.approx(radii, rel=1e-6)
        assert plotted.near == pytest.approx(drawn.near[: len(radii)], abs=1e-6)
        apart = plotted.places - places * (1.0, -1.0)
        assert apart == pytest.approx(np.tile(apart[:1], (len(apart), 1)), abs=1e-5)


@pytest.mark.parametrize("eye", [4.0, inf], ids=["perspective", "parallel"])
@pytest.mark.parametrize("compiled", [True, False])
def test_of_two_spheres_on_a_line_of_sight_the_one_in_front_is_drawn_later(eye: float, compiled: bool) -> None:
    """Small spheres all around a large one, from nearby, where the sphere with the nearer centre is not always the one
    in front."""
    rng = np.random.default_rng(0)
    ways = rng.normal(size=(2000, 3))
    places, radii = BOX / 2 + np.zeros((1, 3)), np.array([1.4])
    for way in ways / np.linalg.norm(ways, axis=1, keepdims=True):
        place = BOX / 2 + 1.5001 * way
        if (np.linalg.norm(places - place, axis=1) > radii + 0.1).all():
            places, radii = np.vstack([places, place]), np.append(radii, 0.1)
    scene = Scene()
    scene.replace_discs(radii, BOX, False)
    scene.set_frame(places, np.ones(len(radii), np.float32), BY_NUMBER, 0.0)
    camera = Camera(2.0, 1.5, 100.0, 500.0, 500.0, Pose(2.5, FROM_ABOVE, eye))
    found = DiscsInView()
    count = found.find(scene, camera, compiled=compiled)
    painted = np.argsort(found.number[:count])
    assert count == len(radii) > 100
    # lines of sight past the edge of the large sphere
    angle, away = rng.uniform(0.0, 2.0 * np.pi, 5000), rng.uniform(1.2, 1.8, 5000)
    start = np.stack([away * np.cos(angle), away * np.sin(angle), np.zeros(5000)], axis=1)
    way = np.full(start.shape, [0.0, 0.0, -1.0]) if eye == inf else start - [0.0, 0.0, eye]
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    centres = (places - BOX / 2) @ axes_of(FROM_ABOVE).T
    met = np.array([inside(start, way, *one)[0] for one in zip(centres, radii, strict=True)])
    pairs = 0
    for line in met[:, np.isfinite(met).sum(axis=0) > 1].T:
        order = painted[np.argsort(line)[: np.isfinite(line).sum()]]
        assert (np.diff(order) < 0).all()
        pairs += len(order) - 1
    assert pairs > 500
