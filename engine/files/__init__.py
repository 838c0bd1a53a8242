"""States of discs in files; the name's ending says which format.

.csv : ``x, y, vx, vy, radius, cluster`` in full precision, read and written (see `engine.files.csv_format`).
.gsd : HOOMD's schema, which OVITO and freud read; written (see `engine.files.gsd_format`).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from engine.errors import InputError
from engine.files.frame import FileFrame

__all__ = ["FileFrame", "read", "write"]

_READABLE = ".csv"
_LATER = (".gsd", ".xyz", ".dump", ".lammpstrj", ".lammps")


def read(path: str | Path) -> list[FileFrame]:
    """The frames of a file, in order of time; a CSV file has one.

    Raises InputError, which names the file and the line, where it cannot be used.
    """
    path = Path(path).expanduser()
    suffix = path.suffix.lower()
    if suffix in _LATER:
        raise InputError(f"{path}: this version reads states from .csv files, not {suffix}", str(path))
    if suffix != _READABLE:
        raise InputError(f"{path}: a state file must end in .csv", str(path))
    from engine.files.csv_format import read_csv

    return [read_csv(path)]


def write(path: str | Path, frames: FileFrame | Iterable[FileFrame]) -> None:
    """Write frames to a .csv (exactly one frame) or .gsd file, complete or not at all.

    Raises InputError for an ending that is not known, OSError where the file cannot be written.
    """
    path = Path(path).expanduser()
    frames = [frames] if isinstance(frames, FileFrame) else list(frames)
    suffix = path.suffix.lower()
    if suffix == ".csv":
        from engine.files.csv_format import write_csv

        if len(frames) != 1:
            raise InputError(f"{path}: a CSV file holds one state, not {len(frames)}", str(path))
        write_csv(path, frames[0])
    elif suffix == ".gsd":
        from engine.files.gsd_format import write_gsd

        write_gsd(path, frames)
    else:
        raise InputError(f"{path}: a state is written to a file that ends in .csv or .gsd", str(path))
