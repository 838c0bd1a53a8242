"""The index of a GSD file that is cut off before it.

An index that is full is copied to a new place behind the data, twice as large; the old one stays where it was. The
first one lies before all data. So a file that is cut off has at least one copy, and the longest one names all frames
that stand before the cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 22  # bytes that are searched at once
_ENTRIES = 1 << 12  # entries that are looked at together

Read = Callable[[int, int], bytes]  # place, size


def surviving_index(
    read: Read,
    size: int,
    entry: np.dtype[Any],
    firsts: Iterable[int],
    usable: Callable[[NDArray[Any]], NDArray[np.bool_]],
) -> tuple[NDArray[Any], bool]:
    """The longest copy of the index in a file of `size` bytes, and whether the end of the file cuts it off.

    firsts : where the first index may be, or one that is cut through; usable(entries) : which of them can be entries
    of this file. The copy is empty where there is none.
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
    """Where these bytes stand, from `start` on."""
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
    """The entries from a place on, up to the first that is none."""
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
