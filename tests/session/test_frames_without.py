"""A run that goes on makes frames with what is looked at; a frame that stays has everything."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

import engine
from aggviewer.session import Session, Shown
from aggviewer.systems.registry import view_of
from engine.frame import Frame
from engine.scenario import Scenario
from tests.session.driving import real_session, settle, until

SCENARIO = Scenario.from_values({"seed": 11, "discs": {"count": 400}, "box": {"boundary": "periodic"}})
GAS = SCENARIO.with_values({"system": "hard-discs", "velocities.distribution": "maxwell"})
ALL = frozenset({"velocities", "last_merge"})


def next_frame(session: Session, lane: int = 0) -> Frame:
    """The next frame that the run makes."""
    found: list[Shown] = []

    def came() -> bool:
        session.publishers.latest_frame(1 - lane)  # lanes side by side wait for each other
        shown = session.publishers.latest_frame(lane)
        found.extend([] if shown is None else [shown])
        assert session.status().state != "failed"
        return bool(found)

    until(came)
    return found[0].frame


def passing(session: Session, lane: int = 0) -> Frame:
    """The next frame that the run makes, which is not measured and begins after all commands."""
    settle(session)
    next_frame(session, lane)  # it may have been made before
    publisher = session.publishers.publisher_of(lane)
    publisher.analyst._not_before = inf  # whatever is measured needs everything
    until(lambda: not publisher.analyst._busy)
    next_frame(session, lane)
    return next_frame(session, lane)


def running(session: Session, scenario: Scenario = SCENARIO) -> None:
    session.load(scenario, run=True)
    session.set_speed(1e-6)  # it never comes to its end
    settle(session)


def test_a_run_makes_frames_with_what_is_read_and_a_held_one_has_all() -> None:
    with real_session() as session:
        session.view.color_by = "cluster"
        running(session)
        assert not passing(session).left_out, "as long as nobody has said what is read"
        for read, missing in (((), ALL), (("velocities",), {"last_merge"}), (("images", "last_merge"), {"velocities"})):
            session.publishers.read(read)
            assert passing(session).left_out == missing
        session.publishers.read(None)
        assert not passing(session).left_out
        session.publishers.read(())
        assert passing(session).left_out == ALL
        session.refresh()
        settle(session)
        until(lambda: not next_frame(session).left_out)
        for hold in (session.pause, session.step_event, session.step_frame):
            session.run()
            assert passing(session).left_out == ALL
            hold()
            settle(session)
            assert not next_frame(session).left_out, hold


def test_the_last_frame_and_those_of_the_past_have_all() -> None:
    alone = engine.create(SCENARIO)
    alone.advance()
    with real_session() as session:
        session.publishers.read(())
        session.load(SCENARIO, run=True)
        session.set_speed(inf)
        until(lambda: session.status().state == "finished")
        last = next_frame(session)
        assert not last.left_out
        assert np.array_equal(last.velocities, alone.frame().velocities)
        assert np.array_equal(last.fields["last_merge"], alone.frame().fields["last_merge"])
        session.look_at(0.5 * alone.time)
        settle(session)
        past = next_frame(session)
        assert 0.0 < past.time <= 0.5 * alone.time
        assert not past.left_out
        assert past.velocities.any()


@pytest.mark.parametrize("scenario", [SCENARIO, GAS], ids=["aggregation", "gas"])
def test_every_colouring_has_what_it_reads_while_it_runs(scenario: Scenario) -> None:
    with real_session(views=view_of) as session:
        problems = []
        session.notices.sent.connect(problems.append)
        session.publishers.read(())
        running(session, scenario)
        for field in session.publishers.publisher_of(0)._system.fields:
            session.view.color_by = field.name
            frame = passing(session)
            assert field.reads is not None
            assert not frame.lacks(field.reads), field.name
            assert frame.left_out, f"{field.name} reads a part only"
        assert not problems


def test_what_is_measured_has_velocities_though_no_picture_reads_them() -> None:
    with real_session(views=view_of) as session:
        session.publishers.read(())
        running(session)
        found = []

        def measured() -> bool:
            session.publishers.latest_frame()
            assert session.status().state != "failed"
            found.extend(one for one in [session.publishers.latest_analysis()] if one is not None)
            return len(found) > 3

        until(measured)
        assert found[-1].indicators.velocity_correlation is not None


def test_both_of_a_comparison_and_one_that_begins_later() -> None:
    with real_session() as session:
        session.publishers.read(())
        running(session)
        session.compare({"discs.volume_fraction": 0.2}, from_start=True)
        session.run()
        settle(session)
        assert passing(session, 0).left_out == ALL
        assert passing(session, 1).left_out == ALL
        session.publishers.read(("last_merge",))
        assert passing(session, 1).left_out == {"velocities"}
