"""Nothing has moved after presenter mode, from whatever state of the window it was begun."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PyQt6.QtWidgets import QDockWidget, QToolBar, QWidget

from aggviewer.extensions.lessons.presenting.presenter import Presenter
from aggviewer.extensions.stepping.mode import StepView
from aggviewer.style.theme import WindowTheme
from aggviewer.window.main_window import MainWindow
from aggviewer.window.side_panels import SidePanels
from tests.extensions.lessons.presenting.presenter_mode import begin_lesson, toggle, window
from tests.extensions.lessons.window.learner import Learner
from tests.extensions.lessons.window.test_lessons import look_inside
from tests.waiting import laid_out
from tests.window.conftest import part_of, wait_until

__all__ = ["window"]


def as_it_is(window: MainWindow) -> dict[str, Any]:
    """Place, size and visibility of all docks and bars, fonts, plots, view."""
    parts: list[QWidget] = [*window.findChildren(QDockWidget), *window.findChildren(QToolBar), window.transport]
    parts += [bar for bar in (window.menuBar(), window.statusBar(), window.stage) if bar is not None]
    parts += [part_of(window, Presenter).tools.bar, part_of(window, StepView).mode.bar]
    found: dict[str, Any] = {}
    for part in parts:
        name = f"{type(part).__name__} {part.objectName()}"
        shown = not part.visibleRegion().isEmpty()  # the tab that is behind another one has a place of no meaning
        found[name] = (part.geometry() if shown else None, shown, part.isHidden(), part.font().toString())
    for dock in window.findChildren(QDockWidget):
        headless = dock.titleBarWidget() is not None
        found[f"area of {dock.objectName()}"] = (window.dockWidgetArea(dock), dock.isFloating(), headless)
        found[f"unseen {dock.objectName()}"] = part_of(window, SidePanels).is_covered(dock)
    found["plots"] = (window.plots.chosen, window.plots.seen, window.plots.most)
    found["looking"] = [canvas.place for canvas in window.canvases.canvases]
    found["canvases"] = [canvas.geometry() for canvas in window.canvases.canvases]
    found["scrolled"] = scroll_bar(window).value()
    found["theme"] = part_of(window, WindowTheme).colors
    found["chosen view"] = window.session.view.model_dump()
    found["window"] = (window.size(), window.windowState(), window.font().toString())
    found["held"] = part_of(window, SidePanels).widths_fixed
    return found


def scroll_bar(window: MainWindow) -> Any:
    """Of the parameters panel."""
    return window.parameters.form.verticalScrollBar()


def floating_plots(window: MainWindow) -> None:
    part_of(window, SidePanels).right.setFloating(True)


def one_plot(window: MainWindow) -> None:
    window.plots.show_only(2)


def scrolled(window: MainWindow) -> None:
    scroll_bar(window).setValue(100)


def in_a_lesson_in_a_narrow_window(window: MainWindow) -> None:
    window.resize(1024, 700)
    begin_lesson(window)


def full_screen(window: MainWindow) -> None:
    window.commands.run("view.full_screen")
    screen = window.screen()
    assert screen is not None
    wait_until(lambda: window.isFullScreen() and window.size() == screen.size())


def in_the_projectors_theme(window: MainWindow) -> None:
    with window.session.document.unrecorded():
        window.session.view.theme = "projector"


def inside_a_step(window: MainWindow) -> None:
    learner = Learner(window)
    learner.open("inside-a-step")
    while learner.step.title != "Look inside":
        (learner.forward if learner.player.complete else learner.skip)()
    look_inside(learner)
    window.session.notices.sent.disconnect(learner._note)
    wait_until(lambda: learner.player.complete)
    assert part_of(window, StepView).on


def full_screen_with_one_floating_plot(window: MainWindow) -> None:
    floating_plots(window)
    one_plot(window)
    scrolled(window)
    full_screen(window)


STATES = (
    full_screen_with_one_floating_plot,
    inside_a_step,
    pytest.param(in_a_lesson_in_a_narrow_window, marks=pytest.mark.slow),
    pytest.param(in_the_projectors_theme, marks=pytest.mark.slow),
)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_leaving_presenter_mode_restores_the_layout(window: MainWindow, state: Callable[[MainWindow], None]) -> None:
    state(window)
    laid_out(window)
    before = as_it_is(window)
    try:
        toggle(window)
        presenting = as_it_is(window)
        assert presenting["TopBar topBar"][1] is False
        toggle(window)
        after = as_it_is(window)
        assert {name: (before[name], after[name]) for name in before if before[name] != after[name]} == {}
    finally:
        part_of(window, SidePanels).right.setFloating(False)
        if window.isFullScreen():
            window.commands.run("view.full_screen")
            wait_until(lambda: not window.isFullScreen())
