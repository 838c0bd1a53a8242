"""Files of ours read by programs that are not, and theirs by us: ASE, MDAnalysis, freud, gsd. (OVITO brings a Qt of its
own: `test_files_ovito`.) Positions are equal, not close, but where the format or the program keeps fewer digits."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import ase.io
import ase.units
import freud
import gsd.hoomd
import MDAnalysis
import numpy as np
import pytest
from ase.data import atomic_masses, chemical_symbols

from engine.boundary import Periodic
from engine.errors import InputError
from engine.files import FileFrame, TrajectoryWriter, open_trajectory, read, write
from engine.files.xyz_format import element_mass
from tests.builders.boxes import EVERY, in_short
from tests.builders.file_frames import put, some_frames, some_packings

PER_PS = ase.units.Ang / (1000.0 * ase.units.fs)  # what ASE makes of 1 in LAMMPS' "metal" units


@pytest.fixture(autouse=True)
def others_may_warn() -> Iterator[None]:
    """MDAnalysis warns of what it guesses."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="MDAnalysis")
        yield


def in_space(values: np.ndarray) -> np.ndarray:
    """(N, 2) with z = 0; (N, 3) as they are."""
    return np.column_stack([values, np.zeros(len(values))])[:, :3]


@pytest.mark.parametrize(("name", "format_name"), [("t.xyz", "extxyz"), ("t.dump", "lammps-dump-text")])
@pytest.mark.parametrize("periodic", [*EVERY[2], *EVERY[3]], ids=in_short)
def test_ase_reads_what_is_written(tmp_path: Path, name: str, format_name: str, periodic: Periodic) -> None:
    dimensions = len(periodic)
    frames = some_frames(3, periodic=periodic, dimensions=dimensions)
    write(tmp_path / name, frames)
    found = ase.io.read(tmp_path / name, index=":", format=format_name)
    assert len(found) == 3
    for wanted, atoms in zip(frames, found, strict=True):
        assert atoms.positions.tolist() == in_space(wanted.positions).tolist()
        assert atoms.cell.lengths()[:dimensions].tolist() == wanted.box.tolist()
        assert atoms.pbc[:dimensions].tolist() == list(periodic)
        unit = 1.0 if format_name == "extxyz" else PER_PS  # of dumps it thinks that they are in Å/ps
        assert np.allclose(atoms.get_velocities(), in_space(wanted.velocities) * unit, rtol=1e-14, atol=0)
    if format_name == "extxyz":
        for name_there, part in (("radius", "radii"), ("masses", "masses"), ("cluster", "cluster")):
            assert found[1].arrays[name_there].tolist() == getattr(frames[1], part).tolist()
        assert found[1].get_masses().tolist() == np.asarray(frames[1].masses).tolist()
        assert found[1].arrays["velo"].tolist() == in_space(np.asarray(frames[1].velocities)).tolist()
        assert found[1].info["Time"] == frames[1].time


def test_ase_reads_velocities_of_discs_without_masses(tmp_path: Path) -> None:
    (frame,) = some_frames(1)
    write(tmp_path / "t.xyz", replace(frame, masses=None))
    atoms = ase.io.read(tmp_path / "t.xyz", format="extxyz")
    assert atoms.get_velocities()[:, :2].tolist() == np.asarray(frame.velocities).tolist()


def atoms_like(frame: FileFrame, symbols: str) -> ase.Atoms:
    """What a person has in ASE: positions, a cell and velocities."""
    cell, periodic = [*frame.box, 1.0][:3], [True, True, frame.dimensions > 2]
    atoms = ase.Atoms(symbols, positions=in_space(frame.positions), cell=cell, pbc=periodic)
    atoms.set_velocities(in_space(np.asarray(frame.velocities)))
    return atoms


@pytest.mark.parametrize(
    ("symbols", "masses", "notice"),
    [
        ("Ar7", None, True),
        ("ArHeX2H3", None, True),  # X is none
        ("Ar7", [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5], False),
    ],
)
@pytest.mark.parametrize("dimensions", [2, 3])
def test_velocities_that_ase_writes_are_not_lost(
    tmp_path: Path, symbols: str, masses: list[float] | None, notice: bool, dimensions: int
) -> None:
    """ASE writes momenta, and masses only where they are not those of the elements."""
    (frame,) = some_frames(1, dimensions=dimensions)
    atoms = atoms_like(frame, symbols)
    if masses is not None:
        atoms.set_masses(masses)
        atoms.set_velocities(in_space(np.asarray(frame.velocities)))
    ase.io.write(tmp_path / "t.xyz", atoms, format="extxyz")
    with open_trajectory(tmp_path / "t.xyz") as trajectory:
        found = trajectory[0]
        assert ("masses of the elements" in trajectory.notice) is notice
    assert np.allclose(found.velocities, frame.velocities, rtol=0, atol=1e-7)  # 8 digits behind the point
    assert np.allclose(found.masses, atoms.get_masses(), rtol=0, atol=1e-7)
    assert np.allclose(found.positions, frame.positions, rtol=0, atol=1e-7)
    assert found.periodic.all
    assert np.allclose(found.box, frame.box, rtol=0, atol=1e-7)


