"""The answers of a class while they are counted: a bar for each answer, large enough for the last row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QFontMetrics, QKeyEvent
from PyQt6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from aggviewer.lessons.answers import answer_text, is_right
from aggviewer.lessons.counting import class_sentence
from aggviewer.lessons.model import Question
from aggviewer.lessons.player import LessonPlayer
from aggviewer.lessons.tasks import LabelMaker
from engine.errors import InputError

_KEYS = 9  # choices that have a digit as their key
_WIDEST = "0000000000"  # what the field has room for


class CountView(QFrame):
    """Shows how often each answer to the question of a step was given, and counts one more.

    Parameters
    ----------
    player : the lesson.
    texts : makes labels with formulas.
    leave : called by *Close*.
    """

    def __init__(self, player: LessonPlayer, texts: LabelMaker, leave: Callable[[], object]) -> None:
        super().__init__()
        question = player.question
        assert question is not None
        self.question: Question = question
        self.setObjectName("countView")
        self.setAccessibleName("Answers of the class")
        self._player, self._texts = player, texts
        self.summary = QLabel()
        self.summary.setWordWrap(True)
        self.problem = QLabel()
        self.problem.setObjectName("problem")
        self.problem.hide()
        width = QFontMetrics(texts.font()).horizontalAdvance(_WIDEST)
        self.field = _AnswerField(width, self.add_typed, player.uncount)
        self.field.setVisible(self.counts and question.kind != "choice")
        self.undo_button = _button("Undo", "Take the last answer back (Backspace)", player.uncount)
        self.clear_button = _button("Clear", "Forget all answers to this question", player.clear_counted)
        self.close_button = _button("Close", "Back to the picture (Esc)", leave)
        foot = QHBoxLayout()
        for widget in (self.field, QLabel(question.unit)):
            foot.addWidget(widget)
        foot.addStretch(1)
        for button in (self.undo_button, self.clear_button, self.close_button):
            foot.addWidget(button)
        self.rows: dict[float | int, _AnswerRow] = {}
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 8, 16, 8)
        column.setSpacing(8)
        column.addWidget(texts.label(question.ask, "lessonAsk"))
        column.addWidget(self._scroll, 1)
        column.addWidget(self.summary)
        column.addWidget(self.problem)
        column.addLayout(foot)
        self._lay_out(tuple(range(len(question.choices))))
        self.setFont(texts.font())  # when all is in it: with a style sheet Qt does not give it to what comes later
        player.changed.connect(self.follow)
        self.follow()

    @property
    def counts(self) -> bool:
        """Whether answers are taken here: not where the question has been measured."""
        return self._player.step.predict is not None

    def add(self, answer: object) -> None:
        """Count one more; an answer that cannot be one is told."""
        if not self.counts:
            return
        try:
            self._player.count(answer)
        except InputError as error:
            self.problem.setText(str(error)[:1].upper() + str(error)[1:] + ".")
        else:
            self.problem.clear()
            self.field.clear()
        self.problem.setVisible(bool(self.problem.text()))

    def add_typed(self) -> None:
        """Count the number in the field, which is empty for the next one then."""
        if self.field.text().strip():
            self.add(self.field.text())

    def press(self, key: str) -> None:
        """A key that was pressed while something else had the focus: a digit counts its choice, or begins a number."""
        if self.question.kind != "choice":
            self.field.setFocus()
            self.field.insert(key)
        elif key.isdigit() and 0 < int(key) <= len(self.rows):
            self.add(int(key) - 1)

    def take_focus(self) -> None:
        """Have the keys go to where the next answer is given."""
        (self if self.field.isHidden() else self.field).setFocus()

    def follow(self) -> None:
        """Show what has been counted and measured."""
        player, question = self._player, self.question
        if player.question is not question:
            return
        answers, found = player.counted.of.get(question.id, []), player.found_for(question)
        if question.kind != "choice" and sorted(set(answers)) != list(self.rows):
            self._lay_out(sorted(set(answers)))
        counts = Counter(answers)
        most = max(counts.values(), default=1)
        for answer, row in self.rows.items():
            right = None if found is None else is_right(question, answer, found)
            row.show_count(counts[answer], most, right)
            row.more.setVisible(self.counts)
        words = f"{len(answers)} {'answer' if len(answers) == 1 else 'answers'}"
        if found is not None and answers:
            words = f"Measured: {found.text(3, question.unit)}. {class_sentence(question, answers, found)}"
        self.summary.setText(words)
        self.undo_button.setEnabled(player.counted.can_undo(question))
        self.clear_button.setEnabled(bool(answers))

    def end(self) -> None:
        """Follow no more."""
        self._player.changed.disconnect(self.follow)

    def _lay_out(self, answers: Sequence[float | int]) -> None:
        """Give each of these answers a row."""
        page = QWidget()
        page.setFont(self._texts.font())
        grid = QGridLayout(page)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(8)
        grid.setColumnStretch(1, 3)
        grid.setColumnStretch(2, 2)
        self.rows = {}
        for k, answer in enumerate(answers):
            words = self._texts.label(answer_text(self.question, answer, 6))
            key = str(k + 1) if self.question.kind == "choice" and k < _KEYS else ""
            row = self.rows[answer] = _AnswerRow(words, key, partial(self.add, answer))
            for column, widget in enumerate((row.key, row.words, row.bar, row.number, row.more)):
                widget.setFont(self._texts.font())
                grid.addWidget(widget, k, column)
        grid.setRowStretch(len(answers), 1)
        self._scroll.setWidget(page)


class _AnswerRow:
    """The widgets of an answer. key : that counts it, empty for none."""

    def __init__(self, words: QLabel, key: str, add: Callable[[], object]) -> None:
        self.words, self.key = words, QLabel(key)
        self.key.setObjectName("countKey" if key else "")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.number = QLabel()
        self.more = _button("+", f"One more ({key})" if key else "One more", add)
        self.more.setAccessibleName(f"One more for: {words.accessibleName()}")

    def show_count(self, count: int, most: int, right: bool | None) -> None:
        """Show how often the answer was given. most : of all answers. right : None before it is measured."""
        self.bar.setRange(0, most)
        self.bar.setValue(count)
        self.number.setText(f"{count} ✓" if right else str(count))
        judged = "" if right is None else ", right" if right else ", not right"
        self.bar.setAccessibleName(f"{self.words.accessibleName()}: {count}{judged}")


class _AnswerField(QLineEdit):
    """The field for a number: Enter calls `add` and leaves the focus in it, Backspace in an empty one `undo`."""

    def __init__(self, width: int, add: Callable[[], object], undo: Callable[[], object]) -> None:
        super().__init__()
        self._add, self._undo = add, undo
        self.setFixedWidth(width)
        self.setAccessibleName("One more answer")
        self.setPlaceholderText("a number")

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Take Enter and Backspace."""
        key = None if event is None else event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._add()
        elif key == Qt.Key.Key_Backspace and not self.text():
            self._undo()
        else:
            super().keyPressEvent(event)


def _button(text: str, tip: str, call: Callable[[], object]) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.clicked.connect(lambda _checked: call())
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the focus where the next answer is typed
    return button
