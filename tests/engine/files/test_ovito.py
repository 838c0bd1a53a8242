"""Files of ours in OVITO, and OVITO's files here. Its module brings another Qt, so that it has an environment of its
own, which `.ci/ovito` makes; `make soak` runs this."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.files import open_trajectory, write
from engine.frame import Network
from tests.builders.file_frames import some_frames, some_packings

PROJECT = Path(__file__).parents[3]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def interpreter() -> Path:
    """Python with OVITO's module; the first time this takes a minute."""
    made = subprocess.run([PROJECT / ".ci" / "ovito"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return PROJECT / made.stdout.strip()


def ovito(interpreter: Path, script: str, *arguments: Path) -> Any:
    """What a script prints last, as JSON."""
    done = subprocess.run(
        [interpreter, "-c", "import sys, json\nimport numpy as np\n" + script, *arguments],
        env={"PATH": os.environ["PATH"], "QT_QPA_PLATFORM": "offscreen", "HOME": os.environ.get("HOME", "/")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


READ = """
from ovito.io import import_file
source = import_file(sys.argv[1])
frames = []
for number in range(source.source.num_frames):
    data = source.compute(number)
    there = data.particles
    frames.append({name: np.asarray(there[name]).tolist() for name in there.keys()})
    frames[-1]["cell"] = np.asarray(data.cell[...]).tolist()
print(json.dumps(frames))
"""


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("name", ["t.gsd", "t.xyz", "t.dump"])
def test_ovito_reads_what_is_written(interpreter: Path, tmp_path: Path, name: str, dimensions: int) -> None:
    frames = some_frames(3, dimensions=dimensions)
    write(tmp_path / name, frames)
    found = ovito(interpreter, READ, tmp_path / name)
    assert len(found) == 3
    for wanted, frame in zip(frames, found, strict=True):
        assert wanted.velocities is not None
        places = np.array(frame["Position"])[:, :dimensions]
        if name == "t.gsd":
            assert np.array_equal(places, (wanted.positions - wanted.box / 2).astype(np.float32))
            assert np.array_equal(np.array(frame["position"])[:, :dimensions], wanted.positions)
            assert frame["cluster"] == wanted.cluster.tolist()
        else:  # its parser rounds the last bit otherwise
            assert (np.abs(places - wanted.positions) <= np.spacing(wanted.positions)).all()
            assert frame["Cluster"] == wanted.cluster.tolist()
        assert np.allclose(np.diag(np.array(frame["cell"]))[:dimensions], wanted.box)
        assert np.allclose(frame["Radius"], wanted.radii, rtol=1e-6)
        assert np.allclose(np.array(frame["Velocity"])[:, :dimensions], wanted.velocities, rtol=1e-6)
        masses = frame["masses" if name == "t.xyz" else "Mass"]
        assert np.allclose(masses, wanted.masses, rtol=1e-6)


@pytest.mark.parametrize("name", ["t.gsd", "t.xyz", "t.dump"])
def test_ovito_shows_how_spheres_turn(interpreter: Path, tmp_path: Path, name: str) -> None:
    (frame,) = some_frames(1, dimensions=3)
    turned = np.random.default_rng(3).normal(size=(7, 4))
    turned /= np.linalg.norm(turned, axis=1, keepdims=True)
    frame.fields = {"orientation": turned, "spin": np.linspace(-1.0, 2.0, 21).reshape(7, 3)}
    write(tmp_path / name, frame)
    (found,) = ovito(interpreter, READ, tmp_path / name)
    assert np.allclose(np.roll(found["Orientation"], 1, axis=1), turned, atol=1e-6)
    if name != "t.gsd":
        assert np.allclose(found["Angular Velocity"], frame.fields["spin"])


@pytest.mark.parametrize("name", ["t.gsd", "t.xyz", "t.dump"])
def test_ovito_shows_how_discs_turn(interpreter: Path, tmp_path: Path, name: str) -> None:
    (frame,) = some_frames(1)
    angle, spin = np.linspace(-3.0, 3.0, 7), np.linspace(-1.0, 2.0, 7)
    frame.fields = {"angle": angle, "spin": spin}
    write(tmp_path / name, frame)
    (found,) = ovito(interpreter, READ, tmp_path / name)
    assert np.allclose(found["angle"], angle)
    if name == "t.gsd":
        _, _, z, w = np.array(found["Orientation"]).T
        assert np.allclose(np.exp(1j * angle), (w + 1j * z) ** 2, atol=1e-6)
        assert np.allclose(found["spin"], spin)
    else:
        assert np.allclose(found["Angular Velocity"], np.column_stack([0 * spin, 0 * spin, spin]))


BONDS = """
from ovito.io import import_file
source = import_file(sys.argv[1])
if len(sys.argv) > 2:
    from ovito.modifiers import LoadTrajectoryModifier
    contacts = LoadTrajectoryModifier()
    contacts.source.load(sys.argv[2], columns=["Particle Identifiers.1", "Particle Identifiers.2", "force"])
    source.modifiers.append(contacts)
frames = []
for number in range(source.source.num_frames):
    bonds = source.compute(number).particles.bonds
    pairs = [] if bonds is None else np.asarray(bonds.topology).tolist()
    frames.append([pairs, np.asarray(bonds["force"]).tolist() if pairs else []])
print(json.dumps(frames))
"""


def assert_bonds(net: Network | None, pairs: list[list[int]], forces: list[float]) -> None:
    """The bonds of OVITO are the contacts between discs, in whatever order."""
    wanted = {}
    if net is not None:
        between = net.pairs[:, 1] >= 0
        wanted = dict(zip(map(tuple, net.pairs[between].tolist()), net.forces[between].tolist(), strict=True))
    found = {tuple(sorted(pair)): force for pair, force in zip(pairs, forces, strict=True)}
    assert found.keys() == wanted.keys()
    assert all(np.isclose(found[pair], wanted[pair], rtol=1e-14) for pair in wanted)


@pytest.mark.parametrize("number", [1, 4])
@pytest.mark.parametrize("name", ["t.gsd", "t.xyz", "t.dump"])
def test_contacts_are_bonds_with_forces(interpreter: Path, tmp_path: Path, name: str, number: int) -> None:
    """Out of GSD itself; for the others out of the file beside them."""
    frames = some_packings(number)
    if number > 1:
        frames[2].network = None
    write(tmp_path / name, frames)
    beside = [] if name == "t.gsd" else [tmp_path / "t.contacts.local"]
    found = ovito(interpreter, BONDS, tmp_path / name, *beside)
    assert len(found) == number
    for k, (frame, (pairs, forces)) in enumerate(zip(frames, found, strict=True)):
        without = name == "t.gsd" and number > 1 and k == 0  # see engine.files.gsd.schema
        assert_bonds(None if without else frame.network, pairs, forces)


WRITE = """
from ovito.data import DataCollection, SimulationCell
from ovito.io import export_file
places = np.load(sys.argv[2], allow_pickle=False)
data = DataCollection()
cell = SimulationCell(pbc=(True, True, False))
cell[...] = np.load(sys.argv[3], allow_pickle=False)
data.objects.append(cell)
particles = data.create_particles(count=len(places))
particles.create_property("Position", data=places)
particles.create_property("Velocity", data=2.0 * places)
particles.create_property("Radius", data=np.full(len(places), 0.125))
particles.create_property("Particle Type", data=np.ones(len(places), int))
columns = ["Particle Type", *(f"{name}.{axis}" for name in ("Position", "Velocity") for axis in "XYZ"), "Radius"]
kind = {"dump": "lammps/dump", "data": "lammps/data", "xyz": "xyz", "gsd": "gsd/hoomd"}[sys.argv[1].rpartition(".")[2]]
options = {"columns": columns} if kind in ("lammps/dump", "xyz") else {}
export_file(data, sys.argv[1], kind, **options, **json.loads(sys.argv[4]))
print(json.dumps("done"))
"""
CELLS = {
    "straight": [[7.1, 0, 0, 0.5], [0, 5.3, 0, -0.25], [0, 0, 1, 0]],
    "mirrored": [[-7.1, 0, 0, 7.6], [0, 5.3, 0, -0.25], [0, 0, 1, 0]],
    "turned": [[0, 7.1, 0, 0.5], [5.3, 0, 0, -0.25], [0, 0, 1, 0]],
    "tilted": [[7.1, 1.0, 0, 0.5], [0, 5.3, 0, -0.25], [0, 0, 1, 0]],
}


# bounds, as OVITO wrote them before 3.17, hold no other cells
@pytest.mark.parametrize(
    ("name", "cell"),
    [("old.dump", "straight"), *((name, cell) for name in ("t.dump", "t.data", "t.xyz") for cell in CELLS)],
)
def test_files_written_by_ovito_are_read(interpreter: Path, tmp_path: Path, name: str, cell: str) -> None:
    (frame,) = some_frames(1)
    places = np.column_stack([frame.positions + np.array([0.5, -0.25]), np.zeros(7)])
    np.save(tmp_path / "places.npy", places)
    np.save(tmp_path / "cell.npy", np.array(CELLS[cell], float))
    options = json.dumps({"restricted_triclinic": True} if name == "old.dump" else {})
    files = (tmp_path / name, tmp_path / "places.npy", tmp_path / "cell.npy", Path(options))
    assert ovito(interpreter, WRITE, *files) == "done"
    if name == "t.dump":
        assert "BOX BOUNDS abc origin" in (tmp_path / name).read_text()
    with open_trajectory(tmp_path / name) as trajectory:
        assert ("read as discs in the plane" in trajectory.notice) is (name == "t.data")  # where nothing says it
        found = trajectory[0]
    assert np.allclose(found.box, [7.1, 5.3], rtol=0, atol=1e-9)
    assert found.strain == pytest.approx(1.0 / 5.3 if cell == "tilted" else 0.0, abs=1e-9)
    assert np.allclose(found.positions, frame.positions, rtol=0, atol=1e-8)
    assert np.allclose(found.velocities, 2.0 * places[:, :2], rtol=0, atol=1e-7)
    if name != "t.data":
        assert found.periodic.all
        assert np.allclose(found.radii, 0.125)
