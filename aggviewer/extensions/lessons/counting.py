"""The answers of a whole class, and how many of them were right. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aggviewer.extensions.lessons.answers import Measurement, checked_answer, is_right
from aggviewer.extensions.lessons.model import Lesson, Question

Answers = tuple[float | int, ...]
"""Numbers, or indices of choices, in the order in which they were counted."""


class ClassAnswers:
    """The answers of a class to the questions of a lesson, counted by question."""

    def __init__(self) -> None:
        self._states: dict[str, list[Answers]] = {}  # the history of each question, from no answers to the present ones

    def of(self, question: Question) -> Answers:
        """The answers that were counted for a question."""
        return self._states.get(question.id, [()])[-1]

    def answered(self) -> list[str]:
        """The ids of the questions that have answers."""
        return list(self.to_plain())

    def add(self, question: Question, answer: Any) -> None:
        """Count an answer. InputError if it is invalid."""
        self._set_answers(question, (*self.of(question), checked_answer(question, answer)))

    def clear(self, question: Question) -> None:
        """Delete the answers to a question; `undo` restores them."""
        self._set_answers(question, ())

    def undo(self, question: Question) -> None:
        """Undo the last `add` or `clear` of a question; answers loaded from an earlier lesson are removed one by
        one."""
        if self.can_undo(question):
            self._states[question.id].pop()

    def can_undo(self, question: Question) -> bool:
        """Whether `undo` would change something."""
        return len(self._states.get(question.id, ())) > 1

    def to_plain(self) -> dict[str, list[float | int]]:
        """Plain data for a settings file."""
        return {name: list(states[-1]) for name, states in self._states.items() if states[-1]}

    @staticmethod
    def from_plain(plain: Any, lesson: Lesson) -> ClassAnswers:
        """The inverse of `to_plain`. KeyError, TypeError or ValueError for invalid data."""
        made = ClassAnswers()
        for name, answers in dict(plain).items():
            for answer in answers:
                made.add(lesson.predictions[name], answer)
        return made

    def _set_answers(self, question: Question, answers: Answers) -> None:
        if answers != self.of(question):
            self._states.setdefault(question.id, [()]).append(answers)


def class_sentence(question: Question, answers: Sequence[float | int], found: Measurement) -> str:
    """The sentence below the measurement: "18 of 32 answers are right (within ±0.05)."."""
    right, count = sum(is_right(question, answer, found) for answer in answers), len(answers)
    if count == 1:
        return f"The one answer is {'' if right else 'not '}right{_nearness(question)}."
    return f"{right or 'None'} of {count} answers {'is' if right == 1 else 'are'} right{_nearness(question)}."


def _nearness(question: Question) -> str:
    """How close an answer must be, as the end of a sentence; empty for choices."""
    parts = []
    if question.tolerance:
        parts.append(f"±{question.tolerance:g} {question.unit}".strip())
    if question.ratio:
        parts.append(f"±{100.0 * question.ratio:g} %")
    return f" (within {' or '.join(parts)})" if parts else ""
