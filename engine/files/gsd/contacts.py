"""The contacts of a packing as chunks of a GSD file (`engine.files.gsd.schema` describes them)."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.files.gsd import schema
from engine.files.gsd.container import GsdContainer
from engine.frame import Network

CONTACT_CHUNKS = (
    *(schema.RATTLER, schema.BOND_COUNT, schema.BOND_GROUP, schema.BOND_FORCE),
    *schema.CONTACTS,
)
"""The names of all chunks that `contact_chunks` may return."""

_MOST = 64  # contacts per disc, on average, that are read at most


def contact_chunks(net: Network | None, count: int, *, bonds: bool) -> dict[str, NDArray[Any]]:
    """The chunks that hold the contacts of a frame, by name.

    Parameters
    ----------
    net : the contacts, None for none.
    count : the number of discs.
    bonds : whether they are written as HOOMD's bonds too, which the first of several frames must not have. HOOMD knows
        no bond of a disc to its own image.
    """
    if net is None or not len(net.forces):
        loose = np.ones(count, bool) if net is None else net.rattlers
        net = Network(np.zeros((0, 2), np.int32), np.zeros(0), np.zeros((0, 2)), loose)
    between = (net.pairs[:, 1] >= 0) & (net.pairs[:, 0] != net.pairs[:, 1]) & bonds
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


def read_contacts(file: GsdContainer, frame: int, count: int, dimensions: int) -> Network | None:
    """Read the contacts of a frame of `count` discs in so many dimensions; None if it has none.

    Raises InputError if the chunks do not fit together or hold impossible values.
    """
    names = next((names for names in (schema.CONTACTS, schema.CONTACTS_IN_LOG) if file.has(frame, names[0])), None)
    if names is None:
        return None
    parts = [file.chunk(frame, name, _MOST * count) for name in (*names, schema.RATTLER)]
    where = file.where.frame(frame)
    if any(part is None for part in parts):
        raise where.error("a part of the contacts is missing")
    pairs, forces, vectors, loose = (np.asarray(part) for part in parts)
    held = len(pairs)
    if pairs.shape == (1, 2) and (pairs == -1).all():  # an older recording of a frame without contacts
        return None
    if (pairs.shape, forces.shape, vectors.shape, loose.shape) != (
        (held, 2),
        (held, 1),
        (held, dimensions),
        (count, 1),
    ):
        raise where.error("the contacts do not fit together")
    if not (pairs.dtype.kind in "iu" and ((pairs >= (0, -1)) & (pairs < count)).all()):
        raise where.error("a contact names a disc that does not exist")
    length = reduce(np.hypot, vectors.T.astype(np.float64))
    if not ((forces > 0.0) & np.isfinite(forces)).all() or not (np.abs(length - 1.0) < 1e-3).all():
        raise where.error("forces must be finite numbers above 0, with directions of length 1")
    return Network(
        pairs.astype(np.int32),
        forces[:, 0].astype(np.float64),
        vectors.astype(np.float64),
        loose[:, 0].astype(np.bool_),
    )
