"""Which worker does what when: runs in batches of about a second, and what is done when a worker dies."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from engine.study.one_run import Row, RunTask, failed
from engine.study.workers import Batch, Workers

_BATCH = 1.0  # seconds of work that are worth a message to a worker
_MOST = 500  # runs in a batch
_AHEAD = 2  # batches that each worker has, so that it never waits for the next
_TRIES = 3  # of a run with which the worker dies
_WAIT = 0.2  # seconds between two looks at whether to stop


class Tasks(Protocol):
    """Runs that are asked for, of which it is known how many there are."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[RunTask]: ...


@dataclass(frozen=True)
class Standing:
    """How far a study is.

    Parameters
    ----------
    total, done, failed : runs in all, recorded ones that have succeeded and that have failed.
    running : runs that workers have now.
    left : seconds that it will still take, None where nobody can say yet.
    """

    total: int
    done: int
    failed: int
    running: int
    left: float | None


class Pace:
    """How long the runs of each point take, from those that are over."""

    def __init__(self) -> None:
        self._seconds: dict[int, tuple[float, int]] = {}

    def learn(self, row: Row) -> None:
        """From a run that is over."""
        seconds, count = self._seconds.get(row.point, (0.0, 0))
        self._seconds[row.point] = (seconds + row.seconds, count + 1)

    def of(self, point: int) -> float | None:
        """Seconds of a run of this point, None where none is over."""
        found = self._seconds.get(point)
        return None if found is None else found[0] / found[1]

    def mean(self) -> float | None:
        """Seconds of a run on average over the points that are known, None where none is."""
        means = [seconds / count for seconds, count in self._seconds.values()]
        return sum(means) / len(means) if means else None


def batches(tasks: Iterable[RunTask], pace: Pace, share: Callable[[], float]) -> Iterator[Batch]:
    """The tasks in their order, put together to batches of about a second; those of unknown length stand alone.

    share : at most so many seconds are put together, so that at the end all workers have something to do.
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
    tasks: Tasks,
    take: Callable[[list[Row]], None],
    *,
    alone: bool = False,
    report: Callable[[int, float | None], None] = lambda running, left: None,
    stopped: Callable[[], bool] = lambda: False,
    paused: Callable[[], bool] = lambda: False,
) -> bool:
    """Have all tasks done.

    A batch with which its worker dies is halved, and its halves are done while nothing else is, so that it is known
    which run it was; that run is tried three times and then fails.

    Parameters
    ----------
    workers : who does them.
    take : gets the rows as they come.
    alone : nothing else runs beside a batch: its runs are timed.
    report : told the runs under way and the seconds left.
    stopped : whether to end; what is under way is given up. paused : whether to begin nothing more for the moment.

    Returns
    -------
    bool
        False where it was stopped before the end.
    """
    pace = Pace()
    left = len(tasks)
    under_way: dict[Batch, int] = {}
    suspects: deque[Batch] = deque()

    def share() -> float:
        mean = pace.mean() or _BATCH
        return mean * left / (2.0 * workers.size)

    waiting = batches(iter(tasks), pace, share)
    more = True
    while left:
        if stopped():
            return False
        while more and not suspects and not paused() and len(under_way) < (1 if alone else _AHEAD * workers.size):
            batch = next(waiting, None)
            more = batch is not None
            if batch is not None:
                under_way[batch] = len(batch.tasks)
                workers.submit(batch)
        if suspects and not under_way and not paused():
            batch = suspects.popleft()
            under_way[batch] = len(batch.tasks)
            workers.submit(batch)
        mean = pace.mean()
        report(sum(under_way.values()), None if mean is None else mean * left / (1 if alone else workers.size))
        if not under_way:
            time.sleep(_WAIT)  # paused
            continue
        done = workers.next_done(_WAIT)
        if done is None:
            continue
        del under_way[done.batch]
        rows = done.rows
        if rows is None and len(done.batch.tasks) > 1:
            half = len(done.batch.tasks) // 2
            suspects.extend([Batch(done.batch.tasks[:half]), Batch(done.batch.tasks[half:])])
            continue
        if rows is None:
            (task,) = done.batch.tasks
            if done.batch.tries + 1 < _TRIES:
                suspects.append(Batch((task,), done.batch.tries + 1))
                continue
            rows = [failed(task, done.why)]
        for row in rows:
            pace.learn(row)
        left -= len(rows)
        take(rows)
    report(0, 0.0)
    return True
