"""The workers of a study: this process, a local cluster with one process per core, or any Dask cluster.

Dask starts local workers again that have died, gives their batches to others, and connects again to a scheduler that
comes back.

A new process imports the script of its parent. If the script starts workers when it is imported, each worker would
start workers in turn; Python refuses this with long tracebacks from all processes. `check_guard` says it beforehand in
one sentence.
"""

from __future__ import annotations

import ast
import logging
import queue
import signal
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import engine
from engine.errors import InputError
from engine.study.machine import require, usable
from engine.study.one_run import Order, Row, RunTask, perform

_GONE_AFTER = 30.0  # seconds without the scheduler, or without any worker
_AGAIN_AFTER = 300.0  # seconds for a local worker to restart: it has the lowest priority of all
_COUNT_EVERY = 2.0  # seconds between two counts of the workers
_CONNECT = 10.0  # seconds to find a scheduler
_RETRIES = 2  # of a batch whose worker has died


class ClusterError(RuntimeError):
    """The scheduler or all workers have gone away; recorded rows are kept; the same command continues the study."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Runs that one worker does one after the other. Without any, it only loads the kernels.

    alone : nothing else runs meanwhile.
    """

    tasks: tuple[RunTask, ...] = ()
    alone: bool = False


@dataclass(frozen=True)
class Done:
    """A batch that has come back; rows is None if its worker has died each time, for the reason `why`."""

    batch: Batch
    rows: list[Row] | None
    why: str = ""


class Workers(Protocol):
    """The workers of a study. size : the number of runs that they can do at the same time."""

    @property
    def size(self) -> int: ...

    def submit(self, order: Order, batch: Batch) -> None:
        """Give the workers a batch of runs to do."""
        ...

    def next_done(self, timeout: float) -> Done | None:
        """The next batch that comes back; None if none does within this time (s).

        Raises
        ------
        InputError
            A worker has another version of the program.
        ClusterError
            The scheduler or all workers have gone away.
        """
        ...

    def close(self) -> None:
        """Stop all work, including runs in progress."""
        ...


class ThisProcess:
    """Does the runs here, one after the other, without any cluster."""

    size = 1

    def __init__(self) -> None:
        self._waiting: deque[tuple[Order, Batch]] = deque()

    def submit(self, order: Order, batch: Batch) -> None:
        """Put a batch into the queue, from which `next_done` takes it."""
        self._waiting.append((order, batch))

    def next_done(self, timeout: float) -> Done | None:
        """Do the next batch of the queue and return it; None if the queue is empty."""
        if not self._waiting:
            return None
        order, batch = self._waiting.popleft()
        return Done(batch, perform(order, batch.tasks))

    def close(self) -> None:
        """Empty the queue."""
        self._waiting.clear()


class DaskWorkers:
    """Workers of a Dask cluster.

    Parameters
    ----------
    client : a `distributed.Client` of the cluster.
    owned : what `close` closes; nothing if the cluster is somebody else's.
    patience : time (s) without scheduler or workers after which the study ends.
    """

    def __init__(self, client: Any, owned: ExitStack, patience: float) -> None:
        self.client = client
        self._owned, self._patience = owned, patience
        self._address = str(client.scheduler.address)
        self._done: queue.SimpleQueue[tuple[Order, Batch, Any]] = queue.SimpleQueue()
        self._futures: set[Any] = set()  # Dask cancels those that nobody holds
        self._there = time.monotonic()
        self._threads, self._counted = 0, -_COUNT_EVERY

    @property
    def size(self) -> int:
        """The threads of all workers, at least 1."""
        if time.monotonic() - self._counted > _COUNT_EVERY:
            self._count()
        return max(1, self._threads)

    def submit(self, order: Order, batch: Batch) -> None:
        """Have a batch done; while the scheduler is away, Dask keeps the message for it."""
        from distributed.client import ClosedClientError

        try:
            future = self.client.submit(perform, order, batch.tasks, pure=False)
        except (RuntimeError, ClosedClientError):  # Dask raises the second if it closes meanwhile
            raise self._gone() from None
        self._futures.add(future)
        future.add_done_callback(lambda ended: self._done.put((order, batch, ended)))

    def next_done(self, timeout: float) -> Done | None:
        """The next batch that comes back. One that was lost with the scheduler is submitted again."""
        try:
            order, batch, future = self._done.get(timeout=timeout)
        except queue.Empty:
            self._check()
            return None
        self._futures.discard(future)
        if future.status == "error":
            return Done(batch, None, _reason(future.exception()))
        try:
            rows = future.result(timeout=self._patience)
        except (CancelledError, OSError, TimeoutError):  # the scheduler, or the worker with the rows, has just gone
            self.submit(order, batch)
            return None
        self._there = time.monotonic()
        return Done(batch, rows)

    def close(self) -> None:
        """Cancel what is under way, and close what is owned."""
        for future in self._futures:
            future.release()
        self._futures.clear()
        self._owned.close()

    def _count(self) -> None:
        self._counted = time.monotonic()
        self._threads = 0
        if self.client.status == "running":
            with suppress(OSError, TimeoutError, RuntimeError, AttributeError):  # the scheduler is just going
                self._threads = sum(self.client.nthreads().values())

    def _check(self) -> None:
        """Raise ClusterError if there has been no worker for long."""
        self._count()
        if self._threads:
            self._there = time.monotonic()
        elif self.client.status == "closed" or time.monotonic() - self._there > self._patience:
            raise self._gone()

    def _gone(self) -> ClusterError:
        who = "all workers have" if self.client.status == "running" else f"the scheduler at {self._address} has"
        return ClusterError(f"{who} been unreachable for more than {self._patience:.0f} s")


