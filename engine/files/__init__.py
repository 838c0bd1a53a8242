"""States and trajectories of discs in files; the name's ending says which format (docs/files.md says what is kept).

.gsd : HOOMD's schema, which HOOMD-blue, OVITO and freud read; read and written, recordings in double precision.
.xyz, .extxyz : XYZ and extended XYZ, read; extended XYZ written.
.dump, .lammpstrj, .lammps, .data, .lmp : LAMMPS dump and data files, told apart by their first line, read; dump written
with the first two endings. Contacts of a packing, which these and XYZ do not hold, go into a file beside it.
.csv : one state, ``x, y, vx, vy, radius, cluster``; read and written.

`open_trajectory` reads frame by frame, `read` all at once, `TrajectoryWriter` records frame by frame. The formats stand
in one registry, `engine.files.formats`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from engine.errors import InputError
from engine.files import csv_format, formats, gsd, lammps, xyz_format
from engine.files.atomic import replacing
from engine.files.contacts import write_contacts
from engine.files.frame import FileFrame
from engine.files.limits import MAX_READ_AT_ONCE, size_of
from engine.files.recording import RecordingError, TrajectoryWriter
from engine.files.trajectory import Trajectory

__all__ = [
    "FileFrame",
    "RecordingError",
    "Trajectory",
    "TrajectoryWriter",
    "open_trajectory",
    "read",
    "write",
    "write_contacts",
]

for _format in (gsd.FORMAT, xyz_format.FORMAT, lammps.DUMP, lammps.DATA, csv_format.FORMAT):
    formats.register(_format)


def open_trajectory(path: str | Path) -> Trajectory:
    """A file with frames, of which each is read when it is asked for; close it, or use it in a ``with`` statement.

    Raises InputError, one sentence that names the file and the line or frame, where it cannot be used.
    """
    path = Path(path).expanduser()
    opens = formats.to_read(path).reads
    assert opens is not None
    return opens(path)


def read(path: str | Path) -> list[FileFrame]:
    """All frames of a file, in order of time. For large files `open_trajectory` is the better way.

    Raises InputError, which names the file and the line or frame, where it cannot be used.
    """
    path = Path(path).expanduser()
    with open_trajectory(path) as trajectory:
        if size_of(path) > MAX_READ_AT_ONCE:
            raise InputError(
                f"{path} is too large to be read at once (more than {MAX_READ_AT_ONCE >> 30} GiB); "
                "engine.files.open_trajectory reads it frame by frame",
                str(path),
            )
        return list(trajectory)


def write(path: str | Path, frames: FileFrame | Iterable[FileFrame], *, times: bool = False) -> None:
    """Write frames to a file, complete or not at all; a CSV file takes exactly one, GSD and dump need a box.

    times : write the times into a LAMMPS dump too, as ``ITEM: TIME``, which MDAnalysis cannot read; all other formats
    have them always. Beside an XYZ file or a dump of packings another one is written, with their contacts as bonds
    (`engine.files.lammps.bonds.bonds_path`). Raises InputError for an ending that is not known or frames that the
    format cannot hold, OSError where the file cannot be written.
    """
    path = Path(path).expanduser()
    frames = [frames] if isinstance(frames, FileFrame) else list(frames)
    format = formats.to_write(path)
    format.check(path, frames)
    assert format.writes is not None
    with replacing(path) as partial:
        format.writes(partial, frames, times)
    if format.beside is not None:
        format.beside(path, frames)
