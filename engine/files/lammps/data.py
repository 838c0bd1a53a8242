"""Reading LAMMPS data files, the files of its commands ``read_data`` and ``write_data``: one state.

It reads the numbers of atoms and types, the box (bounds and tilts, or three vectors and their origin, if it is a
rectangle) and the sections Atoms, Velocities and Masses. All other sections are ignored. The columns of Atoms depend on
the atom style, which a comment after the name of the section gives (``Atoms # sphere``). Without it, lines of 5 or 8
words are read as style ``atomic``. A data file does not say whether the box is periodic. Molecule 0 means none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np

from engine.arrays import Floats
from engine.files.checks import Location, Rectangle, box_of_sides, check_count, plain, rectangle, untilted
from engine.files.columns import FrameColumns, find_dimensions
from engine.files.lammps.common import in_order
from engine.files.text import LineScanner, lines_from, numbers_in, open_text, read_table, whole_number
from engine.files.trajectory import SingleState

_STYLES = {
    "atomic": "id type x y z",
    "charge": "id type q x y z",
    "bond": "id mol type x y z",
    "angle": "id mol type x y z",
    "molecular": "id mol type x y z",
    "full": "id mol type q x y z",
    "sphere": "id type diameter density x y z",
    "disc": "id type diameter density x y z",
    "bpm/sphere": "id mol type diameter density x y z",
}
_SECTIONS = {
    *("Atoms", "Velocities", "Masses", "Ellipsoids", "Lines", "Triangles", "Bodies", "Bonds", "Angles", "Dihedrals"),
    *("Impropers", "Pair Coeffs", "PairIJ Coeffs", "Bond Coeffs", "Angle Coeffs", "Dihedral Coeffs"),
    *("Improper Coeffs", "BondBond Coeffs", "BondAngle Coeffs", "MiddleBondTorsion Coeffs"),
    *("EndBondTorsion Coeffs", "AngleTorsion Coeffs", "AngleAngleTorsion Coeffs", "BondBond13 Coeffs"),
    *("AngleAngle Coeffs", "Atom Type Labels", "Bond Type Labels", "Angle Type Labels"),
    *("Dihedral Type Labels", "Improper Type Labels"),
}
_TILTS = ("xy", "xz", "yz")
_VECTORS = {"avec": 0, "bvec": 1, "cvec": 2}
_MAX_HEADER = 200  # lines


class DataState(SingleState):
    """A LAMMPS data file, which is read when it is opened."""

    def __init__(self, path: Path) -> None:
        with open_text(path) as file:
            self._columns = _DataFile(path, file).columns()
        super().__init__(path, self._columns.frame(Location(path), self._columns.known_dimensions or 2))

    def settle(self, asked: int = 0) -> None:
        """As `Trajectory.settle`, by `engine.files.columns.find_dimensions`."""
        super().settle(asked)
        self.dimensions = find_dimensions([self._columns], asked, self._tell)
        self._frame = self._columns.frame(self.where, self.dimensions)


class _DataFile:
    """Reads a data file once; what has been found so far is kept in its attributes."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._where = Location(path)
        self._file = file
        self._counts = {"atoms": 0, "atom types": 0}
        self._bounds: dict[str, tuple[float, float]] = {}
        self._cell: dict[int, list[float]] = {}  # the vectors of the box (0, 1, 2) and their origin (3)
        self._tables: dict[str, tuple[int, int, str]] = {}  # by section: byte and line of its first row, comment

    def columns(self) -> FrameColumns:
        """Read the state. Raises InputError if there is none that can be used."""
        self._scan(LineScanner(self._where, self._file))
        count = check_count(self._where, self._counts["atoms"])
        if "Atoms" not in self._tables:
            raise self._where.fault("has no section Atoms")
        box = self._box()
        atoms = self._table("Atoms", count, self._atom_columns())
        columns = atoms | self._velocities(count, atoms["id"]) | self._masses(atoms)
        if "diameter" in columns and not columns["diameter"].all():  # LAMMPS' diameter 0 means a point
            del columns["diameter"]
        return FrameColumns(columns, box.sides, box.corner)

    def _box(self) -> Rectangle:
        """The box. Without bounds along z it is as thick as in LAMMPS."""
        if self._cell:
            if len(self._cell) < 4:
                raise self._where.fault("does not give its box: avec, bvec, cvec and abc origin are needed together")
            return rectangle(self._where, np.array([self._cell[k] for k in range(3)]), np.array(self._cell[3]))
        if "x" not in self._bounds or "y" not in self._bounds:
            raise self._where.fault('does not give its box: lines such as "0 50 xlo xhi" are missing')
        low, high = np.array([self._bounds.get(axis, (-0.5, 0.5)) for axis in "xyz"]).T
        box_of_sides(self._where, (high - low)[:2].tolist())
        return Rectangle(high - low, low)

    def _scan(self, lines: LineScanner) -> None:
        """Read the header, and find where the sections begin."""
        lines.read()  # the first line is a title
        while (line := lines.read()) is not None:
            text, _, hint = line.partition("#")
            name = " ".join(text.split())
            if name in _SECTIONS:
                lines.read()  # an empty line follows the name
                self._tables.setdefault(name, (lines.place, lines.line + 1, hint.strip()))
                if name in ("Atoms", "Velocities"):
                    lines.skip(self._counts["atoms"])
            elif name and not self._tables:
                self._header(self._where.line(lines.line), name.split())
            if not self._tables and lines.line > _MAX_HEADER:
                raise self._where.fault("is not a LAMMPS data file: no section begins")

    def _header(self, where: Location, words: list[str]) -> None:
        """Read a header line; keywords may be in capitals."""
        names = [word.lower() for word in words]
        kind = " ".join(names[1:])
        if any(tilt in names for tilt in _TILTS):
            self._check_tilts(where, names)
        elif kind in self._counts:
            count = whole_number(words[0])
            if count is None:
                raise where.error(f"{kind} needs a whole number before it")
            self._counts[kind] = check_count(where, count)
        elif len(words) == 4 and names[3] in _VECTORS:
            self._cell[_VECTORS[names[3]]] = self._numbers(where, names, 3)
        elif names[3:] == ["abc", "origin"]:
            self._cell[3] = self._numbers(where, names, 3)
        elif len(words) == 4 and names[2:] in (["xlo", "xhi"], ["ylo", "yhi"], ["zlo", "zhi"]):
            low, high = self._numbers(where, names, 2)
            self._bounds[names[2][0]] = (low, high)

    def _check_tilts(self, where: Location, words: list[str]) -> None:
        """Refuse a tilt other than 0. The numbers come before their names, as in ``0 0 0 xy xz yz`` or ``0 xy``."""
        names = [word for word in words if word in _TILTS]
        tilts = numbers_in(word for word in words if word not in _TILTS)
        if len(tilts) != len(names):
            raise where.error(f"{' '.join(names)} need the same number of values before them")
        untilted(where, dict(zip(names, tilts, strict=True)))

    def _numbers(self, where: Location, words: list[str], count: int) -> list[float]:
        """The numbers at the beginning of a header line, before the words that say what they are."""
        numbers = numbers_in(words[:count])
        if not numbers:
            needed = {2: "two", 3: "three"}[count]
            raise where.error(f"{' '.join(words[count:])} need {needed} numbers before them")
        return numbers

    def _rows(self, section: str) -> Callable[[], Iterator[tuple[int, str]]]:
        place, line, _ = self._tables[section]
        return lambda: lines_from(self._where, self._file, place, line)

    def _table(self, section: str, count: int, columns: dict[str, int]) -> dict[str, Floats]:
        """Read columns of a section, sorted by the column ``id``. Atoms may have three more, how often they crossed the
        box, and Velocities too, those of rotation."""
        rows, width = self._rows(section), 1 + max(columns.values())
        table = read_table(
            self._where,
            lambda: ((line, text.partition("#")[0]) for line, text in rows()),
            count,
            columns,
            (width, width + 3) if section in ("Atoms", "Velocities") else (width,),
        )
        return in_order(Location(self._where.path, section), table)

    def _atom_columns(self) -> dict[str, int]:
        hint = self._tables["Atoms"][2]
        style = hint.split()[0] if hint else ""
        if not style:
            first = next(islice(self._rows("Atoms")(), 1), (0, ""))[1]
            if len(first.partition("#")[0].split()) not in (5, 8):
                raise self._where.fault('does not give the style of its atoms; write it as in "Atoms # sphere"')
            style = "atomic"
        if style not in _STYLES:
            raise self._where.error(f'atoms of style "{plain(style)}" cannot be read; known are {", ".join(_STYLES)}')
        names = _STYLES[style].split()
        return {name: names.index(name) for name in names if name != "q"}

    def _velocities(self, count: int, ids: Floats) -> dict[str, Floats]:
        """The columns ``vx``, ``vy`` and ``vz``; none for a file without velocities."""
        if "Velocities" not in self._tables:
            return {}
        table = self._table("Velocities", count, {"id": 0, "vx": 1, "vy": 2, "vz": 3})
        if (table["id"] != ids).any():
            raise self._where.error("the ids of Velocities are not those of Atoms")
        del table["id"]
        return table

    def _masses(self, atoms: dict[str, Floats]) -> dict[str, Floats]:
        """The column ``mass``: by type, else from density and diameter. The density of a point is its mass."""
        if "Masses" in self._tables:
            count = self._counts["atom types"]
            table = self._table("Masses", check_count(self._where, count), {"id": 0, "mass": 1})
            place = np.searchsorted(table["id"], atoms["type"])
            if (place >= count).any() or (table["id"][place] != atoms["type"]).any():
                raise self._where.error("an atom has a type that Masses does not name")
            return {"mass": table["mass"][place]}
        if "density" in atoms:
            volume = np.pi / 6.0 * atoms["diameter"] ** 3
            return {"mass": np.where(atoms["diameter"] > 0.0, volume, 1.0) * atoms["density"]}
        return {}
