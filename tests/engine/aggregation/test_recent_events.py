"""The newest merges and wall reflections of a frame: when, which discs, where."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine.scenario import Scenario

STEPPING = {"aggregation.method": "time-stepping"}


def started(boundary, method="event-driven", count=60, seed=3, spread=0.4):
    values = {
        "seed": seed,
        "discs.count": count,
        "discs.radii": "uniform",
        "discs.spread": spread,
        "discs.arrangement": "random",
        "box.boundary": boundary,
        "aggregation.method": method,
    }
    return engine.create(Scenario().with_values(values))


def nearest(vector, box, periodic):
    return vector - box * np.rint(vector / box) if periodic else vector


@pytest.mark.parametrize("boundary", ["walls", "periodic"])
def test_every_event_is_where_its_discs_touch(boundary):
    """Event by event: the newest one has just happened, and the frame shows it."""
    run = started(boundary)
    box, radii, periodic = run.box, run.radii, run.periodic
    seen = {"merge": 0, "wall": 0}
    before = run.advance(0.0)
    assert len(run.frame().impacts.time) == 0
    while not before.finished:
        now = run.advance(max_events=1)
        if now.happened == before.happened:
            break
        frame = run.frame()
        impacts = frame.impacts
        assert len(impacts.time) == now.happened
        assert impacts.time[-1] == frame.time == now.time
        (i, j), point = impacts.pairs[-1], impacts.points[-1]
        assert (point >= 0.0).all()
        assert (point <= box * (1.0 + 1e-12)).all()
        assert np.hypot(*nearest(point - frame.positions[i], box, periodic)) == pytest.approx(radii[i], rel=1e-6)
        if now.events["merge"] > before.events["merge"]:
            seen["merge"] += 1
            assert np.hypot(*nearest(point - frame.positions[j], box, periodic)) == pytest.approx(radii[j], rel=1e-6)
            assert frame.cluster[i] == frame.cluster[j]
        else:
            seen["wall"] += 1
            assert j == -1
            assert min(*point, *(box - point)) == pytest.approx(0.0, abs=1e-9)
        before = now
    assert seen["merge"] > 50
    assert (seen["wall"] > 10) == (boundary == "walls")


def test_the_oldest_make_room():
    run = started("walls", count=400)
    run.advance(until_clusters=50)
    impacts = run.frame().impacts
    assert len(impacts.time) == 256
    assert (np.diff(impacts.time) >= 0.0).all()
    assert impacts.time[-1] <= run.time
    assert np.array_equal(run.merges()[-1], impacts.pairs[impacts.pairs[:, 1] >= 0][-1])


@pytest.mark.parametrize("boundary", ["walls", "periodic"])
def test_time_stepping_has_the_events_of_its_last_steps(boundary):
    run = started(boundary, "time-stepping")
    box, radii, periodic = run.box, run.radii, run.periodic
    before = run.advance(0.0)
    walls = merges = 0
    for _ in range(300):
        now = run.advance(max_events=1)
        if now.finished:
            break
        frame, impacts = run.frame(), run.frame().impacts
        new = impacts.time == frame.time
        of_wall = impacts.pairs[:, 1] < 0
        assert np.count_nonzero(new & of_wall) == now.events["wall"] - before.events["wall"]
        assert np.count_nonzero(new & ~of_wall) == now.events["merge"] - before.events["merge"]
        for (i, j), point in zip(impacts.pairs[new & ~of_wall], impacts.points[new & ~of_wall], strict=True):
            apart = np.hypot(*nearest(frame.positions[i] - frame.positions[j], box, periodic))
            assert apart == pytest.approx(radii[i] + radii[j], rel=5e-3)
            assert np.hypot(*nearest(point - frame.positions[i], box, periodic)) < 1.01 * radii[i]
            merges += 1
        for (i, _), point in zip(impacts.pairs[new & of_wall], impacts.points[new & of_wall], strict=True):
            assert min(*point, *(box - point)) == 0.0
            assert np.hypot(*(point - frame.positions[i])) < 3.0 * radii[i]
            walls += 1
        before = now
    assert merges > 30
    assert (walls > 3) == (boundary == "walls")


def test_a_saved_state_has_no_events_and_goes_on_the_same():
    for method in ("event-driven", "time-stepping"):
        run = started("walls", method)
        run.advance(until_clusters=40)
        kept = run.checkpoint()
        assert not any(name.startswith("recent") for name in kept.arrays)
        again = engine.restore(kept)
        assert len(again.frame().impacts.time) == 0
        for one in (run, again):
            one.advance(until_clusters=20)
        assert np.array_equal(run.frame().positions, again.frame().positions)


def test_the_history_of_a_run_that_was_carried_on_says_which_method_made_what():
    run = started("walls")
    assert run.history().stretches == (("event-driven", 0),)
    run.advance(until_clusters=40)
    rows = len(run.history().time)
    run = engine.carry_on(run, run.scenario.with_values(STEPPING))
    run.advance(until_clusters=30)
    stretches = run.history().stretches
    assert stretches == (("event-driven", 0), ("time-stepping", rows))
    again = engine.restore(run.checkpoint())
    engine.check_checkpoint(run.checkpoint())
    assert again.history().stretches == stretches
    early = run.history().up_to(run.history().time[rows // 2])
    assert early.stretches == (("event-driven", 0),)
    run = engine.carry_on(again, run.scenario.with_values({"aggregation.method": "event-driven"}))
    assert [method for method, _ in run.history().stretches] == ["event-driven", "time-stepping", "event-driven"]


def test_a_past_need_not_say_its_methods():
    run = started("walls")
    run.advance(until_clusters=40)
    run = engine.carry_on(run, run.scenario.with_values(STEPPING))
    checkpoint = run.checkpoint()
    checkpoint.arrays["past"]["method"] = -1
    engine.check_checkpoint(checkpoint)
    assert [method for method, _ in engine.restore(checkpoint).history().stretches] == ["time-stepping"]


def test_a_collapse_is_said_of_the_state_as_long_as_the_clock_stands():
    scenario = Scenario().with_values(
        {
            "system": "hard-discs",
            "discs.count": 3,
            "discs.volume_fraction": 0.3,
            "hard_discs.restitution": 0.01,
            "hard_discs.on_collapse": "stop",
        }
    )
    from engine.state import InitialState

    positions = np.array([[1.0, 5.0], [2.5, 5.0], [4.0, 5.0]])
    velocities = np.array([[1.0, 0.0], [0.0, 0.0], [-1.0, 0.0]])
    state = InitialState(
        positions, velocities, np.full(3, 0.5), np.ones(3), np.arange(3, dtype=np.int32), np.array([10.0, 10.0]), True
    )
    gas = engine.create(scenario, state)
    assert gas.frame().remark is None
    progress = gas.advance(budget=20.0)
    assert "collapse" in progress.stop_reason
    remark = gas.frame().remark
    assert remark.text == progress.stop_reason
    assert set(remark.discs.tolist()) <= {0, 1, 2}
    assert len(remark.discs) >= 2
    again = engine.restore(gas.checkpoint())
    assert again.frame().remark is not None
    gas.set("hard_discs.restitution", 1.0)
    gas.advance(gas.time + 1.0)
    assert gas.frame().remark is None, "it goes on"
