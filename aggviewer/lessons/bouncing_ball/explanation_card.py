"""The card under the balls: what happens at the event that is shown, or what is wrong with a field."""

from __future__ import annotations

from html import escape

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QFontMetrics
from PyQt6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from aggviewer.lessons.bouncing_ball.colors import BallColors
from aggviewer.lessons.bouncing_ball.explanation import Words

_LINES = 6  # of text for which there is room


class WordsCard(QFrame):
    """Of one height, so that the balls do not move when the words change."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lessonCard")
        self._label = QLabel()
        self._label.setWordWrap(True)
        self._label.setTextFormat(Qt.TextFormat.RichText)
        self._label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._label.setFixedHeight(_LINES * QFontMetrics(self._label.font()).lineSpacing() + 8)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(12, 8, 12, 8)
        inside.addWidget(self._label)

    def text(self) -> str:
        """The rich text."""
        return self._label.text()

    def show_problem(self, reason: str, colors: BallColors) -> None:
        """Why a field is refused."""
        self._label.setText(f"<span style='color:{colors.window.error}'>{escape(reason)}</span>")

    def show_words(self, words: Words, colors: BallColors) -> None:
        """One text for both balls where they do the same, else one each."""
        naive, stable = escape(words.naive), escape(words.stable)
        if words.both:
            text = f"<b>{words.heading}</b> · {naive}"
        else:
            text = (
                f"<b>{words.heading}</b><br><b style='color:{colors.naive}'>Naive</b> · {naive}<br>"
                f"<b style='color:{colors.stable}'>Stable</b> · {stable}"
            )
        self._label.setText(text)
