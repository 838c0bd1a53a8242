"""A position on an axis that moves with a clock: times of frames, ticks, events; no thread, no timer, no window."""

from __future__ import annotations

from math import inf

import pytest

from aggviewer.session.past.memory import Player


def playing(*stops: float, pace: float = 1.0, **more: float) -> Player:
    made = Player(stops, pace, **more)
    made.start(10.0)
    return made


def test_a_player_keeps_its_pace_and_shows_the_stop_before() -> None:
    player = playing(0.0, 1.0, 2.5, pace=2.0)
    assert [player.tick(10.0 + second) for second in (0.0, 0.25, 0.5, 1.0)] == [0.0, 0.5, 1.0, 2.0]
    assert player.index == 1
    assert player.tick(99.0) == 2.5, "it stays at its end"
    assert not player.playing
    assert player.at_end


def test_a_clock_that_stands_or_goes_back_moves_nothing() -> None:
    player = playing(0.0, 9.0)
    assert player.tick(10.0) == player.tick(3.0) == 0.0
    assert player.tick(3.5) == 0.5


def test_a_held_player_goes_on_from_where_it_was_held() -> None:
    player = playing(0.0, 9.0)
    player.tick(11.0)
    player.hold()
    assert player.tick(15.0) == 1.0
    player.start(20.0)
    assert player.tick(20.5) == 1.5


def test_the_rest_of_a_stall_is_dropped() -> None:
    player = playing(*range(10), longest=0.5, pace=2.0)
    assert player.tick(15.0) == 1.0
    assert player.tick(15.25) == 1.5


def test_backwards_to_the_first_stop() -> None:
    player = playing(0.0, 1.0, 2.0)
    player.seek(1.9)
    assert (player.position, player.index) == (1.0, 1)
    player.backwards = True
    assert player.tick(10.25) == 0.75
    assert player.index == 0
    assert not player.at_end
    assert player.tick(12.0) == 0.0
    assert player.at_end
    assert player.distance_played == 2.0, "what was asked for"
    player.rewind()
    assert player.position == 2.0


@pytest.mark.parametrize(("backwards", "position"), [(False, 0.5), (True, 1.5)])
def test_a_player_in_a_loop_continues_at_the_other_end(backwards: bool, position: float) -> None:
    player = playing(0.0, 1.0, 2.0)
    player.loop, player.backwards = True, backwards
    assert player.tick(12.5) == position
    assert player.playing


def test_without_a_pace_a_tick_is_a_stop() -> None:
    player = playing(0.0, 1.0, 5.0, pace=inf)
    assert [player.tick(10.0) for _ in range(3)] == [1.0, 5.0, 5.0]
    assert not player.playing
    player.loop = True
    player.start(10.0)
    assert player.tick(10.0) == 0.0


def test_steps_are_whole_and_stay_inside() -> None:
    player = Player((0.0, 1.0, 5.0))
    player.step()
    player.step()
    player.step()
    assert player.position == 5.0
    player.step(-9)
    assert player.position == 0.0
    player.loop = True
    player.step(-1)
    assert player.position == 5.0


def test_stops_may_come_and_go() -> None:
    player = Player((0.0, 1.0, 2.0))
    player.seek(inf)
    player.set_stops((0.0, 1.0, 2.0, 3.0))
    assert player.position == 2.0
    assert not player.at_end
    player.set_stops((0.0, 1.0))
    assert player.position == 1.0
