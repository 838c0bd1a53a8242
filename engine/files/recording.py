"""Recordings: trajectories in GSD that grow frame by frame and can be read up to the last whole frame at any time."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.files import gsd_schema as schema
from engine.files.frame import FileFrame
from engine.files.gsd_appender import GsdAppender

_CONSTANT = (
    schema.BOX,
    schema.EXACT_BOX,
    schema.PERIODIC,
    schema.DIAMETER,
    schema.EXACT_RADIUS,
    schema.MASS,
    schema.EXACT_MASS,
)
_ONCE = (schema.COUNT, schema.DIMENSIONS, schema.TYPE_NAMES, schema.SCENARIO)


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

    path : ends in .gsd; scenario : complete TOML text, kept in the first frame; sync_every : seconds between waits
    for the disk (a power cut loses what came after; a kill loses nothing).
    frames, bytes : whole frames and bytes in the file so far.

    Radii, masses, box and boundary are written with the first frame, and again only where they differ from it.
    """

    def __init__(self, path: str | Path, scenario: str = "", *, sync_every: float = 1.0) -> None:
        self.path = Path(path).expanduser()
        self.frames = 0
        self.bytes = 0
        self._scenario = scenario
        self._sync_every = sync_every
        self._appender: GsdAppender | None = None
        self._first: dict[str, NDArray[Any]] = {}
        self._parts: set[str] = set()
        self._count = 0
        self._closed = False

    def append(self, frame: FileFrame) -> None:
        """Write a frame with the parts that the first one had: radii and box, velocities, clusters, masses if any.

        When this returns, the frame survives the end of the process. The arrays are not kept. Raises RecordingError
        where the file cannot be written (no space, no permission), which closes it with the frames before;
        ValueError for a frame that does not fit to the first one.
        """
        if self._closed:
            raise ValueError("the recording is closed")
        chunks = self._chunks(frame)
        try:
            if self._appender is None:
                names = sorted(chunks, key=lambda name: name == schema.TIME)  # the time ends each frame
                self._appender = GsdAppender(
                    self.path, names, schema.APPLICATION, schema.SCHEMA, schema.SCHEMA_VERSION, self._sync_every
                )
            self._appender.append(chunks)
        except OSError as error:
            self._give_up()
            raise RecordingError(self.path, self.frames, error) from error
        if not self.frames:
            self._count = len(frame.positions)
            self._first = {name: chunks[name].copy() for name in _CONSTANT if name in chunks}
            self._parts = set(chunks).difference(_ONCE)
        self.frames += 1
        self.bytes = self._appender.bytes

    def close(self) -> None:
        """End the recording; RecordingError where the disk does not take the last of it."""
        if self._closed:
            return
        self._closed = True
        if self._appender is not None:
            try:
                self._appender.close()
            except OSError as error:
                raise RecordingError(self.path, self.frames, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _give_up(self) -> None:
        self._closed = True
        if self._appender is not None:
            with suppress(OSError):  # the failure before it is the one to tell
                self._appender.close()

    def _chunks(self, frame: FileFrame) -> dict[str, NDArray[Any]]:
        """What is to be written of a frame, by name."""
        if frame.box is None or frame.radii is None:
            raise ValueError("a GSD frame needs a box and radii")
        count = len(frame.positions)
        if not count:
            raise ValueError("a frame without discs")
        if self.frames and count != self._count:
            raise ValueError(f"{count} discs in a recording of {self._count}")
        chunks: dict[str, NDArray[Any]] = {
            schema.STEP: np.array([self.frames], np.uint64),
            schema.POSITION: _in_space(frame.positions - 0.5 * frame.box),
            schema.EXACT_POSITION: np.asarray(frame.positions, np.float64),
            schema.BOX: np.array([frame.box[0], frame.box[1], 0.0, 0.0, 0.0, 0.0], np.float32),
            schema.EXACT_BOX: np.asarray(frame.box, np.float64),
            schema.DIAMETER: (2.0 * frame.radii).astype(np.float32),
            schema.EXACT_RADIUS: np.asarray(frame.radii, np.float64),
            schema.TIME: np.array([np.nan if frame.time is None else frame.time]),
        }
        if frame.velocities is not None:
            chunks[schema.VELOCITY] = _in_space(frame.velocities)
            chunks[schema.EXACT_VELOCITY] = np.asarray(frame.velocities, np.float64)
        if frame.masses is not None:
            chunks[schema.MASS] = frame.masses.astype(np.float32)
            chunks[schema.EXACT_MASS] = np.asarray(frame.masses, np.float64)
        if frame.cluster is not None:
            chunks[schema.CLUSTER] = np.asarray(frame.cluster, np.int32)
        if frame.periodic is not None:
            chunks[schema.PERIODIC] = np.array([frame.periodic], np.uint8)
        if not self.frames:
            chunks[schema.COUNT] = np.array([count], np.uint32)
            chunks[schema.DIMENSIONS] = np.array([2], np.uint8)
            chunks[schema.TYPE_NAMES] = np.frombuffer(b"disc\0", np.int8).reshape(1, 5)
            if self._scenario:
                chunks[schema.SCENARIO] = np.frombuffer(self._scenario.encode(), np.uint8)
            return chunks
        if set(chunks) != self._parts:
            raise ValueError("a frame must have the parts that the first one has")
        for name, value in self._first.items():
            if np.array_equal(chunks[name], value):
                del chunks[name]
        return chunks


def _in_space(pairs: NDArray[np.float64]) -> NDArray[np.float32]:
    """(N, 3) with z = 0."""
    out = np.zeros((len(pairs), 3), np.float32)
    out[:, :2] = pairs
    return out
