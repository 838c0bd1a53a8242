"""The lesson beside the picture: the step's text and task, buttons forward and back, and the last page with
predictions and results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from html import escape
from pathlib import Path

from PyQt6.QtCore import QEvent, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QFont, QFontInfo, QFontMetrics, QResizeEvent
from PyQt6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from aggviewer.extensions.lessons.answers import Measurement, class_sentence, comparison_sentence, is_right
from aggviewer.extensions.lessons.model import MeasuredQuantity, Question
from aggviewer.extensions.lessons.player import LessonPlayer, Press
from aggviewer.extensions.lessons.tasks import ActivityCard, LabelMaker, MeasurementCard, QuestionCard, TaskCard
from aggviewer.style.formula_pictures import Ink, rich_html
from aggviewer.style.rich_text import spoken
from aggviewer.style.theme import DARK, Colors, set_styled
from aggviewer.widgets.lists import replace_page

_MARGIN = 16  # pixels beside the text
_TITLE = 1.45  # times the size of the text
_AROUND_WORDS = 40  # pixels beside the words of a button or a field
_LEAST = 160  # pixels of the narrowest text
_BAR = 14  # pixels of a scroll bar
_FRAMES = {"lessonEquation": 28, "lessonHint": 20, "lessonAsk": 56, "choice": 72}
"""Width in pixels of frames, marks and buttons beside a text, by its role."""
_LIST = ' style="margin-left: {}px; -qt-list-indent: 0">'
"""Qt indents lists by 40 pixels, too much for a narrow panel and too little for large type."""

_INDENT = 1.2  # text heights: space for the bullet of a list
_READ_ON = 0.8  # fraction of the page height that a clicker scrolls in a long text
_REDRAW_MS = 150  # after the last change of the panel's width

_WORDS: dict[Press, str] = {
    "next": "Next",
    "run": "Run",
    "show": "Show",
    "skip": "Skip",
    "running": "Running…",
    "measuring": "Measuring…",
    "waiting": "Next",
}
_READ_ON_WORDS = "Read on"
"""What stands on *Next* while presenting: what the next press of a clicker does."""

AskPoint = Callable[[Question, Callable[[float], None]], None]


class LessonPanel(QWidget):
    """Shows the state of a `LessonPlayer`, and passes on the learner's actions.

    Parameters
    ----------
    control_of : makes the control of a key of the scenario.
    ask_point, end_point : start and end setting a point in a plot.
    to_picture : gives the focus to the picture.

    Signals: ``leave_asked``; ``count_asked`` to count the answers of a class, or to see them; ``moved`` when another
    step is shown, or none; ``laid_out`` when the page may need another height; ``titled(text)`` with what stands in the
    head of the dock; ``message(text)`` with what a press of *Next* has to say.
    """

    leave_asked = pyqtSignal()
    ways_on: Callable[[], Mapping[str, WayOn]] = dict
    """Returns the buttons of the last page, by label."""
    count_asked = pyqtSignal()
    moved = pyqtSignal()
    laid_out = pyqtSignal()
    titled = pyqtSignal(str)
    message = pyqtSignal(str)

    def __init__(
        self,
        control_of: Callable[[str], QWidget],
        ask_point: AskPoint,
        end_point: Callable[[], None],
        to_picture: Callable[[], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("lessonPanel")
        self._control_of, self._ask_point, self._end_point = control_of, ask_point, end_point
        self._to_picture = to_picture
        self._colors: Colors = DARK
        self.player: LessonPlayer | None = None
        self._folder = Path()
        self._shown: tuple[int, bool, bool] | None = None  # step, whether it is complete, whether the lesson has ended
        self._number: int | None = None  # of the step that is shown
        self._presented = False
        self._drawn_for = 0  # width for texts when the step was drawn
        self._redraw = QTimer(self)
        self._redraw.setObjectName("layout")  # tests wait for its end
        self._redraw.setSingleShot(True)
        self._redraw.setInterval(_REDRAW_MS)
        self._redraw.timeout.connect(self._draw_again)
        self._focus_stays = False  # while the same step is drawn again, and somebody types elsewhere
        self.task: TaskCard | None = None
        self.count = QLabel()
        self.count.setObjectName("lessonCount")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(4)
        self.progress.setAccessibleName("Progress of the lesson")
        self.page = QScrollArea()
        self.page.setWidgetResizable(True)
        self.page.setFrameShape(QFrame.Shape.NoFrame)
        self.page.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.back_button = self._button("Back", "Back (Page Up)", lambda: self._player().back())
        self.skip_button = self._button("Skip", "Continue without this task", lambda: self._player().skip())
        self.next_button = self._button("Next", "Next (Page Down)", self.forward)
        self.leave_button = self._button("Leave", "Back to your own run, which is unchanged", self.leave_asked.emit)
        self.leave_button.setFlat(True)
        self._lay_out()
        bar = self.page.verticalScrollBar()
        assert bar is not None
        bar.rangeChanged.connect(self.tell_press)
        bar.valueChanged.connect(self.tell_press)

    def _lay_out(self) -> None:
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.progress)
        head = self._head = QHBoxLayout()
        head.setContentsMargins(_MARGIN, 4, 8, 0)
        head.addWidget(self.count)
        head.addStretch(1)
        head.addWidget(self.leave_button)
        outer.addLayout(head)
        body = self._body = QVBoxLayout()
        body.addWidget(self.page, 1)
        outer.addLayout(body, 1)
        foot = self.foot = QFrame()
        foot.setObjectName("lessonFoot")
        row = QHBoxLayout(foot)
        row.setContentsMargins(12, 8, 12, 8)
        row.setSpacing(8)
        row.addWidget(self.back_button)
        row.addStretch(1)
        row.addWidget(self.skip_button)
        row.addWidget(self.next_button)
        body.addWidget(foot)
        self.setMinimumWidth(272)

    def _button(self, text: str, tip: str, call: Callable[[], None]) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(tip)
        button.setAccessibleName(text)
        button.clicked.connect(call)
        button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        return button

    def _player(self) -> LessonPlayer:
        assert self.player is not None
        return self.player

    # what is shown

    def set_player(self, player: LessonPlayer | None) -> None:
        """Show a lesson; None shows nothing."""
        if self.player is not None:
            self.player.changed.disconnect(self.follow)
        self._end_task()
        self.player, self._shown = player, None
        if player is None:
            self._drawn_for = 0
            self._redraw.stop()
        else:
            self._folder = player.found.folder
            player.in_class = self._presented
            self.titled.emit(player.lesson.title)
            player.changed.connect(self.follow)
            self.follow()
        self._tell_number()

    def set_colors(self, colors: Colors) -> None:
        """Apply the theme."""
        self._colors = colors
        self._draw_again()

    def present(self, on: bool) -> None:
        """Show or hide the controls that only a teacher in front of a class needs."""
        if on != self._presented:
            self._presented = on
            if self.player is not None:
                self.player.in_class = on
            self.leave_button.setText("Leave the lesson" if on else "Leave")
            self.next_button.setMinimumWidth(0)
            self._body.addWidget(self.foot)  # presenter mode may have moved it
            self._draw_again()

    def _draw_again(self) -> None:
        """Redraw the present step in another layout or type; an unfinished answer stays."""
        if self.player is None:
            return
        begun = self.task.unsent() if self.task is not None else None
        focus = QApplication.focusWidget()
        self._focus_stays = focus is not None and not self.page.isAncestorOf(focus)
        self._shown = None
        self.follow()
        self._focus_stays = False
        if self.task is not None:
            self.task.take_unsent(begun)

    def label(self, text: str, role: str = "") -> QLabel:
        """A label of the lesson with typeset formulas."""
        made = QLabel()
        made.setTextFormat(Qt.TextFormat.RichText)
        made.setWordWrap(True)
        made.setOpenExternalLinks(True)
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        if role == "quiet":
            made.setProperty("quiet", True)
        elif role:
            made.setObjectName(role)
        made.setFont(self.font())
        ink = replace(Ink.of(self), color=self._colors.muted if role == "quiet" else self._colors.text)
        html = rich_html(text, ink, self._folder, self._room() - _FRAMES.get(role, 0))
        style = _LIST.format(round(_INDENT * QFontInfo(self.font()).pixelSize()))
        made.setText(html.replace("<ul>", f"<ul{style}").replace("<ol>", f"<ol{style}"))
        made.setAccessibleName(spoken(text))
        return made

    def _room(self) -> int:
        """The width that a text may have, in pixels."""
        return max(self.page.width() - 2 * _MARGIN - _BAR, _LEAST)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Redraw formulas and pictures, which do not wrap, if the width has changed."""
        super().resizeEvent(event)
        if self._drawn_for and self._room() != self._drawn_for:
            self._redraw.start()

    def follow(self) -> None:
        """Update everything from the player."""
        player = self._player()
        now = (player.number, player.complete, player.ended)
        if self._shown != now:
            if self._shown is None or (self._shown[0], self._shown[2]) != (player.number, player.ended):
                (self._show_end if player.ended else self._show_step)(player)
            elif self.task is not None:
                if player.complete and self.task.isAncestorOf(QApplication.focusWidget()):
                    self._to_picture()
                self.task.follow()
            self._shown = now
        elif self.task is not None:
            self.task.follow()
        if not player.ended:
            self._explain(player)
            set_passed_over(self._skipped, player)
        steps = len(player.lesson.step)
        self.count.setText("The end" if player.ended else f"Step {player.number + 1} of {steps}")
        self.progress.setRange(0, steps)
        self.progress.setValue(player.number + 1)
        self.back_button.setEnabled(player.number > 0 or player.ended)
        self.tell_press()
        self._tell_number()
        self.laid_out.emit()

    @property
    def wanted_height(self) -> int:
        """The height in pixels at which the whole page is visible."""
        page = self.page.widget()
        layout = page.layout() if page is not None else None
        if layout is None:
            return 0
        layout.activate()
        around = self.progress.height() + self._head.sizeHint().height()
        return layout.totalHeightForWidth(self.page.width() - _BAR) + around  # with a scroll bar there are more lines

    def tell_press(self) -> None:
        """Say on *Next* what it does. While presenting, that is what the next press of a clicker does."""
        player, button = self.player, self.next_button
        if player is None:
            return
        press = player.press
        enabled, words = player.complete or player.ended, "Done" if player.ended else "Next"
        stands_out = True
        if self._presented:
            enabled = press not in ("running", "measuring", "waiting")
            if self._reads_on and enabled:
                words = _READ_ON_WORDS
            elif not player.ended:
                words = _WORDS[press]
                stands_out = player.complete or player.step.predict is None  # until then *Predict* does
        if (button.text(), button.isEnabled()) != (words, enabled):
            button.setText(words)
            button.setAccessibleName(words)
            button.setEnabled(enabled)
        set_styled(button, "objectName", "lessonNext" if stands_out else "")
        self._share_row(press)
        if self._presented:  # as wide as the longest word: nothing moves
            advance = button.fontMetrics().horizontalAdvance
            button.setMinimumWidth(max(map(advance, (*_WORDS.values(), _READ_ON_WORDS))) + _AROUND_WORDS)

    def _share_row(self, press: Press) -> None:
        """Show only one button that goes on to the next step: *Skip* while there is a task to be done or to wait for,
        *Next* where nothing is open. While presenting, the other one may do the task."""
        player, next_button = self._player(), self.next_button
        done = player.complete or player.ended
        goes_on = press in ("next", "skip") or self.next_button.text() == _READ_ON_WORDS
        self.skip_button.setVisible(not (done or (self._presented and goes_on)))
        next_button.setVisible(done or self._presented)

    @property
    def _reads_on(self) -> bool:
        """Whether there is more of the page below, of at least half a line."""
        bar = self.page.verticalScrollBar()
        return bar is not None and bar.maximum() - bar.value() > self.fontMetrics().height() / 2

    def _tell_number(self) -> None:
        number = None if self.player is None else self.player.number + self.player.ended
        if number != self._number:
            self._number = number
            self.moved.emit()

    def read_on(self, way: int = 1) -> bool:
        """Scroll down in a long text, or up if `way` is -1. False at its end."""
        if way > 0 and not self._reads_on:
            return False
        bar = self.page.verticalScrollBar()
        before = 0 if bar is None else bar.value()
        if bar is not None:
            bar.setValue(before + way * round(_READ_ON * bar.pageStep()))
        return bar is not None and bar.value() != before

    def forward(self) -> None:
        """Go on as *Next*, Page Down and a clicker do (`LessonPlayer.advance`), in presenter mode after the end of a
        long text; on the last page, leave."""
        player = self._player()
        if self._presented and self.read_on():
            return
        if player.ended:
            self.leave_asked.emit()
        elif words := player.advance():
            self.message.emit(words)

    def _new_page(self, words: str) -> tuple[QWidget, QVBoxLayout]:
        """A page with a title, and its column."""
        self._end_task()
        self._drawn_for = self._room()
        page = QWidget()
        page.setFont(self.font())  # so that its contents have it from the beginning
        column = self._column = QVBoxLayout(page)
        column.setContentsMargins(_MARGIN, 4, _MARGIN, 12)
        column.setSpacing(12)
        title = QLabel(words)
        title.setObjectName("lessonTitle")
        title.setWordWrap(True)
        title.setFont(self._title_font())
        column.addWidget(title)
        self._explanation: QWidget | None = None
        return page, column

    def _show_end(self, player: LessonPlayer) -> None:
        page, column = self._new_page("What you found")
        fill_end_page(column, player, self, self.ways_on(), self._room())
        column.addStretch(1)
        replace_page(self.page, page)
        page.show()
        if not self._focus_stays:
            self._to_picture()

    def _show_step(self, player: LessonPlayer) -> None:
        step = player.step
        page, column = self._new_page(step.title)
        if step.say:
            column.addWidget(self.label(step.say))
        if step.predict is not None:
            self.task = QuestionCard(player, self, step.predict, self._ask_point, self._end_point)
            self._offer_counting(self.task.buttons, "Count answers", "Count the predictions of the class (Ctrl+H)")
        elif step.do is not None:
            self.task = ActivityCard(player, self, step.do, [self._control_of(key) for key in step.do.controls])
        elif step.measure is not None:
            self.task = MeasurementCard(player, self, step.measure)
            if player.question is not None and player.counted.of(player.question):
                self._offer_counting(self.task.buttons, "Show answers", "Predictions of the class (Ctrl+H)")
        if self.task is not None:
            self.task.setFont(self.font())
            self.task.set_colors(self._colors)
            column.addWidget(self.task)
        self._skipped = self.label("", "quiet")
        column.addWidget(self._skipped)
        column.addStretch(1)
        replace_page(self.page, page)
        page.show()  # hidden widgets cannot take the focus
        if not self.isVisible() or self._focus_stays:
            return
        if self.task is None or player.complete or not self.task.take_focus():
            self._to_picture()

    def _offer_counting(self, row: QHBoxLayout, text: str, tip: str) -> None:
        """Add the button for counting answers of a class beside the other buttons or, on a narrow page, below them."""
        if not self._presented or self.task is None:
            return
        button = self._button(text, tip, self.count_asked.emit)
        advance = QFontMetrics(self.font()).horizontalAdvance
        beside = [item.widget() for item in map(row.itemAt, range(row.count())) if item is not None]
        words = [one.text() for one in beside if isinstance(one, QLabel | QAbstractButton)]
        words += [one.placeholderText() for one in beside if isinstance(one, QLineEdit)]
        if sum(advance(each) + _AROUND_WORDS for each in (*words, text)) <= self._room():
            row.insertWidget(row.count() - 1, button)
        else:
            self.task.column.addWidget(button)

    def _title_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(_TITLE * font.pointSizeF())
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def _explain(self, player: LessonPlayer) -> None:
        """Show the explanation below the task once it is done."""
        step = player.step
        wanted = player.complete and bool(step.explain or step.equation or step.next)
        if wanted and self._explanation is None:
            part = self._explanation = QWidget()
            part.setFont(self.font())
            column = QVBoxLayout(part)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(12)
            if step.explain:
                column.addWidget(self.label(step.explain))
            if step.equation:
                column.addWidget(self.label(step.equation, "lessonEquation"))
            if step.next:
                column.addWidget(self.label(f"**Try next:** {step.next}", "lessonHint"))
            self._column.insertWidget(self._column.indexOf(self._skipped), part)
            part.show()  # now, because hidden widgets do not count in `wanted_height`
        elif not wanted and self._explanation is not None:
            self._explanation.deleteLater()
            self._explanation = None

    def _end_task(self) -> None:
        if self.task is not None:
            self.task.close_task()
            self.task = None

    def changeEvent(self, event: QEvent | None) -> None:
        """Redraw formulas in the new font: presenter mode has a larger one."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange:
            self._draw_again()


WayOn = Callable[[], object]
"""The action of a button."""


def summary(player: LessonPlayer) -> str:
    """A sentence on how many predictions were right."""
    measured = [(question, answer, found) for question, answer, _measure, found in player.outcomes() if found]
    answered = [is_right(question, answer, found) for question, answer, found in measured if answer is not None]
    if not answered:
        return "" if player.in_class else "You made no prediction this time."
    right, count = sum(answered), len(answered)
    if count == 1:
        return f"Your prediction was {'right' if right else 'wrong'}."
    return f"{right or 'None'} of your {count} predictions {'was' if right == 1 else 'were'} right."


def set_passed_over(label: QLabel, player: LessonPlayer) -> None:
    """Name the steps that were skipped before the page that is shown; without any, hide the label."""
    label.setText(f"Skipped: {', '.join(f'“{escape(title)}”' for title in player.skipped_titles)}.")
    label.setVisible(bool(player.skipped_titles))


def fill_end_page(
    column: QVBoxLayout, player: LessonPlayer, texts: LabelMaker, ways: Mapping[str, WayOn], room: int
) -> None:
    """Add the page to a column. ways : the actions of the buttons, by label; room : for them, in pixels of width."""
    if words := summary(player):
        column.addWidget(texts.label(words))
    for question, answer, measure, found in player.outcomes():
        if found is not None:
            column.addWidget(_outcome(player, texts, question, answer, measure, found))
    skipped = texts.label("", "quiet")
    column.addWidget(skipped)
    set_passed_over(skipped, player)
    column.addWidget(texts.label("**What next?**"))
    row: QHBoxLayout | None = None
    for words, use in ways.items():
        button = QPushButton(words)
        button.setFont(texts.font())
        button.clicked.connect(lambda _checked, use=use: use())
        if row is None or row.sizeHint().width() + row.spacing() + button.sizeHint().width() > room:
            row = QHBoxLayout()
            row.setSpacing(8)
            row.addStretch(1)
            column.addLayout(row)
        row.insertWidget(row.count() - 1, button)


def _outcome(
    player: LessonPlayer,
    texts: LabelMaker,
    question: Question,
    answer: float | int | None,
    measure: MeasuredQuantity,
    found: Measurement,
) -> QFrame:
    """A card with one prediction beside its measurement."""
    card = QFrame()
    card.setObjectName("lessonTask")
    rows = QVBoxLayout(card)
    rows.setContentsMargins(12, 8, 12, 8)
    rows.setSpacing(4)
    rows.addWidget(texts.label(measure.name, "quiet"))
    mark = "" if answer is None else "✓ " if is_right(question, answer, found) else "✗ "
    result = QLabel(f"{mark}{comparison_sentence(question, answer, measure, found)}")
    result.setWordWrap(True)
    result.setFont(texts.font())
    rows.addWidget(result)
    counted = player.counted.of(question)
    if counted:
        words = QLabel(f"Class: {class_sentence(question, counted, found)}")
        words.setWordWrap(True)
        words.setFont(texts.font())
        rows.addWidget(words)
    return card
