"""The timeline of a step: its chapters to click on, and a slider over all ticks."""

from __future__ import annotations

from dataclasses import asdict

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PyQt6.QtWidgets import QHBoxLayout, QSizePolicy, QSlider, QStyle, QStyleOptionSlider, QToolButton, QWidget

from aggviewer.session.step.story import Chapter
from aggviewer.style.theme import DARK, Colors

_MOST_ROUNDS = 4  # rounds with a button each; more share one
_PADDING = 16  # beside the words of a button
_STYLE = """
QToolButton {{
    border: 1px solid {border}; border-left-width: {left}; padding: 4px 2px; background: transparent; color: {text};
    border-top-left-radius: {first}; border-bottom-left-radius: {first};
    border-top-right-radius: {last}; border-bottom-right-radius: {last};
}}
QToolButton:hover {{ background: {hover}; }}
QToolButton:focus {{ border-color: {accent}; }}
QToolButton:checked {{ background: {accent}; border-color: {accent}; color: {on_accent}; }}
"""


class ChapterStrip(QWidget):
    """One button per chapter, the present one filled. ``chosen(tick)``: its first tick."""

    chosen = pyqtSignal(int)

    def __init__(self) -> None:
        super().__init__()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self._groups: list[list[Chapter]] = []
        self._current: Chapter | None = None
        self._colors = DARK
        self.buttons: list[QToolButton] = []
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_chapters(self, chapters: list[Chapter]) -> None:
        """Another step."""
        for button in self.buttons:
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        rounds = [chapter for chapter in chapters if chapter.kind == "minimisation"]
        self._groups = [[chapter] for chapter in chapters]
        if len(rounds) > _MOST_ROUNDS:
            start = chapters.index(rounds[0])
            self._groups[start : start + len(rounds)] = [rounds]
        self.buttons = [self._button(group[0].first) for group in self._groups]
        self._current = None
        self._restyle()
        self._write()

    def _button(self, first: int) -> QToolButton:
        button = QToolButton(self)
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.clicked.connect(lambda: self.chosen.emit(first))
        self._row.addWidget(button)
        return button

    def set_current(self, chapter: Chapter) -> None:
        """The chapter that is seen."""
        for group, button in zip(self._groups, self.buttons, strict=True):
            button.setChecked(chapter in group)  # a click must not uncheck it
        if chapter is not self._current:
            self._current = chapter
            self._write()

    def _titles(self, short: bool) -> list[str]:
        titles = []
        for group in self._groups:
            if len(group) == 1:
                titles.append(group[0].short if short else group[0].title)
                continue
            shown = self._current.round if self._current in group and self._current is not None else 1
            titles.append(f"Round {shown}/{len(group)}" if short else f"Minimisation, round {shown} of {len(group)}")
        return titles

    def _write(self) -> None:
        titles, metrics = self._titles(short=False), self.fontMetrics()
        need = sum(metrics.horizontalAdvance(title) + _PADDING for title in titles)
        short = self._titles(short=True)
        for button, title, brief in zip(self.buttons, titles, short, strict=True):
            words = title if need <= self.width() else brief
            button.setText(words)
            button.setToolTip(title)
            button.setAccessibleName(title)
            button.setMinimumWidth(1)  # the shares of the words count, not what Qt would like
            row = self._row.indexOf(button)
            self._row.setStretch(row, metrics.horizontalAdvance(words) + _PADDING)

    def _restyle(self) -> None:
        colors = asdict(self._colors)
        for number, button in enumerate(self.buttons):
            ends = {"first": "6px" if number == 0 else "0", "left": "1px" if number == 0 else "0"}
            ends["last"] = "6px" if number == len(self.buttons) - 1 else "0"
            button.setStyleSheet(_STYLE.format(**colors, **ends))

    def set_colors(self, colors: Colors) -> None:
        """Another theme."""
        self._colors = colors
        self._restyle()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Short titles where there is little room."""
        super().resizeEvent(event)
        self._write()

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(320, super().sizeHint().height())


class StorySlider(QSlider):
    """A slider over ticks, with a mark where a chapter begins; a click goes there at once."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setAccessibleName("Tick of the step")
        self._marks: list[int] = []

    def set_chapters(self, chapters: list[Chapter]) -> None:
        """Another step."""
        self._marks = [chapter.first for chapter in chapters[1:]]
        self.setRange(0, chapters[-1].last)
        self.setSingleStep(1)
        self.setPageStep(10)
        self.update()

    def _option(self) -> QStyleOptionSlider:
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        return option

    def _span(self) -> tuple[int, int]:
        """First pixel of the middle of the handle, and how far it goes."""
        style = self.style()
        length = 0
        if style is not None:
            length = style.pixelMetric(QStyle.PixelMetric.PM_SliderLength, self._option(), self)
        return length // 2, max(1, self.width() - length)

    def _pixel(self, tick: int) -> int:
        first, span = self._span()
        return first + QStyle.sliderPositionFromValue(self.minimum(), self.maximum(), tick, span)

    def tick_at(self, x: float) -> int:
        """The tick at a pixel."""
        first, span = self._span()
        return QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), round(x) - first, span)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Go there, then drag as usual."""
        if event is not None and event.button() == Qt.MouseButton.LeftButton:
            self.setValue(self.tick_at(event.position().x()))
        super().mousePressEvent(event)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Marks under the slider."""
        painter = QPainter(self)
        painter.setPen(QColor(self.palette().color(QPalette.ColorRole.PlaceholderText)))
        middle = self.height() // 2
        for tick in self._marks:
            x = self._pixel(tick)
            painter.drawLine(x, middle - 8, x, middle + 8)
        painter.end()
        super().paintEvent(event)
