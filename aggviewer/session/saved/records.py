"""Structured arrays in a session file: each field is written as an array of plain numbers, called a column.

A field within a field has a name with dots, ``nodes.box.low``. `session.json` holds the layout of each structured array
(`RecordHead`), so that an array is read with the same type as it was written. Columns are written, read and checked
like all other arrays, by `saved.arrays`.
"""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from aggviewer.session.saved.arrays import KINDS, MAX_AXES, SessionPart, check_room, read_array, write_array
from engine.errors import InputError

MAX_COLUMNS = 128  # of a structured array
MAX_DEPTH = 3  # levels of fields within fields
MAX_SIDE = 64  # length of an array within a row
MAX_SPARE = 64  # bytes by which a row may be longer than its fields, to fill a line of the cache

NAME = r"[a-z][a-z0-9_]{0,31}"
_NAME = re.compile(NAME)


class RecordHead(SessionPart):
    """The layout of a structured array, as `session.json` holds it.

    Attributes
    ----------
    shape : the shape of the array.
    size : the bytes of a row, which may exceed its fields.
    aligned : whether fields are aligned as a C compiler would, with ``numpy.dtype(..., align=True)``.
    fields : for each field, in order, a list of its name, its type as NPY names it (or a list of fields again), and the
        shape of its values if a row has several.
    """

    shape: list[int] = Field(max_length=MAX_AXES)
    size: int = Field(ge=1)
    aligned: bool
    fields: list[Any]

    def dtype(self) -> np.dtype[Any] | None:
        """The type of the array; None if such a type is not allowed in a file."""
        if not all(0 <= side < 1 << 40 for side in self.shape):
            return None
        dtype = _dtype_of(self.fields, self.aligned, MAX_DEPTH)
        if dtype is None or len(list(columns_of(dtype))) > MAX_COLUMNS:
            return None
        if not dtype.itemsize <= self.size <= dtype.itemsize + MAX_SPARE or self.size % dtype.alignment:
            return None
        layout = {"names": dtype.names, "formats": [dtype[name] for name in dtype.names or ()], "itemsize": self.size}
        return np.dtype(layout, align=self.aligned)  # type: ignore[call-overload,no-any-return]


def head_of(name: str, array: NDArray[Any]) -> RecordHead:
    """The layout of a structured array. Raises InputError for one that could not be read again."""
    head = RecordHead(
        shape=list(array.shape),
        size=array.dtype.itemsize,
        aligned=array.dtype.isalignedstruct,
        fields=_fields_of(array.dtype, MAX_DEPTH),
    )
    if head.dtype() != array.dtype.newbyteorder("<"):
        raise InputError(f"{name} cannot be saved: it is an array of {array.dtype}")
    return head


def columns_of(dtype: np.dtype[Any], before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of all fields without fields of their own, such as ``("box", "low")``; `before` is put before each."""
    for name in dtype.names or ():
        way = (*before, name)
        if dtype[name].base.names is None:
            yield way
        else:
            yield from columns_of(dtype[name].base, way)


def column(array: NDArray[Any], way: tuple[str, ...]) -> NDArray[Any]:
    """A view of the column at a path: the shape of the array, then that of the values in a row."""
    return reduce(lambda part, name: part[name], way, array)


def write_record(file: zipfile.ZipFile, member: str, array: NDArray[Any], cancelled: Callable[[], bool]) -> None:
    """Add a structured array to a ZIP file, a member ``MEMBER.FIELD.npy`` for each column; see `write_array`."""
    for way in columns_of(array.dtype):
        write_array(file, _member(member, way), column(array, way), cancelled)


def check_records(path: Path, file: zipfile.ZipFile, size: int, records: Mapping[str, RecordHead]) -> set[str]:
    """Check that all columns of the structured arrays `records` are in the ZIP file, and return their member names.

    Raises InputError if one is missing or too short, or if the arrays would need too much memory for a file of `size`
    bytes.
    """
    members: set[str] = set()
    gaps = 0  # bytes that alignment leaves unused
    for member, head in records.items():
        dtype = head.dtype()
        if dtype is None:
            raise InputError(f"{path}: session.json is damaged at the record {member}", str(path))
        columns = 0
        for way in columns_of(dtype):
            found = column(np.empty(0, dtype), way)
            wanted = math.prod((*head.shape, *found.shape[1:])) * found.itemsize
            name = _member(member, way)
            if name not in file.NameToInfo or file.getinfo(name).file_size < wanted:
                raise InputError(f"{path}: {name} is damaged", str(path))
            members.add(name)
            columns += wanted
        gaps += math.prod(head.shape) * dtype.itemsize - columns
    check_room(path, sum(info.file_size for info in file.infolist()) + gaps, size)
    return members


def read_record(path: Path, file: zipfile.ZipFile, member: str, head: RecordHead) -> NDArray[Any]:
    """Read a structured array that `check_records` has checked. Raises InputError if a column does not match."""
    dtype = head.dtype()
    assert dtype is not None
    array = np.zeros(head.shape, dtype)
    for way in columns_of(dtype):
        name, place = _member(member, way), column(array, way)
        found = read_array(path, file, name)
        if found.dtype != place.dtype or found.shape != place.shape:
            raise InputError(f"{path}: {name} is damaged", str(path))
        place[...] = found
    return array


def _member(record: str, way: tuple[str, ...]) -> str:
    return ".".join((record, *way)) + ".npy"


def _fields_of(dtype: np.dtype[Any], depth: int) -> list[Any]:
    """The fields of a type as `RecordHead.fields` describes them, down to a depth."""
    fields: list[Any] = []
    for name in dtype.names or ():
        base, shape = dtype[name].base, dtype[name].shape
        kind = _fields_of(base, depth - 1) if base.names and depth > 1 else base.newbyteorder("<").str
        fields.append([name, kind, list(shape)] if shape else [name, kind])
    return fields


def _dtype_of(fields: list[Any], aligned: bool, depth: int) -> np.dtype[Any] | None:
    """The type described by `RecordHead.fields`; None if the description is invalid."""
    names: list[str] = []
    formats: list[Any] = []
    for field in fields:
        if not (isinstance(field, list) and len(field) in (2, 3)):
            return None
        name, kind, shape = field if len(field) == 3 else (*field, [])
        if not (isinstance(name, str) and _NAME.fullmatch(name) and _is_shape(shape)):
            return None
        inner = _dtype_of(kind, aligned, depth - 1) if isinstance(kind, list) and depth > 1 else kind
        if not (isinstance(inner, np.dtype) or (isinstance(inner, str) and inner in KINDS)):
            return None
        names.append(name)
        formats.append((inner, tuple(shape)) if shape else inner)
    if not names or len(set(names)) < len(names) or len(names) > MAX_COLUMNS:
        return None
    return np.dtype({"names": names, "formats": formats}, align=aligned)


def _is_shape(shape: object) -> bool:
    sides = shape if isinstance(shape, list) else None
    return sides is not None and len(sides) < MAX_AXES and all(type(n) is int and 0 < n <= MAX_SIDE for n in sides)
