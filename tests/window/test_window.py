"""The real window: what a person does with it, and what can be seen then."""

from __future__ import annotations

import gc
import sys
import threading
from pathlib import Path
from weakref import ref

import numpy as np
import pytest
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer.session import Status
from aggviewer.style.theme import WindowTheme
from aggviewer.systems.registry import view_of
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from aggviewer.window.side_panels import SidePanels
from tests.window.conftest import part_of, put_away, shown, window_again, window_with
from tests.window.watching import settled, state, time_shown, wait_for

window = window_again


def test_keys_run_pause_step_and_restart(held: MainWindow, qtbot: QtBot) -> None:
    def press(key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> Status:
        qtbot.keyClick(held, key, modifier)
        settled(held, qtbot)
        return held.session.status()

    qtbot.keyClick(held, Qt.Key.Key_Space)
    wait_for(qtbot, lambda: time_shown(held) > 0.1 and held.session.status().clusters < 225)
    assert held.transport.run_button.text() == "Pause"
    assert held.transport.time.text().startswith("t = ")
    assert press(Qt.Key.Key_Space).state == "paused"
    assert held.transport.run_button.text() == "Run"
    before = held.canvas.snapshot(300, 300).copy()
    settled(held, qtbot)
    assert np.array_equal(held.canvas.snapshot(300, 300), before)
    assert press(Qt.Key.Key_R).time == 0.0
    for wanted in (1, 2):
        events = press(Qt.Key.Key_Right).events
        assert events["merge"] + events["wall"] == wanted
    time = held.session.status().time
    assert press(Qt.Key.Key_Period).time - time == pytest.approx(held.transport.speed.number / 60.0)
    seed = held.session.scenario.seed
    press(Qt.Key.Key_R, Qt.KeyboardModifier.ShiftModifier)
    assert held.session.scenario.seed != seed


def test_a_bad_parameter_keeps_the_run_and_says_so_at_the_field(
    held: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, str]] = []
    monkeypatch.setattr(held.parameters, "show_error", lambda key, message: told.append((key, message)))
    held.session.run()
    wait_for(qtbot, lambda: time_shown(held) > 0.0)
    assert held.session.scenario is not None
    held.session.load(held.session.scenario.with_values({"discs.volume_fraction": 0.9}))
    wait_for(qtbot, lambda: bool(told))
    assert told[0][0] == "discs.volume_fraction"
    assert [toast.notice.key for toast in held.stage.toasts.toasts] == ["discs.volume_fraction"]
    assert held.stage.toasts.toasts[0].title.text().startswith("Volume fraction must be")
    reached = time_shown(held)
    wait_for(qtbot, lambda: state(held) == "running" and time_shown(held) > reached)
    assert held.session.scenario.discs.volume_fraction == 0.2


def test_hovering_tells_about_the_disc(held: MainWindow, qtbot: QtBot) -> None:
    shown = held.refresher.shown()
    assert shown is not None
    held.canvas.hovered.emit(7)
    radius, speed = shown.disc_set.radii[7], np.hypot(*shown.frame.velocities[7])
    said = held.status.hover.toolTip()
    assert said.startswith(
        f"disc 7, cluster 7, R = {radius:.3g}, cluster size 1 disc, |V| = {speed:.3g} length/time, arg V = "
    )
    assert said.endswith("°, time since the last merge 0 time, R / ⟨R⟩ = 1")
    held.canvas.hovered.emit(-1)
    assert held.status.hover.toolTip() == ""


def test_an_exception_in_a_slot_becomes_a_message(
    held: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # pytest-qt's own is put back afterwards
    notices = held.session.notices
    notices.install(tmp_path / "log")
    try:

        def fail() -> None:
            raise ZeroDivisionError("a defect in a slot")

        QTimer.singleShot(0, fail)
        wait_for(qtbot, lambda: bool(held.stage.toasts.toasts))
    finally:
        notices.uninstall()
    toast = held.stage.toasts.toasts[0]
    assert "a defect in a slot" in toast.notice.text
    assert "Traceback" in toast.notice.details
    held.session.step_event()
    settled(held, qtbot)
    assert held.session.status().clusters <= 225


def test_a_failing_simulation_leaves_the_window_alive(
    held: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulation = held.session._runner.lanes[0].simulation
    assert simulation is not None

    def fail(*_args: object, **_more: object) -> None:
        raise RuntimeError("a defect in the engine")

    monkeypatch.setattr(simulation, "advance", fail)
    held.session.run()
    wait_for(qtbot, lambda: state(held) == "failed")
    wait_for(qtbot, lambda: bool(held.stage.toasts.toasts))
    qtbot.keyClick(held, Qt.Key.Key_R)
    wait_for(qtbot, lambda: state(held) == "running" and time_shown(held) > 0.0)


def first_window(settings: WindowSettings, qtbot: QtBot, small: Path) -> ref[MainWindow]:
    """A window is opened, used and closed."""
    before = set(threading.enumerate())
    window = shown(settings)
    assert window.canvas.hasFocus()
    window.session.open(small, run=True)
    wait_for(qtbot, lambda: window.canvas.frames_drawn > 2)
    assert window.canvas.hasFocus()
    window.session.view.background = "white"
    window.session.view.theme = "light"
    window.commands.run("view.plots")
    assert part_of(window, SidePanels).right.isHidden()
    window.close()
    assert not [thread.name for thread in threading.enumerate() if thread not in before]
    put_away([window])  # closes it again, which does no harm
    return ref(window)


@pytest.mark.usefixtures("qapp", "compiled")
def test_focus_at_the_start_threads_at_the_end_what_is_remembered_and_that_it_is_freed(
    settings: WindowSettings, qtbot: QtBot, small: Path
) -> None:
    first = first_window(settings, qtbot, small)
    second = shown(settings)
    assert part_of(second, SidePanels).right.isHidden()
    assert (second.session.view.background, second.session.view.theme) == ("white", "light")
    assert not part_of(second, WindowTheme).dark
    put_away([second])
    gc.collect()
    assert first() is None, "with all that belongs to it"


def test_a_window_opens_with_garbage_in_its_settings(qapp: QApplication, qtbot: QtBot, compiled: None, tmp_path: Path):
    path = tmp_path / "broken.ini"
    path.write_text('[window]\ngeometry=@ByteArray(zzz)\ndocks=5\n[General]\nview="{\\"colormap\\": \\"none\\"}"\n')
    window = window_with(WindowSettings(path), measuring_view_of=view_of)
    try:
        window.show()
        qtbot.waitExposed(window)
        assert window.session.view.colormap == "viridis"
        assert window.width() > 300
    finally:
        window.close()
        window.deleteLater()
