"""Masses and radii of gyration of clusters, the dimension from both, and bends of box counting."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from engine.analysis import Sample, analyse, gyration
from engine.analysis.cluster_masses import ClusterMasses, cluster_masses
from engine.analysis.clusters import size_bins
from engine.analysis.fractal import fit_dimension
from engine.boundary import Periodic
from engine.power_laws import power_of_exact, power_through


def chains(dimensions: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Straight chains of 2 and 5 touching discs, a single one, and one chain of 4 across an edge of the box."""
    rows = [(1.0, 2), (3.0, 5), (5.0, 1), (7.0, 4)]
    positions, cluster = [], []
    for label, (y, length) in enumerate(rows):
        for k in range(length):
            positions.append([(9.0 + k if length == 4 else 0.5 + k) % 10.0, y, *[2.0] * (dimensions - 2)])
            cluster.append(label)
    return np.array(positions), np.full(len(positions), 0.5), np.array(cluster, np.int32)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_each_cluster_has_the_radius_of_its_unwrapped_discs_weighted_by_mass(dimensions: int) -> None:
    positions, radii, cluster = chains(dimensions)
    masses = np.linspace(0.5, 1.5, len(radii))
    box = np.full(dimensions, 10.0)
    sample = Sample(positions, radii, box, periodic=True, cluster=cluster, masses=masses)
    found = cluster_masses(sample)
    assert found is not None
    expected = []
    for label, length in ((0, 2), (1, 5), (3, 4)):
        m, at = masses[cluster == label], np.arange(float(length))
        off = at - np.average(at, weights=m)
        expected.append((m.sum(), np.sqrt(np.average(off**2, weights=m))))
    assert_allclose(np.column_stack([found.mass, found.gyration_radius]), sorted(expected), rtol=1e-12)
    assert found.without == 0
    whole = Sample(positions[:, ::-1] * 1.0, radii, box, periodic=True, cluster=cluster)  # equal masses count discs
    again = cluster_masses(whole)
    assert again is not None
    assert_allclose(again.mass, [2.0, 4.0, 5.0])


def test_clusters_that_wrap_around_the_box_have_no_radius_and_are_counted() -> None:
    ring = np.column_stack([np.arange(10) + 0.5, np.full(10, 3.0)])
    sample = Sample(ring, np.full(10, 0.5), np.full(2, 10.0), periodic=True, cluster=np.zeros(10, np.int32))
    found = cluster_masses(sample)
    assert found is not None
    assert (len(found.mass), found.without, found.fit) == (0, 1, None)
    assert np.isnan(found.binned()[2]).all()
    channel = Periodic((False, True))  # along x there are walls, so that the row ends at them
    sample = Sample(ring, np.full(10, 0.5), np.full(2, 10.0), periodic=channel, cluster=np.zeros(10, np.int32))
    found = cluster_masses(sample)
    assert found is not None
    assert found.gyration_radius == pytest.approx(np.sqrt(99.0 / 12.0))


def test_two_discs_across_a_narrow_channel_are_as_far_apart_as_they_are() -> None:
    """Farther than half of the side between the walls, where a periodic box would have a nearer image."""
    pair, box = np.array([[1.0, 0.5], [1.0, 1.53]]), np.array([10.0, 2.04])
    found = gyration(pair, np.full(2, 0.5), box, periodic=Periodic((True, False)))
    assert_allclose(found.tensor, [[0.0, 0.0], [0.0, 0.515**2]])


def test_the_dimension_has_no_bias_and_its_error_is_the_spread_over_seeds() -> None:
    """Radii that scatter by 20 % at a given mass: mass fitted over radius would give less."""
    found, naive = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        mass = np.floor(2.0 / rng.random(400)).clip(2, 2000)
        radius = (mass / 1.5) ** (1.0 / 1.7) * np.exp(0.2 * rng.normal(size=400))
        order = np.argsort(mass)
        state = ClusterMasses(mass[order], radius[order], 1.0, 0, size_bins(2500))
        fit = state.fit
        assert fit is not None
        found.append((fit.exponent, fit.error))
        plain = power_through(radius, mass, (0.0, np.inf))
        assert plain is not None
        naive.append(plain.exponent)
    values, errors = np.array(found).T
    assert abs(values.mean() - 1.7) < 3.0 * values.std() / np.sqrt(60)
    assert 0.75 < np.sqrt(np.square((values - 1.7) / errors).mean()) < 1.33
    assert np.mean(naive) < 1.6
    assert power_of_exact(np.ones(5), np.arange(1.0, 6.0), (0.5, 2.0)) is None


def test_bins_of_masses_are_the_same_for_all_runs_with_as_many_discs() -> None:
    state = ClusterMasses(np.array([2.0, 2.0, 3.0, 40.0]), np.array([1.0, 4.0, 1.5, 9.0]), 1.0, 0, size_bins(100))
    mass, _, radius, number = state.binned()
    known = np.isfinite(radius)
    assert_allclose(mass[known][:2], [2.0, 3.0])
    assert_allclose(radius[known], [2.0, 1.5, 9.0])
    assert number.sum() == 4
    assert len(mass) == len(size_bins(100)) - 1


def test_neighbouring_slopes_of_box_counting_that_differ_by_more_than_0_3_are_told() -> None:
    eps = 64.0 / 2.0 ** np.arange(1, 11)
    straight = {"eps": eps, "n": np.rint(1e4 * (eps / eps[0]) ** -1.6).astype(np.int64)}
    fit = fit_dimension(straight, 0.1)
    assert fit is not None
    assert fit.bends == ()
    bent = {"eps": eps, "n": np.where(eps >= 4.0, (eps / 64.0) ** -2.0, 256.0 * (eps / 4.0) ** -1.0).astype(np.int64)}
    fit = fit_dimension(bent, 0.1)
    assert fit is not None
    assert_allclose(fit.bends, [4.0])
    line = np.column_stack([np.linspace(1.0, 31.0, 31), np.full(31, 16.0)])
    told = analyse(line, np.full(31, 0.5), np.full(2, 32.0), periodic=False, cluster=np.zeros(31, np.int32)).to_dict()
    assert isinstance(told["fractal_fit"]["bends"], list)
    assert told["cluster_masses"]["clusters"][-1] == 1
