"""Averages over a run while it goes on: its states are measured at even simulation times, however fast it runs, and are
averaged until the run or its parameters change. Of a recording all frames are measured, from the one that was shown
when the average was asked for to the one that is shown now."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil, floor, inf, isfinite, log10, nan
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.indicators import registered
from engine.state import flight_time
from engine.system import system, system_of

if TYPE_CHECKING:
    from engine.analysis import Average, Averages, Sample
    from engine.scenario import Scenario
    from engine.simulation import Simulation

Submit = Callable[[Callable[[], None]], None]
"""Leaves a call for the analyst's thread."""

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
    begins : the simulation time of the next state; inf for never, -inf for the frames of a recording.
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
    """The averages of one lane. `due`, `next_frame`, `begin`, `take` and `take_frame` belong to the simulation's
    thread, `so_far` and the calls that are submitted to the analyst's; `want` and `again` may be called on any.

    States are taken at multiples of the interval, so that two runs of a scenario are averaged over the same states.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._names: frozenset[str] = frozenset()
        self._again: set[str] = set()  # names whose averages are to begin again
        self._room = threading.BoundedSemaphore(WAITING)
        self._averages: Averages | None = None
        self._scenario: Scenario | None = None
        self._every, self._number, self._last = inf, 0, -inf  # number : of the next interval or frame
        self._firsts: dict[str, int] = {}  # of a recording: the first frame in each average
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
            self._firsts, self._every = {}, inf

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

    def next_frame(self, shown: int) -> int | None:
        """The frame of a recording that is to be added next, None if there is none. shown : the one that is shown.

        After going back, or if another average begins, all begin again at their first frames.
        """
        with self._lock:
            again, known = self._again, self._firsts
            firsts = {name: shown if name in again else min(known.get(name, shown), shown) for name in self._names}
            if shown < self._number - 1 or any(known.get(name) != first for name, first in firsts.items()):
                from engine.analysis import Averages

                self._averages, self._number = Averages(), min(firsts.values(), default=0)
                again.clear()
            self._firsts = firsts
            return self._number if firsts and self._number <= shown else None

    def take_frame(
        self, of: str, shown: int, copied: Callable[[int], tuple[float, Callable[[], Sample]]], submit: Submit
    ) -> None:
        """Take the next frame of a recording, unless too many wait to be measured.

        of : the system; shown : the frame that is shown; copied : reads a frame, and returns its time and a function
            that makes a sample of it.
        """
        number = self.next_frame(shown)
        if number is None or not self._room.acquire(timeout=PATIENCE):
            return
        self._number = number + 1
        try:
            time, sample = copied(number)
        except InputError:  # damaged: this is told when it is shown
            self._room.release()
        else:
            self._submit(of, time, sample, submit, number)

    def take(
        self,
        simulation: Simulation,
        copied: Callable[[], Callable[[], Sample]],
        submit: Submit,
    ) -> None:
        """Take the present state of a simulation if it is due; if too many wait to be measured, the next call does.

        copied : copies the state, and returns a function that makes a sample of it.
        """
        if simulation.time < self.due(simulation) or not self._room.acquire(timeout=PATIENCE):
            return
        self._number, self._last = self._number + 1, simulation.time
        self._submit(simulation.scenario.system, simulation.time, copied(), submit)

    def _submit(
        self, of: str, time: float, sample: Callable[[], Sample], submit: Submit, frame: int | None = None
    ) -> None:
        """Leave it to the analyst to add a state of a system, or a frame of a recording."""
        averages, indicators = self._averages, (*system(of).indicators(), *registered())

        def add() -> None:
            try:
                with self._lock:
                    if averages is None or averages is not self._averages:
                        return
                    if frame is None:
                        wanted = self._names
                        averages.forget(self._again)
                        self._again.clear()
                    else:
                        wanted = frozenset(name for name, first in self._firsts.items() if first <= frame)
                    averages.want(one for one in indicators if one.name in wanted)
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
            averages, hidden, note = self._averages, set(self._again), self._note
            every, names, begins = self._every, self._names, -inf if self._firsts else self.next_time
        if averages is None:
            return AveragesSoFar(note=note)
        found = {name: one for name, one in averages.averages().items() if name in names - hidden}
        every = every if isfinite(every) else averages.every or nan
        return AveragesSoFar(found, every, begins, note, dict(averages.problems), averages.states)
