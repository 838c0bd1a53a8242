"""Frames for the tests of files, and how two of them are compared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from engine.boundary import Periodic
from engine.files import FileFrame
from engine.frame import Network

EVERYTHING = ("positions", "velocities", "radii", "masses", "cluster", "box")


def some_frames(
    number: int, count: int = 7, *, periodic: Periodic | bool = True, scenario: str = "", dimensions: int = 2
) -> list[FileFrame]:
    """Frames whose numbers need all their digits; radii, masses and box stay the same."""
    rng = np.random.default_rng(5)
    radii = rng.uniform(0.1, 0.2, count)
    masses = radii**2 * 31.0
    box = np.array([7.1, 5.3, 6.7])[:dimensions]
    return [
        FileFrame(
            positions=rng.random((count, dimensions)) * box,
            velocities=rng.normal(size=(count, dimensions)),
            radii=radii,
            masses=masses,
            cluster=rng.integers(0, count, count).astype(np.int32),
            box=box,
            periodic=periodic,
            time=0.1 * k,
            scenario=scenario,
        )
        for k in range(number)
    ]


def assert_same(wanted: FileFrame, found: FileFrame, parts: tuple[str, ...] = EVERYTHING) -> None:
    """Equal to the last bit."""
    for name in parts:
        expected, got = getattr(wanted, name), getattr(found, name)
        assert got.dtype == expected.dtype, name
        assert got.tobytes() == expected.tobytes(), name
    assert found.periodic == wanted.periodic
    assert found.time == wanted.time


def dump_text(
    columns: str, *rows: str, bounds: str = "0 10\n0 8\n-0.5 0.5", about: str = " pp pp pp", step: int = 0
) -> str:
    """A LAMMPS dump of one frame."""
    body = "".join(f"{row}\n" for row in rows)
    return (
        f"ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF ATOMS\n{len(rows)}\nITEM: BOX BOUNDS{about}\n{bounds}\n"
        f"ITEM: ATOMS {columns}\n{body}"
    )


def data_text(atoms: str, rest: str = "", bounds: str = "-1 9 xlo xhi\n-2 6 ylo yhi\n-0.5 0.5 zlo zhi") -> str:
    """A LAMMPS data file of two atoms."""
    return f"made by hand\n\n2 atoms\n2 atom types\n{bounds}\n\n{rest}Atoms{atoms}"


def put(folder: Path, name: str, text: str | bytes) -> Path:
    """A file with that text."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """The system refuses to make a file longer, as a full disk does."""
    import resource  # which Windows does not have

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def some_packings(number: int, *, whole: bool = False) -> list[FileFrame]:
    """Discs that touch in a square lattice of which some are missing, with contacts between them and with a wall. Not
    all of them carry a force, and their number differs from frame to frame, but where the packings are `whole`."""
    side, radius = 6, 0.5
    rng = np.random.default_rng(8)
    found = []
    for k in range(number):
        row, column = np.divmod(np.arange(side * side - 4), side)
        shift = 1e-3 * rng.random(2)
        pairs = [
            (first, second)
            for first in range(len(row))
            for second in range(first + 1, len(row))
            if (row[first] == row[second] and (column[second] - column[first]) % side in (1, side - 1))
            or (column[first] == column[second] and row[second] - row[first] in (1, -1))
        ][: None if whole else 40 + 3 * k]
        walls = [(disc, -1) for disc in range(2 + k)]
        ways = []
        for first, second in pairs:
            way = np.array([column[second] - column[first], row[second] - row[first]], float)
            ways.append(way - side * np.rint(way / side))
        ways += [np.array([0.0, -1.0])] * len(walls)
        held = len(pairs) + len(walls)
        net = Network(
            np.array(pairs + walls, np.int32), rng.uniform(0.1, 2.0, held), np.array(ways), rng.random(len(row)) < 0.1
        )
        places = (np.column_stack([column, row]) + radius + shift).astype(float)
        box = np.array([side * 1.0, side * 1.0 + 1.0])
        radii = np.full(len(row), radius)
        found.append(
            FileFrame(places, np.zeros_like(places), radii, radii**2 * 31.0, None, box, True, float(k), "", net)
        )
    return found
