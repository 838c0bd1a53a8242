"""How a simulation advances: limits that are checked, slices of work, and signals that wait for a good moment.

Kernels count units of work, people give seconds. Every simulation inherits `advance` from `Advancing`, so that limits
are checked and interrupts are taken care of in one place.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.interrupts import HeldSignals
from engine.simulation import Progress

NO_LIMIT = 1 << 60
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


def limited(count: int | None) -> int:
    """A count for a kernel: None is no limit, and so is more than an int64 comfortably holds."""
    return NO_LIMIT if count is None else min(count, NO_LIMIT)


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


def in_slices(
    rate: WorkRate,
    limits: Limits,
    signals: HeldSignals,
    run: Callable[[int, int], int],
    counted: Callable[[], tuple[int, int]],
    grow: Callable[[int], bool],
    out_of_work: int,
) -> int:
    """Run a kernel for ``limits.max_events`` events or about ``limits.budget`` seconds of work; returns the status it
    ends with.

    run : the kernel, for at most so many events and units of work, and whatever brings the simulation in line with it;
    counted : units of work and events so far; grow : makes room where the status says that it has run out, and whether
    the kernel is to be called again; out_of_work : the status of a kernel that has done its units of work.
    """
    left, budget, spent = limited(limits.max_events), limits.budget, 0.0
    while True:
        units = rate.units(budget - spent)
        work, events = counted()
        began = time.perf_counter()
        status = run(left, units)
        took = time.perf_counter() - began
        worked, happened = counted()
        rate.learn(worked - work, took)
        spent += took
        left -= happened - events
        again = grow(status) or (status == out_of_work and spent < budget)
        signals.deliver()
        if not again:
            return status
