"""States written as GSD, all at once."""

from __future__ import annotations

from pathlib import Path

from engine.files.atomic import replacing
from engine.files.frame import FileFrame
from engine.files.recording import RecordingError, TrajectoryWriter


def write_gsd(path: Path, frames: list[FileFrame]) -> None:
    """Write frames with radii and a box as a recording has them (`engine.files.gsd.schema`), complete or not at all."""
    try:
        contacts = any(frame.network is not None for frame in frames)
        with (
            replacing(path) as partial,
            TrajectoryWriter(partial, frames[0].scenario, contacts=contacts, only=len(frames) == 1) as writer,
        ):
            for frame in frames:
                writer.append(frame)
    except RecordingError as error:  # it tells what is kept, which here is nothing
        raise error.__cause__ or error from None
