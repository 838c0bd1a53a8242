"""Records (numpy's structured arrays) in a session file: a column of plain numbers for each field, and back again.

A field of a field has a name with dots, ``nodes.box.low``. `session.json` says of every record how its fields follow
one another, so that the array that is read has the type of the one that was written. Columns are arrays like all
others: their kinds, sizes and contents are checked by `saved.arrays`.
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

from aggviewer.session.saved.arrays import KINDS, MAX_AXES, Part, check_room, read_array, write_array
from engine.errors import InputError

MAX_COLUMNS = 128  # of one record
MAX_DEPTH = 3  # of fields within fields
MAX_SIDE = 64  # of an array within a record
MAX_SPARE = 64  # bytes by which a record may be longer than its fields, to begin where a line of the cache does

NAME = r"[a-z][a-z0-9_]{0,31}"
_NAME = re.compile(NAME)


class RecordHead(Part):
    """What `session.json` says of a record.

    shape : of the array; size : bytes of one record, which may be longer than its fields; aligned : whether those lie
    where a compiler of C would put them, as ``numpy.dtype(..., align=True)`` does; fields : a list for each field, in
    their order, with its name, its kind as NPY names it (or such a list again, for a field that has fields itself)
    and, where each record has several values, their shape.
    """

    shape: list[int] = Field(max_length=MAX_AXES)
    size: int = Field(ge=1)
    aligned: bool
    fields: list[Any]

    def dtype(self) -> np.dtype[Any] | None:
        """The type of one record; None where there is no such type that a file may hold."""
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
    """What is said of a record; InputError for one that could not be read again."""
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
    """The ways to the plain fields of a record, field by field: ``("box", "low")``."""
    for name in dtype.names or ():
        way = (*before, name)
        if dtype[name].base.names is None:
            yield way
        else:
            yield from columns_of(dtype[name].base, way)


def column(array: NDArray[Any], way: tuple[str, ...]) -> NDArray[Any]:
    """A view of one column: the shape of the array, followed by that of the values in each record."""
    return reduce(lambda part, name: part[name], way, array)


def write_record(file: zipfile.ZipFile, member: str, array: NDArray[Any], cancelled: Callable[[], bool]) -> None:
    """Add the columns of a record as ``member.FIELD.npy``; see `write_array`."""
    for way in columns_of(array.dtype):
        write_array(file, _member(member, way), column(array, way), cancelled)


def check_records(path: Path, file: zipfile.ZipFile, size: int, records: Mapping[str, RecordHead]) -> set[str]:
    """The members that are columns of these records, by their members. InputError where one is missing or too short, or
    where the records would take more memory than a file of this size may."""
    members: set[str] = set()
    gaps = 0  # what alignment leaves unused
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
    """The record of which `check_records` has found the columns; InputError where they are not what the head says."""
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
    fields: list[Any] = []
    for name in dtype.names or ():
        base, shape = dtype[name].base, dtype[name].shape
        kind = _fields_of(base, depth - 1) if base.names and depth > 1 else base.newbyteorder("<").str
        fields.append([name, kind, list(shape)] if shape else [name, kind])
    return fields


def _dtype_of(fields: list[Any], aligned: bool, depth: int) -> np.dtype[Any] | None:
    """The type that these fields describe, None where they may be anything else."""
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
