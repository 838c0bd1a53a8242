"""Along periodic axes the centre of mass moves by P t / M, whatever a time step does to bring discs to contact."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine import Scenario
from engine.aggregation.time_stepping.simulation import TimeStepping, TurningSteps
from engine.aggregation.turning.simulation import TurningEvents
from engine.boundary import Periodic
from engine.records import along, columns
from engine.slices import NO_LIMIT
from tests.builders.states import CLUSTERS, FRACTION, STEP, discs, random_state, stepping


def started(clusters, radii, fraction, dimensions, seed, boundary="periodic"):
    values = {"seed": seed, "discs.count": 400, "box.boundary": boundary, "discs.arrangement": "random"}
    values |= {"discs.radii": radii, "discs.spread": 0.0 if radii == "equal" else 0.5, "discs.volume_fraction": 0.2}
    values["dimensions"] = dimensions
    return engine.create(stepping(**values, **{CLUSTERS: clusters, FRACTION: fraction}))


def drift(simulation):
    """The distance of the centre of mass from its exact place at the end along periodic axes, in mean radii, followed
    step by step."""
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
    off = (moved - velocity * (time - start))[list(simulation.periodic.axes)]
    return float(np.linalg.norm(off) / simulation.radii.mean())


@pytest.mark.parametrize(
    ("fraction", "dimensions", "seed", "boundary"),
    [
        (0.5, 2, 2, "periodic"),
        (1.0, 2, 2, "periodic"),
        (1.0, 3, 5, "periodic"),
        (1.0, 2, 2, ("walls", "periodic")),
        (1.0, 3, 7, ("periodic", "walls", "periodic")),
    ],
)
@pytest.mark.parametrize("radii", ["equal", "lognormal"])
@pytest.mark.parametrize("clusters", ["deformable", "rigid"])
def test_the_centre_of_mass_goes_straight_on(clusters, radii, fraction, dimensions, seed, boundary):
    simulation = started(clusters, radii, fraction, dimensions, seed, boundary)
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


@pytest.mark.parametrize("made", [TimeStepping, TurningSteps, TurningEvents])
@pytest.mark.parametrize("periodic", [(1, 0), (0, 1), (0, 1, 0), (1, 0, 1)])
def test_momentum_along_periodic_axes_is_kept_to_the_last_bit_and_energy_as_between_walls(made, periodic):
    """Masses are whole numbers and velocities multiples of 1/64, so that sums of momenta are exact."""
    rng, periodic = np.random.default_rng(len(periodic)), Periodic(periodic)
    dimensions = len(periodic)
    state = random_state(
        rng, 60, periodic=periodic, fraction=0.4 / dimensions, spread=0.4, box=(1.3, 1.0, 1.1)[:dimensions]
    )
    state.masses[:] = rng.integers(1, 6, 60)
    state.velocities[:] = np.round(64.0 * state.velocities) / 64.0
    turns = made is not TimeStepping
    if turns:
        state.spin = rng.normal(size=60 if dimensions == 2 else (60, 3)) / state.radii.mean()
    values = {"dimensions": dimensions, "aggregation.rotation": turns, "box.boundary": periodic.boundary}
    if made is not TurningEvents:
        values |= {"aggregation.method": "time-stepping", CLUSTERS: "rigid", FRACTION: 1.0}
    simulation = made(Scenario().with_values(values), state)
    started, around = state.masses @ state.velocities, list(periodic.axes)
    for clusters in (40, 20, 5, 1):
        simulation.advance(100.0, until_clusters=clusters)
        now = columns(simulation._clusters(), *along("p", dimensions)).sum(axis=0)
        pushed = np.array([simulation._sim[name] for name in along("impulse_", dimensions)])
        assert (now[around] == started[around]).all()
        assert (pushed[around] == 0.0).all()
        assert (np.abs(now - pushed - started) <= 1e-12 * np.abs(started).sum() * turns).all()
    energy = simulation.history().kinetic_energy
    assert made is TurningSteps or np.diff(energy).max() <= 1e-14 * energy[0], "reshaping a body may raise it"
    assert (pushed[list(periodic.walls)] != 0.0).all()
