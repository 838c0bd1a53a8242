"""Boxes that a file gives by three vectors in any order: rectangles, in which positions stay along the axes."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from engine.boundary import Periodic
from engine.files import FileFrame, read
from tests.builders.file_frames import data_text, dump_text, put

SIDES = (10.0, 20.0, 30.0)
ORIGIN = (-1.0, -2.0, -3.0)
PLACES = ((1.0, 3.0, 25.0), (8.5, 16.0, -2.5))
"""Cartesian, from the origin of the file."""
ORDERS = list(permutations(range(3)))
"""The axis along which each of the three vectors lies."""


def cell(order: tuple[int, ...]) -> list[list[float]]:
    return [[SIDES[axis] if axis == along else 0.0 for axis in range(3)] for along in order]


def words(numbers: object) -> str:
    return " ".join(map(str, np.ravel(numbers)))


def assert_placed(frame: FileFrame) -> None:
    assert frame.box.tolist() == list(SIDES)
    np.testing.assert_allclose(frame.positions, np.subtract(PLACES, ORIGIN), rtol=0, atol=1e-13)


@pytest.mark.parametrize("order", ORDERS)
def test_a_lattice_of_extended_xyz(tmp_path: Path, order: tuple[int, ...]) -> None:
    rows = "".join(f"X {words(place)}\n" for place in PLACES)
    about = f'Lattice="{words(cell(order))}" Origin="{words(ORIGIN)}" Properties=species:S:1:pos:R:3'
    (frame,) = read(put(tmp_path, "t.xyz", f'2\n{about} pbc="T T T"\n{rows}'))
    assert_placed(frame)
    assert frame.periodic.all


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("scaled", [False, True])
def test_a_dump_with_vectors_and_an_origin(tmp_path: Path, order: tuple[int, ...], scaled: bool) -> None:
    """Scaled positions are shares of the vectors, in the order of the vectors."""
    bounds = "\n".join(words([*row, start]) for row, start in zip(cell(order), ORIGIN, strict=True))
    shares = np.subtract(PLACES, ORIGIN) / SIDES
    rows = [words(place) for place in (shares[:, order] if scaled else PLACES)]
    columns = "xs ys zs" if scaled else "x y z"
    (frame,) = read(put(tmp_path, "t.dump", dump_text(columns, *rows, bounds=bounds, about=" abc origin pp pp pp")))
    assert_placed(frame)


@pytest.mark.parametrize("order", ORDERS)
def test_a_data_file_with_vectors_and_an_origin(tmp_path: Path, order: tuple[int, ...]) -> None:
    bounds = "\n".join(f"{words(row)} {name}vec" for row, name in zip(cell(order), "abc", strict=True))
    atoms = "".join(f"{number} 1 {words(place)}\n" for number, place in enumerate(PLACES, 1))
    text = data_text(f"\n\n{atoms}", bounds=f"{bounds}\n{words(ORIGIN)} abc origin")
    assert_placed(read(put(tmp_path, "t.data", text))[0])


def test_scaled_positions_between_bounds_are_along_their_own_axis(tmp_path: Path) -> None:
    bounds = "\n".join(f"{low} {low + side}" for low, side in zip(ORIGIN, SIDES, strict=True))
    rows = [words(place) for place in np.subtract(PLACES, ORIGIN) / SIDES]
    assert_placed(read(put(tmp_path, "t.dump", dump_text("xs ys zs", *rows, bounds=bounds)))[0])


def test_a_boundary_is_that_of_the_vector_and_not_of_the_axis_of_its_number(tmp_path: Path) -> None:
    lattice = '1\nLattice="0 0 1 7 0 0 0 5 0" Properties=species:S:1:pos:R:3 pbc="{}"\nX 1 2 0\n'
    bounds = "0 0 1 0\n7 0 0 0\n0 5 0 0"
    for first, words_of in (("F T T", "ff pp pp"), ("T F F", "pp ff ff")):
        for path in (
            put(tmp_path, "t.xyz", lattice.format(first)),
            put(tmp_path, "t.dump", dump_text("x y z", "1 2 0", bounds=bounds, about=f" abc origin {words_of}")),
        ):
            (frame,) = read(path)
            assert frame.box.tolist() == [7.0, 5.0]  # z is periodic otherwise than x and y: a plane
            assert frame.periodic == Periodic.of(first == "F T T", 2)
    for first, wanted in (("T T F", (True, False)), ("F F T", (False, True))):
        (frame,) = read(put(tmp_path, "t.xyz", lattice.format(first)))
        assert frame.box.tolist() == [7.0, 5.0]
        assert frame.periodic == wanted


def test_a_vector_of_0_stands_for_the_axis_that_is_left(tmp_path: Path) -> None:
    for order in ("0 0 0 0 5 0 7 0 0", "0 5 0 0 0 0 7 0 0", "0 5 0 7 0 0 0 0 0"):
        (frame,) = read(put(tmp_path, "t.xyz", f'1\nLattice="{order}" Properties=species:S:1:pos:R:3\nX 1 2 0\n'))
        assert frame.box.tolist() == [7.0, 5.0]
