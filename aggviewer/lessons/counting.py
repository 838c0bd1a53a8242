"""The answers of a whole class, counted in front of it, and how many of them were right. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aggviewer.lessons.answers import Measurement, checked_answer, is_right
from aggviewer.lessons.model import Lesson, Question


class ClassAnswers:
    """What a class has predicted, question by question.

    Attributes
    ----------
    of : the id of a question to its answers in the order in which they were counted: numbers, or indices of choices.
    """

    def __init__(self) -> None:
        self.of: dict[str, list[float | int]] = {}
        self._before: dict[str, list[list[float | int]]] = {}  # for undo, the oldest first

    def add(self, question: Question, answer: Any) -> None:
        """Count one more. InputError for what cannot be an answer."""
        answers = self.of.get(question.id, [])
        self._change(question, [*answers, checked_answer(question, answer)])

    def clear(self, question: Question) -> None:
        """Forget the answers to a question; `undo` brings them back."""
        if question.id in self.of:
            self._change(question, [])

    def undo(self, question: Question) -> bool:
        """Undo the last `add` or `clear` of a question; of answers that were kept from another time, take the last
        one back. False where there is neither."""
        before, answers = self._before.get(question.id), self.of.get(question.id)
        if before:
            self._set(question, before.pop())
        elif answers:
            self._set(question, answers[:-1])
        else:
            return False
        return True

    def can_undo(self, question: Question) -> bool:
        """Whether `undo` would change something."""
        return bool(self._before.get(question.id) or self.of.get(question.id))

    def to_plain(self) -> dict[str, list[float | int]]:
        """For a file of settings."""
        return {name: list(answers) for name, answers in self.of.items()}

    @staticmethod
    def from_plain(plain: Any, lesson: Lesson) -> ClassAnswers:
        """The opposite of `to_plain`. KeyError, TypeError, ValueError for what is none."""
        made = ClassAnswers()
        for name, answers in dict(plain).items():
            made.of[str(name)] = [checked_answer(lesson.predictions[name], answer) for answer in answers]
        return made

    def _change(self, question: Question, answers: list[float | int]) -> None:
        self._before.setdefault(question.id, []).append(self.of.get(question.id, []))
        self._set(question, answers)

    def _set(self, question: Question, answers: list[float | int]) -> None:
        if answers:
            self.of[question.id] = answers
        else:
            self.of.pop(question.id, None)


def class_sentence(question: Question, answers: Sequence[float | int], found: Measurement) -> str:
    """The sentence below the measurement: "Of 32 answers 18 are right (within ±0.05)."."""
    right, count = sum(is_right(question, answer, found) for answer in answers), len(answers)
    if count == 1:
        return f"The one answer is {'' if right else 'not '}right{_nearness(question)}."
    return f"Of {count} answers {right or 'none'} {'is' if right < 2 else 'are'} right{_nearness(question)}."


def _nearness(question: Question) -> str:
    """How near an answer has to be, as the end of a sentence; empty for choices."""
    parts = []
    if question.tolerance:
        parts.append(f"±{question.tolerance:g} {question.unit}".strip())
    if question.ratio:
        parts.append(f"±{100.0 * question.ratio:g} %")
    return f" (within {' or '.join(parts)})" if parts else ""
