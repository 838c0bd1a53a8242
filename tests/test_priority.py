"""Threads that give way to the window's. Only Linux has a niceness for each thread."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from aggviewer.priority import BESIDE, MOVES_THE_PICTURE, give_way
from tests.session.driving import discs, load, real_session, settle

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


def test_the_window_goes_before_the_simulation_and_that_before_measurements() -> None:
    own = niceness(threading.get_native_id())
    with real_session() as session:
        load(session, discs(40), run=True)
        settle(session)
        found = {
            thread.name: niceness(thread.native_id)
            for thread in threading.enumerate()
            if thread.native_id is not None and thread.name.startswith("aggviewer-")
        }
    assert niceness(threading.get_native_id()) == own
    assert found["aggviewer-simulation"] == max(own, MOVES_THE_PICTURE)
    assert found["aggviewer-analyst"] == max(own, BESIDE)
    assert 0 < MOVES_THE_PICTURE < BESIDE
