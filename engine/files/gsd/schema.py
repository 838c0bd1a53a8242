"""Names of the chunks in HOOMD's schema, and of those that our recordings add to the log.

HOOMD's box is centred: positions run from -L/2 to L/2 in single precision, with L_z = 0 and two dimensions. The log
has them in double precision, in the box [0, L_x] x [0, L_y]: positions and velocities (N, 2), radii and masses (N,),
``box`` (2,), and beside them clusters (N,), ``time`` (1,), ``periodic`` (1,) and, in the first frame, ``scenario``:
TOML in UTF-8 as bytes.

A packing has its contacts as HOOMD's bonds between discs (``group``, pairs of discs), with ``log/bonds/force``, which
OVITO takes as a property of the bonds. Their number varies, for which the gsd package is not made: `gsd.hoomd.open`
wants each log chunk in the first frame, `gsd.hoomd.read_log` wants it in the shape that it has there, but takes any
that is not empty where that is one number. So the first of several frames has no bonds, and the force of a frame
without bonds is one 0. Complete, in all frames and with the walls, which no bond leads to, the contacts are in chunks
of our own that other programs pass over: ``contacts/pairs`` (K, 2), the second disc -1 for a wall, ``forces`` (K,),
``vectors`` (K, 2), from the first disc to the second or to the wall, of length 1. ``rattler`` (N,) is 0 or 1.

What else a simulation says of each disc is in the log of the particles under its own name, in every frame: (N,) or
(N, k), numbers of any type.
"""

from __future__ import annotations

APPLICATION = "aggviewer"
SCHEMA = "hoomd"
SCHEMA_VERSION = (1, 4)  # the last in which all is single precision: more programs read it than 2.0

STEP = "configuration/step"
DIMENSIONS = "configuration/dimensions"
BOX = "configuration/box"
COUNT = "particles/N"
POSITION = "particles/position"
VELOCITY = "particles/velocity"
DIAMETER = "particles/diameter"
MASS = "particles/mass"
TYPE_NAMES = "particles/types"
EXACT_POSITION = "log/particles/position"
EXACT_VELOCITY = "log/particles/velocity"
EXACT_BOX = "log/box"
EXACT_MASS = "log/particles/mass"
EXACT_RADIUS = "log/particles/radius"
CLUSTER = "log/particles/cluster"
PERIODIC = "log/periodic"
SCENARIO = "log/scenario"
TIME = "log/time"
BOND_COUNT = "bonds/N"
BOND_TYPES = "bonds/types"
BOND_GROUP = "bonds/group"
BOND_FORCE = "log/bonds/force"
RATTLER = "log/particles/rattler"
CONTACTS = ("contacts/pairs", "contacts/forces", "contacts/vectors")
CONTACTS_IN_LOG = tuple(f"log/{name}" for name in CONTACTS)  # where recordings had them before they were bonds

MAX_FIELDS = 32
"""Quantities of each disc that are read of a frame, at most."""

_OF_DISCS = "log/particles/"
_TAKEN = {name.removeprefix(_OF_DISCS) for name in (EXACT_POSITION, EXACT_VELOCITY, EXACT_MASS, EXACT_RADIUS)}
_TAKEN |= {name.removeprefix(_OF_DISCS) for name in (CLUSTER, RATTLER)}


def chunk_of_field(name: str) -> str:
    """The chunk in which a quantity of each disc stands. ValueError for a name that cannot be one."""
    if not name.isidentifier() or len(_OF_DISCS + name) > 63 or name in _TAKEN:
        raise ValueError(f"{name!r} cannot be the name of a quantity of discs in a GSD file")
    return _OF_DISCS + name


def field_of_chunk(chunk: str) -> str:
    """The name of the quantity of each disc that stands in a chunk, "" where it holds something else."""
    name = chunk.removeprefix(_OF_DISCS)
    return name if name != chunk and name.isidentifier() and name not in _TAKEN else ""
