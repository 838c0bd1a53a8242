"""Two discs or spheres that fly freely through a periodic box: the crossings of each axis are counted along that axis,
and whatever is computed from them is what a flight without a box gives."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine import analysis
from engine.frame import Start
from engine.indicators import measure
from engine.scenario import Scenario
from engine.state import InitialState

BOX = np.array([4.0, 3.0, 5.0])
SPEEDS = np.array([[1.25, -2.5, 7.0], [-0.75, 6.0, 0.125]])
STARTS = np.array([[0.5, 1.0, 2.0], [3.0, 2.5, 4.5]])


def flying(dimensions: int) -> engine.Simulation:
    box = BOX[:dimensions]
    scenario = Scenario().with_values({
        "system": "hard-discs", "dimensions": dimensions, "box.size": box.tolist(), "box.boundary": "periodic",
        "discs.count": 2, "discs.volume_fraction": 1e-7,
    })  # fmt: skip
    state = InitialState(
        STARTS[:, :dimensions].copy(), SPEEDS[:, :dimensions].copy(), np.full(2, 1e-3), np.ones(2),
        np.arange(2, dtype=np.int32), box, True,
    )  # fmt: skip
    return engine.create(scenario, state)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_each_axis_counts_its_own_crossings(dimensions: int) -> None:
    simulation = flying(dimensions)
    first = Start.of(simulation.frame(), simulation.box)
    np.testing.assert_allclose(first.positions, STARTS[:, :dimensions])
    for time in (1.5, 11.0):
        simulation.advance(until_time=time)
        frame = simulation.frame()
        flown = (STARTS + SPEEDS * time)[:, :dimensions]
        crossed = np.floor(flown / simulation.box)
        assert frame.fields["images"].tolist() == crossed.tolist()
        np.testing.assert_allclose(Start.of(frame, simulation.box).positions, flown, rtol=1e-12)
        sample = analysis.Sample(
            frame.positions, simulation.radii, simulation.box, periodic=True, images=frame.fields["images"],
            velocities=frame.velocities, masses=simulation.masses, start=first.positions,
            start_velocities=first.velocities, joins=False,
        )  # fmt: skip
        moved = measure(sample, analysis.every_indicator())["mean_square_displacement"]
        relative = (SPEEDS - SPEEDS.mean(axis=0))[:, :dimensions]  # to the centre of mass
        assert moved == pytest.approx(float(np.square(relative * time).sum(axis=1).mean()))
