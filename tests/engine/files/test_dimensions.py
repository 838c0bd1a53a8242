"""Whether a file holds discs or spheres: by what it says, then by all its frames, then as asked for; not because all
spheres happen to have one height."""

from __future__ import annotations

from pathlib import Path

import gsd.hoomd
import pytest

from engine.errors import InputError
from engine.files import FileFrame, open_trajectory, read, write
from engine.initial import initial_state
from engine.scenario import load_scenario
from engine.state_file import open_scenario
from tests.builders.file_frames import assert_same, data_text, dump_text, put, some_frames

PLANE = "all z are 0, which is read as discs in the plane; dimensions = 3 (--set dimensions=3) reads spheres"
SPACE = "all z are the same, which is read as spheres; dimensions = 2 (--set dimensions=2) reads discs in the plane"
USUAL = "nothing"


def layer(count: int, height: float, *, periodic: bool = False) -> FileFrame:
    """Spheres of one height that move within it."""
    (frame,) = some_frames(1, count, dimensions=3, periodic=periodic)
    frame.positions[:, 2] = height
    frame.velocities[:, 2] = 0.0
    return frame


@pytest.mark.parametrize("ending", [".gsd", ".xyz", ".extxyz", ".dump", ".lammpstrj", ".csv"])
@pytest.mark.parametrize(
    ("count", "height", "periodic"), [(1, 3.0, False), (1, 3.0, True), (7, 1.5, False), (7, 0.0, True)]
)
def test_one_sphere_and_one_layer_that_were_written_are_read_as_spheres(
    tmp_path: Path, ending: str, count: int, height: float, periodic: bool
) -> None:
    frame = layer(count, height, periodic=periodic)
    write(tmp_path / f"t{ending}", frame, times=True)
    with open_trajectory(tmp_path / f"t{ending}") as found:
        assert found.notice == ""
        parts = ("positions", "velocities", "radii", "box", *(() if ending == ".csv" else ("masses",)))
        assert_same(frame, found[0], parts)
    assert open_scenario(tmp_path / f"t{ending}").dimensions == 3


@pytest.mark.parametrize("ending", [".gsd", ".xyz", ".dump"])
@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_a_film_that_begins_and_ends_flat_is_read_the_same_in_any_order(
    tmp_path: Path, ending: str, periodic: bool, order: tuple[int, ...]
) -> None:
    frames = some_frames(3, dimensions=3, periodic=periodic)
    for flat in (frames[0], frames[2]):
        flat.positions[:, 2] = 2.0
    write(tmp_path / f"t{ending}", frames)
    with open_trajectory(tmp_path / f"t{ending}") as found:
        for number in order:
            assert found[number].positions.tobytes() == frames[number].positions.tobytes()


FLAT, DEEP = "2\n\nA 1 2 0\nA 3 4 0\n", "2\n\nA 1 2 0\nA 3 4 0.5\n"


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 0, 2)])
def test_dimensions_come_from_the_first_frame_that_gives_them(tmp_path: Path, order: tuple[int, ...]) -> None:
    def dump(height: str) -> str:
        return dump_text("x y z", "1 2 0", f"3 4 {height}", bounds="0 9\n0 9\n-2 2")

    moving = "2\nProperties=pos:R:3:vel:R:3\n1 2 0 1 0 0\n3 4 0 1 0 1\n"
    for name, text in (
        ("t.xyz", FLAT + DEEP + FLAT),
        ("v.xyz", FLAT + moving + FLAT),
        ("t.dump", dump("0") + dump("0.5") + dump("0")),
    ):
        with open_trajectory(put(tmp_path, name, text)) as found:
            assert found.notice == ""
            assert [found[number].positions.shape for number in order] == [(2, 3)] * 3


LATTICE = '1\nLattice="9 0 0 0 9 0 0 0 {}" Properties=species:S:1:pos:R:3 {}\nX 1 2 {}\n'


