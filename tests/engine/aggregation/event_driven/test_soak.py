"""Thousands of random systems, the strange ones too, against the all-pairs method."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine import Scenario, analysis, load_scenario
from engine.aggregation.event_driven.clusters import Tuning
from engine.aggregation.event_driven.simulation import EventDriven
from engine.state import InitialState, masses_of, nth_root, volume_fraction
from tests.builders.states import dropped
from tests.reference.all_pairs import run_all_pairs

SEEDS_PER_BATCH = 2000
BATCHES = 5


def sizes(rng, count, fraction, box):
    """Equal, spread, over three decades, or one large disc among small ones; the largest first."""
    kind = rng.choice(["equal", "uniform", "decades", "one large"])
    radii = np.ones(count)
    if kind == "uniform":
        radii = rng.uniform(0.3, 1.0, count)
    elif kind == "decades":
        radii = 10 ** rng.uniform(-3, 0, count)
    elif kind == "one large":
        radii[1:] = 1e-3
    radii = np.sort(radii)[::-1]
    radii *= nth_root(fraction / volume_fraction(radii, box), len(box))
    return np.minimum(radii, 0.45 * box.min())


def directions(rng, count, dimensions):
    """Velocities of the order of 1: equal and unequal speeds, some at rest, all but one, parallel, normal."""
    angle = rng.uniform(0, 2 * np.pi, count)
    v = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    if dimensions > 2:
        height = rng.uniform(-1, 1, (count, 1))
        v = np.concatenate([v * np.sqrt(1.0 - height**2), height], axis=1)
    kind = rng.choice(["circle", "uniform", "one at rest", "decades", "one moves", "parallel", "normal"])
    if kind == "uniform":
        v *= rng.uniform(0.2, 1.5, (count, 1))
    elif kind == "one at rest":
        v[rng.integers(count)] = 0.0
    elif kind == "decades":
        v *= 10 ** rng.uniform(-3, 1, (count, 1))
    elif kind == "one moves":
        mover = rng.integers(count)
        v[np.arange(count) != mover] = 0.0
    elif kind == "parallel":
        v[:, 1:] = 0.0
    elif kind == "normal":
        v = rng.normal(size=(count, dimensions))
    return v


def system(rng, dimensions=2):
    count = int(rng.choice([1, 2, 3, 5, 8, 13, 25, 40]))
    periodic = bool(rng.integers(2))
    box = np.ones(dimensions)
    box[0] = rng.choice([1.0, 1.0, 1.0, 2.5, 30.0, 1000.0 if count <= 8 else 10.0])
    if rng.integers(2):
        box = box[::-1].copy()
    dense = [0.3, 0.4] if dimensions == 2 else [0.2, 0.25]
    radii = sizes(rng, count, float(rng.choice([1e-6, 0.01, 0.1, *dense])), box)
    positions = dropped(rng, radii, box, periodic, 20_000)
    count = len(positions)
    radii = radii[:count]
    speed = float(rng.choice([1.0, 1.0, 1e-9, 1e9]))
    velocities = directions(rng, count, dimensions) * speed
    masses = masses_of(radii, dimensions) if rng.integers(3) else rng.uniform(0.1, 3.0, count)
    cluster = np.arange(count, dtype=np.int32)
    for k in range(min(int(rng.choice([0, 0, 3])), count // 2)):
        pair = slice(2 * k, 2 * k + 2)
        cluster[pair] = 2 * k
        velocities[pair] = (masses[pair, None] * velocities[pair]).sum(axis=0) / masses[pair].sum()
    scale = float(rng.choice([1.0, 1.0, 1e-3, 1e4]))
    return InitialState(
        positions * scale, velocities * scale, radii * scale, masses, cluster, box * scale, periodic
    ), speed


def tuning(rng):
    if rng.integers(3) == 0:
        return Tuning()
    return Tuning(
        travel=float(rng.choice([0.1, 0.3, 0.8, 3.0])),
        patience=float(rng.choice([0.3, 1.0, 4.0, 20.0])),
        big_patience=float(rng.choice([0.05, 0.25, 2.0])),
        big_cells=int(rng.choice([1, 1, 2, 4, 9, 32])),
        envelope=float(rng.choice([0.001, 0.03, 0.3, 0.7])),
        rebuild=float(rng.choice([1.01, 1.5, 1e9])),
    )


def compare(seed, dimensions=2):
    rng = np.random.default_rng(seed)
    state, speed = system(rng, dimensions)
    chosen = tuning(rng)
    fastest = max(float(np.abs(state.velocities).max()), 1e-300)
    until = min(float(rng.choice([0.5, 3.0, 20.0])) / speed, 600.0 * state.box.min() / fastest)
    expected = run_all_pairs(state, until_time=until, max_events=40_000)
    simulation = EventDriven(Scenario().with_values({"dimensions": dimensions}), state, chosen)
    progress = simulation.advance(until, max_events=10_000)
    while not progress.reached:
        progress = simulation.advance(until, max_events=10_000)
    where = f"seed {seed}, {chosen}"
    merges = simulation.merges()
    assert len(merges) == len(expected.times), where
    np.testing.assert_array_equal(np.sort(merges, axis=1), np.sort(expected.pairs, axis=1), where)
    times = simulation.history().time
    np.testing.assert_allclose(times[1:], expected.times, rtol=1e-9, atol=1e-12 / speed, err_msg=where)
    kept = simulation.invariants()
    # a double resolves 1e-16 of the way that the fastest disc can have gone
    resolution = 1e-16 * (fastest * progress.time + state.box.max()) / state.radii.min()
    assert kept["max_overlap"] < 1e-9 + 10 * resolution, where
    assert kept["momentum_error"] < 1e-13, where
    frame = simulation.frame()
    energy = 0.5 * (state.masses[:, None] * frame.velocities**2).sum()
    # the frame's velocities are rounded: where momenta have cancelled, to the speeds at the start
    rounding = 1e-15 * simulation.history().kinetic_energy[0]
    assert abs(frame.kinetic_energy - energy) <= 1e-10 * energy + rounding, where
    if progress.time == expected.time:
        assert progress.events["wall"] == expected.wall_events, where
        apart = frame.positions - expected.positions
        if state.periodic:
            apart -= state.box * np.round(apart / state.box)
        assert np.abs(apart).max() < 1e-8 * state.box.max(), where


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_systems(batch):
    for seed in range(batch * SEEDS_PER_BATCH, (batch + 1) * SEEDS_PER_BATCH):
        compare(seed)


@pytest.mark.slow
def test_random_systems_of_spheres():
    for seed in range(SEEDS_PER_BATCH):
        compare(seed, dimensions=3)


@pytest.mark.slow
def test_the_dimension_of_clusters_of_spheres():
    """Ballistic cluster–cluster aggregation from dilute starts: about 1.9 in space; more where it is denser."""
    found = {0.005: 0.0, 0.1: 0.0}
    for fraction in found:
        for seed in (1, 2, 3):
            values = {"box.boundary": "periodic", "discs.count": 8000, "discs.arrangement": "random"}
            scenario = load_scenario("spheres-2500").with_values(
                values | {"discs.volume_fraction": fraction, "seed": seed}
            )
            run = engine.create(scenario)
            run.advance()
            frame = run.frame()
            known = analysis.analyse(frame.positions, run.radii, run.box, periodic=True, cluster=frame.cluster)
            found[fraction] += known.minimum_cover_dimension / 3.0
    assert found[0.005] == pytest.approx(1.88, abs=0.08)
    assert found[0.1] > found[0.005] + 0.15
