"""Clusters that turn, in a session: the switch, its undo, the past, and what is saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import engine
from aggviewer.session import Session
from aggviewer.session.commands.changes import SetValue, SwitchMethod
from aggviewer.session.log import script
from aggviewer.session.saved.session_file import read_session
from aggviewer.systems.registry import view_of
from engine.scenario import Scenario
from engine.simulation import Simulation
from tests.session.driving import real_session, settle
from tests.session.saved_scenarios import assert_the_same

ROTATION = "aggregation.rotation"
SMALL = Scenario().with_values({"discs.count": 100, "discs.volume_fraction": 0.2, "box.boundary": "periodic"})


def now(session: Session) -> Simulation:
    return engine.restore(session.checkpoint())


def spins(session: Session) -> np.ndarray:
    fields = now(session).frame().fields
    return fields["spin"] if "spin" in fields else np.zeros(0)


@pytest.mark.parametrize(("dimensions", "turned"), [(2, "angle"), (3, "orientation")])
def test_turning_goes_on_by_time_steps_and_back_and_a_new_start_without_it_needs_no_spin(
    dimensions: int, turned: str
) -> None:
    values = {"dimensions": dimensions, ROTATION: True, "velocities.spin": "thermal"}
    with real_session(SMALL.with_values(values)) as session:
        run_on(session, 20)
        for method in ("time-stepping", "event-driven"):
            before = now(session).settled().fields
            session.give(SwitchMethod(method))
            settle(session)
            assert now(session).method == method
            for name in ("spin", turned):
                np.testing.assert_allclose(now(session).frame().fields[name], before[name], atol=1e-12)
            run_on(session, 5)
        session.give(SetValue(ROTATION, False))
        settle(session)
        session.restart()
        settle(session)
        assert (now(session).time, now(session).scenario.velocities.spin) == (0.0, 0.0)
        session.history.undo()
        session.history.undo()
        settle(session)
        assert np.count_nonzero(spins(session)) == (100 if dimensions == 2 else 300)
        assert now(session).scenario.velocities.spin == "thermal"


def run_on(session: Session, events: int) -> None:
    for _ in range(events):
        session.step_event()
    settle(session)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_turning_begins_and_ends_live_and_every_step_is_undone_saved_and_repeated(
    tmp_path: Path, dimensions: int
) -> None:
    with real_session(SMALL.with_values({"dimensions": dimensions}), measuring_view_of=view_of) as session:
        run_on(session, 30)
        before = now(session)
        session.give(SetValue(ROTATION, True))
        settle(session)
        assert (spins(session) == 0.0).all()
        assert now(session).frame().kinetic_energy == pytest.approx(before.frame().kinetic_energy, rel=1e-12)
        assert now(session).history().kinetic_energy[: len(before.history().time)].tobytes() == (
            before.history().kinetic_energy.tobytes()
        )
        run_on(session, 20)
        turning = now(session)
        assert np.count_nonzero(spins(session)) > 10
        session.save_session(tmp_path / "turning.aggsession")
        settle(session)
        assert_the_same(engine.restore(read_session(tmp_path / "turning.aggsession").lanes[0]), turning)

        session.give(SetValue(ROTATION, False))
        settle(session)
        still = now(session).frame()
        assert "spin" not in still.fields
        assert still.kinetic_energy < turning.frame().kinetic_energy
        for label in np.unique(still.cluster):
            assert len(np.unique(still.velocities[still.cluster == label], axis=0)) == 1
        assert len(engine.merge_tree(now(session)).time) == len(engine.merge_tree(turning).time)
        names: dict[str, Simulation] = {}
        exec(script(session.log, still.time).partition("axes = ")[0], names)
        assert_the_same(engine.restore(names["simulation"].checkpoint()), now(session))

        session.history.undo()
        settle(session)
        assert_the_same(now(session), engine.restore(turning.checkpoint()))
        run_on(session, 5)
        turning.advance(max_events=5)
        assert_the_same(now(session), engine.restore(turning.checkpoint()))
        session.history.undo()
        settle(session)
        assert now(session).scenario.value(ROTATION) is False
