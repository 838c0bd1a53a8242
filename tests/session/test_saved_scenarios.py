"""Every bundled scenario can be saved at any moment, opened again, and goes on as if nothing had been."""

from __future__ import annotations

import pytest

import engine
from aggviewer.session.engine_face import Engine
from aggviewer.session.saved_state import resume
from aggviewer.session.session_file import read_session, write_session
from tests.session.saved_scenarios import SCENARIOS, assert_the_same, moments
from tests.session.session_files import state_of


class PlainEngine(Engine):
    """The real engine, its kernels loaded as they are needed."""

    def warm_up(self, report, method):
        report(0, 1, method)


def opened(path):
    ((_, simulation),) = resume(read_session(path), PlainEngine(), lambda *_: None)
    return simulation


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_saved_at_any_moment_goes_on_bit_for_bit(tmp_path, name):
    path = tmp_path / "a.aggsession"
    for moment, simulation in moments(name):
        write_session(path, state_of(simulation))
        again, alone = opened(path), engine.restore(simulation.checkpoint())
        assert_the_same(again, simulation)
        again.advance(max_events=1000)
        alone.advance(max_events=1000)
        assert_the_same(again, alone)
        if moment == "end":
            simulation.advance(max_events=1000)
            assert_the_same(again, simulation)
