"""Sizes of clusters in bins, and profiles: against plain counting, freud, and states of which all is known."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine.analysis import Averages, Sample, analyse, measure, size_distribution
from engine.analysis.profiles import cluster_profile, height_profile, radial_profile
from engine.analysis.state import disc_state
from engine.analysis.structure import HEIGHT_PROFILE, STRUCTURE
from engine.boundary import Periodic
from engine.scenario import Scenario
from engine.system import system_of
from tests.builders.boxes import every_boundary
from tests.builders.states import random_state
from tests.reference import indicators as reference

BOX = np.array([30.0, 24.0])
BOUNDARIES = every_boundary(2)


def test_cluster_sizes_in_bins_as_counted_one_by_one() -> None:
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 90, 700).astype(np.int32) ** 2 // 40
    positions = rng.random((700, 2)) * BOX
    found = analyse(positions, np.full(700, 0.1), BOX, periodic=True, cluster=labels).cluster_size_distribution
    sizes = np.array(reference.cluster_sizes(labels))
    assert found.edges[0] == 1
    assert found.edges[-2] <= sizes.max() < found.edges[-1]
    assert (np.diff(found.edges) > 0).all()
    for k, (low, high) in enumerate(zip(found.edges[:-1], found.edges[1:], strict=True)):
        inside = sizes[(sizes >= low) & (sizes < high)]
        assert found.density[k] == pytest.approx(len(inside) / (high - low))
        assert found.sizes[k] == pytest.approx(np.sqrt(low * (high - 1)))
    assert found.counts.sum() == pytest.approx(len(sizes))
    assert found.number_mean == pytest.approx(sizes.mean())
    assert found.weight_mean == pytest.approx((sizes**2).sum() / sizes.sum())
    x, y = found.scaled()
    assert x == pytest.approx(found.sizes / found.weight_mean)
    assert y == pytest.approx(found.sizes**2 * found.density / 700)


def test_one_size_has_one_bin() -> None:
    for size, number in ((1, 7), (2, 3), (5, 4), (4096, 1)):
        found = size_distribution({size: number})
        assert found.counts[-1] == pytest.approx(number)
        assert found.counts[:-1] == pytest.approx(0.0)
        assert found.number_mean == found.weight_mean == size


def test_distributions_that_scale_fall_on_one_curve() -> None:
    """n_s = s^-2 f(s / S) with f(x) = x^2 exp(-x), at two times."""
    curves = []
    for typical in (40.0, 160.0):
        s = np.arange(1, 6000)
        n = 4e13 * s**-2.0 * (s / typical) ** 2 * np.exp(-s / typical) / typical
        found = size_distribution({int(a): round(float(b)) for a, b in zip(s, n, strict=True) if round(b) > 0})
        assert found.weight_mean == pytest.approx(2.0 * typical, rel=0.03)
        curves.append(found.scaled())
    at = np.geomspace(0.2, 2.0, 9)
    one, two = (np.interp(at, x, y) for x, y in curves)
    assert one == pytest.approx(two, rel=0.06)


@BOUNDARIES
def test_radial_and_height_profile_as_counted_ring_by_ring(periodic: Periodic) -> None:
    state = random_state(np.random.default_rng(5), 300, periodic=periodic, fraction=0.35, spread=0.4, box=(30.0, 24.0))
    checked = disc_state(state.positions, state.radii, BOX, periodic=periodic)
    margin = np.where(periodic, 0.0, state.radii.mean())
    speeds = np.hypot(*state.velocities.T)
    radial = radial_profile(checked, state.velocities)
    assert radial.edges[-1] == pytest.approx(12.0 - margin[1])
    assert np.diff(radial.edges) == pytest.approx(radial.edges[1])
    number, wanted = reference.profile(np.hypot(*(state.positions - BOX / 2).T), speeds, radial.edges)
    even = 300 * np.pi * np.diff(radial.edges**2) / (BOX - 2 * margin).prod()
    np.testing.assert_allclose(radial.density, number / even)
    np.testing.assert_allclose(radial.speed, wanted)
    height = height_profile(checked, state.velocities)
    assert (height.edges[0], height.edges[-1]) == (pytest.approx(margin[1]), pytest.approx(24.0 - margin[1]))
    within = np.clip(state.positions[:, 1], height.edges[0], height.edges[-1])
    number, wanted = reference.profile(within, speeds, height.edges)
    assert number.sum() == 300
    np.testing.assert_allclose(height.density, number * (len(height.edges) - 1) / 300)
    np.testing.assert_allclose(height.speed, wanted)
    bare = radial_profile(checked)
    assert bare.speed is None
    np.testing.assert_array_equal(bare.density, radial.density)


@BOUNDARIES
def test_an_even_gas_has_an_even_density(periodic: Periodic) -> None:
    rng = np.random.default_rng(1)
    radius = 0.05
    edge = np.where(periodic, 0.0, radius)
    state = disc_state(
        rng.uniform(edge, 1.0 - edge, (40_000, 2)), np.full(40_000, radius), np.ones(2), periodic=periodic
    )
    for profile in (radial_profile(state), height_profile(state)):
        assert profile.density[1:] == pytest.approx(1.0, abs=0.1)
        assert profile.density[1:].mean() == pytest.approx(1.0, abs=0.02)


@every_boundary(2)
def test_a_gas_has_the_profile_of_a_plain_histogram(periodic: Periodic) -> None:
    """Between two walls its discs lie in layers along them; across periodic edges there is none."""
    scenario = {"system": "hard-discs", "discs.count": 300, "discs.volume_fraction": 0.45, "seed": 2}
    simulation = engine.create(Scenario().with_values(scenario | {"box.boundary": periodic.boundary}))
    simulation.advance(max_events=300 * 10)
    averages, heights = Averages([HEIGHT_PROFILE]), []
    for _ in range(40):
        simulation.advance(max_events=300 * 2)
        frame = simulation.frame()
        heights.append(frame.positions[:, 1])
        averages.add(frame.time, system_of(simulation.scenario).sample(simulation, frame))
    found, radius = averages.average("height_profile").value, simulation.radii.mean()
    margin = 0.0 if periodic[1] else radius
    edges = np.linspace(margin, simulation.box[1] - margin, len(found.density) + 1)
    np.testing.assert_allclose(found.edges, edges)
    plain = np.histogram(np.concatenate(heights), edges)[0] * len(found.density) / (40 * 300)
    np.testing.assert_allclose(found.density, plain, rtol=0, atol=0.02)  # rounding moves a disc over an edge
    beside, middle = found.density[[0, -1]], found.density[len(found.density) // 3 : -len(found.density) // 3]
    assert middle.mean() == pytest.approx(1.0, abs=0.08)
    assert (beside > 1.5).all() != periodic[1]


def test_density_under_gravity_falls_as_the_barometric_formula_says() -> None:
    rng = np.random.default_rng(4)
    y = rng.exponential(0.2, 60_000)
    y = y[y < 1.0]
    positions = np.column_stack([rng.random(len(y)), y])
    profile = height_profile(disc_state(positions, np.full(len(y), 1e-3), np.ones(2), periodic=False))
    wanted = np.exp(-profile.middle / 0.2) / (0.2 * (1.0 - np.exp(-5.0)))
    assert profile.density[:30] == pytest.approx(wanted[:30], rel=0.1)


def test_profile_of_a_cluster_as_counted_ring_by_ring_and_of_a_full_disc() -> None:
    rng = np.random.default_rng(9)
    x, y = np.meshgrid(np.arange(-30.0, 31.0), np.arange(-30.0, 31.0))
    points = np.column_stack([x.ravel(), y.ravel()])
    points = points[np.hypot(*points.T) <= 30.0]
    velocities = rng.normal(size=points.shape)
    profile = cluster_profile(points + np.array([100.0, -7.0]), 0.5, velocities)
    number, speeds = reference.profile(np.hypot(*points.T), np.hypot(*velocities.T), profile.edges)
    assert number.sum() == len(points)
    np.testing.assert_allclose(profile.density, number * 0.25 / np.diff(profile.edges**2))
    np.testing.assert_allclose(profile.speed, speeds)
    assert profile.density[7:-2] == pytest.approx(np.pi / 4, rel=0.15)  # the square lattice of discs that touch
    assert cluster_profile(points[:9], 0.5) is None


def test_profile_of_the_largest_cluster_goes_through_the_edge() -> None:
    x, y = np.meshgrid(np.arange(5.0), np.arange(4.0))
    block = np.column_stack([x.ravel(), y.ravel()])
    alone = np.array([[10.0, 10.0], [14.0, 9.0]])
    cluster = np.array([0] * 20 + [20, 21], np.int32)
    found = []
    for shift in ([3.0, 3.0], [17.5, 18.5]):
        positions = np.concatenate([(block + shift) % 20.0, alone])
        sample = Sample(positions, np.full(22, 0.5), np.array([20.0, 20.0]), periodic=True, cluster=cluster)
        found.append(measure(sample, STRUCTURE)["cluster_profile"])
    assert found[0] is not None
    np.testing.assert_allclose(found[0].edges, found[1].edges)
    np.testing.assert_allclose(found[0].density, found[1].density)
    assert (found[0].density * np.diff(found[0].edges ** 2) / 0.25).sum() == pytest.approx(20.0)


def test_a_box_without_room_for_centres_has_no_profile() -> None:
    state = disc_state(np.array([[1.0, 1.0]]), np.ones(1), np.array([2.0, 2.0]), periodic=False)
    assert radial_profile(state) is None
    assert height_profile(state) is None
