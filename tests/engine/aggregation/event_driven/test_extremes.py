"""The event-driven method where scales are far apart: speeds, energies, sides of the box, gaps."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine import Scenario
from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven.clusters import Tuning
from engine.aggregation.event_driven.simulation import EventDriven
from tests.builders.states import almost_touching, discs, random_state
from tests.reference.all_pairs import run_all_pairs


def test_an_impact_behind_a_bound_is_not_overlooked():
    """A disc near a big cluster keeps a bound of that impact only; another impact may come after it and before."""
    simulation = engine.create(
        Scenario().with_values({"seed": 6, "box.boundary": "periodic", "discs.volume_fraction": 0.4})
    )
    simulation.advance()
    assert simulation.invariants()["max_overlap"] < 1e-9


def test_slow_discs_go_on_when_fast_ones_have_stopped():
    """The energy of the slow disc is below the rounding of that of the fast pair."""
    state = discs([[1, 5], [3, 5], [1, 1], [9, 1]], [[1e6, 0], [-1e6, 0], [1e-3, 0], [0, 0]], 0.2, 10)
    simulation = EventDriven(Scenario(), state)
    simulation.advance(until_clusters=2)
    assert simulation.time == pytest.approx((8 - 0.4) / 1e-3)
    frame = simulation.frame()
    assert frame.kinetic_energy == pytest.approx(0.5 * 2 * 0.0005**2, rel=1e-12)
    energy = simulation.history().kinetic_energy
    assert (np.diff(energy) <= 0).all()
    assert energy[1] == pytest.approx(0.5e-6, rel=1e-12)


def test_horizons_lengthen_when_the_fast_discs_have_stopped():
    """Cells and horizons are laid for the mean speed, here of two fast discs; else this takes 10^8 horizons."""
    state = discs([[1, 5], [3, 5], [1, 1], [9, 1]], [[1e6, 0], [-1e6, 1e-3], [1e-3, 0], [0, 0]], 0.2, 10)
    simulation = EventDriven(Scenario(), state)
    progress = simulation.advance(max_events=10)
    while not progress.reached:
        progress = simulation.advance(max_events=10)
    assert progress.clusters == 1
    assert progress.events["horizon"] < 2_000


def test_momenta_that_cancel_leave_nothing_that_moves():
    state = discs([[1, 5], [5, 5], [3, 8]], [[0.3, 0], [-0.1, 0], [0, 0]], 0.5, 10, masses=[1, 3, 1], periodic=True)
    progress = EventDriven(Scenario(), state).advance()
    assert progress.finished
    assert progress.clusters == 2


def test_one_velocity_for_all_in_a_periodic_box_is_the_end():
    state = random_state(np.random.default_rng(1), 50, periodic=True)
    state.velocities[:] = [0.3, 0.1]
    simulation = EventDriven(Scenario(), state)
    assert simulation.advance().finished
    simulation.advance(2.0)
    np.testing.assert_allclose(simulation.frame().positions, (state.positions + np.array([0.6, 0.2])) % 1.0, atol=1e-15)


@pytest.mark.parametrize("across", [0, 1])
def test_a_box_a_million_times_longer_than_wide(across):
    rng = np.random.default_rng(1)
    count = 1000
    positions = np.full((count, 2), 0.5)
    positions[:, 1 - across] = (np.arange(count) + 0.5) * 1000
    velocities = np.zeros((count, 2))
    velocities[:, 1 - across] = rng.choice([-1.0, 1.0], count) * rng.uniform(0.5, 1.5, count)
    box = np.ones(2)
    box[1 - across] = 1e6
    simulation = EventDriven(Scenario(), discs(positions, velocities, 0.3, box))
    progress = simulation.advance()
    assert progress.clusters == 1
    assert progress.events["horizon"] < 10 * count
    # in a box so long and a time so late a double resolves 1e-8 of a diameter, not 1e-9
    assert simulation.invariants()["max_overlap"] < 1e-7
    # all in one row: only neighbours can have met
    pairs = np.sort(simulation.merges(), axis=1)
    assert (pairs[:, 1] - pairs[:, 0] == 1).all()


def test_a_way_to_the_wall_that_takes_no_time_is_not_gone_for_ever():
    """A disc that fills a channel but for 2e-12 of its width is hit so late that the clock cannot tell the flights."""
    state = discs(
        [[0.5, 90], [0.5, 40], [0.5, 5]], [[0, 0], [0.5, 5e-5], [0, 0]], [0.5 * (1 - 2e-12), 0.1, 0.1], [1, 100]
    )
    simulation = EventDriven(Scenario(), state)
    simulation.advance(until_clusters=2)
    assert simulation.time > 9e5
    walls = simulation.advance(max_events=0).events["wall"]
    later = simulation.advance(simulation.time + 1.0, max_events=1000)
    assert later.events["wall"] < walls + 10
    assert later.time > 9e5 + 1.0


def test_one_large_disc_among_thousands_of_small_ones():
    rng = np.random.default_rng(3)
    side, count = 100.0, 4000
    grid = (np.stack(np.meshgrid(np.arange(80), np.arange(80)), -1).reshape(-1, 2) + 0.5) * (side / 80)
    positions = grid[np.hypot(*(grid - 50).T) > 31][:count]
    count = len(positions) + 1
    radii = np.append(np.full(count - 1, 0.03), 30.0)
    velocities = rng.normal(size=(count, 2))
    state = discs(np.vstack([positions, [[50, 50]]]), velocities, radii, side, masses=radii**2)
    simulation = EventDriven(Scenario(), state)
    progress = simulation.advance(until_clusters=count - 500)
    assert progress.clusters == count - 500
    kept = simulation.invariants()
    assert kept["max_overlap"] < 1e-9
    assert kept["momentum_error"] < 1e-13


def test_a_full_pool_of_watchers_is_no_end():
    """Touching discs that are all big watch each other; with no room left they fall back on bounds."""
    state = almost_touching()
    simulation = EventDriven(Scenario(), state, Tuning(big_cells=1, envelope=0.5))
    room = 2 * 49 + 512 + 1  # the least that an event may begin with
    simulation._st = simulation._st._replace(watches=np.zeros(room, cl.WATCH))
    simulation.advance()
    expected = run_all_pairs(state)
    np.testing.assert_array_equal(np.sort(simulation.merges(), axis=1), np.sort(expected.pairs, axis=1))
