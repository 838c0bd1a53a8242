"""Files that cannot be used: one sentence, which names the file, the line or frame, the column, and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.files import read
from tests.builders.file_frames import data_text as data
from tests.builders.file_frames import dump_text as dump
from tests.builders.file_frames import put

PLAIN = "2\nmade by hand\nAr 1 2 0\nAr 3 4 0\n"
LATTICE = 'Lattice="7 0 0 0 5 0 0 0 1"'
PROPERTIES = "Properties=species:S:1:pos:R:3"
ROW = "1 1 1 1 0"
MARKS = "is ambiguous: write all numbers with decimal points, or all with decimal commas"

BAD: dict[str, list[tuple[str | bytes, str]]] = {
    ".csv": [
        ("", "is empty"),
        ("\n# nothing\n", "no header"),
        ("x,y,radius\n", "a header but no discs"),
        ("x,y,radius\n1,2,3\n1,2\n", "line 3: 2 values for 3 columns; the file seems to be cut off"),
        ("x,y\n1,2,3\n", "line 2: 3 values for 2 columns"),
        ("x,y\n1,2\n\n1,two\n", 'line 4: y must be a number, not "two"'),
        ("x,y\n1,nan\n", "line 2: y must be a finite number, not nan"),
        ("x,y,radius\n1,2,0\n", "line 2: radius must be above 0, not 0"),
        ("x,y,selected\n1,2,3\n", "line 2: selected must be 0 or 1, not 3"),
        ("x,y,cluster\n1,2,3000000000\n", "line 2: cluster must be a whole number"),
        ("1,2\n3,4\n", "line 1: the header has no column x"),
        ("x,y,raduis\n3,4,5\n", 'line 1: unknown column "raduis"'),
        ("x,y,x\n3,4,5\n", "a column appears twice"),
        ("x,y,vx\n3,4,5\n", "vx and vy go together"),
        (b"x,y\n1,2\n\x00\x01", "not a text file"),
        ("x,y\n" + "1" * 5000 + ",2\n1,a\n", "line 2: longer than"),
        ("# box = -4\nx,y\n1,2\n", "write the box as"),
        ("# box = 4 5 walls walls walls\nx,y\n1,2\n", "or with one of the two words for each axis"),
        ("# box = 4 5 6 walls periodic\nx,y,z\n1,2,3\n", "or with one of the two words for each axis"),
        # numbers that may mean two things
        ("x;y\n1.008,0;2,5\n", f'line 2: the decimal mark in "1.008,0" {MARKS}'),
        ("x\ty\n1,008.0\t2\n", f'line 2: the decimal mark in "1,008.0" {MARKS}'),
        ('x,y\n"1,008",2\n', 'line 2: "1,008" is not a number: write decimal points and do not separate thousands'),
        ("x,y\n1,5,2,5\n", "line 2: 4 values for 2 columns; if these are decimal commas, separate the columns"),
        ("x;y\n1,2\n", "line 2: 1 values for 2 columns with semicolons between them"),
        ("sep=:\nx:y\n1:2\n", "line 1: sep= must be followed by a comma, a semicolon, a tab or a bar"),
        ("x,y\n1,2\n".encode("utf-16"), "is not a text file in UTF-8: it is in UTF-16; save it as UTF-8"),
        ("# box = 50,5 50,5 walls\nx,y\n1,2\n", "with decimal points"),
    ],
    ".xyz": [
        ("", "is empty"),
        ("two\n", 'line 1: a frame begins with the number of discs, not "two"'),
        ("1_0\n\n", "line 1: a frame begins with the number"),
        ("0\n\n", "line 1: there are no discs"),
        ("2\n\nA 1 2 0\n", "ends in the middle of its first frame"),
        ("2\n\nA 1 2 0\nA 1 b 0\n", 'line 4: y must be a number, not "b"'),
        ("2\n\nA 1 2 0\nA 1\n", "line 4: 2 values where 4 are needed"),
        ("1\n\nA 1 nan 0\n", "line 3: y must be a finite number, not nan"),
        (
            f'2\nLattice="7 0 0 0 5 0 0 0 0" {PROPERTIES}\nX 1 1 0\nX 1 1 1\n',
            "frame 0: the sides of the box must be finite numbers above 0",
        ),
        (
            f'2\nLattice="7 0 0 0 5 0 0 0 9" pbc="T F" {PROPERTIES}\nX 1 1 0\nX 1 1 1\n',
            "frame 0: nothing says whether the box is periodic along z",
        ),
        ("2\n\nA 1 2\nA 1 3\n2\n\nA 1 2 0\nA 1 2 1\n", "frame 1: 3 dimensions, but 2 in other frames"),
        # columns that are not understood
        ("2\n\n1 2 3\n4 5 6\n", 'line 3: "1 2 3" is not understood: without Properties in the line above the rows'),
        ("2\n9 9 9\n1 2 3 0.5\n4 5 6 0.5\n", 'line 2: "9 9 9" is not understood: write a box as in Lattice='),
        ("2\nPropertis=pos:R:3:radius:R:1\n1.5 2 3 0.5\n4 5 6 0.5\n", "name other columns there, as in"),
        ("2\n\nA 1 2 3\nA 4 5 6 7\n", "line 4: 5 values where 4 are needed"),
        (
            f'1\nLattice="7 0 0 7 0 0 0 0 1" {PROPERTIES}\nX 1 1 0\n',
            "frame 0: two vectors of the box lie along x; each must lie along another axis",
        ),
        (PLAIN + "1\n\nA 1 2 0\n", "line 5: 1 discs, but 2 in the first frame"),
        (
            f'1\nLattice="7 1 0 0 5 0 0 0 1" {PROPERTIES}\nX 1 1 0\n',
            "frame 0: the box is triclinic (a side is 7 1 0); only rect",
        ),
        (f'1\nLattice="7 0 0 0 5 0 0 0" {PROPERTIES}\nX 1 1 0\n', "frame 0: Lattice must be 9 numbers"),
        (
            f'1\nLattice="7 0 0 0 0 0 0 0 1" {PROPERTIES}\nX 1 1 0\n',
            "the sides of the box must be finite numbers above 0",
        ),
        (
            f'1\nLattice="0 0 1 7 0 0 0 5 0" {PROPERTIES} pbc="T F"\nX 1 1 0\n',
            "frame 0: nothing says whether the box is periodic along y",
        ),
        (f"1\n{PROPERTIES}:radius:R:1\nX 1 1 0 0\n", "line 3: radius must be above 0, not 0"),
        (f"1\n{PROPERTIES}:cluster:R:1\nX 1 1 0 0.5\n", "line 3: cluster must be a whole number of 32 bits, not 0.5"),
        ("1\nProperties=species:S:1\nX\n", "line 2: Properties must have pos:R:3"),
        ("1\nProperties=pos:R:999999\n1 1 0\n", 'line 2: "pos:R:999999" is not a column'),
        (b"1\n\nA 1 2 0\x00\n", "is not a text file"),
        (b"1\n\xff\xff\nA 1 2 0\n", "line 2: not text in UTF-8"),
        ("1\n" + "x" * 70000 + "\nA 1 2 0\n", "line 2: longer than 65536 characters"),
    ],
    ".dump": [
        ("ITEM: TIMESTEP\n0\n", "ends in the middle of its first frame"),
        ("ITEM: TIMESTEP\n0\nITEM: ATOMS x y\n1 1\n", "line 3: ITEM: NUMBER OF ATOMS must come before it"),
        ("ITEM: TIMESTEP\n0\nATOMS\n", 'line 3: "ITEM: …" is missing'),
        ("ITEM: NUMBER OF ATOMS\nmany\n", 'line 2: the number of atoms must be a whole number, not "many"'),
        ("ITEM: TIME\nlate\n" + dump("x y", "1 1"), 'line 2: the time must be a number, not "late"'),
        (dump("id type", "1 1"), "line 9: there are no columns x y, xu yu or xs ys"),
        (dump("id x x y", "1 1 1 1"), "line 9: a column appears twice"),
        (
            dump("id type x y z", ROW, bounds="0 9 1\n0 8 1\n0 1 0", about=" xy xz yz pp pp pp"),
            "line 5: the box is triclinic (xz = 1); only rectangular boxes, and",
        ),
        (
            dump("id type x y z", ROW, about=" xy xz yz pp pp pp"),
            "line 5: the bounds of the box must be two bounds and",
        ),
        (
            dump("id type x y z", ROW, bounds="7 1 0 0\n0 5 0 0\n0 0 1 0", about=" abc origin pp pp ff"),
            "line 5: the box is triclinic (a side is 7 1 0); only rectangular boxes, and",
        ),
        (
            dump("id type x y z", ROW, bounds="7 0 0 0\n0 0 5 0\n0 0 1 0", about=" abc origin pp pp pp"),
            "line 5: two vectors of the box lie along z; each must lie along another axis",
        ),
        (
            dump("id type x y z", ROW, bounds="7 0 0\n0 5 0\n0 0 1", about=" abc origin pp pp ff"),
            "line 5: the bounds of the box must be three numbers of a vector and one of the origin in each line",
        ),
        (
            dump("xs ys", "0.5 0.5", bounds="-7 0 0 0\n0 5 0 0\n0 0 1 0", about=" abc origin pp pp ff"),
            "frame 0: scaled positions in a mirrored box cannot be read",
        ),
        (dump("id type x y z", ROW, bounds="0 1\n0 nan\n0 0"), "line 5: the bounds of the box must be two numbers"),
        (dump("id type x y z", ROW, "1 1 2 2 0"), "frame 0: id 1 appears twice"),
        (dump("id type x y z", ROW, "2 1 2"), "line 11: 3 values where 5 are needed"),
        (
            dump("xs ys", "0.5 0.5", bounds="0 7 0 0\n0 0 5 0\n9 0 0 0", about=" abc origin pp pp pp"),
            "frame 0: there is no zs, which lies along x",
        ),
        (dump("id x y mol", "1 1 1 -3"), "line 10: mol must be a whole number from 0 to 2147483647, not -3"),
        (dump("x y", "1 1") + dump("x y", "1 1", "2 2"), "line 11: 2 discs, but 1 in the first frame"),
        ("ITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS xs ys\n1 1\n", "frame 0: scaled positions need ITEM: BOX BOUNDS"),
    ],
    ".data": [
        ("title\n\n2 atoms\n", "has no section Atoms"),
        (data("\n\n1 1 0 0 0\n"), "ends in the middle of a frame: 1 of 2 discs"),
        (data("\n\n1 1 0 0 0\n2 1 0 nothing 0\n"), 'y must be a number, not "nothing"'),
        (data("\n\n1 1 0 0 0 7\n2 1 0 1 0 7\n"), "does not give the style of its atoms"),
        (data(" # peri\n\n1 1 0 0 0 7\n2 1 0 1 0 7\n"), 'atoms of style "peri" cannot be read'),
        (data("\n\n1 1 0 0 0\n1 1 1 1 0\n"), "Atoms: id 1 appears twice"),
        (data(" # atomic\n\n1 1 0.5 1 0 0 0\n2 1 0.5 1 1 1 0\n"), "line 11: 7 values where 5 or 8 are needed"),
        (
            data("\n\n1 1 0 0 0\n2 1 1 1 0\n", bounds="1 0 0 avec\n2 0 0 bvec\n0 0 1 cvec\n0 0 0 abc origin"),
            "two vectors of the box lie along x; each must lie along another axis",
        ),
        (data("\n\n1 1 0 0 0\n2 1 1 1 1\n", bounds="0 9 xlo xhi\n0 9 ylo yhi\n1 1 zlo zhi"), "the sides of the box"),
        (data("\n\n1 1 0 0 0\n2 1 1 1 0\n", bounds="0 1 xlo xhi"), "does not give its box"),
        (
            data("\n\n1 1 0 0 0\n2 1 1 1 0\n", bounds="1 2 0 avec\n0 1 0 bvec\n0 0 1 cvec\n0 0 0 abc origin"),
            "the box is triclinic (a side is 1 2 0); only rectangular boxes, and",
        ),
        (
            data("\n\n1 1 0 0 0\n2 1 1 1 0\n", bounds="1 0 0 avec\n2 1 0 bvec\n0 9 xlo xhi\n0 9 ylo yhi"),
            "does not give its box: avec, bvec, cvec and abc origin are needed together",
        ),
        (data("\n\n1 1 0 0 0\n2 1 1 1 0\n\nVelocities\n\n1 0 0 0\n3 0 0 0\n"), "the ids of Velocities"),
        (data("\n\n1 1 0 0 0\n2 7 1 1 0\n", "Masses\n\n1 1\n2 1\n\n"), "a type that Masses does not name"),
        (data("\n\n1 1 0 0 0\n").replace("2 atoms", "999999999 atoms"), "999999999 discs, at most 10000000"),
    ],
}
"""Files of each ending, with words of the sentence."""


@pytest.mark.parametrize(
    ("ending", "text", "words"), [(ending, text, words) for ending, rows in BAD.items() for text, words in rows]
)
def test_a_bad_file_is_one_sentence_with_the_place(tmp_path: Path, ending: str, text: str | bytes, words: str) -> None:
    path = put(tmp_path, f"s{ending}", text)
    with pytest.raises(InputError) as caught:
        read(path)
    message = str(caught.value)
    assert words in message
    assert message.startswith(str(path))
    assert "\n" not in message
    assert caught.value.key == str(path)
