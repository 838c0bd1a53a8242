"""Arrays in a ZIP file in NumPy's format NPY, read with all sizes checked before memory is allocated.

NPY files can hold pickled Python objects, which could run code. Here only plain numbers of the types in `KINDS`, in C
order, are read. Writing makes the same checks as reading (`_readable`), so that every written file can be read again.

Of a structured array each field is written as an array of plain numbers, called a column. What fields it must have, and
of which types, the system declares that reads them (`engine.saved`). So a file need not say it, and columns are
written, read and checked like all other arrays.
"""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from engine.errors import InputError

KINDS = frozenset(np.dtype(code).newbyteorder("<").str for code in ("?", *np.typecodes["AllInteger"], *"efd"))
"""The types that are read, little-endian: booleans, integers, and real numbers of 2, 4 or 8 bytes.

`engine.check_checkpoint` checks which type, shape and range each array must have.
"""

MAX_AXES = 3
MAX_MEMBERS = 512  # files within the ZIP file: one for each array and for each field of a structured array
MAX_DIRECTORY = 1 << 17  # bytes of the list of members at the end of the ZIP file
MAX_BYTES = 1 << 33  # most bytes of all arrays together: 10^7 discs take 5 GB
MAX_RATIO = 200  # of the uncompressed size to that of the file; arrays of mostly zeros reach 40
SPARE = 1 << 24  # uncompressed bytes that are allowed whatever the size of the file

_MAGIC = b"\x93NUMPY\x01\x00"
_MAX_HEADER = 512
_HEADER = re.compile(
    rb"\{'descr': '([<=|>]?[a-z]\d{1,2})', 'fortran_order': False, "
    rb"'shape': \(((?:\d{1,12}, ?){0,2}(?:\d{1,12},?)?)\), \} *\n"
)
_CHUNK = 1 << 22
_END, _END_SIZE = b"PK\x05\x06", 22
_LOCATOR, _LOCATOR_SIZE = b"PK\x06\x07", 20
_END64, _END64_SIZE = b"PK\x06\x06", 56


