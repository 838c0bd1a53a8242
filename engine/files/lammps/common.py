"""What LAMMPS dump and data files have in common."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.errors import InputError
from engine.files.checks import Array
from engine.files.frame import FileFrame
from engine.files.text import open_text


def in_order(path: Path, where: str, table: dict[str, Array]) -> dict[str, Array]:
    """The columns in order of ``id``, which LAMMPS does not keep from frame to frame; without one, as they stand."""
    ids = table.get("id")
    if ids is None or (ids[1:] > ids[:-1]).all():
        return table
    order = np.argsort(ids, kind="stable")
    sorted_ids = ids[order]
    same = np.flatnonzero(sorted_ids[1:] == sorted_ids[:-1])
    if len(same) or not np.isfinite(ids).all():
        what = f"id {sorted_ids[same[0]]:.0f} stands twice" if len(same) else "an id is not a finite number"
        raise InputError(f"{where}: {what}", str(path))
    return {name: values[order] for name, values in table.items()}


def is_dump(path: Path) -> bool:
    """Whether a LAMMPS file is a dump, which begins with ``ITEM:``; else it is a data file."""
    with open_text(path) as file:
        return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"ITEM:")


def dump_head(step: int, what: str, count: int, frame: FileFrame) -> str:
    """The lines before the table of a frame: `count` of `what` ("ATOMS") in its box."""
    if frame.box is None:
        raise ValueError("a LAMMPS dump needs a box")
    width, height = frame.box.tolist()
    return (
        f"ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF {what}\n{count}\n"
        f"ITEM: BOX BOUNDS {'pp pp' if frame.periodic else 'ff ff'} pp\n"
        f"0.0 {width!r}\n0.0 {height!r}\n-0.5 0.5\n"
    )
