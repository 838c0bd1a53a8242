"""In a periodic box the centre of mass moves by P t / M, whatever a time step does to bring discs to contact."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine.aggregation.time_stepping.simulation import TimeStepping
from engine.slices import NO_LIMIT
from tests.builders.states import CLUSTERS, FRACTION, STEP, discs, stepping


def started(clusters, radii, fraction, dimensions, seed):
    values = {"seed": seed, "discs.count": 400, "box.boundary": "periodic", "discs.arrangement": "random"}
    values |= {"discs.radii": radii, "discs.spread": 0.0 if radii == "equal" else 0.5, "discs.volume_fraction": 0.2}
    values["dimensions"] = dimensions
    return engine.create(stepping(**values, **{CLUSTERS: clusters, FRACTION: fraction}))


def drift(simulation):
    """The distance of the centre of mass from its exact place at the end, in mean radii, followed step by step."""
    share = simulation.masses[:, None] / simulation.masses.sum()
    before = simulation.settled()
    velocity = (share * before.velocities).sum(axis=0)
    start, moved = before.time, np.zeros(len(simulation.box))
    time, x = start, before.positions.copy()
    while True:
        simulation._continue_step(NO_LIMIT)
        now = simulation.settled()
        if now.time == time:
            break
        step = now.positions - x
        moved += (share * (step - simulation.box * np.round(step / simulation.box))).sum(axis=0)
        time, x = now.time, now.positions.copy()
    return float(np.linalg.norm(moved - velocity * (time - start)) / simulation.radii.mean())


@pytest.mark.parametrize(("fraction", "dimensions", "seed"), [(0.5, 2, 2), (1.0, 2, 2), (1.0, 3, 5)])
@pytest.mark.parametrize("radii", ["equal", "lognormal"])
@pytest.mark.parametrize("clusters", ["deformable", "rigid"])
def test_the_centre_of_mass_goes_straight_on(clusters, radii, fraction, dimensions, seed):
    simulation = started(clusters, radii, fraction, dimensions, seed)
    found = drift(simulation)
    # what a group of deformable clusters leaves at rest takes up a little; a group of rigid ones leaves nothing out
    assert found < (0.012 if clusters == "deformable" else 1e-9)
    assert clusters == "deformable" or fraction < 1.0 or simulation._sim["undone"] > 0


def test_a_light_disc_makes_way_for_a_heavy_one():
    """Two discs of masses 1 and 9 that meet end at contact, the light one moved nine times as far as the heavy one."""
    state = discs([[3, 5], [4.5, 5]], [[0, 0], [-1, 0]], 0.5, 10, periodic=True, masses=[1.0, 9.0])
    simulation = TimeStepping(stepping(**{STEP: 0.75}), state)
    simulation.advance()
    x = simulation.settled().positions[:, 0]
    assert x[1] - x[0] == pytest.approx(1.0, abs=1e-3)
    # after the flight they stood at 3 and 3.75
    assert x[0] - 3.0 == pytest.approx(-9.0 * (x[1] - 3.75), abs=1e-12)
