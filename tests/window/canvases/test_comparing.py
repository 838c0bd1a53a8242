"""Switching the method while it runs, and two simulations side by side, in a real window."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from aggviewer.systems.aggregation.view import METHOD, half_step
from aggviewer.systems.registry import view_of
from aggviewer.window.main_window import MainWindow
from aggviewer.window.run_display import Comparing
from engine.scenario import Scenario
from tests.waiting import laid_out
from tests.widgets.number_fields import enter
from tests.window.conftest import part_of, window_again
from tests.window.screen import turn
from tests.window.watching import compare, settled, wait_for

STEPPING = "time-stepping"


window = window_again


def methods(window: MainWindow) -> list[str]:
    return [lane.method for lane in window.session.status().lanes]


def side_by_side(window: MainWindow, qtbot: QtBot) -> None:
    """Both methods, with a frame in each picture."""
    compare(window)
    wait_for(qtbot, lambda: methods(window) == ["event-driven", STEPPING])


def times(window: MainWindow) -> list[float]:
    found = [window.refresher.shown(lane) for lane in (0, 1)]
    return [shown.frame.time for shown in found if shown is not None]


def test_a_comparison_shows_one_time_with_two_headers_and_both_curves(held: MainWindow, qtbot: QtBot) -> None:
    side_by_side(held, qtbot)
    held.session.set_speed(6.0)
    held.session.run()
    seen: list[list[float]] = []

    def look() -> bool:
        seen.append(times(held))
        return held.session.status().clusters < 120

    wait_for(qtbot, look)
    assert all(len(set(pair)) == 1 for pair in seen), "both show the same time"
    held.session.pause()
    settled(held, qtbot)
    wait_for(qtbot, lambda: len(set(times(held))) == 1)
    headers = held.canvases.headers
    assert [header.method.currentData() for header in headers] == ["event-driven", STEPPING]
    assert all(header.isVisible() for header in headers)
    wait_for(qtbot, lambda: "M = " in headers[1].state.text())
    for card in held.plots.cards[:4]:  # both curves are in every plot
        wait_for(qtbot, lambda card=card: card.view.value.count("<b>") >= 2)  # type: ignore[misc]


def test_the_views_move_together_and_what_is_looked_at_stays_when_it_begins_and_ends(
    held: MainWindow, qtbot: QtBot
) -> None:
    held.canvases.zoom_to(3.0, 5.0)
    before = held.canvas.place
    assert before is not None, "not the whole box"
    side_by_side(held, qtbot)
    left, right = held.canvases.canvases
    assert left.place == right.place == before

    def same() -> bool:
        a, b = left.camera, right.camera
        return (a.x, a.y, a.scale) == (b.x, b.y, b.scale)

    middle = QPointF(left.width() / 3, left.height() / 3)
    scale = left.camera.scale
    for canvas in (left, right):
        turn(canvas, 120, at=middle)
        assert same()
        assert left.camera.scale > scale
        scale = left.camera.scale
    right.pan(20.0, -30.0)
    assert same()
    qtbot.keyClick(held, Qt.Key.Key_F)
    assert same()
    assert left.camera.scale < scale
    for width in (1100, 1101):
        held.resize(width, 720)
        laid_out(held)
        assert left.width() == right.width()
        assert same()
    held.canvases.zoom_to(3.0, 5.0)
    before = left.place
    qtbot.keyClick(held, Qt.Key.Key_C)
    wait_for(qtbot, lambda: methods(held) == ["event-driven"] and len(held.canvases.canvases) == 1)
    assert held.canvases.headers[0].isHidden()
    laid_out(held)
    assert held.canvas.place == before


@pytest.mark.slow
def test_a_step_chosen_above_a_picture_is_that_side_s_own(held: MainWindow, qtbot: QtBot) -> None:
    held.commands.run("method.compare_steps")
    wait_for(qtbot, lambda: methods(held) == [STEPPING, STEPPING] and part_of(held, Comparing).on)
    fractions = [s.aggregation.time_stepping.fraction for s in part_of(held, Comparing).scenarios]
    assert fractions == [0.5, 0.25]
    enter(held.canvases.headers[1].step, 0.125)
    wait_for(
        qtbot,
        lambda: [s.aggregation.time_stepping.fraction for s in part_of(held, Comparing).scenarios] == [0.5, 0.125],
    )
    held.canvases.headers[1].method.setCurrentIndex(0)
    held.canvases.headers[1].method.activated.emit(0)
    wait_for(qtbot, lambda: methods(held) == [STEPPING, "event-driven"])
    wait_for(qtbot, lambda: not held.canvases.headers[1].step.isVisible())
    qtbot.keyClick(held, Qt.Key.Key_E)  # the sides change places
    wait_for(qtbot, lambda: methods(held) == ["event-driven", STEPPING])


def test_runs_have_names_that_tell_them_apart() -> None:
    plain = Scenario()
    stepping = plain.with_values({METHOD: STEPPING})
    assert [run.name for run in view_of("aggregation").run_styles([plain, stepping])] == ["ED", "TS"]
    half = stepping.with_values(half_step(stepping))
    assert [(run.name, run.shade) for run in view_of("aggregation").run_styles([stepping, half])] == [
        ("f = 0.5", 0),
        ("f = 0.25", 1),
    ]
    fixed = stepping.with_values({"aggregation.time_stepping.step": 0.02})
    assert half_step(fixed) == {"aggregation.time_stepping.step": 0.01}
    assert [run.name for run in view_of("aggregation").run_styles([fixed])] == ["TS"]
