"""From what stands in a file to a frame that can be used, or one sentence that says why not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.files.frame import FileFrame

Array = NDArray[np.float64]

FLAT = 1e-6  # z may differ by this times the longer side of the state
STRAIGHT = 1e-9  # what a side of the box may lean, times the longest number of its cell: programs round
_INT32 = 2**31


def checked(path: Path, where: str, frame: FileFrame) -> FileFrame:
    """The frame, its discs wrapped into a periodic box; InputError where a number in it cannot be used.

    where : begins the sentence, the file and the frame or line.
    """
    key = str(path)
    for values, name in ((frame.positions, "position"), (frame.velocities, "velocity")):
        if values is not None and not np.isfinite(values).all():
            bad = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
            raise InputError(f"{where}: the {name} of disc {bad} is not a finite number", key)
    for sizes, name in ((frame.radii, "radius"), (frame.masses, "mass")):
        if sizes is not None and not ((sizes > 0.0) & np.isfinite(sizes)).all():
            bad = int(np.flatnonzero(~((sizes > 0.0) & np.isfinite(sizes)))[0])
            raise InputError(f"{where}: the {name} of disc {bad} must be a finite number above 0", key)
    if frame.box is not None and not ((frame.box > 0.0) & np.isfinite(frame.box)).all():
        raise InputError(f"{where}: the sides of the box must be finite numbers above 0", key)
    if frame.time is not None and not np.isfinite(frame.time):
        frame.time = None
    if frame.periodic and frame.box is not None:
        frame.positions = wrapped(frame.positions, frame.box)
    return frame


def frame_of_columns(
    path: Path,
    where: str,
    positions: Array,
    columns: Mapping[str, Array],
    *,
    box: Array | None,
    periodic: bool | None = None,
    time: float | None = None,
) -> FileFrame:
    """A frame of a text file, checked.

    Parameters
    ----------
    path, where : the file, and the frame in it, which begins the sentence of an InputError.
    positions : (N, 2), from the lower corner of the box.
    columns : the numbers of the discs, (N,), by name: ``vx`` with ``vy``, ``radius`` or ``diameter``, ``mass``, and
        ``cluster``, or ``mol``, in which 0 is no molecule. Each may be missing; other names are passed over.
    box, periodic, time : as in `FileFrame`.
    """
    radii = columns.get("radius")
    if radii is None and "diameter" in columns:
        radii = 0.5 * columns["diameter"]
    if "cluster" in columns:
        cluster: NDArray[np.int32] | None = whole_numbers(path, where, columns["cluster"], "cluster")
    else:
        cluster = molecules(path, where, columns["mol"]) if "mol" in columns else None
    frame = FileFrame(
        positions=positions,
        velocities=np.column_stack([columns["vx"], columns["vy"]]) if "vx" in columns and "vy" in columns else None,
        radii=radii,
        masses=columns.get("mass"),
        cluster=cluster,
        box=box,
        periodic=periodic,
        time=time,
    )
    return checked(path, where, frame)


def molecules(path: Path, where: str, values: Array) -> NDArray[np.int32]:
    """Clusters from LAMMPS' molecule numbers (N,): discs of molecule 0, which is none, get clusters of their own, with
    numbers below 0."""
    cluster = whole_numbers(path, where, values, "molecule")
    alone = np.flatnonzero(cluster == 0)
    if not (cluster >= 0).all():
        raise InputError(f"{where}: a molecule has a number below 0", str(path))
    cluster[alone] = -1 - np.arange(len(alone), dtype=np.int32)
    return cluster


def wrapped(positions: Array, box: Array) -> Array:
    """Positions (N, 2) in [0, L_x) x [0, L_y); those that are inside already keep their bits."""
    if positions.min() < 0.0 or (positions.max(axis=0) >= box).any():
        outside = (positions < 0.0) | (positions >= box)
        folded = np.mod(positions, box)
        folded[folded >= box] = 0.0  # a tiny negative number, rounded up to the side itself
        positions = np.where(outside, folded, positions)
    return positions


def flat(path: Path, where: str, heights: Array | None, side: float) -> None:
    """Refuse a state whose z (N,) is not the same everywhere. side : the longer side of the box."""
    if heights is None or not len(heights):
        return
    spread = float(heights.max()) - float(heights.min())
    if not np.isfinite(spread) or spread > FLAT * abs(side):
        raise InputError(f"{where}: this is a three-dimensional state: z is not the same for all discs", str(path))


def whole_numbers(path: Path, where: str, values: Array, name: str) -> NDArray[np.int32]:
    """Numbers (N,) as int32; InputError where one is not whole or too large."""
    good = (values >= -_INT32) & (values < _INT32)
    if not good.all() or not (values == np.rint(values)).all():
        bad = int(np.flatnonzero(~good | (values != np.rint(values)))[0])
        raise InputError(f"{where}: the {name} of disc {bad} must be a whole number of 32 bits", str(path))
    return values.astype(np.int32)


def box_of_sides(path: Path, where: str, sides: tuple[float, float]) -> Array:
    """(2,), for sides that are finite and above 0."""
    box = np.array(sides)
    if not ((box > 0.0) & np.isfinite(box)).all():
        raise InputError(f"{where}: the sides of the box must be finite numbers above 0", str(path))
    return box


def rectangle(path: Path, where: str, cell: Array, origin: Array) -> tuple[Array, Array]:
    """Sides (2,) and lower corner (2,) of a cell, which must be a rectangle with sides along x and y.

    cell : (3, 3), a vector in each row; the first two may be in any order and point to either side. origin : (3,), the
    corner from which they start. InputError where the cell leans.
    """
    plane = cell[:2, :2]
    if not (np.isfinite(cell).all() and np.isfinite(origin).all()):
        raise InputError(f"{where}: the vectors of the box must be finite numbers", str(path))
    there = np.abs(cell) > STRAIGHT * np.abs(plane).max()
    there[2, 2] = False
    if (there.sum(axis=0) > 1).any() or (there.sum(axis=1) > 1).any() or there[2].any() or there[:, 2].any():
        raise InputError(f"{where}: the box is triclinic; only rectangular boxes can be read", str(path))
    sides = np.where(there[:2, :2], plane, 0.0)
    box = box_of_sides(path, where, (float(np.abs(sides[:, 0]).sum()), float(np.abs(sides[:, 1]).sum())))
    return box, origin[:2] + np.minimum(sides, 0.0).sum(axis=0)
