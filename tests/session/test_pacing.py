from __future__ import annotations

from math import inf

import pytest

from aggviewer.session.run.pacing import CATCH_UP, Pacer, RateMeter


def test_the_target_grows_by_speed_times_wall_time() -> None:
    pacer = Pacer(3.0)
    pacer.start(100.0, 5.0)
    assert pacer.target(100.01, 5.0) == pytest.approx(5.03)
    assert pacer.target(100.03, 5.03) == pytest.approx(5.09)


def test_a_stall_is_not_made_up_for() -> None:
    pacer = Pacer(2.0)
    pacer.start(0.0, 1.0)
    assert pacer.target(30.0, 1.0) == pytest.approx(1.0 + 2.0 * CATCH_UP)
    # and what was dropped does not come back later
    reached = 1.0 + 2.0 * CATCH_UP
    assert pacer.target(30.01, reached) == pytest.approx(reached + 0.02)


def test_a_target_that_was_not_reached_stays_within_reach() -> None:
    pacer = Pacer(1.0)
    pacer.start(0.0, 0.0)
    for k in range(1, 100):
        assert 0.0 <= pacer.target(0.01 * k, 0.0) <= CATCH_UP * (1 + 1e-12)


def test_as_fast_as_it_can_has_no_target() -> None:
    pacer = Pacer(inf)
    pacer.start(0.0, 0.0)
    assert pacer.target(1.0, 0.5) == inf
    pacer.speed = 1.0  # back to a pace: from where it is now
    assert pacer.target(1.01, 0.5) == pytest.approx(0.51)


def test_rates_are_those_of_the_last_half_second() -> None:
    meter = RateMeter()
    for k in range(200):  # slow first, then ten times as fast
        now = 0.01 * k
        time = now if now < 1.0 else 1.0 + 10.0 * (now - 1.0)
        meter.add(now, time, 100 * k)
    assert meter.speed == pytest.approx(10.0)
    assert meter.events_per_second == pytest.approx(1e4)
    meter.reset()
    assert meter.speed == 0.0


def test_slow_only_with_enough_to_judge_by() -> None:
    meter = RateMeter()
    meter.add(0.0, 0.0, 0)
    meter.add(0.1, 0.01, 0)
    assert not meter.slow(1.0)
    meter.add(0.5, 0.05, 0)
    assert meter.slow(1.0)
    assert not meter.slow(0.1)
    assert not meter.slow(inf)
