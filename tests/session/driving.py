"""A session driven from outside its thread: what the tests wait for, and how."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from aggviewer.session import Analysis, Session
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


def analysis(session: Session, having: Callable[[Analysis], bool] = lambda found: True, lane: int = 0) -> Analysis:
    """Wait for what was measured of a state, until it is `having` something."""
    found: list[Analysis] = []

    def came() -> bool:
        one = session.publishers.latest_analysis(lane)
        if one is not None and having(one):
            found.append(one)
        return bool(found)

    until(came)
    return found[0]


def load(session: Session, scenario: Scenario, *, run: bool = False) -> None:
    """Load a scenario, and wait until it is there."""
    session.load(scenario, run=run)
    settle(session)


@contextmanager
def real_session(scenario: Scenario | None = None, **parts: Any) -> Iterator[Session]:
    """A session over the real engine, which is closed at the end. scenario : held at its start."""
    made = Session(**parts)
    try:
        if scenario is not None:
            load(made, scenario)
        yield made
    finally:
        assert made.close(PATIENCE)
