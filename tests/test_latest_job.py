"""Work on a thread: the newest order counts, results come in order, and nothing is left at the end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from aggviewer.latest_job import LatestJob

PATIENCE = 60.0


class Gate:
    """Work that stays in the middle until it is opened."""

    def __init__(self) -> None:
        self.begun, self.open = threading.Event(), threading.Event()

    def __call__(self) -> str:
        self.begun.set()
        assert self.open.wait(PATIENCE)
        return "gate"


@pytest.fixture
def job() -> Iterator[LatestJob]:
    with LatestJob("job") as made:
        yield made
    assert "job" not in [thread.name for thread in threading.enumerate()]


def constant(value: object) -> Callable[[], object]:
    return lambda: value


def test_of_those_that_wait_the_newest_of_each_key_is_made(job: LatestJob) -> None:
    found: list[object] = []
    gate = Gate()
    job.submit(gate, found.append)
    assert gate.begun.wait(PATIENCE)
    for value in (1, 2, 3):
        job.submit(constant(value), found.append)
        job.submit(constant(-value), found.append, key="other")
    assert job.busy
    gate.open.set()
    assert job.wait(PATIENCE)
    assert found == ["gate", 3, -3]
    assert not job.busy


def test_all_is_made_on_one_thread_with_its_name(job: LatestJob) -> None:
    names: list[str] = []
    for key in range(3):
        job.submit(lambda: threading.current_thread().name, names.append, key=key)
    assert job.wait(PATIENCE)
    assert names == ["job"] * 3


def test_a_cancelled_job_delivers_no_result(job: LatestJob) -> None:
    found: list[object] = []
    gate = Gate()
    job.submit(gate, found.append)
    assert gate.begun.wait(PATIENCE)
    job.submit(constant("waits"), found.append)
    assert not job.cancelled
    job.cancel()
    assert job.cancelled
    job.submit(constant("later"), found.append)
    gate.open.set()
    assert job.wait(PATIENCE)
    assert found == ["later"]
    assert not job.cancelled


def test_errors_are_told_and_the_thread_goes_on(job: LatestJob, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: told.append(args.exc_value))

    def fail() -> None:
        raise ValueError("no")

    errors: list[Exception] = []
    job.submit(fail, told.append, errors.append, key=1)
    job.submit(fail, key=2)
    job.submit(constant(7), told.append, key=3)
    assert job.wait(PATIENCE)
    assert [str(error) for error in errors] == ["no"]
    assert str(told[0]) == "no"
    assert told[1:] == [7]


def test_waiting_and_closing_have_an_end() -> None:
    job = LatestJob("job")
    found: list[object] = []
    gate = Gate()
    job.submit(gate, found.append)
    assert gate.begun.wait(PATIENCE)
    assert not job.wait(0.0)
    assert not job.close(0.0)
    job.submit(constant("late"), found.append)
    gate.open.set()
    assert job.close(PATIENCE)
    assert found == []
    assert LatestJob("unused").close()
