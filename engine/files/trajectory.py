"""Frames that are read one by one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from operator import index as as_index
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.files.frame import FileFrame


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

    @property
    def times(self) -> NDArray[np.float64]:
        """Simulation times, (K,) float64, not a number where the file does not say; read once."""
        if not hasattr(self, "_times"):
            self._times = self._read_times()
        return self._times

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
