"""Recordings: trajectories that grow frame by frame and can be read up to the last whole frame at any time."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from engine.files import formats
from engine.files.frame import FileFrame


class RecordingError(OSError):
    """A recording that cannot go on: one sentence that says why and what is kept.

    path, frames : the file and the number of whole frames in it.
    """

    def __init__(self, path: Path, frames: int, cause: OSError) -> None:
        kept = f"the {frames} frames before it are kept" if frames else "nothing was recorded"
        super().__init__(f"{path}: recording stopped, {cause.strerror or cause}; {kept}")
        self.path = path
        self.frames = frames


class TrajectoryWriter:
    """A new recording; a file of that name is replaced when the first frame comes.

    path : its ending says the format, InputError for one that cannot be recorded to; scenario : complete TOML text,
    kept in the first frame; sync_every : seconds between waits for the disk (a power cut loses what came after; a kill
    loses nothing); contacts : later frames will have contacts, the first one need not.
    frames, bytes : whole frames and bytes in the file so far.
    """

    def __init__(
        self, path: str | Path, scenario: str = "", *, sync_every: float = 1.0, contacts: bool = False
    ) -> None:
        self.path = Path(path).expanduser()
        self.frames = 0
        self.bytes = 0
        begin = formats.to_record(self.path).records
        assert begin is not None
        self._writer = begin(self.path, formats.RecordingPlan(scenario, contacts, sync_every))
        self._closed = False

    def append(self, frame: FileFrame) -> None:
        """Write a frame with the parts that the first one had: radii and box, velocities, clusters, masses if any.

        When this returns, the frame survives the end of the process. The arrays are not kept. Raises RecordingError
        where the file cannot be written (no space, no permission), which closes it with the frames before;
        ValueError for a frame that does not fit to the first one.
        """
        if self._closed:
            raise ValueError("the recording is closed")
        try:
            self._writer.append(frame)
        except OSError as error:
            self._closed = True
            with suppress(OSError):  # the failure before it is the one to tell
                self._writer.close()
            raise RecordingError(self.path, self.frames, error) from error
        self.frames += 1
        self.bytes = self._writer.bytes

    def close(self) -> None:
        """End the recording; RecordingError where the disk does not take the last of it."""
        if self._closed:
            return
        self._closed = True
        try:
            self._writer.close()
        except OSError as error:
            raise RecordingError(self.path, self.frames, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
