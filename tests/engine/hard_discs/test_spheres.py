"""The gas of spheres: event by event against all pairs, conservation, pressure, collision rate, cooling."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest

import engine
from engine.errors import InputError
from engine.hard_discs.theory import fluid_z, haff, haff_time, mixture_collision_rate
from engine.initial import initial_state
from tests.builders.states import bouncing, gas, random_state
from tests.engine.hard_discs.test_reference import SETTINGS, compare

CUBE = (1.0, 1.0, 1.0)
IN_SPACE = {
    name: values | ({"gravity": (*values["gravity"], 0.3)} if "gravity" in values else {})
    for name, values in SETTINGS.items()
}
IN_SPACE["growing"] |= {"growth_to_fraction": 0.15}
BOTH_EDGES = [(name, periodic) for name in IN_SPACE for periodic in (True, False)]
WITH_EDGE = [(name, periodic) for name, periodic in BOTH_EDGES if not (periodic and "gravity" in IN_SPACE[name])]


def moving(seed, count, periodic, fraction, spread=0.0, box=CUBE, masses=True):
    rng = np.random.default_rng(seed)
    return random_state(rng, count, periodic=periodic, fraction=fraction, spread=spread, box=box, free_masses=masses)


def spheres(count=500, fraction=0.3, **values):
    return gas(count, fraction, dimensions=3, **values)


@pytest.mark.parametrize(("name", "periodic"), WITH_EDGE)
def test_event_by_event(name, periodic):
    compare(moving(3, 9, periodic, 0.1, spread=0.5), 20, **IN_SPACE[name])


@pytest.mark.parametrize("seed", [0, 1, 3, 5, 8])
@pytest.mark.parametrize("periodic", [True, False])
def test_random_systems_event_by_event(periodic, seed):
    state = moving(100 + seed, 6 + seed, periodic, 0.02 * (1 + seed), spread=0.08 * seed, masses=bool(seed % 2))
    compare(state, 15, restitution=1.0 - 0.02 * (seed % 3))


def test_a_flat_box():
    compare(moving(4, 12, True, 0.1, box=(3.0, 1.0, 0.9)), 20)
    compare(moving(5, 12, False, 0.1, box=(0.9, 1.0, 3.0)), 20)


@pytest.mark.parametrize("periodic", [True, False])
def test_the_plane_through_all_centres_stays_one(periodic):
    """Spheres that move in one plane meet as discs do there: the same collisions, the same speeds."""
    flat = random_state(np.random.default_rng(8), 12, periodic=periodic, fraction=0.2)
    state = random_state(np.random.default_rng(8), 12, periodic=periodic, fraction=0.01, box=CUBE)
    state.positions[:] = np.column_stack([flat.positions, np.full(12, 0.5)])
    state.velocities[:] = np.column_stack([flat.velocities, np.zeros(12)])
    state.radii[:], state.masses[:] = flat.radii, flat.masses
    one, other = bouncing(flat), bouncing(state)
    for simulation in (one, other):
        simulation.advance(max_events=40)
    a, b = one.frame(), other.frame()
    assert np.array_equal(np.sort(a.impacts.pairs), np.sort(b.impacts.pairs))
    np.testing.assert_allclose(b.positions[:, :2], a.positions, atol=1e-8)
    assert (b.positions[:, 2] == 0.5).all()
    assert (b.velocities[:, 2] == 0.0).all()


@pytest.mark.parametrize("values", [{}, {"discs__radii": "uniform", "discs__spread": 1.0, "fraction": 0.2}])
def test_energy_and_momentum_stay(values):
    simulation = spheres(**values)
    simulation.advance(max_events=100_000)
    measures = simulation.measures()
    assert abs(measures.energy_drift) < 1e-13
    assert measures.momentum_error < 1e-13
    assert simulation.invariants()["max_overlap"] < 1e-12
    assert measures.stabilising_events < 10
    assert measures.three_body_events < 10


def test_a_gas_between_walls_in_a_field():
    simulation = spheres(300, 0.2, box__boundary="walls", hard_discs__gravity=(0.1, 0.0, -0.5))
    simulation.advance(max_events=50_000)
    assert abs(simulation.measures().energy_drift) < 1e-12
    frame = simulation.frame()
    edge = simulation.radii[:, None] * (1.0 - 1e-9)
    assert (frame.positions >= edge).all()
    assert (frame.positions <= simulation.box - edge).all()
    down, along = frame.positions[:, 2].mean(), frame.positions[:, 1].mean()
    assert down < 0.95 * along  # they gather where it pulls


@pytest.mark.parametrize(("fraction", "within"), [(0.1, 0.005), (0.3, 0.005)])
def test_the_pressure_is_that_of_the_literature(fraction, within):
    simulation = spheres(4000, fraction, hard_discs__equilibration=10.0)
    simulation.reset_measures()
    simulation.advance(max_events=200_000)
    measures = simulation.measures()
    assert measures.compressibility == pytest.approx(float(fluid_z(fraction, 3)), rel=within)
    # Z - 1 = ω σ √(π m / kT) / 6: the same from the number of collisions
    rate = measures.collision_rate * 2.0 * simulation.radii[0] / sqrt(measures.temperature)
    assert 1.0 + sqrt(pi) / 6.0 * rate == pytest.approx(measures.compressibility, rel=within)
    enskog = mixture_collision_rate(
        simulation.radii, simulation.masses, float(simulation.box.prod()), measures.temperature, 3
    )
    assert measures.collision_rate == pytest.approx(enskog, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("fraction", [0.1, 0.3, 0.45])
def test_the_pressure_to_one_per_mille(fraction):
    simulation = spheres(13_500, fraction, hard_discs__equilibration=20.0)
    simulation.reset_measures()
    simulation.advance(max_events=5_000_000)
    want = float(fluid_z(fraction, 3))
    assert simulation.measures().compressibility == pytest.approx(want, rel=0.001)
    assert abs(simulation.measures().energy_drift) < 1e-13


def test_a_granular_gas_cools_by_haffs_law():
    """dT/dC = -(1 - ε²) T / 3 for each sphere; in time with τ = 6 / ((1 - ε²) ω)."""
    ratios = []
    for seed in (1, 2, 3):
        simulation = spheres(
            2000, 0.1, hard_discs__restitution=0.95, hard_discs__equilibration=10.0, velocities__speed=2.0, seed=seed
        )
        start = simulation.stretches()[0]
        simulation.advance(max_events=10_000)  # ten of each sphere
        each = 2.0 * simulation.measures().pair_collisions / simulation.count
        energy = simulation.frame().kinetic_energy
        by_collisions = start.energy * np.exp(-(1.0 - 0.95**2) * each / 3.0)
        by_time = haff(simulation.time, 0.95, start.rate, start.energy, 3)
        ratios.append((energy / by_collisions, energy / by_time))
        assert simulation.stretches()[0].rate * haff_time(0.95, start.rate, 3) == pytest.approx(6.0 / (1.0 - 0.95**2))
    assert np.mean(ratios, axis=0) == pytest.approx([1.0, 1.0], rel=0.015)


def test_a_mixture_collides_as_often_as_enskog_says():
    values = {"discs__radii": "bidisperse", "discs__spread": 1.6, "hard_discs__equilibration": 10.0}
    simulation = spheres(3000, 0.2, **values)
    simulation.reset_measures()
    simulation.advance(max_events=100_000)
    measures = simulation.measures()
    want = mixture_collision_rate(
        simulation.radii, simulation.masses, float(simulation.box.prod()), measures.temperature, 3
    )
    assert measures.collision_rate == pytest.approx(want, rel=0.015)


def test_spheres_grow_to_a_fraction():
    simulation = spheres(256, 0.2, hard_discs__growth_rate=0.01, hard_discs__growth_to_fraction=0.4)
    progress = simulation.advance()
    assert progress.finished
    assert simulation.measures().volume_fraction == pytest.approx(0.4, rel=1e-9)
    assert simulation.invariants()["max_overlap"] < 1e-12
    simulation.advance(max_events=2000)
    assert abs(simulation.history().volume_fraction[-1] - 0.4) < 1e-9


def test_a_sphere_comes_to_rest_on_the_floor():
    state = moving(1, 1, False, 0.05)
    state.positions[:] = 0.5
    state.velocities[:] = 0.0
    simulation = bouncing(state, gravity=(0.0, 0.0, -1.0), wall_restitution=0.5)
    assert simulation.advance(until_time=50.0).finished
    frame = simulation.frame()
    assert frame.positions[0] == pytest.approx([0.5, 0.5, state.radii[0]])
    assert frame.kinetic_energy == 0.0


def test_the_gas_of_the_paper_starts():
    """Bannerman et al. (2014): 13 500 spheres on a face-centred lattice."""
    simulation = spheres(13_500, 0.5)
    assert len(np.unique(np.round(simulation.frame().positions[:, 0], 6))) == 30  # 15 cells with two layers each
    simulation.advance(max_events=1000)
    assert simulation.invariants()["max_overlap"] < 1e-12


def test_a_sphere_is_thrown_with_three_numbers():
    simulation = spheres(60)
    with pytest.raises(InputError, match="velocity must be three numbers"):
        engine.throw(simulation, 3, velocity=(1.0, 0.0))
    assert engine.throw(simulation, 3, velocity=(1.0, 0.0, 2.0)).frame().velocities[3].tolist() == [1.0, 0.0, 2.0]


def test_a_state_of_the_wrong_shape_is_refused():
    scenario = spheres(60).scenario
    state = initial_state(scenario)
    state.velocities = state.velocities[:, :2]
    from engine.initial import validate_state

    with pytest.raises(InputError, match="do not fit together"):
        validate_state(state)