def _reason(error: BaseException) -> str:
    """Why a batch has failed. An InputError of its worker is raised."""
    from distributed.scheduler import KilledWorker

    if isinstance(error, InputError):
        raise error
    if isinstance(error, KilledWorker):
        return f"the worker {error.last_worker.address} has died"
    return f"{type(error).__name__}: {error}"


def local(count: int | None = None) -> DaskWorkers:
    """A cluster on this machine: `count` processes with one thread each, at low priority.

    None: as many as the processors that this process may use.

    Raises
    ------
    InputError
        The number is below 1.
    ClusterError
        They cannot be started.
    """
    require("distributed")
    if count is not None and count < 1:
        raise InputError(f"--workers must be a whole number of at least 1, not {count}", "workers")
    from multiprocessing import resource_tracker

    from distributed import Client, LocalCluster

    resource_tracker.ensure_running()  # the thread that starts workers would listen to Ctrl+C after starting it
    try:
        with ExitStack() as ends, without_ctrl_c():
            cluster = LocalCluster(
                n_workers=count or usable(),
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",  # always served: at a port that is free, for this machine alone
                silence_logs=logging.CRITICAL,
                preload=["engine.study.machine"],
                scheduler_kwargs={"allowed_failures": _RETRIES},
            )
            ends.enter_context(cluster)
            client = ends.enter_context(Client(cluster))
            return DaskWorkers(client, ends.pop_all(), _AGAIN_AFTER)
    except (OSError, RuntimeError, TimeoutError) as error:
        raise ClusterError(f"the workers cannot be started: {error}") from None


@contextmanager
def without_ctrl_c() -> Iterator[None]:
    """Threads that start in this block, and the processes that they start, leave Ctrl+C to the main thread."""
    if sys.platform == "win32":  # it has no masks of signals
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def at(address: str) -> DaskWorkers:
    """The cluster whose scheduler is at `address`, ``tcp://host:port``.

    Raises
    ------
    InputError
        There is none, it has no workers, or a worker has another version of the program.
    """
    require("distributed")
    from distributed import Client
    from distributed.comm import get_address_host_port

    with ExitStack() as ends:
        try:
            with socket.create_connection(get_address_host_port(address), timeout=_CONNECT):
                pass  # a client would keep trying for as long as it waits for a lost scheduler
            client = Client(address, timeout=_GONE_AFTER)
            # a client that has lost its scheduler closes by itself, and then its `close` does not end its thread
            ends.callback(client._loop_runner.stop)
            ends.enter_context(client)
        except (OSError, TimeoutError, ValueError) as error:
            why = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(f"--scheduler {address} does not answer: {why}", "scheduler") from None
        check_workers(client)
        return DaskWorkers(client, ends.pop_all(), _GONE_AFTER)


def of_client(client: Any) -> DaskWorkers:
    """The cluster of a `distributed.Client`, which stays open afterwards.

    Raises
    ------
    InputError
        It has no workers, or a worker has another version of the program.
    """
    check_workers(client)
    return DaskWorkers(client, ExitStack(), _GONE_AFTER)


def check_workers(client: Any) -> None:
    """Raise InputError if there are no workers, or one without this version of the program, by its address."""
    found = client.run(_version, on_error="return")
    if not found:
        raise InputError(f"the scheduler at {client.scheduler.address} has no workers", "scheduler")
    for address, version in found.items():
        if version != engine.__version__:
            has = f"version {version}" if isinstance(version, str) else "no aggviewer to import"
            raise InputError(
                f"the worker {address} has {has}, and this is version {engine.__version__}: all must be the same",
                "scheduler",
            )


def _version() -> str:
    return engine.__version__


class NoGuardError(InputError, SystemExit):
    """The script has no guard. If the error is not caught, the script ends with only its message."""

    def __init__(self, script: Path) -> None:
        InputError.__init__(
            self,
            f'{script.name} runs a study outside of ``if __name__ == "__main__":``, but the workers import the script: '
            "move the study below such a line, or use workers=0",
        )
        self.code = str(self)


def check_guard() -> None:
    """Raise NoGuardError if the main script is running code outside of its guard."""
    main = vars(sys.modules["__main__"])
    file, line = main.get("__file__"), _line_of_main()
    if file is None or line is None or main.get("__spec__") is not None:  # a console, or python -m
        return
    try:
        script = ast.parse(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):  # workers could not import such a script either
        return
    if not any(_guards(statement, line) for statement in script.body):
        raise NoGuardError(Path(file))


def _line_of_main() -> int | None:
    """The line of the main script that the main thread is executing; None if it is not running."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == "__main__":
            return frame.f_lineno
        frame = frame.f_back
    return None


def _guards(statement: ast.stmt, line: int) -> bool:
    """Whether a statement keeps a line from being executed on import: the line is inside ``if __name__ == …``, or after
    such a statement that ends the script."""
    if not isinstance(statement, ast.If):
        return False
    if not any(isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(statement.test)):
        return False
    if statement.lineno <= line <= (statement.end_lineno or 0):
        return True
    return statement.lineno < line and any(_leaves(part) for part in statement.body)


def _leaves(statement: ast.stmt) -> bool:
    """Whether a statement ends the script: ``raise …`` or a call of something like ``sys.exit()``."""
    called = statement.value.func if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) else None
    return isinstance(statement, ast.Raise) or (called is not None and "exit" in ast.unparse(called))
