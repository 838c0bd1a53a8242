"""A collapse is reported even for the smallest groups that can collapse, and only then."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from tests.builders.states import bouncing, discs

THREE = 7 - 4 * sqrt(3)  # Bernu and Mazighi 1990
TWO_AT_A_WALL = 3 - 2 * sqrt(2)


def line(count, seed, restitution, **settings):
    """Discs in a line that run into each other, the first the fastest."""
    rng = np.random.default_rng(seed)
    x = 5.0 + np.cumsum(1.02 + rng.uniform(0.0, 0.9, count))
    velocities = np.linspace(1.3, -0.7, count) + 0.1 * rng.normal(size=count)
    zeros = np.zeros(count)
    state = discs(np.stack([x, zeros + 10.0], 1), np.stack([velocities, zeros], 1), 0.5, 40.0)
    return bouncing(state, restitution=restitution, **settings)


@pytest.mark.parametrize("restitution", [0.0, 0.03, 0.99 * THREE])
def test_three_in_a_line_collapse(restitution):
    for seed in range(10):
        simulation = line(3, seed, restitution)
        progress = simulation.advance(until_time=5.0)
        found = simulation.measures().collapse
        assert found.discs.tolist() == [0, 1, 2]
        assert found.text == progress.stop_reason
        assert progress.finished


@pytest.mark.parametrize("count", [2, 3])
def test_a_gas_without_a_collapse_reports_none(count):
    for seed in range(10):
        for restitution in (0.0 if count == 2 else 1.06 * THREE, 0.1, 0.5, 1.0):
            simulation = line(count, seed, restitution)
            simulation.advance(until_time=5.0)
            assert simulation.measures().collapse is None


@pytest.mark.parametrize("count", [4, 5, 8])
def test_more_discs_collapse_at_weaker_losses(count):
    for seed in range(5):
        simulation = line(count, seed, 0.15)
        simulation.advance(until_time=8.0)
        found = simulation.measures().collapse
        assert 3 <= len(found.discs) <= count


@pytest.mark.parametrize(("factor", "collapses"), [(0.1, True), (0.98, True), (1.05, False), (2.0, False)])
def test_two_collapse_at_a_wall(factor, collapses):
    eps = factor * TWO_AT_A_WALL
    state = discs([[1.0, 5], [2.4, 5]], [[-0.2, 0], [-1, 0]], 0.5, 20.0)
    simulation = bouncing(state, restitution=eps, wall_restitution=eps)
    simulation.advance(until_time=8.0)
    assert (simulation.measures().collapse is not None) == collapses


def test_a_run_that_goes_on_reports_it_once():
    simulation = line(3, 1, 0.05, on_collapse="continue")
    progress = simulation.advance(until_time=5.0)
    assert progress.time == 5.0
    found = simulation.measures().collapse
    assert found.time < 5.0
