"""The loop of a run: slices of work until a limit, the end, or a signal."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from aggviewer.cli.exits import Stop
from aggviewer.cli.limits import Limits
from aggviewer.cli.progress import ProgressLine
from aggviewer.cli.series import Series
from engine.capabilities import interruptible
from engine.system import system_of

if TYPE_CHECKING:
    from aggviewer.cli.recording import CliRecording
    from engine.simulation import Progress, Simulation

_clock = time.perf_counter
_SLICE = 0.05  # seconds of work between two looks at signals and the wall limit


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
    """Advance to a limit or the end. Returns where it ended, the seconds of work of the simulation alone, and the
    reason: ``finished`` (nothing will happen any more), ``time``, ``clusters``, ``events``, ``wall`` or
    ``interrupted``.

    series, recording : take what they need on the way. spent : seconds that making the simulation has taken, which
    count as work. reserve : seconds that are kept free within ``limits.max_wall`` for what comes afterwards; samples
    and recorded frames are within it too.
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
            progress.simulating(kind, reached, wall_s, _share(reached, done, wall_s, simulation, limits))
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
            reached, took = _slice(simulation, until_time, goal, end, limits, done, series, recording)
            wall_s += took


def _slice(
    simulation: Simulation,
    until_time: float,
    goal: int,
    end: float,
    limits: Limits,
    done: int,
    series: Series | None,
    recording: CliRecording | None,
) -> tuple[Progress, float]:
    """A slice of work, and what is sampled and recorded after it. Returns where it ended and its seconds."""
    target = goal if series is None else max(goal, series.next_clusters)
    left = None if limits.until_events is None else limits.until_events - done
    if recording is not None:
        until_time = min(until_time, recording.next_time)
    began = _clock()
    budget = min(_SLICE, max(0.0, end - began))
    reached = simulation.advance(until_time, budget, until_clusters=target, max_events=left)
    took = _clock() - began
    if series is not None:
        series.sample(reached.clusters)
    if recording is not None:
        recording.take_due()
    return reached, took


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


def _share(reached: Progress, done: int, wall_s: float, simulation: Simulation, limits: Limits) -> float:
    """How much of a run is over, 0…1, by the limit that is nearest, and as far as the system itself knows."""
    shares = [0.0]
    own = system_of(simulation.scenario).share_done(simulation, reached)
    if own is not None:
        shares.append(own)
    if limits.until_time:
        shares.append(reached.time / limits.until_time)
    if limits.until_events:
        shares.append(done / limits.until_events)
    if limits.max_wall:
        shares.append(wall_s / limits.max_wall)
    return min(1.0, max(shares))
