"""The bar below the picture at every width of the window: nothing touches, nothing is cut off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from PyQt6.QtCore import QRect, Qt
from PyQt6.QtGui import QFontMetrics
from PyQt6.QtWidgets import QLabel, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.style import numbers
from aggviewer.systems.registry import view_of
from aggviewer.window.main_window import MainWindow
from aggviewer.window.side_panels import SidePanels
from tests.waiting import laid_out
from tests.window.conftest import SYSTEMS, hold, part_of, window_again
from tests.window.watching import settled, wait_for

WIDTHS = (900, 1060, 1280)
"""Between the narrowest window and the one in which every part of the bar is there."""


window = window_again


@pytest.fixture(params=["aggregation", pytest.param("jamming", marks=pytest.mark.slow)])
def one(request: pytest.FixtureRequest, window: MainWindow, qtbot: QtBot, tmp_path: Path, all_compiled: None):
    """A window with discs after three steps, paused; both panels are open. Systems differ in what the clock counts:
    time, or iterations."""
    path = tmp_path / f"{request.param}.toml"
    path.write_text(SYSTEMS[request.param])
    hold(window, path)
    for _ in range(3):
        window.session.step_event()
    settled(window, qtbot)
    assert part_of(window, SidePanels).left.isVisible()
    assert part_of(window, SidePanels).right.isVisible()
    return window


@contextmanager
def only_the_bar_is_painted(window: MainWindow) -> Iterator[None]:
    """Nobody looks at picture and panels here: to paint them at each width is most of the work. They are laid out."""
    panels = part_of(window, SidePanels)
    others = window.canvas, panels.left, panels.right
    for other in others:
        other.setUpdatesEnabled(False)
    yield
    for other in others:
        other.setUpdatesEnabled(True)


def assert_tidy(window: MainWindow, widths: Sequence[int] = WIDTHS) -> None:
    """No two parts of the bar touch, none is cut off, at any width."""
    with only_the_bar_is_painted(window):
        for width in widths:
            assert_tidy_at(window, width)


def assert_tidy_at(window: MainWindow, width: int) -> None:
    """At this width."""
    window.resize(width, 800)
    bar = window.transport
    laid_out(bar)
    assert window.width() == width
    children = bar.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    parts = sorted((one for one in children if one.isVisible() and one is not bar.timeline), key=lambda part: part.x())
    assert bar.run_button in parts
    assert bar.speed in parts
    for left, right in pairwise(parts):
        assert right.x() - left.geometry().right() > 4, (width, left, right)
    assert parts[0].x() >= 8
    assert parts[-1].geometry().right() < bar.width() - 8, width
    for part in parts:
        assert part.height() >= part.minimumSizeHint().height()
        assert part.width() >= (56 if part is bar.speed else part.minimumSizeHint().width()), (width, part)
        if isinstance(part, QLabel):
            assert QFontMetrics(part.font()).horizontalAdvance(part.text()) <= part.width(), (width, part.text())
        if isinstance(part, QToolButton):
            assert bar.rect().contains(QRect(part.pos(), part.size()))
    assert bar.timeline.geometry().bottom() < bar.run_button.y()


def test_at_every_width_with_a_run_its_past_and_a_recording(one: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    assert_tidy(one)
    one.session.step_back()
    wait_for(qtbot, lambda: one.transport.past_buttons["run.live"].isVisible())
    assert_tidy(one, WIDTHS[::2])
    assert not one.transport.buttons["run.new_seed"].isVisible()
    one.commands.run("run.fastest")
    assert_tidy(one, WIDTHS[1:2])  # the same parts with another word in one of them
    path = tmp_path / "run.gsd"
    one.session.record(path, 1.0 if one.plots.kind == "jamming" else 0.001)
    for _ in range(3):
        one.session.step_event()
    one.session.stop_recording()
    settled(one, qtbot)
    one.session.open(path, run=False)
    wait_for(qtbot, lambda: one.transport.buttons["run.loop"].isVisible())
    assert_tidy(one, WIDTHS[::2])
    assert one.transport.past_buttons["run.start_here"].isVisible()


def test_the_longest_numbers_have_room_and_the_word_run_stays_there(one: MainWindow, qtbot: QtBot) -> None:
    bar = one.transport
    clock = view_of(one.plots.kind).clock
    for time in (0.0, 9.99, 999.99, 99_999.0, 1.234e5, 1e12):
        text = numbers.moment(time if not clock.counts else min(time, 99_999.0), clock)
        assert QFontMetrics(bar.time.font()).horizontalAdvance(text) <= bar.time.width(), text
    for speed in (0.01, 0.012, 9.9, 1000.0):
        text = numbers.pace(speed, clock)
        assert QFontMetrics(bar.value.font()).horizontalAdvance(text) <= bar.value.minimumWidth(), text
    said = bar.time.text()
    assert said not in ("start", "t = 0.00")
    one.session.view.theme = "light"
    laid_out(one)
    assert bar.time.text() == said, "another theme changes no number"
    wide = bar.run_button.width()
    assert wide > 80
    one.session.run()
    wait_for(qtbot, lambda: bar.run_button.text() == "Pause" or one.session.status().state == "finished")
    assert bar.run_button.width() == wide
