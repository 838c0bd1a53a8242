"""A copy of a simulation goes on with the same bits, and nothing of it changes with the other."""

from __future__ import annotations

import pytest

import engine
from engine.hard_discs.simulation import HardDiscGas
from engine.simulation import Simulation
from tests.session.saved_scenarios import assert_the_same, one_of_each, small

EVENTS = 1000


def begun(name: str) -> Simulation:
    simulation = engine.create(small(name))
    simulation.advance(max_events=4 if simulation.system == "jamming" else 70)
    return simulation


@pytest.mark.parametrize("name", one_of_each())
def test_a_copy_goes_on_with_the_same_bits_whichever_goes_first(name: str) -> None:
    simulation = begun(name)
    simulation.advance(budget=0.0)  # of time steps: amid one
    copy, later, before = engine.copy(simulation), engine.copy(simulation), engine.restore(simulation.checkpoint())
    assert_the_same(copy, before)
    copy.advance(max_events=EVENTS)
    assert_the_same(simulation, before)
    assert_the_same(later, before)
    simulation.advance(max_events=EVENTS)
    later.advance(max_events=EVENTS)
    assert_the_same(simulation, copy)
    assert_the_same(later, copy)


def test_a_copy_taken_while_an_epoch_begins() -> None:
    gas = engine.create(small("gas-10000"))
    assert isinstance(gas, HardDiscGas)
    while gas._beginning is None or gas._st.state.queued:  # until the queue is empty, to be filled by the next step
        gas.advance(budget=0.0)
    copy = engine.copy(gas)
    for run in (gas, copy):
        run.advance(max_events=EVENTS)
    assert_the_same(gas, copy)
