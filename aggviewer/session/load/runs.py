"""Runs that another one has taken the place of, kept so that they can come back. Belongs to the simulation's thread."""

from __future__ import annotations

import gc
import types
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from aggviewer.session.past.memory import Memory
from aggviewer.session.run.lockstep import Lockstep
from aggviewer.session.run.player import Player

if TYPE_CHECKING:
    from engine.scenario import Scenario

MOST_RUNS = 5
"""Runs that are kept beside the one that is shown."""

MOST_BYTES = 1 << 30
"""What they may take together, with their pasts."""

_NOT_LOOKED_INTO = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType)


class Run:
    """A run, from its start until another one takes its place and after it comes back.

    scenarios : of each lane, as it was when the run was put aside; variant : what is different in the second lane;
    single : the run that a comparison was begun from, None otherwise; file : of a recording that is played.
    While it is put aside: drive : the simulations, None once the run could not be kept; past : frames to look back at;
    wanted : whether it was running when it was put aside.
    """

    def __init__(
        self,
        scenarios: tuple[Scenario, ...],
        variant: Mapping[str, Any] | None = None,
        *,
        single: Run | None = None,
        file: Path | None = None,
    ) -> None:
        self.scenarios = scenarios
        self.variant = dict(variant) if variant is not None else None
        self.single = single
        self.file = file
        self.drive: Lockstep | Player | None = None
        self.past = Memory()
        self.wanted = False
        self.shown = True
        self._simulated = 0  # bytes

    @property
    def lost(self) -> bool:
        """It was put aside and could not be kept: only its scenarios are left."""
        return not self.shown and self.drive is None

    @property
    def nbytes(self) -> int:
        """Bytes that it takes while it is put aside."""
        return self._simulated + self.past.nbytes if self.drive is not None else 0

    def put_aside(self, drive: Lockstep | Player, past: Memory, wanted: bool, size: int) -> None:
        """Another run takes its place. size : bytes of its simulations."""
        self.scenarios = tuple(lane.scenario for lane in drive.lanes)
        self.drive, self.past, self.wanted, self.shown, self._simulated = drive, past, wanted, False, size

    def take(self) -> tuple[Lockstep | Player, Memory] | None:
        """It is shown again: what it goes on with, None where it could not be kept."""
        drive, past = self.drive, self.past
        self.drive, self.past, self.shown = None, Memory(), True
        return None if drive is None else (drive, past)

    def drop(self, patience: float | None = None) -> bool:
        """Let go of it. False where its file takes longer than `patience` seconds to be closed."""
        drive, self.drive, self.past = self.drive, None, Memory()
        return not isinstance(drive, Player) or drive.replay.close(patience)


class Shelf:
    """The runs that are put aside, at most `most` of them and `budget` bytes together: first their pasts are thinned,
    then the oldest ones are dropped."""

    def __init__(
        self, most: int = MOST_RUNS, budget: int = MOST_BYTES, size_of: Callable[[object], int] | None = None
    ) -> None:
        self.most = most
        self.budget = budget
        self._size_of = size_of or bytes_of
        self._runs: list[Run] = []  # in the order in which they were put aside

    @property
    def runs(self) -> tuple[Run, ...]:
        """Those that are kept, the newest last."""
        return tuple(self._runs)

    def put(self, run: Run, drive: Lockstep | Player, past: Memory, wanted: bool) -> None:
        """Another run takes the place of this one. `settle` is to follow."""
        size = self._size_of([lane.simulation for lane in drive.lanes])
        run.put_aside(drive, past, wanted, size)
        self._runs.append(run)

    def take(self, run: Run) -> tuple[Lockstep | Player, Memory] | None:
        """A run comes back; None where it could not be kept."""
        if run in self._runs:
            self._runs.remove(run)
        return run.take()

    def settle(self, wanted: Collection[Run]) -> None:
        """Keep of the runs that are still `wanted` those that there is room for."""
        for run in [run for run in self._runs if run not in wanted]:
            self._drop(run)
        while len(self._runs) > self.most:
            self._drop(self._runs[0])
        while self._runs and sum(run.nbytes for run in self._runs) > self.budget:
            if not any(run.past.thin() for run in sorted(self._runs, key=lambda run: -run.past.nbytes)):
                self._drop(self._runs[0])

    def close(self, patience: float | None = None) -> bool:
        """Drop all; False where a file takes longer than `patience` seconds to be closed."""
        closed = [run.drop(patience) for run in self._runs]
        self._runs.clear()
        return all(closed)

    def _drop(self, run: Run) -> None:
        self._runs.remove(run)
        run.drop()


def bytes_of(thing: object) -> int:
    """Bytes of all arrays that can be reached from a simulation, each counted once."""
    seen: set[int] = set()
    waiting, total = [thing], 0
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, _NOT_LOOKED_INTO):
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
