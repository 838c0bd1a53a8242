"""Averages over a run while it goes on: its states are measured at even simulation times, however fast it runs, and are
averaged until the run or its parameters change."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil, floor, inf, isfinite, log10, nan
from typing import TYPE_CHECKING

from engine.indicators import registered
from engine.state import flight_time
from engine.system import system, system_of

if TYPE_CHECKING:
    from engine.analysis import Average, Averages, Sample
    from engine.scenario import Scenario
    from engine.simulation import Simulation

WAITING = 2
"""The most states that wait to be measured; then the run waits."""

PATIENCE = 0.05
"""Seconds that the run waits at a time, before it looks for commands."""


@dataclass(frozen=True)
class AveragesSoFar:
    """The averages over a run up to now.

    Parameters
    ----------
    averages : by the name of the indicator.
    every : the simulation time between the states, nan for none.
    begins : the simulation time of the next state.
    note : why they have begun again, as a sentence, "" if they have not.
    problems : a sentence for each indicator that cannot be averaged, by its name.
    states : the number of states so far.
    """

    averages: Mapping[str, Average] = field(default_factory=dict)
    every: float = nan
    begins: float = inf
    note: str = ""
    problems: Mapping[str, str] = field(default_factory=dict)
    states: int = 0


def even_interval(simulation: Simulation) -> float:
    """The simulation time between averaged states: 1, 2 or 5 times a power of ten, at most the time in which the
    fastest disc flies a mean diameter; inf if nothing moves, or if time counts something else."""
    longest = flight_time(simulation.frame().velocities, simulation.radii)
    if system_of(simulation.scenario).clock.counts or not isfinite(longest):
        return inf
    decade = 10.0 ** floor(log10(longest))
    return max(step * decade for step in (1.0, 2.0, 5.0) if step * decade <= longest)


class RunningAverages:
    """The averages of one lane. `due`, `begin` and `take` belong to the simulation's thread, `so_far` and the calls
    that `take` submits to the analyst's; `want` and `again` may be called on any.

    States are taken at multiples of the interval, so that two runs of a scenario are averaged over the same states.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._names: frozenset[str] = frozenset()
        self._again: set[str] = set()  # names whose averages are to begin again
        self._room = threading.BoundedSemaphore(WAITING)
        self._averages: Averages | None = None
        self._scenario: Scenario | None = None
        self._every, self._number, self._last = inf, 0, -inf
        self._note = ""

    def want(self, names: frozenset[str]) -> None:
        """Average these indicators from now on."""
        with self._lock:
            self._names = names
            if not names:
                self._averages, self._note = None, ""

    def again(self, names: Iterable[str]) -> None:
        """Let the averages of these indicators begin again with the next state."""
        with self._lock:
            self._again |= set(names)
            self._note = ""

    def begin(self, note: str = "") -> None:
        """Begin again, because the simulation is another one. note : says so, as a sentence."""
        with self._lock:
            begun = self._averages is not None
            self._averages, self._note = None, note if begun else ""

    @property
    def next_time(self) -> float:
        """The simulation time of the next state; inf for never."""
        return self._number * self._every if isfinite(self._every) else inf

    def due(self, simulation: Simulation) -> float:
        """The simulation time at which the next state of a simulation is to be taken; inf for never."""
        with self._lock:
            if not self._names:
                return inf
            scenario = simulation.scenario
            changed = self._averages is not None and scenario is not self._scenario and scenario != self._scenario
            if changed or simulation.time < self._last:
                self._averages, self._note = None, "It began again when the run was changed."
            if self._averages is None:
                self._start(simulation)
            self._scenario = scenario
            return self.next_time

    def _start(self, simulation: Simulation) -> None:
        from engine.analysis import Averages

        self._averages, self._last = Averages(), -inf
        self._every = even_interval(simulation)
        self._number = 0 if self._every == inf else ceil(simulation.time / self._every - 1e-9)
        self._again.clear()

    def take(
        self,
        simulation: Simulation,
        copied: Callable[[], Callable[[], Sample]],
        submit: Callable[[Callable[[], None]], None],
    ) -> None:
        """Take the present state of a simulation if it is due; if too many wait to be measured, the next call does.

        copied : copies the state, and returns a function that makes a sample of it; submit : leaves a call for the
            analyst's thread.
        """
        if simulation.time < self.due(simulation) or not self._room.acquire(timeout=PATIENCE):
            return
        time, sample, averages = simulation.time, copied(), self._averages
        self._number, self._last = self._number + 1, time
        indicators = (*system_of(simulation.scenario).indicators(), *registered())

        def add() -> None:
            try:
                with self._lock:
                    if averages is None or averages is not self._averages:
                        return
                    averages.want(one for one in indicators if one.name in self._names)
                    averages.forget(self._again)
                    self._again.clear()
                averages.add(time, sample())
            finally:
                self._room.release()

        submit(add)

    def add_state(self, of: str, time: float, sample: Callable[[], Sample]) -> None:
        """Measure a state of a film and add it at once; a state that is shown again counts once. of : the system."""
        from engine.analysis import Averages

        if self._names and time > self._last:
            self._averages = self._averages or Averages()
            self._averages.want(one for one in (*system(of).indicators(), *registered()) if one.name in self._names)
            self._averages.add(time, sample())
            self._last = time

    def so_far(self) -> AveragesSoFar:
        """The averages up to now."""
        with self._lock:
            averages, hidden, note, begins = self._averages, set(self._again), self._note, self.next_time
            every, names = self._every, self._names
        if averages is None:
            return AveragesSoFar(note=note)
        found = {name: one for name, one in averages.averages().items() if name in names - hidden}
        every = every if isfinite(every) else averages.every or nan
        return AveragesSoFar(found, every, begins, note, dict(averages.problems), averages.states)
