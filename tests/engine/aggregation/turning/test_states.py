"""The states of clusters that turn: saved and restored, carried on, thrown by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine import Scenario
from engine.simulation import Simulation
from engine.state import moments_of_inertia
from tests.builders.states import through_a_file
from tests.reference.turning import cross
from tests.session.saved_scenarios import assert_the_same

ROTATION = "aggregation.rotation"
BOUNDARIES = st.sampled_from(["walls", "periodic"])
DIMENSIONS = [2, 3]


def turning(boundary: str, seed: int, dimensions: int = 2, count: int = 60, fraction: float = 0.2) -> Simulation:
    values = {ROTATION: True, "velocities.spin": "thermal", "discs.count": count, "box.boundary": boundary}
    values["dimensions"] = dimensions
    return engine.create(Scenario().with_values(values | {"seed": seed, "discs.volume_fraction": fraction}))


@settings(max_examples=12, deadline=None)
@given(
    boundary=BOUNDARIES,
    dimensions=st.sampled_from(DIMENSIONS),
    seed=st.integers(0, 1000),
    fraction=st.sampled_from([0.02, 0.2, 0.4]),
    pauses=st.lists(st.tuples(st.integers(0, 20), st.sampled_from([1e-7, 1e-5, 1.0])), min_size=1, max_size=5),
)
def test_a_run_that_is_saved_at_any_moment_goes_on_with_the_same_bits(
    boundary: str, dimensions: int, seed: int, fraction: float, pauses: list[tuple[int, float]]
) -> None:
    one = turning(boundary, seed, dimensions, fraction=fraction)
    two = engine.copy(one)
    for events, seconds in pauses:
        there = one.advance(max_events=events).happened
        left = there - two.advance(max_events=events, budget=seconds).happened
        saved = through_a_file(two.checkpoint())
        engine.check_checkpoint(saved)
        two = engine.restore(saved)
        two.advance(max_events=left)
    assert_the_same(one, two)
    for run in (one, two):
        run.advance(max_events=100)
    assert_the_same(one, two)


def momenta(simulation: Simulation, discs: np.ndarray, about: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Momentum, and angular momentum about a point, of some discs; between walls."""
    frame, mass = simulation.frame(), simulation.masses[discs]
    x, v = frame.positions[discs] - about, frame.velocities[discs]
    own = moments_of_inertia(mass, simulation.radii[discs], x.shape[1]) * frame.fields["spin"][discs].T
    return mass @ v, np.asarray((mass * cross(x, v).T + own).sum(axis=-1))


