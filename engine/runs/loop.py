"""The loop of a run: slices of work until a limit, the end, or a signal; and these limits.

`simulate` is the loop itself. `run` is `Simulation.run`: the same for a person at a notebook, a terminal or in a
script, with a progress bar.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Protocol

from engine.capabilities import interruptible, meets_no_more
from engine.errors import InputError, either
from engine.runs.progress import ProgressLine
from engine.scenario import Scenario, scenario_keys
from engine.slices import Limits as AdvanceLimits
from engine.system import system_of

if TYPE_CHECKING:
    from engine.simulation import Progress, Simulation

_clock = time.perf_counter
_SLICE = 0.05  # seconds of work between checks of signals and the wall limit


class Observer(Protocol):
    """Observes a running simulation: a slice of work ends when the next observation is due.

    It is the small form for a run that nobody can pause or replace. In a session, where runs rest, change and come
    back, `aggviewer.session.run.observers.RunObserver` is told of all these occasions.

    next_time, next_clusters, next_events : simulation time, number of clusters, and number of physical events since the
        start, of the next observation; infinity, 1 and None for never.
    """

    @property
    def next_time(self) -> float: ...

    @property
    def next_clusters(self) -> int: ...

    @property
    def next_events(self) -> int | None: ...

    def look(self, reached: Progress) -> None:
        """Take what is due at the end of a slice."""
        ...


@dataclass(frozen=True)
class Ended:
    """The end of a run.

    Parameters
    ----------
    reached : the final progress.
    wall_s : seconds of work of the simulation alone.
    reason : ``finished`` (nothing will happen any more), ``time``, ``clusters``, ``events``, ``wall`` or
        ``interrupted``.
    """

    reached: Progress
    wall_s: float
    reason: str


def simulate(
    simulation: Simulation,
    limits: RunLimits,
    *,
    report: Callable[[Progress, float, float], None] = lambda reached, wall_s, share: None,
    stopped: Callable[[], bool] = lambda: False,
    observers: Sequence[Observer] = (),
    spent: float = 0.0,
    reserve: float = 0.0,
) -> Ended:
    """Advance to a limit or the end.

    Parameters
    ----------
    report : called after each slice with the progress, the seconds of work, and the fraction of the run that is over,
        0…1.
    stopped : whether the run should stop.
    observers : observe the running simulation.
    spent : seconds taken by making the simulation, which count as work.
    reserve : seconds within ``limits.max_wall`` that are kept free for work afterwards; observers count as part of the
        run.
    """
    goal = max(1, limits.until_clusters or 1)
    wall_s = spent
    end = math.inf if limits.max_wall is None else _clock() + limits.max_wall - spent - reserve
    reached = simulation.advance(simulation.time, 0.0, max_events=0)  # a session already has events
    with _cut_at(end, simulation):
        while True:
            report(reached, wall_s, _share(reached, wall_s, simulation, limits))
            if limits.until_clusters is not None and reached.clusters <= goal:
                return Ended(reached, wall_s, "clusters")
            if limits.until_events is not None and reached.happened >= limits.until_events:
                return Ended(reached, wall_s, "events")
            if limits.until_time is not None and reached.time >= limits.until_time:
                return Ended(reached, wall_s, "time")
            if reached.finished:
                return Ended(reached, wall_s, "finished")
            if stopped():
                return Ended(reached, wall_s, "interrupted")
            began = _clock()
            if began >= end:
                return Ended(reached, wall_s, "wall")
            until_time = min((math.inf if limits.until_time is None else limits.until_time), *_times(observers))
            if limits.until_time is None and meets_no_more(simulation):
                until_time = math.inf  # otherwise it would fly from one observation to the next forever
            events = [limits.until_events, *(observer.next_events for observer in observers)]
            left = min((number - reached.happened for number in events if number is not None), default=None)
            clusters = max((goal, *(observer.next_clusters for observer in observers)))
            budget = min(_SLICE, max(0.0, end - began))
            reached = simulation.advance(until_time, budget, until_clusters=clusters, max_events=left)
            wall_s += _clock() - began
            for observer in observers:
                observer.look(reached)


def _times(observers: Sequence[Observer]) -> tuple[float, ...]:
    return (math.inf, *(observer.next_time for observer in observers))


@contextmanager
def _cut_at(end: float, simulation: Simulation) -> Iterator[None]:
    """Interrupt long work at the time `end`. A simulation that cannot be interrupted has short slices anyway."""
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


def _share(reached: Progress, wall_s: float, simulation: Simulation, limits: RunLimits) -> float:
    """The fraction of a run that is over, 0…1, by the nearest limit and by the system's own estimate."""
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


