"""Structured arrays in a session file: each field is written as an array of plain numbers, called a column.

What fields an array must have, and of which types, the system declares that reads them (`engine.saved`). So a file need
not say it, and columns are written, read and checked like all other arrays, by `saved.arrays`.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.saved.arrays import write_array
from engine.errors import InputError

NAME = r"[a-z][a-z0-9_]{0,31}"
"""The name of an array or of a field."""


def write_record(file: zipfile.ZipFile, member: str, array: NDArray[Any], cancelled: Callable[[], bool]) -> None:
    """Add a structured array (K,) to a ZIP file, a member ``MEMBER.FIELD.npy`` for each field; see `write_array`.

    Raises InputError for one with more axes, or with fields within fields.
    """
    if array.ndim != 1:
        raise InputError(f"{member} cannot be saved: it is an array of {array.dtype} with {array.ndim} axes")
    for field in array.dtype.names or ():
        write_array(file, f"{member}.{field}.npy", array[field], cancelled)


def record_of(path: Path, member: str, columns: dict[str, NDArray[Any]]) -> NDArray[np.void]:
    """A structured array (K,) with these fields, whose columns are removed one by one from `columns`, so that memory
    holds little twice. Raises InputError unless all have K rows."""
    lengths = {column.shape[:1] for column in columns.values()}
    if len(lengths) > 1 or () in lengths:
        raise InputError(f"{path}: {member} is damaged: its columns have different lengths", str(path))
    fields = [(name, column.dtype, column.shape[1:]) for name, column in columns.items()]
    made = np.zeros(lengths.pop(), np.dtype(fields, align=True))
    for name, *_ in fields:
        made[name] = columns.pop(name)
    return made
