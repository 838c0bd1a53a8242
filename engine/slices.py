"""How a simulation advances: up to limits, in slices of work between which signals are delivered.

Every simulation inherits `advance` from `Advancing`, which checks the limits and holds back Ctrl-C. `Sliced` calls a
kernel again and again for a limited number of units of work, and converts the seconds that are asked for into units.

`HeldSignals` delays signals until the state is consistent. Python may run a signal handler between any two
instructions, and the handler of Ctrl-C raises KeyboardInterrupt there: for instance after the positions of a state are
updated and before its time is. While signals are held, a handler only notes the signal. Work continues until the state
is consistent again, and then the original handler is called.
"""

from __future__ import annotations

import signal
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite
from numbers import Integral, Real
from types import FrameType, TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.boundary import Periodic
from engine.errors import InputError
from engine.frame import FrameDiscs, Pictured, Plugged
from engine.records import own_arrays
from engine.scenario import Scenario
from engine.simulation import Progress

AT_TIME, AT_CLUSTERS, AT_EVENTS, OUT_OF_WORK, NOTHING_MOVES, LONG_AHEAD = range(6)
"""The status that a kernel returns: a limit is reached, its units of work are used up, no event is left, or what comes
next cannot be cut and takes longer than a slice, so that it gets one of its own."""
FIRST_OF_ITS_OWN = 6
"""The first status that a kernel may define for itself."""

NO_LIMIT = 1 << 60
"""A number of events or units of work that no run reaches; int64 can hold sums with it."""
LONGEST_SLICE = 0.04
"""About how many seconds one call of a kernel may take: Ctrl-C waits until it returns."""


@dataclass(frozen=True)
class Limits:
    """How far `advance` goes: its arguments, checked.

    Parameters
    ----------
    until_time : simulation time, inf for no limit.
    budget : seconds of work, at least 0, inf for no limit.
    until_clusters : the number of clusters to stop at, at least 1.
    max_events : the number of physical events, at least 0, None for no limit.
    """

    until_time: float = inf
    budget: float = inf
    until_clusters: int = 1
    max_events: int | None = None

    @staticmethod
    def checked(
        until_time: Any, budget: Any, until_clusters: Any, max_events: Any, *, events: str = "max_events"
    ) -> Limits:
        """Check the arguments of `advance`. Raises InputError, which names the argument at fault.

        `events` is what messages call `max_events`.
        """
        until_time = _number("until_time", until_time, "a simulation time, or inf for no limit")
        budget = _number("budget", budget, "at least 0 seconds, or inf for no limit")
        if budget < 0.0:
            raise InputError(f"budget must be at least 0 seconds, or inf for no limit, not {budget:g}", "budget")
        until_clusters = _whole("until_clusters", until_clusters, "of at least 1", 1)
        if max_events is not None:
            max_events = _whole(events, max_events, "of at least 0, or None for no limit", 0)
        return Limits(until_time, budget, until_clusters, max_events)


def _number(name: str, value: Any, allowed: str) -> float:
    """The value as a float. Raises InputError unless it is a real number (numpy's too): not NaN, True or False."""
    if not isinstance(value, Real) or isinstance(value, bool) or value != value:
        raise InputError(f"{name} must be {allowed}, not {value!r}", name)
    try:
        return float(value)
    except OverflowError:  # a whole number too large for a float
        return inf if value == abs(value) else -inf


def _whole(name: str, value: Any, allowed: str, least: int) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < least:
        raise InputError(f"{name} must be a whole number {allowed}, not {value!r}", name)
    return int(value)


class Steered(Pictured):
    """What people call: `run`, and the picture in notebooks."""

    def run(
        self,
        until_time: float | None = None,
        *,
        until_clusters: int | None = None,
        until_events: int | None = None,
        callback: Callable[[Self], Any] | None = None,
        progress: bool = True,
    ) -> Progress:
        """Run up to the limit that is reached first, or to the end, with a progress bar (`Simulation.run`)."""
        reached: Progress = Plugged.run(self, until_time, until_clusters, until_events, callback, progress)
        return reached


