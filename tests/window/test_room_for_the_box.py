"""The picture has most of the window: how large the box is beside both panels, and that nothing is cut there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from PyQt6.QtCore import QRectF
from pytestqt.qtbot import QtBot

from aggviewer.canvas.in_view import to_pixels
from aggviewer.extensions.lessons.lessons import Lessons
from aggviewer.widgets.buttons import FoldButton
from aggviewer.window.main_window import MainWindow
from tests.waiting import laid_out, wait_until
from tests.window.conftest import hold, part_of, window_again

window = window_again

SIZES = {(1280, 720): 560.0, (1440, 900): 720.0}
"""The size of the window, and the least side of the box."""


@pytest.fixture
def sized(window: MainWindow) -> Iterator[MainWindow]:
    """The window with both panels, put back to the full window afterwards."""
    yield window
    window.session.document.panels.everything = True


def box_of(window: MainWindow) -> QRectF:
    """The box in pixels of the picture; in space what is seen of it."""
    canvas = window.canvas
    corners = to_pixels(np.array(list(product(*((0.0, side) for side in canvas.scene.sides)))), canvas.camera)
    (left, top), (right, bottom) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return QRectF(left, top, right - left, bottom - top)


def resized(window: MainWindow, size: tuple[int, int]) -> None:
    window.resize(*size)
    wait_until(lambda: (window.width(), window.height()) == size)
    laid_out(window)


def cut_names(window: MainWindow) -> list[str]:
    """The titles of plots that end with an ellipsis."""
    return [head.text() for head in window.plots.findChildren(FoldButton) if head.isVisible() and "…" in head.text()]


@pytest.mark.parametrize("name", ["lattice-400", "jam-256", "spheres-heap", "spheres-2500"])
def test_the_box_has_most_of_the_window_beside_both_panels(sized: MainWindow, name: str, all_compiled: None) -> None:
    hold(sized, name)
    if "forces" not in sized.session.view.layers and name == "jam-256":
        sized.session.view.layers = (*sized.session.view.layers, "forces")
    for everything, (size, least) in product((False, True), SIZES.items()):
        sized.session.document.panels.everything = everything
        resized(sized, size)
        box = box_of(sized)
        assert max(box.width(), box.height()) >= least, (everything, size)
        assert QRectF(sized.canvas.rect()).contains(box)
        covered = sized.canvas.covered()
        assert covered, "there is a legend"
        assert not [rect for rect in covered if rect.intersects(box)], "nothing lies over the discs"
        form = sized.parameters.form
        content, view = form.widget(), form.viewport()
        assert content is not None
        assert view is not None
        assert content.width() <= view.width(), "no parameter is cut at the right"
        assert cut_names(sized) == []
    sized.commands.run("plots.1")  # a narrow picture: the legend is below the box
    resized(sized, (1280, 720))
    box, covered = box_of(sized), sized.canvas.covered()
    sized.commands.run("plots.1")
    assert covered
    assert not [rect for rect in covered if rect.intersects(box)], "nor is it over discs below them"


@pytest.mark.extension("lessons")
def test_the_box_keeps_its_size_in_a_lesson(sized: MainWindow, qtbot: QtBot, all_compiled: None) -> None:
    resized(sized, (1280, 720))
    lessons = part_of(sized, Lessons)
    lessons.begin(lessons.bundled[1])
    wait_until(lambda: lessons.classroom.settled)
    laid_out(sized)
    box = box_of(sized)
    lessons.leave()
    assert max(box.width(), box.height()) >= 560.0
