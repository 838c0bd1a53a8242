"""Indicators of spheres: each beside a plain computation over all pairs, or the literature."""

from __future__ import annotations

import numpy as np
import pytest

from engine import analysis
from engine.analysis.distances import distribution_and_correlation, pair_correlation
from engine.analysis.profiles import cluster_profile, height_profile, radial_profile
from engine.analysis.state import disc_state
from engine.analysis.structure_factor import structure_factor, wave_numbers
from engine.analysis.velocities import velocity_correlation
from engine.hard_discs.theory import fluid_z
from engine.indicators import measure
from tests.builders.boxes import every_boundary, every_edge
from tests.builders.states import gas, random_state
from tests.reference import indicators as reference
from tests.reference.images import shortest

BOX = np.array([5.0, 4.0, 6.0])


def some(count=400, periodic=True, seed=1, box=BOX):
    return random_state(np.random.default_rng(seed), count, periodic=periodic, fraction=0.2, spread=0.6, box=box)


def distances_of(state):
    i, j = np.triu_indices(len(state.radii), 1)
    apart = shortest(state.positions[i] - state.positions[j], state.box, state.periodic)
    return i, j, np.sqrt((apart**2).sum(axis=1))


@every_edge(3)
@pytest.mark.parametrize("box", [BOX, np.array([20.0, 3.0, 3.0])])
def test_pairs_are_those_of_all_pairs(periodic, box, monkeypatch):
    monkeypatch.setattr("engine.geometry.neighbours._PAIRS_AT_ONCE", 500)  # in many parts
    state = some(periodic=periodic, box=box)
    i, j, apart = distances_of(state)
    for cells in (0.0, 3.0):  # pairs listed by cells, and all of them
        monkeypatch.setattr("engine.analysis.distances._CELLS", cells)
        found = analysis.pair_distribution(state.positions, state.radii, state.box, periodic=periodic)
        within = (apart[:, None] <= found["r"]).sum(axis=0)
        assert found["p"].tolist() == ((400 + 2 * within) / 400).tolist()
    touching = apart <= 1.05 * (state.radii[i] + state.radii[j])
    pairs = analysis.contact_pairs(state.positions, state.radii, state.box, periodic=periodic)
    assert sorted(map(tuple, pairs.tolist())) == sorted(zip(i[touching].tolist(), j[touching].tolist(), strict=True))
    counts = np.bincount(np.append(i[touching], j[touching]), minlength=400)
    contacts = analysis.contacts(state.positions, state.radii, state.box, periodic=periodic)
    assert contacts.histogram.tolist() == np.bincount(counts, minlength=13).tolist()
    assert contacts.relative == pytest.approx((1.0 + counts.mean()) / 12.0, rel=1e-12)
    correlation = pair_correlation(disc_state(state.positions, state.radii, state.box, periodic=periodic))
    edges = np.arange(len(correlation.g) + 1) * correlation.diameter / 20.0
    if periodic.all:
        ideal = 0.5 * 400 * 399 * 4.0 / 3.0 * np.pi * np.diff(edges**3) / box.prod()
        assert correlation.g == pytest.approx(np.histogram(apart, edges)[0] / ideal, rel=1e-12)


@every_edge(3)
@pytest.mark.parametrize("box", [BOX, np.array([20.0, 3.0, 3.5])])
def test_pair_correlation_of_spheres_as_counted_pair_by_pair(periodic, box):
    """Also where it reaches half of a side, so that walls cut off a large part of the shells."""
    state = some(200, periodic=periodic, box=box)
    found = pair_correlation(disc_state(state.positions, state.radii, box, periodic=periodic))
    edges = np.arange(len(found.g) + 1) * found.diameter / 20.0
    sides = np.where(periodic, box, box - found.diameter)
    assert edges[-1] == pytest.approx(min(6.0 * found.diameter, 0.5 * sides.min()), abs=found.diameter / 20.0)
    wanted = reference.pair_correlation(state.positions, box, periodic, edges, 0.5 * found.diameter)
    assert found.g == pytest.approx(wanted, rel=1e-3)
    assert found.g[-5:].min() > 0.5