@pytest.mark.parametrize(
    ("name", "text", "dimensions", "notice"),
    [
        # what the file says
        ("a.xyz", "1\n\nX 1 2\n", 2, ""),
        ("a.xyz", LATTICE.format(0, "", 4), 2, ""),
        ("a.xyz", LATTICE.format(9, 'pbc="T T F"', 4), 2, ""),
        ("a.xyz", LATTICE.format(9, 'pbc="T T T"', 0), 3, ""),
        ("a.xyz", LATTICE.format(9, 'pbc="F F F"', 4), 3, ""),
        ("a.xyz", LATTICE.format(9, 'pbc="F F F" dimensions=2', 4), 2, ""),
        ("a.xyz", LATTICE.format(9, 'pbc="F F F" dimensions=3', 0), 3, ""),
        ("a.xyz", "1\nProperties=pos:R:3:vel:R:3\n1 2 0 0 0 3\n", 3, ""),
        ("a.xyz", "1\nProperties=pos:R:3:momenta:R:3:masses:R:1\n1 2 0 0 0 3 1\n", 3, ""),
        ("a.dump", dump_text("x y", "1 2"), 2, ""),
        ("a.dump", dump_text("x y z vz", "1 2 0 1"), 3, ""),
        ("a.dump", dump_text("xs ys zs", "0.1 0.25 0.25"), 3, ""),
        ("a.dump", dump_text("x y z", "1 2 4", about=" ff ff pp"), 2, ""),
        ("a.dump", dump_text("x y z", "1 2 0", bounds="0 9\n0 9\n0 9"), 3, ""),
        ("a.dump", dump_text("x y z", "1 2 4", bounds="0 9\n0 9\n-9 9"), 3, ""),
        ("a.data", data_text("\n\n1 1 0 0 4\n2 1 2 2 4\n", bounds="0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi"), 3, ""),
        ("a.csv", "x,y\n1,2\n", 2, ""),
        ("a.csv", "x,y,z\n1,2,0\n", 3, ""),
        # what it leaves open; from -1/2 to 1/2 reaches the plane of LAMMPS, which needs no remark
        ("a.dump", dump_text("x y z", "1 2 0"), 2, USUAL),
        ("a.dump", dump_text("xs ys zs", "0.1 0.25 0.5"), 2, USUAL),
        ("a.data", data_text("\n\n1 1 0 0 0\n2 1 2 2 0\n", bounds="0 9 xlo xhi\n0 9 ylo yhi"), 2, USUAL),
        ("a.xyz", "1\n\nX 1 2 0\n", 2, PLANE),
        ("a.xyz", "1\n\nX 1 2 4\n", 3, SPACE),
        ("a.xyz", LATTICE.format(9, "", 0), 2, PLANE),
        ("a.xyz", LATTICE.format(1, 'pbc="F F F"', 0), 2, PLANE),
        ("a.dump", dump_text("x y z", "1 2 0", bounds="0 9\n0 9\n-4 4"), 2, PLANE),
        ("a.dump", dump_text("x y z", "1 2 0", bounds="0 9\n0 9\n0 1", about=" ff ff ff"), 2, PLANE),
        ("a.data", data_text("\n\n1 1 0 0 0\n2 1 2 2 0\n", bounds="0 9 xlo xhi\n0 9 ylo yhi\n0 1 zlo zhi"), 2, PLANE),
    ],
)
def test_how_many_dimensions_a_file_has(tmp_path: Path, name: str, text: str, dimensions: int, notice: str) -> None:
    path = put(tmp_path, name, text)
    with open_trajectory(path) as found:
        assert found.dimensions == found[0].dimensions == dimensions
        told = notice.removeprefix(USUAL)
        assert found.notice.startswith(told)
        assert bool(found.notice) == bool(told)
    other = 5 - dimensions
    if notice:  # only such a file may be read otherwise, if that is asked for
        with open_trajectory(path, other) as found:
            assert found[0].dimensions == other
            assert found.notice.endswith(f"as dimensions = {other} says")
    else:
        with pytest.raises(InputError, match=f"dimensions must be {dimensions} for .*, not {other}"):
            read(path, other)


@pytest.mark.parametrize(
    ("told", "depth", "dimensions"), [(None, 8.0, 3), (3, 8.0, 3), (None, 0.0, 2), (2, 0.0, 2), (2, 1.0, 2)]
)
def test_one_disc_or_sphere_of_hoomd_is_what_its_file_says(
    tmp_path: Path, told: int | None, depth: float, dimensions: int
) -> None:
    frame = gsd.hoomd.Frame()
    if told is not None:
        frame.configuration.dimensions = told
    frame.configuration.box = [8.0, 8.0, depth, 0.0, 0.0, 0.0]
    frame.particles.N = 1
    frame.particles.position = [[1.0, 2.0, 0.0]]
    with gsd.hoomd.open(str(tmp_path / "h.gsd"), "w") as file:
        file.append(frame)
    with open_trajectory(tmp_path / "h.gsd") as found:
        assert found[0].positions.tolist() == [[5.0, 6.0, 4.0][:dimensions]]
        assert found.notice == ""


def test_a_scenario_says_how_a_file_that_leaves_it_open_is_read(tmp_path: Path) -> None:
    put(tmp_path, "s.xyz", "2\nProperties=pos:R:3:radius:R:1\n1 1 0 0.5\n3 3 0 0.5\n")
    for dimensions in (2, 3):
        rows = f'dimensions = {dimensions}\n[discs]\narrangement = "file"\nfile = "s.xyz"\n[box]\nsize = 9\n'
        scenario = load_scenario(put(tmp_path, "s.toml", rows)).with_values({"box.boundary": "periodic"})
        assert initial_state(scenario).positions.shape == (2, dimensions)
    assert open_scenario(tmp_path / "s.xyz").dimensions == 2
    with pytest.raises(InputError, match="does not give its box"):  # the spheres are not inside walls at z = 0
        initial_state(open_scenario(tmp_path / "s.xyz", 3))


def test_a_damaged_frame_does_not_hinder_the_others(tmp_path: Path) -> None:
    with open_trajectory(put(tmp_path, "t.xyz", FLAT + FLAT.replace("3", "b") + DEEP)) as found:
        assert found[0].dimensions == found[2].dimensions == 3
        with pytest.raises(InputError, match="line 8: x must be a number"):
            found[1]
