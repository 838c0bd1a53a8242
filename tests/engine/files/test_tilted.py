"""Boxes whose images above are ahead along x: our files of discs that flow, theirs by us, and what is refused."""

from __future__ import annotations

from pathlib import Path

import ase.io
import gsd.hoomd
import MDAnalysis
import numpy as np
import pytest

import engine
from engine.errors import InputError
from engine.files import FileFrame, TrajectoryWriter, read, write
from engine.geometry.nearest import nearest_image, unwrapped
from engine.hard_discs.simulation import HardDiscGas
from engine.initial import initial_state
from engine.paths import paths
from engine.state_file import open_scenario
from tests.builders.file_frames import EVERYTHING, assert_same, dump_text, put
from tests.builders.states import gas

RATE = 1.7


def flowing(dimensions: int, rate: float = RATE) -> list[FileFrame]:
    """Three states of a gas that flows, the images above 0, 0.4 and several periods ahead."""
    run = gas(30, 0.2, shear__rate=rate, dimensions=dimensions, box__size=[6.0, 4.0, 5.0][:dimensions])
    states = []
    for until in (0.0, 0.4, 3.3):
        run.advance(until)
        states.append(FileFrame.from_any(run).copy())
    return states


def is_lattice(steps: np.ndarray, frame: FileFrame) -> bool:
    """Whether steps (N, d) lead to images of the box."""
    assert frame.box is not None
    steps = np.array(steps)
    steps[:, 0] -= np.rint(steps[:, 1] / frame.box[1]) * frame.strain * frame.box[1]
    return bool(np.allclose(steps / frame.box, np.rint(steps / frame.box), rtol=0, atol=1e-6))


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("name", ["t.gsd", "t.xyz", "t.csv", "t.dump"])
def test_states_that_flow_come_back_with_strain_rate_and_paths(tmp_path: Path, name: str, dimensions: int) -> None:
    states = flowing(dimensions)
    assert states[2].periods_ahead in (3, 4)
    found = []
    if name == "t.csv":  # one state each
        for state in states:
            write(tmp_path / name, state)
            found += read(tmp_path / name)
    else:
        write(tmp_path / name, states, times=True)
        found = read(tmp_path / name)
    for wanted, got in zip(states, found, strict=True):
        parts = EVERYTHING if name != "t.csv" else tuple(part for part in EVERYTHING if part != "masses")
        assert_same(wanted, got, parts)
        assert got.around.offset == pytest.approx(wanted.around.offset, abs=1e-12)
        if name == "t.dump":  # which says no more than the tilt
            assert got.strain == pytest.approx(wanted.strain - got_periods(wanted), abs=1e-12)
            continue
        assert (got.strain, got.shear_rate) == (wanted.strain, wanted.shear_rate)
        if name == "t.gsd":  # the others do not say how often discs have crossed the box
            assert got.fields["images"].tolist() == wanted.fields["images"].tolist()
            assert paths(got) == pytest.approx(paths(wanted), abs=1e-9)


def got_periods(frame: FileFrame) -> float:
    """The whole periods that the images are ahead, as a strain."""
    assert frame.box is not None
    return frame.periods_ahead * float(frame.box[0] / frame.box[1])


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_recording_that_begins_at_rest_may_flow_later(tmp_path: Path, dimensions: int) -> None:
    run = gas(30, 0.2, dimensions=dimensions, box__size=[6.0, 4.0, 5.0][:dimensions])
    states = []
    with TrajectoryWriter(tmp_path / "t.gsd") as writer:
        for until, rate in ((0.3, -1.1), (0.9, 2.0), (1.4, 0.0), (2.0, 0.0)):
            states.append(FileFrame.from_any(run).copy())
            writer.append(states[-1])
            run.set("shear.rate", rate)
            run.advance(until)
    for wanted, got in zip(states, read(tmp_path / "t.gsd"), strict=True):
        assert_same(wanted, got)
        assert (got.strain, got.shear_rate) == (wanted.strain, wanted.shear_rate)
    assert [one.shear_rate for one in states] == [0.0, -1.1, 2.0, 0.0]
    assert len(gsd.hoomd.read_log(tmp_path / "t.gsd")["log/flow"]) == 4


