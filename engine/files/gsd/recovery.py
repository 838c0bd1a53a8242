"""Finding an index in a GSD file whose end, with its index, is missing.

Writers copy an index that is full to the end of the file, into twice the room, and leave the old one where it was. The
first index lies before all data. A file that is cut off therefore still holds at least one older index, and the longest
of them refers to all frames before the cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    usable : says which rows are possible entries of this file.

    Returns
    -------
    entries : empty if no index is left.
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