@every_edge(3)
def test_points_at_random_are_an_ideal_gas(periodic):
    rng = np.random.default_rng(3)
    box, radius = np.array([30.0, 24.0, 27.0]), 0.5
    found, structure = [], []
    for _ in range(3):
        edge = np.where(periodic, 0.0, radius)
        places = edge + rng.random((6000, 3)) * (box - 2.0 * edge)
        state = disc_state(places, np.full(6000, radius), box, periodic=periodic)
        found.append(pair_correlation(state).g)
        structure.append(structure_factor(state).s)
    assert np.mean(found, axis=0)[40:] == pytest.approx(np.ones(80), abs=0.03)
    assert np.mean(structure) == pytest.approx(1.0, abs=0.06)


@every_edge(3)
def test_the_structure_factor_is_that_of_a_plain_sum(periodic):
    state = some(200, periodic=periodic)
    low = np.where(periodic, 0.0, state.radii.mean())
    sides = state.box - 2.0 * low
    found = structure_factor(disc_state(state.positions, state.radii, state.box, periodic=periodic))
    tilt = periodic.offset / sides[0]
    numbers = wave_numbers(sides, 20.0 / (2.0 * state.radii.mean()), 8192, tilt)
    assert len(np.unique(np.concatenate([numbers, -numbers]), axis=0)) == 2 * len(numbers)  # one of each two
    assert 2000 < len(numbers) < 12_000
    waves = 2.0 * np.pi * (numbers - tilt * numbers[:, :1] * np.array([0, 1, 0])) / sides
    across = waves @ np.array([periodic.offset, sides[1], 0.0]) / (2.0 * np.pi)
    assert across == pytest.approx(np.rint(across), abs=1e-9), "the image above has the same phase"
    plain = np.abs(np.exp(1j * (state.positions - low) @ waves.T).sum(axis=0)) ** 2 / 200
    length = np.sqrt((waves**2).sum(axis=1))
    place = np.floor(32 * np.log10(length / length.min()) + 0.5).astype(int)
    known = np.unique(place)
    assert found.k == pytest.approx([length[place == at].mean() for at in known], rel=1e-12)
    assert found.s == pytest.approx([plain[place == at].mean() for at in known], rel=1e-8)


@every_edge(3)
def test_velocity_correlation_as_compared_pair_by_pair(periodic):
    state = some(300, periodic=periodic)
    shear = state.velocities + 3.0 * np.sin(2.0 * np.pi * state.positions[:, [2, 0, 1]] / state.box[[2, 0, 1]])
    checked = disc_state(state.positions, state.radii, state.box, periodic=periodic)
    found = velocity_correlation(checked, shear, state.masses)
    intervals = int(0.5 * state.box.min() / found.diameter * 5 + 1e-9)
    edges = np.arange(intervals + 1) * found.diameter / 5
    want = reference.velocity_correlation(state.positions, shear, state.masses, state.box, periodic, edges)
    met = np.isfinite(want[0])
    assert found.r == pytest.approx((edges[:-1] + 0.1 * found.diameter)[met])
    assert found.total == pytest.approx(want[0][met], rel=1e-10, abs=1e-12)
    assert found.parallel == pytest.approx(want[1][met], rel=1e-10, abs=1e-12)
    assert np.abs(found.total[2:]).max() > 0.05
    half = velocity_correlation(checked, shear, state.masses, 6000)  # of some 12 000 pairs
    assert half.r[-5:].tolist() == found.r[-5:].tolist()
    assert 0.0 < np.abs(half.total[-5:] - found.total[-5:]).max() < 0.1


