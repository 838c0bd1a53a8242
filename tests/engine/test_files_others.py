"""Files of ours, read by programs that are not: ASE, freud, gsd, OVITO. Positions are equal, not close, but where the
format itself keeps single precision."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import ase.io
import gsd.hoomd
import numpy as np
import pytest

from engine.files import read, write
from tests.engine.file_frames import some_frames


@pytest.mark.parametrize(("name", "format_name"), [("t.xyz", "extxyz"), ("t.dump", "lammps-dump-text")])
@pytest.mark.parametrize("periodic", [True, False])
def test_ase_reads_what_is_written(tmp_path: Path, name: str, format_name: str, periodic: bool) -> None:
    frames = some_frames(3, periodic=periodic)
    write(tmp_path / name, frames)
    found = ase.io.read(tmp_path / name, index=":", format=format_name)
    assert len(found) == 3
    for wanted, atoms in zip(frames, found, strict=True):
        assert wanted.box is not None
        assert atoms.positions[:, :2].tolist() == wanted.positions.tolist()
        assert not atoms.positions[:, 2].any()
        assert atoms.cell.lengths()[:2].tolist() == wanted.box.tolist()
        assert atoms.pbc[:2].tolist() == [periodic, periodic]
    if format_name == "extxyz":
        for name_there, part in (("radius", "radii"), ("mass", "masses"), ("cluster", "cluster")):
            assert found[1].arrays[name_there].tolist() == getattr(frames[1], part).tolist()
        assert found[1].arrays["velo"][:, :2].tolist() == np.asarray(frames[1].velocities).tolist()
        assert found[1].info["Time"] == frames[1].time


@pytest.mark.parametrize(("name", "format_name"), [("t.xyz", "extxyz"), ("t.data", "lammps-data")])
def test_what_ase_writes_is_read(tmp_path: Path, name: str, format_name: str) -> None:
    (frame,) = some_frames(1)
    assert frame.box is not None
    places = np.column_stack([frame.positions, np.zeros(7)])
    atoms = ase.Atoms("Ar7", positions=places, cell=[*frame.box, 1.0], pbc=[True, True, False])
    atoms.set_velocities(np.column_stack([np.asarray(frame.velocities), np.zeros(7)]))
    options = {"velocities": True, "atom_style": "atomic"} if format_name == "lammps-data" else {}
    ase.io.write(tmp_path / name, atoms, format=format_name, **options)
    (found,) = read(tmp_path / name)
    assert np.allclose(found.positions, frame.positions, atol=1e-7)
    assert found.box is not None
    assert np.allclose(found.box, frame.box, atol=1e-7)
    if format_name == "extxyz":
        assert found.periodic is True


def test_freud_reads_a_recording(tmp_path: Path) -> None:
    freud = pytest.importorskip("freud")
    frames = some_frames(2, count=200)
    write(tmp_path / "t.gsd", frames)
    with gsd.hoomd.open(str(tmp_path / "t.gsd")) as file:
        system = freud.AABBQuery.from_system(file[1])
        assert system.box.is2D
    wanted = np.asarray(frames[1].positions) - np.asarray(frames[1].box) / 2
    assert np.array_equal(system.points[:, :2], wanted.astype(np.float32))


OVITO = """
import sys
import numpy as np
from ovito.io import import_file
wanted = np.load(sys.argv[2], allow_pickle=False)
source = import_file(sys.argv[1])
assert source.source.num_frames == len(wanted)
centre = np.array([7.1, 5.3]) / 2 if sys.argv[1].endswith("gsd") else 0.0
for number, places in enumerate(wanted):
    particles = source.compute(number).particles
    found = np.asarray(particles.positions)[:, :2]
    if sys.argv[1].endswith("gsd"):
        assert np.array_equal(found, (places - centre).astype(np.float32))
        assert np.array_equal(np.asarray(particles["position"])[:, :2], places)
        assert "cluster" in particles
    else:
        assert (np.abs(found - places) <= np.spacing(places)).all()  # its parser rounds the last bit otherwise
        assert "Cluster" in particles
    assert "Radius" in particles and "Velocity" in particles
"""


@pytest.mark.skipif(find_spec("ovito") is None, reason="OVITO's module is not among the pinned packages")
@pytest.mark.parametrize("name", ["t.gsd", "t.xyz", "t.dump"])
def test_ovito_reads_what_is_written(tmp_path: Path, name: str) -> None:
    frames = some_frames(3)
    write(tmp_path / name, frames)
    np.save(tmp_path / "wanted.npy", np.array([frame.positions for frame in frames]))
    done = subprocess.run(
        [sys.executable, "-c", OVITO, str(tmp_path / name), str(tmp_path / "wanted.npy")],
        env={"PATH": "/usr/bin:/bin", "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
