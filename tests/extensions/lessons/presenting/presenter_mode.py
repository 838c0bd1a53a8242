"""Presenter mode in tests: the window, a lesson in it, and the way in and out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from aggviewer.extensions.lessons.lessons import Lessons
from aggviewer.extensions.lessons.presenting.presenter import Presenter
from aggviewer.extensions.lessons.source import find_lesson
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from tests.waiting import laid_out
from tests.window.conftest import part_of, wait_until

LESSON = "two-four-many"


@pytest.fixture
def window(window_again: MainWindow) -> Iterator[MainWindow]:
    """The window of this file. It presents in its own theme: to change the style sheet takes longer than all else."""
    part_of(window_again, WindowSettings).projector_to_present = False
    with window_again.session.document.unrecorded():
        window_again.session.view.theme = "dark"
    yield window_again
    part_of(window_again, Lessons).leave()
    part_of(window_again, Presenter).tools.bar.choose("")
    window_again.session.marking.clear_marks()
    window_again.commands.run("measure.close")


def begin_lesson(window: MainWindow) -> Lessons:
    """The first lesson, at its first step."""
    lessons = part_of(window, Lessons)
    lessons.begin(find_lesson(LESSON))
    assert lessons.player is not None
    lessons.player.start_over()
    wait_until(lambda: lessons.classroom.settled)
    return lessons


def toggle(window: MainWindow) -> None:
    """In or out, until all that follows is done."""
    window.commands.run("view.presenter")
    laid_out(window)
