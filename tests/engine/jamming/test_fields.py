"""What the forces in a packing say of each disc, against sums contact by contact."""

from __future__ import annotations

from math import pi
from pathlib import Path

import gsd.hoomd
import numpy as np
import pytest
from numpy.testing import assert_allclose

import engine
from engine.fields import fields_in
from engine.files import FileFrame, read, write
from engine.frame import Frame, Network
from engine.jamming.fields import FIELDS, FORCE, LARGEST_FORCE, PRESSURE, of_forces
from engine.scenario import Scenario
from engine.simulation import Simulation


@pytest.fixture(scope="module", params=["periodic", "walls", ("walls", "periodic")], ids=str)
def packing(request: pytest.FixtureRequest) -> Simulation:
    """Discs of two sizes after some iterations."""
    values = {
        "system": "jamming", "seed": 3, "box.boundary": request.param, "discs.count": 60, "discs.volume_fraction": 0.7,
        "discs.arrangement": "random", "discs.radii": "bidisperse", "discs.spread": 1.4,
    }  # fmt: skip
    simulation = engine.create(Scenario().with_values(values))
    simulation.advance(max_events=25)
    return simulation


def naive(frame: Frame, radii: np.ndarray) -> dict[str, list[float]]:
    """The same, disc by disc: the stress tensor of each from the forces at its contacts."""
    network = frame.network
    found: dict[str, list[float]] = {"force": [], "largest_force": [], "pressure": []}
    for disc, radius in enumerate(radii):
        forces, stress = [], np.zeros((2, 2))
        for (first, second), force, direction in zip(network.pairs, network.forces, network.vectors, strict=True):
            for one, outwards in ((first, direction), (second, -direction)):
                if one == disc:
                    forces.append(force)
                    stress += np.outer(radius * outwards, force * outwards) / (pi * radius**2)
        found["force"].append(sum(forces))
        found["largest_force"].append(max(forces, default=0.0))
        found["pressure"].append(0.5 * np.trace(stress))
    return found


def test_forces_and_pressures_are_those_of_the_contacts_one_by_one(packing: Simulation) -> None:
    frame = packing.frame()
    expected = naive(frame, packing.radii * frame.radius_factor)
    assert (frame.network.pairs[:, 1] < 0).any() == bool(packing.periodic.walls)  # contacts with walls too
    assert np.ptp(expected["pressure"]) > 1.0
    for field in (FORCE, LARGEST_FORCE, PRESSURE):
        assert field in FIELDS
        assert_allclose(field.values(frame, packing), expected[field.name], rtol=1e-12, atol=1e-15)
    frame.fields = {}  # as in recordings that hold the contacts alone
    for field in (FORCE, LARGEST_FORCE, PRESSURE):
        assert_allclose(field.values(frame, packing), expected[field.name], rtol=1e-12, atol=1e-15)
    frame.network = None
    assert all(field.values(frame, packing) is None for field in (FORCE, LARGEST_FORCE, PRESSURE))


def test_the_pressure_of_spheres_is_a_force_over_an_area() -> None:
    pairs, vectors = np.array([(0, 1), (1, -1)], np.int32), np.array([[0.0, 0.6, 0.8], [1.0, 0.0, 0.0]])
    network, radii = Network(pairs, np.array([0.5, 1.5]), vectors, np.zeros(2, bool)), np.array([1.0, 2.0])
    # a third of the trace of Σ f r r̂ over the volume, by hand
    stresses = [0.5 * 1.0 * np.outer(vectors[0], vectors[0])]
    stresses.append(0.5 * 2.0 * np.outer(vectors[0], vectors[0]) + 1.5 * 2.0 * np.outer(vectors[1], vectors[1]))
    expected = [np.trace(one) / 3.0 / (4.0 / 3.0 * pi * r**3) for one, r in zip(stresses, radii, strict=True)]
    assert_allclose(of_forces(network, radii)["pressure"], expected, rtol=1e-14)
    units = [next(one for one in fields_in(FIELDS, d) if one.name == "pressure").unit for d in (2, 3)]
    assert units == ["mean force / length", "mean force / length²"]


def test_forces_are_zero_before_the_first_iteration() -> None:
    values = {"system": "jamming", "discs.count": 16, "discs.arrangement": "random", "discs.volume_fraction": 0.4}
    frame = engine.create(Scenario().with_values(values)).frame()
    assert {name: found.tolist() for name, found in frame.fields.items()} == {
        name: [0.0] * 16 for name in of_forces(None, np.ones(16))
    }


def test_conditions_name_them_and_files_hold_them(packing: Simulation, tmp_path: Path) -> None:
    frame = packing.frame()
    pressures = frame.fields["pressure"]
    pressed = engine.select(packing, "pressure > 2 * mean(pressure) and largest_force < force")
    assert pressed.any()
    largest, sums = frame.fields["largest_force"], frame.fields["force"]
    assert (pressed == ((pressures > 2.0 * pressures.mean()) & (largest < sums))).all()
    write(tmp_path / "packing.gsd", FileFrame.of(frame, packing).only(pressed))
    again = read(tmp_path / "packing.gsd")[0]
    assert_allclose(again.fields["pressure"], pressures[pressed])  # of all contacts, not of those that are left
    with gsd.hoomd.open(tmp_path / "packing.gsd") as trajectory:
        assert_allclose(trajectory[0].log["particles/pressure"], pressures[pressed])