class Advancing(Steered, ABC):
    """Base of all simulations: it keeps the discs and the box, and has `advance`.

    Attributes
    ----------
    count : the number of discs N.
    radii, masses : (N,), in the order in which they were given.
    box : (d,), its sides, d = 2 or 3.
    periodic : along which axes the box is periodic; along the others it has walls.
    """

    system: str
    method: str
    scenario: Scenario
    count: int
    radii: NDArray[np.float64]
    masses: NDArray[np.float64]
    box: NDArray[np.float64]
    periodic: Periodic

    def __repr__(self) -> str:
        return f"<{self.system}, {self.method}: {self.count} discs at time {self.time:g}>"

    @property
    @abstractmethod
    def time(self) -> float:
        """Simulation time reached."""

    @property
    def discs(self) -> FrameDiscs:
        """The discs as every frame of this simulation has them (`Frame.discs`)."""
        return FrameDiscs(self.radii, self.masses, self.box, self.periodic, self.scenario)

    def _adopt(
        self, radii: NDArray[np.float64], masses: NDArray[np.float64], box: NDArray[np.float64], periodic: Periodic
    ) -> None:
        """Use these discs and this box: radii, masses (N,) and box (d,)."""
        self.count = len(radii)
        self.radii = radii
        self.masses = masses
        self.box = box
        self.periodic = Periodic.of(periodic, len(box))

    def advance(
        self,
        until_time: float = inf,
        budget: float = inf,
        *,
        until_clusters: int = 1,
        max_events: int | None = None,
    ) -> Progress:
        """Run up to the limit that is reached first (`Simulation.advance`)."""
        limits = Limits.checked(until_time, budget, until_clusters, max_events)
        with HeldSignals(self._cut()) as signals:
            return self._advance(limits, signals)

    def _cut(self) -> threading.Event | None:
        """The event that a signal sets to end long work early; None if slices are short anyway."""
        return None

    @abstractmethod
    def _advance(self, limits: Limits, signals: HeldSignals) -> Progress:
        """Advance up to the limits.

        Implementations call ``signals.deliver()`` wherever the state is consistent; it may raise KeyboardInterrupt.
        """


class WorkRate:
    """The units of work per second that a kernel does, measured as it runs; `guess` is the first estimate."""

    def __init__(self, guess: float) -> None:
        self._rate = guess

    def units(self, budget: float) -> int:
        """The units of work that take about `budget` seconds, or about `LONGEST_SLICE` where that is less."""
        return max(200, int(self._rate * min(max(budget, 0.0), LONGEST_SLICE)))

    def learn(self, units: int, seconds: float) -> None:
        """Take a slice into account: a moving average, which soon forgets a first call that compiled the kernel."""
        if units > 1000 and seconds > 0.0:
            self._rate += 0.3 * (units / seconds - self._rate)


