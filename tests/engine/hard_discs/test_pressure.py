"""The pressure of pieces of a history: that of the literature, with an error that is the scatter of the pieces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from engine import create
from engine.hard_discs.history import GasHistory
from engine.hard_discs.pressure import error_of_mean, pressure_in_pieces
from engine.hard_discs.theory import REFERENCE_Z, henderson
from engine.scenario import load_scenario
from engine.simulation import Simulation
from engine.system import system_of
from tests.builders.states import gas
from tests.plots.gas_data import COUNT, history

STUCK = Path(__file__).parents[3] / "resources" / "lessons" / "stuck" / "gas.toml"


def test_the_pressure_of_a_fluid_is_that_of_the_literature():
    reference = REFERENCE_Z[1]
    fluid = gas(400, reference.phi)
    fluid.advance(max_events=80_000)
    fraction, z = pressure_in_pieces(fluid.history(), fluid.count)
    assert_allclose(fraction, reference.phi)
    assert z[len(z) // 4 :].mean() == pytest.approx(reference.z, rel=0.015)  # 400 discs: 1 % for 60 000 collisions
    assert 0.0 < error_of_mean(fluid.history(), fluid.count) < 0.05


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


def test_the_error_is_that_of_what_has_been_measured_and_discs_that_have_grown_have_none():
    fluid = gas(400, 0.3)
    fluid.advance(max_events=20_000)
    (whole,) = errors_of(fluid)
    assert whole == pytest.approx(error_of_mean(fluid.history(), fluid.count))
    fluid.reset_measures()
    assert errors_of(fluid) == [None]
    fluid.advance(max_events=60_000)
    (later,) = errors_of(fluid)
    assert 0.0 < later < 0.05
    assert later != error_of_mean(fluid.history(), fluid.count)
    fluid.set("hard_discs.growth_rate", 1e-3)
    fluid.advance(max_events=20_000)
    assert errors_of(fluid) == [None]


def errors_of(fluid: Simulation) -> list[float | None]:
    """The standard error of Z among the results of a run."""
    return [system_of(fluid.scenario).results_of(fluid)["compressibility_error"]]


def test_the_error_is_that_of_the_mean_over_time():
    rng, pieces, count = np.random.default_rng(2), 400, 50
    z = 3.0 + rng.normal(0.0, 0.2, pieces)
    past = scattered(z, count)
    assert error_of_mean(past, count) == pytest.approx(0.2 / np.sqrt(pieces), rel=0.4)
    short = GasHistory(**{name: column[:2] for name, column in vars(past).items()})
    assert np.isnan(error_of_mean(short, count))


def test_pieces_that_depend_on_each_other_have_no_error():
    assert np.isnan(error_of_mean(scattered(np.linspace(3.0, 4.0, 400), 50), 50))


def scattered(z: np.ndarray, count: int) -> GasHistory:
    """A history at V_f = 0.4 with these Z (K,) between its entries."""
    entries = len(z) + 1
    return GasHistory(
        np.arange(float(entries)),
        np.full(entries, count),
        np.full(entries, 25.0),
        collisions=np.arange(entries) * count * 5,
        virial=np.concatenate([[0.0], np.cumsum((z - 1.0) * 2.0 * 25.0 * count / (count - 1))]),
        volume_fraction=np.full(entries, 0.4),
    )
