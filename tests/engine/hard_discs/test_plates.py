"""A ball on many plates, as a run of hard discs tells it: shares of the falls that `engine.hard_discs.ball` finds."""

from __future__ import annotations

import numpy as np
import pytest

from engine.hard_discs import ball
from engine.hard_discs.ball import LIMIT, Drop, on_plates, origins, sample
from engine.runs.loop import RunLimits
from tests.engine.runs.test_results import summary


def test_shares_are_those_of_the_falls():
    found = on_plates(3_000, 11, 0.7)
    falls = sample(origins(3_000, 11), "naive", Drop(restitution=0.7))
    naive = found["naive"]
    assert naive["halted"] == falls.halted.mean()
    assert naive["at_rest"] == falls.at_rest.mean()
    assert naive["halted"] + naive["at_rest"] + naive["bounces"] == pytest.approx(1.0)
    assert naive["events_to_halt"] == falls.events[falls.halted].mean()
    events, share = (np.array(found["naive_goes_on"][key]) for key in ("events", "share"))
    for at, value in zip(events[::7], share[::7], strict=True):
        assert value == pytest.approx(1.0 - (falls.halted & (falls.events <= at)).mean())
    assert events[-1] == LIMIT
    assert share[-1] == pytest.approx(1.0 - naive["halted"])
    for detection in ("stable", "gap"):
        assert (found[detection]["halted"], found[detection]["at_rest"]) == (0.0, 1.0)
        assert found[detection]["events_to_halt"] is None
    assert 1e-10 < found["stable"]["off"] < 1e-6
    assert found["gap"]["off"] < 1e-14


def test_each_seed_has_its_own_plates_with_all_digits():
    one, two = origins(1000, 1), origins(1000, 2)
    assert not np.isin(one, two).any()
    assert (origins(1000, 1) == one).all()
    assert ((one >= 0.0) & (one <= 1.0)).all()
    small = one[one < 0.5]
    assert (np.mod(small * 2.0**53, 1.0) != 0.0).any()  # finer than the numbers of a generator


def test_elastic_plates_never_come_to_rest(monkeypatch):
    monkeypatch.setattr(ball, "sample", lambda origins, detection, drop: sample(origins, detection, drop, limit=50))
    found = on_plates(20, 1, 1.0)
    for detection in ("naive", "stable", "gap"):
        assert found[detection]["at_rest"] == 0.0
        assert found[detection]["events_to_rest"] is None
        assert found[detection]["off"] is None


def test_a_run_has_them_where_the_scenario_asks():
    limits = RunLimits(until_events=200)
    assert summary("ball-1", limits)["plates"] is None
    found = summary("ball-1", limits, hard_discs__plates=500, hard_discs__wall_restitution=0.5, seed=4)["plates"]
    assert found == on_plates(500, 4, 0.5)
