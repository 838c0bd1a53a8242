"""Reading the container format of GSD: for each frame named chunks, which are tables of numbers.

What the chunks mean is said in `engine.files.gsd.schema`. A header of 256 bytes says where the list of names and the
index are. An index entry of 32 bytes says the frame, rows, columns, place, name and type of one chunk.

The gsd package is not used for reading: its library trusts the sizes in a file, so that a malicious file makes it read
outside its memory, which ends the program. Here every size is compared with the length of the file before memory is
allocated.

If the end of a file is missing, with its index, an older index is searched for (`surviving_index`). Writers copy an
index that is full to the end of the file, into twice the room, and leave the old one where it was. The first index lies
before all data. A file that is cut off therefore still holds at least one older index, and the longest of them refers
to all frames before the cut.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.files.checks import MAX_INDEX_ENTRIES, MAX_NAME_BYTES, Location, size_of

MAGIC = 0x65DF65DF65DF65DF
HEADER = struct.Struct("<5Q2I64s64s80x")
NAME_BLOCK = 64  # the list of names is a multiple of this
_WIDEST = 64  # columns
ENTRY = np.dtype(
    [
        ("frame", "<u8"),
        ("rows", "<u8"),
        ("place", "<i8"),
        ("columns", "<u4"),
        ("name", "<u2"),
        ("type", "u1"),
        ("flags", "u1"),
    ]
)
TYPES = {1: "u1", 2: "<u2", 3: "<u4", 4: "<u8", 5: "i1", 6: "<i2", 7: "<i4", 8: "<i8", 9: "<f4", 10: "<f8", 11: "u1"}


class GsdContainer:
    """An open GSD file. What is appended to it after opening is not seen.

    Attributes
    ----------
    where : the file, for messages.
    frames : the number of frames.
    names : the names of the chunks.
    application, schema : which program wrote the file, and which schema it follows.
    cut_off : whether the end of the file is missing; `frames` counts those before the cut.
    open_ended : whether the end of the file cuts through the index, so that chunks of the last frame may be missing.
    """

    cut_off = False
    open_ended = False

    def __init__(self, path: Path) -> None:
        self.where = Location(path)
        self._size = size_of(path)
        try:
            self._file = path.open("rb", buffering=0)
        except OSError as error:
            raise self.where.unreadable(error) from None
        try:
            self._read_tables()
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def drop_last_frame(self) -> None:
        """Leave the last frame out."""
        self.frames -= 1

    def has(self, frame: int, name: str) -> bool:
        """Whether a frame has a chunk of that name."""
        return self._entry(frame, name) is not None

    def inherited(self, frame: int, name: str, most: int, widest: int = _WIDEST) -> NDArray[Any] | None:
        """Read a chunk of a frame, (rows, columns), or else of the first frame, as HOOMD's schema says; see `chunk`."""
        found = self.chunk(frame, name, most, widest)
        return self.chunk(0, name, most, widest) if found is None and frame else found

    def chunk(self, frame: int, name: str, most: int, widest: int = _WIDEST) -> NDArray[Any] | None:
        """Read a chunk of a frame, (rows, columns); None if the frame has no chunk of this name.

        Raises InputError for a chunk with more than `most` rows or `widest` columns, and for one outside the file.
        """
        entry = self._entry(frame, name)
        if entry is None:
            return None
        rows, columns, place = int(entry["rows"]), int(entry["columns"]), int(entry["place"])
        kind = TYPES.get(int(entry["type"]))
        where = Location(self.where.path, f"frame {frame}: {name}")
        if kind is None:
            raise where.fault("has an unknown type of number")
        dtype = np.dtype(kind)
        if rows > most or not 0 < columns <= widest:
            raise where.fault(f"has {rows} rows and {columns} columns, which cannot be right")
        size = rows * columns * dtype.itemsize
        if place < HEADER.size or place + size > self._size:
            raise where.fault("lies beyond the end of the file: it is cut off or damaged")
        return self._bytes(place, size).view(dtype).reshape(rows, columns)

    def scalars(self, name: str, kind: str) -> NDArray[np.float64]:
        """The value of a chunk that is a single number, in each of K frames, (K,); NaN for frames without it.

        `kind` is the type of the number, such as ``"<f8"``; chunks of another type are ignored.
        """
        values = np.full(self.frames, np.nan)
        if name not in self._ids:
            return values
        dtype = np.dtype(kind)
        index = self._index
        wanted = (index["name"] == self._ids[name]) & (index["rows"] == 1) & (index["columns"] == 1)
        wanted &= np.isin(index["type"], [code for code, text in TYPES.items() if text == kind])
        wanted &= index["frame"] < self.frames
        wanted &= (index["place"] >= HEADER.size) & (index["place"] <= self._size - dtype.itemsize)
        for frame, place in zip(index["frame"][wanted].tolist(), index["place"][wanted].tolist(), strict=True):
            values[frame] = self._bytes(place, dtype.itemsize).view(dtype)[0]
        return values

    def frames_with(self, name: str) -> list[int]:
        """The frames that have a chunk of that name."""
        if name not in self._ids:
            return []
        found = self._index["frame"][self._index["name"] == self._ids[name]]
        return [int(frame) for frame in found if frame < self.frames]

    def _entry(self, frame: int, name: str) -> Any:
        if name not in self._ids or not 0 <= frame < self.frames:
            return None
        first, last = self._first[frame], self._first[frame + 1]
        found = np.flatnonzero(self._index["name"][first:last] == self._ids[name])
        return self._index[first + found[0]] if len(found) else None

    def _bytes(self, place: int, size: int) -> NDArray[np.uint8]:
        data = np.empty(size, np.uint8)
        view, done = data.data, 0
        try:
            self._file.seek(place)
            while done < size:
                got = self._file.readinto(view[done:])
                if not got:
                    raise self.where.fault("was shortened while it was open")
                done += got
        except OSError as error:
            raise self.where.unreadable(error) from None
        return data

    def _read_tables(self) -> None:
        if self._size < HEADER.size:
            raise self.where.fault("is not a GSD file, or it was cut off at the start")
        magic, index_at, entries, names_at, blocks, _, version, application, schema = HEADER.unpack(
            self._bytes(0, HEADER.size).tobytes()
        )
        if magic != MAGIC:
            raise self.where.fault("is not a GSD file")
        if not (1 <= version >> 16 <= 2 or version == 3):  # 0.3 was the first
            raise self.where.fault(f"is of GSD version {version >> 16}.{version & 0xFFFF}, which cannot be read")
        self.application = application.partition(b"\0")[0].decode("utf-8", "replace")
        self.schema = schema.partition(b"\0")[0].decode("utf-8", "replace")
        if not 0 < blocks <= MAX_NAME_BYTES // NAME_BLOCK or names_at + blocks * NAME_BLOCK > self._size:
            raise self.where.fault("is damaged: its list of names lies outside the file")
        self._read_names(self._bytes(names_at, blocks * NAME_BLOCK).tobytes(), version >> 16 < 2)
        if entries > 0 and index_at + entries * ENTRY.itemsize <= self._size:
            if entries > 2 * MAX_INDEX_ENTRIES:
                raise self.where.fault(f"has too long an index: at most {MAX_INDEX_ENTRIES} chunks can be read")
            index = self._bytes(index_at, entries * ENTRY.itemsize).view(ENTRY)
        else:
            firsts = (HEADER.size, names_at + blocks * NAME_BLOCK, index_at)
            index, self.open_ended = surviving_index(
                lambda place, size: self._bytes(place, size).tobytes(), self._size, ENTRY, firsts, self._usable
            )
            if not entries > 0 or not len(index):
                raise self.where.fault("is cut off or damaged: its index lies outside the file")
            self.cut_off = True
        self._read_index(index)
        self._leave_out_what_is_cut_off()

    def _usable(self, entries: NDArray[Any]) -> NDArray[np.bool_]:
        """Which of these rows are possible index entries."""
        good = (entries["place"] >= HEADER.size) & (entries["place"] <= 2**62) & (entries["flags"] == 0)
        good &= (entries["name"] < len(self.names)) & np.isin(entries["type"], list(TYPES))
        return np.asarray(good & (entries["columns"] > 0))

    def _leave_out_what_is_cut_off(self) -> None:
        """Drop the last frames for as long as a chunk of them lies beyond the end of the file."""
        index = self._index
        sizes = np.array([np.dtype(TYPES.get(code, "u1")).itemsize for code in range(256)], np.float64)
        ends = index["rows"].astype(np.float64) * index["columns"] * sizes[index["type"]] + index["place"]
        outside = set(index["frame"][ends > self._size].tolist())
        while self.frames - 1 in outside:
            self.frames -= 1
            self.cut_off = True

    def _read_names(self, text: bytes, fixed: bool) -> None:
        if fixed:
            parts = [text[at : at + NAME_BLOCK].partition(b"\0")[0] for at in range(0, len(text), NAME_BLOCK)]
        else:
            parts = text.split(b"\0")
        names = [part.decode("utf-8", "replace") for part in parts]
        self.names = names[: names.index("")] if "" in names else names
        self._ids = {name: number for number, name in enumerate(self.names[:65535])}

    def _read_index(self, index: NDArray[Any]) -> None:
        unused = np.flatnonzero(index["place"] == 0)
        used = index[: unused[0]] if len(unused) else index
        if len(used) > MAX_INDEX_ENTRIES:
            raise self.where.fault(f"has more than {MAX_INDEX_ENTRIES} chunks")
        frames = used["frame"]
        if len(frames) and (int(frames.max()) >= len(index) or (frames[1:] < frames[:-1]).any()):
            raise self.where.fault("is damaged: the frames of its index are not in order")
        self._index = used if 2 * len(used) > len(index) else used.copy()
        self.frames = int(frames[-1]) + 1 if len(frames) else 0
        self._first = np.searchsorted(frames, np.arange(self.frames + 1, dtype=np.uint64))


