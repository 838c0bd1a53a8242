"""Round numbers: against what is listed by hand, and against their definition for any number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggviewer.style.numbers import linear_ticks, log_ticks, next_round, round_above, round_below

POSITIVE = st.floats(1e-12, 1e12)
ROUND = [float(f"{step}e{power}") for power in range(-14, 15) for step in (1, 2, 5)]


@given(POSITIVE)
def test_the_nearest_round_numbers(value: float) -> None:
    assert round_below(value) == pytest.approx(max(one for one in ROUND if one <= value * (1 + 1e-8)), rel=1e-12)
    assert round_above(value) == pytest.approx(min(one for one in ROUND if one >= value * (1 - 1e-8)), rel=1e-12)
    assert round_above(value) / round_below(value) <= 2.5 * (1 + 1e-8)


@pytest.mark.parametrize(("value", "up", "down"), [(1.0, 2.0, 0.5), (2.0, 5.0, 1.0), (5.0, 10.0, 2.0), (3.0, 5.0, 2.0)])
@pytest.mark.parametrize("power", [1e-7, 1e-3, 1.0, 1e5])
def test_a_step_leads_to_the_next_round_number(value: float, up: float, down: float, power: float) -> None:
    assert next_round(value * power, 1) == pytest.approx(up * power)
    assert next_round(value * power, -1) == pytest.approx(down * power)


def test_ticks_stand_at_round_numbers() -> None:
    assert linear_ticks(0.0, 10.0, 5) == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    assert linear_ticks(-1.1, 1.1, 4) == [-1.0, 0.0, 1.0]
    assert log_ticks(0.5, 2000.0) == [1.0, 10.0, 100.0, 1000.0]
    assert log_ticks(1.0, 100.0, (1, 2, 5)) == [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(1, 30))
def test_linear_ticks_lie_within_evenly_and_are_not_too_many(low: float, span: float, most: int) -> None:
    found = linear_ticks(low, low + span, most)
    assert len(found) <= most + 1
    assert all(low - 1e-6 * span <= one <= low + span * (1 + 1e-6) for one in found)