def test_masses_of_elements_are_those_of_ase() -> None:
    for number, (symbol, mass) in enumerate(zip(chemical_symbols, atomic_masses, strict=True)):
        assert element_mass(symbol) == mass
        if number:
            assert element_mass(symbol.lower()) == element_mass(str(number)) == mass


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("masses", [False, True])
def test_lammps_data_of_ase_is_read(tmp_path: Path, masses: bool, dimensions: int) -> None:
    (frame,) = some_frames(1, dimensions=dimensions)
    options = {"velocities": True, "atom_style": "atomic", "masses": masses}
    ase.io.write(tmp_path / "t.data", atoms_like(frame, "Ar4He3"), format="lammps-data", **options)
    (found,) = read(tmp_path / "t.data")
    assert np.allclose(found.positions, frame.positions, rtol=0, atol=1e-7)
    assert np.allclose(found.velocities * PER_PS, frame.velocities, rtol=1e-6, atol=1e-7)
    assert np.allclose(found.box, frame.box, rtol=0, atol=1e-7)
    if masses:
        assert np.allclose(found.masses, [39.948] * 4 + [4.002602] * 3, rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "options", "corner"),
    [
        ("t.dump", {"format": "LAMMPSDUMP", "topology_format": "LAMMPSDUMP"}, 0.0),
        ("t.lammpstrj", {"format": "LAMMPSDUMP", "topology_format": "LAMMPSDUMP"}, 0.0),
        ("t.gsd", {}, 0.5),  # HOOMD's boxes have the origin in the middle
        ("t.xyz", {}, 0.0),
    ],
)
@pytest.mark.parametrize("dimensions", [2, 3])
def test_mdanalysis_reads_what_is_written(
    tmp_path: Path, name: str, options: dict[str, str], corner: float, dimensions: int
) -> None:
    frames = some_frames(3, dimensions=dimensions)
    write(tmp_path / name, frames)
    universe = MDAnalysis.Universe(str(tmp_path / name), **options)
    assert len(universe.trajectory) == 3
    for wanted, step in zip(frames, universe.trajectory, strict=True):
        places = wanted.positions - corner * wanted.box
        assert np.allclose(step.positions[:, :dimensions], places, rtol=0, atol=1e-6)  # it keeps single precision
        if not name.endswith("xyz"):  # of which it reads neither box nor velocities
            assert np.allclose(step.dimensions[:dimensions], wanted.box)
        if name.endswith(("dump", "lammpstrj")):
            assert np.allclose(step.velocities, in_space(np.asarray(wanted.velocities)), rtol=0, atol=1e-6)
    if name.endswith("gsd"):
        assert np.allclose(universe.atoms.masses, frames[0].masses, rtol=1e-6)


def test_times_stand_in_a_dump_where_they_are_asked_for(tmp_path: Path) -> None:
    frames = some_frames(3)
    write(tmp_path / "t.dump", frames, times=True)
    with open_trajectory(tmp_path / "t.dump") as found:
        assert found.times.tolist() == [0.0, 0.1, 0.2]
        assert found[1].time == 0.1
    assert (tmp_path / "t.dump").read_text().startswith("ITEM: TIME\n0.0\nITEM: TIMESTEP\n0\n")  # as LAMMPS does
    with pytest.raises(ValueError, match="No id column found"):  # which is why it is not the rule
        MDAnalysis.Universe(str(tmp_path / "t.dump"), format="LAMMPSDUMP", topology_format="LAMMPSDUMP")
    write(tmp_path / "t.dump", frames)
    with open_trajectory(tmp_path / "t.dump") as found:
        assert np.isnan(found.times).all()
        assert found[1].time is None


