"""Which runs go to the workers together and when, played by workers of a script."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from engine.study import running, schedule
from engine.study.grid import Grid
from engine.study.one_run import Order, Row, RunTask
from engine.study.schedule import work
from engine.study.store import Store
from engine.study.workers import Batch, ClusterError, Done
from tests.study.studies import tiny

TASKS = [RunTask(0, seed, {}) for seed in range(200)]
ORDER = running.order_of(Grid(tiny()))
TIMED = running.order_of(Grid(tiny(measure={"quantities": ["wall_s"]})))


class Scripted:
    """Workers that give each run 10 ms.

    Parameters
    ----------
    deadly : a seed; the worker that has its run dies with all batches that it was given.
    seconds : of each run.

    Attributes
    ----------
    given : the seeds of each batch, in the order in which they were submitted.
    beside : how many batches were under way when each was submitted.
    """

    size = 4

    def __init__(self, deadly: int = -1, seconds: float = 0.01) -> None:
        self.deadly, self.seconds = deadly, seconds
        self.held: list[Batch] = []
        self.given: list[list[int]] = []
        self.beside: list[int] = []

    def submit(self, order: Order, batch: Batch) -> None:
        self.beside.append(len(self.held))
        self.held.append(batch)
        self.given.append([task.seed for task in batch.tasks])

    def next_done(self, timeout: float) -> Done | None:
        dies = any(task.seed == self.deadly for batch in self.held for task in batch.tasks)
        batch = self.held.pop(0)
        if dies:
            return Done(batch, None, "it has died")
        return Done(batch, [Row(task.point, task.seed, "done", seconds=self.seconds) for task in batch.tasks])

    def close(self) -> None: ...


def seeds(rows: Collection[Row]) -> list[int]:
    return sorted(row.seed for row in rows)


def test_runs_are_sent_in_batches_of_about_a_second_each_worker_having_one_in_reserve() -> None:
    rows: list[Row] = []
    workers = Scripted()
    assert work(workers, ORDER, TASKS, rows.extend)
    assert seeds(rows) == list(range(200))
    assert max(workers.beside) == 7
    assert max(map(len, workers.given)) > 10
    long = Scripted(seconds=0.6)
    assert work(long, ORDER, TASKS, rows.extend)
    assert max(map(len, long.given)) == 1


def test_one_worker_loads_the_kernels_before_anything_else_begins() -> None:
    workers = Scripted()
    assert work(workers, ORDER, TASKS, lambda rows: None)
    assert workers.given[0] == []
    assert workers.beside[:2] == [0, 0]


def test_kernels_that_kill_every_worker_end_the_study() -> None:
    class Dying(Scripted):
        def next_done(self, timeout: float) -> Done | None:
            return Done(self.held.pop(), None, "the worker tcp://here has died")

    with pytest.raises(ClusterError, match="the workers cannot load the kernels: the worker tcp://here has died"):
        work(Dying(), ORDER, TASKS, lambda rows: None)


def test_runs_that_are_timed_have_nothing_beside_them() -> None:
    rows: list[Row] = []
    workers = Scripted()
    assert TIMED.alone
    assert not ORDER.alone
    assert work(workers, TIMED, TASKS, rows.extend)
    assert set(workers.beside) == {0}
    assert len(rows) == 200


def test_the_run_that_kills_is_found_and_no_other_is_lost() -> None:
    rows: list[Row] = []
    workers = Scripted(deadly=77)
    assert work(workers, ORDER, TASKS, rows.extend)
    assert seeds(rows) == list(range(200))
    assert [(row.seed, row.error) for row in rows if row.status == "failed"] == [(77, "it has died")]
    assert workers.beside[workers.given.index([77])] == 0
    assert max(map(len, workers.given)) > 1


def test_the_first_runs_are_no_suspects_of_each_other() -> None:
    """They stand alone in their batches, since nobody knows yet how long they take, but not on their worker."""
    rows: list[Row] = []
    assert work(Scripted(deadly=1), ORDER, TASKS[:4], rows.extend)
    assert [row.seed for row in rows if row.status == "failed"] == [1]


def test_no_run_starts_after_a_stop() -> None:
    workers, rows = Scripted(), list[Row]()
    assert not work(workers, ORDER, TASKS, rows.extend, stopped=lambda: len(rows) > 20)
    assert 20 < len(rows) < 200
    given = len(workers.given)
    assert not work(workers, ORDER, TASKS, rows.extend, stopped=lambda: True)
    assert len(workers.given) == given


def test_the_time_left_follows_from_finished_runs() -> None:
    told: list[tuple[int, float | None]] = []
    assert work(Scripted(), ORDER, TASKS, lambda rows: None, report=lambda *one: told.append(one))
    assert told[0] == (0, None)
    assert told[-1] == (0, 0.0)
    left = [seconds for _, seconds in told if seconds is not None]
    assert left[0] == pytest.approx(0.01 * 199 / 4)
    assert left == sorted(left, reverse=True)


def test_runs_are_made_as_they_are_asked_for_however_many_there_are() -> None:
    workers, count = Scripted(seconds=1e-4), [0]
    missing = running.Missing(Grid(tiny(seeds={"first": 0, "count": 5_000})), Store(None))

    def take(rows: list[Row]) -> None:
        count[0] += len(rows)

    assert work(workers, ORDER, missing, take)
    assert count == [20_000]
    assert max(workers.beside) == 7
    assert max(map(len, workers.given)) <= schedule._MOST
