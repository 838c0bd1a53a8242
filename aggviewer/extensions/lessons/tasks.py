"""The task of a step for the learner: a question, something to do, or a measurement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QFont, QFontMetrics, QKeyEvent, QMouseEvent
from PyQt6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from aggviewer.extensions.lessons.answers import (
    EnsembleResult,
    answer_text,
    checked_answer,
    class_sentence,
    comparison_sentence,
    is_right,
)
from aggviewer.extensions.lessons.ensemble import EnsemblePlot
from aggviewer.extensions.lessons.model import Activity, MeasuredQuantity, Question
from aggviewer.extensions.lessons.player import LessonPlayer
from aggviewer.style.theme import Colors, set_styled
from aggviewer.widgets.buttons import icon
from aggviewer.widgets.entry_line import EntryLine
from aggviewer.widgets.transport import flat_button
from engine.errors import InputError

_LEAST, _WIDEST = "0.000", "0000000000000"  # what a field always has room for, and the widest number that fits in one
_BESIDE = 22  # pixels beside the text of a field


class LabelMaker(Protocol):
    """Makes the labels of a lesson, with typeset formulas."""

    def label(self, text: str, role: str = "") -> QLabel:
        """A wrapping label with Markdown and formulas. role : for the style sheet."""
        ...

    def font(self) -> QFont:
        """The font of the texts."""
        ...


class TaskCard(QFrame):
    """Base class: a card with a task. `follow` updates it from the player."""

    def __init__(self, player: LessonPlayer, texts: LabelMaker) -> None:
        super().__init__()
        self.setObjectName("lessonTask")
        self.player = player
        self.texts = texts
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(12, 8, 12, 12)
        self.column.setSpacing(8)

    def follow(self) -> None:
        """Show the progress."""

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme."""

    def take_focus(self) -> bool:
        """Focus the widget for the answer. False if the task is done elsewhere."""
        return False

    def close_task(self) -> None:
        """Called when the step is left."""

    def unsent(self) -> object:
        """The unfinished answer."""
        return None

    def take_unsent(self, begun: object) -> None:
        """Restore what `unsent` returned."""


class _ChoiceRow(QWidget):
    """A choice: a radio button and its text, which may wrap and can be clicked too."""

    def __init__(self, text: str, texts: LabelMaker) -> None:
        super().__init__()
        self.button = QRadioButton()
        label = texts.label(text, "choice")
        label.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self.button.setAccessibleName(label.accessibleName())
        self.button.setMinimumHeight(QFontMetrics(label.font()).height())  # the button is aligned with the first line
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(label, 1)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """Choose it."""
        if event is not None and self.rect().contains(event.position().toPoint()):
            self.button.setFocus()
            self.button.click()


