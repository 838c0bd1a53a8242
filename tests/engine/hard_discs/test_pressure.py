"""The pressure as a mean over time, without the discs' memory of their start, and of pieces of a history: that of the
literature, with an error that is the scatter of the pieces."""

from __future__ import annotations

from math import pi, sqrt
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from engine import create
from engine.hard_discs.pressure import Counted, mean_pressure, memory, pressure_in_pieces
from engine.hard_discs.theory import REFERENCE_Z, henderson
from engine.scenario import load_scenario
from engine.simulation import Simulation
from engine.system import system_of
from tests.builders.states import gas
from tests.plots.gas_data import COUNT, history
from tests.reference.theory import SPHERES_Z, in_a_box

STUCK = Path(__file__).parents[3] / "resources" / "lessons" / "stuck" / "gas.toml"


def test_the_pressure_of_a_fluid_is_that_of_the_literature():
    reference = REFERENCE_Z[1]
    fluid = gas(400, reference.phi)
    fluid.advance(max_events=80_000)
    fraction, z = pressure_in_pieces(fluid.history(), fluid.count)
    assert_allclose(fraction, reference.phi)
    assert z[len(z) // 4 :].mean() == pytest.approx(reference.z, rel=0.015)  # 400 discs: 1 % for 60 000 collisions
    said, error = said_of(fluid)
    assert 0.0 < error < 0.05
    assert said == pytest.approx(in_a_box(reference.z, reference.phi, 400, 2), abs=3.0 * error)


def test_discs_that_grow_have_the_pressure_of_each_density():
    phi, z = pressure_in_pieces(history(growing=True), COUNT)
    assert len(phi) > 20
    assert phi[0] < 0.32
    assert phi[-1] > 0.58
    assert_allclose(z, henderson(phi), rtol=0.005)


def test_the_pressure_does_not_fall_where_speeds_are_scaled_back():
    """The gas of the lesson "Stuck", looked at a hundred times on its way."""
    simulation = create(load_scenario(STUCK))
    fell, progress, time = [], None, 2.0
    while progress is None or not progress.finished:
        time += 0.01
        progress = simulation.advance(time)
        _, z = pressure_in_pieces(simulation.history(), simulation.count)
        fell += [(time, *z[-2:])] if z[-1] < 0.7 * z[-2] else []
    assert z[-1] > 1000
    assert fell == []


@pytest.mark.parametrize(("dimensions", "fraction"), [(2, 0.3), (2, 0.6), (3, 0.1), (3, 0.45)])
def test_discs_forget_their_start_when_they_have_diffused_as_far_as_to_their_neighbours(dimensions, fraction):
    """With Enskog's rates for σ = m = kT = 1: 2 d D t = n^(-2/d) after ω t collisions."""
    z, d = 5.0, dimensions
    if d == 2:
        n, g = fraction / (pi / 4.0), (z - 1.0) / (2.0 * fraction)
        rate, diffusion = 2.0 * sqrt(pi) * n * g, 1.0 / (2.0 * n * g * sqrt(pi))
    else:
        n, g = fraction / (pi / 6.0), (z - 1.0) / (4.0 * fraction)
        rate, diffusion = 4.0 * sqrt(pi) * n * g, 3.0 / (8.0 * n * g * sqrt(pi))
    assert memory(fraction, z, d) == pytest.approx(rate * n ** (-2.0 / d) / (2.0 * d * diffusion), rel=1e-12)


@pytest.mark.parametrize(
    ("dimensions", "fraction", "each", "said"),
    [
        *((3, 0.45, 20, False), (3, 0.45, 60, False), (3, 0.45, 240, True), (3, 0.2, 30, True)),
        *((2, 0.65, 40, False), (2, 0.65, 160, True)),
    ],
)
def test_the_lattice_that_melts_is_neither_in_the_mean_nor_in_its_error(dimensions, fraction, each, said):
    """Six gases that start on a lattice: the pressure is the literature's within about its error, or has none."""
    want = REFERENCE_AT[dimensions][fraction]
    off = []
    for seed in range(1, 7):
        fluid = gas(500, fraction, dimensions=dimensions, seed=seed)
        fluid.advance(max_events=each * 250)
        z, error = said_of(fluid)
        off += [] if error is None else [(z - in_a_box(want, fraction, 500, dimensions)) / error]
    assert len(off) >= (5 if said else 0)  # one in forty seems to depend on its past
    assert said or not off
    if said:
        assert abs(np.mean(off)) < 1.2  # 1/√6 on average
        assert 0.4 < np.sqrt(np.mean(np.square(off))) < 1.8


REFERENCE_AT = {2: {one.phi: one.z for one in REFERENCE_Z}, 3: dict(SPHERES_Z)}
"""Z by V_f."""


def test_collisions_that_still_depend_on_the_start_are_left_out_of_the_pressure():
    """At V_f = 0.4 and Z = 3 discs of the plane remember ten collisions each; a lattice of Z = 2 melts in nine."""
    assert memory(0.4, 3.0, 2) == pytest.approx(10.0)
    z = np.where(np.arange(400) < 90, 2.0, 3.0)  # for each tenth of a collision
    for length in (100, 250, 259):
        assert np.isnan(mean_pressure(counted(z[:length], 0.1), 50, 0.4, 2).error)
    found = mean_pressure(counted(z, 0.1), 50, 0.4, 2)
    assert found.z == pytest.approx(3.0, rel=1e-12)
    assert found.error == pytest.approx(0.0, abs=1e-9)
    assert found.left_out == pytest.approx(10.0, abs=0.2)
    equilibrated = mean_pressure(counted(z, 0.1), 50, 0.4, 2, before=4.0)
    assert equilibrated.left_out == pytest.approx(6.0, abs=0.2)
    assert mean_pressure(counted(z, 0.1), 50, None, 2).z == pytest.approx(2.0 * 0.225 + 3.0 * 0.775)  # has grown


@pytest.mark.parametrize("dimensions", [2, 3])
def test_the_pressure_of_few_discs_is_that_of_the_temperature_without_their_common_motion(dimensions):
    """Z = 1 + Σ |Δp · r| / (d N kT t) with kT = 2 K / (d (N - 1)), plainly: of eight discs an eighth more or less."""
    count = 8
    start = {"dimensions": dimensions, "hard_discs__equilibration": 200.0}
    fluid = gas(count, 0.2, **start)
    fluid.advance(max_events=25 * count)
    kinetic, virial = fluid.frame().kinetic_energy, fluid.history().virial[-1]
    temperature = 2.0 * kinetic / (dimensions * (count - 1))
    z = 1.0 + virial / (dimensions * count * temperature * fluid.time)
    assert said_of(fluid)[0] == pytest.approx(z, rel=1e-9)
    growth = {"hard_discs__growth_rate": 1e-9, "hard_discs__growth_to_fraction": 0.21}
    grows = gas(count, 0.2, **start, **growth)  # its pressure is looked at after 25 collisions for each disc
    grows.advance(max_events=25 * count + 1)
    past = grows.history()
    temperature = 2.0 * past.kinetic_energy[-1] / (dimensions * (count - 1))
    z = 1.0 + past.virial[25 * count] / (dimensions * count * temperature * past.time[25 * count])
    assert grows._st.state.z_last == pytest.approx(z, rel=1e-3)


def test_measuring_anew_does_not_make_discs_forget_and_a_new_setting_does():
    fluid = gas(100, 0.3, hard_discs__equilibration=2.0)
    fluid.advance(max_events=150)
    fluid.reset_measures()  # after 2 + 3 collisions each, more than discs remember at this density
    fluid.advance(max_events=850)
    z, error = said_of(fluid)
    assert error > 0.0
    past = fluid.history()
    begun = int(np.searchsorted(past.collisions, 150))
    heat = 2.0 * (past.heat[-1] - past.heat[begun]) * 100 / 99
    assert z == pytest.approx(1.0 + (past.virial[-1] - past.virial[begun]) / heat, rel=2e-3)
    again = create(fluid.scenario)
    assert create(fluid.scenario).measures() == again.measures()
    fluid.set("hard_discs.contact_time", 1e-9)
    fluid.advance(max_events=850)
    assert said_of(fluid)[1] is None


def test_the_error_is_that_of_what_has_been_measured_and_discs_that_have_grown_have_none():
    fluid = gas(400, 0.3)
    fluid.advance(max_events=20_000)
    whole = said_of(fluid)[1]
    assert 0.0 < whole < 0.05
    fluid.reset_measures()
    assert said_of(fluid)[1] is None
    fluid.advance(max_events=60_000)
    later = said_of(fluid)[1]
    assert 0.0 < later < whole
    fluid.set("hard_discs.growth_rate", 1e-3)
    fluid.advance(max_events=20_000)
    assert said_of(fluid)[1] is None


def said_of(fluid: Simulation) -> tuple[float | None, float | None]:
    """Z and its standard error among the results of a run."""
    results = system_of(fluid.scenario).results_of(fluid)
    return results["compressibility"], results["compressibility_error"]


def test_the_error_is_that_of_the_mean_over_time():
    """Of many gases with independent noise, means are off by 1.0 errors, whether there are 8 pieces or 200."""
    for pieces in (8, 12, 200):
        off = []
        for seed in range(200):
            z = 3.0 + np.random.default_rng(seed).normal(0.0, 0.2, pieces)
            found = mean_pressure(counted(z, 2.0), 50, 0.3, 2, before=50.0)
            off += [] if np.isnan(found.error) else [(found.z - 3.0) / found.error]
        assert len(off) > 180  # a few seem to depend on each other
        assert np.sqrt(np.mean(np.square(off))) == pytest.approx(1.0, abs=0.15)
    assert np.isnan(mean_pressure(counted(z[:7], 2.0), 50, 0.3, 2, before=50.0).error)


def test_pieces_that_depend_on_each_other_have_no_error():
    assert np.isnan(mean_pressure(counted(np.linspace(3.0, 4.0, 400), 5.0), 50, 0.4, 2).error)


def counted(z: np.ndarray, each: float, count: int = 50) -> Counted:
    """What discs have counted with these Z (K,), each for so many collisions per disc."""
    entries = np.arange(len(z) + 1)
    virial = np.concatenate([[0.0], np.cumsum((z - 1.0) * 2.0 * 25.0 * count / (count - 1))])
    return Counted(np.rint(entries * each * count / 2).astype(np.int64), virial, 25.0 * entries)
