"""Undo and redo of what runs and of what is shown, without a window."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from math import inf
from pathlib import Path
from time import sleep

import numpy as np
import pytest

from aggviewer.session import Session, undoing
from aggviewer.session.run.lanes import Lockstep, bytes_of
from aggviewer.session.run.run import Shelf
from aggviewer.systems.hard_discs.analysis import GasData
from aggviewer.systems.registry import view_of
from engine import create, restore
from engine.errors import InputError
from engine.files import write
from engine.plotting.projection import FROM_ABOVE
from engine.scenario import Scenario, load_scenario
from engine.system import method_of
from tests.builders.file_frames import some_frames
from tests.session.driving import discs, load, real_session, settle, until
from tests.session.fakes import FakeEngine

METHOD, ALPHA = "aggregation.method", "aggregation.damping.alpha"
STEPPING = {METHOD: "time-stepping"}
SMALL = Scenario.from_values({"seed": 5, "discs": {"count": 225, "volume_fraction": 0.2}})


def shelf(session: Session) -> Shelf:
    return session._loader.runs.shelf


def undo(session: Session) -> None:
    session.history.undo()
    settle(session)


def redo(session: Session) -> None:
    session.history.redo()
    settle(session)


def events(session: Session, count: int) -> None:
    for _ in range(count):
        session.step_event()
    settle(session)


# with simulations that are plain arithmetic


def test_a_restart_is_undone_and_redone(session: Session, engine: FakeEngine) -> None:
    load(session, discs(9))
    events(session, 4)
    before = session.publishers.latest_frame()
    session.restart()
    events(session, 1)
    assert session.history.undo_text == "Undo restart"
    undo(session)
    status = session.status()
    assert (status.state, status.time, status.clusters) == ("paused", 4.0, 5)
    assert session.history.redo_text == "Redo restart"
    shown = session.publishers.latest_frame()
    assert (shown.disc_set, shown.frame.time) == (before.disc_set, 4.0)
    redo(session)
    assert session.status().time == 1.0
    assert len(engine.simulations) == 2, "no run was begun anew"
    events(session, 1)
    undo(session)
    redo(session)
    assert session.status().time == 2.0, "what comes back goes on where it was left"


def test_undo_brings_a_running_run_back_running(session: Session) -> None:
    load(session, discs(10_000), run=True)
    until(lambda: session.status().time > 0.0)
    session.load(discs(9), run=False)
    settle(session)
    undo(session)
    assert session.status().state == "running"
    redo(session)
    assert session.status().state == "paused"


def test_a_drag_is_one_step_back_to_what_was_before_it(session: Session, engine: FakeEngine) -> None:
    load(session, discs(20))
    events(session, 3)
    session.history.begin_gesture()
    for count in (30, 40, 50):
        session.load(discs(count))
    settle(session)
    session.history.begin_gesture()
    session.load(discs(60))
    settle(session)
    assert session.history.undo_text == "Undo N = 60"
    assert len(shelf(session).runs) == 2, "runs that a drag has passed are not kept"
    undo(session)
    assert session.status().count == 50
    assert session.history.undo_text == "Undo N = 50"
    undo(session)
    assert (session.status().count, session.status().time) == (20, 3.0)
    redo(session)
    assert session.status().count == 50


def test_a_scenario_that_cannot_be_built_is_no_step(session: Session, engine: FakeEngine) -> None:
    load(session, discs(9))
    session.load(discs(10))
    undo(session)
    engine.refuse = InputError("no", "discs.count")
    session.load(discs(11))
    session.restart()
    settle(session)
    assert (session.history.undo_text, session.history.redo_text) == ("", "Redo N = 10")
    engine.refuse = None
    redo(session)
    assert session.status().count == 10


def test_changes_have_names(session: Session) -> None:
    load(session, discs(9))
    session.load(SMALL)
    assert session.history.undo_text == "Undo Seed = 5, N = 225"
    settle(session)
    for command, text in (
        (lambda: session.restart(7), "new seed"),
        (lambda: session.open("other.toml"), "opening other.toml"),
        (lambda: session.set_parameter(METHOD, "time-stepping"), "Method: Time-stepping"),
        (lambda: session.set_parameter(ALPHA, 0.2), "α = 0.2"),
        (lambda: session.compare({METHOD: "event-driven"}), "comparison"),
        (lambda: session.compare(None), "end of the comparison"),
        (lambda: setattr(session.view, "color_by", "speed"), "colour by speed"),
        (lambda: setattr(session.view, "show_box", False), "hiding the outline of the box"),
    ):
        command()
        settle(session)
        assert session.history.undo_text == f"Undo {text}"


def test_a_tuned_value_goes_back_and_the_run_goes_on(session: Session, engine: FakeEngine) -> None:
    load(session, discs(50).with_values(STEPPING))
    session.set_speed(6.0)
    session.history.begin_gesture()
    for value in (0.2, 0.3, 0.4):
        session.set_parameter(ALPHA, value)
        session.step_frame()
    settle(session)
    time = session.status().time
    undo(session)
    assert session.status().time == time
    assert session.scenario.value(ALPHA) == 0.1
    assert engine.log[-1] == ("set", ALPHA, 0.1)
    redo(session)
    assert session.scenario.value(ALPHA) == 0.4
    assert engine.log[-1] == ("set", ALPHA, 0.4)
    assert (session.history.undo_text, session.history.redo_text) == ("Undo α = 0.4", "")


def test_a_switch_of_the_method_is_undone(session: Session) -> None:
    load(session, discs(50))
    events(session, 3)
    session.set_parameter(METHOD, "time-stepping")
    events(session, 2)
    undo(session)
    status = session.status()
    assert (status.lanes[0].method, status.time) == ("event-driven", 3.0)
    timeline = status.timeline
    assert (timeline.begin, timeline.end) == (0.0, 3.0)
    redo(session)
    assert (session.status().lanes[0].method, session.status().time) == ("time-stepping", 5.0)
    session.look_at(4.0)
    settle(session)
    assert session.status().past == 4.0, "each of the two has a past of its own"


def test_a_comparison_begins_at_the_present_and_gives_the_single_run_back(session: Session, engine: FakeEngine) -> None:
    load(session, discs(50))
    events(session, 3)
    session.compare(STEPPING)
    settle(session)
    assert [(lane.method, lane.time) for lane in session.status().lanes] == [
        ("event-driven", 3.0),
        ("time-stepping", 3.0),
    ]
    events(session, 4)
    assert [lane.time for lane in session.status().lanes] == [7.0, 7.0]
    session.compare(None)
    settle(session)
    assert [lane.time for lane in session.status().lanes] == [3.0]
    undo(session)
    assert [lane.time for lane in session.status().lanes] == [7.0, 7.0]
    undo(session)
    assert [lane.time for lane in session.status().lanes] == [3.0]
    redo(session)
    assert [lane.time for lane in session.status().lanes] == [7.0, 7.0]


def test_five_runs_are_kept_and_the_menu_says_so(session: Session, engine: FakeEngine) -> None:
    load(session, discs(50))
    for seed in range(2, 9):
        events(session, seed)
        session.restart(seed)
        settle(session)
    assert len(shelf(session).runs) == 5
    for _ in range(5):
        assert session.history.undo_text == "Undo new seed"
        undo(session)
    assert session.status().time == 4.0
    assert session.history.undo_text == "Undo new seed (the earlier run is no longer in memory and starts again)"
    undo(session)
    assert (session.scenario.seed, session.status().time) == (2, 0.0), "from its parameters"
    assert session.history.undo_text == "Undo new seed (the earlier run is no longer in memory and starts again)"
    undo(session)
    assert session.scenario.seed == 1


def test_pasts_are_thinned_before_runs_are_dropped(session: Session) -> None:
    load(session, discs(1000))
    events(session, 40)
    run_bytes = bytes_of(session._runner.lanes[0].simulation)
    past = session._runner.present.past
    past_bytes, first_and_last = past.nbytes, (past.times[0], past.times[-1])
    shelf(session).budget = run_bytes + past_bytes // 3
    session.restart()
    settle(session)
    kept = shelf(session).runs
    assert len(kept) == 1
    assert kept[0].nbytes <= shelf(session).budget
    past = kept[0].past
    assert 2 <= len(past.times) <= 14
    assert (past.times[0], past.times[-1]) == first_and_last
    events(session, 40)
    shelf(session).budget = run_bytes + 3 * past_bytes // 41
    session.restart()
    settle(session)
    assert len(shelf(session).runs) == 1, "there is no room for two: the older one goes"
    assert sum(run.nbytes for run in shelf(session).runs) <= shelf(session).budget
    undo(session)
    assert session.status().time == 40.0


def test_runs_that_nothing_leads_back_to_are_let_go(session: Session) -> None:
    load(session, discs(9))
    session.restart()
    settle(session)
    undo(session)
    assert len(shelf(session).runs) == 1, "to be redone"
    session.set_parameter(METHOD, "time-stepping")
    settle(session)
    assert [method_of(run.scenarios[0]) for run in shelf(session).runs] == ["event-driven"]


def test_opening_a_scenario_turns_the_view_back_and_undo_restores_it(
    session: Session, engine: FakeEngine, tmp_path: Path
) -> None:
    turned = (0.5, 0.5, 0.5, 0.5)
    load(session, discs(9))
    session.view.turn = turned
    load(session, discs(16))
    session.restart(seed=7)
    settle(session)
    assert session.view.turn == turned
    engine.refuse = InputError("no", "discs.count")
    session.open("other.toml")
    settle(session)
    assert session.view.turn == turned
    engine.refuse = None
    session.open("other.toml")
    settle(session)
    assert session.view.turn == FROM_ABOVE
    undo(session)
    assert session.view.turn == turned
    redo(session)
    assert session.view.turn == FROM_ABOVE
    undo(session)
    write(tmp_path / "t.gsd", some_frames(2))
    session.open(tmp_path / "t.gsd")  # a recording
    settle(session)
    assert session.played_file is not None
    assert session.view.turn == FROM_ABOVE


# with the real engine


@pytest.fixture
def real() -> Iterator[Session]:
    with real_session(SMALL, measuring_view_of=view_of) as made:
        yield made


def state(session: Session) -> list[np.ndarray]:
    frame = session._runner.lanes[0].simulation.frame()
    return [frame.positions.copy(), frame.velocities.copy(), frame.cluster.copy()]


def test_the_arrays_of_a_simulation_are_counted_once(real: Session) -> None:
    settle(real)
    simulation = real._runner.lanes[0].simulation
    least = sum(array.nbytes for array in simulation.checkpoint().arrays.values()) / 4
    assert least < bytes_of(simulation) == bytes_of([simulation, simulation]) < 100e6


def test_counting_the_bytes_of_a_run_leaves_compiled_kernels_out(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = create(load_scenario("lattice-400"))
    simulation.advance(1e-3, inf)  # it keeps the kernel that carries it on
    looked_into: list[object] = []
    referents = gc.get_referents
    monkeypatch.setattr(gc, "get_referents", lambda one: looked_into.append(one) or referents(one))
    bytes_of(simulation)
    assert 0 < len(looked_into) < 2000  # from a kernel on there are some 30 000


def test_displacements_of_a_gas_come_back_with_it(real: Session) -> None:
    gas = {"system": "hard-discs", "box.boundary": "periodic", "velocities.distribution": "maxwell"}
    real.load(SMALL.with_values(gas), run=False)
    real.set_speed(6.0)
    settle(real)
    times: list[np.ndarray] = []

    def measured(so_many: int) -> bool:
        found = real.publishers.latest_analysis()
        if found is not None and isinstance(found.data, GasData):
            times.append(found.data.displacement[0])
        return bool(times) and len(times[-1]) >= so_many

    until(lambda: measured(1))
    for count in (2, 3):
        real.step_frame()
        settle(real)
        until(lambda count=count: measured(count))
    before = times[-1]
    real.restart()
    settle(real)
    until(lambda: measured(1) and len(times[-1]) == 1)
    undo(real)
    until(lambda: measured(3))
    assert np.array_equal(times[-1], before)


def test_a_box_with_walls_along_one_axis_comes_back_and_has_its_name_in_the_history(real: Session) -> None:
    """Stored, and as a value of the scenario."""
    floor = {"system": "hard-discs", "box.boundary": ("periodic", "walls"), "hard_discs.gravity": (0.0, -1.0)}
    real.load(SMALL.with_values(floor), run=False)
    settle(real)
    events(real, 5)
    before, expected = state(real), real._runner.lanes[0].simulation.checkpoint()
    real.load(SMALL.with_values(floor | {"box.boundary": "walls"}), run=False)
    settle(real)
    assert real.history.undo_text == "Undo Boundary: Walls"
    undo(real)
    assert all(map(np.array_equal, state(real), before))
    assert real.scenario.box.boundary == ("periodic", "walls")
    assert real.history.redo_text == "Redo Boundary: Walls"
    found = real._runner.lanes[0].simulation.checkpoint()
    assert all(np.array_equal(found.arrays[name], array) for name, array in expected.arrays.items())
    redo(real)
    real.load(SMALL.with_values(floor), run=False)
    settle(real)
    assert real.history.undo_text == "Undo Boundary: Periodic x, walls y"


def test_a_run_that_is_stored_as_a_copy_comes_back_as_it_was(real: Session) -> None:
    """It goes on with the bits of one that has stayed in memory."""
    real.load(SMALL, run=False)
    settle(real)
    real.step_event()
    settle(real)
    present, expected = state(real), real._runner.lanes[0].simulation.checkpoint()
    shelf(real).budget = int(1.5 * bytes_of(real._runner.lanes[0].simulation))
    real.restart()
    settle(real)
    kept = shelf(real).runs[-1]
    assert kept.lanes[0].stored is not None
    assert 0 < real.undoing.kept_bytes == shelf(real).nbytes < shelf(real).budget
    undo(real)
    settle(real)
    for one, other in zip(state(real), present, strict=True):
        np.testing.assert_array_equal(one, other)
    now, other = real._runner.lanes[0].simulation, restore(expected)
    now.advance(now.time + 1.0)
    other.advance(other.time + 1.0)
    np.testing.assert_array_equal(now.frame().positions, other.frame().positions)


def test_memory_goes_back_to_the_system_only_when_much_was_freed(
    real: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    returned: list[bool] = []
    monkeypatch.setattr(undoing, "return_freed_memory", lambda: returned.append(True))
    real.load(SMALL, run=False)
    settle(real)
    size = bytes_of(real._runner.lanes[0].simulation)
    for much, times in ((100 * size, 0), (size // 2, 1)):
        monkeypatch.setattr(undoing, "MUCH_FREED", much)
        shelf(real).budget = 10 * size
        real.restart()
        settle(real)
        assert (shelf(real).runs != (), returned) == (True, [])  # kept, so that nothing was freed
        shelf(real).budget = 0
        real.restart()
        settle(real)
        assert (shelf(real).runs, len(returned)) == ((), times)


def test_a_step_to_an_event_that_does_not_come_does_not_hold_up_what_is_asked_next(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(session, discs(9))
    monkeypatch.setattr(Lockstep, "step_event", lambda *_: sleep(0.001))
    session.step_event()
    session.toggle()
    until(lambda: session.status().state == "running")
    session.step_event()
    session.restart(seed=7)
    settle(session)
    assert session.scenario is not None
    assert session.scenario.seed == 7
