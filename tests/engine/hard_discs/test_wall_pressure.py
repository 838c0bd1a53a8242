"""The pressure on walls: of a disc that flies to and fro, and of a gas between two walls."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine import Scenario
from engine.boundary import Periodic
from engine.hard_discs.simulation import HardDiscGas
from engine.hard_discs.theory import fluid_z
from tests.builders.states import bouncing, discs, through_a_file


def test_a_disc_that_flies_to_and_fro_pushes_each_wall_by_twice_its_momentum():
    state = discs([(1.0, 1.0)], [(3.0, 0.0)], 0.5, (5.0, 2.0), masses=[2.0])
    simulation = bouncing(state, wall_restitution=0.5)
    simulation.advance(max_events=3)  # right at 3, left at 1.5, right at 0.75
    pressure, time = simulation.measures().wall_pressure, simulation.time
    assert pressure["x"] == pytest.approx([2.0 * 2.25 / (2.0 * time), 2.0 * (4.5 + 1.125) / (2.0 * time)])
    assert pressure["y"] == [0.0, 0.0]


def test_a_box_without_walls_has_no_pressure_on_them():
    simulation = bouncing(discs([(1.0, 1.0)], [(3.0, 0.5)], 0.5, (5.0, 2.0), periodic=True))
    simulation.advance(until_time=1.0)
    assert simulation.measures().wall_pressure is None


@pytest.mark.parametrize(
    ("boundary", "size", "fraction"),
    [(["periodic", "walls"], [20.0, 40.0], 0.3), (["walls", "periodic", "periodic"], [24.0, 6.0, 6.0], 0.2)],
)
def test_a_gas_between_two_walls_has_the_pressure_of_theory(boundary, size, fraction):
    axis, dimensions = boundary.index("walls"), len(size)
    values = {
        "system": "hard-discs", "dimensions": dimensions, "discs.count": 800, "box.size": size,
        "discs.volume_fraction": fraction, "discs.arrangement": "random", "velocities.distribution": "maxwell",
        "box.boundary": boundary, "hard_discs.equilibration": 20.0,
    }  # fmt: skip
    simulation = engine.create(Scenario().with_values(values))
    inside = []
    for _ in range(60):
        simulation.advance(max_events=3 * simulation.count)
        place = simulation.frame().positions[:, axis] / size[axis]
        inside.append(np.count_nonzero(np.abs(place - 0.5) < 0.25))
    # the walls push discs into layers; in the middle is a fluid of its own density
    density = np.mean(inside) / (0.5 * np.prod(size))
    bulk = density * np.prod(size) / simulation.count * fraction
    measures = simulation.measures()
    theory = density * measures.temperature * fluid_z(bulk, dimensions)
    assert set(measures.wall_pressure) == {"xyz"[axis]}
    assert measures.wall_pressure["xyz"[axis]] == pytest.approx([theory] * 2, rel=0.03)
    assert measures.momentum_error < 1e-14
    assert simulation.periodic == Periodic(word == "periodic" for word in boundary)
    again = HardDiscGas.from_checkpoint(through_a_file(simulation.checkpoint()))
    assert again.measures().wall_pressure == measures.wall_pressure
