"""When the runs of a study are done: in batches of about a second for the workers; and how long all of them will take.

The time, and the size of the files, are estimated from a few of the runs.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from engine.study.figures import chosen_figures
from engine.study.grid import Grid, GridPoint, StudyRun
from engine.study.one_run import Order, Row, RunTask, failed, perform, prepare
from engine.study.workers import Batch, ClusterError, Workers

_BATCH = 1.0  # seconds of work per batch
_MOST = 500  # runs in a batch
_AHEAD = 2  # batches that each worker has, so that it never waits for the next
_WAIT = 0.2  # seconds between checks for stopping


class Tasks(Protocol):
    """The requested runs, with a known length."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[RunTask]: ...


@dataclass(frozen=True)
class Standing:
    """The progress of a study.

    Parameters
    ----------
    total, done, failed : runs in all, recorded ones that have succeeded and that have failed.
    running : runs that workers have now.
    left : seconds that it will still take, None if it is not known yet.
    """

    total: int
    done: int
    failed: int
    running: int
    left: float | None


class Pace:
    """Estimates how long the runs of each point take, from finished ones."""

    def __init__(self) -> None:
        self._seconds: dict[int, tuple[float, int]] = {}

    def learn(self, row: Row) -> None:
        """Count the time that a finished run has taken."""
        seconds, count = self._seconds.get(row.point, (0.0, 0))
        self._seconds[row.point] = (seconds + row.seconds, count + 1)

    def of(self, point: int) -> float | None:
        """Seconds of a run of this point, None if none is finished."""
        found = self._seconds.get(point)
        return None if found is None else found[0] / found[1]

    def mean(self) -> float | None:
        """Mean seconds of a run over the points with finished runs, None if there are none."""
        means = [seconds / count for seconds, count in self._seconds.values()]
        return sum(means) / len(means) if means else None


def batches(tasks: Iterable[RunTask], pace: Pace, share: Callable[[], float]) -> Iterator[Batch]:
    """The tasks in their order, put together to batches of about a second; those of unknown length stand alone.

    share : most seconds per batch, so that all workers are busy until the end.
    """
    held: list[RunTask] = []
    seconds = 0.0
    for task in tasks:
        takes = pace.of(task.point)
        limit = min(_BATCH, share())
        if held and (takes is None or seconds + takes > limit or len(held) >= _MOST):
            yield Batch(tuple(held))
            held, seconds = [], 0.0
        if takes is None:
            yield Batch((task,))
        else:
            held.append(task)
            seconds += takes
    if held:
        yield Batch(tuple(held))


def work(
    workers: Workers,
    order: Order,
    tasks: Tasks,
    take: Callable[[list[Row]], None],
    *,
    report: Callable[[int, float | None], None] = lambda running, left: None,
    stopped: Callable[[], bool] = lambda: False,
) -> bool:
    """Run all tasks.

    First one worker loads the kernels, or compiles them, so that the others find them. If workers die with a batch,
    its runs are done again one at a time and alone, so that it is known which run it was; that one fails.

    Parameters
    ----------
    workers : who does them.
    order : what all tasks have in common.
    take : gets the rows as they come.
    report : told the runs under way and the seconds left.
    stopped : whether to end; what is under way is given up.

    Returns
    -------
    bool
        False if it was stopped before the end.

    Raises
    ------
    ClusterError
        Workers die with loading the kernels, or have gone away.
    """
    pace = Pace()
    left = len(tasks)
    under_way: set[Batch] = set()
    alone = deque([Batch(alone=True)])

    def share() -> float:
        mean = pace.mean() or _BATCH
        return mean * left / (2.0 * workers.size)

    def next_batches() -> Iterator[Batch]:
        """The batches that can start now."""
        if alone:
            return iter([] if under_way else [alone.popleft()])
        most = 1 if order.alone else _AHEAD * workers.size
        return itertools.islice(waiting, max(0, most - len(under_way)))

    waiting = batches(iter(tasks), pace, share)
    while left:
        if stopped():
            return False
        for batch in next_batches():
            under_way.add(batch)
            workers.submit(order, batch)
        mean = pace.mean()
        seconds = None if mean is None else mean * left / (1 if order.alone else workers.size)
        report(sum(len(batch.tasks) for batch in under_way), seconds)
        done = workers.next_done(_WAIT)
        if done is None:
            continue
        under_way.remove(done.batch)
        runs, rows = done.batch.tasks, done.rows
        if rows is None:
            if not runs:
                raise ClusterError(f"the workers cannot load the kernels: {done.why}")
            if not done.batch.alone:  # another batch may have been the reason
                alone.extend(Batch((run,), alone=True) for run in runs)
                continue
            rows = [failed(runs[0], done.why)]
        for row in rows:
            pace.learn(row)
        left -= len(rows)
        take(rows)
    report(0, 0.0)
    return True


