"""The answers of a class, large enough for the last row: where they are counted, as bars that grow meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from statistics import median

from PyQt6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFont, QFontMetrics, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from aggviewer.lessons.answers import Measurement, room_around, told
from aggviewer.lessons.counting import Bars, bars_of, right_of, summed_up
from aggviewer.lessons.model import Predict
from aggviewer.lessons.player import LessonPlayer
from aggviewer.lessons.tasks import Texts
from aggviewer.style.theme import DARK, Colors, tabular
from engine.errors import InputError

_MARGIN = 16
_WIDEST = "0000000000"  # what the field has room for
_KEYS = 9  # choices that have a digit as their key


class CountView(QFrame):
    """Shows the answers to the question of a step, and takes more of them.

    Parameters
    ----------
    player : the lesson.
    texts : makes labels with formulas.

    Signals: ``leave_asked``, ``sheet_asked``.
    """

    leave_asked = pyqtSignal()
    sheet_asked = pyqtSignal()

    def __init__(self, player: LessonPlayer, texts: Texts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        question = player.question
        assert question is not None
        self.question: Predict = question
        self.setObjectName("countView")
        self.setAccessibleName("Answers of the class")
        self._player = player
        self.title = QLabel("Answers of the class")
        self.title.setObjectName("countTitle")
        self.count = QLabel()
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.bars: HistogramView | ChoiceBars
        self.bars = ChoiceBars(question, texts, self.add) if question.kind == "choice" else HistogramView()
        self.verdict = QLabel()
        self.verdict.setObjectName("countVerdict")
        self.verdict.setWordWrap(True)
        self.problem = QLabel()
        self.problem.setObjectName("problem")
        self.problem.setWordWrap(True)
        self.field = CountField()
        self.field.setAccessibleName("One more answer")
        self.field.setPlaceholderText("a number")
        self.field.returnPressed.connect(self.add_typed)
        self.field.taken_back.connect(player.uncount)
        self.add_button = self._button("Add", "Count this answer (Enter)", self.add_typed)
        self.undo_button = self._button("Undo", "Take the last answer back (Backspace)", player.uncount)
        self.clear_button = self._button("Clear", "Forget all answers to this question", player.clear_counted)
        self.sheet_button = self._button(
            "Class sheet…", "Save all answers of the lesson, as a table or for print", self.sheet_asked.emit
        )
        self.close_button = self._button("Close", "Back to the picture (Esc)", self.leave_asked.emit)
        self._lay_out()
        self.problem.hide()
        player.changed.connect(self.follow)
        self.follow()

    def _button(self, text: str, tip: str, call: Callable[[], object]) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(tip)
        button.clicked.connect(lambda _checked: call())
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the focus where the next answer is typed
        return button

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, 8, _MARGIN, 8)
        column.setSpacing(8)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.count)
        column.addLayout(head)
        column.addWidget(self.bars, 1)
        column.addWidget(self.verdict)
        column.addWidget(self.problem)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        self._entry: list[QWidget] = []
        if self.question.kind != "choice":
            unit = QLabel(self.question.unit)
            self._entry = [self.field, unit, self.add_button]
            foot.addWidget(self.field)
            foot.addWidget(unit)
            foot.addWidget(self.add_button)
        foot.addStretch(1)
        for button in (self.undo_button, self.clear_button, self.sheet_button, self.close_button):
            foot.addWidget(button)
        column.addLayout(foot)
        self._measure()

    # what is counted

    @property
    def counts(self) -> bool:
        """Whether answers are taken here: not where the question has been measured."""
        return self._player.step.predict is not None

    def add(self, answer: object) -> None:
        """Count one more."""
        if not self.counts:
            return
        try:
            self._player.count(answer)
        except InputError as error:
            self.problem.setText(str(error)[:1].upper() + str(error)[1:] + ".")
            self.problem.show()
            self.field.selectAll()
            return
        self.problem.hide()
        self.field.clear()

    def add_typed(self) -> None:
        """Count the number in the field, which is empty for the next one then."""
        if self.field.text().strip():
            self.add(self.field.text())
        self.field.setFocus()

    def choose(self, number: int) -> None:
        """Count one more for the choice of a digit, from 1."""
        if self.question.kind == "choice" and number <= len(self.question.choices):
            self.add(number - 1)

    def type_in(self, text: str) -> None:
        """A key that was pressed while something else had the focus."""
        if self.counts and self.question.kind != "choice":
            self.field.setFocus()
            self.field.insert(text)

    def take_focus(self) -> None:
        """Where the next answer is given."""
        if self.counts and self.question.kind != "choice":
            self.field.setFocus()
        else:
            self.setFocus()

    def follow(self) -> None:
        """Show what has been counted and measured."""
        player, question = self._player, self.question
        if player.question is not question:
            return
        answers = player.counted.of.get(question.id, [])
        found = player.found_for(question)
        self.bars.show_answers(question, answers, found)
        middle = f"median {told(median(answers))}, " if answers and question.kind != "choice" else ""
        self.count.setText(f"{middle}{len(answers)} {'answer' if len(answers) == 1 else 'answers'}")
        self.verdict.setVisible(found is not None and bool(answers))
        if found is not None and answers:
            gives = found.told(3, question.unit)
            self.verdict.setText(f"Measured: {gives}. {summed_up(question, answers, found)}")
        for widget in self._entry:
            widget.setVisible(self.counts)
        self.undo_button.setText("Undo clear" if player.counted.was_cleared(question) else "Undo")
        self.undo_button.setEnabled(bool(answers) or player.counted.was_cleared(question))
        self.clear_button.setEnabled(bool(answers))
        self.sheet_button.setEnabled(len(player.counted) > 0)
        if isinstance(self.bars, ChoiceBars):
            self.bars.set_open(self.counts)

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme."""
        self.bars.set_colors(colors)

    def end(self) -> None:
        """Follow no more."""
        self._player.changed.disconnect(self.follow)

    def changeEvent(self, event: QEvent | None) -> None:
        """Sizes follow the font."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange:
            self._measure()

    def _measure(self) -> None:
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        self.title.setFont(font)
        self.count.setFont(tabular(font))
        self.verdict.setFont(font)
        self.field.setFixedWidth(QFontMetrics(self.font()).horizontalAdvance(_WIDEST))


class CountField(QLineEdit):
    """The field for one more answer: Enter leaves the focus in it, for the next one. ``taken_back`` is emitted for
    Backspace where it is empty."""

    taken_back = pyqtSignal()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """See the class."""
        if event is not None and event.key() == Qt.Key.Key_Backspace and not self.text():
            self.taken_back.emit()
            return
        super().keyPressEvent(event)
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()


class HistogramView(QWidget):
    """Numbers as bars, with the measured one and how near an answer has to be."""

    def __init__(self) -> None:
        super().__init__()
        self._colors: Colors = DARK
        self.bars: Bars | None = None
        self.found: Measurement | None = None
        self._band = (0.0, 0.0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def minimumSizeHint(self) -> QSize:
        """Room for a few bars."""
        return QSize(240, 5 * self.fontMetrics().height())

    def show_answers(self, question: Predict, answers: list[float | int], found: Measurement | None) -> None:
        """Show these."""
        self.bars = bars_of(question, answers, found) if answers else None
        self.found = found
        if found is not None:
            room = room_around(question, found)
            self._band = (found.value - room, found.value + room)
        told_bars = [] if self.bars is None else [bar for bar in self.bars.bars if bar.count]
        words = ", ".join(f"{bar.count} from {told(bar.low)} to {told(bar.high)}" for bar in told_bars)
        self.setAccessibleName(f"Answers: {words or 'none yet'}")
        self.update()

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme."""
        self._colors = colors
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Bars, numbers, the measured one."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(tabular(self.font()))
        colors, metrics = self._colors, QFontMetricsF(painter.font())
        line = metrics.height()
        if self.bars is None:
            painter.setPen(QColor(colors.muted))
            words = "No answer yet: type a number, then Enter"
            painter.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, words)
            return
        top, bottom = 2.2 * line, self.height() - 1.4 * line
        plot = QRectF(line, top, self.width() - 2.0 * line, max(1.0, bottom - top))
        if self.found is not None:
            self._paint_band(painter, plot)
        painter.setPen(QPen(QColor(colors.text), 2.0))
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())
        tops = self._paint_bars(painter, plot, line)
        self._paint_ends(painter, plot, metrics)
        if self.found is not None:
            self._paint_found(painter, plot, metrics)
        for (x, y), count in tops:  # over the line of the measured number
            patch = QRectF(0.0, 0.0, metrics.horizontalAdvance(str(count)) + 8.0, 0.95 * line)
            patch.moveCenter(QPointF(x, y - 0.6 * line))
            painter.fillRect(patch, QColor(colors.window))
            painter.setPen(QColor(colors.text))
            painter.drawText(patch, Qt.AlignmentFlag.AlignCenter, str(count))

    def _at(self, value: float, plot: QRectF) -> float:
        assert self.bars is not None
        return plot.left() + min(max(self.bars.share(value), 0.0), 1.0) * plot.width()

    def _paint_band(self, painter: QPainter, plot: QRectF) -> None:
        left, right = (self._at(end, plot) for end in self._band)
        painter.fillRect(QRectF(left, plot.top(), right - left, plot.height()), QColor(*self._colors.band))

    def _paint_bars(self, painter: QPainter, plot: QRectF, line: float) -> list[tuple[tuple[float, float], int]]:
        """The bars; gives where each ends, and its count."""
        assert self.bars is not None
        colors = self._colors
        unit = (plot.height() - 1.1 * line) / max(1, *(bar.count for bar in self.bars.bars))
        tops = []
        for bar in self.bars.bars:
            left, right = self._at(bar.low, plot) + 2.0, self._at(bar.high, plot) - 2.0
            y = plot.bottom()
            plain = self.found is None
            for count, fill in ((bar.right, colors.accent), (bar.wrong, colors.accent if plain else colors.hover)):
                if count:
                    y -= unit * count
                    painter.setPen(QPen(QColor(colors.outline), 1.5))
                    painter.setBrush(QColor(fill))
                    painter.drawRect(QRectF(left, y, right - left, unit * count))
            if bar.count:
                tops.append((((left + right) / 2.0, y), bar.count))
        return tops

    def _paint_ends(self, painter: QPainter, plot: QRectF, metrics: QFontMetricsF) -> None:
        assert self.bars is not None
        painter.setPen(QColor(self._colors.text))
        reached = -1e9
        for end in self.bars.ends:
            words, x = told(end), self._at(end, plot)
            wide = metrics.horizontalAdvance(words)
            if x - wide / 2.0 > reached + 0.6 * metrics.height():
                reached = x + wide / 2.0
                painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + 6.0))
                place = QRectF(x - wide, plot.bottom() + 6.0, 2.0 * wide, metrics.height())
                painter.drawText(place, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, words)

    def _paint_found(self, painter: QPainter, plot: QRectF, metrics: QFontMetricsF) -> None:
        assert self.found is not None
        x = self._at(self.found.value, plot)
        for color, width, style in (
            (self._colors.window, 8.0, Qt.PenStyle.SolidLine),  # so that it stands out from dark bars
            (self._colors.error, 4.0, Qt.PenStyle.DashLine),
        ):
            painter.setPen(QPen(QColor(color), width, style))
            painter.drawLine(QPointF(x, plot.top() - 0.9 * metrics.height()), QPointF(x, plot.bottom()))
        words = f"measured {told(self.found.value)}"
        wide = metrics.horizontalAdvance(words)
        left = min(max(x - wide / 2.0, 0.0), self.width() - wide)
        painter.setPen(QColor(self._colors.error))
        painter.drawText(QPointF(left, plot.top() - 1.05 * metrics.height()), words)