class Sliced(Advancing):
    """A simulation advanced by a kernel that is called repeatedly for a limited amount of work.

    Interrupting the kernel never changes the results. It returns one of the statuses of this module, or one of its own,
    from `FIRST_OF_ITS_OWN` on.
    """

    work_guess: float
    """Units of work a second, until that is known."""

    _st: Any  # a NamedTuple of the arrays of the state

    @cached_property
    def _work_rate(self) -> WorkRate:
        return WorkRate(self.work_guess)

    @abstractmethod
    def _run(self, until_time: float, until_clusters: int, max_events: int, max_work: int) -> int:
        """Call the kernel, bring the simulation in line with what it has done, and return its status."""

    @abstractmethod
    def _counted(self) -> tuple[int, int]:
        """The units of work and the physical events so far."""

    @abstractmethod
    def _handle_status(self, status: int) -> bool:
        """Deal with the kernel's status, such as an array that has become too short.

        Returns whether the kernel must be called again for that reason.
        """

    @abstractmethod
    def _stand_still(self, until_time: float) -> None:
        """Set the time to `until_time`, which is not before the present one: no event happens until then."""

    @abstractmethod
    def _progress(self, status: int) -> Progress:
        """The progress of the run after the kernel has returned this status."""

    def copy(self) -> Self:
        """A simulation in the same state, cut at the same place, that continues bit for bit. What is created on first
        use is created again."""
        new = copy(self)
        for name in list(vars(new)):
            if isinstance(getattr(type(self), name, None), cached_property):
                del vars(new)[name]
        new._st = own_arrays(self._st)
        return new

    def meets_no_more(self) -> bool:
        """Whether no discs will meet again (`engine.capabilities.Parting`); False if that is unknown."""
        return False

    def _next_look(self, until_clusters: int) -> int:
        """The number of clusters, at least `until_clusters`, at the next check whether anything meets."""
        return until_clusters

    def _advance(self, limits: Limits, signals: HeldSignals) -> Progress:
        until_time = max(limits.until_time, self.time)
        until_clusters = min(limits.until_clusters, self.count)
        left = NO_LIMIT if limits.max_events is None else min(limits.max_events, NO_LIMIT)
        spent = 0.0
        while True:
            units = self._work_rate.units(limits.budget - spent)
            work, events = self._counted()
            endless = until_time == inf
            if endless and self.meets_no_more():
                return self._progress(NOTHING_MOVES)
            goal = self._next_look(until_clusters) if endless else until_clusters
            began = time.perf_counter()
            status = self._run(until_time, goal, left, units)
            took = time.perf_counter() - began
            worked, happened = self._counted()
            self._work_rate.learn(worked - work, took)
            spent += took
            left -= happened - events
            if status == AT_CLUSTERS and goal > until_clusters:
                status = OUT_OF_WORK
            more = status == OUT_OF_WORK and spent < limits.budget
            if status == LONG_AHEAD:
                more, status = limits.budget - spent > LONGEST_SLICE, OUT_OF_WORK
            again = self._handle_status(status) or more
            signals.deliver()
            if not again:
                break
        if status == NOTHING_MOVES and isfinite(until_time):
            self._stand_still(until_time)
        return self._progress(status)


_HELD = (signal.SIGINT, signal.SIGTERM)


class HeldSignals:
    """A context manager that holds back Ctrl-C and SIGTERM until `deliver` is called or the ``with`` block ends.

    Python runs signal handlers on the main thread only: on other threads it does nothing. Only handlers that are Python
    functions are held back.

    Parameters
    ----------
    cut : set when a signal arrives, so that long work that watches it can end early; cleared when it is delivered.
    """

    def __init__(self, cut: threading.Event | None = None) -> None:
        self._cut = cut
        self._before: dict[int, Callable[[int, FrameType | None], Any]] = {}
        self._noted: list[tuple[int, FrameType | None]] = []

    @property
    def waiting(self) -> bool:
        """Whether a signal has arrived and is not delivered yet."""
        return bool(self._noted)

    def deliver(self) -> None:
        """Call the original handlers of the signals that have arrived; that of Ctrl-C raises KeyboardInterrupt.

        To be called only where the state is consistent.
        """
        if not self._noted:
            return
        if self._cut is not None:
            self._cut.clear()
        while self._noted:
            number, frame = self._noted.pop(0)
            self._before[number](number, frame)

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            try:
                for number in _HELD:
                    handler = signal.getsignal(number)
                    if callable(handler):
                        self._before[number] = handler
                        signal.signal(number, self._note)
            except BaseException:  # the other signal arrived in between
                self._let_go()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._let_go()
        self.deliver()

    def _let_go(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._noted.append((number, frame))
        if self._cut is not None:
            self._cut.set()
