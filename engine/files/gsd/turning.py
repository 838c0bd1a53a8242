"""How far discs have turned, and how fast, in HOOMD's chunks.

HOOMD has the orientation of each particle as a unit quaternion q, its angular momentum L in the frame of the particle
as the conjugate momentum p = 2 q L of that quaternion, and the principal moments of inertia. Along the axes of the box
p = 2 L q. A disc in the plane turns by φ about z: q = (cos φ/2, 0, 0, sin φ/2), and L is along z. L and I are those of
the disc alone about its centre, with I = ½ m R², of spheres ⅖ m R², as HOOMD has them: what a cluster has more of both,
as its discs fly around its centre of mass, is in their velocities.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.errors import UNIT, fault_of_orientation
from engine.files.checks import Location
from engine.files.frame import FileFrame
from engine.files.gsd import schema
from engine.files.quantities import ANGLE, ORIENTATION, SPIN, turned_by
from engine.state import moments_of_inertia


def turning_chunks(frame: FileFrame) -> dict[str, NDArray[np.float32]]:
    """The chunks of a frame whose discs turn, without the moments of inertia."""
    flat = frame.dimensions == 2
    turned, spin = frame.part(ANGLE if flat else ORIENTATION), frame.part(SPIN)
    if turned is None or spin is None:
        return {}
    if flat:
        half = 0.5 * turned
        w, z = np.cos(half), np.sin(half)
        chunks = {schema.ORIENTATION: _rows(len(half), {0: w, 3: z})}
    else:
        chunks = {schema.ORIENTATION: turned.astype(np.float32)}
    if frame.radii is None or frame.masses is None:
        return chunks
    twice = 2.0 * moments_of_inertia(frame.masses, frame.radii, frame.dimensions)
    if flat:
        about_z = twice * spin
        momentum = _rows(len(half), {0: -about_z * z, 3: about_z * w})
    else:
        doubled = twice[:, None] * spin
        v = turned[:, 1:]
        along = turned[:, :1] * doubled + np.cross(doubled, v)
        momentum = _rows(len(v), {0: -(doubled * v).sum(axis=1)} | dict(enumerate(along.T, start=1)))
    return chunks | {schema.ANGULAR_MOMENTUM: momentum}


def _rows(count: int, columns: dict[int, Floats]) -> NDArray[np.float32]:
    """Rows of four numbers, 0 where there is no column."""
    rows = np.zeros((count, 4), np.float32)
    for at, column in columns.items():
        rows[:, at] = column
    return rows


def inertia_chunk(frame: FileFrame) -> dict[str, NDArray[np.float32]]:
    """The moments of inertia of discs that turn; empty for others."""
    if schema.ANGULAR_MOMENTUM not in turning_chunks(frame):
        return {}
    assert frame.radii is not None
    assert frame.masses is not None
    moments = np.zeros((len(frame.radii), 3), np.float32)
    moments[:, 2 if frame.dimensions == 2 else 0 :] = moments_of_inertia(frame.masses, frame.radii, frame.dimensions)[
        :, None
    ]
    return {schema.INERTIA: moments}


def turning_fields(
    where: Location, dimensions: int, orientation: Floats | None, momentum: Floats | None, inertia: Floats | None
) -> dict[str, Floats]:
    """The fields of discs that turn (`engine.files.quantities`), from HOOMD's chunks.

    Discs without a moment of inertia about an axis do not turn about it for HOOMD.

    Parameters
    ----------
    where : the frame, for messages.
    dimensions : 2 or 3.
    orientation, momentum : (N, 4), None for a file that does not have them.
    inertia : (N, 3), as well.

    Raises
    ------
    InputError
        An orientation is not a unit quaternion, or in the plane not a rotation there.
    """
    if orientation is None:
        return {}
    if fault := fault_of_orientation(orientation):
        raise where.error(fault)
    w, v = orientation[:, 0], orientation[:, 1:]
    tilted = np.hypot(v[:, 0], v[:, 1]) > UNIT
    if dimensions == 2 and tilted.any():
        raise where.error(f"the orientation of disc {int(tilted.argmax())} is not a rotation in the plane")
    if dimensions == 2:
        z = v[:, 2]
        fields = {ANGLE: np.asarray(2.0 * np.arctan2(np.where(w < 0.0, -z, z), np.abs(w)))}
    else:
        fields = {ORIENTATION: orientation}
    if momentum is None or inertia is None:
        return fields
    with np.errstate(over="ignore", invalid="ignore"):
        own = 0.5 * (w[:, None] * momentum[:, 1:] - momentum[:, :1] * v - np.cross(v, momentum[:, 1:]))
        spin = np.divide(own, inertia, out=np.zeros_like(own), where=inertia > 0.0)
        fields[SPIN] = spin[:, 2] if dimensions == 2 else turned_by(orientation, spin)
    return fields
