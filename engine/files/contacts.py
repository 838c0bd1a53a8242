"""Contacts of a packing as a table. In GSD they are a part of each frame (`engine.files.gsd.contacts`)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.files.atomic import replacing
from engine.files.frame import FileFrame
from engine.files.lammps.bonds import BONDS_ENDING, write_bonds
from engine.files.text import write_table
from engine.simulation import Network

COLUMNS = ("i", "j", "force", "nx", "ny", "gap")


def write_contacts(path: str | Path, frame: FileFrame) -> None:
    """Write ``i,j,force,nx,ny,gap``, a line for each contact, complete or not at all.

    j is -1 for a wall; forces are over their mean; (nx, ny) points from i to j or to the wall, of length 1; the gap is
    a length. A file that ends in ``.local`` is a LAMMPS local dump instead, see `write_bonds`. InputError for a frame
    without contacts, OSError where the file cannot be written.
    """
    net = frame.network
    if net is None or frame.radii is None or frame.box is None:
        raise InputError(f"{path}: the state that is shown has no contacts with forces: it is not a packing", str(path))
    if Path(path).suffix.lower() == BONDS_ENDING:
        write_bonds(Path(path), [frame])
        return
    gaps = contact_gaps(frame.positions, frame.radii, frame.box, net)
    with replacing(Path(path)) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        file.write(",".join(COLUMNS) + "\n")
        write_table(file, [*net.pairs.T, net.forces, *net.vectors.T, gaps], ",")


def contact_gaps(
    positions: NDArray[np.float64], radii: NDArray[np.float64], box: NDArray[np.float64], net: Network
) -> NDArray[np.float64]:
    """What lies between the surfaces in contact, (K,), in the unit of the lengths."""
    first, second = net.pairs[:, 0], net.pairs[:, 1]
    wall = second < 0
    # along the direction of the contact, which also says which image is meant
    along = (radii[first] + np.where(wall, 0.0, radii[second]))[:, None] * net.vectors
    way = positions[second] - positions[first]
    way += box * np.round((along - way) / box)
    gap = np.hypot(way[:, 0], way[:, 1]) - radii[first] - radii[second]
    at = positions[first]
    axis = np.abs(net.vectors).argmax(axis=1)
    row = np.arange(len(first))
    edge = np.where(net.vectors[row, axis] > 0.0, box[axis], 0.0)
    return np.asarray(np.where(wall, np.abs(edge - at[row, axis]) - radii[first], gap))
