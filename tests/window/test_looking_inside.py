"""The mode inside one step in the real window: in, on, out."""

from __future__ import annotations

from PyQt6 import sip
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot

from aggviewer.session.load.tracing import NO_STEPS
from aggviewer.window.main_window import MainWindow
from aggviewer.window.step_view.mode import ONE_CLUSTER
from tests.window.test_comparing import STEPPING, methods, side_by_side
from tests.window.watching import settled, state, wait_for


def stepping(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_T)
    wait_for(qtbot, lambda: methods(window) == [STEPPING])
    wait_for(qtbot, lambda: window.commands.action("method.inside").isEnabled())


def entered(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_I)
    wait_for(qtbot, lambda: window.inside.mode.story is not None)


def test_the_event_driven_method_has_nothing_to_look_into(held: MainWindow, qtbot: QtBot) -> None:
    action = held.commands.action("method.inside")
    wait_for(qtbot, lambda: not action.isEnabled())
    assert action.toolTip() == NO_STEPS
    held.inside.toggle()
    assert not held.inside.on


def test_in_on_and_out(held: MainWindow, qtbot: QtBot) -> None:
    stepping(held, qtbot)
    held.session.run()
    wait_for(qtbot, lambda: held.session.status().clusters < 200)
    entered(held, qtbot)
    assert state(held) == "paused"
    assert held.transport.isHidden()
    assert held.inside.mode.bar.isVisible()
    assert held.commands.action("method.inside").isChecked()
    first = held.inside.mode.story
    assert first is not None
    assert first.collides
    held.inside.mode.bar.next_asked.emit()
    wait_for(qtbot, lambda: held.inside.mode.story not in (None, first))
    following = held.inside.mode.story
    assert following is not None
    assert following.trace.time >= first.trace.time + first.trace.dt
    qtbot.keyClick(held, Qt.Key.Key_Escape)
    assert not held.inside.on
    assert held.transport.isVisible()
    settled(held, qtbot)
    held.session.run()
    time = held.session.status().time
    wait_for(qtbot, lambda: held.session.status().time > time)


def test_tuning_stays_in_the_mode_and_another_method_leaves_it(held: MainWindow, qtbot: QtBot) -> None:
    stepping(held, qtbot)
    entered(held, qtbot)
    held.session.set_parameter("aggregation.damping.alpha", 0.05)
    wait_for(qtbot, lambda: held.comparing.scenarios[0].aggregation.damping.alpha == 0.05)
    assert held.inside.on
    held.inside.mode.bar.next_asked.emit()
    wait_for(qtbot, lambda: held.inside.mode.story is not None)
    held.session.set_parameter("aggregation.method", "event-driven")
    wait_for(qtbot, lambda: not held.inside.on)


def test_another_scenario_or_a_run_leaves_it(held: MainWindow, qtbot: QtBot) -> None:
    stepping(held, qtbot)
    entered(held, qtbot)
    held.session.restart()
    wait_for(qtbot, lambda: not held.inside.on)
    entered(held, qtbot)
    held.session.run()
    wait_for(qtbot, lambda: not held.inside.on)


def test_in_a_comparison_it_is_the_side_with_steps(held: MainWindow, qtbot: QtBot) -> None:
    side_by_side(held, qtbot)
    wait_for(qtbot, lambda: held.commands.action("method.inside").isEnabled())
    right = held.pictures.canvases[1]
    entered(held, qtbot)
    wait_for(qtbot, lambda: right.scene.data("steps") is not None)
    assert held.canvas.scene.data("steps") is None
    held.inside.leave()
    assert right.scene.data("steps") is None


def test_when_one_cluster_is_left_the_reason_is_told(held: MainWindow, qtbot: QtBot) -> None:
    stepping(held, qtbot)
    held.toggle_fastest()
    held.session.run()
    wait_for(qtbot, lambda: state(held) == "finished")
    wait_for(qtbot, lambda: held.commands.action("method.inside").toolTip() == ONE_CLUSTER)


def test_the_window_closes_after_the_picture_that_was_looked_into_has_gone(held: MainWindow, qtbot: QtBot) -> None:
    side_by_side(held, qtbot)
    held.session.run()
    wait_for(qtbot, lambda: held.session.status().clusters < 200)
    entered(held, qtbot)
    gone = held.inside.mode._canvas
    assert gone is held.pictures.canvases[1]
    held.inside.leave()
    held.session.compare(None)
    wait_for(qtbot, lambda: sip.isdeleted(gone))
    held.close()
    assert held.isHidden()
