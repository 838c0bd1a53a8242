"""States and trajectories of discs in files. The ending of the name chooses the format.

- ``.gsd``: HOOMD's schema, which HOOMD-blue, OVITO and freud read. Read and written, recordings in double precision.
- ``.xyz``, ``.extxyz``: XYZ and extended XYZ are read, extended XYZ is written.
- ``.dump``, ``.lammpstrj``, ``.lammps``, ``.data``, ``.lmp``: LAMMPS dump and data files, told apart by their first
  line, are read. Dumps are written with the first two endings.
- ``.csv``: one state, ``x, y, vx, vy, radius, cluster``. Read and written.

XYZ and LAMMPS files cannot hold the contacts of a packing; these go into a second file (docs/files.md). The formats are
in a registry, `engine.files.formats`. `open_trajectory` reads a file frame by frame, `read` reads it at once, and
`TrajectoryWriter` records frame by frame.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from engine.errors import typed_path
from engine.files import csv_format, formats, gsd, lammps, xyz_format
from engine.files.checks import MAX_READ_AT_ONCE, Location, size_of
from engine.files.contacts import write_contacts
from engine.files.frame import FileFrame
from engine.files.trajectory import Trajectory
from engine.files.writing import RecordingError, TrajectoryWriter, replacing
from engine.frame import Frame
from engine.simulation import Simulation

__all__ = [
    "FileFrame",
    "RecordingError",
    "State",
    "Trajectory",
    "TrajectoryWriter",
    "open_trajectory",
    "read",
    "write",
    "write_contacts",
]

State = FileFrame | Frame | Simulation
"""What `write` takes."""

for _format in (gsd.FORMAT, xyz_format.FORMAT, lammps.DUMP, lammps.DATA, csv_format.FORMAT):
    formats.register(_format)


def open_trajectory(path: str | Path, dimensions: int = 0) -> Trajectory:
    """Open a file. Each frame is read when it is asked for; use the result in a ``with`` statement, or close it.

    Parameters
    ----------
    path : the file.
    dimensions : 2 for discs and 3 for spheres, where the file leaves it open (docs/files.md); 0 for no preference.

    Raises
    ------
    InputError
        The file cannot be read, or (when a frame is read) has another number of dimensions. The message names it and,
        if known, the wrong line or frame.
    """
    path = typed_path(path)
    opens = formats.to_read(path).reads
    assert opens is not None
    trajectory = opens(path)
    try:
        trajectory.settle(dimensions)
    except BaseException:
        trajectory.close()
        raise
    return trajectory


def read(path: str | Path, dimensions: int = 0) -> list[FileFrame]:
    """Read all frames of a file, in its order. For large files use `open_trajectory`, whose parameters it has.

    Raises
    ------
    InputError
        The file cannot be read, or is larger than `MAX_READ_AT_ONCE`.
    """
    path = typed_path(path)
    with open_trajectory(path, dimensions) as trajectory:
        if size_of(path) > MAX_READ_AT_ONCE:
            raise Location(path).fault(
                f"is too large to be read at once (more than {MAX_READ_AT_ONCE >> 30} GiB); "
                "engine.files.open_trajectory reads it frame by frame"
            )
        return list(trajectory)


def write(path: str | Path, frames: State | Iterable[State], *, times: bool = False) -> None:
    """Write a simulation as it is now, or frames, to a file, complete or not at all.

    The contacts of packings go into a second file if the format has none (`engine.files.contacts.bonds_path`).

    Parameters
    ----------
    path : the file; its ending chooses the format.
    frames : a simulation, one of its frames, a frame of a file, or several of these. CSV takes exactly one; GSD and
        LAMMPS dumps need a box.
    times : whether a LAMMPS dump has the times as ``ITEM: TIME``, which MDAnalysis cannot read. All other formats
        always have them.

    Raises
    ------
    InputError
        The ending is not known, the format cannot hold these frames, or something among them is no state of discs.
    OSError
        The file cannot be written.
    """
    path = typed_path(path)
    listed = list(frames) if isinstance(frames, Iterable) else [frames]
    states = [FileFrame.from_any(one) for one in listed]
    format = formats.to_write(path)
    format.check(path, states)
    assert format.writes is not None
    with replacing(path) as partial:
        format.writes(partial, states, times)
    if format.beside is not None:
        format.beside(path, states)
