"""The worksheet of a lesson: space for every kind of answer, the teacher's answers on a page of their own, one file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aggviewer.extensions.lessons.source import LessonFile, bundled
from aggviewer.extensions.lessons.worksheet import worksheet, write_worksheet
from engine.errors import InputError
from tests.extensions.lessons.lesson_texts import found

LESSON = r"""
format = 1
title = "Predict <all>"
summary = "Each kind."
minutes = 3

[[step]]
title = "Begin"
say = '''
First words.

Second words.
'''
[step.set]
scenario = "lattice-400"

[[step]]
title = "A number"
say = "It begins with 400."
[step.predict]
id = "speed"
ask = "How large is $\frac{1}{2} m v^2$?"
unit = "length / time"
tolerance = 0.1

[[step]]
title = "A choice"
[step.predict]
id = "part"
ask = "Which part?"
choices = [{ text = "Half", when = "> 0.4" }, { text = "Less", when = "<= 0.4" }]

[[step]]
title = "A point"
[step.predict]
id = "point"
ask = "How many at t = 5?"
plot = "coarsening"
x = 5.0
low = 0.01
high = 1.0
ratio = 0.3

[[step]]
title = "Do it"
[step.do]
what = "Press **Space**."
when = { time = ">= 1" }
hint = "The long key."

[[step]]
title = "The speed is"
explain = "Because of **momentum**."
equation = "$$v = 1$$ (paper, equation 3)"
next = "Try two."
[step.measure]
of = "speed"
value = "fields.speed.mean"
name = "Mean speed"
expected = 0.253
within = 0.02

[[step]]
title = "The part is"
[step.measure]
of = "part"
value = "clusters / count"
name = "Part"
expected = 0.3
within = 0.2
"""


@pytest.fixture
def lesson(tmp_path: Path) -> LessonFile:
    """A lesson with each kind of prediction."""
    return found(tmp_path, LESSON)


def parts(text: str) -> tuple[str, str]:
    """The learner's pages and the teacher's."""
    learner, teacher = text.split('<div class="teacher">')
    return learner, teacher


def test_each_prediction_has_space(lesson: LessonFile) -> None:
    learner, _ = parts(worksheet(lesson))
    assert "First words." in learner
    assert "Second words." not in learner, "tasks are told in short"
    assert "I predict: <span" in learner
    assert "</span> length / time" in learner
    assert re.findall(r'<span class="box"></span>(Half|Less)</p>', learner) == ["Half", "Less"]
    assert re.findall(r"<text[^>]*>([^<]+)</text>", learner) == ["5", "0.01", "0.1", "1"]
    assert '<span class="y">M/N, E/E₀</span>' in learner
    assert "<figcaption>time t</figcaption>" in learner
    assert learner.count("This run gave:") == 2
    assert learner.count("as I predicted") == 2
    assert learner.count("Why?") == 1, "only where there is a reason to find"
    assert "<strong>Space</strong>" in learner


def test_answers_stand_on_the_last_page_alone(lesson: LessonFile) -> None:
    learner, teacher = parts(worksheet(lesson))
    assert "Mean speed: <b>0.253 ± 0.02</b> length / time" in teacher
    assert "Part: 0.3, <b>Less</b>" in teacher
    assert "Because of <strong>momentum</strong>." in teacher
    assert "(paper, equation 3)" in teacher
    assert "Try two." in teacher
    for words in ("0.253", "Because", "equation 3", "Try two", "<b>Less", "The speed is"):
        assert words not in learner, words


def test_the_page_needs_no_other_file_and_formulas_are_drawn(lesson: LessonFile) -> None:
    text = worksheet(lesson)
    assert text.count('<svg role="img"') == 2
    assert "$" not in text
    assert "Predict &lt;all&gt;" in text
    assert "<all>" not in text
    assert not re.findall(r"""(?:src|href)\s*=\s*["'](?!data:)""", text)
    assert not re.findall(r"url\(", text)


@pytest.mark.parametrize("one", bundled(), ids=lambda one: one.name)
def test_every_bundled_lesson_has_a_sheet(one: LessonFile) -> None:
    learner, teacher = parts(worksheet(one))
    for step in one.lesson.step:
        assert step.measure is None or step.measure.of == "" or step.measure.expected is not None, step.title
    assert learner.count("<section>") == len(one.lesson.step)
    assert learner.count("I predict:") == sum(q.kind != "choice" for q in one.lesson.predictions.values())
    assert "answers" in teacher


def test_a_worksheet_that_cannot_be_written_raises_an_input_error(lesson: LessonFile, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"sheet\.pdf must end in \.html"):
        write_worksheet(lesson, tmp_path / "sheet.pdf")
    with pytest.raises(InputError, match="cannot be written: No such file"):
        write_worksheet(lesson, tmp_path / "nowhere" / "sheet.html")