_BLOCK = 1 << 22  # bytes that are searched at a time
_ENTRIES = 1 << 12  # index entries that are read at a time

Read = Callable[[int, int], bytes]
"""Reads `size` bytes from a place of the file: ``read(place, size)``."""


def surviving_index(
    read: Read,
    size: int,
    entry: np.dtype[Any],
    firsts: Iterable[int],
    usable: Callable[[NDArray[Any]], NDArray[np.bool_]],
) -> tuple[NDArray[Any], bool]:
    """The longest index that is left in a file, and whether the end of the file cuts it off.

    Parameters
    ----------
    read : reads from the file.
    size : the length of the file in bytes.
    entry : the type of an index entry.
    firsts : the places where an index may begin. All copies start with the same entry, which is searched for.
    usable : says which rows, (K,), are possible entries of this file.

    Returns
    -------
    entries : (K,), empty if no index is left.
    cut : whether the end of the file cuts it off.
    """
    best = np.zeros(0, entry), True
    for place in firsts:
        if place + entry.itemsize > size:
            continue
        first = read(place, entry.itemsize)
        found = np.frombuffer(first, entry)
        if not usable(found)[0] or found["frame"][0]:
            continue
        for copy in _places(read, size, first, place):
            entries = _entries(read, size, entry, copy, usable)
            if len(entries) > len(best[0]):
                best = entries, copy + (len(entries) + 1) * entry.itemsize > size
    return best


def _places(read: Read, size: int, pattern: bytes, start: int) -> Iterator[int]:
    """The places at which these bytes occur, from `start` on."""
    at = start
    while at + len(pattern) <= size:
        block = read(at, min(_BLOCK + len(pattern) - 1, size - at))
        found = block.find(pattern)
        while found >= 0:
            yield at + found
            found = block.find(pattern, found + 1)
        at += _BLOCK


def _entries(
    read: Read, size: int, entry: np.dtype[Any], place: int, usable: Callable[[NDArray[Any]], NDArray[np.bool_]]
) -> NDArray[Any]:
    """The index entries from a place on, up to the first row that cannot be one."""
    parts: list[NDArray[Any]] = []
    last = 0
    while (count := min(_ENTRIES, (size - place) // entry.itemsize)) > 0:
        part = np.frombuffer(read(place, count * entry.itemsize), entry)
        frames = part["frame"].astype(np.float64)
        good = usable(part) & (np.diff(frames, prepend=last) >= 0.0)
        held = count if good.all() else int(np.argmin(good))
        parts.append(part[:held])
        if held < count:
            break
        last = frames[-1]
        place += count * entry.itemsize
    return np.concatenate(parts) if parts else np.zeros(0, entry)
