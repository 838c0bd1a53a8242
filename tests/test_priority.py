"""Threads that give way to the window's. Only Linux has a niceness for each thread."""

from __future__ import annotations

import os
import sys
import threading

import numpy as np
import pytest

from aggviewer.latest_job import BESIDE, MOVES_THE_PICTURE, give_way
from aggviewer.session.analyst import Analyst, StateCopy, SystemAnalysis
from aggviewer.session.data import Analysis, DiscSet
from engine.frame import Frame
from engine.scenario import Scenario
from tests.session.driving import PATIENCE, discs, load, real_session, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="threads have no niceness of their own")


def niceness(thread: int) -> int:
    """Of a thread by its number."""
    return os.getpriority(os.PRIO_PROCESS, thread)


def test_a_thread_gives_way_and_takes_those_with_it_that_it_starts() -> None:
    own = niceness(threading.get_native_id())
    found: list[int] = []

    def note() -> None:
        found.append(niceness(threading.get_native_id()))

    def work() -> None:
        give_way(own + 5)
        note()
        give_way(own + 2)  # never back
        note()
        inner = threading.Thread(target=note)
        inner.start()
        inner.join()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [min(19, own + 5)] * 3
    assert niceness(threading.get_native_id()) == own


class NotesPriority(SystemAnalysis):
    """Notes how far the thread that measures lets others go first; that thread ends with its work."""

    def __init__(self) -> None:
        self.noted: list[int] = []

    def measure(self, state: StateCopy) -> Analysis:
        self.noted.append(niceness(threading.get_native_id()))
        return super().measure(state)


def test_the_window_goes_before_the_simulation_and_that_before_measurements() -> None:
    own = niceness(threading.get_native_id())
    with real_session() as session:
        load(session, discs(40), run=True)
        (simulation,) = (
            niceness(thread.native_id)
            for thread in threading.enumerate()
            if thread.native_id is not None and thread.name == "aggviewer-simulation"
        )
    frame = Frame.empty(2)
    system = DiscSet(Scenario(), np.ones(2), np.ones(2), np.full(2, 9.0), True, 2)
    errors: list[Exception] = []
    analysis = NotesPriority()
    analyst = Analyst(errors.append)
    assert analyst.offer(analysis, system, frame, lambda: None)
    until(lambda: analyst.take() is not None)
    assert analyst.close(PATIENCE)
    assert niceness(threading.get_native_id()) == own
    assert simulation == max(own, MOVES_THE_PICTURE)
    assert analysis.noted == [max(own, BESIDE)]
    assert not errors
    assert 0 < MOVES_THE_PICTURE < BESIDE
