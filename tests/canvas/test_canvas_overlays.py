"""Box, scale bar, legend and time over the discs: there, readable, and as large as the picture asks for."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt6.QtGui import QFont
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer.canvas import colors
from aggviewer.canvas.overlays import Ink
from aggviewer.session.coloring import Coloring
from aggviewer.session.view import ViewModel

from .conftest import PLAIN, MakeCanvas, grabbed
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
