"""What a gas says that it has measured, against a count of the same events from its frames: no statistical error."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import states
from tests.builders.states import bouncing, discs, random_state
from tests.reference.counting import count


def gas(number, fraction, *, boundary="periodic", restitution=1.0, **more):
    settings = {"hard_discs__restitution": restitution, "hard_discs__on_collapse": "continue"}
    return states.gas(number, fraction, box__boundary=boundary, discs__arrangement="random", **settings, **more)


def heaped(seed, restitution=1.0, periodic=False):
    """48 discs thrown into a box without regard to each other: many overlap by much, two or three at a time."""
    rng = np.random.default_rng(seed)
    positions = rng.uniform(0.06, 0.94, (48, 2))
    velocities = rng.normal(size=(48, 2))
    state = discs(positions, velocities - velocities.mean(axis=0), 0.05, [1.0, 1.0], periodic=periodic)
    return bouncing(state, restitution=restitution, on_collapse="continue")


@pytest.mark.parametrize(("number", "fraction", "settle"), [(400, 0.4, 2000), (72, 0.65, 4000), (9, 0.3, 60)])
def test_pressure_rate_and_temperature(number, fraction, settle):
    simulation = gas(number, fraction)
    simulation.advance(max_events=settle)
    simulation.reset_measures()
    begun = simulation.history()
    counted = count(simulation, 600)
    found = simulation.measures()
    assert found.compressibility == pytest.approx(counted.z(number), rel=1e-9)
    assert found.pair_collisions == counted.pairs == 600
    assert found.collision_rate == pytest.approx(2.0 * 600 / (number * counted.time), rel=1e-9)
    assert found.time_measured == pytest.approx(counted.time, rel=1e-12)
    velocities = simulation.frame().velocities
    assert found.temperature == pytest.approx(0.5 * float(np.square(velocities).sum()) / (number - 1), rel=1e-9)
    history = simulation.history()
    later = history.collisions > begun.collisions[-1]
    assert history.virial[later][-1] - begun.virial[-1] <= counted.virial * (1.0 + 1e-9)
    assert history.virial[later][-1] - begun.virial[-1] >= counted.virial * (1.0 - 200.0 / 600.0)


@pytest.mark.parametrize("restitution", [0.9, 0.5])
def test_pressure_of_discs_that_lose_energy_and_differ(restitution):
    state = random_state(np.random.default_rng(4), 60, periodic=True, fraction=0.3, spread=0.5, free_masses=True)
    state.velocities -= (state.masses @ state.velocities / state.masses.sum())[None, :]
    simulation = bouncing(state, restitution=restitution)
    simulation.advance(max_events=300)  # what comes before discs have forgotten their start would be left out
    simulation.reset_measures()
    counted = count(simulation, 200)
    assert simulation.measures().compressibility == pytest.approx(counted.z(60), rel=1e-9)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("restitution", "periodic"), [(1.0, False), (0.7, False), (1.0, True)])
def test_three_body_and_stabilising_events(seed, restitution, periodic):
    """Discs that overlap by much: who overlaps whom is plain to see. Some of them begin at their first event."""
    simulation = heaped(seed, restitution, periodic)
    counted = count(simulation, 200)
    found = simulation.measures()
    for (fewest, most), told in (
        (counted.three_body, found.three_body_events),
        (counted.stabilising, found.stabilising_events),
    ):
        assert 40 < fewest <= told <= most < 1.1 * fewest  # some overlaps are as small as rounding
    progress = simulation.advance(max_events=0)
    assert progress.events["three-body"] == found.three_body_events
    assert progress.events["stabilising"] == found.stabilising_events
    assert progress.events["collision"] == counted.pairs


def test_a_gas_that_never_overlapped_has_neither():
    simulation = gas(200, 0.5, boundary="walls")
    counted = count(simulation, 500)
    found = simulation.measures()
    assert (counted.three_body, counted.stabilising) == ([0, 0], [0, 0])
    assert (found.three_body_events, found.stabilising_events) == (0, 0)


def test_three_body_events_of_groups_that_collapse():
    """Overlaps as small as rounding, as in figure 5 of the paper: the count lies between the bounds that exact
    arithmetic gives.

    These are runs in which groups collapse and where the bounds are near to each other; in other ones neither is so.
    """
    least, most, stabilising, at_most = 0, 0, 0, 0
    for seed in (4, 5):
        simulation = gas(64, 0.5, boundary="walls", restitution=0.4, hard_discs__wall_restitution=0.9, seed=seed)
        counted = count(simulation, 1200)
        found = simulation.measures()
        assert counted.three_body[0] <= found.three_body_events <= counted.three_body[1], seed
        assert counted.stabilising[0] <= found.stabilising_events <= counted.stabilising[1], seed
        least, most = least + counted.three_body[0], most + counted.three_body[1]
        stabilising, at_most = stabilising + found.stabilising_events, at_most + counted.stabilising[1]
    assert 50 < least <= most < 2 * least
    assert at_most < 3 * stabilising


@pytest.mark.parametrize(
    ("fraction", "restitution", "radii"), [(0.1, 1.0, "equal"), (0.5, 0.8, "equal"), (0.3, 1.0, "bidisperse")]
)
def test_impact_separations(fraction, restitution, radii):
    """Between walls positions are what the kernels have: the separations follow to a unit in the last place."""
    spread = {"discs.spread": 1.4} if radii == "bidisperse" else {}
    simulation = gas(100, fraction, boundary="walls", restitution=restitution, **{"discs.radii": radii}, **spread)
    simulation.count_impacts = True
    counted = count(simulation, 600)
    edges, counts = simulation.impact_histogram()
    assert counts.sum() == counted.pairs
    middle = 0.5 * (edges[1:] + edges[:-1])
    told = np.repeat(middle, counts)
    exact = np.clip(np.sort(counted.separations), -2048.0, 2048.0)
    assert np.abs(told - exact).max() <= DOUBT
    assert np.abs(told).mean() == pytest.approx(np.abs(exact).mean(), abs=0.5)
    assert np.abs(exact).mean() > 1.5  # else four times as much would look the same


DOUBT = 2.5
"""Units in the last place: the square of the distance is rounded, and so is the place in the histogram."""


def test_impact_separations_begin_anew_with_the_measures():
    simulation = gas(50, 0.3)
    simulation.count_impacts = True
    count(simulation, 50)
    simulation.reset_measures()
    counted = count(simulation, 70)
    assert simulation.impact_histogram()[1].sum() == counted.pairs == 70
