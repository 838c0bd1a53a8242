"""Radii and shapes of the particles in GSD files of other programs.

HOOMD's schema has four places for the size of a particle. The first one in this list that a file has is used:

- ``state/hpmc/sphere/radius`` and ``state/hpmc/ellipsoid/a`` with ``b``, the state of a Monte Carlo simulation by type;
- ``particles/diameter``, for each particle;
- ``particles/type_shapes``, for pictures, by type: JSON such as ``{"type": "Sphere", "diameter": 2}``;
- the diameter 1.

An ellipse with equal axes is a disc. A notice names all other shapes; they are read as discs with the diameter from
the other places.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.files.checks import Array
from engine.files.gsd import schema
from engine.files.gsd.container import GsdContainer
from engine.files.limits import plain

_MOST_TYPES = 1 << 12
_MOST_LOOKED_AT = 1000  # frames
_WIDEST = 1 << 16  # bytes of the JSON of a shape
_CLOSE = 1e-5  # relative: single precision
_SIMULATED = "state/hpmc"


@dataclass
class _ByType:
    """The radii of the types of discs from one place, NaN if it has none; and the shapes that are not discs."""

    radii: Array = field(default_factory=lambda: np.zeros(0))
    others: list[str] = field(default_factory=list)

    def of(self, types: NDArray[np.int64]) -> Array:
        """The radii of discs (N,) of these types."""
        known = np.append(self.radii, np.full(max(0, int(types.max()) + 1 - len(self.radii)), np.nan))
        return np.asarray(known[types])


def read_radii(file: GsdContainer, frame: int, count: int) -> tuple[Array, str]:
    """The radii (N,) of the `count` discs of a frame, and a notice about shapes and sizes, "" for none.

    Raises
    ------
    InputError
        A chunk does not hold what the schema says.
    """
    where = file.where.frame(frame)
    types = _types(file, frame, count)
    simulated, drawn = _simulated(file, frame), _drawn(file, frame)
    diameters = _column(file, frame, schema.DIAMETER, count)
    if diameters is not None and len(diameters) != count:
        raise where.error(f"{schema.DIAMETER} has {len(diameters)} rows of 1 numbers for {count} discs")
    places = {
        _SIMULATED: simulated.of(types),
        schema.DIAMETER: np.full(count, np.nan) if diameters is None else 0.5 * diameters,
        schema.TYPE_SHAPES: drawn.of(types),
    }
    radii = np.full(count, np.nan)
    for values in places.values():
        radii = np.where(np.isnan(radii), values, radii)
    notices = []
    others = list(dict.fromkeys(simulated.others + drawn.others))
    if others:
        notices.append(
            f"it has shapes other than discs ({', '.join(others[:4])}); they are read as discs with the diameter in "
            f"{schema.DIAMETER}, or 1 if it has none"
        )
    for name, values in places.items():
        with np.errstate(all="ignore"):
            differs = np.abs(values - radii) > _CLOSE * np.abs(radii)
        if differs.any():
            held = next(other for other, found in places.items() if not np.isnan(found[differs]).all())
            notices.append(f"the sizes in {name} differ from those in {held}, which are used")
    return np.where(np.isnan(radii), 0.5, radii), "; ".join(notices)


def shape_notice(file: GsdContainer, count: int) -> str:
    """The notices of `read_radii` about the frames of a file, "" for none.

    Frames in which no shape changes are skipped, and damaged ones too: reading them raises the error.
    """
    found: dict[str, None] = {}
    for frame in sorted({frame for name in _shape_chunks(file) for frame in file.frames_with(name)})[:_MOST_LOOKED_AT]:
        try:
            found[read_radii(file, frame, count)[1]] = None
        except InputError:
            continue
    return "; ".join(notice for notice in found if notice)


def _shape_chunks(file: GsdContainer) -> list[str]:
    """The names of all chunks of a file that hold shapes."""
    simulated = f"{_SIMULATED}/"
    return [name for name in file.names if name == schema.TYPE_SHAPES or name.startswith(simulated)]


def _types(file: GsdContainer, frame: int, count: int) -> NDArray[np.int64]:
    """The number of the type of each disc, (N,)."""
    values = file.inherited(frame, schema.TYPE_ID, count)
    if values is None:
        return np.zeros(count, np.int64)
    if values.shape != (count, 1) or values.dtype.kind not in "ui" or not (values < _MOST_TYPES).all():
        raise file.where.frame(frame).error(
            f"{schema.TYPE_ID} must be a whole number below {_MOST_TYPES} for each of the {count} discs"
        )
    return values[:, 0].astype(np.int64)


def _simulated(file: GsdContainer, frame: int) -> _ByType:
    """The sizes in the state of HOOMD's Monte Carlo simulation."""
    here = [name for name in _shape_chunks(file) if file.has(frame, name) or file.has(0, name)]
    others = {name.split("/")[2] for name in here if name != schema.TYPE_SHAPES} - {"sphere", "integrate"}
    radii = _column(file, frame, f"{_SIMULATED}/sphere/radius")
    one, other = (_column(file, frame, f"{_SIMULATED}/ellipsoid/{axis}") for axis in "ab")
    if radii is None and one is not None and other is not None and len(one) == len(other):
        equal = np.abs(one - other) <= _CLOSE * one
        radii = np.where(equal, one, np.nan)
        if equal.all():
            others.discard("ellipsoid")
    return _ByType(np.zeros(0) if radii is None else radii, sorted(map(plain, others)))


def _drawn(file: GsdContainer, frame: int) -> _ByType:
    """The sizes of the shapes that are stored for pictures."""
    rows = file.inherited(frame, schema.TYPE_SHAPES, _MOST_TYPES, _WIDEST)
    found = _ByType(np.full(0 if rows is None else len(rows), np.nan))
    for number, row in enumerate([] if rows is None else rows):
        text = row.tobytes().partition(b"\0")[0]
        try:
            shape = json.loads(text or b"{}")
            kind = shape.get("type", "")
            if kind == "Sphere":
                found.radii[number] = 0.5 * float(shape.get("diameter", np.nan))
            elif kind == "Ellipsoid" and abs(float(shape["a"]) - float(shape["b"])) <= _CLOSE * abs(float(shape["a"])):
                found.radii[number] = float(shape["a"])
            elif kind:
                found.others.append(plain(str(kind)))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            raise file.where.frame(frame).error(
                f"{schema.TYPE_SHAPES} does not say the shape of type {number} in JSON"
            ) from None
    return found


def _column(file: GsdContainer, frame: int, name: str, most: int = _MOST_TYPES) -> Array | None:
    """A chunk with one number in each row, (rows,) float64; None if the file has none."""
    values = file.inherited(frame, name, most)
    if values is None:
        return None
    if values.shape[1] != 1 or np.isnan(values).any():
        raise file.where.frame(frame).error(f"{name} must have one number in each row")
    return values[:, 0].astype(np.float64)
