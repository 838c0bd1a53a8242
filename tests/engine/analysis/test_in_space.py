"""Indicators of spheres: each beside a plain computation over all pairs, or the literature."""

from __future__ import annotations

import numpy as np
import pytest

from engine import analysis
from engine.analysis.distances import pair_correlation
from engine.analysis.state import disc_state
from engine.analysis.structure_factor import structure_factor, wave_numbers
from engine.hard_discs.theory import carnahan_starling
from engine.indicators import measure
from tests.builders.states import gas, random_state

BOX = np.array([5.0, 4.0, 6.0])


def some(count=400, periodic=True, seed=1, box=BOX):
    return random_state(np.random.default_rng(seed), count, periodic=periodic, fraction=0.2, spread=0.6, box=box)


def distances_of(state):
    i, j = np.triu_indices(len(state.radii), 1)
    apart = state.positions[i] - state.positions[j]
    if state.periodic:
        apart -= state.box * np.rint(apart / state.box)
    return i, j, np.sqrt((apart**2).sum(axis=1))


@pytest.mark.parametrize("periodic", [True, False])
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
    if periodic:
        ideal = 0.5 * 400 * 399 * 4.0 / 3.0 * np.pi * np.diff(edges**3) / box.prod()
        assert correlation.g == pytest.approx(np.histogram(apart, edges)[0] / ideal, rel=1e-12)


@pytest.mark.parametrize("periodic", [True, False])
def test_points_at_random_are_an_ideal_gas(periodic):
    rng = np.random.default_rng(3)
    box, radius = np.array([30.0, 24.0, 27.0]), 0.5
    found, structure = [], []
    for _ in range(3):
        edge = 0.0 if periodic else radius
        places = edge + rng.random((6000, 3)) * (box - 2.0 * edge)
        state = disc_state(places, np.full(6000, radius), box, periodic=periodic)
        found.append(pair_correlation(state).g)
        structure.append(structure_factor(state).s)
    assert np.mean(found, axis=0)[40:] == pytest.approx(np.ones(80), abs=0.03)
    assert np.mean(structure) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("periodic", [True, False])
def test_the_structure_factor_is_that_of_a_plain_sum(periodic):
    state = some(200, periodic=periodic)
    sides = state.box - (0.0 if periodic else 2.0 * state.radii.mean())
    low = 0.0 if periodic else state.radii.mean()
    found = structure_factor(disc_state(state.positions, state.radii, state.box, periodic=periodic))
    numbers = wave_numbers(sides, 20.0 / (2.0 * state.radii.mean()), 8192)
    assert len(np.unique(np.concatenate([numbers, -numbers]), axis=0)) == 2 * len(numbers)  # one of each two
    assert 2000 < len(numbers) < 12_000
    phases = 2.0 * np.pi * ((state.positions - low) / sides) @ numbers.T
    plain = np.abs(np.exp(1j * phases).sum(axis=0)) ** 2 / 200
    length = 2.0 * np.pi * np.sqrt(((numbers / sides) ** 2).sum(axis=1))
    place = np.floor(32 * np.log10(length / length.min()) + 0.5).astype(int)
    known = np.unique(place)
    assert found.k == pytest.approx([length[place == at].mean() for at in known], rel=1e-12)
    assert found.s == pytest.approx([plain[place == at].mean() for at in known], rel=1e-8)


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


def test_a_gas_has_the_pressure_of_carnahan_and_starling():
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
    want = float(carnahan_starling(0.3))
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
    compressible = last["structure_factor"].s[:3].mean()  # 1/S(0) = d(φ Z)/dφ of Carnahan and Starling
    slope = (0.301 * carnahan_starling(0.301) - 0.299 * carnahan_starling(0.299)) / 0.002
    assert compressible == pytest.approx(1.0 / slope, abs=0.05)
    for none in ("height_profile", "radial_profile", "velocity_correlation", "box_counting", "aspect_ratio"):
        assert last[none] is None


def test_what_does_not_fit_together_is_refused():
    from engine.errors import InputError

    state = some(20)
    with pytest.raises(InputError, match="positions must be N by 3 numbers"):
        analysis.contacts(state.positions[:, :2], state.radii, state.box, periodic=True)
    with pytest.raises(InputError, match="velocities must be 20 by 3 numbers"):
        analysis.Sample(state.positions, state.radii, state.box, periodic=True, velocities=state.velocities[:, :2])