@pytest.mark.parametrize("dimensions", [2, 3])
def test_hoomd_finds_every_disc_in_its_tilted_box_and_on_its_path(tmp_path: Path, dimensions: int) -> None:
    states = flowing(dimensions)
    write(tmp_path / "t.gsd", states)
    with gsd.hoomd.open(tmp_path / "t.gsd") as file:
        for wanted, got in zip(states, file, strict=True):
            assert wanted.box is not None
            box, xy = got.configuration.box[:dimensions], float(got.configuration.box[3])
            assert abs(xy) * box[1] <= 0.5 * box[0] * (1 + 1e-6)
            assert xy * box[1] == pytest.approx(wanted.around.offset, rel=1e-6)
            places = got.particles.position[:, :dimensions].astype(float)
            inside = places.copy()
            inside[:, 0] -= xy * places[:, 1]
            assert (np.abs(inside) <= 0.5 * box * (1.0 + 1e-5)).all()
            assert is_lattice(places + 0.5 * box - wanted.positions, wanted)
            # as HOOMD unwraps: by the vectors of its box
            images = got.particles.image[:, :dimensions]
            path = places + 0.5 * box + images * box
            path[:, 0] += images[:, 1] * xy * box[1]
            assert path == pytest.approx(
                unwrapped(wanted.positions, wanted.fields["images"], wanted.box, wanted.strain), abs=1e-4
            )


@pytest.mark.parametrize(("name", "kind"), [("t.xyz", "extxyz"), ("t.dump", "lammps-dump-text")])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_ase_reads_the_tilted_box(tmp_path: Path, name: str, kind: str, dimensions: int) -> None:
    states = flowing(dimensions)
    write(tmp_path / name, states)
    found = ase.io.read(tmp_path / name, index=":", format=kind)
    for wanted, atoms in zip(states, found, strict=True):
        assert wanted.box is not None
        assert atoms.cell[1, :2] == pytest.approx([wanted.around.offset, wanted.box[1]])
        assert atoms.cell[0].tolist() == pytest.approx([wanted.box[0], 0.0, 0.0])
        assert atoms.positions[:, :dimensions] == pytest.approx(wanted.positions)
        apart = atoms.get_all_distances(mic=True)
        between = nearest_image(wanted.positions[:, None] - wanted.positions, wanted.box, wanted.around)
        assert apart == pytest.approx(np.linalg.norm(between, axis=-1), abs=1e-9)


def test_mdanalysis_reads_the_tilted_box_of_a_dump(tmp_path: Path) -> None:
    states = flowing(3)
    write(tmp_path / "t.dump", states)
    universe = MDAnalysis.Universe(str(tmp_path / "t.dump"), format="LAMMPSDUMP")
    for wanted, step in zip(states, universe.trajectory, strict=True):
        assert wanted.box is not None
        assert step.triclinic_dimensions[1][:2] == pytest.approx(
            [wanted.around.offset, wanted.box[1]], rel=1e-4, abs=1e-4
        )


def foreign(tmp_path: Path, name: str, tilt: float) -> FileFrame:
    """A state in a box of 8 × 6 that some other program has written, with a disc beyond the top."""
    if name == "t.gsd":
        frame = gsd.hoomd.Frame()
        frame.particles.N = 2
        frame.particles.position = [[0.0, 0.0, 0.0], [1.0, 3.5, 0.0]]
        frame.configuration.box = [8.0, 6.0, 0.0, tilt / 6.0, 0.0, 0.0]
        frame.configuration.dimensions = 2
        with gsd.hoomd.open(tmp_path / name, "w") as file:
            file.append(frame)
    elif name == "t.xyz":
        lattice = f'Lattice="8 0 0 {tilt} 6 0 0 0 1" Properties=species:S:1:pos:R:3:radius:R:1 pbc="T T F"'
        put(tmp_path, name, f"2\n{lattice}\nX 4 3 0 0.5\nX 5 6.5 0 0.5\n")
    elif name == "mirrored.xyz":
        lattice = f'Lattice="{-tilt} -6 0 8 0 0 0 0 1" Origin="{tilt} 6 0" Properties=species:S:1:pos:R:3 pbc="T T F"'
        put(tmp_path, name, f"2\n{lattice}\nX 4 3 0\nX 5 6.5 0\n")
    elif name == "t.dump":
        bounds = f"{min(0.0, tilt)} {8.0 + max(0.0, tilt)} {tilt}\n0 6 0\n-0.5 0.5 0"
        text = dump_text("x y", "4 3", "5 6.5", bounds=bounds, about=" xy xz yz pp pp pp")
        put(tmp_path, name, text)
    elif name == "scaled.dump":
        bounds = f"{min(0.0, tilt)} {8.0 + max(0.0, tilt)} {tilt}\n0 6 0\n-0.5 0.5 0"
        there = (5.0 - tilt * 6.5 / 6.0) / 8.0
        text = dump_text("xs ys", f"{(4.0 - 0.5 * tilt) / 8.0} 0.5", f"{there!r} {6.5 / 6.0!r}", bounds=bounds,
                         about=" xy xz yz pp pp pp")  # fmt: skip
        put(tmp_path, name, text)
    else:
        text = f"title\n\n2 atoms\n\n0 8 xlo xhi\n0 6 ylo yhi\n{tilt} 0 0 xy xz yz\n\nAtoms # atomic\n\n1 1 4 3 0\n"
        put(tmp_path, name, text + "2 1 5 6.5 0\n")
    return read(tmp_path / name)[0]


