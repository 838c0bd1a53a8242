"""Somebody who plays a lesson in a real window: with keys and clicks, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import log10

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QContextMenuEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QAbstractButton, QAbstractScrollArea, QApplication, QLineEdit, QMenu, QWidget

from aggviewer.canvas.in_view import to_pixels
from aggviewer.extensions.lessons.conditions import Comparison
from aggviewer.extensions.lessons.lessons import Lessons
from aggviewer.extensions.lessons.model import LessonStep, MeasuredQuantity, Question
from aggviewer.extensions.lessons.player import LessonPlayer
from aggviewer.extensions.lessons.source import LessonFile
from aggviewer.extensions.lessons.tasks import QuestionCard
from aggviewer.parameters.single import SingleParameter
from aggviewer.session import Notice
from aggviewer.window.main_window import MainWindow
from tests.window.conftest import part_of, wait_until

LEFT = Qt.MouseButton.LeftButton


class Learner:
    """Plays lessons in a window.

    Attributes
    ----------
    window, lessons : what is played in.
    errors : what the window said went wrong.
    """

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        self.lessons = part_of(window, Lessons)
        self.errors: list[Notice] = []
        window.session.notices.sent.connect(self._note)

    def _note(self, notice: Notice) -> None:
        if notice.level == "error":
            self.errors.append(notice)

    @property
    def player(self) -> LessonPlayer:
        """The lesson that is shown."""
        assert self.lessons.player is not None
        return self.lessons.player

    @property
    def step(self) -> LessonStep:
        """The step that is shown."""
        return self.player.step

    @property
    def task(self) -> QuestionCard:
        """The question that is shown."""
        task = self.lessons.panel.task
        assert isinstance(task, QuestionCard)
        return task

    # what a learner does

    def open(self, name: str) -> None:
        """Open a bundled lesson at its first step, from the menu."""
        self.window.commands.run(f"lesson.{name}")
        self.window.commands.run("lesson.again")
        self.settle()

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """A key, to whatever has the focus."""
        QTest.keyClick(QApplication.focusWidget() or self.window.canvas, key, modifier)

    def click(self, widget: QWidget) -> None:
        """A click in the middle; a choice or a box is hit at its mark."""
        assert widget.isEnabled(), f"{widget.accessibleName()} cannot be used"
        assert widget.isVisible(), f"{widget.accessibleName()} is not shown"
        self.lessons.panel.page.ensureWidgetVisible(widget)
        marked = isinstance(widget, QAbstractButton) and widget.isCheckable()
        place = QPoint(10, widget.height() // 2) if marked else widget.rect().center()
        QTest.mouseClick(widget, LEFT, pos=place)

    def click_menu(self, x: float, y: float, command: str) -> None:
        """A command of the menu that the right mouse button opens at a place of the box."""
        canvas = self.window.canvas
        ((right, down),) = to_pixels(np.array([[x, y]]), canvas.camera)
        place = QPoint(round(right), round(down))
        asked = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, canvas.mapToGlobal(place))
        QApplication.sendEvent(canvas, asked)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu), "no menu has opened"
        action = self.window.commands.action(command)
        assert action in menu.actions(), f"{command} is not in the menu"
        assert action.isVisible(), f"{command} is not in the menu"
        assert action.isEnabled(), f"{command}: {action.toolTip()}"
        QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())

    def run(self) -> None:
        """Space in the picture, as fast as it goes."""
        self.window.session.set_speed(1e9)
        self.window.canvas.setFocus()
        self.press(Qt.Key.Key_Space)

    def use(self, command: str) -> None:
        """A command of a menu."""
        action = self.window.commands.action(command)
        assert action.isEnabled(), f"{command}: {action.toolTip()}"
        action.trigger()

    def write(self, key: str, text: str) -> None:
        """Write into the control of a key, in the lesson where it has it, else in the parameters panel."""
        own = [one for one in self.lessons.panel.findChildren(SingleParameter) if one.key == key]
        row = own[0].row if own else self.window.parameters.rows[key]
        field = row.editor.focus_widget
        field.setFocus()
        QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)
        self.settle()

    def answer(self, right: bool = True) -> None:
        """Answer the question of the step, or give an answer that is wrong."""
        question = self.step.predict
        assert question is not None
        given = answer_to(self.player.found, question, right)
        if question.kind == "choice":
            self.click(self.task.choices.button(int(given)))
            self.click(self.task.button)
        elif question.kind == "point":
            self._point(question, float(given))
        else:
            self.click(self.task.field)
            self.task.field.selectAll()
            QTest.keyClicks(self.task.field, f"{given:.6g}")
            self.click(self.task.button)

    def _point(self, question: Question, y: float) -> None:
        """Click into the plot at the question's x."""
        assert question.x is not None
        card = next(card for card in self.window.plots.cards if card.key() == question.plot)
        wait_until(card.isVisible)  # a step before this one may have shown no plot
        x_log, y_log = card.view.logarithmic
        place = pg.Point(log10(question.x) if x_log else question.x, log10(y) if y_log else y)
        box = card.view.getPlotItem().getViewBox()
        assert box.viewRect().contains(place), f"{question.plot} shows {box.viewRect()}, not {place}"
        inside = card.view.mapFromScene(box.mapViewToScene(place))
        QTest.mouseClick(card.view.viewport(), LEFT, pos=inside)

    def settle(self) -> None:
        """Wait until what the step needs is in place."""
        wait_until(lambda: self.lessons.classroom.settled)

    def forward(self) -> None:
        """The button at the lower right."""
        self.click(self.lessons.panel.next_button)
        self.settle()

    def back(self) -> None:
        """The button at the lower left."""
        self.click(self.lessons.panel.back_button)
        self.settle()

    def skip(self) -> None:
        """The button in the place of *Next*; while presenting *Next* itself, where that says Skip."""
        panel = self.lessons.panel
        other = panel.next_button
        goes_on = other.isVisible() and other.isEnabled() and other.text() == "Next"
        assert not (panel.skip_button.isVisible() and goes_on), "one button goes on"
        self.click(panel.skip_button if panel.skip_button.isVisible() else panel.next_button)
        self.settle()

    def do(self, act: Act, right: bool = True) -> None:
        """Do the task of the step; its explanation is there then."""
        self.settle()
        if self.step.predict is not None:
            self.answer(right)
        elif self.step.do is not None:
            assert not self.player.complete, f"{self.step.title} is done before the learner has done anything"
            act(self)

        def done() -> bool:
            assert not self.player.problem, f"{self.step.title}: {self.player.problem}"
            return self.player.complete

        wait_until(done)

    def play(self, acts: dict[str, Act], right: bool = True) -> Iterator[LessonStep]:
        """From the step that is shown to the last one; each is given when its task is done."""
        while True:
            title = self.step.title
            self.do(acts.get(title, nothing), right)
            yield self.step
            if self.player.last:
                return
            self.forward()

    def leave(self) -> None:
        """*Done* at the end, else the menu; the run from before is there again."""
        before = self.window.refresher.shown()
        if self.player.last and self.player.complete:
            if not self.player.ended:
                self.click(self.lessons.panel.next_button)
            assert self.player.ended
            self.click(self.lessons.panel.next_button)
        else:
            self.use("lesson.leave")
        wait_until(lambda: self.window.refresher.shown() is not before)


