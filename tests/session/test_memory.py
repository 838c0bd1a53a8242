"""The last minutes of a run in memory: what is kept, what is dropped, what is found."""

from __future__ import annotations

import numpy as np
import pytest

from aggviewer.session.past.memory import MOST_TIMES, KeptFrames, large_merges
from engine.frame import Frame


def frame_at(time: float, count: int = 10) -> Frame:
    frame = Frame.empty(count)
    frame.time = time
    return frame


def test_the_memory_keeps_to_its_budget_and_is_thinned_not_cut_off() -> None:
    memory = KeptFrames(budget=100 * 36 * 10)
    for k in range(2500):
        memory.keep(float(k), [frame_at(1.005**k - 1.0)])
    assert memory.nbytes <= memory.budget
    times = memory.times
    assert (times[0], times[-1]) == (0.0, pytest.approx(1.005**2499 - 1.0)), "first and last stay"
    assert len(times) > 80
    assert np.diff(np.log(times[1:])).max() < 1.0, "of 18, with a third of the frames"
    memory.budget = 1
    memory.fit()
    assert memory.times.tolist() == [times[-1]], "one frame stays"


def test_kept_frames_are_spread_over_log_time_merges_and_the_last_moments() -> None:
    """All merges between the times 1 and 2 of 1000: a run in equal steps of time would have two frames of them."""
    memory = KeptFrames(budget=120 * 36 * 10)
    times = np.unique(np.concatenate([np.geomspace(0.01, 1000.0, 900), np.linspace(1.0, 2.0, 600)]))
    merged = np.interp(times, [1.0, 2.0], [0.0, 9000.0]).astype(int)
    for time, gone in zip(times, merged, strict=True):
        frame = frame_at(float(time))
        frame.clusters = 10_000 - int(gone)
        memory.keep(float(time), [frame])
    kept = memory.times
    assert np.diff(np.log(kept)).max() < 0.06 * np.log(1e5)
    assert np.abs(np.diff(memory.clusters)).max() < 0.06 * 9000
    assert np.count_nonzero(kept > 900.0) >= 5, "a step back is a small one"


def test_the_memory_finds_the_frame_at_or_before() -> None:
    memory = KeptFrames()
    assert memory.at_time(1.0) is None
    for time in (1.0, 2.0, 3.0):
        memory.keep(time, [frame_at(time)])
    found = [memory.at_time(time) for time in (0.0, 1.0, 1.9, 2.0, 99.0)]
    assert [frames[0].time for frames in found if frames is not None] == [1.0, 1.0, 1.0, 2.0, 3.0]


def test_going_on_from_an_earlier_time_replaces_what_came_after() -> None:
    memory = KeptFrames()
    for time in (1.0, 2.0, 3.0, 1.5):
        memory.keep(time, [frame_at(time)])
    assert memory.times.tolist() == [1.0, 1.5]


def test_large_frames_are_kept_less_often() -> None:
    memory = KeptFrames(budget=1 << 20)
    memory.keep(0.0, [frame_at(0.0)])
    assert memory.due(0.07, 10)
    assert not memory.due(0.07, 1_000_000)


def test_keeping_frames_takes_at_most_a_quarter_of_the_time_of_a_run_without_a_pace() -> None:
    """A displayed frame further takes the run 1 ms, and a copy of it as long."""
    memory, now, apart, kept = KeptFrames(), 0.0, 1.0, []
    usual = memory.frames_apart(10_000, now, 1e-3)
    for _ in range(50):
        now += 1e-3 * apart / usual
        apart = memory.frames_apart(10_000, now, 1e-3)
        memory.keep(now, [frame_at(now)])
        kept.append(apart / usual)
        now += 1e-3
    assert kept[-1] == pytest.approx(3.0, abs=0.1), "1 ms of every 4"
    assert max(kept) <= 4.0
    now += 1.0
    assert memory.frames_apart(10_000, now, 1e-3) == usual, "at a pace there is time enough"


def test_marks_are_the_large_merges() -> None:
    times = np.arange(6.0)
    assert large_merges(times, np.array([1, 2, 2, 50, 51, 100]), 100).tolist() == [3.0, 5.0]
    many = large_merges(np.arange(1000.0), np.arange(0, 10_000, 10), 100)
    assert len(many) == MOST_TIMES
