"""The contacts of a packing in a file of their own: as CSV, or as a LAMMPS local dump, which OVITO loads as bonds.

A local dump is written beside states in formats that have no bonds. In GSD each frame holds its contacts
(`engine.files.gsd.schema`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.files.checks import Location
from engine.files.frame import FileFrame
from engine.files.text import write_table
from engine.files.writing import replacing
from engine.frame import Network

COLUMNS = ("i", "j", "force", "nx", "ny", "nz", "gap")


def write_contacts(path: str | Path, frame: FileFrame) -> None:
    """Write the contacts of a packing as CSV, a line ``i,j,force,nx,ny,gap`` for each, with ``nz`` for spheres.

    j is -1 for a wall. Forces are divided by their mean. (nx, ny), or (nx, ny, nz), is the unit vector from i to j, or
    to the wall. The gap is the distance between the two surfaces. A file that ends in ``.local`` becomes a LAMMPS local
    dump instead (`write_bonds`). The file is written complete or not at all.

    Raises
    ------
    InputError
        The frame has no contacts.
    OSError
        The file cannot be written.
    """
    net = frame.network
    if net is None or frame.radii is None or frame.box is None:
        raise Location(Path(path)).error("this state has no contacts with forces, so it is not a packing")
    if Path(path).suffix.lower() == BONDS_ENDING:
        write_bonds(Path(path), [frame])
        return
    gaps = contact_gaps(frame.positions, frame.radii, frame.box, net)
    with replacing(Path(path)) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        there = (name for name in COLUMNS if name != "nz" or len(frame.box) > 2)
        file.write(",".join(there) + "\n")
        write_table(file, [*net.pairs.T, net.forces, *net.vectors.T, gaps], ",")


def contact_gaps(
    positions: NDArray[np.float64], radii: NDArray[np.float64], box: NDArray[np.float64], net: Network
) -> NDArray[np.float64]:
    """The distance between the two surfaces of each contact, (K,); below 0 where discs overlap by rounding."""
    first, second = net.pairs[:, 0], net.pairs[:, 1]
    wall = second < 0
    gap = reduce(np.hypot, net.steps(positions, radii, box).T) - radii[first] - radii[second]
    at = positions[first]
    axis = np.abs(net.vectors).argmax(axis=1)
    row = np.arange(len(first))
    edge = np.where(net.vectors[row, axis] > 0.0, box[axis], 0.0)
    return np.asarray(np.where(wall, np.abs(edge - at[row, axis]) - radii[first], gap))


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
    return have_bonds(frames) and not all(frame.around.all for frame in frames)


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
    ends = ["pp" if wraps else "ff" for wraps in frame.around]
    bounds = [f"0.0 {side!r}" for side in frame.box.tolist()]
    if len(bounds) == 2:
        ends, bounds = [*ends, "pp"], [*bounds, "-0.5 0.5"]
    if tilt := frame.around.offset:  # then the bounds along x are those of the tilted box
        low, high = min(0.0, tilt), float(frame.box[0]) + max(0.0, tilt)
        ends, bounds = ["xy xz yz", *ends], [f"{low!r} {high!r} {tilt!r}", *(f"{one} 0.0" for one in bounds[1:])]
    lines = "\n".join(bounds)
    return f"ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF {what}\n{count}\nITEM: BOX BOUNDS {' '.join(ends)}\n{lines}\n"
