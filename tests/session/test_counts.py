"""While a state is measured, plots that need no measurement follow the run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from aggviewer.document.view import ViewModel
from aggviewer.session.analyst import COUNTS_INTERVAL, Analyst, StateCopy
from aggviewer.session.data import Analysis
from aggviewer.session.publisher import FrameMailbox, Publisher
from aggviewer.systems.hard_discs.analysis import GasAnalysis
from tests.session.driving import until
from tests.session.test_gas import SCENARIO, DiscSet, FlyingDiscs


class SlowAnalysis(GasAnalysis):
    """Measures for as long as a test wants."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = threading.Event()

    def measure(self, state: StateCopy) -> Analysis:
        assert self.go_on.wait(60.0)
        return super().measure(state)


Ahead = Callable[..., None]


@pytest.fixture
def slow() -> Iterator[tuple[SlowAnalysis, Analyst, Ahead]]:
    """An analysis that is slow, its analyst, and a run that is shown at a later time, an interval later."""
    errors: list[Exception] = []
    seconds, simulation, analysis = [0.0], FlyingDiscs(), SlowAnalysis()
    analyst = Analyst(errors.append, clock=lambda: seconds[0])
    publisher = Publisher(FrameMailbox(), analyst, ViewModel(), lambda system: analysis)
    running: Any = simulation
    publisher.adopt(running, DiscSet(SCENARIO, simulation.radii, simulation.masses, simulation.box, True, 200))

    def ahead(time: float, later: float = COUNTS_INTERVAL) -> None:
        seconds[0] += later
        simulation.time = time
        publisher.publish({})

    yield analysis, analyst, ahead
    analysis.go_on.set()
    assert analyst.close(60.0)
    assert not errors


def test_counts_are_those_of_the_run_while_an_earlier_state_is_measured(
    slow: tuple[SlowAnalysis, Analyst, Ahead],
) -> None:
    analysis, analyst, ahead = slow
    ahead(1.0)
    assert analyst.take_counts() is None, "that state is measured"
    for time in (2.0, 3.0):
        ahead(time)
        counts = analyst.take_counts()
        assert (counts.part, counts.time, counts.indicators) == ("counts", time, None)
        assert counts.history.time[-1] == time
        assert counts.data.measures.compressibility == 1.5
        assert analyst.take_counts() is None, "nothing is new"
    analysis.go_on.set()
    until(lambda: not analyst._busy)
    late = analyst.take()
    assert (late.part, late.time) == ("measured", 1.0), "its counts are older than those that are shown"
    ahead(5.0, later=60.0)  # it has had its rest
    until(lambda: not analyst._busy)
    latest = analyst.take()
    assert (latest.part, latest.time) == ("all", 5.0)
    assert analyst.take_counts() is None


def test_counts_are_made_a_few_times_a_second_at_most(slow: tuple[SlowAnalysis, Analyst, Ahead]) -> None:
    _analysis, analyst, ahead = slow
    ahead(1.0)
    ahead(2.0)
    made: list[int] = []

    def counts() -> Analysis:
        made.append(1)
        raise AssertionError

    analyst.count(counts)
    assert made == []
