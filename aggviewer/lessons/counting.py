"""The predictions of a whole class: counted at the front, put into bars, compared with what was measured. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, isfinite, log10
from typing import Any

from aggviewer.lessons.answers import Measurement, checked, is_right
from aggviewer.lessons.model import Lesson, Predict

_MOST_BARS = 14
_SPREAD = 200.0  # ratio of the largest number to the smallest above which bars stand for powers of ten
_STEPS = (1.0, 2.0, 5.0)


class ClassAnswers:
    """What a class has predicted, question by question, in the order in which it was counted.

    Attributes
    ----------
    of : the id of a question to its answers: numbers, or indices of choices.
    """

    def __init__(self) -> None:
        self.of: dict[str, list[float | int]] = {}
        self._cleared: dict[str, list[float | int]] = {}  # can be brought back as long as nothing else is counted

    def __len__(self) -> int:
        return sum(len(answers) for answers in self.of.values())

    def add(self, question: Predict, answer: Any) -> None:
        """Count one more. InputError for what cannot be an answer."""
        self.of.setdefault(question.id, []).append(checked(question, answer))
        self._cleared.pop(question.id, None)

    def undo(self, question: Predict) -> bool:
        """Take the last answer back, or bring back what was cleared. False where there is neither."""
        if question.id in self._cleared:
            self.of[question.id] = self._cleared.pop(question.id)
        elif self.of.get(question.id):
            self.of[question.id].pop()
            if not self.of[question.id]:
                del self.of[question.id]
        else:
            return False
        return True

    def clear(self, question: Predict) -> None:
        """Forget the answers to a question; `undo` brings them back."""
        if question.id in self.of:
            self._cleared[question.id] = self.of.pop(question.id)

    def was_cleared(self, question: Predict) -> bool:
        """Whether `undo` brings back what was cleared."""
        return question.id in self._cleared

    def to_plain(self) -> dict[str, list[float | int]]:
        """For a file of settings."""
        return {name: list(answers) for name, answers in self.of.items()}

    @staticmethod
    def from_plain(plain: Any, lesson: Lesson) -> ClassAnswers:
        """The opposite of `to_plain`. KeyError, TypeError, ValueError for what is none."""
        made = ClassAnswers()
        for name, answers in dict(plain).items():
            made.of[str(name)] = [checked(lesson.predictions[name], answer) for answer in answers]
        return made


@dataclass(frozen=True)
class Bar:
    """Answers from `low` to `high`, the last bar with its end.

    right, wrong : how many of them are near enough to what was measured, and how many are not; all are wrong before
    anything is measured.
    """

    low: float
    high: float
    right: int
    wrong: int

    @property
    def count(self) -> int:
        """All of them."""
        return self.right + self.wrong


@dataclass(frozen=True)
class Bars:
    """A histogram of numbers. log : whether the bars are as wide as factors."""

    bars: tuple[Bar, ...]
    log: bool

    @property
    def ends(self) -> tuple[float, ...]:
        """From the lower end of the first bar to the upper end of the last one."""
        return (*(bar.low for bar in self.bars), self.bars[-1].high)

    def share(self, value: float) -> float:
        """Where a number stands, from 0 at the lower end to 1 at the upper one."""
        low, high = self.bars[0].low, self.bars[-1].high
        if self.log:
            return (log10(max(value, low)) - log10(low)) / (log10(high) - log10(low))
        return (value - low) / (high - low)


def bars_of(question: Predict, answers: Sequence[float | int], found: Measurement | None) -> Bars:
    """The answers to a question for a number, in bars between round numbers that reach to the measured number too."""
    shown = [float(answer) for answer in answers]
    if found is not None and isfinite(found.value):
        shown.append(found.value)
    shown = shown or [0.0]
    log = min(shown) > 0.0 and max(shown) > _SPREAD * min(shown)
    ends = _decades(shown) if log else _round_ends(shown)
    bars = []
    for k, (low, high) in enumerate(pairwise(ends)):
        last = k == len(ends) - 2
        here = [one for one in answers if low <= one < high or (last and one == high)]
        right = right_of(question, here, found)
        bars.append(Bar(low, high, right, len(here) - right))
    return Bars(tuple(bars), log)


def right_of(question: Predict, answers: Iterable[float | int], found: Measurement | None) -> int:
    """How many answers are right; none before anything is measured."""
    return 0 if found is None else sum(is_right(question, answer, found) for answer in answers)


def summed_up(question: Predict, answers: Sequence[float | int], found: Measurement) -> str:
    """The sentence below the measurement: "Of 32 answers 18 are right (within ±0.05)."."""
    right, count = right_of(question, answers, found), len(answers)
    if count == 1:
        return f"The one answer is {'' if right else 'not '}right{nearness(question)}."
    return f"Of {count} answers {right or 'none'} {'is' if right < 2 else 'are'} right{nearness(question)}."


def nearness(question: Predict) -> str:
    """How near an answer has to be, as the end of a sentence; empty for choices."""
    if question.kind == "choice":
        return ""
    parts = []
    if question.tolerance:
        parts.append(f"±{question.tolerance:g} {question.unit}".strip())
    if question.ratio:
        parts.append(f"±{100.0 * question.ratio:g} %")
    return f" (within {' or '.join(parts)})"


def _round_ends(values: Sequence[float]) -> list[float]:
    """Ends of bars at multiples of 1, 2 or 5 times a power of ten, with one bar more on each side than needed."""
    low, high = min(values), max(values)
    span = (high - low) or abs(high) or 1.0
    step = 10.0 ** floor(log10(span / _MOST_BARS))
    while True:
        for factor in _STEPS:
            wide = step * factor
            first, last = floor(low / wide + 1e-9), ceil(high / wide - 1e-9)
            if last - first <= _MOST_BARS - 2:
                first -= first != 0 and low - first * wide < 0.25 * wide  # 0 is an end of its own
                last = max(last, first + 3)
                return [round(k * wide, 12) for k in range(first, last + 1)]
        step *= 10.0


def _decades(values: Sequence[float]) -> list[float]:
    """Ends of bars at powers of ten, or at 1, 2 and 5 times these where there is room."""
    first, last = floor(log10(min(values)) + 1e-9), ceil(log10(max(values)) - 1e-9)
    last = max(last, first + 1)
    if 3 * (last - first) <= _MOST_BARS:
        return [factor * 10.0**power for power in range(first, last) for factor in _STEPS] + [10.0**last]
    return [10.0**power for power in range(first, last + 1)]
