"""A gas that moves through a periodic box as a whole is as warm as the same gas at rest: nothing thermal sees that."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from engine.hard_discs.pressure import pressure_in_pieces
from engine.hard_discs.saved import saved
from engine.hard_discs.simulation import HardDiscGas
from engine.system import system_of
from tests.builders import states

BOTH = pytest.mark.parametrize("dimensions", [2, 3])


def at_rest_and_moving(dimensions: int, count: int = 125, **settings) -> tuple[HardDiscGas, HardDiscGas]:
    """The same discs of two sizes at V_f = 0.3 with kT = 1 per mean mass, and with ten times that speed along x."""
    kinds = {"discs__radii": "bidisperse", "discs__spread": 1.3, "discs__arrangement": "random"}
    state = states.gas(count, 0.3, dimensions=dimensions, **kinds).state()
    moving = state.velocities + np.eye(dimensions)[0] * 10.0
    return states.bouncing(state, **settings), states.bouncing(replace(state, velocities=moving), **settings)


@BOTH
@pytest.mark.parametrize("restitution", [1.0, 0.8])
def test_thermal_quantities_do_not_depend_on_the_motion_of_the_whole_gas(dimensions, restitution):
    """As long as rounding has not parted the two."""
    gases, said, measured = at_rest_and_moving(dimensions, restitution=restitution), [], []
    for gas in gases:
        kind = system_of(gas.scenario)
        start = kind.start(gas)
        gas.advance(until_time=0.8)
        said.append(kind.results_of(gas))
        measured.append(kind.analyse(gas, gas.frame(), start=start))
    rest, moves = said
    assert rest["collisions_per_disc"] > 1.0
    for name in ("compressibility", "temperature", "reduced_collision_rate", "temperature_over_haff"):
        assert moves[name] == (None if rest[name] is None else pytest.approx(rest[name], rel=1e-6)), name
    rest, moves = measured
    for name in ("mean_square_displacement", "velocity_autocorrelation"):
        assert moves[name] == pytest.approx(rest[name], rel=1e-6), name
    assert moves["speeds"]["density"] == rest["speeds"]["density"]
    assert moves["speeds"]["sonine"] == pytest.approx(rest["speeds"]["sonine"], abs=1e-6)
    wanted = np.array(rest["velocity_correlation"]["total"])
    np.testing.assert_allclose(moves["velocity_correlation"]["total"], wanted, atol=0.05)  # discs between intervals
    total = [one["radial_profile"]["speed"][-1] for one in measured]
    assert total[1] < 5.0, "not ten, the speed of all together"
    for name in ("thermal_energy", "heat"):
        values = [getattr(gas.history(), name) for gas in gases]
        assert len(values[0]) == len(values[1])
        np.testing.assert_allclose(values[1], values[0], rtol=1e-6)


@BOTH
def test_the_error_of_z_is_the_same_in_a_gas_that_moves_as_a_whole(dimensions):
    found = []
    for gas in at_rest_and_moving(dimensions):
        gas.advance(max_events=100 * gas.count)
        found.append(system_of(gas.scenario).results_of(gas))
    (rest, rest_error), (moves, moves_error) = ((one["compressibility"], one["compressibility_error"]) for one in found)
    assert 0.5 < moves_error / rest_error < 2.0
    assert abs(moves - rest) < 4.0 * np.hypot(rest_error, moves_error)


@BOTH
def test_the_pressure_of_discs_that_grow_is_that_of_a_gas_at_rest_and_ends_their_growth(dimensions):
    found, ends = [], []
    growth = {"growth_rate": 0.01, "growth_to_fraction": 0.6, "growth_to_pressure": 1e9 if dimensions == 2 else 15.0}
    for gas in at_rest_and_moving(dimensions, **growth):
        progress = gas.advance(max_events=1000 * gas.count)
        ends.append((progress.stop_reason[:17], gas.measures().volume_fraction))
        found.append(np.interp(0.4, *pressure_in_pieces(gas.history(), gas.count)))
    assert found[1] == pytest.approx(found[0], rel=0.15)
    assert ends[1][0] == ends[0][0]
    assert ends[1][1] == pytest.approx(ends[0][1], rel=0.05)


@BOTH
@pytest.mark.parametrize("boundary", ["periodic", "walls"])
def test_a_checkpoint_of_version_0_2_0_gets_its_thermal_energy(dimensions, boundary):
    """It has no such columns, and its sums are of all kinetic energy."""
    gas = at_rest_and_moving(dimensions)[1]
    if boundary == "walls":
        gas = states.gas(100, 0.3, dimensions=dimensions, box__boundary="walls")
    gas.advance(max_events=3000)
    gas.reset_measures()
    gas.advance(max_events=9000)
    checkpoint, arrays = gas.checkpoint(), gas.checkpoint().arrays
    state, since = arrays["state"].copy(), arrays["since"].copy()
    momentum = gas.masses @ gas.frame().velocities
    common = 0.5 * float(momentum @ momentum) / float(gas.masses.sum())
    if boundary == "periodic":
        state["kinetic_integral"] += common * state["epoch"]
        since["kinetic_time"] += common * since["time"]
    state["kinetic_com"] = common
    new = "thermal_energy|heat|before|strain|shear|virial_|flight_|push_"  # since then
    old = {"log": without(arrays["log"], new), "state": without(state, new), "since": without(since, new)}
    again = HardDiscGas.from_checkpoint(replace(checkpoint, arrays={**arrays, **old}))
    wanted, found = gas.measures(), again.measures()
    assert found.temperature == pytest.approx(wanted.temperature, rel=1e-9)
    if boundary == "periodic":
        assert found.compressibility == pytest.approx(wanted.compressibility, rel=0.05)  # another part is left out
    for name in ("thermal_energy", "heat"):
        np.testing.assert_allclose(getattr(again.history(), name), getattr(gas.history(), name), rtol=1e-6, atol=1e-6)
    both = gas.copy()
    both.advance(max_events=500)
    again.advance(max_events=500)
    states.same_bits(both, again)
    assert "heat" in saved(dimensions)["log"].fields


def without(rows: np.ndarray, names: str) -> np.ndarray:
    """A structured array without the fields whose names begin so (a regular expression)."""
    kept = [name for name in rows.dtype.names or () if not re.match(names, name)]
    new = np.zeros(rows.shape, np.dtype([(name, rows.dtype[name]) for name in kept], align=True))
    for name in kept:
        new[name] = rows[name]
    return new
