"""Base classes of files that are read frame by frame: any format, a single state, and text formats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import cached_property
from operator import index as as_index
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.files.checks import MAX_TEXT_FRAMES, Location, check_count, other_count
from engine.files.columns import DEEP, FrameColumns, find_dimensions
from engine.files.frame import FileFrame
from engine.files.text import LineScanner, lines_from, open_text

INCOMPLETE = "the last frame is incomplete and was left out"
_OPEN_END = "the last line of the file is not terminated; its last number may be cut off"


class Trajectory(ABC):
    """An open file with at least one frame, as a sequence of `FileFrame`.

    Only the frame that is asked for is in memory. One thread at a time may use it. Reading a frame raises InputError if
    the file is damaged.

    Attributes
    ----------
    path : the file.
    count : the number of discs N, the same in all frames.
    dimensions : 2 or 3, the same in all frames; 0 where it is not known before a frame is read.
    scenario : the complete TOML text that a recording keeps; "" in other files.
    notice : a remark on how the file was read, such as "the last frame is incomplete and was left
        out"; "" for nothing.
    """

    path: Path
    count: int
    dimensions: int = 0
    scenario: str = ""
    notice: str = ""
    _asked: int = 0

    def settle(self, asked: int = 0) -> None:
        """Find out once, before any frame is read, how many dimensions the frames have.

        asked : 2 or 3 for a file that leaves it open; 0 for the rule in docs/files.md. Frames of a file that says
            another number raise InputError when they are read.
        """
        self._asked = asked

    @property
    def where(self) -> Location:
        """The file, for the messages of its errors: ``raise self.where.line(3).error("…")``."""
        return Location(self.path)

    @abstractmethod
    def __len__(self) -> int:
        """The number of whole frames, at least 1."""

    @abstractmethod
    def _read(self, number: int) -> FileFrame:
        """Frame `number`, 0 <= number < len(self)."""

    @abstractmethod
    def _read_times(self) -> NDArray[np.float64]:
        """Times of all frames, (K,), NaN for a frame without a time."""

    def _tell(self, notice: str) -> None:
        """Append a sentence to `notice`."""
        self.notice = f"{self.notice}; {notice}" if self.notice else notice

    def close(self) -> None:  # noqa: B027 - nothing to close if nothing stays open
        """Close the file. Frames that were read stay."""

    def __getitem__(self, number: int) -> FileFrame:
        """Read a frame; -1 is the last one. The caller may keep its arrays.

        Raises
        ------
        IndexError
            The file has no frame of this number.
        InputError
            The frame is damaged.
        """
        number = as_index(number)
        if not -len(self) <= number < len(self):
            raise IndexError(f"{self.path} has no frame {number}; its frames are 0 to {len(self) - 1}")
        frame = self._read(number % len(self))
        self._same_dimensions(number % len(self), frame.dimensions)
        self.dimensions = frame.dimensions
        if self._asked not in (0, frame.dimensions):
            raise InputError(f"dimensions must be {frame.dimensions} for {self.path}, not {self._asked}", "dimensions")
        return frame

    def _same_dimensions(self, number: int, dimensions: int) -> None:
        """Raise InputError if frame `number` has other dimensions than the file."""
        if self.dimensions not in (0, dimensions):
            raise self.where.frame(number).error(
                f"{dimensions} dimensions, but {self.dimensions} in other frames; such a file cannot be shown"
            )

    def __iter__(self) -> Iterator[FileFrame]:
        return (self[number] for number in range(len(self)))

    @cached_property
    def times(self) -> NDArray[np.float64]:
        """Simulation times, (K,) float64, NaN for a frame without a time. Read on first use."""
        return self._read_times()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class SingleState(Trajectory):
    """A file with one state, which is held in memory. Its path and frame are given when it is made."""

    def __init__(self, path: Path, frame: FileFrame) -> None:
        self.path = path
        self.count = len(frame.positions)
        self.dimensions = frame.dimensions
        self._frame = frame

    def __len__(self) -> int:
        return 1

    def _read(self, number: int) -> FileFrame:
        return self._frame.copy()

    def _read_times(self) -> NDArray[np.float64]:
        return np.array([np.nan if self._frame.time is None else self._frame.time])


class TextTrajectory(Trajectory):
    """An open text file with frames one after the other.

    Opening it goes through the whole file once and remembers where each frame begins; frames are parsed when they are
    asked for. A subclass says in `_scan_frame` where a frame ends, and in `_read_columns` what it holds.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = open_text(path)
        self._places = array("q")  # byte at which each frame begins
        self._lines = array("q")  # the number of its first line, from 1
        self._found_times = array("d")
        self.count = 0
        try:
            self._scan()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file. Frames that were read stay."""
        self._file.close()

    def __len__(self) -> int:
        return len(self._places)

    def _read_times(self) -> NDArray[np.float64]:
        return np.array(self._found_times)

    @abstractmethod
    def _scan_frame(self, head: str, lines: LineScanner) -> tuple[int, float | None] | None:
        """Go past one frame, whose first line `head` has been read already.

        Returns the number of its discs and its time (None for a frame without a time), or None if the file ends within
        the frame. Raises InputError if what follows is not a frame.
        """

    @abstractmethod
    def _read_columns(self, number: int, lines: Iterator[tuple[int, str]], wanted: Collection[str]) -> FrameColumns:
        """Parse frame `number`.

        Parameters
        ----------
        number : the frame, from 0.
        lines : its lines from the first one on, each with its number in the file.
        wanted : the names of the columns that are needed; empty for all.
        """

    def settle(self, asked: int = 0) -> None:
        """As `Trajectory.settle`, by `engine.files.columns.find_dimensions`. While frames do not tell, all are read;
        damaged ones are passed over."""
        super().settle(asked)

        def frames() -> Iterator[FrameColumns]:
            for number in dict.fromkeys((0, len(self) - 1, *range(len(self)))):  # the last one is likely to say it
                with suppress(InputError):
                    yield self._columns_of(number, DEEP)

        self.dimensions = find_dimensions(frames(), asked, self._tell)

    def _columns_of(self, number: int, wanted: Collection[str] = ()) -> FrameColumns:
        lines = lines_from(self.where, self._file, self._places[number], self._lines[number])
        try:
            return self._read_columns(number, lines, wanted)
        except StopIteration:
            raise self.where.fault("was shortened while it was open") from None

    def _read(self, number: int) -> FileFrame:
        columns = self._columns_of(number)
        if columns.known_dimensions:
            self._same_dimensions(number, columns.known_dimensions)
        return columns.frame(self.where.frame(number), self.dimensions)

    def _scan(self) -> None:
        lines = LineScanner(self.where, self._file)
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
                    raise self.where.fault("ends in the middle of its first frame")
                self._tell(INCOMPLETE)
                break
            self._add(place, line, *found)
        if not self._places:
            raise self.where.fault("has no frame")
        if INCOMPLETE not in self.notice and lines.open_ended:
            self._tell(_OPEN_END)

    def _add(self, place: int, line: int, count: int, time: float | None) -> None:
        where = self.where.line(line)
        check_count(where, count)
        if self._places and count != self.count:
            raise where.error(other_count(count, self.count))
        if len(self._places) >= MAX_TEXT_FRAMES:
            raise self.where.fault(f"has more than {MAX_TEXT_FRAMES} frames")
        self.count = count
        self._places.append(place)
        self._lines.append(line)
        self._found_times.append(np.nan if time is None or not np.isfinite(time) else time)
