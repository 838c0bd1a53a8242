"""XYZ and extended XYZ: trajectories as text, one frame after the other.

Each frame is a line with the number of discs, a comment line and one line per disc. In extended XYZ the comment line
has entries such as ``Lattice="L_x 0 0 0 L_y 0 0 0 L_z"``, ``Origin="x y z"``, ``pbc="T T F"``, ``Time=0.5``,
``dimensions=3`` and ``Properties=species:S:1:pos:R:3:…``, which lists the columns. Those that are read, with the names
that other programs give them, are in `engine.files.quantities`. Momenta are divided by the masses of the file, or else
of the chemical elements: IUPAC 2016, the values that ASE uses; an element without a standard mass has that of one of
its long-lived isotopes.

Plain XYZ has a name, x, y and z for each disc, and neither box nor radii.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.files.checks import Location, Rectangle, other_shapes, plain, rectangle
from engine.files.columns import FrameColumns, columns_of, in_space, quantity_named
from engine.files.contacts import have_bonds, wall_columns, wall_forces, write_bonds_beside
from engine.files.formats import Format
from engine.files.frame import FileFrame
from engine.files.quantities import QUANTITIES, vectors_first
from engine.files.text import LineScanner, lines_from, numbers_in, read_table, whole_number, write_table
from engine.files.trajectory import TextTrajectory

_PAIR = re.compile(r"""([A-Za-z_][\w-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|\{([^}]*)\}|\[([^\]]*)\]|(\S+))""")

_TIME = re.compile(r"""(?:^|\s)time\s*=\s*["']?([^\s"']{1,40})""", re.IGNORECASE)

_MAX_COLUMNS = 256

_ELEMENT = "element"  # our name for the column with the symbol or the number of a chemical element

_ELEMENT_MASSES = (
    "the file has momenta but no masses; velocities are computed with the masses of the elements, or 1 for other names"
)

_PLAIN = {"x": 1, "y": 2, "z": 3}


class XyzTrajectory(TextTrajectory):
    """An open XYZ or extended XYZ file, as a trajectory."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            self._look_at_columns()
        except BaseException:
            self.close()
            raise

    def _look_at_columns(self) -> None:
        """Add notices if the file has momenta but no masses, or shapes other than discs."""
        lines = lines_from(self.where, self._file, self._places[0], self._lines[0])
        next(lines)
        at, comment = next(lines)
        about = _about(comment)
        if "properties" in about:
            columns, _ = self._columns(self.where.line(at), about["properties"])
            if "px" in columns and "mass" not in columns:
                self._tell(_ELEMENT_MASSES)
            if shapes := other_shapes(about["properties"].split(":")[::3]):
                self._tell(shapes)

    def _scan_frame(self, head: str, lines: LineScanner) -> tuple[int, float | None] | None:
        count = whole_number(head.strip())
        if count is None:
            raise self.where.line(lines.line).error(
                f'a frame begins with the number of discs, not "{plain(head.strip())}"'
            )
        comment = lines.read()
        if comment is None or not lines.skip(count):
            return None
        found = _TIME.search(comment)
        try:
            return count, None if found is None else float(found.group(1))
        except ValueError:
            return count, None

    def _read_columns(self, number: int, lines: Iterator[tuple[int, str]], wanted: Collection[str]) -> FrameColumns:
        next(lines)
        at, comment = next(lines)
        start = self._file.tell()
        about = _about(comment)
        if "properties" in about:
            columns, width = self._columns(self.where.line(at), about["properties"])
        elif len(numbers_in(comment.split())) > 1:
            raise self.where.line(at).error(
                f'"{plain(comment.strip())}" is not understood: write a box as in Lattice="10 0 0 0 10 0 0 0 10", and '
                'name the columns as in "Properties=pos:R:3:radius:R:1"'
            )
        else:
            columns, width = self._plain(lines)
        element = columns.pop(_ELEMENT, None)
        if wanted:
            columns = {name: place for name, place in columns.items() if name in wanted}

        def rows() -> Iterator[tuple[int, str]]:
            return lines_from(self.where, self._file, start, at + 1)

        table = read_table(self.where, rows, self.count, columns, (width,))
        if "px" in table and "mass" not in table:
            table["mass"] = self._element_masses(rows, element)
        where = self.where.frame(number)
        box = self._box(where, about)
        return FrameColumns(
            table,
            None if box is None else box.sides,
            self._origin(where, about) if box is None else box.corner,
            self._periodic(where, about, box),
            self._found_times[number],
            self._dimensions(about, box),
            tilt=0.0 if box is None else box.tilt,
            strain=self._number(where, about, "strain"),
            shear_rate=self._number(where, about, "shear_rate"),
        )

    def _element_masses(self, rows: Callable[[], Iterator[tuple[int, str]]], element: int | None) -> Floats:
        """The masses (N,) of the chemical elements in the column `element`; 1 if there is no such column."""
        if element is None:
            return np.ones(self.count)
        masses = np.empty(self.count)
        for disc, (_, row) in enumerate(islice(rows(), self.count)):
            masses[disc] = element_mass(row.split(None, element + 1)[element])
        return masses

    def _plain(self, rows: Iterator[tuple[int, str]]) -> tuple[dict[str, int], int]:
        """The columns of plain XYZ and their number, from its rows: a name, x, y and, in rows of four words, z.

        The name may be a whole number, such as that of an element, if x, y and z follow. Raises InputError for rows of
        other numbers and for those of five words and more, since nothing says what their columns mean.
        """
        width = 0
        for line, row in islice(rows, self.count):
            words = row.split()
            width = width or (3 if len(words) == 3 else 4)
            number = bool(words) and bool(numbers_in(words[:1]))
            unclear = number and (width == 3 or not words[0].lstrip("+-").isdecimal())
            if len(words) > width or (len(words) == width and unclear):
                raise self.where.line(line).error(
                    f'"{plain(row.strip())}" is not understood: without Properties in the line above the rows, each is '
                    'a name, x, y and z; name other columns there, as in "Properties=pos:R:3:radius:R:1"'
                )
            if not number:  # the others have names, too
                break
        return {name: _PLAIN[name] for name in "xyz"[: width - 1]}, width

    def _columns(self, where: Location, text: str) -> tuple[dict[str, int], int]:
        """The place in a line of each number that is read, and of the element; then the number of words in a line."""
        parts = text.split(":")
        columns: dict[str, int] = {}
        at = 0
        for name, kind, count in zip(parts[::3], parts[1::3], parts[2::3], strict=False):
            size = whole_number(count)
            if size is None or kind not in ("S", "I", "R", "L") or not 0 < size <= _MAX_COLUMNS - at:
                raise where.error(f'"{plain(":".join((name, kind, count)))}" is not a column of Properties')
            quantity = quantity_named(name)
            names = quantity.columns if quantity is not None else ()
            if size <= len(names) and kind in "IR" and names[0] not in columns:
                columns.update({part: at + number for number, part in enumerate(names[:size])})
            elif name.lower() in ("species", "z") and size == 1:
                columns.setdefault(_ELEMENT, at)
            at += size
        if len(parts) % 3 or "y" not in columns:
            raise where.error("Properties must have pos:R:3")
        for one, other in (("vx", "vy"), ("px", "py")):
            if other not in columns:
                columns.pop(one, None)
        if "vx" in columns:  # our own files have both, and the momenta are only for ASE
            columns = {name: place for name, place in columns.items() if name not in ("px", "py", "pz")}
        return columns, at

    def _numbers(self, where: Location, about: dict[str, str], name: str, count: int) -> Floats:
        values = numbers_in(about[name].replace(",", " ").split())
        if len(values) != count:
            raise where.error(f"{name.capitalize()} must be {count} numbers")
        return np.array(values)

    def _number(self, where: Location, about: dict[str, str], name: str) -> float:
        """A number that only our own files have, 0 in others."""
        return float(self._numbers(where, about, name, 1)[0]) if name in about else 0.0

    def _origin(self, where: Location, about: dict[str, str]) -> Floats:
        return self._numbers(where, about, "origin", 3) if "origin" in about else np.zeros(3)

    def _box(self, where: Location, about: dict[str, str]) -> Rectangle | None:
        """The box, None without a lattice. Raises InputError for a lattice that is neither a rectangle nor tilted along
        x alone."""
        if "lattice" not in about:
            return None
        cell = self._numbers(where, about, "lattice", 9).reshape(3, 3)
        return rectangle(where, cell, self._origin(where, about)) if cell[:, :2].any() else None

    def _dimensions(self, about: dict[str, str], box: Rectangle | None) -> int:
        """2 or 3 where ``dimensions`` says it, 3 where ``pbc`` says that a box of some height is periodic along all
        sides; else 0."""
        told = {"2": 2, "3": 3}.get(about.get("dimensions", "").strip(), 0)
        everywhere = "pbc" in about and box is not None and box.sides[2] > 0.0 and self._flags(about) == [True] * 3
        return told or (3 if everywhere else 0)

    def _periodic(self, where: Location, about: dict[str, str], box: Rectangle | None) -> list[bool | None]:
        """Whether the box is periodic along x, y and z, as ``pbc`` says of the vectors of the lattice. Without ``pbc``
        a lattice is periodic by definition."""
        if "pbc" not in about:
            return [None if box is None else True] * 3
        found = self._flags(about)
        if len(found) < 2 or None in found:
            raise where.error('pbc must be like "T T F"')
        return [*found, None][:3] if box is None else box.along_axes(found)

    def _flags(self, about: dict[str, str]) -> list[bool | None]:
        """The words of ``pbc``, None for one that is not understood."""
        words = about["pbc"].replace(",", " ").upper().split()[:3]
        sides = {"T": True, "TRUE": True, "1": True, "F": False, "FALSE": False, "0": False}
        found = [sides.get(word) for word in words]
        return found * 3 if len(found) == 1 else found


def _about(comment: str) -> dict[str, str]:
    """The entries of a comment line, by their names in lower case."""
    return {m.group(1).lower(): next(g for g in m.groups()[1:] if g is not None) for m in _PAIR.finditer(comment)}


def write_xyz(path: Path, frames: Sequence[FileFrame], times: bool = False) -> None:
    """Write frames as extended XYZ, with all digits of each number.

    The times are always written, whatever `times` says.

    Velocities are written twice: exactly as ``velo``, and as ``momenta`` (with mass 1 for discs without masses), the
    column that ASE reads. Packings have a column with the number of each disc from 1, which the second file with their
    contacts refers to, and between walls ``wall_force``.
    """
    ids, walls = have_bonds(frames), wall_columns(frames)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for frame in frames:
            found = in_space(columns_of(frame))
            if frame.velocities is not None:
                masses = 1.0 if frame.masses is None else frame.masses
                found |= {f"p{axis}": masses * found[f"v{axis}"] for axis in "xyz"}
            properties = ["species:S:1"]
            columns: list[NDArray[Any] | str] = ["X"]
            for quantity in vectors_first(QUANTITIES):
                if quantity.columns[0] in found:
                    kind = "R" if found[quantity.columns[0]].dtype.kind == "f" else "I"
                    properties.append(f"{quantity.property}:{kind}:{len(quantity.columns)}")
                    columns += [found[name] for name in quantity.columns]
                if quantity.property == "cluster" and ids:
                    properties.append("id:I:1")
                    columns.append(np.arange(1, len(frame.positions) + 1))
            if walls:
                properties.append("wall_force:R:3")
                columns += [*wall_forces(frame).T, np.zeros(len(frame.positions))][:3]
            about = [f"Properties={':'.join(properties)}", f"dimensions={frame.dimensions}"]
            if frame.box is not None:
                width, height, depth = (*frame.box.tolist(), 1.0)[:3]
                tilt = frame.around.offset
                about.insert(0, f'Lattice="{width!r} 0.0 0.0 {tilt!r} {height!r} 0.0 0.0 0.0 {depth!r}"')
            if frame.strain or frame.shear_rate:
                about.append(f"strain={frame.strain!r} shear_rate={frame.shear_rate!r}")
            if frame.time is not None:
                about.append(f"Time={float(frame.time)!r}")
            if frame.periodic is not None or frame.box is not None:
                flags = ["T" if wraps else "F" for wraps in (*frame.around, False)[:3]]
                about.append(f'pbc="{" ".join(flags)}"')
            file.write(f"{len(frame.positions)}\n{' '.join(about)}\n")
            write_table(file, columns, " ")


# the chemical elements in the order of their atomic numbers
_TABLE = """
H 1.008, He 4.002602, Li 6.94, Be 9.0121831, B 10.81, C 12.011, N 14.007, O 15.999, F 18.998403163, Ne 20.1797,
Na 22.98976928, Mg 24.305, Al 26.9815385, Si 28.085, P 30.973761998, S 32.06, Cl 35.45, Ar 39.948, K 39.0983,
Ca 40.078, Sc 44.955908, Ti 47.867, V 50.9415, Cr 51.9961, Mn 54.938044, Fe 55.845, Co 58.933194, Ni 58.6934,
Cu 63.546, Zn 65.38, Ga 69.723, Ge 72.63, As 74.921595, Se 78.971, Br 79.904, Kr 83.798, Rb 85.4678, Sr 87.62,
Y 88.90584, Zr 91.224, Nb 92.90637, Mo 95.95, Tc 97.90721, Ru 101.07, Rh 102.9055, Pd 106.42, Ag 107.8682,
Cd 112.414, In 114.818, Sn 118.71, Sb 121.76, Te 127.6, I 126.90447, Xe 131.293, Cs 132.90545196, Ba 137.327,
La 138.90547, Ce 140.116, Pr 140.90766, Nd 144.242, Pm 144.91276, Sm 150.36, Eu 151.964, Gd 157.25, Tb 158.92535,
Dy 162.5, Ho 164.93033, Er 167.259, Tm 168.93422, Yb 173.054, Lu 174.9668, Hf 178.49, Ta 180.94788, W 183.84,
Re 186.207, Os 190.23, Ir 192.217, Pt 195.084, Au 196.966569, Hg 200.592, Tl 204.38, Pb 207.2, Bi 208.9804,
Po 208.98243, At 209.98715, Rn 222.01758, Fr 223.01974, Ra 226.02541, Ac 227.02775, Th 232.0377, Pa 231.03588,
U 238.02891, Np 237.04817, Pu 244.06421, Am 243.06138, Cm 247.07035, Bk 247.07031, Cf 251.07959, Es 252.083,
Fm 257.09511, Md 258.09843, No 259.101, Lr 262.11, Rf 267.122, Db 268.126, Sg 271.134, Bh 270.133, Hs 269.1338,
Mt 278.156, Ds 281.165, Rg 281.166, Cn 285.177, Nh 286.182, Fl 289.19, Mc 289.194, Lv 293.204, Ts 293.208,
Og 294.214
"""

_BY_SYMBOL = {symbol: float(mass) for symbol, mass in (pair.split() for pair in _TABLE.split(","))}

_BY_NUMBER = {str(number): mass for number, mass in enumerate(_BY_SYMBOL.values(), start=1)}


def element_mass(word: str) -> float:
    """The mass of an element, named by its symbol (in upper or lower case) or its number; 1 for any other word."""
    return _BY_NUMBER.get(word, _BY_SYMBOL.get(word.capitalize(), 1.0))


FORMAT = Format(
    name="XYZ",
    label="Extended XYZ",
    suffixes=(".xyz", ".extxyz"),
    reads=XyzTrajectory,
    writes=write_xyz,
    beside=write_bonds_beside,
)
