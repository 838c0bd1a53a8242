"""States and trajectories of discs in files; the name's ending says which format (docs/files.md says what is kept).

.gsd : HOOMD's schema, which HOOMD-blue, OVITO and freud read; read and written, recordings in double precision.
.xyz, .extxyz : XYZ and extended XYZ, read; extended XYZ written.
.dump, .lammpstrj, .lammps, .data, .lmp : LAMMPS dump and data files, told apart by their first line, read; dump written
with the first two endings. Contacts of a packing, which these and XYZ do not hold, go into a file beside it.
.csv : one state, ``x, y, vx, vy, radius, cluster``; read and written.

`open_trajectory` reads frame by frame, `read` all at once, `TrajectoryWriter` records frame by frame.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from engine.errors import InputError
from engine.files.contacts import bonds_path, write_bonds, write_contacts
from engine.files.frame import FileFrame
from engine.files.limits import MAX_READ_AT_ONCE, size_of
from engine.files.recording import RecordingError, TrajectoryWriter
from engine.files.trajectory import Trajectory

__all__ = [
    "READABLE",
    "WRITABLE",
    "FileFrame",
    "RecordingError",
    "Trajectory",
    "TrajectoryWriter",
    "open_trajectory",
    "read",
    "write",
    "write_contacts",
]

_XYZ = (".xyz", ".extxyz")
_LAMMPS = (".dump", ".lammpstrj", ".lammps", ".data", ".lmp")
READABLE = (".gsd", *_XYZ, *_LAMMPS, ".csv")
WRITABLE = (".gsd", ".xyz", ".extxyz", ".dump", ".lammpstrj", ".csv")


def open_trajectory(path: str | Path) -> Trajectory:
    """A file with frames, of which each is read when it is asked for; close it, or use it in a ``with`` statement.

    Raises InputError, one sentence that names the file and the line or frame, where it cannot be used.
    """
    path = Path(path).expanduser()
    suffix = path.suffix.lower()
    if suffix not in READABLE:
        raise InputError(f"{path}: a state file must end in {', '.join(READABLE[:-1])} or {READABLE[-1]}", str(path))
    if suffix == ".csv":
        from engine.files.csv_format import read_csv
        from engine.files.trajectory import SingleState

        return SingleState(path, read_csv(path))
    if suffix == ".gsd":
        from engine.files.gsd.reader import GsdTrajectory

        return GsdTrajectory(path)
    if suffix in _XYZ:
        from engine.files.xyz_format import XyzTrajectory

        return XyzTrajectory(path)
    from engine.files.lammps.common import is_dump

    if is_dump(path):
        from engine.files.lammps.dump import DumpTrajectory

        return DumpTrajectory(path)
    from engine.files.lammps.data import DataState

    return DataState(path)


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
    (`engine.files.contacts.bonds_path`). Raises InputError for an ending that is not known or frames that the format
    cannot hold, OSError where the file cannot be written.
    """
    path = Path(path).expanduser()
    frames = [frames] if isinstance(frames, FileFrame) else list(frames)
    suffix = path.suffix.lower()
    if suffix not in WRITABLE:
        known = f"{', '.join(WRITABLE[:-1])} or {WRITABLE[-1]}"
        raise InputError(f"{path}: a state is written to a file that ends in {known}", str(path))
    if not frames:
        raise InputError(f"{path}: there is no frame to write", str(path))
    if suffix == ".csv":
        from engine.files.csv_format import write_csv

        if len(frames) != 1:
            raise InputError(f"{path}: a CSV file holds one state, not {len(frames)}", str(path))
        write_csv(path, frames[0])
        return
    if suffix not in _XYZ and any(frame.box is None for frame in frames):
        raise InputError(f"{path}: {suffix} files need a box, and a frame has none", str(path))
    if suffix == ".gsd":
        from engine.files.gsd.all_at_once import write_gsd

        if any(frame.radii is None for frame in frames):
            raise InputError(f"{path}: .gsd files need radii, and a frame has none", str(path))
        write_gsd(path, frames)
        return
    packings = any(frame.network is not None for frame in frames) and all(frame.box is not None for frame in frames)
    if suffix in _XYZ:
        from engine.files.xyz_format import write_xyz

        write_xyz(path, frames, ids=packings)
    else:
        from engine.files.lammps.dump import write_dump

        write_dump(path, frames, times=times)
    if packings:
        write_bonds(bonds_path(path), frames)
