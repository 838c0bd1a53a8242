"""The session with the real engine: watching a run does not change it."""

from __future__ import annotations

from math import inf

import numpy as np

import engine
from aggviewer.session import Session, Shown
from engine.scenario import Scenario
from tests.session.test_session import settle, until

SCENARIO = Scenario.from_values({"seed": 11, "discs": {"count": 400}, "box": {"boundary": "periodic"}})


def test_a_run_in_slices_ends_in_the_same_bits_as_one_in_one_go() -> None:
    alone = engine.create(SCENARIO)
    alone.advance()
    wanted = alone.frame()
    session = Session()
    last: list[Shown] = []

    def look() -> bool:
        shown = session.latest_frame()
        if shown is not None:
            last[:] = [shown]
        return session.status().state == "finished"

    try:
        session.set_speed(40.0)
        session.load(SCENARIO, run=True)
        until(lambda: look() or session.status().time > 1.0)
        session.set_speed(inf)
        until(look)
        look()
        frame = last[0].frame
        assert frame.clusters == wanted.clusters == 1
        assert frame.time == wanted.time
        assert np.array_equal(frame.positions, wanted.positions)
    finally:
        session.close()


def test_the_last_state_is_measured_with_its_history() -> None:
    session = Session()
    found = []

    def measured() -> bool:
        analysis = session.latest_analysis()
        if analysis is not None:
            found[:] = [analysis]
        return session.status().state == "finished" and bool(found) and found[0].time == session.status().time

    try:
        session.set_speed(inf)
        session.load(SCENARIO, run=True)
        until(measured)
        indicators, history = found[0].indicators, found[0].history
        assert indicators.cluster_sizes == {400: 1}
        assert history is not None
        assert (history.clusters[0], history.clusters[-1]) == (400, 1)
        assert np.all(np.diff(history.kinetic_energy) <= 1e-12)
    finally:
        session.close()


def test_an_impossible_packing_is_refused_and_the_run_goes_on() -> None:
    session = Session()
    notices = []
    session.notices.sent.connect(notices.append)
    try:
        session.load(SCENARIO, run=False)
        settle(session)
        session.load(SCENARIO.with_values({"discs.volume_fraction": 0.9}))
        settle(session)
        assert [notice.key for notice in notices] == ["discs.volume_fraction"]
        session.step_event()
        settle(session)
        assert session.status().events["merge"] == 1
    finally:
        session.close()
