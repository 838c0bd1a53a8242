"""LAMMPS dump files: trajectories as text, each frame under lines that begin with ``ITEM:``.

Read are:

- the columns ``x y z``, ``xu yu zu``, ``xs ys zs`` or ``xsu ysu zsu`` (the last two scaled by the box), ``vx vy vz``,
  ``radius`` or ``diameter``, ``mass``, and ``cluster``, else ``mol`` (where 0 means none), sorted by ``id``; names may
  be in capitals and have the prefix of a compute, a fix, a variable or a property, as in ``c_cluster``, ``d_radius``;
- the box, if it is a rectangle: as bounds, as bounds with tilts of 0, or as three vectors and their origin; ``pp``
  means periodic, everything else walls;
- the time under ``ITEM: TIME``, if there is one.

All of these except ``mol`` are written, the time only on request: MDAnalysis cannot read a dump with times. Discs of
one radius have one type, from 1 for the smallest. Packings between walls have ``wall_fx wall_fy``, of
spheres ``wall_fz`` too (`wall_forces`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.files.checks import (
    Location,
    Rectangle,
    box_of_sides,
    other_shapes,
    plain,
    rectangle,
    same_along_both,
    untilted,
)
from engine.files.columns import FrameColumns, columns_of
from engine.files.frame import FileFrame
from engine.files.lammps.bonds import wall_columns, wall_forces
from engine.files.lammps.common import dump_head, in_order
from engine.files.text import LineScanner, lines_from, numbers_in, read_table, whole_number, write_table
from engine.files.trajectory import TextTrajectory

_PLACES = (("x", "y", "z"), ("xu", "yu", "zu"), ("xs", "ys", "zs"), ("xsu", "ysu", "zsu"))
_OF_DISCS = ("radius", "diameter", "mass", "cluster", "mol")
_OTHERS = ("id", "vx", "vy", "vz", *_OF_DISCS)
_WALL_FORCES = ("wall_fx", "wall_fy", "wall_fz")
_WRITTEN = ("x", "y", "z", "vx", "vy", "vz", "radius", "mass", "cluster", *_WALL_FORCES)  # after id and type
_COMPUTED = re.compile("[cfvdi]_")  # prefix of a compute, a fix, a variable or a custom property
_TILTS = ("xy", "xz", "yz")
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
                same_along_both(self.where.line(at), periodic[:2])
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
        bounds = []
        for tilt, row in zip(_TILTS, rows, strict=True):
            announced = tilt in words
            meaning = "two bounds and a tilt" if announced else "two numbers"
            start, end, *third = self._numbers(where, row, (3,) if announced else (2, 3), meaning)
            if third:
                untilted(where, {tilt: third[0]})
            bounds.append((start, end))
        low, high = np.array(bounds).T
        box_of_sides(where, (high - low)[:2].tolist())
        return Rectangle(high - low, low)

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
        # LAMMPS' planes are at z = 0 within the box: a periodic box that ends there is one in space
        ends = sides is not None and sides[2] > 0.0 and not low[2] < 0.0 < low[2] + sides[2]
        told = 3 if ends and periodic[0] and periodic[2] else 0
        time = self._found_times[number]
        return FrameColumns(table | places, sides, corner, periodic[0], periodic[2], time, told, plane)


def write_dump(path: Path, frames: Sequence[FileFrame], times: bool = False) -> None:
    """Write frames that have a box as a LAMMPS dump, with all digits of each number.

    With `times`, each frame that has a time begins with ``ITEM: TIME``.
    """
    walls = wall_columns(frames)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for step, frame in enumerate(frames):
            count = len(frame.positions)
            found = columns_of(frame)
            if walls:
                found |= dict(zip(_WALL_FORCES, wall_forces(frame).T, strict=False))  # z in space only
            found.setdefault("z", np.zeros(count))
            if "vx" in found:
                found.setdefault("vz", np.zeros(count))
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
