"""Numbers in words, around each place where the way of writing changes."""

from __future__ import annotations

from math import inf

import pytest

from aggviewer.style import numbers
from engine.system import Clock

ITERATIONS = Clock("k", "iteration", "", True, "Single iteration", "Pause")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.00"), (12.404, "12.40"), (999.99, "999.99"), (1000.0, "1000.0"), (99999.9, "99999.9"),
     (1e5, "1.000e5"), (1.2345e12, "1.234e12")],
)  # fmt: skip
def test_times(value: float, text: str) -> None:
    assert numbers.simulation_time(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (999, "999"), (1000, "1\u2009000"), (1234567, "1\u2009234\u2009567")]
)
def test_counts(value: int, text: str) -> None:
    assert numbers.count(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.04, "0"), (0.05, "0.1"), (8.34, "8.3"), (42.4, "42"), (964.0, "960"), (9949.0, "9900"), (9951.0, "1.0e4"),
     (3.14e5, "3.1e5")],
)  # fmt: skip
def test_rates_have_two_digits(value: float, text: str) -> None:
    assert numbers.rate(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.0123, "0.012"), (0.3, "0.30"), (2.04, "2.0"), (12.4, "12"), (150.4, "150"), (inf, "∞")]
)
def test_speeds_have_two_digits(value: float, text: str) -> None:
    assert numbers.speed(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "a second"), (40.0, "40 s"), (89.0, "89 s"), (90.0, "2 min"), (5399.0, "90 min"), (5400.0, "1.5 h"),
     (47.9 * 3600.0, "47.9 h"), (48.0 * 3600.0, "2.0 days")],
)  # fmt: skip
def test_durations(seconds: float, text: str) -> None:
    assert numbers.duration(seconds) == text


def test_a_moment_is_a_time_or_a_whole_number_of_steps() -> None:
    assert numbers.moment(12.404) == "t = 12.40"
    assert numbers.moment(0.0, ITERATIONS) == "start"
    assert numbers.moment(12.0, ITERATIONS) == "iteration 12"
    assert (numbers.pace(2.0), numbers.pace(2.0, ITERATIONS)) == ("2.0 t/s", "2.0 iterations/s")
