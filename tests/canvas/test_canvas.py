"""The widget, looked at: on both surfaces where there is OpenGL, on the image surface elsewhere."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtGui import QFont, QMouseEvent, QWheelEvent
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from vispy.gloo import context

from aggviewer.canvas import DiscCanvas, colors, create_canvas, kernels
from aggviewer.canvas.overlays import Ink
from aggviewer.session.coloring import Coloring
from aggviewer.session.view import ViewModel
from engine.errors import InputError

from .conftest import PLAIN, MakeCanvas, grabbed

BOTH = pytest.mark.parametrize("kind", ["opengl", "painter"])


def show(canvas: DiscCanvas, positions: list[list[float]], radius: float = 1.0, *, periodic: bool = False) -> None:
    """Discs of the top colour in a box of 12 x 9: with a 400 x 300 canvas some 30 pixels a unit."""
    canvas.set_system(np.full(len(positions), radius), np.array([12.0, 9.0]), periodic)
    canvas.show_frame(np.array(positions), np.ones(len(positions), np.float32), PLAIN, 1.5)


def crowd(canvas: DiscCanvas, count: int, seed: int = 0, *, unequal: bool = False, periodic: bool = False) -> None:
    """Discs on a jittered lattice that do not overlap, of all colours."""
    rng = np.random.default_rng(seed)
    side = int(np.ceil(np.sqrt(count)))
    cell = np.arange(count)
    positions = np.c_[cell % side + 0.5, cell // side + 0.5] + rng.uniform(-0.15, 0.15, (count, 2))
    positions[0] = 0.02, 0.5 * side  # across an edge
    radii = rng.uniform(0.1, 0.33, count) if unequal else np.full(count, 0.3)
    canvas.set_system(radii, np.array([side, side], float), periodic)
    canvas.show_frame(positions, rng.random(count, np.float32), PLAIN, 0.0)


@BOTH
def test_a_disc_is_where_it_should_be(qtbot: QtBot, make_canvas: MakeCanvas, view: ViewModel, kind: str) -> None:
    canvas = make_canvas(kind)
    show(canvas, [[6.0, 4.5], [1.0, 8.0]])
    picture = grabbed(qtbot, canvas)
    color = colors.table(PLAIN, view)[255, :3]
    ratio, radius = canvas.devicePixelRatioF(), canvas.camera.scale
    for x, y in ((6.0, 4.5), (1.0, 8.0)):
        px, py = canvas.camera.to_pixel(x, y)
        for dx, dy in ((0, 0), (0.8, 0), (-0.8, 0), (0, 0.8), (0, -0.8), (0.55, 0.55)):
            at = picture[int((py + dy * radius) * ratio), int((px + dx * radius) * ratio)]
            np.testing.assert_allclose(at.astype(int), color, atol=1)
        for dx, dy in ((1.15, 0), (0, 1.15), (0.85, 0.85), (-0.85, 0.85)):
            assert not picture[int((py + dy * radius) * ratio), int((px + dx * radius) * ratio)].any()
    bright = picture.max(2) / color.max()
    assert bright.sum() == pytest.approx(2 * np.pi * (radius * ratio) ** 2, rel=0.05)
    assert ((bright > 0.05) & (bright < 0.5)).sum() > 2 * np.pi * radius * ratio * 0.3  # the soft edge


@BOTH
def test_large_discs_have_a_rim_and_small_ones_none(
    qtbot: QtBot, make_canvas: MakeCanvas, view: ViewModel, kind: str
) -> None:
    canvas = make_canvas(kind)
    color = colors.table(PLAIN, view)[255, :3].astype(float)

    def darkest_inside(radius_pixels: float) -> float:
        show(canvas, [[6.0, 4.5]], radius_pixels / canvas.camera.scale)
        picture = grabbed(qtbot, canvas).astype(float)
        y, x = np.mgrid[:300, :400] + 0.5
        px, py = canvas.camera.to_pixel(6.0, 4.5)
        inside = np.hypot(x - px, y - py) < radius_pixels - 0.55
        return float((picture[inside] / color).min())

    if canvas.devicePixelRatioF() == 1.0:
        assert darkest_inside(40.0) < 0.75
        assert darkest_inside(4.0) > 0.98


@pytest.mark.parametrize("unequal", [False, True])
@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize(("count", "zoom"), [(49, 1.0), (3000, 1.0), (3000, 12.0), (60_000, 1.0), (60_000, 30.0)])
def test_both_surfaces_show_the_same(
    qtbot: QtBot, make_canvas: MakeCanvas, count: int, zoom: float, periodic: bool, unequal: bool
) -> None:
    pictures = []
    for kind in ("opengl", "painter"):
        canvas = make_canvas(kind)
        crowd(canvas, count, unequal=unequal, periodic=periodic)
        canvas.zoom(zoom, (120.0, 150.0))
        pictures.append(grabbed(qtbot, canvas).astype(int))
    assert pictures[0].max() > 60
    difference = np.abs(pictures[0] - pictures[1])
    assert difference.mean() < 2.0
    assert np.percentile(difference, 99) < 48  # edges of neighbours that share a pixel


@BOTH
def test_frames_follow_each_other_without_leftovers(qtbot: QtBot, make_canvas: MakeCanvas, kind: str) -> None:
    canvas = make_canvas(kind)
    crowd(canvas, 200, unequal=True)
    grabbed(qtbot, canvas)
    show(canvas, [[6.0, 4.5]])
    one = grabbed(qtbot, canvas)
    canvas.show_frame(np.array([[3.0, 2.0]]), np.ones(1, np.float32), PLAIN, 2.0)
    other = grabbed(qtbot, canvas)
    assert (one.max(2) > 0).sum() == pytest.approx((other.max(2) > 0).sum(), rel=0.02)
    px, py = canvas.camera.to_pixel(6.0, 4.5)
    assert not other[int(py), int(px)].any()


@BOTH
def test_frames_do_not_move_the_view_and_a_resize_keeps_its_middle(
    qtbot: QtBot, make_canvas: MakeCanvas, kind: str
) -> None:
    canvas = make_canvas(kind)
    show(canvas, [[6.0, 4.5]])
    canvas.zoom(3.0, (100.0, 80.0))
    camera = canvas.camera
    canvas.show_frame(np.array([[1.0, 1.0]]), np.ones(1, np.float32), PLAIN, 2.0)
    grabbed(qtbot, canvas)
    assert canvas.camera == camera
    canvas.resize(500, 420)
    qtbot.waitUntil(lambda: canvas.camera.width == 500)
    assert (canvas.camera.x, canvas.camera.y, canvas.camera.scale) == (camera.x, camera.y, camera.scale)
    canvas.fit()
    canvas.resize(600, 500)
    qtbot.waitUntil(lambda: canvas.camera.width == 600)
    assert canvas.camera.to_world(300, 250) == pytest.approx((6.0, 4.5))


def move_pointer(canvas: DiscCanvas, x: float, y: float, button: Qt.MouseButton = Qt.MouseButton.NoButton) -> None:
    """As Qt tells it, wherever the real pointer of the display is."""
    here = QPointF(x, y)
    there = QPointF(canvas.mapToGlobal(here.toPoint()))
    none = Qt.MouseButton.NoButton
    event = QMouseEvent(QEvent.Type.MouseMove, here, there, none, button, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(canvas, event)


def test_mouse_pans_zooms_about_the_pointer_and_fits(qtbot: QtBot, make_canvas: MakeCanvas) -> None:
    canvas = make_canvas("painter")
    show(canvas, [[6.0, 4.5]])
    fitted = canvas.camera
    pointer = QPointF(90.0, 70.0)
    under = canvas.camera.to_world(90.0, 70.0)
    wheel = QWheelEvent(
        pointer,
        QPointF(canvas.mapToGlobal(QPoint(90, 70))),
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas, wheel)
    assert canvas.camera.scale > 1.2 * fitted.scale
    assert canvas.camera.to_world(90.0, 70.0) == pytest.approx(under)
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=QPoint(90, 70))
    move_pointer(canvas, 130.0, 95.0, Qt.MouseButton.LeftButton)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=QPoint(130, 95))
    assert canvas.camera.to_world(130.0, 95.0) == pytest.approx(under)
    qtbot.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(90, 70))
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=QPoint(90, 70))
    assert canvas.camera == fitted


def test_zoom_stops_at_both_ends_and_refuses_nonsense(make_canvas: MakeCanvas) -> None:
    canvas = make_canvas("painter")
    show(canvas, [[6.0, 4.5]])
    canvas.zoom(1e12)
    assert 2.0 * canvas.camera.scale <= 300.0 + 1e-6
    canvas.zoom(1e-12)
    assert 9.0 * canvas.camera.scale >= 10.0
    for factor in (0.0, -1.0, float("nan")):
        with pytest.raises(InputError):
            canvas.zoom(factor)
    with pytest.raises(InputError):
        canvas.set_view_rect(0.0, 0.0, 0.0, 1.0)
    canvas.set_view_rect(2.0, 3.0, 4.0, 1.0)
    assert canvas.camera.rect[0] == pytest.approx(2.0)
    assert canvas.camera.to_world(200, 150) == pytest.approx((4.0, 3.5))


def test_hover_names_the_disc_under_the_pointer(qtbot: QtBot, make_canvas: MakeCanvas) -> None:
    canvas = make_canvas("painter")
    show(canvas, [[2.0, 2.0], [6.0, 4.5]])
    px, py = canvas.camera.to_pixel(6.0, 4.5)
    assert canvas.disc_at(px, py) == 1
    assert canvas.disc_at(px + 1.5 * canvas.camera.scale, py) is None
    with qtbot.waitSignal(canvas.hovered) as heard:
        move_pointer(canvas, px, py)
    assert heard.args == [1]
    with qtbot.waitSignal(canvas.hovered) as heard:  # the disc moves away, the pointer rests
        canvas.show_frame(np.array([[2.0, 2.0], [10.0, 7.0]]), np.ones(2, np.float32), PLAIN, 3.0)
    assert heard.args == [-1]
    with qtbot.waitSignal(canvas.hovered):
        canvas.show_frame(np.array([[2.0, 2.0], [6.0, 4.5]]), np.ones(2, np.float32), PLAIN, 3.0)
    with qtbot.waitSignal(canvas.hovered) as heard:
        QApplication.sendEvent(canvas, QEvent(QEvent.Type.Leave))
    assert heard.args == [-1]


@BOTH
def test_a_snapshot_has_any_size_and_shows_the_view(
    qtbot: QtBot, make_canvas: MakeCanvas, view: ViewModel, kind: str
) -> None:
    canvas = make_canvas(kind)
    show(canvas, [[6.0, 4.5], [1.0, 8.0]])
    image = canvas.snapshot(3840, 2160)
    assert image.shape == (2160, 3840, 4)
    assert image.dtype == np.uint8
    camera = canvas.camera.rendered(3840, 2160)
    color = colors.table(PLAIN, view)[255]
    for x, y in ((6.0, 4.5), (1.0, 8.0)):
        px, py = camera.to_pixel(x, y)
        np.testing.assert_array_equal(image[int(py), int(px)], color)
    bright = (image[..., :3].max(2) > 100).sum()
    assert bright == pytest.approx(2 * np.pi * camera.scale**2, rel=0.02)
    small = canvas.snapshot(400, 300)
    if canvas.devicePixelRatioF() == 1.0:
        difference = np.abs(small[..., :3].astype(int) - grabbed(qtbot, canvas))
        assert difference.mean() < 0.5  # what the window shows
    for width, height in ((0, 100), (100, 40_000)):
        with pytest.raises(InputError, match="pixels"):
            canvas.snapshot(width, height)


def test_a_transparent_snapshot_has_nothing_behind_the_discs(make_canvas: MakeCanvas, view: ViewModel) -> None:
    canvas = make_canvas("painter")
    show(canvas, [[6.0, 4.5]])
    image = canvas.snapshot(400, 300, transparent=True)
    assert image[5, 5].tolist() == [0, 0, 0, 0]
    assert image[150, 200].tolist() == colors.table(PLAIN, view)[255].tolist()
    edge = image[(image[..., 3] > 60) & (image[..., 3] < 200)]
    assert len(edge) > 20
    assert edge[:, :3].max(1).min() > 60  # straight alpha: the colour of an edge does not fade to black


@pytest.mark.parametrize("background", ["dark", "white"])
def test_overlays_are_in_the_picture_and_readable(
    qtbot: QtBot, make_canvas: MakeCanvas, view: ViewModel, background: str
) -> None:
    canvas = make_canvas("painter", 700, 400)
    view.background = background
    canvas.set_system(np.ones(2), np.array([10.0, 10.0]), False)
    coloring = Coloring("size", "Cluster size", "discs", (1.0, 1000.0), log=True)
    canvas.show_frame(np.array([[4.0, 5.0], [6.0, 5.0]]), np.ones(2, np.float32), coloring, 2.0)
    plain = canvas.snapshot(700, 400).astype(int)
    ground = np.array([*view.background_rgb, 255])
    assert (plain[0] == ground).all()
    corners = {
        "show_time": (slice(0, 80), slice(0, 200)),
        "show_scale_bar": (slice(320, 400), slice(0, 300)),
        "show_legend": (slice(300, 400), slice(400, 700)),
    }
    for field, where in corners.items():
        setattr(view, field, True)
        image = canvas.snapshot(700, 400).astype(int)
        changed = np.abs(image - plain).max(2) > 0
        assert changed[where].sum() > 50
        assert not np.delete(changed, np.r_[where[1]], axis=1).any()
        assert np.abs(image[where][..., :3] - ground[:3]).max() > 120  # contrast
        if canvas.devicePixelRatioF() == 1.0:  # the window shows it too
            assert np.abs(grabbed(qtbot, canvas).astype(int) - image[..., :3]).mean() < 1.0
        setattr(view, field, False)
    view.show_box = True
    left, top = canvas.camera.to_pixel(0.0, 10.0)
    right, _ = canvas.camera.to_pixel(10.0, 0.0)
    box = np.abs(canvas.snapshot(700, 400).astype(int) - plain).max(2) > 10
    assert box[round(top) - 1 : round(top) + 1, round(left) + 5 : round(right) - 5].any(0).all()


def test_the_legend_names_the_quantity_and_a_large_snapshot_has_larger_text(
    make_canvas: MakeCanvas, view: ViewModel
) -> None:
    canvas = make_canvas("painter")
    show(canvas, [[6.0, 4.5]])
    plain = canvas.snapshot(3840, 2160).astype(int)
    view.show_time = True
    changed = np.abs(canvas.snapshot(3840, 2160).astype(int) - plain).max(2) > 60
    rows = np.flatnonzero(changed.any(1))
    assert rows[-1] - rows[0] > 14  # a letter in a window is some 9 pixels high


@pytest.mark.parametrize("background", ["dark", "white"])
def test_overlays_stay_readable_over_discs_of_any_colour(view: ViewModel, background: str) -> None:
    """WCAG's contrast of text, 4.5, whatever disc lies below the plate."""

    def luminance(rgb: np.ndarray) -> float:
        linear = np.where(rgb <= 10.3, rgb / 3294.6, ((rgb / 255 + 0.055) / 1.055) ** 2.4)
        return float(linear @ (0.2126, 0.7152, 0.0722))

    view.background = background
    ink = Ink.on(view)
    plate, opacity = np.array(ink.plate.getRgb()[:3], float), ink.plate.alphaF()
    coloring = Coloring("cluster", "Cluster", "", (0.0, 24.0), categorical=True)
    for disc in np.vstack([colors.table(coloring, view)[:24, :3], colors.table(PLAIN, view)[::16, :3]]):
        ground = luminance(opacity * plate + (1.0 - opacity) * disc)
        for color in (ink.text, ink.quiet):
            text = luminance(np.array(color.getRgb()[:3], float))
            contrast = (max(text, ground) + 0.05) / (min(text, ground) + 0.05)
            assert contrast >= 4.5, (disc.tolist(), color.name())