class QuestionCard(TaskCard):
    """A question: a number to type, answers to choose from, or a point to set in a plot.

    Parameters
    ----------
    ask_point : for a point, lets the user click in the plot: called with the question and a function that takes the y.

    Attributes
    ----------
    buttons : the row with the input.
    """

    def __init__(
        self,
        player: LessonPlayer,
        texts: LabelMaker,
        question: Question,
        ask_point: Callable[[Question, Callable[[float], None]], None],
        end_point: Callable[[], None],
    ) -> None:
        super().__init__(player, texts)
        self.question = question
        self._end_point = end_point
        self.column.addWidget(texts.label(question.ask, "lessonAsk"))
        self.problem = QLabel()
        self.problem.setObjectName("problem")
        self.problem.setWordWrap(True)
        self.problem.hide()
        self.button = QPushButton("Predict")
        self.button.clicked.connect(self.answer)
        self.field = EntryLine()
        self.choices = QButtonGroup(self)
        self.buttons = QHBoxLayout()
        self.buttons.setSpacing(8)
        if question.kind == "choice":
            for number, choice in enumerate(question.choices):
                line = _ChoiceRow(choice.text, texts)
                self.choices.addButton(line.button, number)
                self.column.addWidget(line)
            self.choices.idClicked.connect(lambda _number: self.button.setEnabled(True))
            self.buttons.addWidget(self.button)
            self.buttons.addStretch(1)
            self.column.addLayout(self.buttons)
        else:
            if question.kind == "point":
                self.column.addWidget(texts.label("Click in the plot, or type the number.", "quiet"))
                ask_point(question, self._point)
            row = self.buttons
            self.field.setAccessibleName("Your prediction")
            self.field.setInputMethodHints(Qt.InputMethodHint.ImhFormattedNumbersOnly)
            self.field.setPlaceholderText("a number")
            advance = QFontMetrics(texts.font()).horizontalAdvance
            self.field.setMinimumWidth(advance(_LEAST) + _BESIDE)
            self.field.setMaximumWidth(max(128, advance(_WIDEST)))
            self.field.returnPressed.connect(self.answer)
            self.field.textEdited.connect(self.problem.hide)
            row.addWidget(self.field)
            if question.unit:
                row.addWidget(QLabel(question.unit))
            row.addWidget(self.button)
            row.addStretch(1)
            self.column.addLayout(row)
        self.column.addWidget(self.problem)
        self.follow()

    def answer(self) -> None:
        """Submit the input."""
        given = self.choices.checkedId() if self.question.kind == "choice" else self.field.text()
        try:
            self.player.predict(given)
        except InputError as error:
            self.problem.setText(str(error)[:1].upper() + str(error)[1:] + ".")
            self.problem.show()
            self.field.refused = True
            return
        self.problem.hide()
        self.field.refused = False

    def follow(self) -> None:
        kept = self.player.answers.get(self.question.id)
        self.button.setText("Predict" if kept is None else "Change")
        set_styled(self.button, "objectName", "lessonPredict" if kept is None else "")  # then *Next* is the primary one
        if kept is None:
            return
        if self.question.kind == "choice":
            button = self.choices.button(int(kept))
            if button is not None:
                button.setChecked(True)
        elif not self.field.hasFocus() or not self.field.text():
            self.field.setText(answer_text(self.question, kept, 6).removesuffix(self.question.unit).strip())

    def take_focus(self) -> bool:
        if self.question.kind == "choice":
            (self.choices.checkedButton() or self.choices.buttons()[0]).setFocus(Qt.FocusReason.TabFocusReason)
        else:
            self.field.setFocus()
        return True

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Enter submits the focused answer."""
        focus = self.focusWidget()
        if event is None or event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif isinstance(focus, QRadioButton):
            focus.click()
            self.answer()
        else:
            event.ignore()

    def close_task(self) -> None:
        self._end_point()

    def unsent(self) -> object:
        return self.choices.checkedId() if self.question.kind == "choice" else self.field.text()

    def take_unsent(self, begun: object) -> None:
        if isinstance(begun, str):
            self.field.setText(begun)
        elif isinstance(begun, int) and (button := self.choices.button(begun)) is not None:
            button.setChecked(True)
            self.button.setEnabled(True)

    def _point(self, y: float) -> None:
        self.field.setText(f"{y:.3g}")
        try:
            checked_answer(self.question, y)
        except InputError:
            return
        self.answer()


class ActivityCard(TaskCard):
    """Something to do, with a mark that shows when it is done, and controls if the lesson has some."""

    def __init__(self, player: LessonPlayer, texts: LabelMaker, task: Activity, controls: list[QWidget]) -> None:
        super().__init__(player, texts)
        row = QHBoxLayout()
        row.setSpacing(8)
        self.mark = QLabel("○")
        self.mark.setObjectName("lessonMark")
        self.mark.setAlignment(Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.mark)
        row.addWidget(texts.label(task.what, "lessonAsk"), 1)
        self.column.addLayout(row)
        for control in controls:
            self.column.addWidget(control)
        self.hint = texts.label("", "lessonHint")
        self.column.addWidget(self.hint)
        self._hint = ""
        self.follow()

    def follow(self) -> None:
        done = self.player.complete
        self.mark.setText("✓" if done else "○")
        self.mark.setAccessibleName("Done" if done else "Not done yet")
        set_styled(self.mark, "done", done)
        if self.player.hint != self._hint:
            self._hint = self.player.hint
            old, self.hint = self.hint, self.texts.label(self._hint, "lessonHint")
            self.column.replaceWidget(old, self.hint)
            old.deleteLater()
        self.hint.setVisible(bool(self._hint))


class MeasurementCard(TaskCard):
    """A measurement of the run, with the prediction."""

    again_asked = pyqtSignal()

    def __init__(self, player: LessonPlayer, texts: LabelMaker, task: MeasuredQuantity) -> None:
        super().__init__(player, texts)
        self._task = task
        self.name = texts.label(task.name, "quiet")
        self.name.setVisible(bool(task.name))
        self.result = QLabel()
        self.result.setObjectName("lessonResult")
        self.result.setWordWrap(True)
        self.verdict = QLabel()
        self.verdict.setObjectName("lessonVerdict")
        self.verdict.setWordWrap(True)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(8)
        self.bar.setAccessibleName("Progress of the measurement")
        self.button = QPushButton("Measure")
        self.button.clicked.connect(player.measure)
        self.again = flat_button("Measure again")
        self.again.setIcon(icon("mdi6.refresh"))
        line = QFontMetrics(texts.font()).height()
        self.again.setIconSize(QSize(line, line))
        self.again.clicked.connect(player.measure)
        top = QHBoxLayout()
        top.addWidget(self.name, 1)
        top.addWidget(self.again, 0, Qt.AlignmentFlag.AlignTop)
        self.column.addLayout(top)
        for widget in (self.result, self.verdict, self.bar):
            self.column.addWidget(widget)
        self.plot: EnsemblePlot | None = None
        self._study: EnsembleResult | None = None
        if task.ensemble is not None:
            self.plot = EnsemblePlot(task.ensemble)
            self.column.addWidget(self.plot)
        self.class_words = QLabel()
        self.class_words.setObjectName("lessonClass")
        self.class_words.setWordWrap(True)
        self.column.insertWidget(self.column.indexOf(self.verdict) + 1, self.class_words)
        self.buttons = QHBoxLayout()
        self.buttons.setSpacing(8)
        self.buttons.addWidget(self.button)
        self.buttons.addStretch(1)
        self.column.addLayout(self.buttons)
        self.follow()

    def follow(self) -> None:
        player, question = self.player, self.player.question
        found, busy = player.found_here, player.busy
        self.bar.setVisible(busy is not None)
        if busy is not None:
            self.bar.setRange(0, 100 if busy > 0.0 else 0)
            self.bar.setValue(round(100 * busy))
        for button in (self.button, self.again):
            button.setEnabled(busy is None)
        self.button.setVisible(found is None)
        self.again.setVisible(found is not None)
        verdict = ""
        if busy is not None:
            text = "Measuring…"
        elif player.problem:
            text = f"This could not be measured: {player.problem}. Go back and run it, or skip this step."
        elif found is None:
            text = "Recorded for a later step." if self._task.remember and not self._task.value else ""
        elif question is None:
            text = f"This run gave {found.text(self._task.digits, self._task.unit)}."
        else:
            answer = player.answers.get(question.id)
            text = comparison_sentence(question, answer, self._task, found)
            if answer is not None:
                right = is_right(question, answer, found)
                verdict = "Your prediction was right." if right else "Your prediction was wrong. Read on to see why."
        self.result.setText(text)
        self.result.setToolTip(player.cause)
        self.verdict.setText(verdict)
        self.verdict.setVisible(bool(verdict))
        counted = () if question is None else player.counted.of(question)
        self.class_words.setVisible(bool(counted) and found is not None and busy is None)
        if counted and question is not None and found is not None:
            self.class_words.setText(f"Class: {class_sentence(question, counted, found)}")
        self._follow_study()

    def _follow_study(self) -> None:
        study = self.player.studies.get(self.player.number)
        if self.plot is None:
            return
        self.plot.setVisible(study is not None and len(study.points) > 1)  # a single number is reported in words
        if study is not None and study is not self._study:
            self._study = study
            self.plot.show_study(study)

    def set_colors(self, colors: Colors) -> None:
        if self.plot is not None:
            self.plot.set_theme(colors)
