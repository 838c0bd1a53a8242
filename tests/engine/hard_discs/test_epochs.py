"""The beginning of an epoch in many steps: the same bits as at once, and what is asked for between the steps."""

from __future__ import annotations

import numpy as np
import pytest

from engine.hard_discs import epoch
from engine.hard_discs.simulation import HardDiscGas
from tests.builders.states import gas
from tests.engine.hard_discs.test_gas import KINDS, same


def until_an_epoch_begins(simulation):
    """Advance in small slices to the first step of the beginning of an epoch."""
    while simulation._beginning is None:
        simulation.advance(budget=0.0)


@pytest.mark.parametrize("kind", KINDS)
def test_an_epoch_begun_in_steps_has_the_same_bits_as_at_once(kind, monkeypatch):
    whole = gas(**KINDS[kind])
    whole.advance(max_events=25_000)
    monkeypatch.setattr(epoch, "_AT_ONCE", 50)
    parts = gas(**KINDS[kind])
    steps = 0
    while parts._st.state.epochs < whole._st.state.epochs:
        before = parts._beginning
        parts.advance(budget=0.0)
        if before is None and parts._beginning is not None:
            there, temperature = parts.frame(), parts.measures().temperature
        elif parts._beginning is not None:
            steps += 1
            now = parts.frame()
            np.testing.assert_allclose(now.positions, there.positions, rtol=1e-12, atol=1e-12)
            np.testing.assert_array_equal(now.fields["collisions"], there.fields["collisions"])
            np.testing.assert_array_equal(now.impacts.pairs, there.impacts.pairs)
            assert now.time == there.time
            assert kind == "growing" or np.isclose(parts.measures().temperature, temperature, rtol=1e-12)
    assert steps > 20
    done = parts.advance(max_events=0)
    parts.advance(max_events=25_000 - done.happened)
    same(parts, whole)


def test_a_checkpoint_between_the_steps_completes_the_epoch(monkeypatch):
    monkeypatch.setattr(epoch, "_AT_ONCE", 50)
    for steps in (1, 5, 12, 20):
        simulation = gas()
        until_an_epoch_begins(simulation)
        for _ in range(steps):
            simulation.advance(budget=0.0)
        assert simulation._beginning is not None
        again = HardDiscGas.from_checkpoint(simulation.checkpoint())
        assert simulation._beginning is None
        for each in (simulation, again):
            each.advance(max_events=5000)
        same(simulation, again)


def test_a_setting_between_the_steps_is_that_after_them():
    one, other = gas(), gas()
    for each in (one, other):
        until_an_epoch_begins(each)
    one.advance(budget=0.0)
    other._complete_epoch()
    for each in (one, other):
        each.set("hard_discs.restitution", 0.9)
        each.advance(max_events=5000)
    same(one, other)