@pytest.mark.parametrize("field", ["show_time", "show_scale_bar", "show_legend"])
def test_a_plate_lies_between_an_overlay_and_the_discs(
    qtbot: QtBot, make_canvas: MakeCanvas, view: ViewModel, field: str
) -> None:
    canvas = make_canvas("painter", 700, 400)
    show(canvas, [[6.0, 4.5]], 30.0)  # one disc fills the picture
    plain = canvas.snapshot(700, 400)[..., :3].astype(int)
    setattr(view, field, True)
    for picture in (canvas.snapshot(700, 400)[..., :3], grabbed(qtbot, canvas)):
        if canvas.devicePixelRatioF() == 1.0 or picture.shape == plain.shape:
            covered = picture.astype(int).max(2) < 0.4 * plain.max(2)
            assert covered.sum() > 600


@BOTH
def test_large_type_makes_the_overlays_larger_and_goes_again(
    qtbot: QtBot, make_canvas: MakeCanvas, view: ViewModel, kind: str
) -> None:
    view.show_time = view.show_scale_bar = view.show_legend = True
    canvas = make_canvas(kind, 700, 400)
    show(canvas, [[6.0, 4.5]])
    usual = canvas.font()
    large = QFont(usual)
    large.setPointSizeF(2.0 * usual.pointSizeF())

    def ink() -> int:
        QApplication.processEvents()
        return int((grabbed(qtbot, canvas)[:60, :200].min(2) > 100).sum())  # of the time

    before = ink()
    assert before > 0
    canvas.setFont(large)
    assert ink() > 2 * before
    canvas.setFont(usual)
    assert ink() == before


