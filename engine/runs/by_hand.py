"""`Simulation.run`: a run for a person at a notebook, a terminal or in a script, with a progress bar."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from math import inf
from typing import TYPE_CHECKING, Any

from engine.runs.limits import RunLimits
from engine.runs.loop import simulate
from engine.runs.progress import ProgressLine
from engine.slices import Limits as Checked

if TYPE_CHECKING:
    from engine.simulation import Progress, Simulation


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
    """Nobody is told how far a run is."""


class _Watcher:
    """Calls the callback after each slice of work."""

    next_time = inf
    next_clusters = 1

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
    checked = Checked.checked(
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
