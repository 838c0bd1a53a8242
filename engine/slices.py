"""How a simulation advances: limits that are checked, slices of work, and signals that wait for a good moment.

Kernels count units of work, people give seconds. Every simulation inherits `advance` from `Advancing`, so that limits
are checked and interrupts are taken care of in one place.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.interrupts import HeldSignals
from engine.simulation import Progress

AT_TIME, AT_CLUSTERS, AT_EVENTS, OUT_OF_WORK, NOTHING_MOVES = range(5)
"""Why a kernel has come back: a limit is reached, its units of work are done, or nothing will happen any more."""
FIRST_OF_ITS_OWN = 5
"""Where the further statuses of a kernel begin."""

NO_LIMIT = 1 << 60
"""A number of events or units of work that no run reaches; an int64 comfortably holds sums with it."""
LONGEST_SLICE = 0.04
"""Seconds of work in one call of a kernel, about: signals of the system wait for its end."""


@dataclass(frozen=True)
class Limits:
    """How far an `advance` goes, as its arguments say, checked.

    until_time : simulation time, inf for no limit; budget : seconds of work, inf for no limit; until_clusters : at
    least 1; max_events : at least 0, None for no limit.
    """

    until_time: float = inf
    budget: float = inf
    until_clusters: int = 1
    max_events: int | None = None

    @staticmethod
    def checked(until_time: Any, budget: Any, until_clusters: Any, max_events: Any) -> Limits:
        """The limits of these arguments. InputError, which names the argument, for one that is no limit."""
        until_time = _number("until_time", until_time, "a simulation time, or inf for no limit")
        budget = _number("budget", budget, "at least 0 seconds, or inf for no limit")
        if budget < 0.0:
            raise InputError(f"budget must be at least 0 seconds, or inf for no limit, not {budget:g}", "budget")
        until_clusters = _whole("until_clusters", until_clusters, "of at least 1", 1)
        if max_events is not None:
            max_events = _whole("max_events", max_events, "of at least 0, or None for no limit", 0)
        return Limits(until_time, budget, until_clusters, max_events)


def _number(name: str, value: Any, allowed: str) -> float:
    """A real number, also one of numpy's, but neither nan nor True or False."""
    if not isinstance(value, Real) or isinstance(value, bool) or value != value:
        raise InputError(f"{name} must be {allowed}, not {value!r}", name)
    try:
        return float(value)
    except OverflowError:  # a whole number that no float can hold
        return inf if value == abs(value) else -inf


def _whole(name: str, value: Any, allowed: str, least: int) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < least:
        raise InputError(f"{name} must be a whole number {allowed}, not {value!r}", name)
    return int(value)


class Advancing(ABC):
    """Base of the simulations: the discs and the box that they keep as they were given, and how they go on.

    Attributes
    ----------
    count : N; radii, masses : (N,), in the caller's order; box : (2,), its sides; periodic : else with walls.
    """

    count: int
    radii: NDArray[np.float64]
    masses: NDArray[np.float64]
    box: NDArray[np.float64]
    periodic: bool

    def _adopt(
        self, radii: NDArray[np.float64], masses: NDArray[np.float64], box: NDArray[np.float64], periodic: bool
    ) -> None:
        """Keep the discs and the box."""
        self.count = len(radii)
        self.radii = radii
        self.masses = masses
        self.box = box
        self.periodic = periodic

    def advance(
        self,
        until_time: float = inf,
        budget: float = inf,
        *,
        until_clusters: int = 1,
        max_events: int | None = None,
    ) -> Progress:
        """See `engine.simulation.Simulation.advance`."""
        limits = Limits.checked(until_time, budget, until_clusters, max_events)
        with HeldSignals(self._cut()) as signals:
            return self._advance(limits, signals)

    def _cut(self) -> threading.Event | None:
        """What ends a call that takes long, where there is such a thing: a signal sets it."""
        return None

    @abstractmethod
    def _advance(self, limits: Limits, signals: HeldSignals) -> Progress:
        """Do it. ``signals.deliver()`` is called whenever the state is good, and may raise KeyboardInterrupt then."""


class WorkRate:
    """Units of work a second, learnt as a simulation runs; `guess` is what it starts from."""

    def __init__(self, guess: float) -> None:
        self._rate = guess

    def units(self, budget: float) -> int:
        """Units that take about `budget` seconds, and about `LONGEST_SLICE` at most."""
        return max(200, int(self._rate * min(max(budget, 0.0), LONGEST_SLICE)))

    def learn(self, units: int, seconds: float) -> None:
        """A mean that follows within a few slices; a first call that holds a compile is forgotten soon."""
        if units > 1000 and seconds > 0.0:
            self._rate += 0.3 * (units / seconds - self._rate)


class Sliced(Advancing):
    """A simulation that a kernel carries on, called again and again for a limited amount of work.

    Where the kernel is cut never changes the result. What it comes back with is one of the statuses of this module,
    or one of its own, from `FIRST_OF_ITS_OWN` on.
    """

    work_guess: float
    """Units of work a second, until that is known."""

    @property
    @abstractmethod
    def time(self) -> float:
        """Simulation time reached."""

    @cached_property
    def _work_rate(self) -> WorkRate:
        return WorkRate(self.work_guess)

    @abstractmethod
    def _run(self, until_time: float, until_clusters: int, max_events: int, max_work: int) -> int:
        """Call the kernel, bring the simulation in line with what it has done, and return its status."""

    @abstractmethod
    def _counted(self) -> tuple[int, int]:
        """Units of work and physical events so far."""

    @abstractmethod
    def _go_on(self, status: int) -> bool:
        """See to what the kernel has come back for (arrays that are too short, for instance), and whether it is to be
        called again for that reason."""

    @abstractmethod
    def _stand_still(self, until_time: float) -> None:
        """Let the time pass to `until_time`, at least the present one: nothing happens until then."""

    @abstractmethod
    def _progress(self, status: int) -> Progress:
        """Where the slice has ended, with this status of the kernel."""

    def _advance(self, limits: Limits, signals: HeldSignals) -> Progress:
        until_time = max(limits.until_time, self.time)
        until_clusters = min(limits.until_clusters, self.count)
        left = NO_LIMIT if limits.max_events is None else min(limits.max_events, NO_LIMIT)
        spent = 0.0
        while True:
            units = self._work_rate.units(limits.budget - spent)
            work, events = self._counted()
            began = time.perf_counter()
            status = self._run(until_time, until_clusters, left, units)
            took = time.perf_counter() - began
            worked, happened = self._counted()
            self._work_rate.learn(worked - work, took)
            spent += took
            left -= happened - events
            again = self._go_on(status) or (status == OUT_OF_WORK and spent < limits.budget)
            signals.deliver()
            if not again:
                break
        if status == NOTHING_MOVES and isfinite(until_time):
            self._stand_still(until_time)
        return self._progress(status)
