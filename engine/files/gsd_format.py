"""States written as GSD, all at once."""

from __future__ import annotations

from pathlib import Path

from engine.files.atomic import replacing
from engine.files.frame import FileFrame
from engine.files.recording import TrajectoryWriter


def write_gsd(path: Path, frames: list[FileFrame]) -> None:
    """Write frames with radii and a box as a recording has them (`engine.files.gsd_schema`), complete or not at all."""
    with replacing(path) as partial, TrajectoryWriter(partial, frames[0].scenario if frames else "") as writer:
        for frame in frames:
            writer.append(frame)
