"""LAMMPS dump and data files: read as LAMMPS means them, written so that they read back bit by bit."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from engine.errors import InputError
from engine.files import open_trajectory, read
from tests.builders.file_frames import data_text, dump_text, put


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        ("id type x y z", ("2 1 3 4 0", "1 1 1 2 0")),
        ("id x y", ("1 1 2", "2 3 4")),
        ("xu id yu", ("11 1 -6", "3 2 4")),
        ("id xs ys zs", ("2 0.3 0.5 0.5", "1 0.1 0.25 0.5")),
        ("xsu ysu", ("1.1 -0.75", "0.3 0.5")),
    ],
)
def test_positions_in_all_the_ways_of_lammps(tmp_path: Path, columns: str, rows: tuple[str, ...]) -> None:
    (frame,) = read(put(tmp_path, "t.dump", dump_text(columns, *rows)))
    assert np.allclose(frame.positions, [[1.0, 2.0], [3.0, 4.0]], rtol=0, atol=1e-12)


# written by OVITO 3.17.2, but for the velocities
OVITO = """ITEM: TIMESTEP
0
ITEM: NUMBER OF ATOMS
2
ITEM: BOX BOUNDS abc origin pp pp ff
{cell}
ITEM: ATOMS type x y z radius
1 3.6339335354 5.0374575905 0.0 0.1
1 6.7354110747 1.6527066957 0.0 0.2
"""


@pytest.mark.parametrize(
    "cell",
    [
        "7.1 0.0 0.0 0.5\n0.0 5.3 0.0 -0.25\n0.0 0.0 1.0 0.0",
        "7.1 1e-17 0.0 0.5\n0.0 5.3 0.0 -0.25\n0.0 0.0 0.0 3.0",
        "-7.1 0.0 0.0 7.6\n0.0 5.3 0.0 -0.25\n0.0 0.0 1.0 0.0",
        "0.0 5.3 0.0 0.5\n7.1 0.0 0.0 -0.25\n0.0 0.0 1.0 0.0",
    ],
)
def test_a_dump_of_ovito_with_three_vectors_and_an_origin(tmp_path: Path, cell: str) -> None:
    with open_trajectory(put(tmp_path, "t.dump", OVITO.format(cell=cell) * 2)) as found:
        assert len(found) == 2
        frame = found[1]
    assert np.allclose(frame.box, [7.1, 5.3], rtol=0, atol=1e-12)
    assert frame.periodic.all
    assert np.allclose(frame.positions, [[3.1339335354, 5.2874575905], [6.2354110747, 1.9027066957]], atol=1e-12)
    assert frame.radii.tolist() == [0.1, 0.2]


TILTED = [
    (" xz pp pp", "0 10\n0 8 3\n0 1", "xz = 3"),
    (" pp pp pp xy xz yz", "0 10 3\n0 8 3\n0 1 0", "xz = 3"),
    (" pp pp pp", "0 10 0\n0 8 -2e-7\n0 1 0", "xz = -2e-07"),  # no word says that there are tilts
    ("", "0 10\n0 8\n0 1 0.5", "yz = 0.5"),
    (" XY XZ YZ pp pp pp", "0 10 3\n0 8 2\n0 1 0", "xz = 2"),
    (" pp pp pp abc origin", "10 3 0 0\n0 8 0 0\n0 0 1 0", "a side is 10 3 0"),
]


@pytest.mark.parametrize(("about", "bounds", "named"), TILTED)
def test_a_tilt_other_than_0_is_refused_by_name_however_a_dump_says_it(
    tmp_path: Path, about: str, bounds: str, named: str
) -> None:
    straight = dump_text("x y", "1 1", bounds="0 10 0\n0 8 -0.0\n0 1 0", about=about.split(" abc")[0])
    path = put(tmp_path, "t.dump", straight + dump_text("x y", "1 1", bounds=bounds, about=about))
    with open_trajectory(path) as found:
        box = found[0].box
        assert box.tolist() == [10.0, 8.0]
        with pytest.raises(InputError, match=rf"line 15: the box is triclinic \({re.escape(named)}\); only rect"):
            found[1]


@pytest.mark.parametrize(
    ("tilt", "named"),
    [
        ("3.0 xz", "xz = 3"),
        ("0 0 -1e-9 XY XZ YZ", "yz = -1e-09"),
        ("0 0.5 0 XY xz YZ # units lj", "xz = 0.5"),
        ("0 xy 2 xz", "xz = 2"),
    ],
)
def test_a_tilt_other_than_0_is_refused_by_name_however_a_data_file_says_it(
    tmp_path: Path, tilt: str, named: str
) -> None:
    box = "0 5 XLO XHI\n0 6 ylo yhi\n"
    atoms = "\n\n1 1 0 0 0\n2 1 1 1 0\n"
    with pytest.raises(InputError, match=rf"line 7: the box is triclinic \({re.escape(named)}\); only rect"):
        read(put(tmp_path, "t.data", data_text(atoms, bounds=box + tilt)))
    (frame,) = read(put(tmp_path, "t.data", data_text(atoms, bounds=f"{box}0 xy -0.0 0e0 XZ yz")))
    assert frame.box.tolist() == [5.0, 6.0]
    with pytest.raises(InputError, match="line 7: xy xz yz need the same number of values before them"):
        read(put(tmp_path, "t.data", data_text(atoms, bounds=box + "0 0 xy xz yz")))


def test_the_rest_of_a_dump(tmp_path: Path) -> None:
    text = "ITEM: UNITS\nlj\nITEM: TIME\n2.5\n" + dump_text(
        "id mol diameter vx vy mass x y",
        "3 0 0.5 1 2 7 1 1",
        "1 4 1 0 0 7 -4 3",
        "2 0 1 0 0 8 4 9",
        bounds="-5 5\n1 9\n0 0",
        about=" ff fm pp",
    )
    with open_trajectory(put(tmp_path, "t.lammpstrj", text)) as found:
        assert found.times.tolist() == [2.5]
        frame = found[0]
    assert frame.positions.tolist() == [[1.0, 2.0], [9.0, 8.0], [6.0, 0.0]]
    assert frame.velocities.tolist() == [[0, 0], [0, 0], [1, 2]]
    assert frame.radii.tolist() == [0.5, 0.5, 0.25]
    assert frame.masses.tolist() == [7, 8, 7]
    assert frame.cluster.tolist() == [4, -1, -2]  # molecule 0 is none
    assert frame.box.tolist() == [10.0, 8.0]
    assert not frame.periodic.any


def test_sizes_that_a_dump_has_under_other_names(tmp_path: Path) -> None:
    for name in ("Radius", "d_radius", "c_radius"):
        (frame,) = read(put(tmp_path, "t.dump", dump_text(f"id xs ys v_x v_y {name}", "1 0.5 0.5 7 7 0.25")))
        assert frame.positions.tolist() == [[5.0, 4.0]]
        assert frame.radii.tolist() == [0.25]
    for columns in ("x y radius shapex shapey", "x y radius c_shape[1] c_shape[2]"):
        with open_trajectory(put(tmp_path, "t.dump", dump_text(columns, "1 1 0.5 1 2") * 2)) as found:
            name = columns.split()[3]
            assert found.notice == f"it has other shapes ({name}); they are read as discs with the given radius"
            assert len(found) == 2


@pytest.mark.parametrize(
    "atoms",
    [
        "\n\n1 1 0 0 0\n2 1 2 2 0\n",
        "  # atomic\n\n2 1 2 2 0 0 0 0\n1 1 0 0 0 0 0 0\n",
        " # full\n\n1 5 1 0.5 0 0 0\n2 5 1 0.5 2 2 0\n",
        " # sphere\n\n1 1 0.5 1 0 0 0 # a comment\n2 1 0.5 1 2 2 0\n",
        " # charge\n\n1 1 0.5 0 0 0\n2 1 0.5 2 2 0\n",
    ],
)
@pytest.mark.parametrize("name", ["t.data", "t.lmp", "t.lammps"])
def test_styles_of_data_files(tmp_path: Path, atoms: str, name: str) -> None:
    (frame,) = read(put(tmp_path, name, data_text(atoms)))
    assert frame.positions.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert frame.box.tolist() == [10.0, 8.0]
    assert frame.periodic is None
    assert (frame.radii is not None) == ("sphere" in atoms)
    assert (frame.cluster is not None) == ("full" in atoms)


@pytest.mark.parametrize("turning", ["", " 7 8 9", " 7 8 9 # spins"])
def test_velocities_masses_and_bonds_of_data_files(tmp_path: Path, turning: str) -> None:
    rest = "Masses\n\n2 5\n1 3 # light\n\nBonds\n\n1 1 1 2\n\n"
    velocities = f"\n\nVelocities\n\n1 1 2 0{turning}\n2 3 4 0{turning}\n"
    text = data_text(f" # bpm/sphere\n\n2 0 2 1 1 2 2 0\n1 0 1 0.5 1 0 0 0{velocities}", rest)
    (frame,) = read(put(tmp_path, "t.data", text))
    assert frame.masses.tolist() == [3.0, 5.0]
    assert frame.velocities.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert frame.radii.tolist() == [0.25, 0.5]
    assert frame.cluster.tolist() == [-1, -2]
