"""A cluster has the colour of its label wherever it is seen: live, looking back, in films, beside another run, and
reopened."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from aggviewer.export.sources import FilmColors, recording
from aggviewer.session import Session, Shown
from engine.frame import Frame
from engine.plotting.colors import PALETTE_SIZE, color_index
from engine.scenario import Scenario
from tests.session.driving import real_session, settle

SCENARIO = Scenario.from_values({"seed": 3, "discs": {"count": 225, "volume_fraction": 0.4}})
STEPS = 20


@pytest.fixture
def session() -> Iterator[Session]:
    with real_session(SCENARIO) as made:
        made.set_speed(3.0)
        yield made


def has_colours_of_labels(frame: Frame, scalar: np.ndarray) -> None:
    alone = np.bincount(frame.cluster)[frame.cluster] == 1
    assert_array_equal(scalar, color_index(frame.cluster) + PALETTE_SIZE * alone, err_msg=f"t = {frame.time}")


def newest(session: Session, lane: int = 0) -> Shown:
    settle(session)
    shown = session.publishers.latest_frame(lane)
    has_colours_of_labels(shown.frame, shown.scalar)
    return shown


def run_live(session: Session, steps: int = STEPS) -> list[float]:
    """The times of some frames, in whose pictures the colours are those of the labels."""
    times = []
    for _ in range(steps):
        session.step_frame()
        times.append(newest(session).frame.time)
    return times


def test_live_and_looking_back(session: Session) -> None:
    for time in [*run_live(session)[::-3], inf]:
        session.look_at(time)
        assert newest(session).frame.time == time or time == inf


def test_a_file_and_a_saved_session(session: Session, tmp_path: Path) -> None:
    session.record(tmp_path / "run.gsd", 0.2)
    run_live(session)
    session.stop_recording()
    session.save_session(tmp_path / "run.aggsession")
    settle(session)
    with recording(tmp_path / "run.gsd") as source:
        film = FilmColors(source, "cluster")
        for number in range(source.frames)[::-5]:
            has_colours_of_labels(source.frame(number), film.color(source.frame(number))[0])
    with real_session() as other:
        other.open(tmp_path / "run.aggsession", run=False)
        settle(other)
        other.refresh()
        assert newest(other).frame.time == newest(session).frame.time
        other.set_speed(3.0)
        run_live(other, 5)
