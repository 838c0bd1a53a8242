"""A session driven from outside its thread: what the tests wait for, and how."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from aggviewer.session import Analysis, Session
from engine.scenario import Scenario

PATIENCE = 300.0


def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition; pytest's limit for a test ends one that hangs."""
    while not condition():
        time.sleep(0.002)


def hasty_clock(step: float = 0.01) -> Callable[[], float]:
    """A clock for a session that goes on by `step` seconds at each look: what is played at a pace takes only as long as
    its frames need to be made."""
    looks = count()
    return lambda: step * next(looks)


def discs(count: int, seed: int = 1) -> Scenario:
    """A lattice of so many discs."""
    return Scenario.from_values({"seed": seed, "discs": {"count": count}})


def settle(session: Session) -> None:
    """Wait until every command given so far has been carried out, and only the runs are kept that undo may need."""
    for _ in range(2):  # the history says what it needs when a command has been carried out
        done = threading.Event()
        session.after_commands(done.set)
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


def watched(
    session: Session, begin: Callable[[], object], condition: Callable[[], bool]
) -> tuple[list[float], list[int]]:
    """Begin something; time and number of clusters of all frames that are shown until a condition is true. Each is
    taken when it comes, as by a window that draws as fast as it likes."""
    times: list[float] = []
    clusters: list[int] = []

    def take(_lane: int = 0) -> None:
        for lane in range(max(1, len(session.status().lanes))):
            while (found := session.publishers.latest_frame(lane)) is not None:
                if lane == 0:
                    times.append(found.frame.time)
                    clusters.append(found.frame.clusters)

    settle(session)
    take()
    session.frame_arrived.connect(take)
    before = len(times)
    try:
        begin()
        settle(session)
        until(condition)
        settle(session)
    finally:
        session.frame_arrived.disconnect(take)
    return times[before:], clusters[before:]


def kept_times(session: Session) -> list[float]:
    """The times of all frames of the past that are in memory."""
    return [frame.time for frame in session.ask(lambda run: run.past.frames_of(0))]


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
