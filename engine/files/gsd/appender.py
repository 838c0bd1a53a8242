"""Appends frames to a GSD container so that the file is whole at every moment.

A frame's data are written behind everything that the index names, then its entries in the index, in one go. A
process that is killed in between leaves bytes that nothing names. Where the disk is full, nothing is named either
and the bytes are taken back. The index is moved to a place twice as large before it is full: copied first, and the
header turned to it, 16 bytes in one write, when it is whole. (The gsd package's own writer goes on where that move
fails, and then overwrites the first entries.)

A kill survives without `fsync`, which is for power cuts; it is called before the index names data that are older
than `sync_every` seconds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.files.gsd.container import ENTRY, HEADER, MAGIC, NAME_BLOCK, TYPES

_VERSION = 2 << 16
_FIRST_ENTRIES = 1024
_CODES = {np.dtype(text): code for code, text in reversed(TYPES.items())}
NUMBERS = frozenset(_CODES)
"""Types of numbers that a chunk can hold."""


class GsdAppender:
    """A new GSD file whose chunks have the given names.

    names : of all chunks that any frame may have, in the order in which the entries of a frame stand; bytes : length
    of what the index names.
    All methods raise OSError where the file cannot be written; it then is as it was before the call.
    """

    def __init__(
        self,
        path: Path,
        names: Sequence[str],
        application: str,
        schema: str,
        version: tuple[int, int],
        sync_every: float,
    ) -> None:
        self._ids = {name: number for number, name in enumerate(names)}
        text = b"".join(name.encode() + b"\0" for name in names) + b"\0"
        text += b"\0" * (-len(text) % NAME_BLOCK)
        self._application, self._schema = application.encode(), schema.encode()
        self._schema_version = version[0] << 16 | version[1]
        self._names_blocks = len(text) // NAME_BLOCK
        self._entries = _FIRST_ENTRIES
        self._index_at = HEADER.size + len(text)
        self._used = 0
        self._sync_every = sync_every
        self._synced = time.monotonic()
        self.frames = 0
        self._file = FileIO(path, "w+")
        try:
            self._write(0, self._header() + text + bytes(self._entries * ENTRY.itemsize))
        except BaseException:
            self._file.close()
            raise
        self.bytes = self._index_at + self._entries * ENTRY.itemsize

    def append(self, chunks: dict[str, NDArray[Any]]) -> None:
        """One frame: chunks of one or two dimensions, by name."""
        before = self.bytes
        try:
            if self._used + len(chunks) > self._entries:
                self._move_index()
            index = np.zeros(len(chunks), ENTRY)
            at = self.bytes
            ordered = sorted(chunks, key=self._ids.__getitem__)
            for entry, name in zip(index, ordered, strict=True):
                data = np.ascontiguousarray(chunks[name])
                rows, columns = data.shape if data.ndim == 2 else (len(data), 1)
                kind = _CODES[data.dtype]
                for field, value in zip(
                    ENTRY.names or (), (self.frames, rows, at, columns, self._ids[name], kind, 0), strict=True
                ):
                    entry[field] = value
                at += self._write(at, data.data.cast("B") if data.size else b"")
            if time.monotonic() - self._synced > self._sync_every:
                self.sync()
            self._write(self._index_at + self._used * ENTRY.itemsize, index.tobytes())
        except BaseException:
            self._take_back(before)
            raise
        self.bytes = at
        self._used += len(chunks)
        self.frames += 1

    def sync(self) -> None:
        """Wait until what was written is on the disk."""
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def close(self) -> None:
        """Sync and close; the file is closed also where that fails."""
        try:
            if not self._file.closed:
                self.sync()
        finally:
            self._file.close()

    def _header(self) -> bytes:
        return HEADER.pack(
            MAGIC,
            self._index_at,
            self._entries,
            HEADER.size,
            self._names_blocks,
            self._schema_version,
            _VERSION,
            self._application,
            self._schema,
        )

    def _move_index(self) -> None:
        """Give the index twice the room, at the end of the file."""
        self._file.seek(self._index_at)
        old = self._file.read(self._used * ENTRY.itemsize)
        index_at, entries = self.bytes + -self.bytes % NAME_BLOCK, 2 * self._entries  # an entry is in one page
        size = self._write(index_at, old + bytes(entries * ENTRY.itemsize - len(old)))
        os.fsync(self._file.fileno())
        self._index_at, self._entries, was = index_at, entries, (self._index_at, self._entries)
        try:
            self._write(8, self._header()[8:24])
        except BaseException:
            self._index_at, self._entries = was
            raise
        self.bytes = index_at + size

    def _take_back(self, length: int) -> None:
        """After a failure: nothing of the frame stays, neither data nor a part of its entries."""
        try:
            spare = self._entries - self._used
            self._file.seek(self._index_at + self._used * ENTRY.itemsize)
            self._file.write(bytes(min(spare, 64) * ENTRY.itemsize))
            self._file.truncate(max(length, self.bytes))
        except OSError:  # the first failure is the one to tell; what is left there nobody names
            pass

    def _write(self, at: int, data: bytes | memoryview) -> int:
        """Write all of it at a place; the system may take it in parts."""
        self._file.seek(at)
        rest = memoryview(data)
        while len(rest):
            rest = rest[self._file.write(rest) or 0 :]
        return len(data)
