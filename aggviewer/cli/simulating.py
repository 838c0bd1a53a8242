"""The loop of a run, slices of work until a limit, the end or a signal; and the limits."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aggviewer.cli.exits import Stop
from aggviewer.cli.progress import ProgressLine
from aggviewer.cli.series import Series
from engine.capabilities import interruptible
from engine.errors import InputError
from engine.system import system_of

if TYPE_CHECKING:
    from aggviewer.cli.recording import CliRecording
    from engine.scenario import Scenario
    from engine.simulation import Progress, Simulation

_clock = time.perf_counter
_SLICE = 0.05  # seconds of work between two looks at signals and the wall limit


@dataclass(frozen=True)
class Limits:
    """When to stop, whichever comes first; None is no limit.

    Parameters
    ----------
    until_time : simulation time.
    until_clusters : M, of discs that stick.
    until_events : merges, collisions and wall reflections, or iterations, since the start.
    max_wall : seconds from the first event to the last file.
    """

    until_time: float | None = None
    until_clusters: int | None = None
    until_events: int | None = None
    max_wall: float | None = None

    def check(self) -> None:
        """Raise InputError for a limit that makes no sense."""
        if self.until_time is not None and not (math.isfinite(self.until_time) and self.until_time >= 0.0):
            raise InputError(f"--until-time must be a number of at least 0, not {self.until_time}")
        if self.until_clusters is not None and self.until_clusters < 1:
            raise InputError(f"--until-clusters must be a whole number of at least 1, not {self.until_clusters}")
        if self.until_events is not None and self.until_events < 0:
            raise InputError(f"--until-events must be a whole number of at least 0, not {self.until_events}")
        if self.max_wall is not None and not (math.isfinite(self.max_wall) and self.max_wall > 0.0):
            raise InputError(f"--max-wall must be a number above 0, not {self.max_wall}")

    def check_ends(self, scenario: Scenario) -> None:
        """Raise InputError where nothing would ever end the run."""
        kind = system_of(scenario)
        if kind.joins:
            return
        if self.until_clusters is not None:
            raise InputError("--until-clusters is for discs that stick; here they stay as many as they are")
        limited = (self.until_time, self.until_events, self.max_wall) != (None, None, None)
        if not limited and not kind.ends(scenario):
            raise InputError(f"{kind.endless}; say with --until-time, --until-events or --max-wall when to stop")

    def check_ahead(self, simulation: Simulation) -> None:
        """Raise InputError where a saved session is beyond the time already: nothing runs backwards."""
        if self.until_time is not None and self.until_time < simulation.time:
            raise InputError(
                f"--until-time must be at least the time that the session has reached, {simulation.time:g}, not "
                f"{self.until_time:g}"
            )


def simulate(
    simulation: Simulation,
    limits: Limits,
    progress: ProgressLine,
    stop: Stop,
    *,
    series: Series | None = None,
    recording: CliRecording | None = None,
    spent: float = 0.0,
    reserve: float = 0.0,
) -> tuple[Progress, float, str]:
    """Advance to a limit or the end.

    Parameters
    ----------
    series, recording : take what they need on the way.
    spent : seconds that making the simulation has taken, which count as work.
    reserve : seconds that are kept free within ``limits.max_wall`` for what comes afterwards; samples and recorded
        frames are within it too.

    Returns
    -------
    Where it ended, the seconds of work of the simulation alone, and the reason: ``finished`` (nothing will happen any
    more), ``time``, ``clusters``, ``events``, ``wall`` or ``interrupted``.
    """
    kind = system_of(simulation.scenario)
    goal = max(1, limits.until_clusters or 1)
    until_time = math.inf if limits.until_time is None else limits.until_time
    wall_s = spent
    end = math.inf if limits.max_wall is None else _clock() + limits.max_wall - spent - reserve
    reached = simulation.advance(simulation.time, 0.0, max_events=0)  # a session has events behind it already
    with _cut_at(end, simulation):
        while True:
            done = reached.happened
            progress.simulating(kind, reached, wall_s, _share(reached, wall_s, simulation, limits))
            if limits.until_clusters is not None and reached.clusters <= goal:
                return reached, wall_s, "clusters"
            if limits.until_events is not None and done >= limits.until_events:
                return reached, wall_s, "events"
            if limits.until_time is not None and reached.time >= limits.until_time:
                return reached, wall_s, "time"
            if reached.finished:
                return reached, wall_s, "finished"
            if stop.is_set():
                return reached, wall_s, "interrupted"
            if _clock() >= end:
                return reached, wall_s, "wall"
            stop_at = until_time if recording is None else min(until_time, recording.next_time)
            target = goal if series is None else max(goal, series.next_clusters)
            left = None if limits.until_events is None else limits.until_events - done
            began = _clock()
            budget = min(_SLICE, max(0.0, end - began))
            reached = simulation.advance(stop_at, budget, until_clusters=target, max_events=left)
            wall_s += _clock() - began
            if series is not None:
                series.sample(reached.clusters)
            if recording is not None:
                recording.take_due()


@contextmanager
def _cut_at(end: float, simulation: Simulation) -> Iterator[None]:
    """Cut off work that takes long when the time `end` has come. A simulation that cannot be cut off needs no help: its
    slices are short."""
    cut = interruptible(simulation)
    if end == math.inf or cut is None:
        yield
        return
    timer = threading.Timer(max(0.0, end - _clock()), cut.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _share(reached: Progress, wall_s: float, simulation: Simulation, limits: Limits) -> float:
    """How much of a run is over, 0…1, by the limit that is nearest, and as far as the system itself knows."""
    shares = [0.0]
    own = system_of(simulation.scenario).share_done(simulation, reached)
    if own is not None:
        shares.append(own)
    if limits.until_time:
        shares.append(reached.time / limits.until_time)
    if limits.until_events:
        shares.append(reached.happened / limits.until_events)
    if limits.max_wall:
        shares.append(wall_s / limits.max_wall)
    return min(1.0, max(shares))