@every_boundary(3)
def test_profiles_as_counted_shell_by_shell(periodic):
    state = some(500, periodic=periodic)
    speeds = np.linalg.norm(state.velocities, axis=1)
    checked = disc_state(state.positions, state.radii, state.box, periodic=periodic)
    low = np.where(periodic, 0.0, state.radii.mean())
    sides = state.box - 2.0 * low
    radial = radial_profile(checked, state.velocities)
    apart = np.linalg.norm(state.positions - state.box / 2.0, axis=1)
    number, means = reference.profile(apart, speeds, radial.edges)
    assert radial.edges[-1] == pytest.approx(0.5 * sides.min())
    shells = 4.0 / 3.0 * np.pi * np.diff(radial.edges**3)
    assert radial.density == pytest.approx(number / (500 * shells / sides.prod()), rel=1e-12)
    assert radial.speed == pytest.approx(means, rel=1e-12, nan_ok=True)
    height = height_profile(checked, state.velocities)
    within = np.clip(state.positions[:, 2], height.edges[0], height.edges[-1])
    number, means = reference.profile(within, speeds, height.edges)
    assert height.edges[[0, -1]] == pytest.approx([low[2], 6.0 - low[2]])
    assert height.density == pytest.approx(number * len(number) / 500, rel=1e-12)
    assert height.speed == pytest.approx(means, rel=1e-12, nan_ok=True)


def test_the_profile_of_a_full_ball_and_of_a_line():
    grid = np.stack(np.meshgrid(*[np.arange(-12.0, 13.0)] * 3), axis=-1).reshape(-1, 3)
    ball = grid[np.linalg.norm(grid, axis=1) <= 12.0]
    profile = cluster_profile(ball + np.array([5.0, -7.0, 30.0]), 0.5)
    assert profile.density[4:-2] == pytest.approx(np.pi / 6.0, rel=0.15)
    apart = np.linalg.norm(ball - ball.mean(axis=0), axis=1)
    number, _ = reference.profile(apart, apart, profile.edges)
    assert profile.density == pytest.approx(number * 0.125 / np.diff(profile.edges**3), rel=1e-12)
    line = cluster_profile(np.outer(np.arange(2001.0), np.ones(3) / np.sqrt(3.0)), 0.5)
    slope = np.polyfit(np.log(line.middle[8:-2]), np.log(line.density[8:-2]), 1)[0]
    assert slope == pytest.approx(1.0 - 3.0, abs=0.05)


def test_speeds_of_maxwell():
    rng = np.random.default_rng(2)
    masses = rng.uniform(0.5, 2.0, 100_000)
    velocities = 1.5 / np.sqrt(masses)[:, None] * rng.standard_normal((100_000, 3)) + [1.0, 2.0, 3.0]
    found = analysis.gas.speeds(velocities, masses, periodic=True)
    assert found.temperature == pytest.approx(2.25, rel=0.01)
    assert found.component_temperatures == pytest.approx([2.25] * 3, rel=0.02)
    assert found.sonine == pytest.approx(0.0, abs=0.01)
    assert found.mean_velocity == pytest.approx([1.0, 2.0, 3.0], abs=0.02)
    u = 0.5 * (found.edges[1:] + found.edges[:-1])
    assert found.density == pytest.approx(np.sqrt(2.0 / np.pi) * u**2 * np.exp(-(u**2) / 2.0), abs=0.02)


