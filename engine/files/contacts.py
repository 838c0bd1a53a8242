"""Contacts of a packing in files: as CSV, and in the log of GSD (`engine.files.gsd_schema`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.files import gsd_schema as schema
from engine.files.atomic import replacing
from engine.files.frame import FileFrame
from engine.files.gsd_container import GsdContainer
from engine.simulation import Network

COLUMNS = ("i", "j", "force", "nx", "ny", "gap")
_MOST = 64  # contacts of a disc: more cannot be for any radii that a file may have together


def write_contacts(path: str | Path, frame: FileFrame) -> None:
    """Write ``i,j,force,nx,ny,gap``, a line for each contact, complete or not at all.

    j is -1 for a wall; forces are over their mean; (nx, ny) points from i to j or to the wall, of length 1; the gap is
    a length. InputError for a frame without contacts, OSError where the file cannot be written.
    """
    net = frame.network
    if net is None or frame.radii is None or frame.box is None:
        raise InputError(f"{path}: the state that is shown has no contacts with forces: it is not a packing", str(path))
    gaps = contact_gaps(frame.positions, frame.radii, frame.box, net)
    rows = zip(net.pairs.tolist(), net.forces.tolist(), net.vectors.tolist(), gaps.tolist(), strict=True)
    with replacing(Path(path)) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        file.write(",".join(COLUMNS) + "\n")
        for (i, j), force, (nx, ny), gap in rows:
            file.write(f"{i},{j},{force!r},{nx!r},{ny!r},{gap!r}\n")


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


def contact_chunks(net: Network | None, count: int) -> dict[str, NDArray[Any]]:
    """The contacts of `count` discs by the names that they have in GSD. Where there are none one stands that joins no
    discs: programs that read GSD expect in every frame what a later one has, and at least one row of it."""
    if net is None or not len(net.forces):
        loose = np.ones(count, bool) if net is None else net.rattlers
        net = Network(np.full((1, 2), -1, np.int32), np.zeros(1), np.array([[1.0, 0.0]]), loose)
    return {
        schema.CONTACT_PAIRS: np.asarray(net.pairs, np.int32),
        schema.CONTACT_FORCES: np.asarray(net.forces, np.float64),
        schema.CONTACT_VECTORS: np.asarray(net.vectors, np.float64),
        schema.RATTLER: np.asarray(net.rattlers, np.uint8),
    }


def read_contacts(file: GsdContainer, frame: int, count: int) -> Network | None:
    """The contacts of a frame of `count` discs, None where it has none. InputError where they cannot be."""
    if not file.has(frame, schema.CONTACT_PAIRS):
        return None
    parts = [file.chunk(frame, name, _MOST * count) for name in schema.CONTACTS]
    key = str(file.path)
    where = f"{key}, frame {frame}"
    if any(part is None for part in parts):
        raise InputError(f"{where}: a part of the contacts is missing", key)
    pairs, forces, vectors, loose = (np.asarray(part) for part in parts)
    held = len(pairs)
    if pairs.shape == (1, 2) and (pairs == -1).all():  # see `contact_chunks`
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
