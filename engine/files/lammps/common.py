"""What reading and writing LAMMPS dump and data files have in common."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.arrays import Floats
from engine.files.checks import Location
from engine.files.frame import FileFrame
from engine.files.text import open_text


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


def dump_head(step: int, what: str, count: int, frame: FileFrame) -> str:
    """The lines before the table of a frame in a dump.

    Parameters
    ----------
    step : the time step under which the frame is written.
    what, count : what the table holds, such as ``"ATOMS"``, and how many of it.
    frame : the frame, for its box.

    Raises
    ------
    ValueError
        The frame has no box.
    """
    if frame.box is None:
        raise ValueError("a LAMMPS dump needs a box")
    width, height, *deep = frame.box.tolist()
    boundary = "pp" if frame.periodic else "ff"
    across, depth = (boundary, f"0.0 {deep[0]!r}") if deep else ("pp", "-0.5 0.5")
    return (
        f"ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF {what}\n{count}\n"
        f"ITEM: BOX BOUNDS {boundary} {boundary} {across}\n"
        f"0.0 {width!r}\n0.0 {height!r}\n{depth}\n"
    )
