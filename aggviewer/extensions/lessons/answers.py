"""Answers to the questions of lessons: predictions, compared with measurements, and those of a whole class. No Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, isfinite, log10
from typing import Any

from aggviewer.extensions.lessons.conditions import Comparison, LessonFormula
from aggviewer.extensions.lessons.model import Ensemble, Lesson, MeasuredQuantity, Question
from aggviewer.style.numbers import number_from
from engine.errors import InputError
from engine.words import count, typeset

_SAID = 6  # digits of an answer, which is told as it was given


@dataclass(frozen=True)
class Measurement:
    """A measured number with its standard error, nan if unknown."""

    value: float
    error: float = float("nan")

    def text(self, digits: int, unit: str = "") -> str:
        """``0.48 ± 0.02 s``: the error has one digit, or two if it begins with 1, and the number as many decimals."""
        if isfinite(self.error) and self.error > 0.0:
            first = floor(log10(self.error))
            places = -(first - (1 if self.error / 10.0**first < 1.95 else 0))
            number, error = round(self.value, places), round(self.error, places)
            shown = max(places, 0)
            text = f"{typeset(number, f'.{shown}f')} ± {typeset(error, f'.{shown}f')}"
        else:
            text = number_text(self.value, digits)
        return f"{text} {unit}".strip()

    def to_plain(self) -> list[float | None]:
        """Value and error as plain numbers for the settings file."""
        return [self.value, self.error if isfinite(self.error) else None]

    @staticmethod
    def from_plain(plain: Any) -> Measurement:
        """The inverse of `to_plain`. ValueError or TypeError for invalid data."""
        value, error = plain
        return Measurement(float(value), float("nan") if error is None else float(error))


@dataclass(frozen=True)
class EnsembleResult:
    """The result of a small study. points : at each of its values; level : of the horizontal line, None without one."""

    points: tuple[Measurement, ...]
    level: float | None = None

    def to_plain(self) -> dict[str, Any]:
        """Plain data for a settings file."""
        return {"points": [point.to_plain() for point in self.points], "level": self.level}

    @staticmethod
    def from_plain(plain: Any) -> EnsembleResult:
        """The inverse of `to_plain`. KeyError, ValueError or TypeError for invalid data."""
        level = plain["level"]
        points = tuple(Measurement.from_plain(point) for point in plain["points"])
        return EnsembleResult(points, None if level is None else float(level))


def study_of(ensemble: Ensemble, known: Mapping[str, Any]) -> EnsembleResult:
    """The means of a study, from its numbers ``y0``, ``y0_error``…"""
    points = tuple(Measurement(known[f"y{k}"], known[f"y{k}_error"]) for k in range(max(1, len(ensemble.values))))
    return EnsembleResult(points, LessonFormula(ensemble.level).value(known) if ensemble.level else None)


def number_text(value: float, digits: int = 3) -> str:
    """A number with this many significant digits; large whole numbers are written in full."""
    return count(value) if 10.0**digits <= abs(value) < 1e7 else typeset(value, f".{digits}g")


def checked_answer(question: Question, answer: Any) -> float | int:
    """The validated answer: a number, or the index of a choice.

    Raises
    ------
    InputError
        It is not a valid answer; the message says what is.
    """
    if question.kind == "choice":
        if not isinstance(answer, int) or isinstance(answer, bool) or not 0 <= answer < len(question.choices):
            raise InputError("choose one of the answers", question.id)
        return answer
    if isinstance(answer, str):
        try:
            answer = number_from(answer, unit=question.unit)
        except InputError as error:
            hint = str(error) if any(sign.isdigit() for sign in answer) else "type a number, such as 0.5"
            raise InputError(hint, question.id) from None
    number = float(answer)
    low = question.low if question.low is not None else -float("inf")
    high = question.high if question.high is not None else float("inf")
    if not isfinite(number) or not low <= number <= high:
        least, most = question.low is not None, question.high is not None
        words = (
            f"from {typeset(low, 'g')} to {typeset(high, 'g')}"
            if least and most
            else f"at least {typeset(low, 'g')}"
            if least
            else f"at most {typeset(high, 'g')}"
        )
        raise InputError(f"the number must be {words if least or most else 'finite'}", question.id)
    return number


def is_right(question: Question, answer: float | int, found: Measurement) -> bool:
    """Whether an answer is close enough to the measurement; among choices, the first one that holds is right, for the
    number itself or at either end of its error."""
    if question.kind == "choice":
        numbers = [found.value, *(found.value + way * found.error for way in (-1, 1) if isfinite(found.error))]
        return answer in [_first_met(question, number) for number in numbers]
    return abs(answer - found.value) <= tolerance_of(question, found)


def _first_met(question: Question, number: float) -> int | None:
    """The first choice that holds for a number, None if none does."""
    return next((k for k, one in enumerate(question.choices) if Comparison(one.when).met(number)), None)


def tolerance_of(question: Question, found: Measurement) -> float:
    """The largest difference from the measured number that counts as right."""
    near = max(question.tolerance, question.ratio * abs(found.value))
    return near + found.error if isfinite(found.error) else near


def answer_text(question: Question, answer: float | int, digits: int = 3) -> str:
    """An answer as text: the words of a choice, or a number with its unit."""
    if question.kind == "choice":
        return question.choices[int(answer)].text
    return f"{number_text(float(answer), digits)} {_written(question.unit)}".strip()


def _written(unit: str) -> str:
    """A unit as it follows a number in a sentence: "(length/time)" for "length / time"."""
    return f"({unit.replace(' / ', '/')})" if "/" in unit else unit


def comparison_sentence(
    question: Question, answer: float | int | None, measure: MeasuredQuantity, found: Measurement
) -> str:
    """The sentence that compares both: "You predicted 0.5; this run gave 0.48 ± 0.02."."""
    unit = measure.unit or question.unit
    measured = found.text(measure.digits, _written(unit))
    met = _first_met(question, found.value) if question.kind == "choice" else None
    meant = "" if met is None else f": “{question.choices[met].text}”"
    if answer is None:
        return f"This run gave {measured}{meant}."
    words = answer_text(question, answer, _SAID)
    meant = "" if is_right(question, answer, found) else meant
    if measure.says:
        said = measure.says.replace("{said}", words).replace("{found}", measured)
        return f"{said.removesuffix('.')}{meant}."
    if question.kind == "choice":
        return f"You predicted “{words}”; this run gave {measured}{meant}."
    if unit == question.unit:
        words = number_text(float(answer), _SAID)  # the unit stands once, behind both numbers
    return f"You predicted {words}; this run gave {measured}."


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
    right, number = sum(is_right(question, answer, found) for answer in answers), len(answers)
    if number == 1:
        return f"The only answer is {'right' if right else 'wrong'}{_nearness(question)}."
    are = "is" if right == 1 else "are"
    return f"{right or 'None'} of {count(number)} answers {are} right{_nearness(question)}."


def _nearness(question: Question) -> str:
    """How close an answer must be, as the end of a sentence; empty for choices."""
    parts = []
    if question.tolerance:
        parts.append(f"±{typeset(question.tolerance, 'g')} {question.unit.replace(' / ', '/')}".strip())
    if question.ratio:
        parts.append(f"±{typeset(100.0 * question.ratio, 'g')} %")
    return f" (within {' or '.join(parts)})" if parts else ""
