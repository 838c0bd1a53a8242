"""Count answers: a teacher in presenter mode counts what a class predicts, with keys and clicks in one real window."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QFontInfo
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QProgressBar, QPushButton, QWidget

from aggviewer.extensions.lessons.answers import ClassAnswers
from aggviewer.extensions.lessons.presenting.pointer import CountView
from aggviewer.extensions.lessons.presenting.presenter import Presenter
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from tests.extensions.lessons.window.learner import Learner, unnamed
from tests.waiting import laid_out
from tests.window.conftest import part_of, wait_until

CONTROL = Qt.KeyboardModifier.ControlModifier
LEAST = 24  # pixels of the smallest text in a window of 1920 × 1080


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


def pixels(within: QWidget) -> dict[str, int]:
    """The type of all that is seen."""
    seen = [one for one in within.findChildren(QWidget) if one.isVisible()]
    return {f"{type(one).__name__} {one.accessibleName()}": QFontInfo(one.font()).pixelSize() for one in seen}


@pytest.mark.slow
def test_numbers_are_typed_one_after_the_other_and_compared_with_the_measurement(teacher: Learner) -> None:
    window = teacher.window
    window.resize(1920, 1080)
    laid_out(window)
    teacher.open("two-four-many")
    teacher.forward()
    assert not teacher.player.complete
    view = opened(teacher)
    assert not unnamed(view)
    wait_until(lambda: not window.transport.isVisible())  # it would cover the field
    assert {name: size for name, size in pixels(view).items() if size < LEAST} == {}, "read from the last row"
    teacher.lessons.panel._draw_again()  # as some time after a change of its width: it leaves the focus where it is
    for text in ("0.25", "0.3", ".26", "0.9", "1", "1"):
        type_in(teacher, text)
    assert teacher.player.counted.to_plain()["speed"] == [0.25, 0.3, 0.26, 0.9, 1.0, 1.0]
    teacher.press(Qt.Key.Key_Backspace)  # the field is empty: the last answer goes
    assert len(teacher.player.counted.to_plain()["speed"]) == 5
    QTest.keyClicks(view, "1.5")
    teacher.press(Qt.Key.Key_Backspace)
    assert view.field.text() == "1."
    type_in(teacher, "-")
    assert view.problem.text() == "1.- is not a number."
    assert len(teacher.player.counted.to_plain()["speed"]) == 5
    teacher.press(Qt.Key.Key_Escape)
    assert not part_of(window, Presenter).tools.counter.on
    assert part_of(window, Presenter).on, "Esc leaves the answers, not the mode"
    # a digit that is pressed while the picture has the focus is typed too
    view = opened(teacher)
    window.canvas.setFocus()
    type_in(teacher, "0.5")
    assert teacher.player.counted.to_plain()["speed"][-1] == 0.5
    assert view.summary.text() == "6 answers"
    # in a window of another size
    QTest.keyClicks(QApplication.focusWidget(), "0.7")
    window.resize(1024, 700)
    counting = part_of(window, Presenter).tools.counter
    wait_until(lambda: counting.view is not view)
    assert counting.view is not None
    assert counting.view.field.text() == "0.7", "what is being typed stays"
    # out of the mode, and in again
    window.commands.run("view.presenter")
    assert counting.view is None
    assert not window.commands.action("presenter.count").isVisible()
    speeds = [0.25, 0.3, 0.26, 0.9, 1.0, 0.5]
    assert part_of(window, WindowSettings).plain("lessons/two-four-many")["counted"] == {"speed": speeds}
    window.commands.run("view.presenter")
    view = opened(teacher)
    # on to the measurement, and its place among the answers
    teacher.press(Qt.Key.Key_Escape)
    teacher.forward()
    teacher.do(Learner.run)
    teacher.forward()
    teacher.do(lambda _: None)
    words = teacher.lessons.panel.task.class_words  # type: ignore[union-attr]
    assert words.text() == "Class: 2 of 6 answers are right (within ±0.02 length / time)."
    assert words.isVisible()
    view = opened(teacher)
    counts = {"0.25": "1, right", "0.26": "1, right", "0.3": "1", "0.5": "1", "0.9": "1", "1": "1"}
    assert bars(view) == {f"{speed} length / time": count for speed, count in counts.items()}
    assert view.summary.text().endswith("2 of 6 answers are right (within ±0.02 length / time).")
    assert not view.field.isVisible(), "nobody answers after the measurement"
    teacher.press(Qt.Key.Key_PageDown)
    assert not counting.on, "the next step has the picture again"
    assert window.commands.action("presenter.count").toolTip() == "This step has no question"
    window.commands.run("lesson.again")
    assert teacher.player.counted.to_plain() == {"speed": speeds}


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


@pytest.mark.slow
def test_answers_to_a_question_for_a_point_are_typed(teacher: Learner) -> None:
    teacher.open("dust-to-cluster")
    to_question(teacher, "point")
    question = teacher.step.predict
    assert question is not None
    view = opened(teacher)
    for _ in range(2):
        type_in(teacher, f"{question.high:g}")
    assert teacher.player.counted.to_plain()[question.id] == [question.high] * 2
    assert list(bars(view).values()) == ["2"]
