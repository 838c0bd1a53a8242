"""XYZ and extended XYZ: trajectories in text, one frame after the other.

Each frame is the number of discs, a comment and one line per disc. In extended XYZ the comment has
``Lattice="L_x 0 0 0 L_y 0 0 0 L_z"``, ``Origin="x y z"``, ``pbc="T T F"``, ``Time=0.5`` and
``Properties=species:S:1:pos:R:3:…`` with the columns; of these ``pos``, ``velo`` (``vel``, ``velocity``,
``velocities``; or ``momenta`` with masses), ``radius`` (``radii``; or ``diameter``), ``mass`` (``masses``) and
``cluster`` (``molecule``) are read. Plain XYZ has a name, x, y and z, and says neither box nor radii.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from engine.errors import InputError
from engine.files.atomic import replacing
from engine.files.checks import Array, box_of_sides, checked, flat, whole_numbers
from engine.files.frame import FileFrame
from engine.files.limits import plain
from engine.files.text_lines import LineScanner, lines_from
from engine.files.text_table import read_table, whole_number, write_table
from engine.files.text_trajectory import TextTrajectory

_PAIR = re.compile(r"""([A-Za-z_][\w-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|\{([^}]*)\}|\[([^\]]*)\]|(\S+))""")
_TIME = re.compile(r"""(?:^|\s)time\s*=\s*["']?([^\s"']{1,40})""", re.IGNORECASE)
_MAX_COLUMNS = 256
_SAME = {
    "vel": "velo",
    "velocity": "velo",
    "velocities": "velo",
    "radii": "radius",
    "diameters": "diameter",
    "masses": "mass",
    "momentum": "momenta",
    "molecule": "cluster",
    "mol": "cluster",
    "position": "pos",
    "positions": "pos",
}
_WANTED = {"pos": 3, "velo": 3, "momenta": 3, "radius": 1, "diameter": 1, "mass": 1, "cluster": 1}
_PLAIN = {"pos.0": 1, "pos.1": 2, "pos.2": 3}


class XyzTrajectory(TextTrajectory):
    """An open XYZ file."""

    def _scan_frame(self, head: str, lines: LineScanner) -> tuple[int, float | None] | None:
        count = whole_number(head.strip())
        if count is None:
            raise InputError(
                f'{self.path}, line {lines.line}: a frame begins with the number of discs, not "{plain(head.strip())}"',
                str(self.path),
            )
        comment = lines.read()
        if comment is None or not lines.skip(count):
            return None
        found = _TIME.search(comment)
        try:
            return count, None if found is None else float(found.group(1))
        except ValueError:
            return count, None

    def _read_frame(self, number: int, lines: Iterator[tuple[int, str]]) -> FileFrame:
        next(lines)
        at, comment = next(lines)
        start = self._file.tell()
        where = f"{self.path}, line {at}"
        about = {m.group(1).lower(): next(g for g in m.groups()[1:] if g is not None) for m in _PAIR.finditer(comment)}
        if "properties" in about:
            columns, width = self._columns(where, about["properties"])
        else:
            columns, width = self._plain(next(lines)[1])
        table = read_table(
            self.path, lambda: lines_from(self.path, self._file, start, at + 1), self.count, columns, width
        )
        return self._frame(number, f"{self.path}, frame {number}", about, table)

    def _plain(self, row: str) -> tuple[dict[str, int], int]:
        """Columns of a file that does not say them: a name, x, y and, where it is there, z."""
        if len(row.split()) == 3:
            return {name: _PLAIN[name] for name in ("pos.0", "pos.1")}, 3
        return _PLAIN, 4

    def _columns(self, where: str, text: str) -> tuple[dict[str, int], int]:
        """The place of each number, by names like ``velo.1``, and the number of words in a line."""
        parts = text.split(":")
        columns: dict[str, int] = {}
        at = 0
        for name, kind, count in zip(parts[::3], parts[1::3], parts[2::3], strict=False):
            size = whole_number(count)
            if size is None or kind not in ("S", "I", "R", "L") or not 0 < size <= _MAX_COLUMNS - at:
                raise InputError(
                    f'{where}: "{plain(":".join((name, kind, count)))}" is no column of Properties', str(self.path)
                )
            name = _SAME.get(name.lower(), name.lower())
            if name in _WANTED and size <= _WANTED[name] and kind in "IR" and f"{name}.0" not in columns:
                columns.update({f"{name}.{number}": at + number for number in range(size)})
            at += size
        if len(parts) % 3 or "pos.1" not in columns:
            raise InputError(f"{where}: Properties must have pos:R:3", str(self.path))
        for name in ("velo", "momenta"):
            if f"{name}.1" not in columns:
                columns.pop(f"{name}.0", None)
        return columns, at

    def _frame(self, number: int, where: str, about: dict[str, str], table: dict[str, Array]) -> FileFrame:
        positions = np.column_stack([table["pos.0"], table["pos.1"]])
        box = self._box(where, about)
        flat(self.path, where, table.get("pos.2"), float(np.ptp(positions) if box is None else box.max()))
        if "origin" in about:
            positions = positions - self._numbers(where, about, "origin", 3)[:2]
        masses = table.get("mass.0")
        velocities = None
        if "velo.0" in table:
            velocities = np.column_stack([table["velo.0"], table["velo.1"]])
        elif "momenta.0" in table and masses is not None and (masses > 0.0).all():
            velocities = np.column_stack([table["momenta.0"], table["momenta.1"]]) / masses[:, None]
        radii = table.get("radius.0")
        if radii is None and "diameter.0" in table:
            radii = 0.5 * table["diameter.0"]
        cluster = table.get("cluster.0")
        frame = FileFrame(
            positions=positions,
            velocities=velocities,
            radii=radii,
            masses=masses,
            cluster=None if cluster is None else whole_numbers(self.path, where, cluster, "cluster"),
            box=box,
            periodic=self._periodic(where, about, box),
            time=self._found_times[number],
        )
        return checked(self.path, where, frame)

    def _numbers(self, where: str, about: dict[str, str], name: str, count: int) -> Array:
        try:
            values = np.array([float(word) for word in about[name].replace(",", " ").split()])
        except ValueError:
            values = np.zeros(0)
        if len(values) != count or not np.isfinite(values).all():
            raise InputError(f"{where}: {name.capitalize()} must be {count} numbers", str(self.path))
        return values

    def _box(self, where: str, about: dict[str, str]) -> Array | None:
        """The sides of the lattice, None where there is none; only rectangles are taken."""
        if "lattice" not in about:
            return None
        cell = self._numbers(where, about, "lattice", 9).reshape(3, 3)
        if (cell != np.diag(np.diag(cell))).any():
            raise InputError(f"{where}: the lattice is triclinic; only rectangular boxes can be read", str(self.path))
        if not cell[0, 0] and not cell[1, 1]:
            return None
        return box_of_sides(self.path, where, (float(cell[0, 0]), float(cell[1, 1])))

    def _periodic(self, where: str, about: dict[str, str], box: Array | None) -> bool | None:
        """As ``pbc`` says; a lattice without it is periodic, as the format has it."""
        if "pbc" not in about:
            return None if box is None else True
        words = about["pbc"].replace(",", " ").upper().split()[:2]
        sides = {"T": True, "TRUE": True, "1": True, "F": False, "FALSE": False, "0": False}
        found = [sides.get(word) for word in words]
        if len(found) == 1:
            found *= 2
        if len(found) != 2 or None in found:
            raise InputError(f'{where}: pbc must be like "T T F"', str(self.path))
        if found[0] != found[1]:
            raise InputError(f"{where}: a box that is periodic along one side only cannot be read", str(self.path))
        return found[0]


def write_xyz(path: Path, frames: list[FileFrame]) -> None:
    """Write frames as extended XYZ, every number so that it reads back bit by bit; complete or not at all."""
    with replacing(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        for frame in frames:
            flat_column = np.zeros(len(frame.positions))
            properties = ["species:S:1", "pos:R:3"]
            columns = ["X", *frame.positions.T, flat_column]
            if frame.velocities is not None:
                properties.append("velo:R:3")
                columns += [*frame.velocities.T, flat_column]
            for values, name in (
                (frame.radii, "radius:R:1"),
                (frame.masses, "mass:R:1"),
                (frame.cluster, "cluster:I:1"),
            ):
                if values is not None:
                    properties.append(name)
                    columns.append(values)
            about = [f"Properties={':'.join(properties)}"]
            if frame.box is not None:
                width, height = frame.box.tolist()
                about.insert(0, f'Lattice="{width!r} 0.0 0.0 0.0 {height!r} 0.0 0.0 0.0 1.0"')
            if frame.time is not None:
                about.append(f"Time={float(frame.time)!r}")
            if frame.periodic is not None or frame.box is not None:
                about.append('pbc="T T F"' if frame.periodic else 'pbc="F F F"')
            file.write(f"{len(frame.positions)}\n{' '.join(about)}\n")
            write_table(file, columns, " ")
