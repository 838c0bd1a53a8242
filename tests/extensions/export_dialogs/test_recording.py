"""Recording, looking back and replay in the real window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from aggviewer.extensions.export_dialogs import film_files
from aggviewer.session import Notice
from aggviewer.window.files import Opening
from aggviewer.window.main_window import MainWindow
from engine.files import open_trajectory
from tests.widgets.number_fields import enter
from tests.window.conftest import part_of, window_again
from tests.window.watching import settled, state, time_shown, wait_for

window = window_again


def run_until(window: MainWindow, qtbot: QtBot, time: float) -> None:
    window.session.run()
    wait_for(qtbot, lambda: window.session.status().time > time)
    window.session.pause()
    settled(window, qtbot)


def shows(window: MainWindow, qtbot: QtBot, low: float, high: float) -> None:
    wait_for(qtbot, lambda: low <= time_shown(window) <= high)


def test_dragging_the_timeline_looks_back_and_run_goes_on_from_the_present(held: MainWindow, qtbot: QtBot) -> None:
    held.session.set_speed(12.0)
    for _ in range(10):  # each of them is kept in memory
        held.session.step_frame()
    settled(held, qtbot)
    present = held.session.status().time
    bar = held.transport.timeline
    wait_for(qtbot, lambda: bar.timeline is not None and bar.timeline.end == present)
    x = round(bar.position_of(present / 2))
    qtbot.mousePress(bar, Qt.MouseButton.LeftButton, pos=QPoint(x, bar.height() // 2))
    qtbot.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=QPoint(x, bar.height() // 2))
    shows(held, qtbot, 0.3 * present, 0.55 * present)
    wait_for(qtbot, lambda: held.transport.past_buttons["run.live"].isVisible())
    assert held.session.status().time == present
    before = time_shown(held)
    qtbot.keyClick(held, Qt.Key.Key_Left)
    wait_for(qtbot, lambda: time_shown(held) < before)
    qtbot.keyClick(held, Qt.Key.Key_End)
    wait_for(qtbot, lambda: time_shown(held) == present)
    wait_for(qtbot, lambda: not held.transport.past_buttons["run.live"].isVisible())
    held.session.run()
    wait_for(qtbot, lambda: time_shown(held) > present)


@pytest.fixture
def recorded(held: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording made with the dialog: frames at 0, 0.1, … beyond 1."""
    path = tmp_path / "run.gsd"

    def accept(dialog: film_files.RecordDialog) -> int:
        enter(dialog.every, 0.1)
        assert "MB" in dialog.size_label.text()
        dialog.file.line.setText(str(path))
        return int(QDialog.DialogCode.Accepted)

    monkeypatch.setattr(film_files.RecordDialog, "exec", accept)
    held.commands.run("file.record")
    wait_for(qtbot, lambda: held.session.status().recording is not None)
    run_until(held, qtbot, 1.0)
    wait_for(qtbot, lambda: "frames" in held.status.state.toolTip())
    assert held.commands.action("file.record").isChecked()
    held.commands.run("file.record")
    wait_for(qtbot, lambda: held.session.status().recording is None)
    wait_for(qtbot, path.is_file)
    return path


def test_a_recording_is_played(held: MainWindow, qtbot: QtBot, recorded: Path, notices: list[Notice]) -> None:
    with open_trajectory(recorded) as trajectory:
        last = float(trajectory.times[-1])
        assert len(trajectory) == round(last / 0.1) + 1
    part_of(held, Opening).open(recorded)
    wait_for(qtbot, lambda: held.transport.buttons["run.loop"].isVisible())
    wait_for(qtbot, lambda: state(held) == "finished")
    shows(held, qtbot, last, last)
    assert not held.transport.buttons["run.new_seed"].isVisible()
    qtbot.keyClick(held, Qt.Key.Key_Left)
    shows(held, qtbot, last - 0.11, last - 0.09)
    qtbot.keyClick(held, Qt.Key.Key_Right)
    shows(held, qtbot, last, last)
    held.transport.timeline.asked.emit(0.52)
    shows(held, qtbot, 0.5, 0.5)
    qtbot.keyClick(held, Qt.Key.Key_B)
    shows(held, qtbot, 0.0, 0.0)
    assert held.commands.action("run.backwards").isChecked()
    qtbot.keyClick(held, Qt.Key.Key_B)  # at its end, and forwards again
    shows(held, qtbot, last, last)
    assert not [notice for notice in notices if notice.level == "error"]


@pytest.mark.slow
def test_a_new_simulation_starts_from_a_recorded_frame(
    held: MainWindow, qtbot: QtBot, recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "aggviewer.systems.base.platformdirs.user_state_dir", lambda *_args, **_more: str(tmp_path / "state")
    )
    held.session.open(recorded, run=False)
    wait_for(qtbot, lambda: held.transport.past_buttons["run.start_here"].isVisible())
    held.transport.timeline.asked.emit(0.8)
    shows(held, qtbot, 0.8, 0.8)
    clusters = held.session.status().clusters
    qtbot.keyClick(held, Qt.Key.Key_N)
    wait_for(qtbot, lambda: held.session.status().lanes[0].method == "event-driven")
    shows(held, qtbot, 0.0, 0.0)
    assert held.session.status().clusters == clusters
    assert len(list((tmp_path / "state" / "starts").iterdir())) == 1
