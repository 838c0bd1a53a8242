"""Granular gases: an equilibrated start, Haff's law from Enskog's rate, and where the law begins anew."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import engine
from engine import Scenario, load_scenario
from engine.files import FileFrame, write
from engine.hard_discs.fields import GasHistory
from engine.hard_discs.pressure import NO_LAW, Stretch, haffs_law, next_stretch, settled
from engine.hard_discs.simulation import HardDiscGas
from engine.hard_discs.theory import haff, mixture_collision_rate
from engine.initial import initial_state
from tests.builders import states
from tests.reference.theory import collision_rate

gas = partial(states.gas, 1024, 0.1)


def lattice_order(simulation):
    """|⟨exp(2πi x)⟩| for the spacing 1: 1 on the lattice, about 1/√N where it has melted."""
    return float(np.abs(np.exp(2j * np.pi * simulation.frame().positions).mean(axis=0)).max())


def test_a_start_in_equilibrium():
    placed, made, again = gas(), gas(hard_discs__equilibration=20.0), gas(hard_discs__equilibration=20.0)
    assert lattice_order(placed) == pytest.approx(1.0)
    assert lattice_order(made) < 0.15
    frame = made.frame()
    assert np.array_equal(frame.positions, again.frame().positions)
    assert frame.kinetic_energy == pytest.approx(placed.frame().kinetic_energy, rel=1e-13)
    assert (made.time, frame.time, made.measures().pair_collisions) == (0.0, 0.0, 0)
    assert made.advance(max_events=0).happened == 0
    assert not frame.fields["collisions"].any()
    assert made.history().collisions.tolist() == [0]
    assert np.array_equal(frame.cluster, np.arange(1024))
    assert made.invariants()["max_overlap"] < 1e-12


def test_discs_of_any_kind_come_into_equilibrium_without_loss():
    lossy = {"hard_discs__restitution": 0.3, "hard_discs__wall_restitution": 0.5, "hard_discs__gravity": (0.0, -1.0)}
    start = {"box__boundary": "walls", "discs__radii": "bidisperse", "discs__spread": 1.4, "discs__count": 100}
    placed, made = gas(**start), gas(**start, **lossy, hard_discs__equilibration=30.0)
    assert made.frame().kinetic_energy == pytest.approx(placed.frame().kinetic_energy, rel=1e-12)
    assert np.array_equal(made.radii, placed.radii)
    still = gas(velocities__distribution="rest", hard_discs__equilibration=5.0)
    assert lattice_order(still) == pytest.approx(1.0)  # nothing ever moves, and nobody waits for it


def test_no_collisions_before_the_start_of_what_a_file_holds(tmp_path):
    simulation = gas(hard_discs__equilibration=20.0, hard_discs__restitution=0.9)
    simulation.advance(max_events=500)
    path = tmp_path / "state.gsd"
    frame = simulation.frame()
    places = {"positions": frame.positions, "velocities": frame.velocities, "radii": simulation.radii}
    write(path, FileFrame(**places, box=simulation.box, periodic=True, scenario=simulation.scenario.to_toml()))
    assert engine.open_scenario(path).hard_discs.restitution == 0.9
    assert engine.open_scenario(path).hard_discs.equilibration == 0.0
    assert Scenario().hard_discs.equilibration == 0.0


@pytest.mark.parametrize("name", ["cooling-16384", "collapse-1024"])
def test_granular_scenarios_start_in_equilibrium(name):
    scenario = load_scenario(name)
    assert scenario.hard_discs.equilibration >= 10.0
    small = engine.create(scenario.with_values({"discs.count": 1024}))
    assert lattice_order(small) < 0.2


def energy_over_haff(simulation, collisions):
    """After each of these collisions per disc, with Haff's law in time, from what the simulation says of its start."""
    found, done = [], 0
    for wanted in collisions:
        simulation.advance(max_events=wanted * simulation.count // 2 - done)
        done = wanted * simulation.count // 2
        (start,) = simulation.stretches()
        law = haff(simulation.time, start.restitution, start.rate, start.energy)
        found.append(simulation.frame().kinetic_energy / float(law))
    return found


def test_energy_follows_haffs_law_until_clusters_form():
    """N = 1024, φ = 0.1, ε = 0.95: within 2 % up to 20 collisions a disc, and not below; the mean of four runs, each of
    which scatters by one or two per cent."""
    ratios = np.array(
        [
            energy_over_haff(gas(hard_discs__restitution=0.95, hard_discs__equilibration=20.0, seed=seed), (5, 10, 20))
            for seed in (1, 2, 3, 4)
        ]
    )
    assert (ratios.mean(axis=0) > 0.995).all()
    assert (ratios.mean(axis=0) < 1.02).all()


def test_energy_from_a_lattice_lies_above_haffs_law():
    """Discs that still leave their lattice meet less often than those of a gas."""
    ratios = [energy_over_haff(gas(hard_discs__restitution=0.95, seed=seed), (1, 2, 5)) for seed in (1, 2, 3, 4)]
    assert (np.mean(ratios, axis=0) > 1.0).all()


def test_the_rate_of_a_mixture(monkeypatch):
    equal = mixture_collision_rate(np.full(50, 0.4), np.full(50, 2.0), 80.0, 3.0)
    fraction = 50 * np.pi * 0.4**2 / 80.0
    assert equal == pytest.approx(float(collision_rate(fraction, 3.0, 0.8, 2.0)), rel=1e-12)
    rng = np.random.default_rng(1)
    many = rng.uniform(0.2, 0.6, 1000)
    grouped = mixture_collision_rate(many, many**2, 2000.0)
    monkeypatch.setattr("engine.hard_discs.theory._MOST_KINDS", 4000)
    assert grouped == pytest.approx(mixture_collision_rate(many, many**2, 2000.0), rel=1e-3)


@pytest.mark.parametrize(
    ("radii", "spread", "fraction"), [("equal", 0.0, 0.3), ("bidisperse", 2.5, 0.3), ("lognormal", 0.4, 0.2)]
)
def test_the_rate_of_a_mixture_is_what_is_measured(radii, spread, fraction):
    values = {"discs__radii": radii, "discs__spread": spread, "discs__volume_fraction": fraction}
    simulation = gas(**values, discs__arrangement="random", hard_discs__equilibration=20.0)
    (start,) = simulation.stretches()
    simulation.advance(max_events=60_000)
    assert simulation.measures().collision_rate == pytest.approx(start.rate, rel=0.015)


def test_the_law_begins_anew_where_the_restitution_is_changed():
    simulation = gas(hard_discs__restitution=1.0, discs__count=256)
    simulation.advance(max_events=4000)
    first = simulation.time
    for value in (0.95, 0.9, 0.85):  # a slider is dragged
        simulation.set("hard_discs.restitution", value)
    simulation.set("hard_discs.contact_time", 1e-5)  # the law stays
    simulation.advance(max_events=500)
    second = simulation.time
    simulation.set("hard_discs.restitution", 0.7)
    energy = simulation.frame().kinetic_energy
    found = simulation.stretches()
    assert [one.time for one in found] == [0.0, first, second]
    assert [one.restitution for one in found] == [1.0, 0.85, 0.7]
    assert found[1].energy == pytest.approx(found[0].energy, rel=1e-12)
    assert found[2].energy == pytest.approx(energy, rel=1e-12)
    assert found[2].rate == pytest.approx(found[1].rate * np.sqrt(energy / found[1].energy))
    assert HardDiscGas.from_checkpoint(simulation.checkpoint()).stretches() == found
    simulation.set("hard_discs.wall_restitution", 0.9)  # of a periodic box: the law stays
    assert simulation.stretches() == found
    simulation.set("hard_discs.growth_rate", 1e-3)
    assert simulation.stretches()[-1].restitution == NO_LAW
    simulation.set("hard_discs.growth_rate", 0.0)
    assert np.array(simulation.stretches()) == pytest.approx(np.array(found))


@pytest.mark.parametrize(
    ("boundary", "changes", "law", "conserved"),
    [
        ("periodic", {"wall_restitution": 0.5}, 1.0, True),  # there are no walls
        ("periodic", {"restitution": 0.9, "wall_restitution": 0.5}, 0.9, False),
        ("walls", {"wall_restitution": 0.5}, NO_LAW, False),
        ("walls", {"restitution": 0.9, "contact_time": 1e-3}, 0.9, False),
        ("walls", {"gravity": (0.0, -1.0)}, NO_LAW, True),  # kinetic and potential energy together
        ("periodic", {"growth_rate": 1e-3}, NO_LAW, False),
    ],
)
def test_one_rule_says_where_energy_is_conserved(boundary, changes, law, conserved):
    """The drift is that of the energy exactly where nothing takes any away, and Haff's law holds where only collisions
    between discs do."""
    simulation = gas(box__boundary=boundary, **{f"hard_discs__{name}": value for name, value in changes.items()})
    simulation.advance(max_events=2000)
    assert simulation.stretches()[0].restitution == law
    drift = simulation.measures().energy_drift
    assert (drift is not None) == conserved
    assert not conserved or abs(drift) < 1e-9


def test_a_measured_rate_replaces_the_theory_of_dense_gases():
    """At φ = 0.75, a crystal, Enskog's rate is far too high, and at 0.69, near the transition, 5 % (by Henderson's
    equation 9 %)."""
    assert gas(hard_discs__restitution=0.9, discs__volume_fraction=0.69, discs__count=400).stretches()[0].rate == 0.0
    dense = {"discs__volume_fraction": 0.75, "discs__count": 400}
    assert gas(hard_discs__restitution=0.9, **dense).stretches()[0].rate == 0.0
    simulation = gas(**dense)
    simulation.advance(max_events=16_000)
    simulation.set("hard_discs.restitution", 0.9)
    history = simulation.history()
    rate, counted = settled(history, 400, 2)
    assert simulation.stretches()[-1].rate == rate
    late = history.time >= 0.5 * history.time[-1]
    met = 2.0 * np.ptp(history.collisions[late]) / 400 / np.ptp(history.time[late])
    assert rate == pytest.approx(met, rel=0.02)
    assert counted == 0  # discs of a fluid of this density would remember their start in the first half


def test_a_rate_of_too_few_collisions_is_none():
    assert settled(elastic(499, 100), 100, 2) == (0.0, 0)
    rate, counted = settled(elastic(1000, 100), 100, 2)
    assert rate == pytest.approx(20.0, rel=0.01)
    assert counted == pytest.approx(500, rel=0.03)
    assert settled(elastic(1000, 100).up_to(-1.0), 100, 2) == (0.0, 0)


def test_a_rate_in_which_discs_remember_their_start_does_not_count_as_precise():
    """At V_f = 0.4 and Z = 3 discs of the plane remember ten collisions each."""
    for each, before, counts in ((18.0, 0.0, False), (22.0, 0.0, True), (18.0, 3.0, True)):
        rate, counted = settled(elastic(round(50 * each), 100, 0.4, 3.0), 100, 2, 0.0, before)
        assert rate == pytest.approx(each, rel=0.03)
        assert (counted > 0) == counts


def elastic(collisions: int, count: int, fraction: float = 0.1, z: float = 1.2) -> GasHistory:
    """A history of an elastic gas with so many collisions in a time of 1, and the thermal energy 1."""
    time = np.linspace(0.0, 1.0, 51)
    rows, one = np.full(51, count), np.ones(51)
    virial = 2.0 * (z - 1.0) * time * count / (count - 1)
    return GasHistory(
        time, rows, one, np.rint(collisions * time).astype(np.int64), virial, fraction * one, one, time.copy()
    )


def test_a_stretch_without_length_goes():
    first, second = Stretch(0.0, 1.0, 5.0, 2.0), Stretch(3.0, 0.9, 5.0, 7.0)
    assert next_stretch([first, second], Stretch(3.0, 0.8, 5.0, 1.0)) == [first, Stretch(3.0, 0.8, 5.0, 7.0)]
    assert next_stretch([first, second], Stretch(3.0, 1.0, 5.0, 1.0)) == [first]
    assert next_stretch([first], Stretch(0.0, 0.8, 5.0, 1.0)) == [Stretch(0.0, 0.8, 5.0, 2.0)]


def test_the_first_state_of_a_scenario_stays_what_it_is():
    scenario = Scenario().with_values({"system": "hard-discs", "hard_discs.equilibration": 5.0})
    plain = scenario.with_values({"hard_discs.equilibration": 0.0})
    assert np.array_equal(initial_state(scenario).positions, initial_state(plain).positions)


def test_haffs_clock_starts_with_each_stretch():
    stretches = [Stretch(0.0, 1.0, 6.0, 0.0), Stretch(2.0, 0.9, 6.0, 3.0), Stretch(5.0, 0.8, 4.0, 2.0)]
    number, law = haffs_law(stretches, np.array([0.0, 1.9, 2.0, 3.0, 5.0, 7.0]))
    assert number.tolist() == [0, 0, 1, 1, 2, 2]
    after_one = 6.0 / (1.0 + 1.0 * (1.0 - 0.81) * 3.0 / 4.0) ** 2
    after_two = 4.0 / (1.0 + 2.0 * (1.0 - 0.64) * 2.0 / 4.0) ** 2
    np.testing.assert_allclose(law, [6.0, 6.0, 6.0, after_one, 4.0, after_two], rtol=1e-12)
    assert haffs_law(stretches[:1], np.array([0.0, 1.0]))[1] is None


def test_an_elastic_gas_has_settled_after_ten_collisions_of_each_disc():
    for each, settles in ((9.9, False), (10.1, True)):
        assert (settled(elastic(round(500 * each), 1000), 1000, 2)[0] > 0.0) == settles
