"""Writing frames as GSD in HOOMD's schema (`engine.files.gsd.schema`), one by one or all at once.

Frames are appended so that the file can be read at every moment, whatever interrupts the writing. The data of a frame
are written to the end of the file first, and then its index entries in a single write. Where the process is killed in
between, the index does not refer to the data, and readers ignore them. Where the disk is full, the data are cut off
again. An index that is full is copied to a place twice as large, and only then does the header point to it, by one
write of 16 bytes. (The writer of the gsd package continues if this move fails, and then overwrites the first entries.)

After a kill the operating system still writes everything to the disk. `fsync` is for power cuts: it is called before
the index refers to data older than `sync_every` seconds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.files.formats import RecordingPlan
from engine.files.frame import FileFrame
from engine.files.gsd import schema
from engine.files.gsd.container import ENTRY, HEADER, MAGIC, NAME_BLOCK, TYPES
from engine.files.gsd.schema import CONTACT_CHUNKS, contact_chunks
from engine.files.gsd.turning import inertia_chunk, turning_chunks
from engine.files.quantities import IMAGES
from engine.words import body_names

Chunks = dict[str, NDArray[Any]]


def write_gsd(path: Path, frames: Sequence[FileFrame], times: bool = False) -> None:
    """Write frames that have radii and a box. The times are always written, whatever `times` says."""
    contacts = any(frame.network is not None for frame in frames)
    writer = GsdWriter(path, RecordingPlan(frames[0].scenario, contacts), only=len(frames) == 1)
    try:
        for frame in frames:
            writer.append(frame)
    except BaseException:
        with suppress(OSError):  # the error that is reported is the one that came first
            writer.close()
        raise
    writer.close()


class GsdWriter:
    """Writes a GSD file frame by frame, as an `engine.files.formats.FrameWriter`.

    A file of the same name is replaced when the first frame is written. Radii, masses, box and boundary are written
    with the first frame, and again only in frames that differ from it.

    Parameters
    ----------
    path : the file.
    plan : what is known of the recording beforehand.
    only : whether the first frame is the only one.

    Attributes
    ----------
    bytes : the size of the file so far.
    """

    def __init__(self, path: Path, plan: RecordingPlan, *, only: bool = False) -> None:
        self.bytes = 0
        self._path = path
        self._plan = plan
        self._contacts = plan.contacts
        self._only = only
        self._appender: GsdAppender | None = None
        self._first: FileFrame | None = None  # with which the others are compared
        self._space = np.zeros((0, 3), np.float32)

    def append(self, frame: FileFrame) -> None:
        """Write a frame, which needs the same parts as the first one; see `engine.files.TrajectoryWriter.append`."""
        chunks = self._chunks(frame)
        if self._appender is None:
            known = dict.fromkeys((*chunks, *(CONTACT_CHUNKS if self._contacts else ())))
            names = sorted(known, key=lambda name: name == schema.TIME)  # the time is the last entry of each frame
            self._appender = GsdAppender(
                self._path, names, schema.APPLICATION, schema.SCHEMA, schema.SCHEMA_VERSION, self._plan.sync_every
            )
        self._appender.append(chunks)
        self.bytes = self._appender.bytes

    def close(self) -> None:
        """Wait for the disk and close the file."""
        if self._appender is not None:
            self._appender.close()

    def _chunks(self, frame: FileFrame) -> Chunks:
        """The chunks to write for a frame. Raises ValueError for a frame that does not fit to the first one."""
        if frame.box is None or frame.radii is None or not len(frame.positions):
            raise ValueError("a GSD frame needs discs, a box and radii")
        for name, values in vars(frame).items():
            if name not in ("positions", "box") and isinstance(values, np.ndarray):
                wanted = frame.positions.shape if name == "velocities" else frame.positions.shape[:1]
                if values.shape != wanted:
                    raise ValueError(f"{name} of shape {values.shape} for positions of shape {frame.positions.shape}")
        if self._first is None:
            self._contacts = self._contacts or frame.network is not None
        chunks = self._changing(frame, frame.box)
        if self._first is None:
            chunks |= self._once(*frame.positions.shape)
        elif len(frame.positions) != len(self._first.positions):
            raise ValueError(f"{len(frame.positions)} discs in a recording of {len(self._first.positions)}")
        elif frame.dimensions != self._first.dimensions:
            raise ValueError(f"{frame.dimensions} dimensions in a recording of {self._first.dimensions}")
        elif any((getattr(frame, name) is None) != (getattr(self._first, name) is None) for name in _PARTS):
            raise ValueError("every frame must have the same parts as the first")
        elif set(frame.fields) != set(self._first.fields):
            raise ValueError("every frame must have the same quantities for each disc as the first")
        for name, make in _CONSTANT.items():
            value = getattr(frame, name)
            if value is not None and (self._first is None or not np.array_equal(value, getattr(self._first, name))):
                chunks |= make(value)
                chunks |= inertia_chunk(frame) if name in ("radii", "masses") else {}
        first = frame if self._first is None else self._first
        flow = (frame.strain, frame.shear_rate)
        if first.around.all and (schema.BOX in chunks or flow != (first.strain, first.shear_rate)):
            chunks |= _flow_chunks(frame, frame.box)
        if self._first is None:
            self._first = frame.copy()
        return chunks

    def _changing(self, frame: FileFrame, box: NDArray[np.float64]) -> Chunks:
        """The chunks that every frame has.

        The single-precision buffers are reused: allocating them takes longer than filling them.
        """
        count = len(frame.positions)
        written = 0 if self._appender is None else self._appender.frames
        if len(self._space) != 2 * count:
            self._space = np.zeros((2 * count, 3), np.float32)  # in the plane z stays 0
        places, speeds = self._space[:count], self._space[count:]
        for axis in range(frame.dimensions):  # column by column: numpy is slow over rows of two numbers
            np.subtract(frame.positions[:, axis], 0.5 * box[axis], out=places[:, axis], casting="same_kind")
            if frame.velocities is not None:
                speeds[:, axis] = frame.velocities[:, axis]
        further = schema.into_tilted(frame.positions, box, frame.around.offset)
        if frame.around.offset:
            places[:, 0] += further * box[0]
        chunks: Chunks = {
            schema.STEP: np.array([written], np.uint64),
            schema.POSITION: places,
            schema.EXACT_POSITION: np.asarray(frame.positions, np.float64),
            schema.TIME: np.array([np.nan if frame.time is None else frame.time]),
        }
        if frame.velocities is not None:
            chunks[schema.VELOCITY] = speeds
            chunks[schema.EXACT_VELOCITY] = np.asarray(frame.velocities, np.float64)
        if frame.cluster is not None:
            chunks[schema.CLUSTER] = np.asarray(frame.cluster, np.int32)
        for name, values in frame.fields.items():
            if name == IMAGES and values.dtype == np.int32 and values.shape == frame.positions.shape:
                counted = frame.counted(values) if frame.strain else values
                if frame.strain:
                    counted[:, 0] -= further
                chunks[schema.IMAGE] = np.pad(counted, ((0, 0), (0, 3 - frame.dimensions)))
            else:
                chunks[schema.chunk_of_field(name)] = _of_each_disc(name, values, count)
        chunks |= turning_chunks(frame)
        if self._contacts:
            chunks |= contact_chunks(frame.network, count, bonds=written > 0 or self._only)
        return chunks

    def _once(self, count: int, dimensions: int) -> Chunks:
        """The chunks that only the first frame has."""
        name = f"{body_names(dimensions).disc}\0".encode()
        chunks: Chunks = {
            schema.COUNT: np.array([count], np.uint32),
            schema.DIMENSIONS: np.array([dimensions], np.uint8),
            schema.TYPE_NAMES: np.frombuffer(name, np.int8).reshape(1, len(name)),
        }
        if self._contacts:
            chunks[schema.BOND_TYPES] = np.frombuffer(b"contact\0", np.int8).reshape(1, 8)
        if self._plan.scenario:
            chunks[schema.SCENARIO] = np.frombuffer(self._plan.scenario.encode(), np.uint8)
        return chunks


def _of_each_disc(name: str, values: NDArray[Any], count: int) -> NDArray[Any]:
    """The values of a quantity of each disc in a type that GSD can hold. Raises ValueError if there is none."""
    if values.ndim not in (1, 2) or len(values) != count:
        raise ValueError(f"{name} of shape {values.shape} for {count} discs")
    if values.dtype == bool:
        return values.astype(np.uint8)
    if values.dtype not in NUMBERS:
        raise ValueError(f"{name} is of type {values.dtype}, which a GSD file cannot hold")
    return values


def _flow_chunks(frame: FileFrame, box: NDArray[np.float64]) -> Chunks:
    """HOOMD's box, tilted by how far images above are ahead, and what the tilt does not say."""
    sides = np.zeros(6)
    sides[: len(box)] = box
    sides[3] = frame.around.offset / box[1]
    return {schema.BOX: sides.astype(np.float32), schema.FLOW: np.array([frame.strain, frame.shear_rate])}


_PARTS = ("velocities", "masses", "cluster", "periodic")
_CONSTANT: dict[str, Callable[[Any], Chunks]] = {
    "box": lambda box: {
        schema.BOX: np.array([*box, *[0.0] * (6 - len(box))], np.float32),
        schema.EXACT_BOX: np.asarray(box, np.float64),
    },
    "periodic": lambda periodic: {schema.PERIODIC: np.array(periodic if periodic.mixed else periodic[:1], np.uint8)},
    "radii": lambda radii: {
        schema.DIAMETER: (2.0 * radii).astype(np.float32),
        schema.EXACT_RADIUS: np.asarray(radii, np.float64),
    },
    "masses": lambda masses: {
        schema.MASS: masses.astype(np.float32),
        schema.EXACT_MASS: np.asarray(masses, np.float64),
    },
}


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
