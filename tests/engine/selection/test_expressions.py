"""Expressions over columns: what they give, row by row as Python does, and that nothing else gets through."""

from __future__ import annotations

import contextlib
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.selection import FUNCTIONS, Expression
from engine.selection.expressions import DEEPEST, LONGEST

COLUMNS = {
    "size": np.array([1, 7, 60, 200], np.int32),
    "speed": np.array([0.5, 0.05, 0.2, 0.01]),
    "age": np.array([np.nan, 1.0, 2.0, np.nan]),
}


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("size > 50 and speed < 0.1", [False, False, False, True]),
        ("size > 50 or speed < 0.1", [False, True, True, True]),
        ("not size > 50", [True, True, False, False]),
        ("not size > 50 or not speed < 0.3", [True, True, False, False]),
        ("1 < size < 100", [False, True, True, False]),
        ("1 <= size < 100 != 60", [True, True, True, False]),
        ("size == max(size)", [False, False, False, True]),
        ("size == min(size)", [True, False, False, False]),
        ("speed > mean(speed)", [True, False, True, False]),
        ("age == max(age)", [False, False, True, False]),
        ("age != 1", [True, False, True, True]),
        ("sqrt(size * size) - 7 == 0", [False, True, False, False]),
        ("-size ** 2 + 1 > -100", [True, True, False, False]),
        ("size ** 20 > 1e30", [False, False, True, True]),
        ("size / (size - 7) > 1e300", [False, True, False, False]),
        ("3 > 2", [True, True, True, True]),
    ],
)
def test_a_condition_is_true_for_these_rows(text: str, rows: list[bool]) -> None:
    mask = Expression(text, known=tuple(COLUMNS)).mask(COLUMNS, 4)
    assert mask.dtype == bool
    assert mask.tolist() == rows


def test_names_and_kind() -> None:
    assert Expression("size / 2 > speed").names == {"size", "speed"}
    assert Expression("size / 2 > speed").kind == "condition"
    assert Expression("log(size)").kind == "number"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the expression is empty"),
        ("size >", "is not complete"),
        ("size > 50)", "a bracket is missing"),
        ("sped < 0.1", "there is no sped here .did you mean speed"),
        ("size > 50 & speed < 1", "write and instead"),
        ("size = 50", "write == instead"),
        ("size and speed > 1", "size is a number, where a comparison such as size > 0"),
        ("not size", "size is a number"),
        ("(size > 1) + 2 > 1", "size > 1 is true or false, where a number is needed"),
        ("size.real > 1", "names have no dots"),
        ("size[0] > 1", r"'\[0\] > 1' is not allowed"),
        ("__import__('os')", "is not allowed"),
        ("eval(size) > 1", "there is no function eval; there are sqrt"),
        ("sqrt() > 1", "sqrt takes one number"),
        ("(sqrt)(size)(1) > 1", "is not allowed"),
        ("1j > 0", "'1j > 0' is not allowed|is not allowed"),
        ("size if size else size", "is not allowed"),
        ("lambda: 1", "is not allowed"),
        ("True", "is not allowed|there is no"),
        ("size > 007", "cannot be read|is not complete"),
        ("size is speed", "is not allowed"),
        ("size > 1 # all", "'# all' is not allowed"),
        ("1 + " * 70 + "1", "at most 250 characters"),
        ("(" * 60 + "size" + ")" * 60 + " > 1", ""),
        ("-" * 60 + "size > 1", f"at most {DEEPEST} levels"),
    ],
)
def test_a_wrong_condition_names_its_part_and_what_is_allowed(text: str, words: str) -> None:
    if not words:  # brackets that hold nothing but brackets are no operations
        assert Expression(text, known=tuple(COLUMNS)).mask(COLUMNS, 4).tolist() == [False, True, True, True]
        return
    with pytest.raises(InputError, match=words) as raised:
        Expression(text, known=tuple(COLUMNS)).mask(COLUMNS, 4)
    assert len(str(raised.value)) < 400
    assert "\n" not in str(raised.value)


def test_a_number_is_no_condition() -> None:
    with pytest.raises(InputError, match="size is a number; compare it"):
        Expression("size").mask(COLUMNS, 4)


def test_only_the_columns_that_are_named_are_asked_for() -> None:
    class Asked(dict):
        def __getitem__(self, name: str) -> float:
            assert name == "size"
            return 3.0

    assert Expression("size > 2").mask(Asked(), 2).tolist() == [True, True]


numbers = st.sampled_from(["size", "speed", "age", "2", "0.1", "1e3"])


def _combined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    signs = st.sampled_from(["+", "-", "*", "/", "**"])
    functions = st.sampled_from(["sqrt", "log", "exp", "abs"])
    return st.one_of(
        st.builds("({} {} {})".format, parts, signs, parts),
        st.builds("{}({})".format, functions, parts),
        st.builds("-{}".format, parts),
    )


terms = st.recursive(numbers, _combined, max_leaves=5)
comparisons = st.builds("{} {} {}".format, terms, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), terms)
conditions = st.recursive(
    comparisons,
    lambda parts: st.one_of(
        st.builds("({} and {})".format, parts, parts),
        st.builds("({} or {})".format, parts, parts),
        st.builds("not ({})".format, parts),
    ),
    max_leaves=4,
).filter(lambda text: len(text) <= LONGEST)


@settings(max_examples=40)
@given(conditions)
def test_all_rows_at_once_give_what_python_gives_for_each(text: str) -> None:
    """Python computes with numpy's scalars, so that infinities and NaN follow the same rules."""
    found = Expression(text, known=tuple(COLUMNS)).mask(COLUMNS, 4)
    functions = {name: FUNCTIONS[name] for name in ("sqrt", "log", "exp", "abs")}
    with np.errstate(all="ignore"):
        for row in range(4):
            values = {name: np.float64(values[row]) for name, values in COLUMNS.items()}
            wrapped = _floats(text)
            assert bool(eval(wrapped, {"__builtins__": {}, "float64": np.float64}, functions | values)) == found[row]


def _floats(text: str) -> str:
    """The numbers of a text as numpy's."""
    import re

    return re.sub(r"(?<![\w.])(\d[\d.]*(?:e\d+)?)", r"float64(\1)", text)


@settings(max_examples=100)
@given(st.one_of(st.text(max_size=60), st.text("sizepeda0123.()+-*/<>=!&|,[]'\" ", max_size=60)))
def test_no_text_does_anything_else(text: str) -> None:
    """Any text is a condition, or is refused with one sentence."""
    with contextlib.suppress(InputError):
        assert Expression(text, known=tuple(COLUMNS)).mask(COLUMNS, 4).shape == (4,)


def test_constants_never_become_huge() -> None:
    assert math.isinf(Expression("9 ** 9 ** 9").value({}))
