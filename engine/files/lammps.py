"""LAMMPS files: dumps hold trajectories, data files hold one state. The first line tells them apart.

Of dumps, text in which each frame is under lines that begin with ``ITEM:``, these are read:

- the columns ``x y z``, ``xu yu zu``, ``xs ys zs`` or ``xsu ysu zsu`` (the last two scaled by the box), and those of
  `engine.files.quantities` such as ``vx vy vz``, ``radius`` or ``diameter``, and ``cluster``, else ``mol`` (where 0
  means none), sorted by ``id``; names may be in capitals and have the prefix of a compute, a fix, a variable or a
  property, as in ``c_cluster``, ``d_radius``;
- the box, if it is a rectangle or tilted along x alone: as bounds, as bounds with tilts, or as three vectors and their
  origin; ``pp`` means periodic, everything else walls;
- the time under ``ITEM: TIME``, if there is one.

All of these except ``mol`` are written, the time only on request: MDAnalysis cannot read a dump with times. Discs of
one radius have one type, from 1 for the smallest. Packings between walls have ``wall_fx wall_fy``, of
spheres ``wall_fz`` too (`wall_forces`).

Data files are those of the commands ``read_data`` and ``write_data``. Of them the numbers of atoms and types, the box
(bounds and tilts, or three vectors and their origin, as of dumps) and the sections Atoms, Velocities (of
spheres with their angular velocities) and Masses are read. All other sections are ignored. The columns of Atoms depend
on the atom style, which a comment after the name of the section gives (``Atoms # sphere``). Without it, lines of 5 or 8
words are read as style ``atomic``. A data file does not say whether the box is periodic. Molecule 0 means none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.files.checks import (
    Location,
    Rectangle,
    box_of_sides,
    check_count,
    other_shapes,
    plain,
    rectangle,
    tilt_of,
)
from engine.files.columns import FrameColumns, columns_of, find_dimensions, in_space
from engine.files.contacts import dump_head, wall_columns, wall_forces, write_bonds_beside
from engine.files.formats import Format
from engine.files.frame import FileFrame
from engine.files.quantities import QUANTITIES, SELECTED, fields_last, vectors_first
from engine.files.text import LineScanner, lines_from, numbers_in, open_text, read_table, whole_number, write_table
from engine.files.trajectory import SingleState, TextTrajectory

_TILTS = ("xy", "xz", "yz")


def in_order(where: Location, table: dict[str, Floats]) -> dict[str, Floats]:
    """Sort the rows by the column ``id``, whose order LAMMPS changes from frame to frame; no change without one.

    Raises InputError if an id occurs twice.
    """
    ids = table.get("id")
    if ids is None or (ids[1:] > ids[:-1]).all():
        return table
    order = np.argsort(ids, kind="stable")
    sorted_ids = ids[order]
    same = np.flatnonzero(sorted_ids[1:] == sorted_ids[:-1])
    if len(same):
        raise where.error(f"id {sorted_ids[same[0]]:.0f} appears twice")
    return {name: values[order] for name, values in table.items()}


def is_dump(path: Path) -> bool:
    """Whether a LAMMPS file is a dump: it begins with ``ITEM:``. Else it is a data file."""
    with open_text(path) as file:
        return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"ITEM:")


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
_CELL_VECTORS = {"avec": 0, "bvec": 1, "cvec": 2}
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
        self._tilt = 0.0
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
        columns = atoms | self._velocities(count, atoms) | self._masses(atoms)
        if "diameter" in columns and not columns["diameter"].all():  # LAMMPS' diameter 0 means a point
            del columns["diameter"]
        return FrameColumns(columns, box.sides, box.corner, tilt=box.tilt)

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
        return Rectangle(high - low, low, tilt=self._tilt)

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
            self._tilt += self._tilts(where, names)
        elif kind in self._counts:
            count = whole_number(words[0])
            if count is None:
                raise where.error(f"{kind} needs a whole number before it")
            self._counts[kind] = check_count(where, count)
        elif len(words) == 4 and names[3] in _CELL_VECTORS:
            self._cell[_CELL_VECTORS[names[3]]] = self._numbers(where, names, 3)
        elif names[3:] == ["abc", "origin"]:
            self._cell[3] = self._numbers(where, names, 3)
        elif len(words) == 4 and names[2:] in (["xlo", "xhi"], ["ylo", "yhi"], ["zlo", "zhi"]):
            low, high = self._numbers(where, names, 2)
            self._bounds[names[2][0]] = (low, high)

    def _tilts(self, where: Location, words: list[str]) -> float:
        """The tilt along x; others are refused. The numbers come before their names, as in ``0 0 0 xy xz yz`` or
        ``0 xy``."""
        names = [word for word in words if word in _TILTS]
        tilts = numbers_in(word for word in words if word not in _TILTS)
        if len(tilts) != len(names):
            raise where.error(f"{' '.join(names)} need the same number of values before them")
        return tilt_of(where, dict(zip(names, tilts, strict=True)))

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
        more = section == "Atoms" or (section == "Velocities" and "omegax" not in columns)
        table = read_table(
            self._where,
            lambda: ((line, text.partition("#")[0]) for line, text in rows()),
            count,
            columns,
            (width, width + 3) if more else (width,),
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

    def _velocities(self, count: int, atoms: dict[str, Floats]) -> dict[str, Floats]:
        """The columns ``vx``, ``vy`` and ``vz``, of spheres that turn ``omegax`` … too; none for a file without
        velocities."""
        if "Velocities" not in self._tables:
            return {}
        columns = {"id": 0, "vx": 1, "vy": 2, "vz": 3}
        first = next(islice(self._rows("Velocities")(), 1), (0, ""))[1]
        if "diameter" in atoms and len(first.partition("#")[0].split()) == 7:  # of points they are other quantities
            columns |= {"omegax": 4, "omegay": 5, "omegaz": 6}
        table = self._table("Velocities", count, columns)
        if (table["id"] != atoms["id"]).any():
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


_PLACES = (("x", "y", "z"), ("xu", "yu", "zu"), ("xs", "ys", "zs"), ("xsu", "ysu", "zsu"))
_HELD = [one for one in QUANTITIES if one.part not in ("", SELECTED)]
_OF_DISCS = tuple(column for one in _HELD if one.part not in ("positions", "velocities") for column in one.columns)
_OTHERS = ("id", "vx", "vy", "vz", *_OF_DISCS)
_WALL_FORCES = ("wall_fx", "wall_fy", "wall_fz")
_WRITTEN = (*(column for one in fields_last(vectors_first(_HELD)) for column in one.columns), *_WALL_FORCES)
_COMPUTED = re.compile("[cfvdi]_")  # prefix of a compute, a fix, a variable or a custom property
_VECTORS = ("abc", "origin")
_MAX_ITEMS = 16
_MOST_TYPES = 16  # radii that are types; more are a continuous distribution, for which the column radius is enough
_SAME_RADIUS = 1e-9  # relative difference of two radii that are one type


def _item(line: str) -> str:
    """The text after ``ITEM:`` in a line; "" for a line without it."""
    return line[5:].strip() if line.startswith("ITEM:") else ""


class DumpTrajectory(TextTrajectory):
    """An open LAMMPS dump file, as a trajectory."""

    def _scan_frame(self, head: str, lines: LineScanner) -> tuple[int, float | None] | None:
        count = None
        time = None
        for _ in range(_MAX_ITEMS):
            if not head.startswith("ITEM:"):
                if lines.open_ended and "ITEM:".startswith(head):  # the file ends within the word
                    return None
                raise self.where.line(lines.line).error('"ITEM: …" is missing')
            item = _item(head)
            if item.startswith("ATOMS"):
                if count is None:
                    raise self.where.line(lines.line).error("ITEM: NUMBER OF ATOMS must come before it")
                if not self._places and (shapes := other_shapes(item.split())):
                    self._tell(shapes)
                return (count, time) if lines.skip(count) else None
            if item.startswith("BOX BOUNDS"):
                value: str | None = "" if lines.skip(3) else None
            else:
                value = lines.read()
            if value is None:
                return None
            if item == "NUMBER OF ATOMS":
                count = self._count(lines.line, value)
            elif item == "TIME":
                time = self._time(lines.line, value)
            following = lines.read()
            if following is None:
                return None
            head = following
        raise self.where.line(lines.line).error("a frame has no ITEM: ATOMS")

    def _count(self, line: int, value: str) -> int:
        count = whole_number(value.strip())
        if count is None:
            raise self.where.line(line).error(f'the number of atoms must be a whole number, not "{plain(value)}"')
        return count

    def _time(self, line: int, value: str) -> float:
        try:
            return float(value)
        except ValueError:
            raise self.where.line(line).error(f'the time must be a number, not "{plain(value)}"') from None

    def _read_columns(self, number: int, lines: Iterator[tuple[int, str]], wanted: Collection[str]) -> FrameColumns:
        where = self.where.frame(number)
        box: Rectangle | None = None
        periodic: list[bool | None] = [None, None, None]
        for at, line in lines:
            item = _item(line)
            if item.startswith("BOX BOUNDS"):
                words = item[10:].lower().split()
                box = self._bounds(self.where.line(at), words, [next(lines)[1] for _ in range(3)])
                sides = [word == "pp" for word in words if word not in (*_TILTS, *_VECTORS)]
                periodic = box.along_axes(sides if len(sides) > 1 else [])
            elif item.startswith("ATOMS"):
                break
        names = item[5:].split()
        start = self._file.tell()
        columns = self._columns(self.where.line(at), names)
        axes = next(place for place in _PLACES if place[0] in columns)
        if wanted:
            columns = {name: place for name, place in columns.items() if name in wanted or name in axes}
        table = read_table(
            self.where, lambda: lines_from(self.where, self._file, start, at + 1), self.count, columns, (len(names),)
        )
        return self._placed(number, where, box, periodic, axes, in_order(where, table))

    def _bounds(self, where: Location, words: list[str], rows: list[str]) -> Rectangle:
        """The box.

        The words after BOX BOUNDS give the meaning of the three rows. A third number in a row of bounds is a tilt, even
        if these words do not name it.
        """
        if any(word in _VECTORS for word in words):  # a vector in each row, and one number of the origin
            meaning = "three numbers of a vector and one of the origin"
            found = np.array([self._numbers(where, row, (4,), meaning) for row in rows])
            return rectangle(where, found[:, :3], found[:, 3])
        bounds, tilted = [], 0.0
        for tilt, row in zip(_TILTS, rows, strict=True):
            announced = tilt in words
            meaning = "two bounds and a tilt" if announced else "two numbers"
            start, end, *third = self._numbers(where, row, (3,) if announced else (2, 3), meaning)
            if third:
                tilted += tilt_of(where, {tilt: third[0]})
            bounds.append((start, end))
        low, high = np.array(bounds).T
        low[0] -= min(0.0, tilted)  # the bounds are those of all corners
        high[0] -= max(0.0, tilted)
        box_of_sides(where, (high - low)[:2].tolist())
        return Rectangle(high - low, low, tilt=tilted)

    def _numbers(self, where: Location, row: str, counts: tuple[int, ...], meaning: str) -> list[float]:
        """The numbers of a row. Their number must be in `counts`; `meaning` describes them in the error message."""
        found = numbers_in(row.split())
        if len(found) not in counts:
            raise where.error(f"the bounds of the box must be {meaning} in each line")
        return found

    def _columns(self, where: Location, names: list[str]) -> dict[str, int]:
        """The position of each column that is used, by its name in lower case, without the prefix of a compute."""
        if len(set(names)) < len(names):
            raise where.error("a column appears twice")
        found = {name.lower(): place for place, name in enumerate(names)}
        for name, at in list(found.items()):
            bare = _COMPUTED.sub("", name, count=1)
            if bare in _OF_DISCS:
                found.setdefault(bare, at)
        for place in _PLACES:
            if place[0] in found and place[1] in found:
                return {name: found[name] for name in (*place, *_OTHERS) if name in found}
        raise where.error("there are no columns x y, xu yu or xs ys")

    def _placed(
        self,
        number: int,
        where: Location,
        box: Rectangle | None,
        periodic: list[bool | None],
        axes: tuple[str, ...],
        table: dict[str, Floats],
    ) -> FrameColumns:
        """The columns of a frame, with its positions in x, y and z. axes : the names of the columns with positions."""
        sides, low = (None, np.zeros(3)) if box is None else (box.sides, box.corner)
        corner, plane, order = low, 0.0, (0, 1, 2)
        scaled = axes[0].startswith("xs")  # along the sides of the box as the file has them, from its corner
        if scaled:
            if box is None:
                raise where.error("scaled positions need ITEM: BOX BOUNDS")
            if box.mirrored:
                raise where.error("scaled positions in a mirrored box cannot be read")
            corner, plane, order = np.zeros(3), -float(low[2]), box.order
        places = {}
        for axis, side in enumerate(order):
            if axes[side] in table:
                along = table[axes[side]]
                places["xyz"[axis]] = along * sides[axis] if scaled and sides is not None else along
            elif axis < 2:
                raise where.error(f"there is no {axes[side]}, which lies along {'xyz'[axis]}")
        if scaled and box is not None and box.tilt:
            places["x"] = places["x"] + box.tilt * table[axes[order[1]]]
        # LAMMPS' planes are at z = 0 within the box: a periodic box that ends there is one in space
        ends = sides is not None and sides[2] > 0.0 and not low[2] < 0.0 < low[2] + sides[2]
        told = 3 if ends and (periodic[0] or periodic[1]) and periodic[2] else 0
        time = self._found_times[number]
        tilt = 0.0 if box is None else box.tilt
        return FrameColumns(table | places, sides, corner, periodic, time, told, plane, tilt)


def write_dump(path: Path, frames: Sequence[FileFrame], times: bool = False) -> None:
    """Write frames that have a box as a LAMMPS dump, with all digits of each number.

    With `times`, each frame that has a time begins with ``ITEM: TIME``.
    """
    walls = wall_columns(frames)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for step, frame in enumerate(frames):
            count = len(frame.positions)
            found = in_space(columns_of(frame))
            if walls:
                found |= dict(zip(_WALL_FORCES, wall_forces(frame).T, strict=False))  # z in space only
            names = [name for name in _WRITTEN if name in found]
            if times and frame.time is not None:
                file.write(f"ITEM: TIME\n{float(frame.time)!r}\n")
            file.write(f"{dump_head(step, 'ATOMS', count, frame)}ITEM: ATOMS id type {' '.join(names)}\n")
            write_table(file, [np.arange(1, count + 1), _types(frame.radii), *(found[name] for name in names)], " ")


def _types(radii: Floats | None) -> NDArray[np.int64] | str:
    """The type of each disc, (N,), from 1 for the smallest radius; 1 for all if there are more than `_MOST_TYPES`."""
    if radii is None:
        return "1"
    order = np.argsort(radii, kind="stable")
    larger = np.diff(radii[order]) > _SAME_RADIUS * radii[order][:-1]
    if np.count_nonzero(larger) >= _MOST_TYPES:
        return "1"
    types = np.empty(len(radii), np.int64)
    types[order] = np.append(0, np.cumsum(larger))[: len(radii)] + 1
    return types


_SUFFIXES = (".dump", ".lammpstrj", ".lammps", ".data", ".lmp")

DUMP = Format(
    name="LAMMPS dump",
    label="LAMMPS dump",
    suffixes=_SUFFIXES,
    reads=DumpTrajectory,
    recognizes=is_dump,
    writes=write_dump,
    written_as=_SUFFIXES[:2],
    needs=("box",),
    beside=write_bonds_beside,
)
DATA = Format(name="LAMMPS data", label="LAMMPS data", suffixes=_SUFFIXES, reads=DataState, one_frame=True)
