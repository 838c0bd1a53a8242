"""A teacher's own lesson opens like a scenario: from the command line, the dialog, a drop, the list of recent files."""

from __future__ import annotations

import importlib.resources
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import QMimeData, QPointF, Qt, QUrl
from PyQt6.QtGui import QDropEvent
from PyQt6.QtWidgets import QMenu

from aggviewer.extensions.lessons.classroom import OwnViews
from aggviewer.extensions.lessons.lessons import Lessons
from aggviewer.extensions.lessons.source import bundled_folder, find_lesson
from aggviewer.session import Notice
from aggviewer.window.files import Opening
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from tests.window.conftest import part_of, wait_until, window_again

window = window_again

OWN = """
format = 1
title = "My own"
summary = "Three steps."
minutes = 1

[[step]]
title = "Look"
say = "Discs fly."
[step.set]
scenario = "lattice-100"

[[step]]
title = "Look again"
say = "They still do."

[[step]]
title = "The end"
say = "That was all."
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A lesson in a folder of its own."""
    path = tmp_path / "my-lesson" / "lesson.toml"
    path.parent.mkdir()
    path.write_text(OWN, encoding="utf-8")
    return path


def title(window: MainWindow) -> str:
    """The title of the lesson that is shown, empty for none."""
    player = part_of(window, Lessons).player
    return player.lesson.title if player is not None else ""


def leave(window: MainWindow) -> None:
    """Leave the lesson; what was there before is there again."""
    count = 225
    part_of(window, Lessons).leave()
    wait_until(lambda: window.session.status().count == count)


def test_a_lesson_is_opened_as_a_scenario_is(held: MainWindow, own: Path) -> None:
    opening = part_of(held, Opening)
    opening.open(own)
    assert title(held) == "My own"
    wait_until(lambda: held.session.status().count == 100)
    part_of(held, Lessons).panel.forward()
    leave(held)
    assert part_of(held, WindowSettings).recent[0] == own.resolve()

    menu = QMenu()
    opening._fill_recent(menu)
    first = menu.actions()[0]
    assert first.text() == "Lesson my-lesson", "all are lesson.toml: the folder tells them apart"
    first.trigger()
    assert title(held) == "My own"
    player = part_of(held, Lessons).player
    assert player is not None
    assert player.number == 1, "it goes on where it was left"
    leave(held)


def test_a_lesson_can_be_dropped_on_the_window(held: MainWindow, own: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(own))])
    held.dropEvent(
        QDropEvent(
            QPointF(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        )
    )
    assert title(held) == "My own"
    leave(held)


def test_a_bundled_lesson_is_no_recent_file_and_an_own_one_of_its_name_is_another(held: MainWindow, own: Path) -> None:
    bundled = bundled_folder() / "two-four-many" / "lesson.toml"
    before = part_of(held, WindowSettings).recent
    part_of(held, Opening).open(bundled)
    assert title(held) == "Two, four, many"
    assert part_of(held, WindowSettings).recent == before
    leave(held)
    copy = own.parent.with_name("two-four-many")
    own.parent.rename(copy)
    assert find_lesson("two-four-many").key == "two-four-many"
    assert find_lesson(copy).key not in ("two-four-many", find_lesson(bundled).key)


def test_an_error_in_a_lesson_is_one_notice_with_its_line(held: MainWindow, own: Path, notices: list[Notice]) -> None:
    own.write_text(OWN.replace('say = "Discs fly."', 'sag = "Discs fly."'), encoding="utf-8")
    part_of(held, Opening).open(own)
    assert title(held) == ""
    assert [notice.level for notice in notices] == ["error"]
    assert f"{own}, line 9: step[1].sag is not a key of a lesson; did you mean say?" in notices[0].title
    assert held.session.status().count == 225


@pytest.mark.slow
def test_bundled_files_that_are_no_text_and_a_bad_lesson_do_not_stop_the_window(
    make_window: Callable[[], MainWindow], tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "resources").mkdir()
    for part in bundled_folder().parent.iterdir():
        if part.name in ("scenarios", "lessons"):
            shutil.copytree(part, tmp_path / "resources" / part.name)
        else:
            (tmp_path / "resources" / part.name).symlink_to(part)
    (tmp_path / "resources" / "scenarios" / "gas-10000.toml").write_bytes(b"# title: \xff\n")
    (tmp_path / "resources" / "lessons" / "fractal" / "lesson.toml").write_bytes(b"title = '\xff'\n")
    usual = importlib.resources.files
    monkeypatch.setattr(
        importlib.resources, "files", lambda name: tmp_path / name if name == "resources" else usual(name)
    )
    window = make_window()
    number_text = {toast.notice.title: toast.notice.text for toast in window.stage.toasts.toasts}
    assert "gas-10000.toml is damaged" in number_text["Some scenarios could not be read"]
    assert "fractal" in number_text["Some lessons could not be read"]
    commands = {command.id for command in window.commands}
    assert {"scenario.lattice-100", "lesson.stuck"} <= commands
    assert not {"scenario.gas-10000", "lesson.fractal"} & commands
    window.stage.toasts.close()
    own.write_text("format = = 1", encoding="utf-8")
    window.open_first([str(own)], "lattice-100")
    wait_until(lambda: window.canvas.scene.count == 100)  # the default runs
    assert [toast.notice.level for toast in window.stage.toasts.toasts] == ["error"]
    assert "line 1" in window.stage.toasts.toasts[0].notice.title
    # a window of its own ends with it
    window.commands.run("view.bouncing_ball")
    ball = part_of(window, OwnViews).ball
    assert ball is not None
    assert ball.isVisible()
    ball.steps.toggle()
    window.close()
    assert not ball.isVisible()
