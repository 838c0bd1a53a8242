"""Copies of runs, to be continued and measured elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aggviewer.session.data import SystemInfo
from aggviewer.session.measuring import SystemAnalysis
from aggviewer.session.run.runner import Runner
from engine.runs.recipe import Recipe

if TYPE_CHECKING:
    from engine.frame import Frame
    from engine.simulation import Checkpoint


@dataclass(frozen=True, eq=False)
class RunCopy:
    """A run at the moment of the copy.

    Parameters
    ----------
    system : its discs.
    checkpoint : where it continues from; None for a recording.
    past : the frames in memory in order of time.
    analysis : returns an analysis that remembers earlier measurements. Any thread; waits for a measurement in progress.
    recipe : how to make the run again; None if that is impossible.
    worked : computing time of the run, in seconds.
    """

    system: SystemInfo
    checkpoint: Checkpoint | None
    past: tuple[Frame, ...]
    analysis: Callable[[], SystemAnalysis]
    recipe: Recipe | None = None
    worked: float = 0.0


def copies_of(runner: Runner, *, recording: bool) -> tuple[RunCopy, ...]:
    """A copy of each lane. On the simulation's thread. recording : whether a recording is being played."""
    return tuple(
        RunCopy(
            lane.system,
            None if recording else lane.simulation.checkpoint(),
            () if recording else runner.drive.past.frames_of(number),
            lane.publisher.brancher(lane.system),
            lane.recipe,
            lane.worked,
        )
        for number, lane in enumerate(runner.lanes)
    )
