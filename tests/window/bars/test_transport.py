"""The bar below the picture at every width of the window: nothing touches, nothing is cut off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from PyQt6.QtCore import QRect
from PyQt6.QtGui import QFontMetrics
from PyQt6.QtWidgets import QLabel, QToolButton
from pytestqt.qtbot import QtBot

from aggviewer.style import numbers
from aggviewer.systems.registry import view_of
from aggviewer.window.main_window import MainWindow
from aggviewer.window.panels.side_panels import SidePanels
from tests.waiting import laid_out
from tests.window.conftest import SYSTEMS, hold, part_of, window_again
from tests.window.watching import settled, wait_for

SMALL = "format = 1\nseed = 5\n[discs]\ncount = 100\nvolume_fraction = 0.2\n"
WIDTHS = (900, 930, 1000, 1060, 1150, 1280, 1440, 2560)


window = window_again


@pytest.fixture(params=SYSTEMS)
def one(request: pytest.FixtureRequest, window: MainWindow, qtbot: QtBot, tmp_path: Path, all_compiled: None):
    """A window with discs of each system, after three steps, paused; both panels are open."""
    path = tmp_path / f"{request.param}.toml"
    path.write_text(SYSTEMS[request.param])
    hold(window, path)
    assert window.plots.kind == request.param
    for _ in range(3):
        window.session.step_event()
    settled(window, qtbot)
    assert part_of(window, SidePanels).left.isVisible()
    assert part_of(window, SidePanels).right.isVisible()
    return window


@contextmanager
def only_the_bar_is_painted(window: MainWindow) -> Iterator[None]:
    """Nobody looks at picture and panels here: to paint them at forty widths is most of the work. They are laid out."""
    panels = part_of(window, SidePanels)
    others = window.canvas, panels.left, panels.right
    for other in others:
        other.setUpdatesEnabled(False)
    yield
    for other in others:
        other.setUpdatesEnabled(True)


def assert_tidy(window: MainWindow, qtbot: QtBot, widths: Sequence[int] = WIDTHS) -> None:
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
    parts = sorted((part for part in bar._row.values() if part.isVisible()), key=lambda part: part.x())
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


def test_the_present_a_look_back_and_the_fastest_pace(one: MainWindow, qtbot: QtBot) -> None:
    assert_tidy(one, qtbot)
    one.session.step_back()
    wait_for(qtbot, lambda: one.transport.past_buttons["run.live"].isVisible())
    assert_tidy(one, qtbot)
    assert not one.transport.buttons["run.new_seed"].isVisible()
    one.commands.run("run.fastest")
    assert_tidy(one, qtbot, WIDTHS[::3])  # the same parts with another word in one of them


def test_a_recording(one: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "run.gsd"
    one.session.record(path, 1.0 if one.plots.kind == "jamming" else 0.001)
    for _ in range(3):
        one.session.step_event()
    one.session.stop_recording()
    settled(one, qtbot)
    one.session.open(path, run=False)
    wait_for(qtbot, lambda: one.transport.buttons["run.loop"].isVisible())
    assert_tidy(one, qtbot)
    assert one.transport.past_buttons["run.start_here"].isVisible()


def test_the_longest_numbers_have_room(one: MainWindow, qtbot: QtBot) -> None:
    bar = one.transport
    clock = view_of(one.plots.kind).clock
    for time in (0.0, 9.99, 999.99, 99_999.0, 1.234e5, 1e12):
        text = numbers.moment(time if not clock.counts else min(time, 99_999.0), clock)
        assert QFontMetrics(bar.time.font()).horizontalAdvance(text) <= bar.time.width(), text
    for speed in (0.01, 0.012, 9.9, 1000.0):
        text = numbers.pace(speed, clock)
        assert QFontMetrics(bar.value.font()).horizontalAdvance(text) <= bar.value.minimumWidth(), text


def test_the_word_run_is_there_where_it_fits(one: MainWindow, qtbot: QtBot) -> None:
    bar = one.transport
    one.resize(1280, 800)
    laid_out(one)
    wide = bar.run_button.width()
    assert wide > 80
    one.session.run()
    wait_for(qtbot, lambda: bar.run_button.text() == "Pause" or one.session.status().state == "finished")
    assert bar.run_button.width() == wide


def test_another_theme_changes_no_number(one: MainWindow, qtbot: QtBot) -> None:
    before = one.transport.time.text()
    assert before not in ("start", "t = 0.00")
    for theme in ("light", "dark"):
        one.session.view.theme = theme
        laid_out(one)
        assert one.transport.time.text() == before
