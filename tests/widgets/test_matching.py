"""Which lines of a list match a search text."""

from __future__ import annotations

import pytest

from aggviewer.widgets.popup import (
    ANYWHERE,
    EXACT,
    FUZZY,
    INSIDE,
    OTHER_WORDS,
    PHRASE,
    PREFIX,
    SYNONYM,
    WORDS,
    Searched,
    found,
    words_of,
)


@pytest.mark.parametrize(
    "text",
    [
        "1000000",
        "1 000 000",
        "1\u00a0000\u00a0000",
        "1\u2009000\u202f000",
        "1,000,000",
        "1.000.000",
        "1'000'000",
        "1_000_000",
        "10^6",
        "10 ^ 6",
        "10**6",
        "10⁶",
        "1e6",
        "1.0E6",
        "1×10^6",
    ],
)
def test_a_number_is_the_same_however_it_is_written(text: str) -> None:
    assert words_of(text) == ("1000000",)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße\u2003CAFÉ", "strasse cafe"),
        ("colour", "COLOR"),
        ("event-driven", "Event driven"),
        ("2,5", "2.5"),
        ("  Łódź… ", "lodz"),
    ],
)
def test_case_accents_spaces_and_spelling_do_not_matter(one: str, other: str) -> None:
    assert words_of(one) == words_of(other)


@pytest.mark.parametrize(
    ("typed", "fit"),
    [
        ("restart with a new seed", EXACT),
        ("restart WITH", PREFIX),
        ("new se", PHRASE),
        ("seed new", WORDS),
        ("reset", SYNONYM),
        ("reset seed", OTHER_WORDS),
        ("random seed", ANYWHERE),
        ("tart andom", INSIDE),
        ("newseed", INSIDE),
        ("restrat", FUZZY),
        ("reestart", FUZZY),
        ("seed old", None),
        ("rest 1", None),
        ("…", None),
    ],
)
def test_how_well_a_line_fits(typed: str, fit: int | None) -> None:
    line = Searched("Restart with a new seed", "Begin again with other random numbers", "reset again")
    assert found(typed, [line]) == ([] if fit is None else [(0, fit)])


def test_the_best_comes_first_and_the_rest_in_order() -> None:
    lines = [
        Searched("2 500 discs, dense", "Volume fraction 0.6, random"),
        Searched("Jam this"),
        Searched("2 500 discs at random"),
        Searched("Jam"),
        Searched("Jamming"),
    ]
    assert [number for number, _ in found("2500 discs random", lines)] == [2, 0]
    assert [number for number, _ in found("jam", lines)] == [3, 1, 4]
    assert [number for number, _ in found("", lines)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("typed", ["1 000 000", "1 000", "00", "100", "1 000 0", "10001", "0.1"])
def test_a_number_never_finds_another_one(typed: str) -> None:
    assert found(f"{typed} discs", [Searched("10 000 discs", "lattice-10000, ε = 0.15")]) == []
