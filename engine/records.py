"""Structured arrays, in which kernels keep their state by name.

The values that belong to one thing (a node of a tree, a cluster, a link) are one row of a structured array, and the
fields of its dtype name them. A kernel reads and writes ``nodes[k].left``, or takes a reference to a row,
``node = nodes[k]``, which copies nothing. It never assigns one row to another, since numba would copy field by field.
Python reads columns, ``nodes["left"]``. Fields that are used together are neighbours, so that they are on the same
cache line of 64 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Records: TypeAlias = NDArray[np.void]
"""A structured array."""

Record: TypeAlias = Any
"""One row of a structured array."""


def record(*fields: str, size: int | None = None) -> np.dtype[np.void]:
    """A dtype with these fields, aligned as a C compiler would align them.

    Parameters
    ----------
    fields
        Each a type and the names of the fields of this type, ``"f8 x y"``, in their order in memory.
    size
        The bytes of a row, where it is to be longer than its fields.
    """
    words = [part.split() for part in fields]
    names = [name for _, *names in words for name in names]
    return _laid_out(names, [kind for kind, *names in words for _ in names], size)


def in_space(plane: np.dtype[np.void], size: int | None = None) -> np.dtype[np.void]:
    """The dtype of the same row in space: with a field of the third axis after each of the second (`with_third`).

    size : as for `record`.
    """
    kinds = {name: plane[one] for one in plane.names or () for name in with_third([one])}
    return _laid_out(list(kinds), list(kinds.values()), size)


def _laid_out(names: list[str], kinds: list[Any], size: int | None) -> np.dtype[np.void]:
    layout: dict[str, Any] = {"names": names, "formats": kinds}
    if size is not None:
        layout["itemsize"] = size
    return np.dtype(layout, align=True)  # type: ignore[call-overload,no-any-return]


def with_third(names: Iterable[str]) -> list[str]:
    """Names of fields, with that of the third axis after each of the second: z after y, vz after vy, box_z after box_y,
    z_min after y_min, layers after rows."""
    found: list[str] = []
    for name in names:
        third = re.sub(r"(^|_)([vpdf]?)y(?=_|$)", r"\1\2z", name.replace("rows", "layers"))
        found += [name] if third == name else [name, third]
    return found


def along(name: str, dimensions: int) -> list[str]:
    """The names of fields along each axis: ``along("v", 3)`` is vx, vy, vz; ``along("_min", 2)`` is x_min, y_min."""
    return [axis + name if name.startswith("_") else name + axis for axis in "xyz"[:dimensions]]


def zeros(rows: int, dtype: np.dtype[np.void], first: int = 0) -> Records:
    """An array of zeros, (rows,), whose row `first` begins on a cache line."""
    raw = np.zeros(rows * dtype.itemsize + 64, np.uint8)
    begin = -(raw.ctypes.data + first * dtype.itemsize) % 64
    return raw[begin : begin + rows * dtype.itemsize].view(dtype)


def single(dtype: np.dtype[np.void]) -> Record:
    """A single record of zeros. Its fields are attributes, as in kernels.

    Passing one to a kernel takes some microseconds. Where that happens thousands of times a second, a row of a plain
    array is better, ``np.zeros(1, dtype)[0]``, whose fields Python reads as ``row["name"]``.
    """
    return np.zeros(1, dtype).view(np.recarray)[0]


def copied(array: NDArray[Any]) -> NDArray[Any]:
    """A copy of an array of any shape without gaps between its rows. What alignment leaves unused within a row holds
    zeros."""
    kept = np.zeros(array.shape, array.dtype)
    kept[...] = array
    return kept


def own_arrays(arrays: Any) -> Any:
    """A copy of a NamedTuple of arrays, single records and plain numbers, byte by byte.

    Each array lies on its cache lines as the one that is copied. Two arrays that share all their memory do so in the
    copy too.
    """
    made: dict[int, NDArray[np.uint8]] = {}

    def own(value: Any) -> Any:
        if not isinstance(value, np.ndarray):
            return value.copy() if isinstance(value, np.generic) else value
        place = value.ctypes.data
        if place not in made or made[place].nbytes != value.nbytes:
            raw = np.empty(value.nbytes + 64, np.uint8)
            begin = (place - raw.ctypes.data) % 64
            made[place] = raw[begin : begin + value.nbytes]
            made[place][:] = value.reshape(-1).view(np.uint8)
        return made[place].view(value.dtype).reshape(value.shape)

    return arrays._make(own(value) for value in arrays)


def columns(rows: Records, *names: str) -> NDArray[Any]:
    """Some fields of a structured array (K,) as a plain array with a column for each, (K, names); a copy."""
    return np.stack([rows[name] for name in names], axis=-1)
