"""The last minutes of a run in memory: what is kept, what is dropped, what is found."""

from __future__ import annotations

import numpy as np
import pytest

from aggviewer.session.memory import Memory
from aggviewer.session.replay_index import MOST_MARKS, large_merges
from engine.simulation import Frame


def frame_at(time: float, count: int = 10) -> Frame:
    frame = Frame.empty(count)
    frame.time = time
    return frame


def test_the_memory_keeps_to_its_budget_and_drops_the_oldest() -> None:
    memory = Memory(budget=10 * 36 * 10)
    for k in range(25):
        memory.keep(float(k), [frame_at(k / 10)])
    assert memory.times.tolist() == pytest.approx([k / 10 for k in range(15, 25)])
    assert memory.span == (1.5, 2.4)
    memory.budget = 1
    memory.keep(25.0, [frame_at(2.5)])
    assert memory.span == (2.5, 2.5), "one frame stays"


def test_the_memory_finds_the_frame_at_or_before() -> None:
    memory = Memory()
    assert memory.at(1.0) is None
    for time in (1.0, 2.0, 3.0):
        memory.keep(time, [frame_at(time)])
    found = [memory.at(time) for time in (0.0, 1.0, 1.9, 2.0, 99.0)]
    assert [frames[0].time for frames in found if frames is not None] == [1.0, 1.0, 1.0, 2.0, 3.0]


def test_going_on_from_an_earlier_time_replaces_what_came_after() -> None:
    memory = Memory()
    for time in (1.0, 2.0, 3.0, 1.5):
        memory.keep(time, [frame_at(time)])
    assert memory.times.tolist() == [1.0, 1.5]


def test_large_frames_are_kept_less_often() -> None:
    memory = Memory(budget=1 << 20)
    memory.keep(0.0, [frame_at(0.0)])
    assert memory.due(0.07, 10)
    assert not memory.due(0.07, 1_000_000)


def test_marks_are_the_large_merges() -> None:
    times = np.arange(6.0)
    assert large_merges(times, np.array([1, 2, 2, 50, 51, 100]), 100).tolist() == [3.0, 5.0]
    many = large_merges(np.arange(1000.0), np.arange(0, 10_000, 10), 100)
    assert len(many) == MOST_MARKS
