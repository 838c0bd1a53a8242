"""Scheduling runs: batches of about a second for the workers."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from engine.study.one_run import Order, Row, RunTask, failed
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