@pytest.mark.parametrize("dimensions", DIMENSIONS)
@pytest.mark.parametrize("boundary", ["walls", "periodic"])
def test_a_thrown_disc_turns_its_cluster_by_an_impulse_at_its_place(boundary: str, dimensions: int) -> None:
    simulation = turning(boundary, 3, dimensions)
    flies = [3.0, -1.0, 0.5][:dimensions]
    simulation.advance(until_clusters=10)
    before = simulation.frame()
    labels, sizes = np.unique(before.cluster, return_counts=True)
    body = np.flatnonzero(before.cluster == labels[sizes.argmax()])
    disc = int(body[-1])
    made = engine.throw(simulation, disc, velocity=flies)
    after = made.frame()
    assert after.velocities[disc] == pytest.approx(flies, rel=1e-12)
    push, twist = (
        np.subtract(now, was)
        for now, was in zip(*(momenta(run, body, before.positions[disc]) for run in (made, simulation)), strict=True)
    )
    work = float(push @ (before.velocities[disc] + after.velocities[disc])) / 2.0  # of an impulse, at its place
    assert after.kinetic_energy - before.kinetic_energy == pytest.approx(work, rel=1e-10)
    assert np.abs(after.fields["spin"][disc] - before.fields["spin"][disc]).max() > 0.1
    if boundary == "walls":  # where positions are those of one image
        assert twist == pytest.approx(0.0, abs=1e-10), "an impulse at the disc has no moment about it"
    others = np.setdiff1d(np.arange(60), body)
    turned = "angle" if dimensions == 2 else "orientation"
    for field in (turned, "spin"):
        np.testing.assert_allclose(after.fields[field][others], before.fields[field][others], rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(after.fields[turned], before.fields[turned], rtol=0.0, atol=1e-13)


def test_a_disc_alone_keeps_its_spin_when_it_is_thrown() -> None:
    simulation = turning("walls", 3)
    made = engine.throw(simulation, 5, position=(1.0, 1.0), velocity=(3.0, -1.0))
    assert made.frame().velocities[5].tolist() == [3.0, -1.0]
    assert made.frame().fields["spin"][5] == pytest.approx(simulation.frame().fields["spin"][5], rel=1e-15)


@pytest.mark.parametrize("dimensions", DIMENSIONS)
@pytest.mark.parametrize("boundary", ["walls", "periodic"])
def test_clusters_that_begin_to_turn_have_no_spin_at_all_and_lose_it_when_they_stop(
    boundary: str, dimensions: int
) -> None:
    simulation = turning(boundary, 8, dimensions)
    simulation.advance(until_clusters=30)
    turned = simulation.frame()
    still = engine.carry_on(simulation, simulation.scenario.with_values({ROTATION: False}))
    mass = simulation.masses
    for label in np.unique(turned.cluster):
        body = turned.cluster == label
        mean = mass[body] @ turned.velocities[body] / mass[body].sum()
        np.testing.assert_allclose(
            still.frame().velocities[body], np.broadcast_to(mean, (body.sum(), dimensions)), atol=1e-14
        )
    assert still.scenario.velocities.spin == 0.0  # so that it can begin anew
    again = engine.carry_on(still, still.scenario.with_values({ROTATION: True}))
    assert (again.frame().fields["spin"] == 0.0).all()
    assert again.frame().kinetic_energy == pytest.approx(still.frame().kinetic_energy, rel=1e-14)
    history = again.history()
    assert history.time[-2:].tolist() == [simulation.time] * 2
    assert history.kinetic_energy[-3] == pytest.approx(turned.kinetic_energy)
    assert len(engine.merge_tree(again).time) == 30
    again.advance(until_clusters=20)
    assert (again.frame().fields["spin"] != 0.0).any()


def test_a_sphere_turns_on_without_a_jump_when_its_cluster_merges() -> None:
    # in a time in which it turns by 0.01, as its ω before and after says, whatever happens between
    simulation, merges = turning("walls", 5, 3), 0
    fastest = np.linalg.norm(simulation.frame().fields["spin"], axis=1).max()
    while (before := simulation.frame()).clusters > 5:
        simulation.advance(before.time + 0.01 / fastest)
        after = simulation.frame()
        q, p = before.fields["orientation"], after.fields["orientation"]
        angle = 2.0 * np.arccos(np.minimum(np.abs((q * p).sum(axis=1)), 1.0))
        spins = (np.linalg.norm(frame.fields["spin"], axis=1) for frame in (before, after))
        assert (angle <= 1.1 * np.maximum(*spins) * (after.time - before.time) + 1e-7).all()
        merges += before.clusters - after.clusters
    assert merges > 40


def test_a_disc_turns_on_without_a_jump_when_its_cluster_merges() -> None:
    simulation = turning("walls", 5)
    while simulation.frame().clusters > 5:
        before = simulation.frame()
        merges = simulation.merges()
        simulation.advance(max_events=1)
        after = simulation.frame()
        if len(simulation.merges()) > len(merges):
            ahead = before.fields["angle"] + before.fields["spin"] * (after.time - before.time)
            off = (after.fields["angle"] - ahead + np.pi) % (2.0 * np.pi) - np.pi
            assert np.abs(off).max() < 1e-9
