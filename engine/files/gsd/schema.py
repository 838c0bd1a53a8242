"""What the chunks of a GSD file are: their names in HOOMD's schema and in our recordings, and how they hold contacts.

HOOMD keeps numbers in single precision and centres the box: positions run from -L/2 to L/2, for discs with L_z = 0 and
two dimensions. Our recordings add, in the part of the schema called log, the same numbers in double precision and in
the box [0, L_x] x [0, L_y]: positions and velocities (N, d), radii and masses (N,), ``box`` (d,). They also add
clusters (N,), ``time`` (1,), ``periodic`` (1,), or (d,) in a box with walls along some axes only, and, in the first
frame, ``scenario``: TOML in UTF-8 as bytes. Where images may flow past the box, ``flow`` (2,) holds its strain, with
whole periods, and the rate in the velocities; then HOOMD's box is tilted. Further quantities of each disc are in the
log of the particles under their own names, in every frame: (N,) or (N, k), of any type. Those of discs that turn are
also in HOOMD's chunks for the same (`engine.files.gsd.turning`). How often each disc has crossed the periodic box is in
HOOMD's own chunk for it, ``particles/image`` (N, 3), 0 along z in the plane; recordings of before have it in the log,
as ``images`` (N, d).

The contacts of a packing are written twice. HOOMD's bonds hold the contacts between discs (``group``, pairs of discs),
with ``log/bonds/force``, which OVITO shows as a property of the bonds. The gsd package expects that the size of a log
chunk never changes: `gsd.hoomd.open` wants each log chunk in the first frame, and `gsd.hoomd.read_log` wants its shape
in later frames too; if the first is a single number, it takes any later one that is not empty. So the first of several
frames has no bonds, and a frame without bonds has a single force, 0.

The complete contacts, with those at walls, are in chunks of our own, which other programs ignore: ``contacts/pairs``
(K, 2), where the second disc is -1 for a wall; ``contacts/forces`` (K,); ``contacts/vectors`` (K, d), the unit vectors
from the first disc to the second or to the wall. ``rattler`` (N,) is 0 or 1.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.files.gsd.container import GsdContainer
from engine.frame import Network

APPLICATION = "aggviewer"
SCHEMA = "hoomd"
SCHEMA_VERSION = (1, 4)  # more programs read it than 2.0

STEP = "configuration/step"
DIMENSIONS = "configuration/dimensions"
BOX = "configuration/box"
COUNT = "particles/N"
POSITION = "particles/position"
VELOCITY = "particles/velocity"
DIAMETER = "particles/diameter"
MASS = "particles/mass"
IMAGE = "particles/image"
ORIENTATION = "particles/orientation"
ANGULAR_MOMENTUM = "particles/angmom"
INERTIA = "particles/moment_inertia"
TYPE_NAMES = "particles/types"
TYPE_ID = "particles/typeid"
TYPE_SHAPES = "particles/type_shapes"
EXACT_POSITION = "log/particles/position"
EXACT_VELOCITY = "log/particles/velocity"
EXACT_BOX = "log/box"
EXACT_MASS = "log/particles/mass"
EXACT_RADIUS = "log/particles/radius"
CLUSTER = "log/particles/cluster"
PERIODIC = "log/periodic"
SCENARIO = "log/scenario"
TIME = "log/time"
FLOW = "log/flow"
BOND_COUNT = "bonds/N"
BOND_TYPES = "bonds/types"
BOND_GROUP = "bonds/group"
BOND_FORCE = "log/bonds/force"
RATTLER = "log/particles/rattler"
CONTACTS = ("contacts/pairs", "contacts/forces", "contacts/vectors")
CONTACTS_IN_LOG = tuple(f"log/{name}" for name in CONTACTS)  # where older recordings have them

MAX_FIELDS = 32
"""How many further quantities of each disc are read from a frame at most."""

_OF_DISCS = "log/particles/"
_TAKEN = {name.removeprefix(_OF_DISCS) for name in (EXACT_POSITION, EXACT_VELOCITY, EXACT_MASS, EXACT_RADIUS)}
_TAKEN |= {name.removeprefix(_OF_DISCS) for name in (CLUSTER, RATTLER)}


def into_tilted(positions: NDArray[np.float64], box: NDArray[np.float64], offset: float) -> NDArray[np.int32]:
    """How many sides of the box to add to x, (N,), for the images of positions (N, d) that lie in HOOMD's tilted box.

    box : (d,); offset : how far images above are ahead, a length.
    """
    if not offset:
        return np.zeros(len(positions), np.int32)
    lean = offset * (positions[:, 1] / box[1] - 0.5)
    return np.asarray(-np.floor((positions[:, 0] - lean) / box[0]), np.int32)


def chunk_of_field(name: str) -> str:
    """The name of the chunk that holds a quantity of each disc.

    Raises ValueError for a name that is not an identifier, is too long, or is one of the chunks above.
    """
    if not name.isidentifier() or len(_OF_DISCS + name) > 63 or name in _TAKEN:
        raise ValueError(f"{name!r} cannot be the name of a quantity of discs in a GSD file")
    return _OF_DISCS + name


def field_of_chunk(chunk: str) -> str:
    """The name of the quantity of each disc that a chunk holds; "" for a chunk that holds something else."""
    name = chunk.removeprefix(_OF_DISCS)
    return name if name != chunk and name.isidentifier() and name not in _TAKEN else ""


CONTACT_CHUNKS = (
    *(RATTLER, BOND_COUNT, BOND_GROUP, BOND_FORCE),
    *CONTACTS,
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
        RATTLER: np.asarray(net.rattlers, np.uint8),
        BOND_COUNT: np.array([between.sum()], np.uint32),
        BOND_FORCE: np.asarray(net.forces[between], np.float64) if between.any() else np.zeros(1),
    }
    if between.any():
        chunks[BOND_GROUP] = net.pairs[between].astype(np.uint32)
    if len(net.forces):
        parts = (np.asarray(net.pairs, np.int32), np.asarray(net.forces), np.asarray(net.vectors))
        chunks |= dict(zip(CONTACTS, parts, strict=True))
    return chunks


def read_contacts(file: GsdContainer, frame: int, count: int, dimensions: int) -> Network | None:
    """Read the contacts of a frame of `count` discs in so many dimensions; None if it has none.

    Raises InputError if the chunks do not fit together or hold impossible values.
    """
    names = next((names for names in (CONTACTS, CONTACTS_IN_LOG) if file.has(frame, names[0])), None)
    if names is None:
        return None
    parts = [file.chunk(frame, name, _MOST * count) for name in (*names, RATTLER)]
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
