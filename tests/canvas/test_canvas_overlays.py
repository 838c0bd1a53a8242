"""Box, scale bar, legend and time over the discs: there, readable, and as large as the picture asks for."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt6.QtGui import QFont
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer.canvas.layers.registry import layers
from aggviewer.canvas.layers.tracks import Tracks
from aggviewer.canvas.overlays import LegendInk, Overlays
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.session.publish.coloring import Coloring

from .conftest import MakeCanvas, grabbed
from .drawing import BOTH, show


@pytest.mark.parametrize("background", ["dark", "white"])
def test_overlays_are_in_the_picture_and_readable(
    qtbot: QtBot, make_canvas: MakeCanvas, view: ViewModel, background: str
) -> None:
    canvas = make_canvas("painter", 700, 400)
    view.background = background
    canvas.set_system(np.ones(2), np.array([10.0, 10.0]), False)
    coloring = Coloring("size", "Cluster size", "discs", (1.0, 1000.0), log=True)
    canvas.show_frame(np.array([[4.0, 5.0], [6.0, 5.0]]), np.ones(2, np.float32), coloring, 2.0)
    ground = np.array([*view.background_rgb, 255])
    sides = {"show_time": slice(0, 350), "show_scale_bar": slice(0, 350), "show_legend": slice(350, 700)}
    for field, side in sides.items():
        assert canvas.camera.below == 0.0
        setattr(view, field, True)
        below = int(canvas.camera.below)
        assert 20 < below < 80, field
        image = canvas.snapshot(700, 400).astype(int)
        strip = image[400 - below :]
        inked = np.abs(strip - ground).max(2) > 0
        assert inked[:, side].sum() > 50
        assert inked.sum() == inked[:, side].sum()
        assert np.abs(strip[..., :3] - ground[:3]).max() > 120  # contrast
        if canvas.devicePixelRatioF() == 1.0:  # the window shows it too
            assert np.abs(grabbed(qtbot, canvas).astype(int) - image[..., :3]).mean() < 1.0
        setattr(view, field, False)
    plain = canvas.snapshot(700, 400).astype(int)
    assert (plain[0] == ground).all()
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
    foot = slice(-300, None)
    plain = canvas.snapshot(3840, 2160)[foot].astype(int)
    view.show_time = True
    changed = np.abs(canvas.snapshot(3840, 2160)[foot].astype(int) - plain).max(2) > 60
    rows = np.flatnonzero(changed.any(1))
    assert rows[-1] - rows[0] > 14  # a letter in a window is some 9 pixels high


@pytest.mark.parametrize("background", ["dark", "white"])
def test_overlays_are_readable_on_the_background(view: ViewModel, background: str) -> None:
    """WCAG's contrast of text, 4.5."""

    def luminance(rgb: np.ndarray) -> float:
        linear = np.where(rgb <= 10.3, rgb / 3294.6, ((rgb / 255 + 0.055) / 1.055) ** 2.4)
        return float(linear @ (0.2126, 0.7152, 0.0722))

    view.background = background
    ink = LegendInk.on(view)
    ground = luminance(np.array(view.background_rgb, float))
    for color in (ink.text, ink.quiet):
        text = luminance(np.array(color.getRgb()[:3], float))
        assert (max(text, ground) + 0.05) / (min(text, ground) + 0.05) >= 4.5, color.name()


@BOTH
@pytest.mark.parametrize("periodic", [False, True])
def test_no_disc_lies_under_the_legend_at_any_zoom(
    qtbot: QtBot, make_canvas: MakeCanvas, view: ViewModel, kind: str, periodic: bool
) -> None:
    view.show_time = view.show_scale_bar = view.show_legend = True
    canvas = make_canvas(kind, 700, 400)
    canvas.set_system(np.full(1, 2.0), np.array([10.0, 10.0]), periodic)
    coloring = Coloring("size", "Cluster size", "discs", (1.0, 1000.0), log=True)
    canvas.show_frame(np.array([[6.0, 4.5]]), np.full(1, 900.0, np.float32), coloring, 2.0)
    fitted = canvas.camera
    _, foot = fitted.to_pixel(0.0, 0.0)
    assert foot < 400 - fitted.below, "the box is fitted above the legend"
    free = (slice(400 - int(fitted.below) + 2, 400), slice(352, 368))  # between the scale bar and the legend
    for _ in range(2):
        pictures = [canvas.snapshot(700, 400)[..., :3]]
        if canvas.devicePixelRatioF() == 1.0:
            pictures.append(grabbed(qtbot, canvas))
        for picture in pictures:
            assert (picture[free] == np.array(view.background_rgb)).all()
        assert canvas.disc_at(360.0, 398.0) is None
        canvas.set_view_rect(5.0, 3.5, 2.0, 2.0)  # one disc fills the picture
    large = canvas.snapshot(1400, 300)
    assert (large[-8:, :, :3].astype(int) - np.array(view.background_rgb)).max() < 60, "in another shape too"


def test_a_tiny_picture_has_no_legend(make_canvas: MakeCanvas, view: ViewModel) -> None:
    view.show_time = view.show_scale_bar = view.show_legend = True
    canvas = make_canvas("painter", 700, 400)
    show(canvas, [[6.0, 4.5]])
    assert (canvas.snapshot(100, 90)[-8:, :, :3] == np.array(view.background_rgb)).all()


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
        return int((grabbed(qtbot, canvas)[-160:, :120].min(2) > 100).sum())  # of the time

    before = ink()
    assert before > 0
    canvas.setFont(large)
    assert ink() > 2 * before
    canvas.setFont(usual)
    assert ink() == before


def test_a_layer_that_is_not_seen_makes_no_room_at_each_frame(
    make_canvas: MakeCanvas, view: ViewModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tracks are followed also while they are switched off."""
    canvas = make_canvas("painter")
    canvas.set_system(np.ones(2), np.array([10.0, 10.0]), False)
    asked: list[float] = []
    room = Overlays.room

    def counted(self: Overlays, scene: Scene, width: float, height: float) -> float:
        asked.append(scene.time)
        return room(self, scene, width, height)

    monkeypatch.setattr(Overlays, "room", counted)
    coloring = Coloring("size", "Cluster size", "discs", (1.0, 10.0))
    layer = next(layer for layer in layers() if layer.name == "tracks")
    data = Tracks(np.zeros((1, 2, 2)), np.zeros(1), 1.0)

    def frames(first: int) -> list[float]:
        asked.clear()
        for time in range(first, first + 4):
            at = np.array([[4.0, 5.0], [6.0, 5.0]])
            canvas.show_frame(at, np.ones(2, np.float32), coloring, float(time), layers={"tracks": data})
        return asked

    frames(0)
    assert frames(10) == []
    layer.show(view, True)
    assert frames(20) == [20.0, 21.0, 22.0, 23.0]
    layer.show(view, False)
    assert frames(30) == []
