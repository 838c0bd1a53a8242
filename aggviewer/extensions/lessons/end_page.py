"""The last page of a lesson: predictions, results, and what to do next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape

from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from aggviewer.extensions.lessons.answers import Measurement, comparison_sentence, is_right
from aggviewer.extensions.lessons.counting import class_sentence
from aggviewer.extensions.lessons.model import MeasuredQuantity, Question
from aggviewer.extensions.lessons.player import LessonPlayer
from aggviewer.extensions.lessons.tasks import LabelMaker

WayOn = Callable[[], object]
"""The action of a button."""


def summary(player: LessonPlayer) -> str:
    """A sentence on how many predictions held."""
    measured = [(question, answer, found) for question, answer, _measure, found in player.outcomes() if found]
    answered = [is_right(question, answer, found) for question, answer, found in measured if answer is not None]
    if not answered:
        return "You made no prediction this time."
    right, count = sum(answered), len(answered)
    if count == 1:
        return f"Your prediction {'held' if right else 'did not hold'}."
    return f"{right or 'None'} of your {count} predictions held."


def set_passed_over(label: QLabel, player: LessonPlayer) -> None:
    """Name the steps that were skipped before the page that is shown; without any, hide the label."""
    label.setText(f"Skipped: {', '.join(f'“{escape(title)}”' for title in player.passed_over)}.")
    label.setVisible(bool(player.passed_over))


def fill_end_page(
    column: QVBoxLayout, player: LessonPlayer, texts: LabelMaker, ways: Mapping[str, WayOn], room: int
) -> None:
    """Add the page to a column. ways : the actions of the buttons, by label; room : for them, in pixels of width."""
    column.addWidget(texts.label(summary(player)))
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
