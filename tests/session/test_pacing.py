from __future__ import annotations

from math import inf

import pytest

from aggviewer.session.run.pacing import CATCH_UP, RateMeter, Tempo


class Wall:
    """A clock that shows what it is set to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def at(tempo: Tempo, wall: Wall, now: float, time: float) -> float:
    """The target at wall time `now`, where `time` is reached."""
    wall.now = now
    return tempo.target(time)


def test_the_target_grows_by_speed_times_wall_time() -> None:
    wall = Wall()
    tempo = Tempo(3.0, wall)
    wall.now = 100.0
    tempo.start(5.0)
    assert at(tempo, wall, 100.01, 5.0) == pytest.approx(5.03)
    assert at(tempo, wall, 100.03, 5.03) == pytest.approx(5.09)


def test_a_stall_is_not_made_up_for() -> None:
    wall = Wall()
    tempo = Tempo(2.0, wall)
    tempo.start(1.0)
    assert at(tempo, wall, 30.0, 1.0) == pytest.approx(1.0 + 2.0 * CATCH_UP)
    # and what was dropped does not come back later
    reached = 1.0 + 2.0 * CATCH_UP
    assert at(tempo, wall, 30.01, reached) == pytest.approx(reached + 0.02)


def test_a_target_that_was_not_reached_stays_within_reach() -> None:
    wall = Wall()
    tempo = Tempo(1.0, wall)
    tempo.start(0.0)
    for k in range(1, 100):
        assert 0.0 <= at(tempo, wall, 0.01 * k, 0.0) <= CATCH_UP * (1 + 1e-12)


def test_as_fast_as_possible_has_no_target_time() -> None:
    wall = Wall()
    tempo = Tempo(inf, wall)
    tempo.start(0.0)
    assert at(tempo, wall, 1.0, 0.5) == inf
    tempo.set(1.0)  # back to a pace: from where it is now
    assert at(tempo, wall, 1.01, 0.5) == pytest.approx(0.51)


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
    assert meter.slow(0.1 / 0.89)  # a tenth slower than asked for
    assert not meter.slow(0.1 / 0.91)
    assert not meter.slow(inf)
