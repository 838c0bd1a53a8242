"""Frames that are read one by one: what all formats have in common, and those in text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator
from functools import cached_property
from operator import index as as_index
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.files.frame import FileFrame
from engine.files.limits import MAX_TEXT_FRAMES, check_count
from engine.files.text import LineScanner, lines_from, open_text

INCOMPLETE = "the last frame is incomplete and was left out"
_OPEN_END = "the last line of the file has no end: its last number may be cut off"


class Trajectory(ABC):
    """An open file with at least one frame. Only the frame that is asked for is in memory; one thread at a time.

    path : the file; count : N, the same in all frames; scenario : complete TOML text of a recording, else "";
    notice : what a person should know of how the file was read ("the last frame is incomplete and was left out"), else
    "". Reading a frame raises InputError where the file cannot be used.
    """

    path: Path
    count: int
    scenario: str = ""
    notice: str = ""

    @abstractmethod
    def __len__(self) -> int:
        """The number of whole frames, at least 1."""

    @abstractmethod
    def _read(self, number: int) -> FileFrame:
        """Frame `number`, 0 <= number < len(self)."""

    @abstractmethod
    def _read_times(self) -> NDArray[np.float64]:
        """Times of all frames, (K,), not a number where the file does not say."""

    def _tell(self, notice: str) -> None:
        """Add to `notice`."""
        self.notice = f"{self.notice}; {notice}" if self.notice else notice

    def close(self) -> None:  # noqa: B027 - nothing to close where nothing stays open
        """Close the file. Frames that were read stay."""

    def __getitem__(self, number: int) -> FileFrame:
        """A frame with arrays of its own; -1 is the last. Raises IndexError, and InputError for a damaged frame."""
        number = as_index(number)
        if not -len(self) <= number < len(self):
            raise IndexError(f"{self.path} has no frame {number}; its frames are 0 to {len(self) - 1}")
        return self._read(number % len(self))

    def __iter__(self) -> Iterator[FileFrame]:
        return (self[number] for number in range(len(self)))

    @cached_property
    def times(self) -> NDArray[np.float64]:
        """Simulation times, (K,) float64, not a number where the file does not say; read once."""
        return self._read_times()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class SingleState(Trajectory):
    """A file with one state, which is in memory."""

    def __init__(self, path: Path, frame: FileFrame) -> None:
        self.path = path
        self.count = len(frame.positions)
        self._frame = frame

    def __len__(self) -> int:
        return 1

    def _read(self, number: int) -> FileFrame:
        return self._frame.copy()

    def _read_times(self) -> NDArray[np.float64]:
        return np.array([np.nan if self._frame.time is None else self._frame.time])


class TextTrajectory(Trajectory):
    """An open text file. A kind of file says in `_scan_frame` how one frame is passed over."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = open_text(path)
        self._places = array("q")  # byte at which each frame begins
        self._lines = array("q")  # and its line, from 1
        self._found_times = array("d")
        self.count = 0
        try:
            self._scan()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self._places)

    def _read_times(self) -> NDArray[np.float64]:
        return np.array(self._found_times)

    @abstractmethod
    def _scan_frame(self, head: str, lines: LineScanner) -> tuple[int, float | None] | None:
        """Pass over one frame, of which `head` is the first line: its number of discs and its time (None where it has
        none); None for a frame that the file's end cuts off. Raises InputError for anything that is no frame."""

    @abstractmethod
    def _read_frame(self, number: int, lines: Iterator[tuple[int, str]]) -> FileFrame:
        """Frame `number` from its lines with their numbers."""

    def _read(self, number: int) -> FileFrame:
        lines = lines_from(self.path, self._file, self._places[number], self._lines[number])
        try:
            return self._read_frame(number, lines)
        except StopIteration:
            raise InputError(f"{self.path} has become shorter while it was open", str(self.path)) from None

    def _scan(self) -> None:
        lines = LineScanner(self.path, self._file)
        while True:
            place, line = lines.place, lines.line + 1
            head = lines.read()
            if head is None:
                break
            if not head.strip():  # empty lines between frames and at the end
                continue
            found = self._scan_frame(head, lines)
            if found is None:
                if not self._places:
                    raise InputError(f"{self.path} ends in the middle of its first frame", str(self.path))
                self._tell(INCOMPLETE)
                break
            self._add(place, line, *found)
        if not self._places:
            raise InputError(f"{self.path} has no frame", str(self.path))
        if not self.notice and lines.open_ended:
            self._tell(_OPEN_END)

    def _add(self, place: int, line: int, count: int, time: float | None) -> None:
        where = f"{self.path}, line {line}"
        check_count(self.path, where, count)
        if self._places and count != self.count:
            raise InputError(
                f"{where}: {count} discs, but {self.count} in the first frame; a file whose number of discs changes "
                "cannot be shown",
                str(self.path),
            )
        if len(self._places) >= MAX_TEXT_FRAMES:
            raise InputError(f"{self.path} has more than {MAX_TEXT_FRAMES} frames", str(self.path))
        self.count = count
        self._places.append(place)
        self._lines.append(line)
        self._found_times.append(np.nan if time is None or not np.isfinite(time) else time)
