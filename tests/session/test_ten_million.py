"""Ten million discs: the past, the runs that can be undone to, autosaves and saved files keep to their budgets.

A run of that size takes minutes (benchmarks/test_event_driven_speed.py). Here the sizes alone are right: arrays that
nobody writes to take no memory.
"""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from aggviewer.session.run.lanes import bytes_of
from aggviewer.session.run.run import MOST_BYTES, Run, Shelf
from aggviewer.session.saved.autosave import MOST_COPY, KeptWork
from aggviewer.session.saved.session_file import read_session
from engine import Scenario
from engine.aggregation.event_driven.simulation import EventDriven
from engine.files.session_arrays import MAX_BYTES
from engine.initial import initial_state
from tests.session.driving import analysis, real_session, settle

MANY = 10_000_000


def sizes(count: int) -> tuple[int, int]:
    """Bytes of a run of event-driven aggregation at its start, and of what a session file holds of it."""
    scenario = Scenario().with_values({"discs.count": count})
    simulation = EventDriven(scenario, initial_state(scenario))
    return bytes_of(simulation), sum(array.nbytes for array in simulation.checkpoint().arrays.values())


def test_a_run_fits_and_there_is_no_autosave_of_it() -> None:
    """Sizes grow with N exactly, so those of 10^7 follow from those of some thousands."""
    one, two, four = (np.array(sizes(count)) for count in (4_000, 8_000, 16_000))
    per_disc = (two - one) / 4_000
    assert (four - two).tolist() == pytest.approx((8_000 * per_disc).tolist(), rel=1e-3)
    run, copy = one + per_disc * (MANY - 4_000)
    assert 4e9 < run < 7e9, "of the 8 GB that the whole program may take"
    assert 1e9 < copy < MAX_BYTES, "else a session that is saved could not be opened again"
    assert run > MOST_COPY, "the copy would take as much again"
    assert (one + per_disc * (3_000_000 - 4_000))[0] < MOST_COPY


def test_a_run_of_ten_million_is_not_kept_for_undo() -> None:
    """Nor does it take the place of a small one, which is kept."""
    shelf, runs = Shelf(), []
    for count in (1_000, MANY):
        simulation, progress = np.zeros((count, 64)), SimpleNamespace(finished=False)
        lane = SimpleNamespace(
            simulation=simulation, scenario=Scenario(), progress=progress, stored=None, nbytes=simulation.nbytes
        )
        runs.append(Run([cast(Any, lane)]))
        shelf.add(runs[-1])
        shelf.keep_only(runs)
        assert sum(run.nbytes for run in shelf.runs) <= MOST_BYTES
    small, large = runs
    assert large.lost
    assert not small.lost
    shelf.close()


STICKS, BOUNCES = {"system": "aggregation"}, {"system": "hard-discs"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "least", "most"),
    [
        (STICKS | {"aggregation.method": "event-driven"}, 20e6, 24e6),
        pytest.param(STICKS | {"aggregation.method": "time-stepping"}, 12e6, 16e6, marks=pytest.mark.slow),
        pytest.param(BOUNCES, 13e6, 16e6, marks=pytest.mark.slow),
    ],
    ids=["event-driven", "time-stepping", "hard-discs"],
)
def test_a_file_is_written_without_a_copy_of_the_run(
    values: dict[str, str], least: float, most: float, tmp_path: Path
) -> None:
    """Saved by hand and at closing; of clusters that are events' own a copy is made, a fifth of the run. The files hold
    all of it."""
    scenario = Scenario().with_values(values | {"discs.count": 120_000})
    folder, by_hand = tmp_path / "kept", tmp_path / "by-hand.aggsession"
    with real_session(scenario, kept=KeptWork(folder)) as session:
        session.step_event()
        settle(session)
        (lane,) = session._runner.lanes
        analysis(session, lambda found: found.time == lane.time)  # else it is measured meanwhile
        peaks = []
        tracemalloc.start()
        try:
            session.save_session(by_hand)
            settle(session)
            peaks.append(tracemalloc.get_traced_memory()[1])
            session.saving._saved_times.clear()
            session._runner.lanes[0].computing_time = 100.0
            tracemalloc.reset_peak()
            session.keep_work()
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        copy = lane.simulation.checkpoint()
        files = [by_hand, *folder.glob("*.aggsession")]
        assert len(files) == 2
        for file in files:
            (saved,) = read_session(file).lanes
            assert saved.arrays.keys() == copy.arrays.keys()
            for name, array in copy.arrays.items():
                assert saved.arrays[name].dtype.names == array.dtype.names  # without the room between records
                np.testing.assert_array_equal(saved.arrays[name], array)
    assert sum(array.nbytes for array in copy.arrays.values()) > least
    assert max(peaks) < most, peaks


def test_closing_waits_for_a_run_that_takes_minutes_to_write() -> None:
    """No autosave is made of it that could be kept instead."""
    with real_session(Scenario().with_values({"discs.count": 4_000})) as session:
        seconds = session.saving.seconds_to_keep()
        (lane,) = session._runner.lanes
        assert seconds * MANY / 4_000 > 240.0
        assert seconds == pytest.approx(bytes_of(lane.simulation) / 20e6, rel=0.01)
