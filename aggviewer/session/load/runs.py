"""Runs that were replaced and can be restored. Belongs to the simulation's thread."""

from __future__ import annotations

import gc
import types
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from aggviewer.session.log.log import Log
from aggviewer.session.run.lanes import Lockstep

if TYPE_CHECKING:
    from engine.scenario import Scenario

MOST_RUNS = 5
"""Number of runs kept besides the present one."""

MOST_BYTES = 1 << 30
"""Total bytes that they may use, including their stored frames."""


@dataclass(eq=False)
class Run:
    """A run, from its start until it is replaced, and after it is restored.

    Attributes
    ----------
    scenarios : of each lane, at the time the run was set aside.
    log : how it came about; replaced by a longer one with each command.
    variant : the differences of the second lane.
    single : the run from which a comparison was started, else None.
    file : of a recording being played.
    shown : whether it is the present run.
    drive : the simulations of a run set aside, with its stored frames; None if they could not be kept.
    wanted : whether a run set aside was running.
    size : bytes of the simulations in `drive`.
    """

    scenarios: tuple[Scenario, ...]
    log: Log = field(default_factory=Log)
    variant: dict[str, Any] | None = None
    single: Run | None = None
    file: Path | None = None
    shown: bool = True
    drive: Lockstep | None = None
    wanted: bool = False
    size: int = 0

    @property
    def lost(self) -> bool:
        """Whether the run was set aside but could not be kept, so that only its scenarios are left."""
        return not self.shown and self.drive is None

    @property
    def nbytes(self) -> int:
        """Bytes that it uses while set aside."""
        return self.size + self.drive.past.nbytes if self.drive is not None else 0

    def thin(self) -> bool:
        """Keep fewer frames of its past; False if there is nothing to thin."""
        return self.drive is not None and self.drive.past.thin()

    def drop(self, patience: float | None = None) -> bool:
        """Release it. False if closing its file takes longer than `patience` seconds."""
        drive, self.drive = self.drive, None
        return drive is None or drive.close(patience)


class Shelf:
    """The runs set aside, at most `MOST_RUNS` and `budget` bytes in total. First their pasts are thinned, then the
    oldest runs are dropped. A run that alone is too large is dropped at once instead of others."""

    def __init__(self) -> None:
        self.budget = MOST_BYTES
        self._runs: list[Run] = []  # in the order in which they were put aside

    @property
    def runs(self) -> tuple[Run, ...]:
        """The kept runs, newest last."""
        return tuple(self._runs)

    def put(self, run: Run, drive: Lockstep, wanted: bool) -> None:
        """Keep a replaced run until `settle` decides. wanted : whether it was running."""
        run.scenarios = tuple(lane.scenario for lane in drive.lanes)
        run.drive, run.wanted, run.shown = drive, wanted, False
        run.size = bytes_of([lane.simulation for lane in drive.lanes])
        self._runs.append(run)

    def take(self, run: Run) -> Lockstep | None:
        """Take back a run: its simulations, or None if they could not be kept."""
        if run in self._runs:
            self._runs.remove(run)
        drive, run.drive, run.shown = run.drive, None, True
        return drive

    def settle(self, wanted: Collection[Run]) -> None:
        """Keep those runs that are still `wanted`, as far as they fit."""
        for run in [run for run in self._runs if run not in wanted or run.size > self.budget]:
            self._drop(run)
        while len(self._runs) > MOST_RUNS:
            self._drop(self._runs[0])
        while self._runs and sum(run.nbytes for run in self._runs) > self.budget:
            if not any(run.thin() for run in sorted(self._runs, key=lambda run: run.size - run.nbytes)):
                self._drop(self._runs[0])

    @property
    def simulations(self) -> list[tuple[Run, Lockstep]]:
        """The runs that are simulations, newest first."""
        kept = [(run, run.drive) for run in reversed(self._runs) if run.drive is not None]
        return [(run, drive) for run, drive in kept if drive.live]

    def close(self, patience: float | None = None) -> bool:
        """Drop all; False if closing a file takes longer than `patience` seconds."""
        closed = [run.drop(patience) for run in self._runs]
        self._runs.clear()
        return all(closed)

    def _drop(self, run: Run) -> None:
        self._runs.remove(run)
        run.drop()


def bytes_of(thing: object) -> int:
    """Bytes of all arrays reachable from a simulation, each counted once.

    Classes, functions and kernels are skipped, since a kernel leads to everything in the compiler."""
    seen: set[int] = set()
    waiting, total = [thing], 0
    while waiting:
        one = waiting.pop()
        if id(one) in seen or callable(one) or isinstance(one, types.ModuleType):
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            if isinstance(one.base, np.ndarray):
                waiting.append(one.base)
            else:
                total += one.nbytes
        else:
            waiting.extend(gc.get_referents(one))
    return total
