"""The present run, and those that were replaced and can be restored. Belongs to the simulation's thread."""

from __future__ import annotations

import gc
import types
from collections.abc import Collection

import numpy as np

from aggviewer.session.data import Status
from aggviewer.session.run.run import Run

MOST_RUNS = 5
"""Number of runs kept besides the present one."""

MOST_BYTES = 1 << 30
"""Total bytes that they may use, including their stored frames."""


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

    def put(self, run: Run) -> None:
        """Keep a replaced run until `settle` decides."""
        run.state = "finished" if run.finished else "paused"
        run.size = bytes_of([lane.simulation for lane in run.lanes])
        self._runs.append(run)

    def take(self, run: Run) -> None:
        """Take back a run, if it is kept."""
        if run in self._runs:
            self._runs.remove(run)

    def settle(self, wanted: Collection[Run]) -> None:
        """Keep those runs that are still `wanted`, as far as they fit."""
        for run in [run for run in self._runs if run not in wanted or run.size > self.budget]:
            self._drop(run)
        while len(self._runs) > MOST_RUNS:
            self._drop(self._runs[0])
        while self._runs and sum(run.nbytes for run in self._runs) > self.budget:
            if not any(run.past.thin() for run in sorted(self._runs, key=lambda run: run.size - run.nbytes)):
                self._drop(self._runs[0])

    def close(self, patience: float | None = None) -> bool:
        """Drop all; False if closing a file takes longer than `patience` seconds."""
        closed = [run.drop(patience) for run in self._runs]
        self._runs.clear()
        return all(closed)

    def _drop(self, run: Run) -> None:
        self._runs.remove(run)
        run.drop()


class Runs:
    """The present run, and the earlier ones that can be restored.

    Attributes
    ----------
    present : the run that is shown; one without lanes before the first.
    shelf : replaced runs.
    status : what was last told of the present run.
    """

    def __init__(self, present: Run | None = None, status: Status | None = None) -> None:
        self.present = present or Run()
        self.shelf = Shelf()
        self.status = status or Status()

    def show(self, run: Run) -> None:
        """Make another run the present one, and keep the last one, unless it has failed or was only shown until a
        simulation is ready."""
        if self.present.lanes and not self.present.recorded:
            self.shelf.put(self.present)
        self.present = run
        self.shelf.take(run)

    def close(self, patience: float | None = None) -> bool:
        """Close all files; False if that takes longer than `patience` seconds."""
        present = self.present.close(patience)
        return self.shelf.close(patience) and present


class SessionRuns:
    """The runs of a session. Those of a lesson take the place of the user's own, which wait as they are: nothing
    changes them, and they do not count towards memory budgets.

    Attributes
    ----------
    now : the runs that the window shows.
    own : the user's own; the same object, except during a lesson.
    """

    def __init__(self) -> None:
        self.now = self.own = Runs()

    @property
    def is_aside(self) -> bool:
        """Whether the user's own runs wait."""
        return self.now is not self.own

    def set_aside(self) -> None:
        """Let the user's own runs wait. The last picture stays until another run starts."""
        left = self.own.present
        shown = Run(state="loading" if left.lanes else left.state, scenarios=left.scenarios)
        self.now = Runs(shown, self.own.status)

    def close(self, patience: float | None = None) -> bool:
        """Close all files, after the simulation's thread has ended; False if that takes longer than `patience` seconds
        for one."""
        own = self.own.close(patience)
        return (not self.is_aside or self.now.close(patience)) and own


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
