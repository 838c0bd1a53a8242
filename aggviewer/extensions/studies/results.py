"""The results of a study as they arrive: single runs, and the mean of each point with its error. No Qt."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Longs
from engine.study import Study
from engine.study.grid import Grid
from engine.study.one_run import Row
from engine.study.store import Arrivals

_BITE = 100  # rows that are read at once, in a few milliseconds
_NOT_SHOWN = ("seed",)


@dataclass(frozen=True)
class StudyRuns:
    """Runs with a value of one quantity: grid point, seed and value of each, (n,)."""

    point: Longs
    seed: Longs
    value: Floats

    def __getitem__(self, chosen: slice | NDArray[np.bool_]) -> StudyRuns:
        """The chosen ones of these runs."""
        return StudyRuns(self.point[chosen], self.seed[chosen], self.value[chosen])


class _Column:
    """The values of one quantity, added run by run."""

    def __init__(self) -> None:
        self.point, self.seed, self.value = array("q"), array("q"), array("d")


class Results:
    """The results of a study so far.

    Parameters
    ----------
    study : the study, which may get more seeds later (`widen`).
    folder : of its results; it need not exist yet.

    Attributes
    ----------
    failures : why runs failed, by point and seed; remarks : why values of others are missing.
    behind : whether there is more to read now.
    runs_at : the number of successful runs of each point, by the number of the point.
    first_done : the seed of the first successful run of each point.
    """

    def __init__(self, study: Study, folder: Path) -> None:
        self.study, self.folder = study, folder
        self.grid = Grid(study)
        self.failures: dict[tuple[int, int], str] = {}
        self.remarks: dict[tuple[int, int], str] = {}
        self.behind = False
        self.runs_at: Counter[int] = Counter()
        self.first_done: dict[int, int] = {}
        self._arrivals = Arrivals(folder)
        self._done: set[tuple[int, int]] = set()
        self._columns: dict[str, _Column] = {}
        self._seconds = 0.0

    def widen(self, study: Study) -> None:
        """Continue with this study with more seeds."""
        self.study, self.grid = study, Grid(study)

    def read(self) -> bool:
        """Read the next rows; returns whether there were any."""
        rows = self._arrivals.take(_BITE)
        for row in rows:
            self._add(row)
        self.behind = len(rows) == _BITE
        return bool(rows)

    def close(self) -> None:
        """Close the file."""
        self._arrivals.close()

    @property
    def total(self) -> int:
        """The total number of runs."""
        return len(self.grid)

    @property
    def done(self) -> int:
        """The number of successful runs."""
        return len(self._done)

    @property
    def remaining(self) -> int:
        """The number of runs that are still to be done."""
        return max(0, self.total - self.done - len(self.failures))

    def seconds_left(self, workers: int) -> float | None:
        """About how long the rest will take in seconds, None if it is not known yet."""
        return self._seconds / self.done * self.remaining / workers if self.done else None

    def quantities(self) -> list[str]:
        """The names of quantities that have a value in some run."""
        return list(self._columns)

    def singles(self, name: str) -> StudyRuns:
        """The runs with a value of a quantity, in the order in which they ended."""
        found = self._columns.get(name) or _Column()
        return StudyRuns(*(np.array(values) for values in (found.point, found.seed, found.value)))

    def means(self, name: str) -> tuple[Longs, Floats, Floats]:
        """Of each point: the number of runs, their mean and its standard error, (P,) each; nan if there are too few
        runs."""
        runs, points = self.singles(name), len(self.grid.points)
        count = np.bincount(runs.point, minlength=points)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.bincount(runs.point, runs.value, points) / count
            squares = np.bincount(runs.point, (runs.value - mean[runs.point]) ** 2, points)
            error = np.where(count > 1, np.sqrt(squares / (count - 1) / count), np.nan)
        return count, mean, error

    def failed_at(self, point: int) -> int:
        """The number of failed runs of a point."""
        return sum(1 for at, _ in self.failures if at == point)

    def final(self, point: int, seed: int) -> dict[str, Any] | None:
        """The final state of a run, None if there is none."""
        return self._arrivals.final(point, seed)

    def _add(self, row: Row) -> None:
        key = (row.point, row.seed)
        if row.point >= len(self.grid.points) or key in self._done:
            return
        if row.status != "done":
            self.failures[key] = row.error
            return
        self.failures.pop(key, None)
        if row.error:
            self.remarks[key] = row.error
        self._done.add(key)
        self.runs_at[row.point] += 1
        self.first_done.setdefault(row.point, row.seed)
        self._seconds += row.seconds
        for name, value in row.numbers.items():
            if value is None or name in _NOT_SHOWN or not np.isfinite(value):
                continue
            column = self._columns.setdefault(name, _Column())
            column.point.append(row.point)
            column.seed.append(row.seed)
            column.value.append(value)
