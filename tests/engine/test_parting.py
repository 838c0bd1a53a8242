"""Discs and clusters that only fly on from now on: a run without a limit of time ends."""

import numpy as np
import pytest

import engine
from engine.capabilities import meets_no_more
from engine.parting import never_meet, velocities_part
from engine.runs.limits import RunLimits
from engine.runs.loop import simulate
from engine.scenario import Scenario
from engine.state import InitialState

COLUMNS = ([3.0, 5.0], [7.0, 5.0]), ([0.0, 1.0], [0.0, -1.0])
DIAGONAL = ([3.0, 3.0], [8.0, 3.0]), ([1.0, 0.0], [0.0, 1.0])
LATER = ([3.0, 5.0], [7.0, 5.0]), ([0.0, 1.0], [1.0, 0.3])
CROSSING = ([3.0, 5.0], [7.0, 2.0]), ([0.0, 1.0], [1.0, 0.0])


class EachSecond:
    """Looks at a run at every whole time, as a recording does."""

    def __init__(self):
        self.next_time, self.next_clusters = 1.0, 1

    def look(self, reached):
        if reached.time >= self.next_time:
            self.next_time += 1.0


def simulation(system, discs, periodic=True):
    places, velocities = (np.array(part) for part in discs)
    count = len(places)
    state = InitialState(
        places, velocities, np.full(count, 0.5), np.ones(count), np.arange(count), np.array([10.0, 10.0]), periodic
    )
    return engine.create(Scenario.from_toml(f'system = "{system}"'), state)


@pytest.mark.parametrize("system", ["aggregation", "hard-discs"])
@pytest.mark.parametrize("discs", [COLUMNS, DIAGONAL, (([5.0, 5.0],), ([0.0, 1.0],))])
@pytest.mark.parametrize("observers", [(), (EachSecond,)])
def test_discs_that_pass_by_for_ever_end_a_run(system, discs, observers):
    run = simulation(system, discs)
    ended = simulate(run, RunLimits(until_events=5, max_wall=600.0), observers=[kind() for kind in observers])
    assert (ended.reason, ended.reached.time) == ("finished", 0.0)


def test_clusters_that_pass_by_end_a_run_at_the_last_merge():
    places, velocities = COLUMNS
    run = simulation("aggregation", ((*places, [7.0, 8.0]), (*velocities, [0.0, -2.0])))
    ended = simulate(run, RunLimits(max_wall=600.0))
    assert (ended.reason, ended.reached.stop_reason, ended.reached.clusters) == ("finished", "nothing meets", 2)
    assert ended.reached.time == pytest.approx(2.0)


@pytest.mark.parametrize("discs", [LATER, CROSSING])
@pytest.mark.parametrize("periodic", [True, False])
def test_nothing_is_said_of_discs_that_may_meet(discs, periodic):
    assert not meets_no_more(simulation("aggregation", discs, periodic))


def test_lanes_between_walls_never_meet():
    assert meets_no_more(simulation("aggregation", COLUMNS, periodic=False))


def test_a_limit_of_time_is_reached():
    run = simulation("aggregation", COLUMNS)
    assert simulate(run, RunLimits(until_time=3.0)).reason == "time"
    assert run.frame().positions[0, 1] == pytest.approx(8.0)


@pytest.mark.parametrize("discs", [COLUMNS, DIAGONAL, LATER, CROSSING])
@pytest.mark.parametrize("periodic", [True, False])
def test_velocities_alone_never_deny_that_clusters_part(discs, periodic):
    run = simulation("aggregation", discs, periodic)
    frame = run.frame()
    assert velocities_part(frame.velocities, run.box, periodic) or not never_meet(frame, cluster=True)
    assert velocities_part(np.array([[0.0, 1.0], [0.0, -2.0]]), run.box, periodic)
    assert not velocities_part(np.array([[0.0, 1.0], [0.3, np.pi]]), run.box, periodic)
