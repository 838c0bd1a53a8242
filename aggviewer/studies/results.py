"""The rows of a study as they come in: single runs, and the mean of each point with its error. No Qt."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.study import Study
from engine.study.grid import Grid
from engine.study.one_run import Row
from engine.study.quantities import CurveQuantity
from engine.study.store import Arrivals

_BITE = 20  # rows that are read at once
_NOT_SHOWN = ("seed",)

Floats = NDArray[np.float64]


class _Quantity:
    """One quantity: its value in each run, and sums over those of a point, so that a mean costs nothing."""

    def __init__(self, points: int) -> None:
        self.point: list[int] = []
        self.seed: list[int] = []
        self.value: list[float] = []
        self.count = np.zeros(points, np.int64)
        self._mean = np.zeros(points)
        self._squares = np.zeros(points)  # sum of the squared distances to the mean, as Welford adds them

    def add(self, point: int, seed: int, value: float) -> None:
        self.point.append(point)
        self.seed.append(seed)
        self.value.append(value)
        self.count[point] += 1
        off = value - self._mean[point]
        self._mean[point] += off / self.count[point]
        self._squares[point] += off * (value - self._mean[point])

    def means(self) -> tuple[Floats, Floats]:
        """Mean and standard error of each point; nan for what so few runs do not tell."""
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.sqrt(self._squares / (self.count - 1) / self.count)
        return np.where(self.count > 0, self._mean, np.nan), np.where(self.count > 1, error, np.nan)


class Results:
    """What has come of a study so far.

    Parameters
    ----------
    study : the study, which may have more seeds later (`widen`).
    folder : of its results; it may come later.
    """

    def __init__(self, study: Study, folder: Path) -> None:
        self.study = study
        self.grid = Grid(study)
        self.failures: dict[tuple[int, int], str] = {}
        self.behind = False
        self._arrivals = Arrivals(folder)
        self._done: set[tuple[int, int]] = set()
        self._runs_at = [0] * len(self.grid.points)
        self._quantities: dict[str, _Quantity] = {}
        self._seconds = 0.0

    def widen(self, study: Study) -> None:
        """Go on with this study with more seeds."""
        self.study, self.grid = study, Grid(study)

    def read(self, budget: float) -> bool:
        """Take in what has come since the last time, some rows at least, for about `budget` seconds; whether anything
        has. `behind` says whether there is more."""
        end = time.perf_counter() + budget
        came = False
        while True:
            rows = self._arrivals.take(_BITE)
            for row in rows:
                self._add(row)
            came |= bool(rows)
            self.behind = len(rows) == _BITE
            if not self.behind or time.perf_counter() > end:
                return came

    def close(self) -> None:
        """Let go of the file."""
        self._arrivals.close()

    @property
    def total(self) -> int:
        """Runs in all."""
        return len(self.grid)

    @property
    def done(self) -> int:
        """Runs that have succeeded."""
        return len(self._done)

    @property
    def left(self) -> int:
        """Runs that are still to come."""
        return max(0, self.total - self.done - len(self.failures))

    def seconds_left(self, workers: int) -> float | None:
        """How long the rest will take about, None where nobody can say yet."""
        return self._seconds / self.done * self.left / workers if self.done else None

    def quantities(self) -> list[str]:
        """Names of the quantities that have a value in some run."""
        return list(self._quantities)

    def singles(self, name: str) -> tuple[list[int], list[int], list[float]]:
        """Point, seed and value of each run."""
        found = self._quantities.get(name)
        return ([], [], []) if found is None else (found.point, found.seed, found.value)

    def means(self, name: str) -> tuple[NDArray[np.int64], Floats, Floats]:
        """Of each point: the number of runs, their mean and its standard error, (P,) each."""
        points = len(self.grid.points)
        found = self._quantities.get(name)
        if found is None:
            return np.zeros(points, np.int64), np.full(points, np.nan), np.full(points, np.nan)
        return found.count, *found.means()

    def failed_at(self, point: int) -> int:
        """How many runs of a point have failed."""
        return sum(1 for at, _ in self.failures if at == point)

    def final(self, point: int, seed: int) -> dict[str, Any] | None:
        """The final state of a run, None where there is none."""
        return self._arrivals.final(point, seed)

    def curves(self, point: int, seed: int) -> dict[str, CurveQuantity]:
        """The curves of a run by name."""
        return self._arrivals.curves(point, seed)

    def runs_at(self, point: int) -> int:
        """How many runs of a point have succeeded."""
        return self._runs_at[point]

    @property
    def study_system(self) -> str:
        """The name of the system that it is about."""
        return self.grid.scenario.system

    def done_at(self, point: int) -> list[int]:
        """The seeds of a point whose runs have succeeded."""
        return sorted(seed for at, seed in self._done if at == point)

    def _add(self, row: Row) -> None:
        key = (row.point, row.seed)
        if row.point >= len(self.grid.points) or key in self._done:
            return
        if row.status != "done":
            self.failures[key] = row.error
            return
        self.failures.pop(key, None)
        self._done.add(key)
        self._runs_at[row.point] += 1
        self._seconds += row.seconds
        for name, value in row.numbers.items():
            if value is None or name in _NOT_SHOWN or not np.isfinite(value):
                continue
            if name not in self._quantities:
                self._quantities[name] = _Quantity(len(self.grid.points))
            self._quantities[name].add(row.point, row.seed, float(value))
