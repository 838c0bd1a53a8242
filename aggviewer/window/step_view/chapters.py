"""The chapters of a step, to click on."""

from __future__ import annotations

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from aggviewer.session.step.story import Chapter

_MOST_ROUNDS = 4  # rounds with a button each; more share one
_PADDING = 16  # beside the words of a button


class ChapterStrip(QWidget):
    """One button per chapter, the present one filled. ``chosen(tick)``: its first tick."""

    chosen = pyqtSignal(int)

    def __init__(self) -> None:
        super().__init__()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(2)
        self._groups: list[list[Chapter]] = []
        self._current: Chapter | None = None
        self.buttons: list[QPushButton] = []
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
        self._write()

    def _button(self, first: int) -> QPushButton:
        button = QPushButton()
        button.setProperty("segment", True)
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.clicked.connect(lambda: self.chosen.emit(first))
        self._row.addWidget(button)
        return button

    def set_current(self, chapter: Chapter) -> None:
        """The chapter that is shown."""
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
            self._row.setStretch(self._row.indexOf(button), metrics.horizontalAdvance(words) + _PADDING)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Short titles where there is little room."""
        super().resizeEvent(event)
        self._write()

    def sizeHint(self) -> QSize:
        """The wished size: all the width that there is."""
        return QSize(320, super().sizeHint().height())
