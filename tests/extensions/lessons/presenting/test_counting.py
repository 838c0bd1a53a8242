"""Count answers: a teacher in presenter mode counts what a class predicts, with keys and clicks in one real window."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QProgressBar, QPushButton

from aggviewer.extensions.lessons.answers import ClassAnswers
from aggviewer.extensions.lessons.presenting.pointer import CountView
from aggviewer.extensions.lessons.presenting.presenter import Presenter
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from tests.extensions.lessons.window.learner import Learner
from tests.window.conftest import part_of, wait_until

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def window(window_again: MainWindow) -> MainWindow:
    """The window of this file, presenting in its own theme: to change the style sheet takes a while."""
    part_of(window_again, WindowSettings).projector_to_present = False
    return window_again


@pytest.fixture
def teacher(window: MainWindow) -> Iterator[Learner]:
    """Somebody at the window, in presenter mode."""
    window.commands.run("view.presenter")
    at_it = Learner(window)
    yield at_it
    window.session.notices.sent.disconnect(at_it._note)
    if at_it.lessons.player is not None:
        at_it.player.counted = ClassAnswers()
        at_it.leave()


def to_question(teacher: Learner, kind: str) -> None:
    """The first question of a kind in the lesson."""
    while teacher.step.predict is None or teacher.step.predict.kind != kind:
        (teacher.forward if teacher.player.complete else teacher.skip)()


def opened(teacher: Learner) -> CountView:
    """Open the answers with the key that works in a field too."""
    teacher.press(Qt.Key.Key_H, CONTROL)
    view = part_of(teacher.window, Presenter).tools.counter.view
    assert view is not None
    wait_until(view.isVisible)
    return view


def type_in(teacher: Learner, text: str) -> None:
    """Keys to whatever has the focus, then Enter."""
    QTest.keyClicks(QApplication.focusWidget(), text)
    teacher.press(Qt.Key.Key_Return)


def bars(view: CountView) -> dict[str, str]:
    """Words and count of each answer."""
    names = [bar.accessibleName() for bar in view.findChildren(QProgressBar) if bar.isVisible()]
    return {words: count for words, _, count in (name.rpartition(": ") for name in names)}


def test_choices_are_counted_with_their_digits_and_by_clicks(teacher: Learner) -> None:
    teacher.open("two-four-many")
    to_question(teacher, "choice")
    plots = teacher.window.plots.seen
    view = opened(teacher)
    for key in (Qt.Key.Key_1, Qt.Key.Key_4, Qt.Key.Key_4, Qt.Key.Key_9):
        teacher.press(key)
    half = next(button for button in view.findChildren(QPushButton) if button.text() == "2")
    teacher.click(half)
    assert teacher.player.counted.to_plain()["energy"] == [0, 3, 3, 1]
    assert list(bars(view).values()) == ["1", "1", "0", "2"]
    assert teacher.window.plots.seen == plots, "the digits choose no plots meanwhile"
    teacher.press(Qt.Key.Key_Backspace)
    teacher.click(view.clear_button)
    assert "energy" not in teacher.player.counted.to_plain()
    teacher.click(view.undo_button)
    assert teacher.player.counted.to_plain()["energy"] == [0, 3, 3]
    teacher.click(view.close_button)
    teacher.window.canvas.setFocus()
    teacher.press(Qt.Key.Key_1)
    assert teacher.window.plots.seen != plots
    assert teacher.player.counted.to_plain()["energy"] == [0, 3, 3]
