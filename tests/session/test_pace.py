"""A run without a pace: fast, where every part of it is seen, and without limit; and the past that either leaves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import inf

import numpy as np
import pytest

from aggviewer.session import Session
from aggviewer.session.run import runner
from engine.scenario import Scenario
from tests.session.driving import kept_times, load, real_session, settle, until, watched


@pytest.fixture
def session() -> Iterator[Session]:
    """Over the real engine."""
    with real_session() as made:
        yield made


def to_the_end(session: Session) -> tuple[list[float], list[int]]:
    """Run it as a window does, which takes every frame; time and clusters of all that were shown."""
    return watched(session, session.run, lambda: session.status().state == "finished")


@pytest.mark.parametrize("count", [10, 100])
def test_fast_shows_every_merge_of_a_small_run(session: Session, count: int) -> None:
    load(session, Scenario.from_values({"seed": 3, "discs": {"count": count}}))
    session.set_speed(inf, every_frame=True)
    _, clusters = to_the_end(session)
    assert clusters[0] >= count - 1
    assert clusters[-1] == 1
    assert np.abs(np.diff(clusters)).max() <= max(1.0, 0.02 * count)
    assert session.status().every_frame


def test_fast_shows_two_of_a_hundred_merges_in_a_frame(session: Session) -> None:
    load(session, Scenario.from_values({"seed": 3, "discs": {"count": 1000}}))
    session.set_speed(inf, every_frame=True)
    _, clusters = to_the_end(session)
    assert [(a, b) for a, b in pairwise(clusters) if a - b > max(1.0, 0.0201 * a)] == []
    assert len(clusters) > 150


def test_fast_goes_on_to_the_next_frame_while_the_last_one_waits(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No farther, and what is taken then is that frame."""
    monkeypatch.setattr(runner, "LONGEST_WAIT", 1000.0)
    load(session, Scenario.from_values({"seed": 3, "discs": {"count": 1000}}))
    session.set_speed(inf, every_frame=True)
    session.run()
    run, frames = session._runner.present, session.publishers
    mailbox = frames.publisher_of(0).mailbox

    def taken() -> float:
        found = []

        def come() -> bool:
            found.append(frames.latest_frame())
            return found[-1] is not None

        until(come)
        return float(found[-1].frame.time)

    before = taken()
    for _ in range(5):
        until(
            lambda: (
                session.status().state == "finished" or (not mailbox.frame_taken and session._runner._frame_is_ready)
            )
        )
        assert session.status().state == "running"
        reached = run.time
        for _ in range(5):
            settle(session)
        assert run.time == reached
        now, then = taken(), taken()
        assert before < now < then == reached
        before = then


@pytest.mark.parametrize(
    ("speed", "every_frame", "side_by_side"), [(inf, False, True), (inf, True, False), (1e4, False, False)]
)
def test_the_past_has_frames_from_the_start_to_the_end(
    session: Session, speed: float, every_frame: bool, side_by_side: bool
) -> None:
    load(session, Scenario.from_values({"seed": 3, "discs": {"count": 100}}))
    if side_by_side:
        session.compare({"aggregation.method": "time-stepping"})
    session.set_speed(speed, every_frame=every_frame)
    to_the_end(session)
    memory = session._runner.present.past
    times, clusters = memory.times, memory.clusters
    assert times[0] == 0.0
    assert times[-1] == session.status().time
    assert len(times) > 40
    late = times[times > 0.5]
    assert np.diff(np.log(late)).max() < 0.8
    assert np.abs(np.diff(clusters)).max() <= (30 if side_by_side else 10), "a time step has several merges"
    timeline = session.status().timeline
    assert (timeline.begin, timeline.end) == (0.0, times[-1])


def test_no_limit_is_not_held_up_by_frames(session: Session) -> None:
    """Nobody takes any."""
    load(session, Scenario.from_values({"seed": 3, "discs": {"count": 400}}))
    session.set_speed(inf)
    session.run()
    until(lambda: session.status().state == "finished")
    assert not session.status().every_frame
    assert len(kept_times(session)) > 40


def test_fast_jamming_shows_every_program(session: Session) -> None:
    load(session, Scenario.from_values({"system": "jamming", "discs": {"count": 16}, "box": {"boundary": "periodic"}}))
    session.set_speed(inf, every_frame=True)
    times, _ = to_the_end(session)
    assert sorted(set(times)) == list(range(1, int(times[-1]) + 1)) or times[0] == 0.0
    assert kept_times(session) == list(range(int(times[-1]) + 1))


def test_a_pause_within_a_fast_frame_brings_both_sides_together(session: Session) -> None:
    load(session, Scenario.from_values({"seed": 3, "discs": {"count": 400}}))
    session.compare({"aggregation.method": "time-stepping"})
    session.set_speed(inf, every_frame=True)
    settle(session)
    for _ in range(5):
        session.run()
        until(lambda: session.publishers.latest_frame() is not None)
        session.pause()
        until(lambda: session.status().state == "paused")
        first, second = session.status().lanes
        assert first.time == pytest.approx(second.time)
        session.set_speed(1.0)
        session.step_frame()
        session.set_speed(inf, every_frame=True)
