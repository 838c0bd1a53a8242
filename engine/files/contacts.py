"""Contacts of a packing in files: a table, a LAMMPS local dump of bonds, and in GSD (`engine.files.gsd.schema`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.files.atomic import replacing
from engine.files.frame import FileFrame
from engine.files.gsd import schema
from engine.files.gsd.container import GsdContainer
from engine.files.lammps.common import dump_head
from engine.files.text_table import write_table
from engine.simulation import Network

COLUMNS = ("i", "j", "force", "nx", "ny", "gap")
CONTACT_CHUNKS = (
    *(schema.RATTLER, schema.BOND_COUNT, schema.BOND_GROUP, schema.BOND_FORCE),
    *schema.CONTACTS,
)  # all that `contact_chunks` may give
BONDS_ENDING = ".local"
_MOST = 64  # contacts of a disc: more cannot be for any radii that a file may have together


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
    rows = zip(net.pairs.tolist(), net.forces.tolist(), net.vectors.tolist(), gaps.tolist(), strict=True)
    with replacing(Path(path)) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        file.write(",".join(COLUMNS) + "\n")
        for (i, j), force, (nx, ny), gap in rows:
            file.write(f"{i},{j},{force!r},{nx!r},{ny!r},{gap!r}\n")


def bonds_path(path: Path) -> Path:
    """The file beside an XYZ file or a LAMMPS dump that has its contacts: ``t.contacts.local`` for ``t.xyz``."""
    return path.with_name(f"{path.stem}.contacts{BONDS_ENDING}")


def write_bonds(path: Path, frames: list[FileFrame]) -> None:
    """Write the contacts between discs as a LAMMPS local dump, which OVITO loads as bonds; complete or not at all.

    ``batom1 batom2 force``: the numbers of two discs, from 1, and the force over the mean. Contacts with walls are no
    bonds and are left out. Frames have the steps 0, 1, 2, … as in the dump that `engine.files.write` writes.
    """
    with replacing(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        for step, frame in enumerate(frames):
            net = frame.network
            between = np.zeros(0, np.intp) if net is None else np.flatnonzero(net.pairs[:, 1] >= 0)
            file.write(f"{dump_head(step, 'ENTRIES', len(between), frame)}ITEM: ENTRIES batom1 batom2 force\n")
            if net is not None and len(between):
                write_table(file, [*(net.pairs[between].T + 1), net.forces[between]], " ")


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


def contact_chunks(net: Network | None, count: int, *, bonds: bool) -> dict[str, NDArray[Any]]:
    """The contacts of a frame of `count` discs by the names that they have in GSD (`engine.files.gsd.schema`).

    bonds : also as bonds, which the first of several frames may not have.
    """
    if net is None or not len(net.forces):
        loose = np.ones(count, bool) if net is None else net.rattlers
        net = Network(np.zeros((0, 2), np.int32), np.zeros(0), np.zeros((0, 2)), loose)
    between = (net.pairs[:, 1] >= 0) & bonds
    chunks: dict[str, NDArray[Any]] = {
        schema.RATTLER: np.asarray(net.rattlers, np.uint8),
        schema.BOND_COUNT: np.array([between.sum()], np.uint32),
        schema.BOND_FORCE: np.asarray(net.forces[between], np.float64) if between.any() else np.zeros(1),
    }
    if between.any():
        chunks[schema.BOND_GROUP] = net.pairs[between].astype(np.uint32)
    if len(net.forces):
        parts = (np.asarray(net.pairs, np.int32), np.asarray(net.forces), np.asarray(net.vectors))
        chunks |= dict(zip(schema.CONTACTS, parts, strict=True))
    return chunks


def read_contacts(file: GsdContainer, frame: int, count: int) -> Network | None:
    """The contacts of a frame of `count` discs, None where it has none. InputError where they cannot be."""
    names = next((names for names in (schema.CONTACTS, schema.CONTACTS_IN_LOG) if file.has(frame, names[0])), None)
    if names is None:
        return None
    parts = [file.chunk(frame, name, _MOST * count) for name in (*names, schema.RATTLER)]
    key = str(file.path)
    where = f"{key}, frame {frame}"
    if any(part is None for part in parts):
        raise InputError(f"{where}: a part of the contacts is missing", key)
    pairs, forces, vectors, loose = (np.asarray(part) for part in parts)
    held = len(pairs)
    if pairs.shape == (1, 2) and (pairs == -1).all():  # in the log a row stood where there were none
        return None
    if (pairs.shape, forces.shape, vectors.shape, loose.shape) != ((held, 2), (held, 1), (held, 2), (count, 1)):
        raise InputError(f"{where}: the contacts do not fit together", key)
    if not (pairs.dtype.kind in "iu" and ((pairs >= (0, -1)) & (pairs < count)).all()):
        raise InputError(f"{where}: a contact names a disc that there is not", key)
    length = np.hypot(*vectors.T.astype(np.float64))
    if not ((forces > 0.0) & np.isfinite(forces)).all() or not (np.abs(length - 1.0) < 1e-3).all():
        raise InputError(f"{where}: forces must be finite numbers above 0, with directions of length 1", key)
    return Network(
        pairs.astype(np.int32),
        forces[:, 0].astype(np.float64),
        vectors.astype(np.float64),
        loose[:, 0].astype(np.bool_),
    )