NAMES = ("t.gsd", "t.xyz", "mirrored.xyz", "t.dump", "scaled.dump", "t.data")


@pytest.mark.parametrize("tilt", [1.5, -4.0])
@pytest.mark.parametrize("name", NAMES)
def test_tilted_boxes_of_others_are_read(tmp_path: Path, name: str, tilt: float) -> None:
    frame = foreign(tmp_path, name, tilt)
    assert frame.box == pytest.approx([8.0, 6.0])
    assert frame.periodic is not None
    assert frame.periodic.all
    assert frame.strain == pytest.approx(tilt / 6.0, rel=1e-6)
    assert frame.positions == pytest.approx(np.array([[4.0, 3.0], [(5.0 - tilt) % 8.0, 0.5]]), abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_a_tilt_of_more_than_half_of_the_box_is_one_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"tilted by (4\.1|-4\.1) along x, more than half of its width \(4\)"):
        foreign(tmp_path, name, -4.1 if name == "t.dump" else 4.1)


def test_a_tilted_box_with_walls_along_x_or_y_is_one_sentence(tmp_path: Path) -> None:
    lattice = 'Lattice="8 0 0 1 6 0 0 0 1" Properties=species:S:1:pos:R:3 pbc="{}"'
    for flags in ("T F F", "F F F"):
        path = put(tmp_path, "t.xyz", f"1\n{lattice.format(flags)}\nX 4 3 0\n")
        with pytest.raises(InputError, match=r"frame 0: a box tilted along x \(xy = 1\) must be periodic"):
            read(path)


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("name", ["t.gsd", "t.xyz", "t.csv"])
def test_a_run_that_starts_from_a_file_goes_on_with_its_strain_and_flow(
    tmp_path: Path, name: str, dimensions: int
) -> None:
    run = gas(30, 0.2, shear__rate=RATE, dimensions=dimensions, box__size=[6.0, 4.0, 5.0][:dimensions])
    begun = run.scenario.to_toml()
    run.advance(1.2)
    run.set("shear.rate", -0.6)
    run.advance(2.0)
    if name == "t.gsd":  # a recording has the scenario of its beginning
        with TrajectoryWriter(tmp_path / name, begun) as writer:
            writer.append(FileFrame.from_any(run))
    else:
        write(tmp_path / name, run)
    scenario = open_scenario(tmp_path / name, dimensions).with_values({"system": "hard-discs", "shear.rate": -0.6})
    again = engine.create(scenario)
    assert isinstance(again, HardDiscGas)
    assert scenario.shear.rate == -0.6
    before, after = run.frame(), again.frame()
    assert after.velocities == pytest.approx(before.velocities, abs=1e-12)
    assert (after.strain, after.shear_rate) == (before.strain, before.shear_rate)
    assert again.invariants()["max_overlap"] < 1e-9
    again.advance(1.0)
    assert again.frame().strain == pytest.approx(before.strain - 0.6)
    other = initial_state(scenario.with_values({"velocities.distribution": "rest"}))
    assert other.shear_rate == 0.0, "velocities of the scenario have no flow yet"
    if name == "t.gsd":
        assert open_scenario(tmp_path / name, dimensions).shear.rate == -0.6


def test_a_tilted_file_starts_only_what_can_flow(tmp_path: Path) -> None:
    foreign(tmp_path, "t.xyz", 1.5)
    scenario = open_scenario(tmp_path / "t.xyz")
    with pytest.raises(InputError, match='is tilted: system must be "hard-discs"'):
        engine.create(scenario)
    hard = scenario.with_values({"system": "hard-discs"})
    with pytest.raises(InputError, match=r"is tilted: discs\.fix_overlaps must be false"):
        engine.create(hard.with_values({"discs.fix_overlaps": True}))
    with pytest.raises(InputError, match=r'is tilted: box\.boundary must be "periodic"'):
        engine.create(hard.with_values({"box.boundary": "walls"}))
    assert engine.create(hard).frame().strain == 0.25
