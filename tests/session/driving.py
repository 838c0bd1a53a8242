"""A session driven from outside its thread: what the tests wait for, and how."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from aggviewer.session import Session
from engine.scenario import Scenario

PATIENCE = 300.0


def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition; only a machine that hangs reaches the end of it."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "the condition did not come true"
        time.sleep(0.002)


def discs(count: int, seed: int = 1) -> Scenario:
    """A lattice of so many discs."""
    return Scenario.from_values({"seed": seed, "discs": {"count": count}})


def settle(session: Session) -> None:
    """Wait until every command given so far has been carried out."""
    done = threading.Event()
    session._worker.post(done.set)
    assert done.wait(PATIENCE)


def load(session: Session, scenario: Scenario, *, run: bool = False) -> None:
    """Load a scenario, and wait until it is there."""
    session.load(scenario, run=run)
    settle(session)
