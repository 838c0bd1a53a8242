"""How far discs have come since the start of a run, and what is left of their velocities: as `engine` gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

import engine
from engine.analysis import analyse_gas
from engine.frame import Start
from engine.simulation import Simulation

from .conftest import GAS, Call, settings

FEW = settings("discs.count=64", "box.boundary=periodic", "discs.volume_fraction=0.3", "seed=5")
NAMES = ("mean_square_displacement", "velocity_autocorrelation")


def gas() -> Simulation:
    values = {"discs.count": 64, "box.boundary": "periodic", "discs.volume_fraction": 0.3, "seed": 5}
    values |= {"system": "hard-discs", "velocities.distribution": "maxwell"}
    return engine.create(engine.load_scenario("lattice-100").with_values(values))


def by_hand(simulation: Simulation, start: Start) -> tuple[float | None, float | None]:
    frame = simulation.settled()
    found = analyse_gas(
        frame.positions, frame.velocities, simulation.radii, simulation.masses, simulation.box,
        periodic=True, images=frame.fields["images"], start=start.positions, start_velocities=start.velocities,
    )  # fmt: skip
    return found.mean_square_displacement, found.velocity_autocorrelation


def test_numbers_are_those_of_the_engine(call: Call, tmp_path: Path) -> None:
    done = call("run", "lattice-100", *GAS, *FEW, "--until-time", "1.5", "--json", "--out", tmp_path / "a")
    assert done.status == 0
    simulation = gas()
    frame = simulation.frame()
    start = Start(frame.positions + frame.fields["images"] * simulation.box, frame.velocities.copy())
    simulation.advance(until_time=1.5)
    squared, alike = by_hand(simulation, start)
    found = done.json["indicators"]
    assert (found[NAMES[0]], found[NAMES[1]]) == (squared, alike)
    assert squared is not None
    assert squared > 0.1
    assert alike is not None
    assert 0.0 < alike < 0.99
    # a session that is carried on begins where it was saved
    session = tmp_path / "a" / "final.aggsession"
    more = call("run", session, "--until-time", "2", "--json")
    again = Start.of(simulation.frame(), simulation.box)
    simulation.advance(until_time=2.0)
    assert tuple(more.json["indicators"][name] for name in NAMES) == pytest.approx(by_hand(simulation, again))
