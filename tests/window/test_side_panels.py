"""Panels at the sides of a narrow window, and a theme that reaches all who listen."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from aggviewer.style.theme import LIGHT, Colors, WindowTheme
from aggviewer.window.main_window import MainWindow
from aggviewer.window.side_panels import SidePanels
from tests.waiting import laid_out
from tests.window.conftest import part_of, window_again

window = window_again


def leave(window: MainWindow) -> None:
    """Esc; messages and a field with the focus are left first."""
    for _ in range(4):
        if window.plots.enlarged is not None:
            window.commands.run("view.leave")


def picture_share(window: MainWindow) -> float:
    return window.stage.width() / window.width()


def test_in_a_narrow_window_the_plots_are_a_tab_beside_the_parameters(held: MainWindow, qtbot: QtBot) -> None:
    held.resize(1024, 700)
    laid_out(held)
    assert part_of(held, SidePanels).together
    assert part_of(held, SidePanels).is_covered(part_of(held, SidePanels).right)
    assert picture_share(held) > 0.65
    held.commands.run("plots.2")  # a plot that is asked for comes to the front
    laid_out(held)
    assert not part_of(held, SidePanels).is_covered(part_of(held, SidePanels).right)
    assert held.plots.enlarged == 2
    assert picture_share(held) == pytest.approx(0.5, abs=0.01), "as wide as the picture"
    leave(held)
    assert held.plots.enlarged is None
    laid_out(held)
    assert picture_share(held) > 0.65
    held.commands.run("view.parameters")
    laid_out(held)
    assert part_of(held, SidePanels).is_covered(part_of(held, SidePanels).right)
    assert not part_of(held, SidePanels).left.isHidden()
    held.resize(1300, 700)
    laid_out(held)
    assert not part_of(held, SidePanels).together
    assert not part_of(held, SidePanels).right.visibleRegion().isEmpty()
    assert not part_of(held, SidePanels).left.visibleRegion().isEmpty()


def test_an_enlarged_plot_is_as_wide_as_the_picture_until_it_is_left(held: MainWindow, qtbot: QtBot) -> None:
    panels = part_of(held, SidePanels)
    held.resize(1300, 720)
    laid_out(held)
    before = held.stage.geometry(), panels.right.width()
    for way_back in ("plots.4", "view.leave", "view.plots"):
        held.commands.run("plots.4")
        laid_out(held)
        assert held.plots.seen == (4,)
        assert abs(panels.right.width() - held.stage.width()) < 4
        assert held.stage.x() == before[0].x(), "the picture stays where it begins"
        held.resize(1500, 720)
        laid_out(held)
        assert abs(panels.right.width() - held.stage.width()) < 4
        held.resize(1300, 720)
        leave(held) if way_back == "view.leave" else held.commands.run(way_back)
        laid_out(held)
        assert held.plots.enlarged is None
    held.commands.run("view.plots")
    laid_out(held)
    assert (held.stage.geometry(), panels.right.width()) == before


def test_a_listener_that_fails_does_not_keep_a_theme_from_others(window: MainWindow, qtbot: QtBot) -> None:
    def fail(colors: Colors) -> None:
        raise ValueError(colors.window)

    theme = part_of(window, WindowTheme)
    told: list[Colors] = []
    window.session.view.theme = "dark"
    theme.changed.connect(fail)
    theme.changed.connect(told.append)
    with qtbot.captureExceptions() as caught:
        window.session.view.theme = "light"
    theme.changed.disconnect(fail)
    theme.changed.disconnect(told.append)
    assert [str(error) for _, error, _ in caught] == [LIGHT.window]
    assert told == [LIGHT]
