"""How far a run goes in a frame where a person is to see it."""

from __future__ import annotations

from math import inf

import pytest

import engine
from engine.scenario import Scenario
from engine.simulation import Progress, Stride


def frames_of(simulation, most=5000):
    """Frame after frame to the end: (time, clusters, physical events) after each."""
    seen = []
    progress = simulation.advance(0.0)
    while not progress.finished and len(seen) < most:
        stride = simulation.stride()
        left = None if stride.events is None else max(0, stride.events - progress.happened)
        progress = simulation.advance(stride.time, until_clusters=max(1, stride.clusters), max_events=left)
        assert progress.finished or stride.met(progress)
        seen.append((progress.time, progress.clusters, progress.happened))
    return seen


@pytest.mark.parametrize("count", [2, 50, 1000])
@pytest.mark.parametrize("boundary", ["walls", "periodic"])
def test_a_frame_takes_two_of_a_hundred_merges_that_are_left(count, boundary):
    values = {"seed": 3, "discs.count": count, "box.boundary": boundary}
    simulation = engine.create(Scenario().with_values(values))
    seen = frames_of(simulation, 1500)
    before = count
    for _, clusters, _ in seen:
        assert before - clusters <= max(1.0, 0.0201 * before)
        before = clusters
    if count > 2:
        assert before == 1
        assert len(seen) > 0.5 * count if count < 100 else len(seen) > 150
        assert len(seen) < 1000, "and it comes to its end"


def test_time_stepping_goes_by_the_same_strides():
    simulation = engine.create(Scenario().with_values({"discs.count": 200, "aggregation.method": "time-stepping"}))
    clusters = simulation.advance(until_clusters=100).clusters
    assert clusters > 60
    stride = simulation.stride()
    assert stride.clusters == clusters - 1
    assert simulation.time < stride.time < 1.2 * simulation.time
    assert simulation.stride(10.0).clusters == clusters - int(0.2 * (clusters - 1))
    assert simulation.stride(10.0).time - simulation.time == pytest.approx(10.0 * (stride.time - simulation.time))


def test_a_gas_goes_by_collisions_so_far_and_one_that_falls_from_rest_begins_slowly():
    gas = engine.create(
        Scenario().with_values({"system": "hard-discs", "discs.count": 100, "discs.volume_fraction": 0.4})
    )
    gas.advance(max_events=10_000)
    assert gas.stride().events == pytest.approx(10_000 + 10 + 100, abs=2)
    resting = {"system": "hard-discs", "discs.count": 100, "velocities.distribution": "rest"}
    fall = engine.create(Scenario().with_values(resting | {"hard_discs.gravity": [0.0, -1.0]}))
    radius = float(fall.radii.mean())
    assert 0.0 < fall.stride().time < radius**0.5
    still = engine.create(Scenario().with_values(resting))
    assert still.stride().time == inf


def test_jamming_goes_by_programs():
    packing = engine.create(Scenario().with_values({"system": "jamming", "discs.count": 16}))
    assert packing.stride() == Stride(events=1)
    assert packing.stride(100.0).events == 1


def test_a_stride_is_met_by_whatever_comes_first():
    def at(time, clusters, merges):
        return Progress(time, clusters, {"merge": merges}, {}, False, True)

    stride = Stride(2.0, 10, 7)
    assert not stride.met(at(1.0, 11, 6))
    assert stride.met(at(2.0, 11, 6))
    assert stride.met(at(1.0, 10, 6))
    assert stride.met(at(1.0, 11, 7))
    assert not Stride().met(at(1e300, 1, 10**9))
