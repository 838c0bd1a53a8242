"""The mode inside one step in the real window: in, on, out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6 import sip
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot

from aggviewer.extensions.stepping.mode import StepView
from aggviewer.extensions.stepping.tracing import NO_STEPS
from aggviewer.window.main_window import MainWindow
from aggviewer.window.run_display import Comparing
from tests.window.canvases.test_comparing import STEPPING, methods, side_by_side
from tests.window.conftest import hold, part_of, window_again
from tests.window.watching import settled, state, wait_for

window = window_again


def stepping(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_T)
    wait_for(qtbot, lambda: methods(window) == [STEPPING])
    wait_for(qtbot, lambda: window.commands.action("method.inside").isEnabled())


def entered(window: MainWindow, qtbot: QtBot) -> None:
    wait_for(qtbot, lambda: window.commands.action("method.inside").isEnabled())
    qtbot.keyClick(window, Qt.Key.Key_I)
    wait_for(qtbot, lambda: part_of(window, StepView).mode.story is not None)


def test_the_event_driven_method_has_nothing_to_look_into(held: MainWindow, qtbot: QtBot) -> None:
    action = held.commands.action("method.inside")
    wait_for(qtbot, lambda: not action.isEnabled())
    assert action.toolTip() == NO_STEPS
    part_of(held, StepView).toggle()
    assert not part_of(held, StepView).on


def test_the_view_inside_a_step_opens_goes_to_the_next_step_and_closes(held: MainWindow, qtbot: QtBot) -> None:
    stepping(held, qtbot)
    held.session.run()
    wait_for(qtbot, lambda: held.session.status().clusters < 200)
    entered(held, qtbot)
    assert state(held) == "paused"
    assert held.transport.isHidden()
    assert part_of(held, StepView).mode.bar.isVisible()
    assert held.commands.action("method.inside").isChecked()
    first = part_of(held, StepView).mode.story
    assert first is not None
    assert first.collides
    part_of(held, StepView).mode.bar.next_asked.emit()
    wait_for(qtbot, lambda: part_of(held, StepView).mode.story not in (None, first))
    following = part_of(held, StepView).mode.story
    assert following is not None
    assert following.trace.time >= first.trace.time + first.trace.dt
    qtbot.keyClick(held, Qt.Key.Key_Escape)
    assert not part_of(held, StepView).on
    assert held.transport.isVisible()
    settled(held, qtbot)
    held.session.run()
    time = held.session.status().time
    wait_for(qtbot, lambda: held.session.status().time > time)


def test_tuning_stays_in_the_mode_and_another_run_or_method_leaves_it(held: MainWindow, qtbot: QtBot) -> None:
    stepping(held, qtbot)
    entered(held, qtbot)
    held.session.set_parameter("aggregation.damping.alpha", 0.05)
    wait_for(qtbot, lambda: part_of(held, Comparing).scenarios[0].aggregation.damping.alpha == 0.05)
    assert part_of(held, StepView).on
    part_of(held, StepView).mode.bar.next_asked.emit()
    wait_for(qtbot, lambda: part_of(held, StepView).mode.story is not None)
    held.session.restart()
    wait_for(qtbot, lambda: not part_of(held, StepView).on)
    settled(held, qtbot)  # else the news of the restart leaves the view once more
    entered(held, qtbot)
    held.session.run()
    wait_for(qtbot, lambda: not part_of(held, StepView).on)
    held.session.pause()
    wait_for(qtbot, lambda: state(held) == "paused")
    entered(held, qtbot)
    held.session.set_parameter("aggregation.method", "event-driven")
    wait_for(qtbot, lambda: not part_of(held, StepView).on)


def test_in_a_comparison_the_view_inside_a_step_shows_the_time_stepping_side(
    make_window: Callable[[], MainWindow], qtbot: QtBot, small: Path
) -> None:
    held = make_window()
    hold(held, small)
    side_by_side(held, qtbot)
    held.session.run()
    wait_for(qtbot, lambda: held.session.status().clusters < 200)
    right = held.canvases.canvases[1]
    entered(held, qtbot)
    wait_for(qtbot, lambda: right.scene.data("steps") is not None)
    assert held.canvas.scene.data("steps") is None
    part_of(held, StepView).leave()
    assert right.scene.data("steps") is None
    held.session.compare(None)
    wait_for(qtbot, lambda: sip.isdeleted(right))
    held.close()
    assert held.isHidden()
