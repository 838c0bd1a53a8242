"""What can be seen from the last row: a ring around the mouse, a black screen, and the answers of a class.

The answers are counted as bars, one for each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

from PyQt6.QtCore import QEvent, QObject, QPoint, QRectF, Qt
from PyQt6.QtGui import QColor, QCursor, QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import (
    QApplication,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMainWindow,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from aggviewer.extensions.lessons.answers import answer_text, class_sentence, is_right
from aggviewer.extensions.lessons.model import Question
from aggviewer.extensions.lessons.player import LessonPlayer
from aggviewer.extensions.lessons.tasks import LabelMaker
from aggviewer.widgets.lists import replace_page
from engine.errors import InputError

INK = "#a3002f"
"""Colour of the ring, with a contrast of 8 : 1 to white."""

HALO = "#ffffff"
"""Halo around the ring, so that it also stands out on a dark picture."""

_RING = 1.15  # radius of the ring in heights of the type
_RING_LINE = 0.17  # width of its line, the same
_HALO = 0.09  # width of the halo on either side, the same


class PointerRing(QWidget):
    """A ring around the mouse pointer, visible from the last row. Clicks pass through it.

    Parameters
    ----------
    window : the window in which it moves.
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setAccessibleName("Pointer")
        self.hide()

    @property
    def on(self) -> bool:
        """Whether the ring is shown."""
        return not self.isHidden()

    def switch(self, on: bool) -> None:
        """Show or hide it."""
        native = self._window.windowHandle()
        if on == self.on or native is None:
            return
        if on:
            native.installEventFilter(self)  # it gets the moves over all widgets, which get only those they want
            self._go_to(self._window.mapFromGlobal(QCursor.pos()))
            self.show()
            self.raise_()
        else:
            native.removeEventFilter(self)
            self.hide()

    def fit(self, type_pixels: float) -> None:
        """Follow the font size."""
        side = 2 * round((_RING + _RING_LINE + _HALO) * type_pixels + 1.0)
        middle = self.geometry().center()
        self.resize(side, side)
        self._line, self._halo = _RING_LINE * type_pixels, _HALO * type_pixels
        self._go_to(middle)

    _line, _halo = 5.0, 2.5

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Follow the mouse, staying below messages and views raised later."""
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseMove:
            self._go_to(self._window.mapFromGlobal(event.globalPosition().toPoint()))
            self.raise_()
        return False

    def _go_to(self, place: QPoint) -> None:
        self.move(place - self.rect().center())

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint a ring with a halo on both sides."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edge = self._line / 2.0 + self._halo + 1.0
        ring = QRectF(self.rect()).adjusted(edge, edge, -edge, -edge)
        for color, width in ((HALO, self._line + 2.0 * self._halo), (INK, self._line)):
            painter.setPen(QPen(QColor(color), width))
            painter.drawEllipse(ring)


class Blank(QWidget):
    """Covers a window in black; any key or click brings the window back, and does nothing else."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setStyleSheet("background: #000000;")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setCursor(Qt.CursorShape.BlankCursor)
        self.setAccessibleName("Blank screen. Press any key to return")
        self.hide()

    def cover(self) -> None:
        """Make the window black."""
        application = QApplication.instance()
        if application is not None and self.isHidden():
            self.setGeometry(self._window.rect())
            self.raise_()
            self.show()
            application.installEventFilter(self)

    def uncover(self) -> None:
        """Show the window again."""
        application = QApplication.instance()
        if application is not None and not self.isHidden():
            application.removeEventFilter(self)
            self.hide()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Take all keys and clicks for itself; follow the size of the window."""
        if event is None:
            return False
        if watched is self._window and event.type() == QEvent.Type.Resize:
            self.setGeometry(self._window.rect())
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # no shortcut is run: it comes as a key
            return True
        if event.type() in (QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress):
            if isinstance(watched, QWidget):
                self.uncover()
            return isinstance(watched, QWidget)
        return False


_KEYS = 9  # number of choices with a digit key
_DIGITS = [Qt.Key(Qt.Key.Key_0.value + k) for k in range(10)]
_OF_NUMBERS = {Qt.Key.Key_Minus: "-", Qt.Key.Key_Period: ".", Qt.Key.Key_Comma: "."}
_WIDEST = "type a number, then Enter"


class CountView(QFrame):
    """Shows how often each answer to a step's question was given, and counts further answers.

    Parameters
    ----------
    player : the lesson.
    texts : makes labels with formulas.
    leave : called on *Close*.

    Attributes
    ----------
    counts : whether answers can be added: not after the question has been measured.
    """

    def __init__(self, player: LessonPlayer, texts: LabelMaker, leave: Callable[[], object]) -> None:
        super().__init__()
        question = player.question
        assert question is not None
        self.question: Question = question
        self.counts = player.step.predict is not None
        self._player, self._texts = player, texts
        self.setObjectName("countView")
        self.setAccessibleName("The answers of the class")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.summary = QLabel()
        self.summary.setWordWrap(True)
        self.problem = QLabel()
        self.problem.setObjectName("problem")
        self.problem.hide()
        self.field = QLineEdit()
        self.field.setReadOnly(True)
        self.field.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # keys are received wherever the focus is
        self.field.setPlaceholderText(_WIDEST)
        self.field.setFixedWidth(QFontMetrics(texts.font()).horizontalAdvance(_WIDEST) + 24)
        self.field.setAccessibleName("One more answer")
        self.field.setVisible(self.counts and question.kind != "choice")
        self.undo_button = _button("Undo", "Remove the last answer (Backspace)", player.uncount)
        self.clear_button = _button("Clear", "Delete all answers to this question", player.clear_counted)
        self.close_button = _button("Close", "Back to the picture (Esc)", leave)
        foot = QHBoxLayout()
        foot.addWidget(self.field)
        foot.addWidget(QLabel(question.unit))
        foot.addStretch(1)
        for button in (self.undo_button, self.clear_button, self.close_button):
            foot.addWidget(button)
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
        self.setFont(texts.font())  # last: with a style sheet Qt does not pass it on to later widgets
        player.changed.connect(self.follow)
        self.follow()

    def keys(self) -> dict[Qt.Key, Callable[[], object]]:
        """Handle keys: a digit counts its choice; numbers are typed, and Enter counts them. Backspace deletes the last
        digit or, without digits, the last answer."""
        if not self.counts:
            return {}
        back = {Qt.Key.Key_Backspace: self.delete_last}
        if self.question.kind == "choice":
            return {**back, **{key: partial(self.choose, number) for number, key in enumerate(_DIGITS)}}
        letters = {key: str(k) for k, key in enumerate(_DIGITS)} | _OF_NUMBERS
        enter = dict.fromkeys((Qt.Key.Key_Return, Qt.Key.Key_Enter), self.add_typed)
        return {**back, **enter, **{key: partial(self.field.insert, letter) for key, letter in letters.items()}}

    def choose(self, number: int) -> None:
        """Count a choice by its number, from 1; ignored if there is none."""
        if 0 < number <= len(self.question.choices):
            self.add(number - 1)

    def add(self, answer: object) -> None:
        """Count an answer; an invalid one is reported."""
        words = ""
        try:
            self._player.count(answer)
        except InputError as error:
            words = str(error)[:1].upper() + str(error)[1:] + "."
        self.problem.setText(words)
        self.problem.setVisible(bool(words))

    def add_typed(self) -> None:
        """Count the typed number and clear it."""
        if self.field.text():
            self.add(self.field.text())
            self.field.clear()

    def delete_last(self) -> None:
        """Delete the last typed digit or, without digits, the last answer."""
        if self.field.text():
            self.field.backspace()
        else:
            self._player.uncount()

    def follow(self) -> None:
        """Show the counts and the measurement."""
        player, question = self._player, self.question
        if player.question is not question:
            return
        answers, found = player.counted.of(question), player.found_for(question)
        page = QWidget()
        page.setFont(self._texts.font())
        grid = QGridLayout(page)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(8)
        grid.setColumnStretch(1, 3)
        grid.setColumnStretch(2, 2)
        counted = Counter(answers)
        shown = range(len(question.choices)) if question.kind == "choice" else sorted(counted)
        for row, answer in enumerate(shown):
            right = found is not None and is_right(question, answer, found)
            for place, widget in enumerate(self._row(answer, counted[answer], max(counted.values(), default=1), right)):
                grid.addWidget(widget, row, place)
        grid.setRowStretch(grid.rowCount(), 1)
        replace_page(self._scroll, page)
        words = f"{len(answers)} {'answer' if len(answers) == 1 else 'answers'}"
        if found is not None and answers:
            words = f"Measured: {found.text(3, question.unit)}. {class_sentence(question, answers, found)}"
        self.summary.setText(words)
        self.undo_button.setEnabled(player.counted.can_undo(question))
        self.clear_button.setEnabled(bool(answers))

    def end(self) -> None:
        """Stop following the player."""
        self._player.changed.disconnect(self.follow)

    def _row(self, answer: float | int, count: int, most: int, right: bool) -> tuple[QWidget, ...]:
        """The widgets of an answer: a button to count it, text, bar and number. most : the largest count."""
        words = self._texts.label(answer_text(self.question, answer, 6))
        has_key = self.question.kind == "choice" and int(answer) < _KEYS
        more = _button(str(int(answer) + 1) if has_key else "+", "One more", partial(self.add, answer))
        more.setAccessibleName(f"One more for: {words.accessibleName()}")
        more.setEnabled(self.counts)
        bar, number = QProgressBar(), QLabel(f"{count} ✓" if right else str(count))
        bar.setTextVisible(False)
        bar.setRange(0, most)
        bar.setValue(count)
        bar.setAccessibleName(f"{words.accessibleName()}: {count}{', right' if right else ''}")
        for widget in (more, words, bar, number):
            widget.setFont(self._texts.font())
        return more, words, bar, number


def _button(text: str, tip: str, call: Callable[[], object]) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.clicked.connect(lambda _checked: call())
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click keeps the focus, and Enter the typed answer
    return button
