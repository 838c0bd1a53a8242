"""Rounding errors do not add up: the energy of two discs that collide again and again stays the same."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders.states import bouncing, discs


@pytest.mark.parametrize(("ratio", "collisions"), [(1e2, 31), (1e6, 3141), (1e10, 314159)])
def test_a_heavy_disc_and_a_light_one_at_a_wall_count_the_digits_of_pi(ratio, collisions):
    """Galperin 2003: a heavy disc pushes a light one to the wall, 10^k times as many digits of π in collisions."""
    state = discs([[10, 5], [20, 5]], [[0, 0], [-1, 0]], 0.5, [2e6, 10], masses=[1.0, ratio])
    simulation = bouncing(state)
    events = simulation.advance(until_time=1e4).events
    assert events["collision"] + events["wall"] == collisions
    # a plain loop over the two velocities has -8e-15 for 314 159
    assert abs(simulation.measures().energy_drift) < 2e-13


@pytest.mark.parametrize("masses", [[1.0, 1.0], [1.0, 1.7]])
@pytest.mark.parametrize(
    ("periodic", "collisions"),
    [
        (True, 4_000),
        (False, 100_000),
        pytest.param(True, 300_000, marks=pytest.mark.slow),
        pytest.param(False, 300_000, marks=pytest.mark.slow),
    ],
)
def test_two_discs_keep_their_energy(periodic, collisions, masses):
    """An error of 1e-17 that always goes one way would add up to more."""
    velocities = np.random.default_rng(4).normal(size=(2, 2))
    simulation = bouncing(discs([[1.2, 1.2], [3.5, 3.2]], velocities, 1.0, 5.0, periodic=periodic, masses=masses))
    simulation.advance(max_events=collisions)
    measured = simulation.measures()
    assert abs(measured.energy_drift) < 1e-17 * collisions
    assert measured.momentum_error < 1e-17 * collisions
