"""Tracing one step of a paused run, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np
import pytest

from aggviewer.extensions.stepping.tracing import NO_STEPS, NOTHING_LEFT, TracedStep, Tracer, TraceStep
from aggviewer.session import Session
from engine.scenario import Scenario
from tests.session.driving import real_session, settle, until

SCENARIO = Scenario.from_values({"seed": 11, "discs": {"count": 400}, "box": {"boundary": "periodic"}})


class Told:
    """What a tracer tells."""

    def __init__(self) -> None:
        self.steps: list[TracedStep] = []
        self.reasons: list[str] = []
        self.tracer = Tracer(self.steps.append, self.reasons.append)

    def trace(self, session: Session, *, collision: bool = False, onward: bool = False) -> None:
        session.give(TraceStep(self.tracer, collision, onward))


@pytest.fixture
def paused() -> Iterator[Session]:
    """A run that was paused soon."""
    with real_session() as session:
        session.load(SCENARIO, run=False)
        until(lambda: session.status().state == "paused")
        yield session


def test_the_traced_step_is_one_with_a_collision(paused: Session) -> None:
    told = Told()
    paused.set_parameter("aggregation.method", "time-stepping")
    told.trace(paused, collision=True)
    told.trace(paused, collision=True, onward=True)
    told.trace(paused, onward=True)
    settle(paused)
    first, second, third = told.steps
    for step in (first, second):
        trace = step.story.trace
        assert len(trace.overlapping) > 0
        assert len(np.unique(trace.clusters_after)) < len(np.unique(trace.clusters_before))
    assert second.story.trace.time >= first.end
    assert third.story.trace.time == pytest.approx(second.end, rel=1e-12)
    assert paused.status().time == pytest.approx(third.story.trace.time)


def test_a_look_inside_is_no_step_of_undo_and_no_entry_of_the_log(paused: Session) -> None:
    told = Told()
    paused.set_parameter("aggregation.method", "time-stepping")
    settle(paused)
    undo, entries = paused.history.undo_text, len(paused.log.entries)
    told.trace(paused, collision=True)
    settle(paused)
    assert len(told.steps) == 1
    assert (paused.history.undo_text, len(paused.log.entries)) == (undo, entries)


def test_a_look_inside_tells_when_nothing_is_left(paused: Session) -> None:
    told = Told()
    paused.set_parameter("aggregation.method", "time-stepping")
    paused.set_speed(inf)
    paused.run()
    until(lambda: paused.status().state == "finished")
    told.trace(paused, collision=True)
    settle(paused)
    assert told.reasons == [NOTHING_LEFT]


def test_the_event_driven_method_has_no_step_to_look_into(paused: Session) -> None:
    told = Told()
    told.trace(paused, collision=True)
    settle(paused)
    assert (told.reasons, told.steps) == ([NO_STEPS], [])