class ChoiceBars(QScrollArea):
    """Choices with their keys, a bar each, and a button for one more. add : called with the index of a choice."""

    def __init__(self, question: Predict, texts: Texts, add: Callable[[int], object]) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        page = QWidget()
        grid = QGridLayout(page)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 3)
        grid.setColumnStretch(2, 2)
        self.lines: list[_CountBar] = []
        self.buttons: list[QPushButton] = []
        for k, choice in enumerate(question.choices):
            key = QLabel(str(k + 1) if k < _KEYS else "")
            key.setObjectName("countKey")
            words = texts.label(choice.text)
            line = _CountBar()
            button = QPushButton("+")
            button.setAccessibleName(f"One more for: {words.accessibleName()}")
            button.setToolTip(f"One more ({k + 1})" if k < _KEYS else "One more")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(lambda _checked, k=k: add(k))
            for column, widget in enumerate((key, words, line, button)):
                grid.addWidget(widget, k, column)
            self.lines.append(line)
            self.buttons.append(button)
        grid.setRowStretch(len(question.choices), 1)
        self.setWidget(page)

    def show_answers(self, question: Predict, answers: list[float | int], found: Measurement | None) -> None:
        """Show these, and which choice is right."""
        counts = Counter(answers)
        most = max(1, *counts.values()) if counts else 1
        for k, line in enumerate(self.lines):
            right = None if found is None else right_of(question, [k], found) > 0
            line.show_count(counts.get(k, 0), most, right)

    def set_open(self, opened: bool) -> None:
        """Whether answers are taken."""
        for button in self.buttons:
            button.setVisible(opened)

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme."""
        for line in self.lines:
            line.colors = colors
            line.update()


class _CountBar(QWidget):
    """A bar with its count; right : whether the choice turned out right, None before it is measured."""

    def __init__(self) -> None:
        super().__init__()
        self.colors: Colors = DARK
        self.value, self._most = 0, 1
        self.right: bool | None = None

    def sizeHint(self) -> QSize:
        """As high as the text."""
        return QSize(160, round(1.3 * self.fontMetrics().height()))

    def minimumSizeHint(self) -> QSize:
        """The same."""
        return self.sizeHint()

    def show_count(self, value: int, most: int, right: bool | None) -> None:
        """Show this one. most : of all of them."""
        self.value, self._most, self.right = value, most, right
        self.setAccessibleName(f"{value}{'' if right is None else ', right' if right else ', not right'}")
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Bar, number, and a tick at what is right."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(tabular(self.font()))
        words = f"{self.value}{' ✓' if self.right else ''}"
        room = self.fontMetrics().horizontalAdvance("000 ✓ ")
        wide = (self.width() - room) * self.value / self._most
        high = self.fontMetrics().height()
        bar = QRectF(1.0, (self.height() - high) / 2.0, wide, high)
        painter.setPen(QPen(QColor(self.colors.outline), 1.5))
        painter.setBrush(QColor(self.colors.hover if self.right is False else self.colors.accent))
        if self.value:
            painter.drawRect(bar)
        painter.setPen(QColor(self.colors.text))
        painter.drawText(QPointF(bar.right() + 8.0, bar.bottom() - self.fontMetrics().descent()), words)