_LONG = 2.0  # seconds of a trial run after which no larger one is tried
_MOST_RUNS = 5  # values of an axis that are tried
_SEEDS = 3  # so many runs are tried at a point, while they are short
_SHORT = 0.3  # seconds of the runs at a point after which no other seed is tried
_START = 5.0  # seconds until all workers have begun
_TABLES = 3.0  # seconds of the tables and the report
_FIGURE = 0.6  # seconds of a figure, in three formats
_POINT_DONE = 0.004  # seconds of the means of a point with their intervals
_SIZE = "discs.count"
GridPlace = tuple[int, ...]
_ROW = 400  # bytes of a row without its numbers, in the store and in the tables
_NUMBER = 60  # bytes of a number with its name
_POINT = 24  # bytes of a point of a curve
_DISC = 30  # bytes of a disc that is kept


@dataclass(frozen=True)
class StudyEstimate:
    """The estimated time and size of a study.

    Parameters
    ----------
    runs, points : in all.
    seconds : of work of one core, without compiling, from trial runs.
    bytes : on the disk.
    quantities : names of all numbers that these runs have, with their labels.
    longest : seconds of the longest run.
    beside : seconds that the workers take to start, and the tables, figures and report at the end.
    alone : one run is done at a time, however many workers there are.
    """

    runs: int
    points: int
    seconds: float
    bytes: int
    quantities: dict[str, str] = field(default_factory=dict)
    longest: float = 0.0
    beside: float = 0.0
    alone: bool = False

    def on(self, workers: int) -> float:
        """Seconds from the command to the report with this many workers."""
        return self.beside + max(self.seconds / (1 if self.alone else workers), self.longest)


def estimated(grid: Grid, order: Order, quantities: dict[str, str] | None = None) -> StudyEstimate:
    """Estimate a study: each axis is tried by itself, with the others at their middle values, and the factors are
    multiplied. Numbers of discs are tried from the smallest up while runs are short; beyond, the power law of the last
    two is extrapolated.
    """
    prepare(order)
    trials = _Trials(grid, order)
    of_points = trials.seconds()
    figures = len(chosen_figures(grid.study, grid))
    return StudyEstimate(
        runs=len(grid),
        points=len(grid.points),
        seconds=float(of_points.sum()) * grid.study.seeds.count + trials.beside(),
        bytes=room(grid, len(grid), order.keep),
        quantities=quantities or {},
        longest=float(of_points.max()),
        beside=_START + _TABLES + _FIGURE * figures + _POINT_DONE * len(grid.points),
        alone=order.alone,
    )


def room(grid: Grid, runs: int, keep: bool) -> int:
    """The approximate size in bytes of this many runs in the study's folder."""
    measure = grid.study.measure
    row = _ROW + _NUMBER * (len(measure.numbers) or 40) + _POINT * 150 * len(measure.curves)
    kept = sum(grid.discs_at(point) * point.seeds for point in grid.beside if point.keep)
    return int(runs * (row + (_DISC * grid.discs / len(grid.points) if keep else 0.0)) + _DISC * kept)


