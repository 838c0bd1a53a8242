"""XYZ and extended XYZ: bit-exact both ways, lazily read, refused with line or frame where they are wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.boundary import Periodic
from engine.files import open_trajectory, read
from tests.builders.file_frames import put

PLAIN = "2\nmade by hand\nAr 1 2 0\nAr 3 4 0\n"
LATTICE = 'Lattice="7 0 0 0 5 0 0 0 1"'
PROPERTIES = "Properties=species:S:1:pos:R:3"


@pytest.mark.parametrize(
    "text", [PLAIN, PLAIN.replace("\n", "\r\n"), "\ufeff" + PLAIN + "\n\n", "2\n\nH 1 2\nHe 3 4\n"]
)
def test_plain_xyz(tmp_path: Path, text: str) -> None:
    path = put(tmp_path, "t.xyz", text)
    with open_trajectory(path) as found:
        assert len(found) == 1
        assert np.isnan(found.times).all()
        assert found[0].positions.tolist() == [[1.0, 2.0], [3.0, 4.0]]
        assert found[0].box is None
        assert found[0].periodic is None
        assert found[0].radii is None


def test_comments_written_by_other_programs_are_understood(tmp_path: Path) -> None:
    comment = (
        'Properties=id:I:1:pos:R:3:Momenta:R:3:name:S:2:Masses:R:1:diameter:R:1:molecule:I:1 time="0.25" '
        "lattice='7.0 0 0 0 5.0 0 0 0 0' origin=\"-1 -2 0\" pbc=[T, T, F] note={a b}"
    )
    row = "1 0 0 3 2 4 0 a b 2 0.5 9\n2 6.5 -2.5 3 1 1 1 a b 4 0.25 9\n"
    (frame,) = read(put(tmp_path, "t.xyz", f"2\n{comment}\n{row}"))
    assert frame.positions.tolist() == [[1.0, 2.0], [0.5, 4.5]]  # wrapped into the box
    assert frame.velocities.tolist() == [[1.0, 2.0], [0.25, 0.25]]
    assert frame.radii.tolist() == [0.25, 0.125]
    assert frame.cluster.tolist() == [9, 9]
    assert frame.box.tolist() == [7.0, 5.0]
    assert frame.periodic.all
    assert frame.time == 0.25


def test_the_names_of_plain_xyz_may_be_numbers_of_elements(tmp_path: Path) -> None:
    (frame,) = read(put(tmp_path, "t.xyz", "2\n\n18 1 2 0.5\n-1 3 4 1.5\n"))
    assert frame.positions.tolist() == [[1.0, 2.0, 0.5], [3.0, 4.0, 1.5]]


@pytest.mark.parametrize(
    ("cell", "corner"),
    [
        ("7 0 0 0 5 0 0 0 1", (0, 0)),
        ("-7 0 0 0 5 0 0 0 1", (-7, 0)),
        ("7 0 0 0 -5 0 0 0 -1", (0, -5)),
        ("0 -5 0 7 0 0 0 0 1", (0, -5)),
        ("7 1e-16 0 -1e-16 5 0 0 0 0", (0, 0)),
    ],
)
def test_cells_that_are_mirrored_or_turned(tmp_path: Path, cell: str, corner: tuple[float, float]) -> None:
    """As OVITO writes them: the box is the rectangle that the vectors span from the origin."""
    text = f'1\nLattice="{cell}" Origin="0.5 0.25 0" {PROPERTIES}\nX {1 + corner[0]} {2 + corner[1]} 0\n'
    (frame,) = read(put(tmp_path, "t.xyz", text))
    assert frame.box.tolist() == [7.0, 5.0]
    assert frame.positions.tolist() == [[0.5, 1.75]]


def test_momenta_whose_masses_are_missing(tmp_path: Path) -> None:
    text = "2\nProperties=Z:I:1:pos:R:3:momenta:R:3\n1 1 1 0 1.008 2.016 0\n18 2 2 0 39.948 0 0\n"
    with open_trajectory(put(tmp_path, "t.xyz", text * 2)) as found:
        assert found.notice.startswith(
            "the file has momenta but no masses; velocities are computed with the masses of the elements, "
            "or 1 for other names; all z are 0, which is read as discs in the plane"
        )
        frame = found[1]
    assert frame.velocities.tolist() == [[1.0, 2.0], [1.0, 0.0]]
    assert frame.masses.tolist() == [1.008, 39.948]
    with open_trajectory(put(tmp_path, "t.xyz", text + text[:40])) as found:
        assert found.notice.startswith("the last frame is incomplete and was left out; the file has momenta")


@pytest.mark.parametrize(("pbc", "periodic"), [("", True), ('pbc="T T T"', True), ("pbc=0", False), ("pbc=F", False)])
def test_a_lattice_is_periodic_unless_it_says_otherwise(tmp_path: Path, pbc: str, periodic: bool) -> None:
    path = put(tmp_path, "t.xyz", f"1\n{LATTICE} {PROPERTIES} {pbc}\nX 1 1 0\n")
    (frame,) = read(path)
    assert frame.periodic == Periodic.of(periodic, frame.dimensions)


def test_molecule_0_is_none(tmp_path: Path) -> None:
    text = "4\nProperties=pos:R:3:mol:I:1\n1 1 0 0\n2 2 0 5\n3 3 0 0\n4 4 0 5\n"
    assert read(put(tmp_path, "t.xyz", text))[0].cluster.tolist() == [-1, 5, -2, 5]


def test_shapes_are_said(tmp_path: Path) -> None:
    text = "1\nProperties=pos:R:3:radius:R:1:aspherical_shape:R:3\n1 2 0 0.5 1 1 2"
    with open_trajectory(put(tmp_path, "t.xyz", text)) as found:
        assert found.notice.startswith("the last line of the file is not terminated")
        assert "it has other shapes (aspherical_shape); they are read as discs" in found.notice
