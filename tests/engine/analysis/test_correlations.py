"""Structure factor, correlations of velocities, diffusion: against all pairs and gases of which all is known."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import engine
from engine.analysis import analyse, analyse_gas, diffusion
from engine.analysis.state import disc_state
from engine.analysis.structure_factor import structure_factor, wave_numbers
from engine.analysis.velocities import velocity_correlation
from engine.boundary import Periodic
from engine.hard_discs.theory import fluid_z
from engine.scenario import Scenario
from tests.builders.boxes import every_edge
from tests.builders.states import random_state
from tests.reference import indicators as reference

BOX = np.array([30.0, 24.0])
BOUNDARIES = every_edge(2)


@BOUNDARIES
def test_structure_factor_as_a_sum_over_all_pairs(periodic: Periodic) -> None:
    state = random_state(np.random.default_rng(3), 60, periodic=periodic, fraction=0.3, spread=0.3, box=(30.0, 24.0))
    found = structure_factor(disc_state(state.positions, state.radii, BOX, periodic=periodic))
    assert found.diameter == pytest.approx(2.0 * state.radii.mean())
    sides = np.where(periodic, BOX, BOX - found.diameter)
    largest = 20.0 / found.diameter
    tilt = periodic.offset / sides[0]
    numbers = wave_numbers(sides, largest, 8192.0, tilt)
    vectors = 2.0 * np.pi * (numbers - tilt * numbers[:, :1] * np.array([0, 1])) / sides
    across = vectors @ np.array([periodic.offset, sides[1]]) / (2.0 * np.pi)
    assert across == pytest.approx(np.rint(across), abs=1e-9), "the image above has the same phase"
    wanted = reference.structure_factor(state.positions, vectors)
    length = np.hypot(*vectors.T)
    step = 10.0 ** (1.0 / 32.0)
    low = length.min() / np.sqrt(step)
    edges = low * step ** np.arange(int(np.log(largest / low) / np.log(step)) + 2)
    bins = [(length >= a) & (length < b) for a, b in pairwise(edges)]
    bins = [one for one in bins if one.any()]
    assert len(bins) == len(found.k) > 40
    np.testing.assert_allclose(found.k, [length[one].mean() for one in bins], rtol=1e-9)
    np.testing.assert_allclose(found.s, [wanted[one].mean() for one in bins], rtol=1e-6, atol=1e-9)
    known = np.isfinite(found.error)
    assert known.mean() > 0.9, "few bins of random discs look like peaks"
    np.testing.assert_allclose(found.error[known], (found.s / np.sqrt([one.sum() + 1 for one in bins]))[known])


@pytest.mark.parametrize("count", [512, 513, 1100])
def test_structure_factor_of_discs_in_several_groups(count: int) -> None:
    """Sums are taken over groups of discs, with polynomials in the place of sine and cosine."""
    sides = np.array([60.0, 45.0])
    positions = np.random.default_rng(count).uniform(0.0, 1.0, (count, 2)) * sides
    found = structure_factor(disc_state(positions, np.full(count, 0.5), sides, periodic=True))
    vectors = 2.0 * np.pi * wave_numbers(sides, 20.0, 8192.0) / sides
    sums = np.exp(1j * (positions @ vectors.T)).sum(axis=0)
    length = np.hypot(*vectors.T)
    bins = np.floor(32.0 * np.log10(length / length.min()) + 0.5).astype(np.int64)
    each = np.bincount(bins)
    wanted = np.bincount(bins, np.abs(sums) ** 2)[each > 0] / each[each > 0] / count
    np.testing.assert_allclose(found.s, wanted, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("count", [1e3, 1e5, 1e6])
def test_wave_vectors_reach_from_the_box_to_a_tenth_of_a_radius(count: float) -> None:
    """All short ones, and about as many as wanted of the others, in all directions, none twice, nor beside its
    opposite."""
    sides = np.array([1.0, 0.7]) * np.sqrt(count)
    numbers = wave_numbers(sides, 20.0, 1000.0)
    length = 2.0 * np.pi * np.hypot(*(numbers / sides).T)
    assert length.min() == pytest.approx(2.0 * np.pi / sides[0])
    assert 18.0 < length.max() <= 20.0 * (1 + 1e-9)
    assert 400 < len(numbers) < 1500
    rows = {tuple(row) for row in numbers.tolist()}
    assert len(rows) == len(numbers)
    assert not rows & {(-n, -m) for n, m in rows}
    for n, m in [(1, 0), (0, 1), (1, 1), (-1, 1), (2, 1), (-2, 1)]:
        assert (n, m) in rows
    far = numbers[length > 5.0]
    angle = np.arctan2(far[:, 1] / sides[1], far[:, 0] / sides[0]) % np.pi
    assert np.histogram(angle, 8, (0.0, np.pi))[0] == pytest.approx(len(far) / 8, rel=0.3)


@BOUNDARIES
def test_an_ideal_gas_has_structure_factor_one(periodic: Periodic) -> None:
    rng = np.random.default_rng(2)
    count, radius = 20_000, 0.02
    edge = np.where(periodic, 0.0, radius)
    positions = rng.uniform(edge, 1.0 - edge, (count, 2))
    found = structure_factor(disc_state(positions, np.full(count, radius), np.ones(2), periodic=periodic))
    number = (found.s / found.error) ** 2  # of wave vectors in each bin
    assert (np.abs(found.s - 1.0) < 6.0 / np.sqrt(number)).all()
    few = number > 10
    weight = number[few]
    assert (found.s[few] @ weight) / weight.sum() == pytest.approx(1.0, abs=4.0 / np.sqrt(weight.sum()))


def test_a_lattice_has_its_peaks_and_nothing_between() -> None:
    x, y = np.meshgrid(np.arange(20) + 0.5, np.arange(20) + 0.5)
    positions = np.column_stack([x.ravel(), y.ravel()])
    found = structure_factor(disc_state(positions, np.full(400, 0.4), np.array([20.0, 20.0]), periodic=True))
    short = found.k < 2.0 * np.pi * 0.9
    assert found.s[short] == pytest.approx(0.0, abs=1e-12)
    assert found.s.max() > 10.0
    assert np.isnan(found.error[found.s > 1.0]).all(), "no error at the peaks"


def test_structure_factor_of_hard_discs_begins_with_their_compressibility() -> None:
    """S(0) = 1 / (d beta P / d rho) = 1 / (Z + phi Z'), with Z of the fluid."""
    phi = 0.3
    simulation = engine.create(
        Scenario().with_values(
            {
                "system": "hard-discs",
                "discs.count": 900,
                "discs.volume_fraction": phi,
                "discs.arrangement": "random",
                "box.boundary": "periodic",
                "seed": 3,
            }
        )
    )
    simulation.advance(max_events=900 * 20)
    sums: dict[int, list[float]] = {}
    for _ in range(30):
        simulation.advance(max_events=900 * 3)
        found = structure_factor(
            disc_state(simulation.frame().positions, simulation.radii, simulation.box, periodic=True)
        )
        for place in np.flatnonzero(found.k * found.diameter < 1.2):
            sums.setdefault(int(place), []).append(float(found.s[place]))
    slope = (fluid_z(phi + 1e-5) - fluid_z(phi - 1e-5)) / 2e-5
    wanted = 1.0 / float(fluid_z(phi) + phi * slope)
    assert wanted == pytest.approx(0.258, abs=0.002)
    assert np.mean([np.mean(one) for one in sums.values()]) == pytest.approx(wanted, rel=0.15)


def test_structure_factor_of_nothing() -> None:
    for count, box, radius in ((1, [4.0, 4.0], 1.0), (2, [2.0, 30.0], 1.0)):
        positions = np.column_stack([np.full(count, 1.0), 1.0 + 3.0 * np.arange(count)])
        state = disc_state(positions, np.full(count, radius), np.array(box), periodic=False)
        assert structure_factor(state) is None


@BOUNDARIES
@pytest.mark.parametrize("fewer", [False, True])
def test_velocity_correlation_as_compared_pair_by_pair(periodic: Periodic, fewer: bool) -> None:
    rng = np.random.default_rng(6)
    state = random_state(rng, 150, periodic=periodic, fraction=0.3, spread=0.3, box=(30.0, 24.0), free_masses=True)
    velocities = rng.normal(size=(150, 2)) + 0.3 * np.column_stack([state.positions[:, 1], -state.positions[:, 0]])
    checked = disc_state(state.positions, state.radii, BOX, periodic=periodic)
    found = velocity_correlation(checked, velocities, state.masses, 9000.0 if fewer else 1e9)
    step = found.diameter / 5
    edges = step * np.arange(int(12.0 / step + 1e-9) + 1)
    total, parallel = reference.velocity_correlation(state.positions, velocities, state.masses, BOX, periodic, edges)
    met = np.isfinite(total)
    if fewer:
        far = found.r > 5.0
        assert np.abs(found.total - total[met])[far].mean() < 0.1
        assert (found.total != total[met]).any()
        return
    np.testing.assert_allclose(found.r, (0.5 * (edges[1:] + edges[:-1]))[met])
    np.testing.assert_allclose(found.total, total[met], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.parallel, parallel[met], rtol=1e-9, atol=1e-12)


def test_velocities_that_know_nothing_of_each_other_and_those_that_are_one() -> None:
    rng = np.random.default_rng(8)
    count = 4000
    positions, box = rng.random((count, 2)) * 60.0, np.array([60.0, 60.0])
    given = {"radii": np.full(count, 0.4), "masses": np.ones(count), "box": box, "periodic": False}
    free = analyse_gas(positions, rng.normal(size=(count, 2)), **given).velocity_correlation  # type: ignore[arg-type]
    assert free.total[10:] == pytest.approx(0.0, abs=0.04)
    alike = analyse_gas(positions, np.tile([3.0, -4.0], (count, 1)), **given).velocity_correlation  # type: ignore[arg-type]
    assert alike.total == pytest.approx(1.0)
    assert alike.parallel[20:] == pytest.approx(0.5, abs=0.03)
    whirl = np.column_stack([-np.sin(2 * np.pi * positions[:, 1] / 60.0), np.zeros(count)])
    shear = analyse_gas(positions, whirl, **(given | {"periodic": True})).velocity_correlation  # type: ignore[arg-type]
    assert shear.total[:20].mean() > 0.9
    # <cos(q r sin a)> over directions a, with q = 2 pi / 60: the Bessel function J_0
    angle = (np.arange(400) + 0.5) * np.pi / 200
    assert shear.total[40:] == pytest.approx(
        np.cos(np.outer(2 * np.pi / 60.0 * shear.r, np.sin(angle))).mean(axis=1)[40:], abs=0.05
    )


@pytest.mark.parametrize("smaller", [1.0, 2.0**-1000])
def test_velocity_correlation_of_a_gas_almost_at_rest(smaller: float) -> None:
    rng = np.random.default_rng(1)
    state = disc_state(rng.random((50, 2)) * 20, np.full(50, 0.3), np.array([20.0, 20.0]), periodic=True)
    velocities = rng.normal(size=(50, 2))
    usual = velocity_correlation(state, velocities, np.ones(50))
    slow = velocity_correlation(state, smaller * velocities, np.ones(50))
    np.testing.assert_array_equal(usual.total, slow.total)
    assert velocity_correlation(state, 0.0 * velocities, np.ones(50)) is None


def test_discs_that_touch_are_in_the_interval_from_the_diameter_on() -> None:
    x = np.cumsum(np.full(40, 0.2 / 3.0 * 3.0)) + 0.1
    positions = np.column_stack([x, np.full(40, 5.0)])
    state = disc_state(positions, np.full(40, 0.1), np.array([10.0, 10.0]), periodic=False)
    apart = np.diff(x)
    assert (apart < 2.0 * state.mean_radius).any(), "some are nearer by rounding"
    found = velocity_correlation(state, np.ones((40, 2)), np.ones(40))
    assert found.r[0] == pytest.approx(1.1 * found.diameter)


@BOUNDARIES
def test_velocity_autocorrelation_as_summed_disc_by_disc(periodic: Periodic) -> None:
    rng = np.random.default_rng(4)
    positions, masses = rng.random((40, 2)) * BOX, rng.uniform(0.5, 2.0, 40)
    start, now = rng.normal(size=(2, 40, 2)) + np.array([0.5, 0.1])
    found = analyse_gas(
        positions, now, np.full(40, 0.1), masses, BOX, periodic=periodic, start_velocities=start
    ).velocity_autocorrelation
    assert found == pytest.approx(reference.velocity_autocorrelation(now, start, masses, periodic))
    same = analyse_gas(positions, start, np.full(40, 0.1), masses, BOX, periodic=periodic, start_velocities=start)
    assert same.velocity_autocorrelation == pytest.approx(1.0)
    assert (
        analyse_gas(positions, now, np.full(40, 0.1), masses, BOX, periodic=periodic).velocity_autocorrelation is None
    )
    still = analyse_gas(
        positions, now, np.full(40, 0.1), masses, BOX, periodic=periodic, start_velocities=np.zeros((40, 2))
    )
    assert still.velocity_autocorrelation is None


def test_velocities_of_aggregates_are_measured_where_they_are_given() -> None:
    rng = np.random.default_rng(5)
    given = (rng.random((60, 2)) * 20, np.full(60, 0.3), np.array([20.0, 20.0]))
    without = analyse(*given, periodic=True)
    assert without.velocity_correlation is None
    assert without.radial_profile.speed is None
    found = analyse(*given, periodic=True, velocities=rng.normal(size=(60, 2)), masses=np.ones(60))
    assert found.velocity_correlation is not None
    assert found.radial_profile.speed is not None


@pytest.mark.parametrize("dimensions", [2, 3])
def test_diffusion_coefficient_of_a_random_walk(dimensions: int) -> None:
    """Steps of variance s^2 in each direction after each unit of time: D = s^2 / 2."""
    rng = np.random.default_rng(3)
    steps = rng.normal(scale=0.6, size=(400, 6000, dimensions))
    squared = np.square(np.cumsum(steps, axis=0)).sum(axis=2).mean(axis=1)
    time = np.arange(1.0, 401.0)
    found = diffusion(time, squared, dimensions=dimensions)
    assert found.coefficient == pytest.approx(0.18, rel=0.05)
    assert (found.low, found.high, found.count) == (200.0, 400.0, 201)
    part = diffusion(time, squared, (50.0, 100.0), dimensions)
    assert (part.low, part.high, part.count) == (50.0, 100.0, 51)
    slope, offset = np.polyfit(time[49:100], squared[49:100], 1)
    assert (part.coefficient, part.offset) == (pytest.approx(slope / (2 * dimensions)), pytest.approx(offset))
    assert diffusion(time, squared, (10.0, 13.0)) is None
    assert diffusion(np.zeros(0), np.zeros(0)) is None


def test_diffusion_of_a_dilute_gas_is_about_that_of_enskog() -> None:
    """D = sqrt(kT / (pi m)) / (2 n sigma g(sigma+)); the long tail of the velocity autocorrelation adds some per cent
    in two dimensions."""
    phi, count = 0.2, 900
    simulation = engine.create(
        Scenario().with_values(
            {
                "system": "hard-discs",
                "discs.count": count,
                "discs.volume_fraction": phi,
                "discs.arrangement": "random",
                "box.boundary": "periodic",
                "seed": 5,
            }
        )
    )
    simulation.advance(max_events=count * 5)
    first = simulation.settled()
    begun = first.time
    start = first.positions + first.fields["images"] * simulation.box
    start_velocities = first.velocities.copy()
    time, squared, alike = [], [], []
    found = None
    for _ in range(40):
        simulation.advance(max_events=count)
        frame = simulation.settled()
        found = analyse_gas(
            frame.positions,
            frame.velocities,
            simulation.radii,
            simulation.masses,
            simulation.box,
            periodic=True,
            images=frame.fields["images"],
            start=start,
            start_velocities=start_velocities,
        )
        time.append(frame.time - begun)
        squared.append(found.mean_square_displacement)
        alike.append(found.velocity_autocorrelation)
    measured = diffusion(np.array(time), np.array(squared))
    sigma = 2.0 * simulation.radii.mean()
    density = count / simulation.box.prod()
    g = (1.0 - 7.0 * phi / 16.0) / (1.0 - phi) ** 2
    enskog = np.sqrt(found.speeds.temperature / np.pi) / (2.0 * density * sigma * g)
    assert 0.8 < measured.coefficient / enskog < 1.35
    assert alike[0] > 0.1 > abs(alike[5])
    assert np.mean(alike[-10:]) == pytest.approx(0.0, abs=0.06)
