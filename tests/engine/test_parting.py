"""Discs and clusters that only fly on from now on: a run without a limit of time ends."""

import numpy as np
import pytest

import engine
from engine.capabilities import meets_no_more
from engine.parting import never_meet, velocities_part
from engine.runs.loop import RunLimits, simulate
from engine.scenario import Scenario
from engine.state import InitialState

COLUMNS = ([3.0, 5.0], [7.0, 5.0]), ([0.0, 1.0], [0.0, -1.0])
DIAGONAL = ([3.0, 3.0], [8.0, 3.0]), ([1.0, 0.0], [0.0, 1.0])
LATER = ([3.0, 5.0], [7.0, 5.0]), ([0.0, 1.0], [1.0, 0.3])
CROSSING = ([3.0, 5.0], [7.0, 2.0]), ([0.0, 1.0], [1.0, 0.0])


class EachSecond:
    """Looks at a run at every whole time, as a recording does."""

    def __init__(self):
        self.next_time, self.next_clusters, self.next_events = 1.0, 1, None

    def look(self, reached):
        if reached.time >= self.next_time:
            self.next_time += 1.0


def simulation(system, discs, periodic=True, sides=10.0):
    places, velocities = (np.array(part) for part in discs)
    count = len(places)
    dimensions = places.shape[1]
    state = InitialState(
        places, velocities, np.full(count, 0.5), np.ones(count), np.arange(count), np.full(dimensions, sides), periodic
    )
    return engine.create(Scenario.from_toml(f'system = "{system}"\ndimensions = {dimensions}'), state)


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
def test_discs_that_may_still_meet_are_not_called_parted(discs, periodic):
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
    assert velocities_part(frame.velocities, run.box, run.periodic) or not never_meet(frame, cluster=True)
    assert velocities_part(np.array([[0.0, 1.0], [0.0, -2.0]]), run.box, run.periodic)
    assert not velocities_part(np.array([[0.0, 1.0], [0.3, np.pi]]), run.box, run.periodic)


BESIDE = ([3.0, 5.0, 5.0], [7.0, 5.0, 5.0]), ([0.0, 1.0, 0.0], [0.0, -1.0, 0.0])
LAYERS = ([3.0, 5.0, 2.0], [7.0, 2.0, 5.0]), ([0.7, 0.3, 0.0], [-0.2, np.pi / 7.0, 0.0])
CLOSED = ([3.0, 3.0, 3.0], [3.0, 3.0, 6.0]), ([1.0, 2.0, 1.0], [0.0, 0.0, 0.0])
MEETING = ([3.0, 3.0, 3.0], [3.0, 3.0, 3.4]), ([1.0, 2.0, 1.0], [0.0, 0.0, 0.0])
FILLING = ([3.0, 3.0, 3.0], [8.0, 3.0, 3.0]), ([1.0, np.pi / 3.0, np.sqrt(2.0)], [0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("spheres", "in_box", "between_walls"),
    [(BESIDE, True, True), (LAYERS, True, True), (CLOSED, True, False), (MEETING, False, False),
     (FILLING, False, False)],
)  # fmt: skip
def test_spheres_that_pass_by_for_ever_end_a_run(spheres, in_box, between_walls):
    """On a line of their own, in layers apart, on a path that closes; not on one that fills the box."""
    for periodic, parted in ((True, in_box), (False, between_walls)):
        run = simulation("aggregation", spheres, periodic)
        assert meets_no_more(run) == parted
        assert velocities_part(run.frame().velocities, run.box, run.periodic) >= parted
        if not parted and spheres is not CLOSED:  # between walls it passes by too, but nobody knows
            assert run.advance(1e4).clusters == 1


def test_paths_that_close_are_followed_to_their_end():
    """Two spheres on paths that close after a few sides of boxes, long and flat ones too: they touch if they come near
    within one turn."""
    rng = np.random.default_rng(3)
    said = []
    for number in range(150):
        sides = np.full(3, 10.0) if number < 50 else rng.choice([3.0, 10.0, 40.0], 3)
        turns = rng.integers(-2, 3, 3) if number < 50 else rng.integers(-8, 9, 3)
        if number >= 130:  # the nearest image is not found beside the whole numbers that are the shortest themselves
            sides, turns = np.array([40.0, 10.0, 2.0]), np.array([-7, 8, -1])
        places = rng.uniform(0.1, 0.9, (2, 3)) * sides
        if not turns.any() or np.linalg.norm(places[0] - places[1]) < 1.0:
            continue
        way = turns * sides
        along = places[0] + np.linspace(0.0, 1.0, 20_001)[:, None] * way - places[1]
        nearest = np.linalg.norm(along - sides * np.round(along / sides), axis=1).min()
        if abs(nearest - 1.0) < 0.01:
            continue
        run = simulation("aggregation", (places, np.array([way, np.zeros(3)])), sides=sides)
        assert never_meet(run.frame(), cluster=True) == (nearest > 1.0)
        said.append(nearest > 1.0)
    assert 20 < sum(said) < len(said) - 20
