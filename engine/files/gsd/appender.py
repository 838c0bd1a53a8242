"""Appends frames to a GSD file so that the file can be read at every moment, whatever interrupts the writing.

The data of a frame are written to the end of the file first, and then its index entries in a single write. Where the
process is killed in between, the index does not refer to the data, and readers ignore them. Where the disk is full, the
data are cut off again. An index that is full is copied to a place twice as large, and only then does the header point
to it, by one write of 16 bytes. (The writer of the gsd package carries on if this move fails, and then overwrites the
first entries.)

After a kill the operating system still writes everything to the disk. `fsync` is for power cuts: it is called before
the index refers to data older than `sync_every` seconds.
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
"""The numpy types that a chunk can hold."""


class GsdAppender:
    """Writes a new GSD file.

    All methods raise OSError if the file cannot be written; it is then as it was before the call.

    Parameters
    ----------
    path : the file; one that exists is overwritten.
    names : the names of all chunks that any frame may have, in the order of the index entries of a frame.
    application, schema, version : go into the header: the program, the schema and the schema's version.
    sync_every : seconds between two calls of `sync`.

    Attributes
    ----------
    frames : the number of frames so far.
    bytes : the size of the file up to the last chunk that the index refers to.
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
        """Write a frame, given as chunks by name, each an array of one or two dimensions."""
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
        """Wait until all that was written is on the disk."""
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def close(self) -> None:
        """Call `sync` and close the file, also where `sync` fails."""
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
        """Copy the index to the end of the file, into twice the room."""
        self._file.seek(self._index_at)
        old = self._file.read(self._used * ENTRY.itemsize)
        index_at, entries = self.bytes + -self.bytes % NAME_BLOCK, 2 * self._entries  # aligned: no entry crosses a page
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
        """Remove what a failed `append` has written: the data of the frame and any of its index entries."""
        try:
            spare = self._entries - self._used
            self._file.seek(self._index_at + self._used * ENTRY.itemsize)
            self._file.write(bytes(min(spare, 64) * ENTRY.itemsize))
            self._file.truncate(max(length, self.bytes))
        except OSError:  # the caller raises the first error; the index does not refer to what is left
            pass

    def _write(self, at: int, data: bytes | memoryview) -> int:
        """Write all of `data` at a byte of the file, however many calls of the system that takes; return its length."""
        self._file.seek(at)
        rest = memoryview(data)
        while len(rest):
            rest = rest[self._file.write(rest) or 0 :]
        return len(data)
