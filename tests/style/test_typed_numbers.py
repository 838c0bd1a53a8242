"""Numbers as people type them: docs/numbers.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import aggviewer
from aggviewer.style.numbers import number_from, number_text, read_number
from engine.errors import InputError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", 0.5),
        ("0,5", 0.5),
        (".5", 0.5),
        (",5", 0.5),
        ("5.", 5.0),
        ("10.000", 10.0),
        ("1e4", 1e4),
        ("1E-3", 1e-3),
        ("2,5e−3", 2.5e-3),
        ("−0.5", -0.5),
        ("\uff0d5", -5.0),
        ("1 000", 1000.0),
        ("1\u2009000\u202f000,5", 1000000.5),
        ("1_000", 1000.0),
        ("10^5", 1e5),
        ("10⁻⁶", 1e-6),
        ("3.63·10⁻⁴", 3.63e-4),
        ("２０", 20.0),
        ("٠٫٥", 0.5),
        (" 8 px ", 8.0),
    ],
)
def test_a_number_is_read_as_it_is_meant(text: str, value: float) -> None:
    assert number_from(text, unit="px") == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1,000.5", "write 1000.5"),
        ("1.000,5", "write 1000.5"),
        ("1.000.000", "write 1000000"),
        ("10'000", "write 10000"),
        ("1.2.3", "one decimal mark"),
        ("1 2", "groups of three"),
        ("1 000 00", "groups of three"),
        ("210^5", "210^5 is not a number"),
        ("5 cm", "the unit is px"),
        ("nan", "nan is not a number"),
        ("1e-400", "too small"),
        ("", "write a number"),
    ],
)
def test_an_ambiguous_number_is_refused_with_what_to_write(text: str, why: str) -> None:
    with pytest.raises(InputError, match=re.escape(why)):
        number_from(text, unit="px")
    assert read_number(text, integer=False) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("10.000", "write 10000"),
        ("10,000", "write 10000"),
        ("1.000.000", "write 1000000"),
        ("-10.000", "write -10000"),
        ("2500.0", "write 2500"),
        ("1.5e3", "write 1500"),
        ("2.5", "not 2.5"),
        ("0,500", "not 0,500"),
        ("1,000.5", "one decimal mark"),
        ("1e-1", "not 1e-1"),
    ],
)
def test_a_whole_number_has_no_decimal_mark(text: str, why: str) -> None:
    with pytest.raises(InputError, match=re.escape(why)):
        number_from(text, integer=True)


@pytest.mark.parametrize(
    ("text", "value"),
    [("10 000", 10_000), ("1e5", 100_000), ("10⁵", 100_000), ("−4", -4), ("9223372036854775807", 2**63 - 1)],
)
def test_whole_numbers_are_exact(text: str, value: int) -> None:
    found = number_from(text, integer=True)
    assert (found, type(found)) == (value, int)


def test_a_shown_number_is_read_as_the_same_one() -> None:
    for value in (0.1, -2.5e-7, 1.25e20, 3.0, 12):
        assert number_from(number_text(value)) == value


def test_there_is_no_other_field_for_numbers() -> None:
    """Qt's own read and show numbers as the locale has them: 0.5 is 5 in a German one."""
    of_qt = re.compile(r"Q(Double)?SpinBox|QInputDialog|Q(Int|Double)Validator|QLocale")
    folder = Path(aggviewer.__file__).parent
    found = [
        f"{path.relative_to(folder)}:{number}"
        for path in sorted(folder.rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if of_qt.search(line.replace("QAbstractSpinBox", ""))
    ]
    assert found == []
