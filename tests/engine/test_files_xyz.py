"""XYZ and extended XYZ: bit-exact both ways, lazily read, refused with line or frame where they are wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.errors import InputError
from engine.files import FileFrame, open_trajectory, read, write
from tests.engine.file_frames import assert_same, put, some_frames

PLAIN = "2\nmade by hand\nAr 1 2 0\nAr 3 4 0\n"
LATTICE = 'Lattice="7 0 0 0 5 0 0 0 1"'
PROPERTIES = "Properties=species:S:1:pos:R:3"


@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("name", ["t.xyz", "t.extxyz"])
def test_what_was_written_is_read_bit_by_bit(tmp_path: Path, name: str, periodic: bool) -> None:
    frames = some_frames(3, periodic=periodic)
    write(tmp_path / name, frames)
    with open_trajectory(tmp_path / name) as found:
        assert len(found) == 3
        assert found.count == 7
        assert found.notice == ""
        assert found.times.tolist() == [0.0, 0.1, 0.2]
        for wanted, frame in zip(frames, found, strict=True):
            assert_same(wanted, frame)
        assert_same(frames[2], found[-1])
        assert_same(frames[0], found[-3])
        for number in (3, -4):
            with pytest.raises(IndexError, match="its frames are 0 to 2"):
                found[number]


def test_parts_that_a_frame_lacks_stay_out(tmp_path: Path) -> None:
    write(tmp_path / "t.xyz", FileFrame(np.array([[1.0, 2.0]])))
    (frame,) = read(tmp_path / "t.xyz")
    assert frame.positions.tolist() == [[1.0, 2.0]]
    for name in ("velocities", "radii", "masses", "cluster", "box", "periodic", "time"):
        assert getattr(frame, name) is None, name


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


def test_what_other_programs_write_into_the_comment(tmp_path: Path) -> None:
    comment = (
        'Properties=id:I:1:pos:R:3:Momenta:R:3:name:S:2:Masses:R:1:diameter:R:1:molecule:I:1 time="0.25" '
        "lattice='7.0 0 0 0 5.0 0 0 0 0' origin=\"-1 -2 0\" pbc=[T, T, F] note={a b}"
    )
    row = "1 0 0 3 2 4 0 a b 2 0.5 9\n2 6.5 -2.5 3 1 1 1 a b 4 0.25 9\n"
    (frame,) = read(put(tmp_path, "t.xyz", f"2\n{comment}\n{row}"))
    assert frame.positions.tolist() == [[1.0, 2.0], [0.5, 4.5]]  # wrapped into the box
    assert frame.velocities is not None
    assert frame.velocities.tolist() == [[1.0, 2.0], [0.25, 0.25]]
    assert frame.radii is not None
    assert frame.radii.tolist() == [0.25, 0.125]
    assert frame.cluster is not None
    assert frame.cluster.tolist() == [9, 9]
    assert frame.box is not None
    assert frame.box.tolist() == [7.0, 5.0]
    assert frame.periodic is True
    assert frame.time == 0.25


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
    assert frame.box is not None
    assert frame.box.tolist() == [7.0, 5.0]
    assert frame.positions.tolist() == [[0.5, 1.75]]


def test_momenta_whose_masses_are_missing(tmp_path: Path) -> None:
    text = "2\nProperties=Z:I:1:pos:R:3:momenta:R:3\n1 1 1 0 1.008 2.016 0\n18 2 2 0 39.948 0 0\n"
    with open_trajectory(put(tmp_path, "t.xyz", text * 2)) as found:
        assert found.notice == (
            "the file has momenta but no masses: velocities are momenta over the masses of the elements, "
            "1 for other names"
        )
        frame = found[1]
    assert frame.velocities is not None
    assert frame.velocities.tolist() == [[1.0, 2.0], [1.0, 0.0]]
    assert frame.masses is not None
    assert frame.masses.tolist() == [1.008, 39.948]
    with open_trajectory(put(tmp_path, "t.xyz", text + text[:40])) as found:
        assert found.notice.startswith("the last frame is incomplete and was left out; the file has momenta")
    missing = "1\nProperties=pos:R:3:momenta:R:3:species:S:1\n1 1 0 1 2 0\n"
    with pytest.raises(InputError, match="line 3: the element is missing"):
        read(put(tmp_path, "t.xyz", missing))


@pytest.mark.parametrize(("pbc", "periodic"), [("", True), ('pbc="T T T"', True), ("pbc=0", False), ("pbc=F", False)])
def test_a_lattice_is_periodic_unless_it_says_otherwise(tmp_path: Path, pbc: str, periodic: bool) -> None:
    path = put(tmp_path, "t.xyz", f"1\n{LATTICE} {PROPERTIES} {pbc}\nX 1 1 0\n")
    assert read(path)[0].periodic is periodic


def test_a_large_file_is_passed_over_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frames = some_frames(20, count=30)
    write(tmp_path / "t.xyz", frames)
    for block in (64, 777, 5000):
        monkeypatch.setattr("engine.files.text._BLOCK", block)
        with open_trajectory(tmp_path / "t.xyz") as found:
            assert len(found) == 20
            for number in (13, 0, 19, 7):
                assert_same(frames[number], found[number])


def test_a_file_that_ends_in_a_frame_keeps_those_before_it(tmp_path: Path) -> None:
    frames = some_frames(3)
    write(tmp_path / "t.xyz", frames)
    whole = (tmp_path / "t.xyz").read_bytes()
    third = len(whole) * 2 // 3  # every frame has about as many bytes
    starts = [place for place in range(len(whole)) if whole[place:].startswith(b"7\nLattice")]
    assert abs(starts[2] - third) < 100
    for length in range(starts[2] + 1, len(whole) - 1, 3):
        with open_trajectory(put(tmp_path, "c.xyz", whole[:length])) as found:
            last_line = length > whole.rindex(b"\n", 0, len(whole) - 1) + 1
            assert len(found) == (3 if last_line else 2)
            assert found.notice == (
                "the last line of the file has no end: its last number may be cut off"
                if last_line
                else "the last frame is incomplete and was left out"
            )
            assert_same(frames[1], found[1])


def test_shapes_are_said(tmp_path: Path) -> None:
    text = "1\nProperties=pos:R:3:radius:R:1:aspherical_shape:R:3\n1 2 0 0.5 1 1 2"
    with open_trajectory(put(tmp_path, "t.xyz", text)) as found:
        assert found.notice.startswith("the last line of the file has no end")
        assert "it has other shapes (aspherical_shape); they are read as discs" in found.notice


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("\n\n", "has no frame"),
        ("two\n", 'line 1: a frame begins with the number of discs, not "two"'),
        ("-2\n\n", "line 1: a frame begins with the number"),
        ("1_0\n\n", "line 1: a frame begins with the number"),
        ("0\n\n", "line 1: there are no discs"),
        ("2\n\nA 1 2 0\n", "ends in the middle of its first frame"),
        ("99999999999\n\nA 1 2 0\n", "ends in the middle of its first frame"),
        ("2\n\nA 1 2 0\nA 1 b 0\n", 'line 4: y must be a number, not "b"'),
        ("2\n\nA 1 2 0\nA 1\n", "line 4: 2 values where 4 are needed"),
        ("2\n\nA 1 2 0\n\n", "line 4: 0 values where 4 are needed"),
        ("1\n\nA 1 nan 0\n", "frame 0: the position of disc 0 is not a finite number"),
        ("2\n\nA 1 2 0\nA 1 2 1\n", "frame 0: this is a three-dimensional state: z is not the same"),
        ("2\n\nA 1 2 0\nA 1 2 nan\n", "frame 0: this is a three-dimensional state"),
        (PLAIN + "1\n\nA 1 2 0\n", "line 5: 1 discs, but 2 in the first frame"),
        (PLAIN + "and so on\n", 'line 5: a frame begins with the number of discs, not "and so on"'),
        (
            f'1\nLattice="7 1 0 0 5 0 0 0 1" {PROPERTIES}\nX 1 1 0\n',
            "frame 0: the box is triclinic (a side is 7 1 0); only rect",
        ),
        (f'1\nLattice="7 0 0 0 5 0 0 0" {PROPERTIES}\nX 1 1 0\n', "frame 0: Lattice must be 9 numbers"),
        (
            f'1\nLattice="7 0 0 0 0 0 0 0 1" {PROPERTIES}\nX 1 1 0\n',
            "the sides of the box must be finite numbers above 0",
        ),
        (f'1\n{LATTICE} {PROPERTIES} pbc="T F F"\nX 1 1 0\n', "periodic along one side only"),
        (f'1\n{LATTICE} {PROPERTIES} pbc="yes"\nX 1 1 0\n', 'pbc must be like "T T F"'),
        (f"1\n{PROPERTIES}:radius:R:1\nX 1 1 0 0\n", "frame 0: the radius of disc 0 must be a finite number above 0"),
        (f"1\n{PROPERTIES}:cluster:R:1\nX 1 1 0 0.5\n", "frame 0: the cluster of disc 0 must be a whole number"),
        ("1\nProperties=species:S:1\nX\n", "line 2: Properties must have pos:R:3"),
        ("1\nProperties=pos:R:3:a\n1 1 0\n", "line 2: Properties must have pos:R:3"),
        ("1\nProperties=pos:R:999999\n1 1 0\n", 'line 2: "pos:R:999999" is no column'),
        (b"1\n\nA 1 2 0\x00\n", "is not a text file"),
        (b"1\n\xff\xff\nA 1 2 0\n", "line 2: not text in UTF-8"),
        (b"1\n\nA 1 \xff 0\n", "line 3: not text in UTF-8"),
        ("1\n" + "x" * 70000 + "\nA 1 2 0\n", "line 2: longer than 65536 characters"),
        ("1\n\nA 1 2 0" + " " * 70000 + "\n", "line 3: longer than 65536 characters"),
    ],
)
def test_bad_files_are_one_sentence_with_the_place(tmp_path: Path, text: str | bytes, words: str) -> None:
    path = put(tmp_path, "s.xyz", text)
    with pytest.raises(InputError) as caught:
        read(path)
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
    assert caught.value.key == str(path)
