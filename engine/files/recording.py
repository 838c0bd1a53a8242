"""Recordings: files that grow frame by frame, and can be read up to the last whole frame at any time."""

from __future__ import annotations

import errno
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from engine.errors import typed_path
from engine.files import formats
from engine.files.frame import FileFrame
from engine.files.writing import Lock, lock_if_possible


class RecordingError(OSError):
    """A recording had to stop. The message says why, and how many frames are kept.

    Attributes
    ----------
    path : the file.
    frames : the number of whole frames in it.
    """

    def __init__(self, path: Path, frames: int, cause: OSError) -> None:
        kept = f"the {frames} frames before it are kept" if frames else "nothing was recorded"
        super().__init__(f"{path}: recording stopped, {cause.strerror or cause}; {kept}")
        self.path = path
        self.frames = frames


class TrajectoryWriter:
    """Writes a recording. A file of the same name is replaced when the first frame is written, unless another program
    is recording to it.

    Parameters
    ----------
    path : the file; its ending chooses the format.
    scenario : complete TOML text, kept in the first frame.
    sync_every : seconds between two waits until the data are on the disk. A power cut loses what was written after the
        last wait; the end of the process loses nothing.
    contacts : whether later frames have contacts of a packing; the first one need not.

    Attributes
    ----------
    frames, bytes : whole frames and bytes in the file so far.

    Raises
    ------
    InputError
        No format with this ending can be recorded to.
    """

    def __init__(
        self, path: str | Path, scenario: str = "", *, sync_every: float = 1.0, contacts: bool = False
    ) -> None:
        self.path = typed_path(path)
        self.frames = 0
        self.bytes = 0
        begin = formats.to_record(self.path).records
        assert begin is not None
        self._writer = begin(self.path, formats.RecordingPlan(scenario, contacts, sync_every))
        self._closed = False
        self._lock: Lock | None = None

    def append(self, frame: FileFrame) -> None:
        """Write a frame. When this returns, the frame survives the end of the process, and its arrays may be reused.

        It needs the same parts as the first frame: box and radii, and velocities, clusters and masses if that had them.

        Raises
        ------
        RecordingError
            The file cannot be written (no space, no permission, another recording). It is closed with the frames
            before this one.
        ValueError
            The frame does not have the parts or the number of discs of the first one.
        """
        if self._closed:
            raise ValueError("the recording is closed")
        try:
            if not self.frames and self._lock is None:
                self._take_lock()
            self._writer.append(frame)
        except OSError as error:
            self._closed = True
            with suppress(OSError):  # the error that is reported is the one that came first
                self._writer.close()
            self._release()
            raise RecordingError(self.path, self.frames, error) from error
        self.frames += 1
        self.bytes = self._writer.bytes

    def close(self) -> None:
        """End the recording. Raises RecordingError if the last data cannot be written."""
        if self._closed:
            return
        self._closed = True
        try:
            self._writer.close()
        except OSError as error:
            raise RecordingError(self.path, self.frames, error) from error
        finally:
            self._release()

    def _take_lock(self) -> None:
        """Lock the file. OSError if another program is recording to it."""
        self._lock = lock_if_possible(self.path.with_name(f".{self.path.name}.lock"))
        if self._lock is not None and not self._lock.taken:
            raise OSError(errno.EBUSY, "another program is recording to it")

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
