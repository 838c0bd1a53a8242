"""The contacts of packings as a LAMMPS local dump, a second file beside formats that have no bonds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.files.frame import FileFrame
from engine.files.lammps.common import dump_head
from engine.files.text import write_table
from engine.files.writing import replacing

BONDS_ENDING = ".local"


def have_bonds(frames: Sequence[FileFrame]) -> bool:
    """Whether `write_bonds_beside` writes a file for these frames: they have contacts, and a box each."""
    return any(frame.network is not None for frame in frames) and all(frame.box is not None for frame in frames)


def wall_forces(frame: FileFrame) -> NDArray[np.float64]:
    """The force of the walls on each disc, (N, d), divided by the mean force between discs and walls; else 0."""
    forces = np.zeros_like(frame.positions)
    net = frame.network
    if net is not None:
        wall = net.pairs[:, 1] < 0
        np.subtract.at(forces, net.pairs[wall, 0], net.forces[wall, None] * net.vectors[wall])
    return forces


def wall_columns(frames: Sequence[FileFrame]) -> bool:
    """Whether columns of these frames have `wall_forces`: they are packings between walls, and walls are no bonds."""
    return have_bonds(frames) and not all(frame.periodic for frame in frames)


def write_bonds_beside(path: Path, frames: Sequence[FileFrame]) -> None:
    """Write the contacts of frames, if any, to the file beside `path`."""
    if have_bonds(frames):
        write_bonds(bonds_path(path), frames)


def bonds_path(path: Path) -> Path:
    """The file with the contacts beside an XYZ file or a LAMMPS dump: ``t.contacts.local`` for ``t.xyz``."""
    return path.with_name(f"{path.stem}.contacts{BONDS_ENDING}")


def write_bonds(path: Path, frames: Sequence[FileFrame]) -> None:
    """Write the contacts between discs as a LAMMPS local dump, which OVITO loads as bonds; complete or not at all.

    Each line is ``batom1 batom2 force``: the numbers of the two discs, counted from 1, and the force divided by the
    mean. Walls are no particles: `wall_forces` are columns of the discs. Frames have the steps 0, 1, 2, … as in the
    dump beside it.
    """
    with replacing(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        for step, frame in enumerate(frames):
            net = frame.network
            between = np.zeros(0, np.intp) if net is None else np.flatnonzero(net.pairs[:, 1] >= 0)
            file.write(f"{dump_head(step, 'ENTRIES', len(between), frame)}ITEM: ENTRIES batom1 batom2 force\n")
            if net is not None and len(between):
                write_table(file, [*(net.pairs[between].T + 1), net.forces[between]], " ")
