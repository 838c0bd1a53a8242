"""Box, scale bar, legend and time over the discs: there, readable, and as large as the picture asks for."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt6.QtCore import QRectF
from PyQt6.QtGui import QColor, QFont
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer.canvas.overlays import LegendInk
from aggviewer.document.view import ViewModel
from aggviewer.session.coloring import Coloring
from tests.builders.color_vision import contrast

from .conftest import PLAIN, MakeCanvas, grabbed
from .drawing import show


@pytest.mark.parametrize("background", ["dark", "white"])
def test_overlays_are_in_the_picture_and_readable(
    qtbot: QtBot, make_canvas: MakeCanvas, view: ViewModel, background: str
) -> None:
    canvas = make_canvas("painter", 700, 400)
    view.background = background
    canvas.replace_discs(np.ones(2), np.array([10.0, 10.0]), False)
    coloring = Coloring("size", "Cluster size", "discs", (1.0, 1000.0), log=True)
    canvas.show_frame(np.array([[4.0, 5.0], [6.0, 5.0]]), np.ones(2, np.float32), coloring, 2.0)
    ground = np.array([*view.background_rgb, 255])
    canvas.set_time_shown(True)
    view.show_scale_bar = True
    fitted = canvas.camera
    left, top = fitted.to_pixel(0.0, 10.0)
    box = QRectF(left, top, 10.0 * fitted.scale, 10.0 * fitted.scale).toAlignedRect()
    view.show_scale_bar = False
    for field in ("show_time", "show_scale_bar", "show_legend"):
        setattr(view, field, True)
        assert canvas.camera == fitted, "what comes and goes moves nothing"
        image = canvas.snapshot(700, 400).astype(int)
        inked = np.abs(image - ground).max(2) > 0
        inked[box.top() : box.bottom() + 1, box.left() : box.right() + 1] = False
        (card,) = (one.toAlignedRect() for one in canvas.covered())
        assert not card.intersects(box), "nothing covers the box"
        place = slice(card.top(), card.bottom() + 1), slice(card.left(), card.right() + 1)
        assert inked.sum() == inked[place].sum() > 50, field
        assert np.abs(image[place][..., :3] - ground[:3]).max() > 120  # contrast
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
    view.background = background
    ink, ground = LegendInk.on(view), QColor(*view.background_rgb).name()
    for color in (ink.text, ink.quiet):
        assert contrast(QColor(*color.rgb).name(), ground) >= 4.5, color


def test_the_legend_lies_on_a_soft_ground_over_the_discs(make_canvas: MakeCanvas, view: ViewModel) -> None:
    canvas = make_canvas("painter", 700, 400)
    canvas.replace_discs(np.full(1, 2.0), np.array([10.0, 10.0]), False)
    canvas.show_frame(np.array([[6.0, 4.5]]), np.full(1, 900.0, np.float32), PLAIN, 2.0)
    canvas.set_view_rect(5.0, 3.5, 2.0, 2.0)  # one disc fills the picture
    disc = canvas.snapshot(700, 400)[..., :3].astype(int)
    view.show_legend = True
    (corner,) = canvas.covered()
    over = canvas.snapshot(700, 400)[..., :3].astype(int)
    ground = np.array(view.background_rgb)
    x, y = round(corner.left()) + 3, round(corner.center().y())
    assert np.abs(over[y, x] - ground).max() < np.abs(disc[y, x] - ground).max() / 3, "a ground for the text"
    assert (over[y, x] != ground).any(), "the disc shines through"
    beside = over.copy()
    beside[round(corner.top()) : round(corner.bottom()), round(corner.left()) : round(corner.right())] = 0
    assert (over[:100] == disc[:100]).all(), "and nothing else is hidden"


def test_in_a_window_the_transport_has_the_time(qtbot: QtBot, make_canvas: MakeCanvas, view: ViewModel) -> None:
    canvas = make_canvas("painter", 700, 400)
    show(canvas, [[6.0, 4.5]])
    view.show_time = True
    assert canvas.covered() == []
    canvas.set_time_shown(True)
    assert len(canvas.covered()) == 1


def test_a_tiny_picture_has_no_legend(make_canvas: MakeCanvas, view: ViewModel) -> None:
    view.show_time = view.show_scale_bar = view.show_legend = True
    canvas = make_canvas("painter", 700, 400)
    show(canvas, [[6.0, 4.5]])
    assert (canvas.snapshot(100, 90)[-8:, :, :3] == np.array(view.background_rgb)).all()


def test_large_type_makes_the_overlays_larger_and_goes_again(
    qtbot: QtBot, make_canvas: MakeCanvas, view: ViewModel
) -> None:
    view.show_time = view.show_scale_bar = view.show_legend = True
    canvas = make_canvas("painter", 700, 400)
    canvas.set_time_shown(True)
    show(canvas, [[6.0, 4.5]])
    usual = canvas.font()
    large = QFont(usual)
    large.setPointSizeF(2.0 * usual.pointSizeF())

    def ink() -> int:
        QApplication.processEvents()
        return int((grabbed(qtbot, canvas)[-200:].min(2) > 100).sum())

    before = ink()
    assert before > 0
    canvas.setFont(large)
    assert ink() > 1.5 * before
    canvas.setFont(usual)
    assert ink() == before