class _Trials:
    """Trial runs of a grid; points are named by the indices (I,) of their values on the axes."""

    def __init__(self, grid: Grid, order: Order) -> None:
        self._grid, self._order = grid, order
        self._shape = tuple(map(len, grid.values))
        self._points = dict(zip(grid.places, grid.crossed, strict=True))

    def seconds(self) -> np.ndarray:
        """The seconds of one run at every point of the grid, an array with an axis for each parameter."""
        middle = self._near(tuple((length - 1) // 2 for length in self._shape))
        factors = [np.ones(length) for length in self._shape]
        sizes = next((k for k, axis in enumerate(self._grid.axes) if _SIZE in axis.all_keys), None)
        if sizes is not None and len(set(self._counts(sizes))) < self._shape[sizes]:
            sizes = None  # something else changes with the number of discs
        if sizes is not None:
            middle, factors[sizes] = self._over_size(sizes, middle)
        base = self._run(middle)
        for k, length in enumerate(self._shape):
            if k == sizes:
                continue
            tried, logs = [], []
            for j in sorted({round(j) for j in np.linspace(0, length - 1, min(_MOST_RUNS, length))} | {middle[k]}):
                if not self._on(k, j):
                    continue
                place = self._near(_at(middle, k, j), self._on(k, j))
                others = _factor(factors, place, but=k)
                tried.append(j)
                logs.append(math.log(self._run(place) / (base * others)))
            factors[k] = np.exp(np.interp(np.arange(length), tried, logs))
        return np.array([base * _factor(factors, place) for place in self._points])

    def beside(self) -> float:
        """Of all runs at the single points, from a trial of the first few of them."""
        points = self._grid.beside
        tried = [self._run_at(point) for point in points[:_MOST_RUNS]]
        return float(np.mean(tried)) * sum(point.seeds for point in points) if tried else 0.0

    def _on(self, axis: int, index: int) -> list[GridPlace]:
        """The points at which an axis has the value with this index."""
        return [place for place in self._points if place[axis] == index]

    def _near(self, place: GridPlace, among: Iterable[GridPlace] = ()) -> GridPlace:
        """The point itself, or if it is not run the nearest one by indices, `among` these or all."""
        if place in self._points:
            return place
        known = tuple(among) or self._grid.places
        return min(known, key=lambda one: sum(abs(a - b) for a, b in zip(one, place, strict=True)))

    def _over_size(self, axis: int, middle: GridPlace) -> tuple[GridPlace, np.ndarray]:
        """The point with the largest number of discs whose run is short, and the seconds of each number relative to
        its own."""
        counts = self._counts(axis)
        there = [j for j in range(len(counts)) if _at(middle, axis, j) in self._points]
        order = sorted(there, key=counts.__getitem__)
        wanted = sorted({round(j) for j in np.linspace(0, len(order) - 1, min(_MOST_RUNS, len(order)))})
        logs, seconds, chosen = [], [], order[0]
        for j in wanted:
            took = self._run(_at(middle, axis, order[j]))
            logs.append(math.log(counts[order[j]]))
            seconds.append(math.log(took))
            if took <= _LONG or len(seconds) == 1:
                chosen = order[j]
            if took > _LONG:
                break
        slope = (seconds[-1] - seconds[-2]) / (logs[-1] - logs[-2]) if len(logs) > 1 else 1.0
        at = np.log(np.array(counts, np.float64))
        found = np.interp(at, logs, seconds) + np.maximum(at - logs[-1], 0.0) * slope
        return _at(middle, axis, chosen), np.exp(found - found[chosen])

    def _counts(self, axis: int) -> list[int]:
        return [int(str(value[_SIZE])) for value in self._grid.values[axis]]

    def _run(self, place: GridPlace) -> float:
        return self._run_at(self._points[place])

    def _run_at(self, point: GridPoint) -> float:
        """Seconds of a run at a point: the mean of several if they are short, since these fluctuate."""
        first = self._grid.study.seeds.first
        took: list[float] = []
        for seed in range(first, first + min(_SEEDS, point.seeds)):
            (row,) = perform(self._order, [RunTask(point.number, seed, StudyRun(point, seed).changes)])
            took.append(max(row.seconds, 1e-4))
            if sum(took) > _SHORT:
                break
        return sum(took) / len(took)


def _at(place: GridPlace, axis: int, index: int) -> GridPlace:
    return (*place[:axis], index, *place[axis + 1 :])


def _factor(factors: Sequence[np.ndarray], place: GridPlace, but: int = -1) -> float:
    """The product of the factors of all axes at a point, one axis left out."""
    return math.prod(
        float(factor[k]) for axis, (factor, k) in enumerate(zip(factors, place, strict=True)) if axis != but
    )