def test_a_gas_has_the_pressure_of_the_literature():
    simulation = gas(4000, 0.3, dimensions=3, hard_discs__equilibration=10.0)
    start = simulation.frame().positions.copy()
    values = []
    for _ in range(4):
        simulation.advance(max_events=20_000)
        frame = simulation.frame()
        sample = analysis.Sample(
            frame.positions, simulation.radii, simulation.box, periodic=True, velocities=frame.velocities,
            masses=simulation.masses, images=frame.fields["images"], start=start, start_velocities=frame.velocities,
            joins=False,
        )  # fmt: skip
        values.append(measure(sample, analysis.every_indicator()))
    pressure = np.mean([one["contact_compressibility"] for one in values])
    want = float(fluid_z(0.3, 3))
    assert pressure - 1.0 == pytest.approx(want - 1.0, rel=0.03)
    last = values[-1]
    assert last["contact_value"] == pytest.approx((last["contact_compressibility"] - 1.0) / 1.2, rel=1e-9)
    assert last["volume_fraction"] == pytest.approx(0.3)
    g = last["pair_correlation"].g
    assert g[:19].max() == 0.0
    assert g[19] < 0.01  # σ lies on the edge
    assert 1.5 * g[20] - 0.5 * g[21] == pytest.approx((want - 1.0) / 1.2, rel=0.06)  # extrapolated to σ
    assert last["mean_square_displacement"] > 0.0
    assert last["velocity_autocorrelation"] == pytest.approx(1.0)
    assert last["fluctuations"].ratio[-1] < 0.3
    compressible = last["structure_factor"].s[:3].mean()  # 1/S(0) = d(φ Z)/dφ of the fluid
    slope = (0.301 * fluid_z(0.301, 3) - 0.299 * fluid_z(0.299, 3)) / 0.002
    assert compressible == pytest.approx(1.0 / slope, abs=0.05)
    assert last["velocity_correlation"].total == pytest.approx(0.0, abs=0.03)
    assert last["radial_profile"].density[-1] == pytest.approx(1.0, abs=0.05)
    for none in ("box_counting", "aspect_ratio", "orientation"):
        assert last[none] is None


def test_arrays_of_different_dimensions_are_refused():
    from engine.errors import InputError

    state = some(20)
    with pytest.raises(InputError, match="positions must be N by 3 numbers"):
        analysis.contacts(state.positions[:, :2], state.radii, state.box, periodic=True)
    with pytest.raises(InputError, match="velocities must be 20 by 3 numbers"):
        analysis.Sample(state.positions, state.radii, state.box, periodic=True, velocities=state.velocities[:, :2])


@pytest.mark.parametrize("cells", [0.0, 3.0, np.inf])  # pairs listed by cells, as it comes, and all of them
@pytest.mark.parametrize("sides", [(60.0, 60.0, 4.0), (60.0, 5.2, 2.6), (60.0, 4.0), (5.2, 60.0)], ids=str)
def test_a_pair_exactly_half_a_side_apart_counts_once(sides, cells, monkeypatch):
    monkeypatch.setattr("engine.analysis.distances._CELLS", cells)
    box, rng = np.array(sides), np.random.default_rng(6)
    unit = 1.3 if 5.2 in sides else 1.0
    sites = np.stack(np.meshgrid(*[np.arange(round(side / unit)) for side in sides]), axis=-1).reshape(-1, len(sides))
    positions = rng.permutation(sites)[: min(800, len(sites) // 2)] * unit + 0.1
    count = len(positions)
    squared = reference.squared_distances(positions, box, True)[np.triu_indices(count, 1)]
    for radius in (0.29, 0.41):
        state = disc_state(positions, np.full(count, radius), box, periodic=True)
        both, correlation = distribution_and_correlation(state)
        alone = analysis.pair_distribution(positions, state.radii, box, periodic=True)
        for found in (both, alone):
            within = (squared[:, None] <= found["r"] ** 2).sum(axis=0)
            assert found["p"].tolist() == ((count + 2 * within) / count).tolist()
        edges = np.arange(len(correlation.g) + 1) * 2.0 * radius / 20.0
        assert edges[-1] <= 0.5 * box.min()
        room = np.pi * edges**2 if len(sides) == 2 else 4.0 / 3.0 * np.pi * edges**3
        ideal = 0.5 * count * (count - 1) * np.diff(room) / box.prod()
        pairs = np.diff((squared[:, None] <= edges**2).sum(axis=0))
        assert correlation.g == pytest.approx(pairs / ideal, rel=1e-12)
        assert pair_correlation(state).g == pytest.approx(correlation.g, rel=1e-12)
