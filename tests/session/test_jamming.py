"""Discs that jam in a session: iterations one at a time, cut off at once, measured, begun from what is shown."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aggviewer.extensions.lessons.source import bundled_folder
from aggviewer.session import Notice, Session
from aggviewer.systems.jamming.starting import Jam, TakeOut
from aggviewer.systems.registry import view_of
from engine.boundary import Periodic
from engine.files import FileFrame, read
from engine.frame import Frame
from engine.jamming.fields import JammingHistory
from engine.jamming.packing import Iteration
from engine.jamming.run import JammingRun
from engine.jamming.simulation import JammingPacking
from engine.scenario import Scenario
from engine.selection import Selection
from engine.simulation import Progress
from tests.reference.jamming import DENSE
from tests.session.driving import PATIENCE, analysis, load, real_session, settle, until
from tests.session.fakes import FakeEngine, FakeSimulation

PACKING = Scenario().with_values(DENSE)


class LongProgram(FakeSimulation):
    """Programs that never end by themselves while `stuck`: only an interruption ends them."""

    system = "jamming"

    def __init__(self, count: int, log: list[tuple[Any, ...]]) -> None:
        super().__init__(count, log, "linear-programs")
        self.scenario = PACKING
        self.solved = 0
        self.stuck = True
        self.inside = threading.Event()
        self.cut = threading.Event()

    def interrupt(self) -> None:
        self.cut.set()

    def advance(self, until_time: float = inf, budget: float = inf, **limits: Any) -> Progress:
        if limits.get("max_events") == 0:
            return Progress(self.time, self.count, {"program": self.solved}, {}, False, True)
        self.inside.set()
        reached = self.stuck and self.cut.wait(PATIENCE)
        self.cut.clear()
        self.inside.clear()
        if not self.stuck:
            self.solved += 1
            reached = False
        self.time = float(self.solved)
        return Progress(self.time, self.count, {"program": self.solved}, {}, False, not reached)

    def frame(self, out: Frame | None = None) -> Frame:
        out = super().frame(out)
        out.clusters = self.count
        return out


class LongEngine(FakeEngine):
    """Every jamming scenario is a `LongProgram`."""

    def create(self, scenario: Scenario, tell: Callable[[str, str], None]) -> FakeSimulation:
        if scenario.system != "jamming":
            return super().create(scenario, tell)
        self.simulations.append(LongProgram(scenario.discs.count, self.log))
        return self.simulations[-1]


@pytest.fixture
def engine() -> FakeEngine:
    return LongEngine()


def running(session: Session, engine: FakeEngine) -> LongProgram:
    """A session inside an iteration that does not end."""
    session.load(PACKING, run=True)
    until(lambda: bool(engine.simulations))
    made = engine.simulations[-1]
    assert isinstance(made, LongProgram)
    until(made.inside.is_set)
    return made


@pytest.mark.parametrize("command", ["pause", "toggle", "restart", "load", "open", "close", "look_at", "compare"])
def test_commands_cut_a_program_off(session: Session, engine: FakeEngine, command: str) -> None:
    made = running(session, engine)
    calls = {
        "load": lambda: session.load(Scenario().with_values({"discs.count": 5}), run=False),
        "open": lambda: session.open("state.toml", run=False),
        "look_at": lambda: session.look_at(0.0),
        "compare": lambda: session.compare(None),
        "restart": lambda: (session.pause(), session.restart()),
        "close": lambda: session.close(PATIENCE),
    }
    calls.get(command, getattr(session, command))()
    until(lambda: not made.inside.is_set() or command == "compare")
    if command == "compare":
        until(lambda: made.inside.is_set())  # it goes on
        session.pause()
    if command != "close":
        settle(session)
        assert session.status().state == "paused"
    assert made.solved == 0


def test_a_step_is_cut_off_too_and_a_pause_before_does_no_harm(session: Session, engine: FakeEngine) -> None:
    load(session, PACKING)
    made = engine.simulations[-1]
    assert isinstance(made, LongProgram)
    session.pause()
    settle(session)
    session.step_frame()
    until(made.inside.is_set)
    session.pause()
    settle(session)
    assert made.solved == 0
    made.stuck = False
    session.step_event()
    settle(session)
    assert session.status().events == {"program": 1}


@pytest.fixture
def real() -> Iterator[tuple[Session, list[Notice]]]:
    with real_session(measuring_view_of=view_of) as made:
        got: list[Notice] = []
        made.notices.sent.connect(got.append)
        yield made, got


def jamming(session: Session) -> JammingPacking:
    found = session._runner.lanes[0].simulation
    assert isinstance(found, JammingPacking)
    return found


def test_program_by_program_to_the_end(real: tuple[Session, list[Notice]]) -> None:
    session, notices = real
    load(session, PACKING)
    session.step_frame()
    session.step_event()
    settle(session)
    assert session.status().time == 2.0
    assert session.status().events == {"program": 2}
    shown = session.publishers.latest_frame()
    assert shown.frame.network is not None
    assert shown.frame.radius_factor > 1.0
    session.set_speed(inf)
    session.run()
    until(lambda: session.status().state == "finished")
    assert [notice.title for notice in notices if notice.title.startswith("jammed: ")]
    measured = analysis(session, lambda one: one.time == session.status().time)
    assert isinstance(measured.history, JammingHistory)
    assert len(measured.history.time) == session.status().time + 1
    assert measured.indicators.contacts == len(jamming(session).packing().forces)
    assert measured.indicators.gaps is not None
    assert (measured.disc_set.count, measured.disc_set.periodic, measured.data.scenario) == (
        64,
        Periodic.of(True, 2),
        PACKING,
    )


def test_a_program_of_4096_discs_is_cancelled(
    real: tuple[Session, list[Notice]], monkeypatch: pytest.MonkeyPatch
) -> None:
    session, _ = real
    ended: list[str] = []
    begun = threading.Event()
    usual = JammingRun.step

    def step(run: JammingRun) -> Iteration:
        begun.set()
        found = usual(run)
        ended.append(found.status)
        return found

    monkeypatch.setattr(JammingRun, "step", step)
    load(session, PACKING.with_values({"discs.count": 4096, "discs.volume_fraction": 0.8}))
    session.set_speed(inf)
    for _ in range(10):  # it may be asked between two programs, or late, where the machine is busy
        before = jamming(session).frame()
        begun.clear()
        session.run()
        assert begun.wait(PATIENCE)
        session.pause()
        until(lambda: session.status().state == "paused")
        now = jamming(session).frame()
        if now.time == before.time:
            np.testing.assert_array_equal(now.positions, before.positions)
        if "interrupted" in ended:
            break
    assert "interrupted" in ended, "it was cut off, and not waited for"


def touching(path: Path, overlap: float) -> Path:
    """A row of four discs that touch, overlapping by a little, and two more: as aggregates are."""
    x = 1.0 + np.arange(4) * (1.0 - overlap)
    places = np.vstack((np.column_stack((x, np.full(4, 2.0))), [[2.0, 4.5], [4.0, 4.5]]))
    cluster = np.array([0, 0, 0, 0, 4, 5], np.int32)
    speeds = np.ones((6, 2))
    frame = FileFrame(places, speeds, np.full(6, 0.5), np.ones(6), cluster, np.array([6.0, 6.0]), True, 3.0)
    from engine.files import write

    write(path, frame)
    return path


def test_jamming_what_is_shown(real: tuple[Session, list[Notice]], tmp_path: Path) -> None:
    session, notices = real
    session.open(touching(tmp_path / "aggregate.csv", 1e-4), run=False)
    settle(session)
    assert session.status().system == "aggregation"
    start = tmp_path / "start.gsd"
    session.set_speed(inf)
    session.give(Jam(start))
    until(lambda: session.status().system == "jamming" and session.status().state == "finished")
    written = read(start)[-1]
    assert written.radii is not None
    np.testing.assert_allclose(written.radii, 0.5 * (1.0 - 1e-4), rtol=1e-12)
    assert (session.scenario.system, session.scenario.discs.file) == ("jamming", str(start))
    assert jamming(session).packing().jammed
    assert not [notice for notice in notices if notice.level == "error"]


def test_jamming_hard_discs_takes_their_present_radii(real: tuple[Session, list[Notice]], tmp_path: Path) -> None:
    session, _ = real
    changes = {"system": "hard-discs", "discs.volume_fraction": 0.3, "hard_discs.growth_rate": 0.05}
    load(session, PACKING.with_values(changes))
    for _ in range(20):
        session.step_frame()
    settle(session)
    gas = session._runner.lanes[0].simulation
    grown = gas.radii * gas.frame().radius_factor
    assert grown[0] > gas.radii[0]
    session.give(Jam(tmp_path / "start.gsd"))
    session.pause()
    until(lambda: session.status().system == "jamming")
    np.testing.assert_allclose(jamming(session).radii, grown, rtol=1e-12)


def taken(session: Session) -> tuple[int, int] | None:
    """How many discs were removed before the run, and how many of these were held."""
    found = session.log.began_with(TakeOut)
    return None if found is None else (len(found.discs), found.held)


def test_a_disc_is_taken_out_of_a_packing_and_comes_back(real: tuple[Session, list[Notice]], tmp_path: Path) -> None:
    session, notices = real
    session.set_speed(inf)
    session.open(bundled_folder() / "stuck" / "packing.toml", run=True)
    until(lambda: session.status().state == "finished")
    whole = jamming(session)
    network = whole.frame().network
    assert taken(session) is None
    for held, disc in ((0, int(network.rattlers.argmax())), (1, int(network.rattlers.argmin()))):
        session.give(TakeOut(tmp_path / f"start-{held}.gsd", Selection.discs([disc], 150)))
        until(lambda: session.status().state == "finished" and session.status().count == 149)
        assert taken(session) == (1, held)
        left = np.delete(whole.radii, disc)
        np.testing.assert_allclose(
            jamming(session).frame().radius_factor * jamming(session).radii / left, 1.0, rtol=0.05
        )
        assert jamming(session).packing().jammed
        assert (session.status().time > 2.0) == bool(held), "a rattler is not missed; a held disc is"
        assert session.history.undo_text == "Undo removing a disc"
        session.history.undo()
        until(lambda: session.status().count == 150)
        assert taken(session) is None
        np.testing.assert_array_equal(jamming(session).frame().positions, whole.frame().positions)
    session.history.redo()
    until(lambda: session.status().count == 149)
    assert taken(session) == (1, 1)
    assert not [notice for notice in notices if notice.level == "error"]


def test_a_disc_that_cannot_be_removed_from_a_packing_is_told(
    real: tuple[Session, list[Notice]], tmp_path: Path
) -> None:
    session, notices = real
    load(session, PACKING)
    count = session.status().count
    session.give(TakeOut(tmp_path / "start.gsd", Selection.discs([3], count)))
    settle(session)
    assert "contacts of these discs are not known" in notices[-1].title
    session.set_speed(inf)
    session.run()
    until(lambda: session.status().state == "finished")
    for chosen in (Selection.discs([3], count + 1), Selection.none(count)):
        session.give(TakeOut(tmp_path / "start.gsd", chosen))
        settle(session)
        assert "no disc of this packing is selected" in notices[-1].title
    assert session.status().count == count
    assert taken(session) is None
    assert not (tmp_path / "start.gsd").exists()


def test_discs_that_overlap_too_much_are_not_jammed(real: tuple[Session, list[Notice]], tmp_path: Path) -> None:
    session, notices = real
    session.open(touching(tmp_path / "aggregate.csv", 0.05), run=False)
    settle(session)
    session.give(Jam(tmp_path / "start.gsd"))
    settle(session)
    assert session.status().system == "aggregation"
    assert "this state cannot be jammed" in notices[-1].title


def test_a_run_that_has_ended_goes_on_to_other_limits(real: tuple[Session, list[Notice]]) -> None:
    session, _ = real
    load(session, PACKING.with_values({"jamming.max_iterations": 3}))
    session.set_speed(inf)
    session.run()
    until(lambda: session.status().state == "finished")
    assert session.status().events == {"program": 3}
    session.set_parameter("jamming.max_iterations", 5)
    settle(session)
    assert session.status().state == "paused"  # there is something left to do
    session.run()
    until(lambda: session.status().state == "finished")
    assert session.status().events == {"program": 5}
    session.set_parameter("jamming.max_iterations", 1000)
    session.step_event()
    settle(session)
    assert session.status().events == {"program": 6}
    session.run()
    until(lambda: session.status().state == "finished")
    assert jamming(session).packing().jammed
