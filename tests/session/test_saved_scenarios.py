"""Every bundled scenario can be saved at any moment, opened again, and goes on as if nothing had been: from a session
file, and from the autosave of a program that was killed."""

from __future__ import annotations

import sys

import pytest

import engine
from aggviewer.session import Notices, Session
from aggviewer.session.builder import Engine, resume
from aggviewer.session.saved.autosave import Autosave
from aggviewer.session.saved.session_file import read_session, write_session
from tests.session.driving import settle
from tests.session.saved_scenarios import (
    MOMENTS,
    SCENARIOS,
    assert_the_same,
    at_moment,
    half_way,
    one_of_each,
    small,
)
from tests.session.session_files import child, state_of


class PlainEngine(Engine):
    """The real engine, its kernels loaded as they are needed."""

    def warm_up(self, report, method):
        report(0, 1, method)


def opened(path):
    ((_, simulation),) = resume(read_session(path), PlainEngine(), lambda *_: None)
    return simulation


def goes_on(path, simulation, events):
    """It goes on as the run does that is opened from its file."""
    write_session(path, state_of(simulation))
    again = opened(path)
    assert_the_same(again, simulation)
    for run in (again, simulation):
        run.advance(max_events=events)
    assert_the_same(again, simulation)


@pytest.mark.parametrize("name", one_of_each())
def test_a_scenario_of_each_kind_goes_on_from_its_file_bit_for_bit(tmp_path, name):
    simulation = engine.create(small(name, 100))
    simulation.advance(max_events=8)
    simulation.advance(budget=0.0)
    goes_on(tmp_path / "a.aggsession", simulation, 20)


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_saved_at_any_moment_goes_on_bit_for_bit(tmp_path, name, moment):
    """With as many discs as it has, up to 1000."""
    goes_on(tmp_path / "a.aggsession", at_moment(small(name, 1000), moment), 1000)


AMID = """
import sys
from pathlib import Path
from aggviewer.session.saved.autosave import Autosave
from aggviewer.session.notices import Notices
from tests.session.saved_scenarios import half_way
from tests.session.session_files import state_of

for name in sys.argv[2:]:
    autosave = Autosave(Notices(), Path(sys.argv[1]) / name)
    autosave.offer(1, lambda: state_of(half_way(name, 60)))
    assert autosave.finish()
print("saved", flush=True)
sys.stdin.readline()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_a_scenario_of_each_kind_goes_on_after_its_program_was_killed(tmp_path):
    names = one_of_each()
    with child(AMID, tmp_path, *names):
        pass
    for name in names:
        (found,) = Autosave(Notices(), tmp_path / name).found()
        again = opened(found.path)
        alone = half_way(name, 60)
        assert_the_same(again, alone)
        again.advance(max_events=1000)
        alone.advance(max_events=1000)
        assert_the_same(again, alone)


RUNNING = """
import sys, time
from math import inf
from pathlib import Path
from aggviewer.session import Notices, Session
from aggviewer.session.saved.autosave import Autosave
from tests.session.saved_scenarios import small

notices = Notices()
autosave = Autosave(notices, Path(sys.argv[1]), every=0.05)
session = Session(notices=notices, autosave=autosave)
session.set_speed(inf)
session.load(small(sys.argv[2]), run=True)
while autosave.path is None or not autosave.path.is_file():
    time.sleep(0.01)
print("saved", flush=True)
sys.stdin.readline()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_session_that_was_killed_while_it_ran_is_recovered(tmp_path, name):
    with child(RUNNING, tmp_path, name):
        pass
    autosave = Autosave(Notices(), tmp_path)
    session = Session(autosave=autosave)
    try:
        (found,) = autosave.found()
        session.recover(found.path)
        settle(session)
        again = engine.restore(session.checkpoint())
        assert session.status().state in ("paused", "finished")
        assert autosave.found() == []
    finally:
        session.close()
    alone = engine.create(small(name))
    alone.advance(max_events=again.advance(again.time, max_events=0).happened + 1000)
    again.advance(max_events=1000)
    assert_the_same(again, alone)
