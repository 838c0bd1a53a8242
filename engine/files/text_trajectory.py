"""Trajectories in text: where each frame begins, found in one pass when the file is opened."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.files.frame import FileFrame
from engine.files.limits import MAX_TEXT_FRAMES, check_count
from engine.files.text_lines import LineScanner, lines_from, open_text
from engine.files.trajectory import Trajectory

INCOMPLETE = "the last frame is incomplete and was left out"
_OPEN_END = "the last line of the file has no end: its last number may be cut off"


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