Act = Callable[[Learner], None]
"""What a learner does where a step waits for it."""


def nothing(_learner: Learner) -> None:
    """For steps that wait for nothing that is done by hand."""


def measure_of(found: LessonFile, question: Question) -> MeasuredQuantity:
    """The measurement that answers a question."""
    measures = [step.measure for step in found.lesson.step if step.measure is not None]
    (measure,) = [one for one in measures if one.of == question.id]
    return measure


def answer_to(found: LessonFile, question: Question, right: bool) -> float | int:
    """The answer that `expected` tells, or one that is certainly wrong."""
    expected = measure_of(found, question).expected
    assert expected is not None, f"{question.id}: nobody says what is expected"
    if question.kind == "choice":
        met = [k for k, choice in enumerate(question.choices) if Comparison(choice.when).met(expected)]
        assert met, f"{question.id}: no answer is right"
        return met[0] if right else next(k for k in range(len(question.choices)) if k not in met)
    if right:
        return expected
    off = 3.0 * max(question.tolerance, question.ratio * abs(expected))
    wrong = expected + off
    return wrong if question.high is None or wrong <= question.high else expected - off


def unnamed(within: QWidget) -> list[str]:
    """Controls that the keyboard reaches and that have no name for a screen reader."""
    return [
        repr(one)
        for one in within.findChildren(QWidget)
        if one.isVisible()
        and one.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not (one.accessibleName() or (isinstance(one, QAbstractButton) and one.text()))
        and not (isinstance(one.parent(), QAbstractScrollArea) and one.parent().viewport() is one)
        and not (isinstance(one, QLineEdit) and one.parent() is not None and one.parent().inherits("QAbstractSpinBox"))
    ]
