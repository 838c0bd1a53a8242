"""What must hold for every run of the time-stepping method, and cases known by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import engine
from engine import InputError, Scenario
from engine.aggregation.event_driven.simulation import EventDriven
from engine.aggregation.time_stepping.simulation import TimeStepping
from engine.analysis import analyse, contact_pairs
from engine.boundary import Periodic
from engine.initial import initial_state
from engine.overlaps import deepest_overlap
from tests.builders.states import (
    CLUSTERS,
    FRACTION,
    STEP,
    checked_run,
    discs,
    link_overlaps,
    random_state,
    same_bits,
    stepping,
)


def started(count=400, **values):
    chosen = stepping(**{"discs.count": count, **values})
    return TimeStepping(chosen, initial_state(chosen))


@settings(max_examples=40)
@given(
    st.integers(0, 2**32),
    st.integers(1, 60),
    st.tuples(st.booleans(), st.booleans(), st.booleans()),
    st.sampled_from([0.0, 0.3, 0.8]),
    st.floats(0.01, 0.3),
    st.integers(0, 10),
    st.sampled_from([(1.0, 1.0), (2.5, 1.0), (1.0, 2.0, 1.0)]),
    st.sampled_from([0.1, 0.5, 1.0]),
    st.sampled_from(["deformable", "rigid"]),
)
def test_every_run_keeps_momentum_walls_and_small_overlaps(
    seed, count, periodic, spread, fill, joined, box, fraction, clusters
):
    rng, periodic = np.random.default_rng(seed), Periodic(periodic[: len(box)])
    state = random_state(
        rng, count, periodic=periodic, spread=spread, fraction=fill, joined=joined, box=box, free_masses=True
    )
    # wider discs touch one another through several images at once: time steps leave overlaps there
    assume(4.0 * state.radii.max() < periodic.periods(box).min())
    simulation = TimeStepping(stepping(**{FRACTION: fraction, CLUSTERS: clusters, "dimensions": len(box)}), state)
    # overlap (R_i + R_j - d) / (R_i + R_j) of φ = tolerance · s is tolerance / 8
    for _ in checked_run(simulation, state, 1e-3 / 8 * 1.01):
        positions = simulation.state().positions
        # walls hold in any case, also where a minimisation has not come to its end
        margin = np.where(periodic, 0.0, state.radii[:, None] - 1e-12)
        assert ((positions >= margin) & (positions <= state.box - margin)).all()
        assert np.abs(link_overlaps(simulation, simulation.links())).max(initial=0.0) < 1.05e-3


def test_two_discs_stick_where_they_meet():
    state = discs([[1, 5], [9, 5]], [[1, 0], [-1, 0]], 0.5, 10)
    simulation = TimeStepping(stepping(**{FRACTION: 0.5}), state)
    progress = simulation.advance()
    assert progress.clusters == 1
    assert progress.finished
    # they touch at t = 3.5; the step is 0.25
    assert 3.5 <= progress.time <= 3.75
    frame = simulation.frame()
    np.testing.assert_allclose(frame.positions, [[4.5, 5], [5.5, 5]], atol=1e-3)
    assert (frame.velocities == 0).all()


def test_free_flight_between_steps_is_what_a_frame_shows():
    state = discs([[1, 5], [1, 8]], [[1, 0.5], [0, 0]], 0.5, 10)
    simulation = TimeStepping(stepping(**{STEP: 1.0}), state)
    for until in (0.3, 0.31, 1.0, 1.7):
        assert simulation.advance(until).time == until
        np.testing.assert_allclose(simulation.frame().positions[0], [1 + until, 5 + until / 2], rtol=1e-14)
    assert simulation.advance(1.7).steps["step"] == 1


def test_a_step_longer_than_the_box_folds_the_flight():
    state = discs([[1, 5], [1, 8]], [[3, 0], [0, 0]], 0.5, 10)
    simulation = TimeStepping(stepping(**{STEP: 10.0}), state)
    simulation.advance(10.0)
    # from 0.5 in a room of 9: 30.5 = 3 · 9 + 3.5, so 9 - 3.5 on the way back
    assert simulation.frame().positions[0, 0] == pytest.approx(0.5 + 5.5)
    simulation.advance(10.0)
    assert simulation.state().velocities[0, 0] == -3


def test_periodic_pairs_meet_through_the_edge():
    state = discs([[1, 5], [9, 5]], [[-1, 0], [1, 0]], 0.5, 10, periodic=True)
    simulation = TimeStepping(stepping(), state)
    assert simulation.advance().time == pytest.approx(0.5, abs=0.25)
    d = simulation.frame().positions[0] - simulation.frame().positions[1]
    assert abs(d[0] - 10 * np.round(d[0] / 10)) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("clusters", ["deformable", "rigid"])
@pytest.mark.parametrize("boundary", ["walls", "periodic"])
@pytest.mark.parametrize(
    ("seeds", "dimensions"),
    [
        (range(12), 2),
        (range(6), 3),
        pytest.param(range(12, 100), 2, marks=pytest.mark.slow),
        pytest.param(range(6, 100), 3, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_large_steps_in_dense_systems_never_fail(clusters, boundary, seeds, dimensions):
    """Many seeds at f = 1 and V_f = 0.3: finite, no overlap beyond the tolerance, to one cluster."""
    for seed in seeds:
        values = {"seed": seed, "box.boundary": boundary, "discs.volume_fraction": 0.3, "dimensions": dimensions}
        simulation = started(100, **values, **{FRACTION: 1.0, CLUSTERS: clusters})
        progress = simulation.advance(1e5)
        assert progress.reached
        state = simulation.state()
        assert np.isfinite(state.positions).all()
        assert np.isfinite(state.velocities).all()
        assert simulation.invariants()["max_overlap"] < 1e-3 / 8 * 1.01


def test_limits_of_a_slice():
    simulation = started(400)
    assert simulation.advance(until_clusters=300).clusters <= 300
    before, after = simulation.advance(max_events=0), simulation.advance(max_events=1)
    assert sum(after.events.values()) > sum(before.events.values())
    assert not simulation.advance(budget=1e-6).reached
    progress = simulation.advance()
    history = simulation.history()
    assert len(history.time) == progress.steps["step"] + 1
    assert history.clusters[0] == 400
    assert (np.diff(history.clusters) <= 0).all()
    assert (np.diff(history.time) > 0).all()
    assert (np.diff(history.kinetic_energy) <= 0).all()


def test_parameters_change_while_it_runs():
    simulation = started(400)
    simulation.advance(2.0)
    simulation.set(FRACTION, 0.1)
    simulation.set("aggregation.damping.alpha", 0.05)
    assert simulation.scenario.aggregation.damping.alpha == 0.05
    simulation.advance(4.0)
    steps = np.diff(simulation.history().time)
    assert steps[-1] < 0.5 * steps[0]
    for key, value in ((FRACTION, 1.5), ("aggregation.damping.c", 2.0), ("aggregation.damping.alpha", float("nan"))):
        with pytest.raises(InputError, match=key):
            simulation.set(key, value)
    with pytest.raises(InputError, match=r"discs\.count"):
        simulation.set("discs.count", 10)


def test_coefficients_out_of_range_are_seen_as_not_converging():
    simulation = started(400, **{"aggregation.damping.alpha": 10.0, "aggregation.damping.adaptive": False})
    progress = simulation.advance(20.0)
    assert progress.steps["not_converged"] > 0.5 * progress.steps["minimisations"]
    assert simulation.invariants()["max_overlap"] < 1.3e-4
    found = simulation.convergence()
    assert found.not_converged.sum() > 0


def test_convergence_of_the_last_steps():
    simulation = started(900)
    steps = simulation.advance().steps["step"]
    found = simulation.convergence()
    assert len(found.time) == min(256, steps)
    assert found.time[-1] == simulation.time
    assert (np.diff(found.time) > 0).all()
    assert found.iterations.max() > 5
    assert found.residual.max() <= 1e-3
    assert found.links.sum() > 0
    assert (found.not_converged == 0).all()


@pytest.mark.parametrize("dimensions", [2, 3])
def test_the_two_methods_hand_the_state_to_each_other(dimensions):
    steps = started(400, dimensions=dimensions)
    steps.advance(5.0 if dimensions == 2 else 1.0)
    exact = EventDriven(Scenario().with_values({"dimensions": dimensions}), steps.state())
    progress = exact.advance(0.0)
    assert progress.clusters <= steps.advance(steps.time).clusters
    exact.advance(10.0 if dimensions == 2 else 2.0)
    frame = exact.frame()
    state = steps.state()
    state.positions, state.velocities, state.cluster = frame.positions, frame.velocities, frame.cluster
    again = TimeStepping(stepping(dimensions=dimensions), state)
    assert frame.clusters > 1
    assert again.advance(0.0).clusters == frame.clusters
    # every contact of the exact clusters is a link
    assert len(again.links()) >= 400 - frame.clusters
    assert again.advance().clusters == 1


@pytest.mark.parametrize("box", [(1.0, 1.0), (1.0, 1.0, 1.0)])
def test_the_step_going_to_zero_gives_the_exact_method(box):
    """Few discs, so that the sequence of merges is the same: merge times and places are first order in the step."""
    rng = np.random.default_rng(8)
    state = random_state(rng, 7, periodic=False, fraction=0.08, box=box)
    space = {"dimensions": len(box)}
    exact = EventDriven(Scenario().with_values(space), state)
    exact.advance()
    times = exact.history().time[1:]
    expected = exact.frame().positions.copy()
    for step in (4e-4, 1e-4, 2.5e-5):
        values = {STEP: step, "aggregation.damping.tolerance": 1e-6}
        simulation = TimeStepping(stepping(**values, **space), state)
        simulation.advance()
        history = simulation.history()
        merged = history.time[1:][np.diff(history.clusters) < 0]
        assert len(merged) == len(times)
        assert np.abs(merged - times).max() < 40 * step
        positions = simulation.state().positions
        apart = (positions - positions.mean(axis=0)) - (expected - expected.mean(axis=0))
        assert np.abs(apart).max() < (2 if len(box) == 2 else 7) * step


def test_larger_steps_make_denser_clusters():
    """Trial figures of the specification at V_f = 0.2: 0.513 exact, 0.519-0.520, 0.526-0.532, 0.543-0.567."""
    found = []
    for fraction, low, high in ((0.25, 0.512, 0.526), (0.5, 0.520, 0.536), (1.0, 0.536, 0.570)):
        contacts = []
        for seed in range(4):
            simulation = started(2500, seed=seed, **{FRACTION: fraction})
            simulation.advance()
            state = simulation.state()
            contacts.append(analyse(state.positions, state.radii, state.box, periodic=False).contacts_relative)
        found.append(np.mean(contacts))
        assert low < found[-1] < high
    assert found == sorted(found)


@pytest.mark.slow
def test_small_steps_of_spheres_end_as_exact_events_do():
    """Contacts of each sphere in the last cluster, and the time at which a tenth of the clusters are left; large steps
    make denser clusters, which is seen."""
    found = []
    for values in ({"aggregation.method": "event-driven"}, {FRACTION: 0.05}, {FRACTION: 1.0}):
        seen = []
        for seed in range(40):
            scenario = stepping(**{"dimensions": 3, "discs.count": 600, "seed": seed, CLUSTERS: "rigid", **values})
            simulation = engine.create(scenario)
            simulation.advance()
            state, history = simulation.state(), simulation.history()
            pairs = contact_pairs(state.positions, state.radii, state.box, periodic=False)
            seen.append([len(pairs) / 600, history.time[history.clusters <= 60][0]])
        found.append(seen)
    exact, small, large = np.array(found)
    off = (np.stack([small, large]) - exact).mean(axis=1)
    error = np.std([small - exact, large - exact], axis=1) / np.sqrt(len(exact))
    assert (np.abs(off[0]) < 3.5 * error[0]).all(), (off, error)
    assert off[1, 0] > 5.0 * error[1, 0], (off, error)


@pytest.mark.parametrize(("dimensions", "time"), [(2, 3.0), (3, 0.6)])
def test_the_trace_of_a_step(dimensions, time):
    values = {FRACTION: 1.0, "dimensions": dimensions}
    simulation = started(400, **values)
    simulation.advance(time)
    untouched = started(400, **values)
    untouched.advance(time)
    seen = simulation.trace_step()
    same_bits(simulation, untouched)
    np.testing.assert_array_equal(seen.before, simulation.state().positions)
    box, loose = simulation.box, seen.clusters_before
    worst, i, j = deepest_overlap(seen.flown, simulation.radii, loose, box, False)
    assert worst > 0.01
    assert {i, j} in [set(pair) for pair in seen.overlapping.tolist()]
    assert len(seen.residual) > 5
    assert seen.residual[0] > seen.residual[-1]
    assert seen.complete
    np.testing.assert_array_equal(seen.positions(0), seen.flown)
    np.testing.assert_allclose(seen.positions(len(seen.residual)), seen.after, rtol=0.0, atol=1e-14)
    # the step itself, taken afterwards, is the one that was shown
    simulation.advance(seen.time + seen.dt)
    np.testing.assert_array_equal(seen.after, simulation.state().positions)
    np.testing.assert_array_equal(seen.velocities_after, simulation.state().velocities)
    np.testing.assert_array_equal(seen.clusters_after, simulation.state().cluster)
    limited = untouched.trace_step(max_records=10)
    assert not limited.complete
    np.testing.assert_allclose(limited.positions(len(limited.residual)), limited.after, rtol=0.0, atol=1e-14)
