"""Copies of runs, to be continued and measured elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aggviewer.session.data import SystemInfo
from aggviewer.session.log.log import Log
from aggviewer.session.measuring import SystemAnalysis
from aggviewer.session.run.runner import Runner

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
    log, lane : how the run came about, and which of its simulations this is.
    worked : computing time of the run, in seconds.
    """

    system: SystemInfo
    checkpoint: Checkpoint | None
    past: tuple[Frame, ...]
    analysis: Callable[[], SystemAnalysis]
    log: Log = field(default_factory=Log)
    lane: int = 0
    worked: float = 0.0


def copies_of(runner: Runner, log: Log) -> tuple[RunCopy, ...]:
    """A copy of each simulation, or of a recording. On the simulation's thread.

    log : of the run.
    """
    live = runner.drive.live
    return tuple(
        RunCopy(
            lane.system,
            lane.simulation.checkpoint() if live else None,
            runner.drive.past.frames_of(number) if live else (),
            lane.publisher.brancher(lane.system),
            log,
            number,
            lane.worked,
        )
        for number, lane in enumerate(runner.lanes)
    )
