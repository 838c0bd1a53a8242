"""The log of a run: whatever is asked of a run, it is made again from its log with the same bits, also from a file."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from aggviewer.session import Session
from aggviewer.session.commands.beginning import StartFromShown
from aggviewer.session.commands.changes import Compare, EndComparison, SetValue, SwitchMethod, Throw
from aggviewer.session.log import Log, Repetition, RunCommand, Unknown, from_plain
from aggviewer.session.run.run import Run
from aggviewer.session.saved.state import LogHead, log_head, log_of
from aggviewer.systems.jamming.starting import Jam
from engine.errors import InputError
from engine.scenario import Scenario
from engine.simulation import Stride
from tests.session.driving import real_session, settle, until

STICKING = Scenario.from_values({"seed": 3, "discs": {"count": 36}, "box": {"boundary": "walls"}})
GAS = STICKING.with_values({"system": "hard-discs", "discs.volume_fraction": 0.3, "velocities.distribution": "maxwell"})
SPHERES = GAS.with_values({"dimensions": 3, "discs.count": 27})
ALPHA, FRACTION, CLUSTERS = (
    f"aggregation.{name}" for name in ("damping.alpha", "time_stepping.fraction", "time_stepping.clusters")
)
METHODS = st.sampled_from(["event-driven", "time-stepping"])
LANES = st.sampled_from([0, 0, 1])
STICK = st.one_of(
    st.builds(SetValue, st.just(ALPHA), st.sampled_from([0.1, 0.2]), LANES),
    st.builds(SetValue, st.just(FRACTION), st.sampled_from([0.25, 0.5]), LANES),
    st.builds(SetValue, st.just(CLUSTERS), st.sampled_from(["rigid", "deformable"]), LANES),
    st.builds(SwitchMethod, METHODS),
    st.builds(Compare, st.fixed_dictionaries({"aggregation.method": METHODS}), st.booleans()),
)
BOUNCE = st.one_of(
    st.builds(SetValue, st.just("hard_discs.restitution"), st.sampled_from([1.0, 0.9, 0.7]), LANES),
    st.builds(Compare, st.fixed_dictionaries({"hard_discs.restitution": st.sampled_from([0.8, 1.0])}), st.booleans()),
)
SPEEDS = st.tuples(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
THROWS = st.builds(
    Throw, st.integers(0, 8), st.none() | st.tuples(st.floats(0.0, 6.0), st.floats(0.0, 6.0)), SPEEDS, lane=LANES
)
OTHERS: list[Any] = [st.just("undo"), st.just("redo"), st.just("run"), st.just("event"), st.just(EndComparison())]


def run_on(session: Session, further: float) -> None:
    """Until a later simulation time, or the end."""
    session.set_speed(inf)
    session.hold_at(Stride(time=session.status().time + further))
    session.run()
    settle(session)
    until(lambda: session.status().state in ("paused", "finished"))
    session.hold_at(None)


def do(session: Session, what: RunCommand | str) -> None:
    """Carry out a command, or what is no part of a log."""
    if isinstance(what, RunCommand):
        session.give(what)
    elif what == "run":
        settle(session)
        run_on(session, 0.3)
    elif what == "event":
        session.step_event()
    elif what == "undo":
        session.history.undo()
    else:
        session.history.redo()
    settle(session)


def made_again(log: Log, lane: int, time: float) -> Any:
    """The simulation of a lane, from the log alone."""
    again = Repetition(log, lane)
    while True:
        progress = again.advance(time, inf)
        if progress.reached or progress.finished:
            return again.simulation


def check(session: Session) -> None:
    """Each simulation is made again from the log, and from what a file keeps of it, bit for bit."""
    session.pause()
    settle(session)
    log, checkpoints = session.log, session.ask(Run.session_state).lanes
    saved = log_of(LogHead.model_validate_json(log_head(log).model_dump_json()), session.status().count)  # type: ignore[union-attr]
    assert saved is not None
    for lane, checkpoint in enumerate(checkpoints):
        now = engine.restore(checkpoint)
        for one in (log, saved):
            assert one.can_be_made_again(lane)
            again = made_again(one, lane, now.time)
            for name in ("positions", "velocities", "cluster"):
                np.testing.assert_array_equal(getattr(again.frame(), name), getattr(now.frame(), name))


@pytest.mark.parametrize(
    ("scenario", "asked"),
    [
        (STICKING, STICK | THROWS),
        (GAS, BOUNCE | THROWS),
        (SPHERES, BOUNCE),
        (STICKING.with_values({"dimensions": 3, "discs.count": 27}), STICK),
    ],
    ids=["sticking discs", "gas of discs", "gas of spheres", "sticking spheres"],
)
def test_random_commands_made_again_from_the_log_give_the_same_bits(scenario: Scenario, asked: Any) -> None:
    @settings(max_examples=8)
    @given(st.lists(st.one_of(asked, *OTHERS), min_size=3, max_size=9))
    def alike(commands: list[Any]) -> None:
        with real_session(scenario) as session:
            run_on(session, 0.2)
            for what in commands:
                do(session, what)
            check(session)

    alike()


def test_undoing_a_value_makes_the_log_longer_and_undoing_a_new_run_returns_its_own() -> None:
    with real_session(GAS) as session:
        run_on(session, 0.2)
        for value in (0.9, 0.8):
            session.history.begin_gesture()
            do(session, SetValue("hard_discs.restitution", value))
        do(session, "undo")
        values = [entry.command.value for entry in session.log.entries if isinstance(entry.command, SetValue)]
        assert values == [0.9, 0.8, 0.9]
        before = session.log
        session.restart()
        settle(session)
        assert [entry.words for entry in session.log.entries] == [before.entries[0].words, "restart"]
        do(session, "undo")
        assert session.log == before


def test_the_lanes_of_a_comparison_share_their_beginning() -> None:
    with real_session(GAS) as session:
        run_on(session, 0.2)
        do(session, SetValue("hard_discs.restitution", 0.9))
        do(session, Compare({"hard_discs.restitution": 0.7}))
        do(session, SetValue("hard_discs.gravity", (0.0, -1.0)))
        do(session, SetValue("hard_discs.restitution", 0.6, 1))
        lanes = [entry.lanes for entry in session.log.entries]
        assert lanes == [(0, 1), (0, 1), (1,), (0, 1), (1,)]
        assert len(session.log.beginnings) == 1
        do(session, "undo")
        assert [entry.command.value for entry in session.log.entries if isinstance(entry.command, SetValue)][-1] == 0.7
        check(session)


def test_a_command_that_is_refused_leaves_no_trace() -> None:
    with real_session(GAS) as session:
        before = session.log
        for wrong in (SetValue("hard_discs.restitution", 3.0), Throw(99, None, (1.0, 0.0)), SwitchMethod("none")):
            do(session, wrong)
        assert session.log == before
        assert session.history.undo_text == ""


def test_a_run_that_began_with_the_discs_on_the_screen_says_so(tmp_path: Any) -> None:
    with real_session(GAS) as session:
        run_on(session, 0.2)
        do(session, Jam(tmp_path / "start.gsd"))
        until(lambda: session.status().system == "jamming")
        session.pause()
        settle(session)
        assert session.log.began_with(Jam) is not None
        assert session.log.entries[0].words == "jamming"
        assert session.log.can_be_made_again()


def test_commands_of_a_file_are_checked_and_those_of_others_are_named() -> None:
    assert from_plain("set", {"key": "hard_discs.restitution", "value": 0.5}) == SetValue("hard_discs.restitution", 0.5)
    assert from_plain("of a plug-in", {}) == Unknown("of a plug-in")
    for kind, values, problem in (
        ("set", {"key": "seed", "value": 1, "more": 2}, "the command set has no argument more"),
        ("throw", {"disc": "x", "position": None, "velocity": None}, "the command throw is damaged at disc"),
    ):
        with pytest.raises(InputError, match=problem):
            from_plain(kind, values)


def test_a_value_that_the_second_simulation_refuses_changes_neither() -> None:
    grows = SPHERES.with_values({"hard_discs.growth_rate": 0.5, "hard_discs.growth_to_fraction": 0.6})
    with real_session(grows) as session:
        do(session, Compare({"hard_discs.growth_rate": 0.0}))
        run_on(session, 0.3)
        before = session.ask(Run.session_state)
        do(session, SetValue("hard_discs.growth_to_fraction", 0.31))
        after = session.ask(Run.session_state)
        assert after.log == before.log
        assert [lane.scenario for lane in after.lanes] == [lane.scenario for lane in before.lanes]
        check(session)


def test_values_that_both_simulations_get_at_different_times_are_noted_at_each() -> None:
    """Time stepping hands over its last whole step, while the other simulation stands at the time that is shown."""
    with real_session(STICKING.with_values({"aggregation.method": "time-stepping"})) as session:
        run_on(session, 0.25)
        do(session, Compare({"aggregation.method": "event-driven"}))
        run_on(session, 0.2371)
        do(session, SetValue("aggregation.event_driven.search", "all-pairs"))
        noted = [entry for entry in session.log.entries if isinstance(entry.command, SetValue)]
        assert [entry.lanes for entry in noted] == [(0,), (1,)]
        assert noted[0].time < noted[1].time
        run_on(session, 0.3)
        check(session)


def test_a_value_that_waited_when_the_session_was_saved_still_waits(tmp_path: Any) -> None:
    """A session without its whole log is made again from the saved state on."""
    with real_session(STICKING) as session:
        run_on(session, 0.2)
        session.give(StartFromShown(tmp_path / "start.gsd"))
        do(session, Compare({"aggregation.method": "time-stepping"}))
        do(session, SetValue(FRACTION, 0.1))
        session.save_session(tmp_path / "a.aggsession")
        settle(session)
    with real_session() as session:
        session.open(tmp_path / "a.aggsession", run=False)
        do(session, SetValue("aggregation.method", "time-stepping"))
        run_on(session, 0.3)
        assert not session.log.beginnings[0].by_scenario
        for lane, checkpoint in enumerate(session.ask(Run.session_state).lanes):
            now = engine.restore(checkpoint)
            again = made_again(session.log, lane, now.time).frame()
            np.testing.assert_array_equal(again.positions, now.frame().positions)


def test_numbers_of_numpy_are_noted_as_plain_ones() -> None:
    with real_session(GAS) as session:
        do(session, SetValue("hard_discs.restitution", np.float64(0.5)))
        do(session, Throw(np.int64(3), None, np.array([1.0, 2.0])))  # type: ignore[arg-type]
        kinds = [type(session.log.entries[1].command.values["hard_discs.restitution"])]
        throw = session.log.entries[2].command
        assert isinstance(throw, Throw)
        kinds += [type(throw.disc), *map(type, throw.velocity or ())]
        assert kinds == [float, int, float, float]


def test_several_commands_are_one_step_that_goes_back_and_forth() -> None:
    low, high = "hard_discs.restitution", "hard_discs.wall_restitution"
    with real_session(GAS) as session:
        session.give(SetValue(low, 0.9), SetValue(high, 0.8), Throw(3, None, (1.0, 0.0)), words="three things")
        settle(session)
        after = engine.restore(session.checkpoint()).frame()
        assert session.history.undo_text == "Undo three things"
        do(session, "undo")
        assert (session.scenario.value(low), session.scenario.value(high)) == (1.0, 1.0)
        do(session, "redo")
        assert (session.scenario.value(low), session.scenario.value(high)) == (0.9, 0.8)
        np.testing.assert_array_equal(engine.restore(session.checkpoint()).frame().velocities, after.velocities)
        check(session)


def test_a_log_that_leads_to_other_discs_only_tells_what_was_done(tmp_path: Any) -> None:
    with real_session(GAS) as session:
        do(session, SetValue("hard_discs.restitution", 0.9))
        head = log_head(session.log)
        assert head is not None
        count = session.status().count
    smaller, named = GAS.with_values({"discs.count": 16}), GAS.with_values({"discs.file": "a.gsd"})
    for scenario in (smaller, named):
        beginning = head.beginnings[0].model_copy(update={"scenario": scenario.to_toml()})
        one = head.model_copy(update={"beginnings": [beginning]})
        found = log_of(one, count)
        assert not found.can_be_made_again()
        assert [entry.words for entry in found.entries] == [entry.words for entry in head.entries]
