"""Formulas and comparisons of lessons: what they give, and that nothing else gets through."""

from __future__ import annotations

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggviewer.extensions.lessons.conditions import Comparison, LessonFormula
from engine.errors import InputError

NUMBERS = {"a": 2.0, "events": {"merge": 7}, "indicators": {"fractal_dimension": 1.5, "none": None}}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a", 2.0),
        ("events.merge / a", 3.5),
        ("-a ** 2 + 1", -3.0),
        ("sqrt(a * 8) - log10(1000) + exp(0) + abs(-1)", 3.0),
        ("log(indicators.fractal_dimension)", math.log(1.5)),
        (" (1 + 2) * 3 ", 9.0),
    ],
)
def test_a_formula_is_computed(text: str, value: float) -> None:
    assert LessonFormula(text).value(NUMBERS) == pytest.approx(value)


def test_the_names_of_a_formula() -> None:
    assert LessonFormula("events.merge / a + 3").names == {"events.merge", "a"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a +",
        "a[0]",
        "__import__('os')",
        "a.b()",
        "max(a, 1)",
        "'a'",
        "True",
        "a if a else a",
        "a == 2",
        "lambda: 1",
        "sqrt(a, a)",
        "sqrt(x=a)",
        "[a]",
        "a // 2",
        "x" * 300,
    ],
)
def test_a_text_that_is_not_a_formula_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a formula"):
        LessonFormula(text)


@pytest.mark.parametrize(
    "text", ["b", "events.none", "indicators.none", "events", "1 / (a - 2)", "log(-a)", "a ** 9e4"]
)
def test_a_formula_without_a_value_raises_an_input_error(text: str) -> None:
    with pytest.raises(InputError):
        LessonFormula(text).value(NUMBERS)


@given(st.text(max_size=60))
def test_no_text_does_anything_else(text: str) -> None:
    with contextlib.suppress(InputError):
        assert math.isfinite(LessonFormula(text).value(NUMBERS))


@pytest.mark.parametrize(
    ("text", "met", "not_met"),
    [("> 3", 3.1, 3.0), (">= 3", 3.0, 2.9), ("<3", 2.9, 3.0), ("<= -1", -1.0, 0.0), ("== 1e3", 1000.0, 999.0)],
)
def test_a_comparison_is_met_by_its_numbers_and_by_no_others(text: str, met: float, not_met: float) -> None:
    assert Comparison(text).met(met)
    assert not Comparison(text).met(not_met)


@pytest.mark.parametrize("text", ["", "3", "= 3", "> x", ">", "!= 3", "> 3 4"])
def test_a_text_that_is_not_a_comparison_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a comparison"):
        Comparison(text)
