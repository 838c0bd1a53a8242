"""A teacher's own lesson opens like a scenario: from the command line, the dialog, a drop, the list of recent files."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtWidgets import QMenu

from aggviewer.extensions.lessons.lessons import Lessons
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
    assert held.windowTitle() == "My own – aggviewer", "the lesson, whatever its scenarios are called"
    wait_until(lambda: held.session.status().count == 100)
    part_of(held, Lessons).panel.forward()
    leave(held)
    assert part_of(held, WindowSettings).recent[0] == own.resolve()

    menu = QMenu()
    opening._fill_recent(menu)
    first = menu.actions()[0]
    assert first.text() == "Lesson: My own", "all files are called lesson.toml"
    first.trigger()
    assert title(held) == "My own"
    player = part_of(held, Lessons).player
    assert player is not None
    assert player.number == 1, "it goes on where it was left"
    part_of(held, Lessons)._ways_on()["Try it yourself"]()
    assert held.session.history.undo_text == "Undo opening “My own”"

    held.commands.run("edit.undo")
    wait_until(lambda: held.session.status().count == 225)


def test_an_error_in_a_lesson_is_one_notice_with_its_line(held: MainWindow, own: Path, notices: list[Notice]) -> None:
    own.write_text(OWN.replace('say = "Discs fly."', 'sag = "Discs fly."'), encoding="utf-8")
    part_of(held, Opening).open(own)
    assert title(held) == ""
    assert [notice.level for notice in notices] == ["error"]
    assert f"{own}, line 9: step[1].sag is not a key of a lesson; did you mean say?" in notices[0].title
    assert held.session.status().count == 225
