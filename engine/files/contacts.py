"""The contacts of a packing in a file of their own. In GSD each frame holds them (`engine.files.gsd.schema`)."""

from __future__ import annotations

from functools import reduce
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.files.checks import Location
from engine.files.frame import FileFrame
from engine.files.lammps.bonds import BONDS_ENDING, write_bonds
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
