"""The document and its undo history have one owner, the GUI thread; the simulation's thread leaves calls for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import sleep

import pytest

from aggviewer.document.history import Step
from aggviewer.document.run import CameraPlace, RunMarks
from aggviewer.session import Session
from aggviewer.session.undoing import CommandStep
from aggviewer.window.main_window import MainWindow
from engine.selection import Selection
from tests.waiting import PATIENCE
from tests.window.conftest import SMALL, hold, told, window_again
from tests.window.owner_watch import OwnerWatch

window = window_again


def _step(session: Session) -> Step:
    return CommandStep("restart", "", session.undoing)


@pytest.mark.parametrize(
    "change",
    [
        lambda session: setattr(session.view, "show_legend", False),
        lambda session: setattr(session.document.run, "camera", CameraPlace(x=1.0, y=2.0, scale=3.0)),
        lambda session: session.document.restore(session.document.state),
        lambda session: session.history.confirm(_step(session)),
        lambda session: session.history.begin_gesture(),
        lambda session: setattr(_step(session), "waiting", 1),
    ],
)
def test_a_change_made_directly_by_the_simulation_s_thread_is_found(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, change: Callable[[Session], None]
) -> None:
    watch = OwnerWatch(window.session.document, monkeypatch)
    change(window.session)
    told(window)
    assert not watch.wrong
    window.session.after_commands(lambda: change(window.session))
    told(window)
    assert "aggviewer-simulation" in watch.wrong[0]


def _others_begin(window: MainWindow, path: Path) -> None:
    """Open other discs, and return when they run, before this thread has looked at its calls."""
    path.write_text(SMALL.replace("225", "100"))
    window.session.open(path, run=False)
    for _ in range(PATIENCE):
        if window.session.status().count == 100 and window.session.status().state == "paused":
            return
        sleep(1e-3)
    pytest.fail("the discs do not begin")


def test_marks_that_are_changed_while_other_discs_arrive_belong_to_the_discs_in_the_picture(
    window: MainWindow, small: Path, tmp_path: Path
) -> None:
    hold(window, small)
    session = window.session
    marking, run, camera = session.marking, session.document.run, CameraPlace(x=1.0, y=2.0, scale=30.0)
    _others_begin(window, tmp_path / "other.toml")
    marking.select(Selection.discs([3], 225))
    run.camera = camera
    seen: list[tuple[int, RunMarks]] = []
    note = window.refresher.frame_shown.connect(lambda _lane, shown: seen.append((shown.disc_set.count, marking.value)))
    window.refresher.catch_up()
    window.refresher.disconnect(note)
    assert seen == [(100, RunMarks.none(100))], "the document knows the discs that are shown"
    session.history.undo()  # the camera
    session.history.undo()  # the selection, which those discs have not
    assert marking.value == RunMarks.none(100)
    session.history.undo()  # the opening
    told(window)
    assert (marking.value.selected.numbers.tolist(), run.camera) == ([3], camera)
