"""The state on the screen as a file. Belongs to the simulation's thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from aggviewer.session.run.run import Run
from engine.errors import InputError
from engine.files import FileFrame, write

ChangeOfStart = Callable[[FileFrame], tuple[FileFrame, dict[str, Any]]]
"""Turns the state shown into the initial state of a new run, and scenario keys with their values."""


def write_state(path: Path, frame: FileFrame) -> None:
    """Write a state. InputError on failure."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, frame)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}", str(path)) from None


def shown_frame(run: Run) -> FileFrame:
    """The state of the first lane on the screen. For the present of a time-stepping run this is the last complete step,
    without overlaps. InputError if there is nothing yet."""
    if not run.lanes:
        raise InputError("there is no state to write yet")
    lane = run.lanes[0]
    kept = None if run.looked_at is None else run.past.at_time(run.looked_at)
    frame = lane.simulation.settled() if kept is None else kept[0]
    return FileFrame.of(frame, lane.system, lane.scenario.to_toml())