def test_another_system_in_the_same_box_keeps_the_view(make_canvas: MakeCanvas) -> None:
    canvas = make_canvas("painter")
    show(canvas, [[6.0, 4.5]])
    canvas.zoom(5.0, (100.0, 80.0))
    camera = canvas.camera
    canvas.set_system(np.full(7, 0.5), np.array([12.0, 9.0]), True)
    assert canvas.camera == camera
    canvas.set_system(np.full(7, 0.5), np.array([12.0, 10.0]), True)
    assert canvas.camera.to_world(200, 150) == pytest.approx((6.0, 5.0))


def test_the_view_model_repaints_and_a_closed_canvas_does_not_listen(
    qtbot: QtBot, make_canvas: MakeCanvas, view: ViewModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas = make_canvas("painter")
    show(canvas, [[6.0, 4.5]])
    grabbed(qtbot, canvas)
    before = canvas.frames_drawn
    view.background = "white"
    qtbot.waitUntil(lambda: canvas.frames_drawn > before)
    assert grabbed(qtbot, canvas)[2, 2].tolist() == [255, 255, 255]
    assert canvas.fps > 0.0
    canvas.close()
    canvas.close()

    def heard() -> None:
        raise AssertionError("a closed canvas has listened")

    monkeypatch.setattr(canvas, "_refresh", heard)
    view.background = "black"


@BOTH
def test_canvases_come_and_go_without_leftovers(qtbot: QtBot, make_canvas: MakeCanvas, kind: str) -> None:
    threads = threading.active_count()
    for seed in range(5):
        canvas = make_canvas(kind)
        crowd(canvas, 500, seed, unequal=True)
        assert grabbed(qtbot, canvas).max() > 60
        canvas.close()
        assert canvas.isHidden()
    assert threading.active_count() <= threads
    del canvas
    gc.collect()
    live = [ref() for ref in context.canvasses]  # those that VisPy knows of
    assert all(canvas is None or canvas._closed for canvas in live)


@pytest.mark.parametrize("kind", ["opengl"])
def test_opengl_that_fails_is_replaced_with_a_plain_sentence(
    qtbot: QtBot, make_canvas: MakeCanvas, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas = make_canvas(kind)
    assert canvas.notice == ""
    qtbot.waitUntil(lambda: canvas.renderer.startswith("OpenGL "))

    def broken(*_: object) -> None:
        raise RuntimeError("the driver went away")

    show(canvas, [[6.0, 4.5]])
    monkeypatch.setattr("aggviewer.canvas.gl_discs.GLDiscs.draw", broken)
    canvas._refresh()
    qtbot.waitUntil(lambda: canvas.notice != "")
    assert "the driver went away" in canvas.notice
    qtbot.waitUntil(lambda: canvas.renderer.startswith("Without OpenGL"))
    assert grabbed(qtbot, canvas).max() > 60


def test_without_opengl_the_canvas_says_so_and_works(
    qtbot: QtBot, view: ViewModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AGGVIEWER_CANVAS", raising=False)
    monkeypatch.setattr("aggviewer.canvas.create.missing_opengl", lambda: "no OpenGL context could be made")
    canvas = create_canvas(None, view)
    assert canvas.notice == "The discs are drawn without OpenGL: no OpenGL context could be made."
    canvas.close()
    monkeypatch.setenv("AGGVIEWER_CANVAS", "crayon")
    with pytest.raises(InputError, match="opengl or painter"):
        create_canvas(None, view)


@BOTH
def test_nothing_is_compiled_while_the_window_is_in_use(
    qtbot: QtBot, make_canvas: MakeCanvas, view: ViewModel, kind: str
) -> None:
    every = [kernels.gather, kernels.paint, kernels.resolve, kernels.pick]
    canvas = make_canvas(kind)
    for count, unequal, periodic in ((50, True, True), (50, False, False), (30_000, True, False)):
        crowd(canvas, count, unequal=unequal, periodic=periodic)
        for view.background in ("black", "white"):
            grabbed(qtbot, canvas)
            canvas.snapshot(64, 48)
            canvas.snapshot(64, 48, transparent=True)
        canvas.disc_at(50.0, 50.0)
    assert [len(kernel.signatures) for kernel in every] == [1, 1, 1, 1], "those of the warm-up"
