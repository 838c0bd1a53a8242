"""Structured arrays: the state of the kernels by name.

Where several values belong to one thing (a node of a tree, a cluster, a link), they are one row of a structured array,
and the fields of its dtype say their names. A kernel reads and writes ``nodes[k].left``, or takes the row once,
``node = nodes[k]``: that is a reference, nothing is copied. It never assigns one row to another, which would copy field
by field. Python reads columns, ``nodes["left"]``. Fields that are used together stand together, so that they lie on the
same cache line of 64 bytes.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Records: TypeAlias = NDArray[np.void]
"""A structured array."""

Record: TypeAlias = Any
"""One row of a structured array."""


def record(*fields: str, size: int | None = None) -> np.dtype[np.void]:
    """The dtype of rows with these fields, aligned as the processor wants them.

    Parameters
    ----------
    fields
        Each the type of some fields and their names, ``"f8 x y"``, in the order in which they lie in memory.
    size
        Bytes of a row where it is to be longer than its fields.
    """
    words = [part.split() for part in fields]
    layout: dict[str, Any] = {
        "names": [name for _, *names in words for name in names],
        "formats": [kind for kind, *names in words for _ in names],
    }
    if size is not None:
        layout["itemsize"] = size
    return np.dtype(layout, align=True)  # type: ignore[call-overload,no-any-return]


def zeros(rows: int, dtype: np.dtype[np.void], first: int = 0) -> Records:
    """Zeros, (rows,), of which row `first` begins on a cache line."""
    raw = np.zeros(rows * dtype.itemsize + 64, np.uint8)
    begin = -(raw.ctypes.data + first * dtype.itemsize) % 64
    return raw[begin : begin + rows * dtype.itemsize].view(dtype)


def single(dtype: np.dtype[np.void], of: Records | None = None) -> Record:
    """A record by itself, zeros or a copy of the one in an array (1,): its fields are attributes, as in kernels.

    numba takes some microseconds to look at one. What is handed to kernels thousands of times a second is better a
    row of an array, ``np.zeros(1, dtype)[0]``, whose fields Python reads as ``row["name"]``.
    """
    made = np.zeros(1, dtype)
    if of is not None:
        made[:] = of
    return made.view(np.recarray)[0]


def unpadded(rows: Records) -> Records:
    """A copy of structured rows without the room that `record` has left behind their fields; all gaps hold zeros."""
    names = rows.dtype.names or ()
    kept = np.zeros(rows.shape, np.dtype([(name, rows.dtype[name]) for name in names], align=True))
    kept[...] = rows
    return kept


def columns(rows: Records, *names: str) -> NDArray[Any]:
    """Fields of structured rows (K,) side by side, (K, names), a copy."""
    return np.stack([rows[name] for name in names], axis=-1)
