"""LAMMPS dump files: trajectories in text, each frame under ``ITEM:`` lines.

Read: ``x y``, ``xu yu``, ``xs ys`` or ``xsu ysu`` (scaled), ``vx vy``, ``radius`` or ``diameter``, ``mass``,
``cluster`` or ``c_cluster``, else ``mol`` (0 is no molecule); the discs in order of ``id``; the box, in which ``pp`` is
periodic and all else walls, as bounds, bounds with tilts or three vectors and their origin, where it is a rectangle;
the time under ``ITEM: TIME`` where it stands. Written: all of these but ``mol``, the time where it is asked for:
MDAnalysis takes no dump that has it, of LAMMPS' neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from engine.errors import InputError
from engine.files.checks import Array, box_of_sides, flat, frame_of_columns, rectangle
from engine.files.frame import FileFrame
from engine.files.lammps.common import dump_head, in_order
from engine.files.limits import plain
from engine.files.text import LineScanner, lines_from, read_table, whole_number, write_table
from engine.files.trajectory import TextTrajectory

_PLACES = (("x", "y", "z"), ("xu", "yu", "zu"), ("xs", "ys", "zs"), ("xsu", "ysu", "zsu"))
_OTHERS = ("id", "vx", "vy", "radius", "diameter", "mass", "cluster", "c_cluster", "mol")
_TILTS = ("xy", "xz", "yz")
_VECTORS = ("abc", "origin")
_MAX_ITEMS = 16


class DumpTrajectory(TextTrajectory):
    """An open LAMMPS dump file."""

    def _scan_frame(self, head: str, lines: LineScanner) -> tuple[int, float | None] | None:
        count = None
        time = None
        for _ in range(_MAX_ITEMS):
            if not head.startswith("ITEM:"):
                if lines.open_ended and "ITEM:".startswith(head):  # cut off within the word
                    return None
                raise InputError(f'{self.path}, line {lines.line}: "ITEM: …" is missing', str(self.path))
            item = head[5:].strip()
            if item.startswith("ATOMS"):
                if count is None:
                    raise InputError(
                        f"{self.path}, line {lines.line}: ITEM: NUMBER OF ATOMS must stand before it", str(self.path)
                    )
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
        raise InputError(f"{self.path}, line {lines.line}: a frame has no ITEM: ATOMS", str(self.path))

    def _count(self, line: int, value: str) -> int:
        count = whole_number(value.strip())
        if count is None:
            raise InputError(
                f'{self.path}, line {line}: the number of atoms must be a whole number, not "{plain(value)}"',
                str(self.path),
            )
        return count

    def _time(self, line: int, value: str) -> float:
        try:
            return float(value)
        except ValueError:
            raise InputError(
                f'{self.path}, line {line}: the time must be a number, not "{plain(value)}"', str(self.path)
            ) from None

    def _read_frame(self, number: int, lines: Iterator[tuple[int, str]]) -> FileFrame:
        where = f"{self.path}, frame {number}"
        bounds: tuple[Array, Array, bool] | None = None
        periodic = None
        for at, line in lines:
            if line.startswith("ITEM: BOX BOUNDS"):
                words = line[16:].split()
                periodic = self._boundary(f"{self.path}, line {at}", words)
                bounds = self._bounds(f"{self.path}, line {at}", words, [next(lines)[1] for _ in range(3)])
            elif line.startswith("ITEM: ATOMS"):
                break
        names = line[11:].split()
        start = self._file.tell()
        columns = self._columns(f"{self.path}, line {at}", names)
        table = read_table(
            self.path, lambda: lines_from(self.path, self._file, start, at + 1), self.count, columns, len(names)
        )
        return self._frame(number, where, bounds, periodic, in_order(self.path, where, table))

    def _boundary(self, where: str, words: list[str]) -> bool | None:
        """Whether x and y are periodic; the words behind BOX BOUNDS, such as ``pp pp ff`` or ``xy xz yz pp pp pp``."""
        words = [word for word in words if word not in (*_TILTS, *_VECTORS)]
        if len(words) < 2:
            return None
        sides = [word == "pp" for word in words[:2]]
        if sides[0] != sides[1]:
            raise InputError(f"{where}: a box that is periodic along one side only cannot be read", str(self.path))
        return sides[0]

    def _bounds(self, where: str, words: list[str], rows: list[str]) -> tuple[Array, Array, bool]:
        """Sides (2,), lower corner (2,) and whether the first two vectors of the box point along x and y; the words
        behind BOX BOUNDS say what the three rows hold."""
        if words[:2] == list(_VECTORS):  # a vector in each row, and one number of the origin
            found = self._numbers(where, rows, 4, "three numbers of a vector and one of the origin")
            box, low = rectangle(self.path, where, found[:, :3], found[:, 3])
            return box, low, bool(found[0, 0] > 0.0 and found[1, 1] > 0.0)
        if words[:3] == list(_TILTS):
            found = self._numbers(where, rows, 3, "two bounds and a tilt")
            cell = np.diag(found[:, 1] - found[:, 0])
            cell[1, 0], cell[2, 0], cell[2, 1] = found[:, 2]
            return *rectangle(self.path, where, cell, found[:, 0]), True
        found = self._numbers(where, rows[:2], 2, "two numbers")
        sides = found[:, 1] - found[:, 0]
        return box_of_sides(self.path, where, (float(sides[0]), float(sides[1]))), found[:, 0], True

    def _numbers(self, where: str, rows: list[str], count: int, meaning: str) -> Array:
        """Numbers in front of each row, (rows, count)."""
        try:
            found = np.array([[float(word) for word in row.split()[:count]] for row in rows])
        except ValueError:
            found = np.zeros(0)
        if found.shape != (len(rows), count) or not np.isfinite(found).all():
            raise InputError(f"{where}: the bounds of the box must be {meaning} in each line", str(self.path))
        return found

    def _columns(self, where: str, names: list[str]) -> dict[str, int]:
        """Place of each column that is used, by its name; those of the positions are named as they are."""
        if len(set(names)) < len(names):
            raise InputError(f"{where}: a column stands twice", str(self.path))
        for place in _PLACES:
            if place[0] in names and place[1] in names:
                return {name: names.index(name) for name in (*place, *_OTHERS) if name in names}
        raise InputError(f"{where}: there are no columns x y, xu yu or xs ys", str(self.path))

    def _frame(
        self,
        number: int,
        where: str,
        bounds: tuple[Array, Array, bool] | None,
        periodic: bool | None,
        table: dict[str, Array],
    ) -> FileFrame:
        x, y, z = next(place for place in _PLACES if place[0] in table)
        positions = np.column_stack([table[x], table[y]])
        box = None
        if bounds is not None:
            box, low, along = bounds
            if not along and x.startswith("xs"):
                raise InputError(
                    f"{where}: scaled positions in a turned or mirrored box cannot be read", str(self.path)
                )
            positions = positions * box if x.startswith("xs") else positions - low
        elif x.startswith("xs"):
            raise InputError(f"{where}: scaled positions need ITEM: BOX BOUNDS", str(self.path))
        side = 1.0 if x.startswith("xs") else float(np.ptp(positions) if box is None else box.max())
        flat(self.path, where, table.get(z), side)
        if "c_cluster" in table:
            table.setdefault("cluster", table["c_cluster"])
        return frame_of_columns(
            self.path, where, positions, table, box=box, periodic=periodic, time=self._found_times[number]
        )


def write_dump(path: Path, frames: Sequence[FileFrame], times: bool = False) -> None:
    """Write frames with a box as a LAMMPS dump, numbers so that they read back bit by bit.

    times : with ``ITEM: TIME`` before each frame that has one.
    """
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for step, frame in enumerate(frames):
            count = len(frame.positions)
            flat_column = np.zeros(count)
            names = ["id", "type", "x", "y", "z"]
            columns = [np.arange(1, count + 1), "1", *frame.positions.T, flat_column]
            if frame.velocities is not None:
                names += ["vx", "vy", "vz"]
                columns += [*frame.velocities.T, flat_column]
            for values, name in ((frame.radii, "radius"), (frame.masses, "mass"), (frame.cluster, "cluster")):
                if values is not None:
                    names.append(name)
                    columns.append(values)
            if times and frame.time is not None:
                file.write(f"ITEM: TIME\n{float(frame.time)!r}\n")
            file.write(f"{dump_head(step, 'ATOMS', count, frame)}ITEM: ATOMS {' '.join(names)}\n")
            write_table(file, columns, " ")
