"""Averages over a run while it goes on: over the same states at any speed, until the run is changed."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
import pytest

import engine
from aggviewer.session import Session
from aggviewer.session.averaging import AveragesSoFar, RunningAverages, even_interval
from aggviewer.systems.registry import view_of
from engine.analysis import GAS, Averages
from engine.scenario import Scenario
from engine.simulation import Stride
from engine.system import system_of
from tests.session.driving import analysis, real_session, settle, until

NAMES = frozenset({"pair_correlation", "contact_value", "mean_square_displacement"})
SCENARIO = Scenario().with_values(
    {"system": "hard-discs", "box.boundary": "periodic", "discs.count": 100, "discs.volume_fraction": 0.3}
)
END = 12.0


def directly() -> tuple[Averages, bytes]:
    """The averages over states at multiples of the interval, from the engine alone, and the last positions."""
    simulation = engine.create(SCENARIO)
    averages, every = Averages([one for one in GAS if one.name in NAMES]), even_interval(simulation)
    for k in range(round(END / every) + 1):
        simulation.advance(k * every)
        averages.add(simulation.time, system_of(SCENARIO).sample(simulation, simulation.frame()))
    simulation.advance(END)
    return averages, simulation.frame().positions.tobytes()


def averaged(session: Session, having: Callable[[AveragesSoFar], bool]) -> AveragesSoFar:
    return analysis(session, lambda found: having(found.averaged)).averaged


def run_to(session: Session, time: float) -> None:
    session.hold_at(Stride(time=time))
    session.run()
    until(lambda: session.status().state == "paused" and session.status().time >= time)


@pytest.mark.parametrize("speed", [1e9, 40.0])
def test_a_run_is_averaged_over_the_same_states_at_any_speed_and_keeps_its_bits(speed: float) -> None:
    wanted, positions = directly()
    with real_session(measuring_view_of=view_of) as session:
        session.set_speed(speed)
        session.publishers.average(NAMES)
        session.load(SCENARIO, run=False)
        settle(session)
        run_to(session, END)
        found = averaged(session, lambda one: one.begins > END)
        shown = session.publishers.latest_frame()
        assert shown is not None
        assert shown.frame.positions.tobytes() == positions
    assert found.averages.keys() == wanted.averages().keys()
    for name, average in wanted.averages().items():
        same = found.averages[name]
        assert (same.states, same.first, same.last) == (average.states, average.first, average.last)
        for part, error in average.errors.items():
            np.testing.assert_array_equal(same.errors[part], error)
    np.testing.assert_array_equal(
        found.averages["pair_correlation"].value.g, wanted.averages()["pair_correlation"].value.g
    )


def test_an_average_begins_again_when_a_parameter_changes_when_asked_and_with_another_run() -> None:
    with real_session(measuring_view_of=view_of) as session:
        session.publishers.average(NAMES)
        session.load(SCENARIO, run=False)
        settle(session)
        run_to(session, 5.0)
        before = averaged(session, lambda one: "pair_correlation" in one.averages and one.begins > 5.0)
        assert before.averages["pair_correlation"].first == 0.0
        assert before.note == ""
        session.set_parameter("hard_discs.restitution", 0.9)
        settle(session)
        run_to(session, 8.0)
        changed = averaged(session, lambda one: "pair_correlation" in one.averages and one.begins > 8.0)
        assert 5.0 <= changed.averages["pair_correlation"].first < 6.0
        assert changed.note == "It began again when the run was changed."
        session.publishers.average_again(frozenset({"pair_correlation"}))
        run_to(session, 10.0)
        again = averaged(session, lambda one: "pair_correlation" in one.averages and one.begins > 10.0)
        assert 8.0 <= again.averages["pair_correlation"].first < 9.0
        assert 5.0 <= again.averages["mean_square_displacement"].first < 6.0
        session.load(SCENARIO, run=False)
        settle(session)
        run_to(session, 2.0)
        other = averaged(session, lambda one: "pair_correlation" in one.averages and one.begins > 2.0)
        assert other.averages["pair_correlation"].first == 0.0


def test_discs_at_rest_are_not_averaged() -> None:
    still, averages = engine.create(SCENARIO.with_values({"velocities.speed": 0.0})), RunningAverages()
    assert even_interval(still) == inf
    averages.want(NAMES)
    assert averages.due(still) == inf
    assert averages.so_far().begins == inf


def test_nothing_is_averaged_that_nobody_wants() -> None:
    with real_session(measuring_view_of=view_of) as session:
        session.load(SCENARIO, run=False)
        settle(session)
        run_to(session, 3.0)
        assert analysis(session).averaged.averages == {}
        session.publishers.average(NAMES)
        settle(session)
        run_to(session, 6.0)
        found = averaged(session, lambda one: bool(one.averages))
        assert found.averages["pair_correlation"].first >= 3.0
        session.publishers.average(frozenset())
        assert averaged(session, lambda one: not one.averages).averages == {}