def write_array(file: zipfile.ZipFile, name: str, array: NDArray[Any], between: Callable[[], object]) -> None:
    """Add an array of any shape to a ZIP file, compressed as set there, a few megabytes at a time, without copying it.

    between : called before each piece; what it raises ends the writing.

    Raises
    ------
    InputError
        `read_array` would refuse this array.
    """
    dtype = array.dtype.newbyteorder("<")
    if not _readable(dtype.str, array.ndim):
        raise InputError(f"{name} cannot be saved: it is an array of {array.dtype} with {array.ndim} axes")
    head = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": array.shape}
    rows = np.atleast_1d(array)
    at_once = max(1, _CHUNK // max(1, dtype.itemsize * math.prod(rows.shape[1:])))
    # by its name, since a ZipInfo made here would be compressed at the default level, which takes five times as long
    with file.open(name, "w", force_zip64=array.nbytes > 1 << 30) as out:
        npy.write_array_header_1_0(out, head)
        for start in range(0, len(rows), at_once):
            between()
            # one that is a column of a structured array is gathered here
            piece = np.ascontiguousarray(rows[start : start + at_once], dtype)
            out.write(piece.reshape(-1).view(np.uint8).data)


def check_directory(path: Path, file: IO[bytes], size: int) -> None:
    """Raise InputError for a ZIP file whose list of members is too long, before `zipfile` reads the whole list.

    A comment at the end of the ZIP file is not allowed. `size` is the length of the file in bytes.
    """
    file.seek(max(0, size - _END_SIZE - _LOCATOR_SIZE - _END64_SIZE))
    tail = file.read()
    end = tail[-_END_SIZE:]
    if len(end) < _END_SIZE or not end.startswith(_END):
        raise InputError(f"{path} is not a session file, or its end is missing", str(path))
    members, length = int.from_bytes(end[10:12], "little"), int.from_bytes(end[12:16], "little")
    locator = tail[-_END_SIZE - _LOCATOR_SIZE : -_END_SIZE]
    if locator.startswith(_LOCATOR):  # the end record of ZIP64, for files above 4 GiB
        end = tail[-_END_SIZE - _LOCATOR_SIZE - _END64_SIZE :]
        if len(end) < _END_SIZE + _LOCATOR_SIZE + _END64_SIZE or not end.startswith(_END64):
            raise InputError(f"{path} is not a session file, or its end is missing", str(path))
        members, length = int.from_bytes(end[32:40], "little"), int.from_bytes(end[40:48], "little")
    if members > MAX_MEMBERS or length > MAX_DIRECTORY or end[-2:] != b"\0\0":
        raise InputError(f"{path} contains more than a session file can hold", str(path))


def check_sizes(path: Path, file: zipfile.ZipFile, size: int, allowed: Callable[[str], bool]) -> None:
    """Raise InputError for members that a session file cannot have.

    These are members with a name that `allowed` rejects, duplicate names, encryption, another compression, or too large
    a total size. `size` is the length of the file in bytes.
    """
    names = file.namelist()
    if len(set(names)) != len(names) or not all(allowed(name) for name in names):
        raise InputError(f"{path} contains something that does not belong in a session file", str(path))
    for info in file.infolist():
        if info.flag_bits & 0x1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise InputError(f"{path} is encrypted, or compressed in an unsupported way", str(path))
    check_room(path, sum(info.file_size for info in file.infolist()), size)


def check_room(path: Path, total: int, size: int) -> None:
    """Raise InputError if `total` bytes of memory are too much for the arrays of a file of `size` bytes."""
    if total > min(MAX_BYTES, MAX_RATIO * size + SPARE):
        raise InputError(f"{path} would take too much memory ({total >> 20} MiB)", str(path))


def read_array(path: Path, file: zipfile.ZipFile, name: str) -> NDArray[Any]:
    """Read an array of any shape. Raises InputError unless its header, its data and the list of members agree."""
    info = file.getinfo(name)
    bad = InputError(f"{path}: {name} is damaged", str(path))
    with file.open(info) as source:
        found = _header(source)
        if found is None:
            raise bad
        dtype, shape = found
        if source.tell() + math.prod(shape) * dtype.itemsize != info.file_size:
            raise bad
        array = np.empty(shape, dtype)
        data = array.reshape(-1).view(np.uint8).data
        at = 0
        while at < len(data):
            got = source.readinto(data[at : at + _CHUNK])  # type: ignore[attr-defined]
            if not got:
                raise bad
            at += got
        if source.read(1):  # reading to the end also checks the check sum
            raise bad
    if dtype.kind == "b" and (array.view(np.uint8) > 1).any():
        raise bad
    return array.astype(dtype.newbyteorder("="), copy=False)


def _header(source: IO[bytes]) -> tuple[np.dtype[Any], tuple[int, ...]] | None:
    """The type and shape of an NPY file; None if `write_array` could not have written it.

    NumPy's reader evaluates the header as Python literals, which can fail in many ways; this one accepts only the form
    written here.
    """
    start = source.read(len(_MAGIC) + 2)
    length = int.from_bytes(start[len(_MAGIC) :], "little")
    if not start.startswith(_MAGIC) or length > _MAX_HEADER:
        return None
    found = _HEADER.fullmatch(source.read(length))
    if found is None:
        return None
    kind, shape = found[1].decode(), tuple(int(side) for side in found[2].split(b",") if side.strip())
    return (np.dtype(kind), shape) if _readable(kind, len(shape)) else None


def _readable(kind: str, axes: int) -> bool:
    """Whether a session file may hold an array of this type, as NPY names it, with this number of axes."""
    return kind in KINDS and axes <= MAX_AXES


NAME = r"[a-z][a-z0-9_]{0,31}"
"""The name of an array or of a field."""


def write_record(file: zipfile.ZipFile, member: str, array: NDArray[Any], between: Callable[[], object]) -> None:
    """Add a structured array (K,) to a ZIP file, a member ``MEMBER.FIELD.npy`` for each field; see `write_array`.

    Raises InputError for one with more axes, or with fields within fields.
    """
    if array.ndim != 1:
        raise InputError(f"{member} cannot be saved: it is an array of {array.dtype} with {array.ndim} axes")
    for field in array.dtype.names or ():
        write_array(file, f"{member}.{field}.npy", array[field], between)


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
