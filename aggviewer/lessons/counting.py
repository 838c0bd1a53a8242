"""The answers of a whole class, counted in front of it, and how many of them were right. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aggviewer.lessons.answers import Measurement, checked_answer, is_right
from aggviewer.lessons.model import Lesson, Question

Answers = tuple[float | int, ...]
"""Numbers, or indices of choices, in the order in which they were counted."""


class ClassAnswers:
    """What a class has predicted, question by question."""

    def __init__(self) -> None:
        self._states: dict[str, list[Answers]] = {}  # of each question, from no answer to what there is now

    def of(self, question: Question) -> Answers:
        """The answers to a question."""
        return self._states.get(question.id, [()])[-1]

    def answered(self) -> list[str]:
        """The ids of the questions that have answers."""
        return list(self.to_plain())

    def add(self, question: Question, answer: Any) -> None:
        """Count one more. InputError for what cannot be an answer."""
        self._go_on(question, (*self.of(question), checked_answer(question, answer)))

    def clear(self, question: Question) -> None:
        """Forget the answers to a question; `undo` brings them back."""
        self._go_on(question, ())

    def undo(self, question: Question) -> None:
        """Undo the last `add` or `clear` of a question; answers that were kept from another time are taken back one by
        one."""
        if self.can_undo(question):
            self._states[question.id].pop()

    def can_undo(self, question: Question) -> bool:
        """Whether `undo` would change something."""
        return len(self._states.get(question.id, ())) > 1

    def to_plain(self) -> dict[str, list[float | int]]:
        """For a file of settings."""
        return {name: list(states[-1]) for name, states in self._states.items() if states[-1]}

    @staticmethod
    def from_plain(plain: Any, lesson: Lesson) -> ClassAnswers:
        """The opposite of `to_plain`. KeyError, TypeError, ValueError for what is none."""
        made = ClassAnswers()
        for name, answers in dict(plain).items():
            for answer in answers:
                made.add(lesson.predictions[name], answer)
        return made

    def _go_on(self, question: Question, answers: Answers) -> None:
        if answers != self.of(question):
            self._states.setdefault(question.id, [()]).append(answers)


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
