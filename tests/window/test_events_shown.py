"""Events where they happened, a collapse that stays said, and one scale of colours for two pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot

from aggviewer.document.document import Document
from aggviewer.session.builder import Engine
from aggviewer.session.commands.changes import SwitchMethod
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from tests.window.conftest import part_of, window_again
from tests.window.watching import settled, wait_for

CRADLE = """
format = 1
system = "hard-discs"
[box]
boundary = "periodic"
size = 10.0
[discs]
count = 3
arrangement = "file"
file = "cradle.csv"
[velocities]
distribution = "file"
[hard_discs]
restitution = 0.01
on_collapse = "stop"
"""
DISCS = "x,y,vx,vy,radius\n1.0,5.0,1.0,0.0,0.5\n2.5,5.0,0.0,0.0,0.5\n4.0,5.0,-1.0,0.0,0.5\n"


window = window_again


@pytest.mark.parametrize("method", ["event-driven", "time-stepping"])
def test_a_single_event_flashes_where_it_happened_and_stays_while_it_is_held(
    held: MainWindow, qtbot: QtBot, method: str
) -> None:
    if method == "time-stepping":
        held.session.give(SwitchMethod(method))
    assert not held.session.view.flash_contacts
    assert held.canvas.scene.data("flashes") is None
    qtbot.keyClick(held, Qt.Key.Key_Right)
    settled(held, qtbot)
    wait_for(qtbot, lambda: held.canvas.scene.data("flashes") is not None)
    scene, shown = held.canvas.scene, held.refresher.shown()
    assert shown is not None
    assert shown.frame.impacts is not None
    assert len(scene.data("flashes").points) >= 1
    assert (scene.data("flashes").strength == 1.0).all()
    first = shown.frame.impacts.pairs[-1][0]
    away = scene.data("flashes").points[-1] - scene.positions[first]
    assert np.hypot(*away) == pytest.approx(scene.radii[first], rel=0.05)
    held.session.view.color_by = "size"  # drawn anew
    wait_for(qtbot, lambda: held.canvas.scene.coloring.by == "size")
    assert held.canvas.scene.data("flashes") is not None
    held.session.step_frame()
    wait_for(qtbot, lambda: held.canvas.scene.data("flashes") is None)


def test_flashes_are_offered_where_frames_have_events(held: MainWindow, qtbot: QtBot) -> None:
    action = held.commands.action("view.flash_contacts")
    assert action.isEnabled()
    qtbot.keyClick(held, Qt.Key.Key_X)
    assert held.session.view.flash_contacts
    held.session.run()
    wait_for(qtbot, lambda: held.canvas.scene.data("flashes") is not None)
    next_start = Document()
    part_of(held, WindowSettings).read_document(next_start)
    assert next_start.view.flash_contacts


def test_a_collapse_is_said_and_marked_until_it_is_over(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    Engine().warm_up(lambda done, total, what: None, "hard-discs")
    (tmp_path / "cradle.csv").write_text(DISCS)
    path = tmp_path / "cradle.toml"
    path.write_text(CRADLE)
    window.session.open(path, run=True)
    wait_for(qtbot, lambda: window.session.status().state == "finished")
    wait_for(qtbot, lambda: window.canvas.scene.data("remark") is not None)
    remark = window.canvas.scene.data("remark").remark
    assert remark is not None
    assert "inelastic collapse" in remark.text
    assert len(remark.discs) >= 2
    window.stage.toasts.dismiss_last()
    wait_for(qtbot, lambda: "inelastic collapse" in window.status.state.toolTip())
    assert "finished" in window.status.state.toolTip()
    window.session.look_at(0.0)
    wait_for(qtbot, lambda: window.canvas.scene.data("remark") is None)
    wait_for(qtbot, lambda: "collapse" not in window.status.state.toolTip())
    window.session.look_at(1e9)
    wait_for(qtbot, lambda: window.canvas.scene.data("remark") is not None)
    window.session.restart()
    window.session.pause()
    wait_for(qtbot, lambda: window.canvas.scene.data("remark") is None)
