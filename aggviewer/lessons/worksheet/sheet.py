"""What stands on the sheet of a lesson, in pieces that are not torn apart at the end of a page.

The numbers of the tasks are those of the steps in the window. A `Look` gives formulas, lines and axes as HTML for a web
page or for Qt's printer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Protocol

from aggviewer.lessons.answers import told
from aggviewer.lessons.expressions import Comparison
from aggviewer.lessons.model import Measure, Predict, Step
from aggviewer.lessons.source import Found
from aggviewer.lessons.worksheet.axes import Drawing, EmptyAxes

_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")


@dataclass(frozen=True)
class Piece:
    """A piece of the sheet as HTML.

    new_page : whether it stands at the top of a page.
    ruled : whether a thin line parts it from what is above.
    """

    html: str
    new_page: bool = False
    ruled: bool = False


class Look(Protocol):
    """How parts of a sheet become HTML."""

    def rich(self, text: str) -> str:
        """A text of the lesson with its formulas."""
        ...

    def line(self, letters: int) -> str:
        """An empty line to write on, as wide as so many letters; 0 for all that is left of the row."""
        ...

    def box(self) -> str:
        """A box to tick."""
        ...

    def drawing(self, drawing: Drawing) -> str:
        """Empty axes, or bars."""
        ...


Compose = Callable[[Found, Look], Iterable[Piece]]
"""What stands on a sheet."""


def pieces(found: Found, look: Look) -> Iterator[Piece]:
    """The sheet of a lesson, from its head to the answers."""
    lesson = found.lesson
    yield Piece(
        f"<h1>{escape(lesson.title)}</h1>"
        f'<p class="quiet">{escape(lesson.summary)} About {lesson.minutes} minutes, with the lesson '
        f"<i>{escape(lesson.title)}</i> of aggviewer. The numbers are those of its steps.</p>"
        f"<p>Name {look.line(24)} &nbsp; Date {look.line(10)}</p>"
    )
    for number, step in enumerate(lesson.step, 1):
        yield Piece(_task(number, step, found, look), ruled=True)
    yield Piece(
        f"<h1>{escape(lesson.title)}: answers</h1>"
        '<p class="quiet">For the teacher. Numbers are those of a run with the scenario of the lesson as it is.</p>',
        new_page=True,
    )
    for number, step in enumerate(lesson.step, 1):
        answer = _answer(step, lesson.predictions, look)
        if answer:
            yield Piece(row(number, step.title, answer), ruled=True)


def row(number: int, title: str, inside: str) -> str:
    """A piece with the number of its step in front."""
    return (
        f'<table class="task" width="100%"><tr><td class="number" width="32">{number}</td>'
        f'<td><p class="title">{escape(title)}</p>{inside}</td></tr></table>'
    )


def _task(number: int, step: Step, found: Found, look: Look) -> str:
    if step.predict is not None:
        inside = look.rich(_PICTURE.sub("", step.say)) + _question(step.predict, number, found, look)
    elif step.do is not None:
        inside = look.rich(step.do.what)
    elif step.measure is not None:
        inside = _measured(step, step.measure, found, look)
    else:
        inside = look.rich(_PICTURE.sub("", step.say or step.explain).strip().split("\n\n")[0])
    return row(number, step.title, inside)


def _question(question: Predict, number: int, found: Found, look: Look) -> str:
    """The question with room for its answer."""
    text = look.rich(question.ask)
    if question.kind == "choice":
        answers = "".join(f"<p>{look.box()} {_inline(choice.text, look)}</p>" for choice in question.choices)
        return text + answers
    drawn = look.drawing(EmptyAxes.of(question, number, found)) if question.kind == "point" else ""
    return f"{text}{drawn}<p>I predict: {look.line(14)} {escape(question.unit)}</p>"


def _measured(step: Step, measure: Measure, found: Found, look: Look) -> str:
    """Room for what the run gave, and for the reason."""
    if not measure.value:
        return look.rich(step.say)
    question = found.lesson.predictions.get(measure.of)
    unit = measure.unit or (question.unit if question is not None else "")
    inside = f"<p>{_inline(measure.name, look)}. This run gave: {look.line(14)} {escape(unit)}</p>"
    if question is not None:
        inside += f"<p>{look.box()} as I predicted &nbsp; {look.box()} otherwise</p>"
    if step.explain:
        inside += f"<p>Why? {look.line(0)}</p><p>{look.line(0)}</p>"
    return inside


def _answer(step: Step, questions: Mapping[str, Predict], look: Look) -> str:
    """What the teacher's page says of a step; empty for nothing."""
    measure, parts = step.measure, []
    if measure is not None and measure.value and measure.expected is not None:
        question = questions.get(measure.of)
        unit = measure.unit or (question.unit if question is not None else "")
        number = told(measure.expected, measure.digits)
        choices = question.choices if question is not None else ()
        right = [one.text for one in choices if Comparison(one.when).met(measure.expected)]
        if right:
            words = f"{escape(f'{number} {unit}'.strip())}, <b>{_inline(right[0], look)}</b>"
        else:
            near = f" ± {told(measure.within, 1)}" if measure.within > 1e-6 * abs(measure.expected) else ""
            words = f"<b>{escape(number + near)}</b> {escape(unit)}"
        parts.append(f"<p>{_inline(measure.name, look)}: {words}</p>")
    elif measure is not None and measure.value:
        parts.append(f"<p>{_inline(measure.name, look)}: what the run gives.</p>")
    parts += [look.rich(text) for text in (step.explain, step.equation) if text]
    if step.next:
        parts.append(look.rich(f"**Try next:** {step.next}"))
    return "".join(parts)


def _inline(text: str, look: Look) -> str:
    """A text of one paragraph inside another."""
    return look.rich(text).strip().removeprefix("<p>").removesuffix("</p>")
