"""How far discs have turned, and how fast, in HOOMD's chunks.

HOOMD has the orientation of each particle as a unit quaternion q, its angular momentum L in the frame of the particle
as the conjugate momentum p = 2 q L of that quaternion, and the principal moments of inertia. A disc in the plane turns
by φ about z: q = (cos φ/2, 0, 0, sin φ/2), and L is along z. L and I are those of the disc alone about its centre, with
I = ½ m R², as HOOMD has them: what a cluster has more of both, as its discs fly around its centre of mass, is in their
velocities.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.files.checks import Location
from engine.files.frame import ANGLE, SPIN, FileFrame
from engine.files.gsd import schema
from engine.state import moments_of_inertia

_UNIT = 1e-3  # how much the length of an orientation may differ from 1, and how much of it may lie out of the plane


def turning_chunks(frame: FileFrame) -> dict[str, NDArray[np.float32]]:
    """The chunks of a frame in the plane whose discs have an angle and a spin, without the moments of inertia."""
    angle, spin = frame.of_each_disc(ANGLE), frame.of_each_disc(SPIN)
    if angle is None or spin is None or frame.dimensions > 2:
        return {}
    half = 0.5 * angle
    turned = np.zeros((len(half), 4), np.float32)
    turned[:, 0], turned[:, 3] = np.cos(half), np.sin(half)
    chunks = {schema.ORIENTATION: turned}
    if frame.radii is not None and frame.masses is not None:
        twice = 2.0 * moments_of_inertia(frame.masses, frame.radii) * spin
        momentum = np.zeros_like(turned)
        momentum[:, 0], momentum[:, 3] = -twice * np.sin(half), twice * np.cos(half)
        chunks[schema.ANGULAR_MOMENTUM] = momentum
    return chunks


def inertia_chunk(frame: FileFrame) -> dict[str, NDArray[np.float32]]:
    """The moments of inertia of discs that turn; empty for others."""
    if schema.ANGULAR_MOMENTUM not in turning_chunks(frame):
        return {}
    assert frame.radii is not None
    assert frame.masses is not None
    moments = np.zeros((len(frame.radii), 3), np.float32)
    moments[:, 2] = moments_of_inertia(frame.masses, frame.radii)
    return {schema.INERTIA: moments}


def turning_fields(
    where: Location, orientation: Floats | None, momentum: Floats | None, inertia: Floats | None
) -> dict[str, Floats]:
    """The fields ``angle`` and ``spin`` of discs in the plane, from HOOMD's chunks.

    Discs without a moment of inertia do not turn for HOOMD: their spin is 0.

    Parameters
    ----------
    where : the frame, for messages.
    orientation, momentum : (N, 4), None for a file that does not have them.
    inertia : (N, 3), as well.

    Raises
    ------
    InputError
        An orientation is not a unit quaternion, or not a rotation in the plane.
    """
    if orientation is None:
        return {}
    with np.errstate(invalid="ignore", over="ignore"):
        length = np.hypot.reduce(orientation, axis=1)
        unit = np.abs(length - 1.0) <= _UNIT  # false for what is not a number
        flat = np.hypot(orientation[:, 1], orientation[:, 2]) <= _UNIT
    if not unit.all():
        raise where.error(
            f"the orientation of disc {int(unit.argmin())} must be a unit quaternion, not one of length "
            f"{length[unit.argmin()]:g}"
        )
    if not flat.all():
        raise where.error(f"the orientation of disc {int(flat.argmin())} is not a rotation in the plane")
    w, z = orientation[:, 0], orientation[:, 3]
    fields = {ANGLE: np.asarray(2.0 * np.arctan2(np.where(w < 0.0, -z, z), np.abs(w)))}
    if momentum is None or inertia is None:
        return fields
    turns = inertia[:, 2] > 0.0
    own = 0.5 * (w * momentum[:, 3] - z * momentum[:, 0])
    with np.errstate(over="ignore", invalid="ignore"):
        fields[SPIN] = np.divide(own, inertia[:, 2], out=np.zeros(len(w)), where=turns)
    return fields