def run(
    simulation: Simulation,
    until_time: float | None,
    until_clusters: int | None,
    until_events: int | None,
    callback: Callable[[Any], Any] | None,
    progress: bool,
) -> Progress:
    """Run up to the limit that is reached first, or to the end, with a progress bar (`Simulation.run`)."""
    limits = _checked(until_time, until_clusters, until_events)
    limits.check_ends(simulation.scenario)
    watcher = _Watcher(simulation, callback)
    with ExitStack() as ends:
        line = ends.enter_context(ProgressLine()) if progress else None
        report = _nobody if line is None else line.of(simulation.scenario)
        return simulate(simulation, limits, report=report, observers=(watcher,), stopped=lambda: watcher.enough).reached


def _nobody(reached: Progress, wall_s: float, share: float) -> None:
    """A function to call with the progress of a run where nobody follows it: it does nothing."""


class _Watcher:
    """Calls the callback after each slice of work."""

    next_time = inf
    next_clusters = 1
    next_events = None

    def __init__(self, simulation: Simulation, callback: Callable[[Any], Any] | None) -> None:
        self._simulation = simulation
        self._callback = callback
        self.enough = False

    def look(self, reached: Progress) -> None:
        """Take what is due at the end of a slice."""
        if self._callback is not None and self._callback(self._simulation) is True:
            self.enough = True


def _checked(until_time: Any, until_clusters: Any, until_events: Any) -> RunLimits:
    """The limits. Raises InputError for one that makes no sense."""
    # types, and numbers of numpy, are checked and converted as by `advance`
    checked = AdvanceLimits.checked(
        inf if until_time is None else until_time,
        inf,
        1 if until_clusters is None else until_clusters,
        until_events,
        events="until_events",
    )
    limits = RunLimits(
        None if checked.until_time == inf else checked.until_time,
        None if until_clusters is None else checked.until_clusters,
        checked.max_events,
        named=str,
        offered=("until_time", "until_events"),
    )
    limits.check()
    return limits


def small_scenario(scenario: Scenario, count: int) -> Scenario:
    """A scenario with `count` discs on a lattice and the system and method of `scenario`; everything else has its
    default."""
    kind = system_of(scenario)
    how = [key for key, field in scenario_keys().items() if field.carried and key.startswith(f"{kind.table}.")]
    return Scenario().with_values(
        {"system": kind.name, "dimensions": scenario.dimensions, "discs.count": count}
        | {key: scenario.value(key) for key in how}
    )


def as_option(name: str) -> str:
    """The name of a limit on the command line: ``until_time`` is ``--until-time`` there."""
    return "--" + name.replace("_", "-")


def as_key(name: str) -> str:
    """The name of a limit in a study: ``stop.until_time``."""
    return f"stop.{name}"


@dataclass(frozen=True)
class RunLimits:
    """When to stop, whichever comes first; None is no limit.

    Parameters
    ----------
    until_time : simulation time, at least 0.
    until_clusters : number of clusters M that are left, at least 1.
    until_events : merges, collisions and wall reflections, or iterations, since the start; at least 0.
    max_wall : seconds from the first event to the last file, above 0.
    named : how messages name a limit: `as_option` or `as_key`.
    offered : the limits that messages propose for a run that has no end.
    """

    until_time: float | None = None
    until_clusters: int | None = None
    until_events: int | None = None
    max_wall: float | None = None
    named: Callable[[str], str] = as_option
    offered: tuple[str, ...] = ("until_time", "until_events", "max_wall")

    def check(self) -> None:
        """Raise InputError for a limit that makes no sense."""
        if self.until_time is not None and not (math.isfinite(self.until_time) and self.until_time >= 0.0):
            raise self._refused("until_time", f"must be a number of at least 0, not {self.until_time}")
        if self.until_clusters is not None and self.until_clusters < 1:
            raise self._refused("until_clusters", f"must be a whole number of at least 1, not {self.until_clusters}")
        if self.until_events is not None and self.until_events < 0:
            raise self._refused("until_events", f"must be a whole number of at least 0, not {self.until_events}")
        if self.max_wall is not None and not (math.isfinite(self.max_wall) and self.max_wall > 0.0):
            raise self._refused("max_wall", f"must be a number above 0, not {self.max_wall}")

    def check_ends(self, scenario: Scenario) -> None:
        """Raise InputError if nothing would ever end the run."""
        kind = system_of(scenario)
        if kind.joins:
            return
        if self.until_clusters is not None:
            raise self._refused("until_clusters", "is only for discs that stick; here their number never changes")
        limited = (self.until_time, self.until_events, self.max_wall) != (None, None, None)
        if not limited and not kind.ends(scenario):
            ways = either(self.named(name) for name in self.offered)
            raise InputError(f"{kind.endless}; set an end with {ways}", "stop")

    def check_ahead(self, simulation: Simulation) -> None:
        """Raise InputError if a saved session is beyond the time already: nothing runs backwards."""
        if self.until_time is not None and self.until_time < simulation.time:
            raise self._refused(
                "until_time",
                f"must be at least the time that the session has reached, {simulation.time:g}, not {self.until_time:g}",
            )

    def _refused(self, name: str, why: str) -> InputError:
        return InputError(f"{self.named(name)} {why}", self.named(name))
