"""Indicators of a gas: against plain numpy, freud, and gases of which everything is known."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.analysis import GAS, Sample, analyse_gas
from engine.analysis.fluctuations import density_fluctuations
from engine.analysis.state import disc_state
from engine.boundary import Periodic
from engine.errors import InputError
from engine.hard_discs.theory import maxwell_speed
from engine.indicators import measure
from tests.builders.boxes import EVERY, every_edge, in_short
from tests.builders.states import random_state
from tests.reference import indicators as reference

Array = NDArray[np.float64]
BOX = np.array([30.0, 24.0])


def measured(positions: Array, radii: Array, box: Array = BOX, periodic: Periodic | bool = True, **more: object):  # type: ignore[no-untyped-def]
    count = len(positions)
    velocities = np.random.default_rng(3).normal(size=(count, 2))
    given = {"velocities": velocities, "masses": np.ones(count)} | more
    return analyse_gas(
        positions,
        given.pop("velocities"),  # type: ignore[arg-type]
        radii,
        given.pop("masses"),  # type: ignore[arg-type]
        box,
        periodic=periodic,
        **given,  # type: ignore[arg-type]
    )


@every_edge(2)
@pytest.mark.parametrize("spread", [0.0, 0.5])
def test_pair_correlation_as_counted_pair_by_pair(periodic: Periodic, spread: float) -> None:
    state = random_state(
        np.random.default_rng(5), 250, periodic=periodic, fraction=0.35, spread=spread, box=(30.0, 24.0)
    )
    found = measured(state.positions, state.radii, periodic=periodic).pair_correlation
    step = found.r[1] - found.r[0]
    edges = np.append(found.r - step / 2, found.r[-1] + step / 2)
    assert found.diameter == pytest.approx(2 * state.radii.mean())
    assert edges[-1] == pytest.approx(6 * found.diameter)
    wanted = reference.pair_correlation(state.positions, BOX, periodic, edges, found.diameter / 2)
    np.testing.assert_allclose(found.g, wanted, rtol=1e-4)
    assert (found.g > 0).any()


def test_pair_correlation_in_a_small_box_ends_at_half_of_it() -> None:
    state = random_state(np.random.default_rng(1), 12, periodic=True, fraction=0.3)
    found = measured(state.positions, state.radii, np.ones(2)).pair_correlation
    assert 0.4 < found.r[-1] < 0.5
    step = found.r[1] - found.r[0]
    edges = np.append(found.r - step / 2, found.r[-1] + step / 2)
    wanted = reference.pair_correlation(state.positions, np.ones(2), True, edges, 0.0)
    np.testing.assert_allclose(found.g, wanted, rtol=1e-4)


@every_edge(2)
def test_ideal_gas_has_no_structure(periodic: Periodic) -> None:
    rng = np.random.default_rng(11)
    count, radius = 60_000, 0.001
    positions = rng.uniform(radius, 1.0 - radius, (count, 2))
    found = measured(positions, np.full(count, radius), np.ones(2), periodic)
    # some 3 700 pairs an interval of 1/20 diameter at six diameters
    assert found.pair_correlation.g[20:] == pytest.approx(1.0, abs=0.12)
    assert found.pair_correlation.g[60:].mean() == pytest.approx(1.0, abs=0.01)
    assert found.fluctuations.ratio[:8] == pytest.approx(1.0, abs=0.05)
    assert found.fluctuations.ratio == pytest.approx(1.0, abs=0.7)


@pytest.mark.parametrize("spread", [0.0, 0.4])
def test_contact_value_of_an_ideal_gas_is_one(spread: float) -> None:
    """Points strewn at random have as many others beside them as anywhere else, whatever is called their radius: then
    Z - 1 = 2 phi g <(R_i + R_j)^2> / (4 <R^2>) with g = 1."""
    rng = np.random.default_rng(4)
    count = 150_000
    radii = 0.0012 * (1.0 + spread * rng.uniform(-1, 1, count))
    found = measured(rng.random((count, 2)), radii, np.ones(2))
    mixed = (2 * np.mean(radii**2) + 2 * np.mean(radii) ** 2) / (4 * np.mean(radii**2))
    assert found.volume_fraction == pytest.approx(np.pi * np.sum(radii**2))
    assert found.contact_value == pytest.approx(mixed, rel=0.02)
    assert found.contact_compressibility == pytest.approx(1 + 2 * found.volume_fraction * mixed, rel=0.02)


def test_contact_value_is_not_told_of_too_few_or_too_close() -> None:
    assert measured(np.array([[1.0, 1.0], [5.0, 5.0]]), np.ones(2)).contact_compressibility is None
    x, y = np.meshgrid(np.arange(15) * 2.0 + 1.0, np.arange(12) * 2.0 + 1.0)  # a lattice of discs that touch
    lattice = np.column_stack([x.ravel(), y.ravel()])
    assert measured(lattice, np.full(len(lattice), 1.0 - 1e-6)).contact_value is None


@pytest.mark.parametrize("dimensions", [2, 3])
def test_the_contact_value_is_known_to_its_error(dimensions: int) -> None:
    """Of points strewn at random, whose contact value is 1."""
    off = []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        box, count = np.full(dimensions, 10.0), 3000
        radii = np.full(count, 0.05 if dimensions == 2 else 0.2)
        sample = Sample(rng.random((count, dimensions)) * box, radii, box, periodic=True)
        found = measure(sample, GAS)
        off.append((found["contact_value"] - 1.0) / found["contact_value_error"])
    assert np.sqrt(np.mean(np.square(off))) == pytest.approx(1.0, abs=0.4)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_contact_value_is_told_only_of_a_uniform_gas_in_a_periodic_box(dimensions: int) -> None:
    """In a heap, and where discs have gathered, it would be many times that of a gas of this volume fraction."""
    rng = np.random.default_rng(4)
    box, count = np.full(dimensions, 10.0), 4000
    uniform = rng.random((count, dimensions)) * box
    gathered = uniform * np.where(np.arange(dimensions) == dimensions - 1, 0.4, 1.0)
    channel = Periodic([True] * (dimensions - 1) + [False])
    uneven = ((uniform, False, False), (uniform, channel, False), (gathered, True, False))
    for places, periodic, told in ((uniform, True, True), *uneven):
        found = measure(Sample(places, np.full(count, 0.1 * (dimensions - 1)), box, periodic=periodic), GAS)
        for name in ("contact_value", "contact_value_error", "contact_compressibility"):
            assert (found[name] is not None) == told


def test_speeds_of_maxwells_distribution() -> None:
    rng = np.random.default_rng(2)
    count = 200_000
    masses = np.where(np.arange(count) % 2, 1.0, 4.0)
    velocities = rng.normal(size=(count, 2)) * np.sqrt(3.0 / masses)[:, None] + [0.3, -0.2]
    found = measured(rng.random((count, 2)) * BOX, np.full(count, 1e-3), velocities=velocities, masses=masses).speeds
    assert found.temperature == pytest.approx(3.0, rel=0.01)
    assert found.thermal_speed == pytest.approx(np.sqrt(3.0 / 2.5), rel=0.01)
    assert found.mean_velocity == pytest.approx([0.3, -0.2], abs=0.02)
    assert found.component_temperatures == pytest.approx([3.0, 3.0], rel=0.01)
    assert found.sonine == pytest.approx(0.0, abs=0.01)
    assert found.component_kurtosis == pytest.approx([0.0, 0.0], abs=0.05)
    middle = 0.5 * (found.edges[1:] + found.edges[:-1])
    assert found.density == pytest.approx(maxwell_speed(middle), abs=0.02)
    assert np.sum(found.density * np.diff(found.edges)) == pytest.approx(1.0, abs=1e-4)


def test_speeds_as_numpy_counts_them() -> None:
    rng = np.random.default_rng(8)
    count = 500
    velocities, masses = rng.uniform(-1, 2, (count, 2)), rng.uniform(0.5, 2.0, count)
    positions, radii = rng.random((count, 2)) * BOX, np.full(count, 1e-3)
    for periodic in map(np.array, EVERY[2]):
        found = measured(positions, radii, periodic=Periodic(periodic), velocities=velocities, masses=masses).speeds
        mean = masses @ velocities / masses.sum()
        own = velocities - mean * periodic
        energy = masses * np.square(own).sum(axis=1)
        temperature = energy.sum() / (count - periodic).sum()
        assert found.temperature == pytest.approx(temperature)
        histogram = np.histogram(np.sqrt(energy / temperature), bins=found.edges)[0]
        np.testing.assert_allclose(found.density, histogram / count / np.diff(found.edges))
        assert found.sonine == pytest.approx(np.mean(energy**2) / (2 * np.mean(energy) ** 2) - 1)
        along = masses[:, None] * own**2
        np.testing.assert_allclose(found.component_temperatures, along.sum(axis=0) / (count - periodic))
        np.testing.assert_allclose(
            found.component_kurtosis, (along**2).mean(axis=0) / along.mean(axis=0) ** 2 - 3, rtol=1e-12
        )


def test_a_single_disc_at_rest_has_neither_speeds_nor_correlations() -> None:
    found = measured(np.ones((1, 2)), np.ones(1), velocities=np.zeros((1, 2)))
    assert found.speeds is None
    assert found.pair_correlation is None
    assert found.fluctuations is None
    assert json.dumps(found.to_dict())


@pytest.mark.parametrize("periodic", [*EVERY[2], *EVERY[3][1::2]], ids=in_short)
def test_fluctuations_as_histograms_have_them(periodic: Periodic) -> None:
    box, sizes = ((30.0, 24.0), 8) if len(periodic) == 2 else ((12.0, 9.0, 10.5), 3)
    state = random_state(np.random.default_rng(6), 400, periodic=periodic, fraction=0.3, box=box)
    found = density_fluctuations(disc_state(state.positions, state.radii, state.box, periodic=periodic))
    margin = np.where(periodic, 0.0, state.radii.mean())
    sides = state.box - 2 * margin
    assert len(found.side) > sizes
    assert found.side[-1] > 1.5 * found.side[0]
    for side, ratio in zip(found.side, found.ratio, strict=True):
        about = [round(of / side) for of in sides]
        wanted = {
            reference.count_fluctuations(state.positions, state.box, mesh, margin)
            for mesh in product(*[range(max(n - 1, 1), n + 2) for n in about])
            if sides.prod() / np.prod(mesh) == pytest.approx(side ** len(box))
        }
        assert min(abs(ratio - one) for one in wanted) < 1e-12
    assert found.ratio[-1] < 1.0  # discs keep each other out


def test_clusters_show_in_the_fluctuations() -> None:
    rng = np.random.default_rng(7)
    heaps = rng.random((60, 2))
    positions = (heaps[rng.integers(0, 60, 8000)] + 0.03 * rng.normal(size=(8000, 2))) % 1.0
    ratio = measured(positions, np.full(8000, 1e-4), np.ones(2)).fluctuations.ratio
    assert ratio[-1] > 10.0 * ratio[0] > 10.0


def test_mean_square_displacement_goes_through_the_edge() -> None:
    rng = np.random.default_rng(10)
    start = rng.random((50, 2)) * BOX
    way = rng.normal(size=(50, 2)) * 100.0
    walked = start + way - way.mean(axis=0)
    images = np.floor(walked / BOX).astype(np.int32)
    inside = walked - images * BOX
    radii = np.full(50, 1e-3)
    found = measured(inside, radii, images=images, start=start)
    assert found.mean_square_displacement == pytest.approx(np.square(walked - start).sum(axis=1).mean())
    assert measured(inside, radii, start=start).mean_square_displacement is None
    assert measured(inside, radii, images=images).mean_square_displacement is None
    channel = Periodic((True, False))  # along y as far as they are from where they were, along x by their paths
    within = np.where(channel, walked, inside)
    drift = np.array([(walked - start)[:, 0].mean(), 0.0])
    along = measured(inside, radii, periodic=channel, images=images * channel, start=start)
    assert along.mean_square_displacement == pytest.approx(np.square(within - start - drift).sum(axis=1).mean())
    assert measured(inside, radii, periodic=channel, start=start).mean_square_displacement is None
    between_walls = measured(inside, radii, periodic=False, start=start)
    assert between_walls.mean_square_displacement == pytest.approx(np.square(inside - start).sum(axis=1).mean())


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("velocities", np.zeros((3, 2))),
        ("masses", np.array([1.0, 0.0])),
        ("masses", np.array([1.0, np.nan])),
        ("start", np.zeros((2, 3))),
        ("images", np.zeros(2)),
    ],
)
def test_refused_by_name(key: str, value: Array) -> None:
    with pytest.raises(InputError) as error:
        measured(np.array([[1.0, 1.0], [9.0, 9.0]]), np.ones(2), **({"start": np.zeros((2, 2))} | {key: value}))  # type: ignore[arg-type]
    assert error.value.key == key


@pytest.mark.parametrize("smaller", [2.0**-300, 2.0**-600, 2.0**-1000])
def test_a_gas_almost_at_rest_has_the_same_law_of_speeds(smaller: float) -> None:
    state = random_state(np.random.default_rng(2), 200, periodic=True, fraction=0.3, box=(30.0, 24.0))
    velocities = np.random.default_rng(3).normal(size=(200, 2))
    usual = measured(state.positions, state.radii, velocities=velocities).speeds
    with np.errstate(divide="raise", invalid="raise"):
        slow = measured(state.positions, state.radii, velocities=smaller * velocities).speeds
    assert slow.sonine == usual.sonine
    np.testing.assert_array_equal(slow.density, usual.density)
    np.testing.assert_array_equal(slow.component_kurtosis, usual.component_kurtosis)
    assert slow.thermal_speed == smaller * usual.thermal_speed
    assert slow.temperature == smaller * smaller * usual.temperature
    assert measured(state.positions, state.radii, velocities=np.zeros((200, 2))).speeds is None
