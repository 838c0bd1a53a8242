"""Whatever can be played is a source: rising times, and any frame after any other one, the same each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from aggviewer.extensions.lessons.bouncing_ball.model import BallStory
from aggviewer.extensions.stepping.story import StepStory
from aggviewer.session.past.memory import KeptFrames, Player, Source
from aggviewer.session.past.recording import open_recording
from aggviewer.session.past.replay import RecordedRun
from benchmarks import first_minute
from engine.aggregation.time_stepping.simulation import TimeStepping
from engine.files import write
from engine.hard_discs.ball import Drop
from engine.scenario import Scenario
from tests.builders.file_frames import some_frames

SMALL = Scenario.from_values({"discs": {"count": 64, "volume_fraction": 0.2, "arrangement": "lattice"}, "seed": 3})


@contextmanager
def of_a_run(tmp_path: Path) -> Iterator[Source[Any]]:
    simulation, kept = engine.create(SMALL), KeptFrames()
    for step in range(6):
        simulation.advance(0.1 * step)
        kept.keep(float(step), [simulation.frame()])
    yield kept


@contextmanager
def of_a_file(tmp_path: Path) -> Iterator[Source[Any]]:
    write(tmp_path / "run.gsd", some_frames(6))
    opened = open_recording(tmp_path / "run.gsd")
    yield opened
    opened.close()


@contextmanager
def that_comes_with_the_program(tmp_path: Path) -> Iterator[Source[Any]]:
    arrays = first_minute.record(SMALL, 30)
    yield RecordedRun({name: value for name, value in arrays.items() if name != "scenario"}, SMALL)


@contextmanager
def of_a_time_step(tmp_path: Path) -> Iterator[Source[Any]]:
    made = engine.create(SMALL.with_values({"aggregation.method": "time-stepping"}))
    assert isinstance(made, TimeStepping)
    made.advance(0.5)
    yield StepStory(made.trace_step(), made.radii, made.box, made.periodic)


@contextmanager
def of_a_ball(tmp_path: Path) -> Iterator[Source[Any]]:
    yield BallStory(Drop(0.1))


def numbers(frame: Any) -> list[float]:
    """What tells one frame from another."""
    frames = frame if isinstance(frame, tuple) else (frame,)
    return [
        number
        for one in frames
        for number in (one.positions.ravel().tolist() if hasattr(one, "positions") else [one.position, one.time])
    ]


@pytest.mark.parametrize("made", [of_a_run, of_a_file, that_comes_with_the_program, of_a_time_step, of_a_ball])
def test_frames_come_in_any_order_and_are_the_same_each_time(made: Callable[[Path], Any], tmp_path: Path) -> None:
    with made(tmp_path) as source:
        count = len(source.times)
        assert count > 4
        assert (np.diff(source.times) > 0.0).all()
        in_order = [numbers(source.at(index)) for index in range(count)]
        assert in_order[0] != in_order[-1]
        for index in (count - 1, 0, count // 2, 1, count - 2, 2):
            assert numbers(source.at(index)) == in_order[index]
        player = Player(source.times)
        player.seek(float("inf"))
        assert player.index == count - 1
