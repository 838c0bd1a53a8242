"""The worksheet of a lesson for print: tasks with space for answers, and a page with the answers for the teacher."""

from __future__ import annotations

import re
from html import escape
from math import sqrt
from pathlib import Path
from string import Template

from aggviewer.extensions.lessons.answers import number_text
from aggviewer.extensions.lessons.conditions import Comparison
from aggviewer.extensions.lessons.model import LessonStep, MeasuredQuantity, Question
from aggviewer.extensions.lessons.source import LessonFile, bundled_folder
from aggviewer.style.rich_text import web_html
from aggviewer.systems.registry import plots_of
from engine.errors import InputError
from engine.files.writing import replacing

_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINE = '<span class="line"></span>'
_ROW = '<p><span class="line row"></span></p>'
_BOX = '<span class="box"></span>'
_WIDTH, _HEIGHT = 300, 170  # size of empty axes, in units of the drawing


def write_worksheet(found: LessonFile, path: Path) -> None:
    """Write the worksheet of a lesson; an existing file is replaced when the new one is complete.

    Raises
    ------
    InputError
        The file does not end in .html, or cannot be written.
    """
    if path.suffix.lower() != ".html":
        raise InputError(f"--worksheet {path} must end in .html; a browser prints it, to PDF too", str(path))
    try:
        with replacing(path) as partial:
            partial.write_text(worksheet(found), encoding="utf-8")
    except OSError as error:
        raise InputError(f"--worksheet {path} cannot be written: {error.strerror or error}", str(path)) from None


def worksheet(found: LessonFile) -> str:
    """The worksheet as a self-contained web page. InputError if a question names a plot that does not exist."""
    lesson = found.lesson
    tasks = [
        _section(number, _neutral_title(step), _task(number, step, found)) for number, step in enumerate(lesson.step, 1)
    ]
    answers = [(number, step, _answer(step, found)) for number, step in enumerate(lesson.step, 1)]
    template = Template((bundled_folder() / "worksheet.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=escape(lesson.title),
        summary=escape(lesson.summary),
        minutes=lesson.minutes,
        tasks="\n".join(tasks),
        answers="\n".join(_section(number, step.title, answer) for number, step, answer in answers if answer),
    )


def _neutral_title(step: LessonStep) -> str:
    """The title of a step on the learner's pages, where it must not give an answer away."""
    return "Result" if step.measure is not None and step.measure.of else step.title


def _section(number: int, title: str, content: str) -> str:
    """A part of the page without page breaks, with the number of its step."""
    return f"<section><b>{number}</b><div><h2>{escape(title)}</h2>{content}</div></section>"


def _task(number: int, step: LessonStep, found: LessonFile) -> str:
    """The part of the worksheet with a step's task, which the learner reads and fills in."""
    if step.predict is not None:
        return web_html(_PICTURE.sub("", step.say)) + _question(step.predict, number, found)
    if step.do is not None:
        return web_html(step.do.what, found.folder)
    if step.measure is not None:
        return _measured(step, step.measure, found)
    return web_html(_PICTURE.sub("", step.say or step.explain).strip().split("\n\n")[0])


def _question(question: Question, number: int, found: LessonFile) -> str:
    """A question with space for its answer. number : of its step, from 1."""
    text = web_html(question.ask, found.folder)
    if question.kind == "choice":
        return text + "".join(f"<p>{_BOX}{_inline(choice.text)}</p>" for choice in question.choices)
    drawing = _axes(question, number, found) if question.kind == "point" else ""
    return f"{text}{drawing}<p>I predict: {_LINE} {escape(question.unit)}</p>"


def _measured(step: LessonStep, measure: MeasuredQuantity, found: LessonFile) -> str:
    """Space for the result of the run and its explanation."""
    if not measure.value:
        return web_html(step.say, found.folder)
    question = found.lesson.predictions.get(measure.of)
    html = f"<p>{_inline(measure.name)}. This run gave: {_LINE} {escape(_unit(measure, question))}</p>"
    if question is not None:
        html += f"<p>{_BOX}as I predicted &nbsp; {_BOX}different</p>"
    return f"{html}<p>Why?</p>{_ROW}{_ROW}" if step.explain else html


def _answer(step: LessonStep, found: LessonFile) -> str:
    """The part of the teacher's page about a step; "" if there is nothing to say."""
    html = "" if step.measure is None or not step.measure.value else _expected(step.measure, found)
    next_one = f"**Try next:** {step.next}" if step.next else ""
    return html + "".join(web_html(text, found.folder) for text in (step.explain, step.equation, next_one) if text)


def _expected(measure: MeasuredQuantity, found: LessonFile) -> str:
    """The expected result of a measurement, and the right choice."""
    name, expected = _inline(measure.name), measure.expected
    if expected is None:
        return f"<p>{name}: what the run gives.</p>"
    question = found.lesson.predictions.get(measure.of)
    number, unit = number_text(expected, measure.digits), escape(_unit(measure, question))
    right = [one.text for one in (question.choices if question else ()) if Comparison(one.when).met(expected)]
    if right:
        return f"<p>{name}: {f'{number} {unit}'.strip()}, <b>{_inline(right[0])}</b></p>"
    near = f" ± {number_text(measure.within, 1)}" if measure.within > 1e-6 * abs(expected) else ""
    return f"<p>{name}: <b>{number}{near}</b> {unit}</p>"


def _axes(question: Question, number: int, found: LessonFile) -> str:
    """Empty axes of the plot in which a point is asked for, with a dashed line at its x and the range of y."""
    settings = [one.set for one in found.lesson.step[:number] if one.set is not None and one.set.begins]
    scenario = found.scenario(settings[-1])
    plots = {plot.key(): plot.about(scenario.dimensions) for plot in plots_of(scenario.system)}
    if question.plot not in plots:
        raise InputError(f"there is no plot {question.plot}; there are {', '.join(plots)}", "plot")
    axes, low, high = plots[question.plot].axes, question.low, question.high
    assert question.x is not None
    at = 0.6 * _WIDTH
    ticks = [f'<text x="{at}" y="{_HEIGHT + 16}" text-anchor="middle">{number_text(question.x)}</text>']
    if low is not None and high is not None and (low > 0.0 or not axes.y_log):
        middle = sqrt(low * high) if axes.y_log else 0.5 * (low + high)
        for value, y in ((low, _HEIGHT), (middle, 0.5 * _HEIGHT), (high, 0.0)):
            ticks.append(f'<path d="M-5 {y}H{_WIDTH}" stroke="#bbb" stroke-width="0.6"/>')
            ticks.append(f'<text x="-8" y="{y + 4}" text-anchor="end">{number_text(value)}</text>')
    return (
        f'<figure class="axes"><span class="y">{axes.y}</span>'
        f'<svg viewBox="-50 -10 {_WIDTH + 60} {_HEIGHT + 30}" font-size="12">{"".join(ticks)}'
        f'<path d="M0 0V{_HEIGHT}H{_WIDTH}" fill="none" stroke="#000" stroke-width="1.2"/>'
        f'<path d="M{at} 0V{_HEIGHT}" stroke="#000" stroke-dasharray="5 4"/></svg>'
        f"<figcaption>{axes.x}</figcaption></figure>"
    )


def _unit(measure: MeasuredQuantity, question: Question | None) -> str:
    return measure.unit or (question.unit if question is not None else "")


def _inline(text: str) -> str:
    """A text without its paragraph, for use inside another."""
    return web_html(text).strip().removeprefix("<p>").removesuffix("</p>")