@pytest.mark.parametrize("name", ["t.xyz", "t.data"])
def test_files_written_by_mdanalysis_are_read(tmp_path: Path, name: str) -> None:
    (frame,) = some_frames(1)
    universe = MDAnalysis.Universe.empty(7, trajectory=True, velocities=True)
    for attribute, values in (("types", ["1"] * 7), ("masses", [2.5] * 7), ("charges", [0.0] * 7)):
        universe.add_TopologyAttr(attribute, values)
    for attribute in ("bonds", "angles", "dihedrals", "impropers"):
        universe.add_TopologyAttr(attribute, [])
    universe.dimensions = [*frame.box, 1.0, 90.0, 90.0, 90.0]
    universe.atoms.positions = in_space(frame.positions)
    universe.atoms.velocities = in_space(np.asarray(frame.velocities))
    universe.atoms.write(str(tmp_path / name))
    if name == "t.data":  # it does not give the style of its atoms
        with pytest.raises(InputError, match="write it as in"):
            read(tmp_path / name)
        put(tmp_path, name, (tmp_path / name).read_text().replace("\nAtoms\n", "\nAtoms # full\n"))
    (found,) = read(tmp_path / name)
    assert np.allclose(found.positions, frame.positions, rtol=0, atol=1e-5)
    if name == "t.data":  # plain XYZ has nothing else
        assert np.allclose(found.box, frame.box)
        assert found.masses.tolist() == [2.5] * 7
        per_fs = 1e-3 * np.asarray(frame.velocities)  # it has velocities in Å/ps and writes Å/fs
        assert np.allclose(np.asarray(found.velocities), per_fs, rtol=0, atol=1e-9)


def test_freud_finds_the_contacts_of_a_packing_from_its_file(tmp_path: Path) -> None:
    """And bonds are read from GSD as pairs of discs that touch."""
    frames = some_packings(2, whole=True)
    write(tmp_path / "t.gsd", frames)
    with gsd.hoomd.open(str(tmp_path / "t.gsd")) as file:
        for wanted, frame in list(zip(frames, file, strict=True))[1:]:
            system = freud.AABBQuery.from_system(frame)
            assert system.box.is2D
            assert wanted.network is not None
            reach = 2.0 * float(wanted.radii.max()) * 1.01
            near = system.query(system.points, {"r_max": reach, "exclude_ii": True}).toNeighborList()
            touching = near.distances <= 1.01 * wanted.radii[near.point_indices] + 1.01 * wanted.radii[near[:, 0]]
            found = {tuple(sorted(pair)) for pair in near[:][touching].tolist()}
            assert found == {tuple(sorted(pair)) for pair in frame.bonds.group.tolist()}


@pytest.mark.parametrize("dimensions", [2, 3])
def test_freud_reads_a_recording(tmp_path: Path, dimensions: int) -> None:
    frames = some_frames(2, count=200, dimensions=dimensions)
    write(tmp_path / "t.gsd", frames)
    with gsd.hoomd.open(str(tmp_path / "t.gsd")) as file:
        assert file[0].configuration.dimensions == dimensions
        system = freud.AABBQuery.from_system(file[1])
        assert system.box.is2D is (dimensions == 2)
        assert np.allclose(system.box.L[:dimensions], frames[1].box)
    wanted = np.asarray(frames[1].positions) - np.asarray(frames[1].box) / 2
    assert np.array_equal(system.points, in_space(wanted).astype(np.float32))


def test_gsds_log_of_packings_whose_contacts_vary_in_number(tmp_path: Path) -> None:
    path = tmp_path / "t.gsd"
    frames = some_packings(3)
    without = replace(frames[0], network=None, time=-1.0)
    series = [[without, *frames], [frames[0], without, *frames[1:]], frames, [without, frames[1], without]]
    for states in series:
        with TrajectoryWriter(path, "seed = 1", contacts=True) as writer:
            for state in states:
                writer.append(state)
        log = gsd.hoomd.read_log(str(path))
        assert log["log/bonds/force"].shape == (len(states),)
        assert log["log/time"].tolist() == [state.time for state in states]
        assert log["log/particles/rattler"].shape == (len(states), len(without.positions))
        with gsd.hoomd.open(str(path)) as others:
            assert others[0].bonds.N == 0  # of several frames the first has no bonds: see engine.files.gsd.schema
            for number in range(len(states) - 1, 0, -1):
                net, other = states[number].network, others[number]
                between = [] if net is None else net.pairs[net.pairs[:, 1] >= 0].tolist()
                assert other.bonds.group.tolist() == between
                assert other.bonds.types == ["contact"]
                forces = [0.0] if net is None else net.forces[net.pairs[:, 1] >= 0].tolist()
                assert other.log["bonds/force"].tolist() == forces
        with open_trajectory(path) as found:
            for state, frame in zip(states, found, strict=True):
                assert (frame.network is None) == (state.network is None)
                if state.network is not None and frame.network is not None:
                    for name, value in vars(state.network).items():
                        np.testing.assert_array_equal(getattr(frame.network, name), value)


def test_gsds_log_of_one_packing(tmp_path: Path) -> None:
    (frame,) = some_packings(1)
    write(tmp_path / "t.gsd", frame)
    forces = frame.network.forces[frame.network.pairs[:, 1] >= 0]
    assert gsd.hoomd.read_log(str(tmp_path / "t.gsd"))["log/bonds/force"].ravel().tolist() == forces.tolist()
