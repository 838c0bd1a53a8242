"""Who does the runs of a study: this process, a local cluster with a process a core, or any Dask cluster."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import engine
from engine.errors import InputError
from engine.study.extra import require
from engine.study.one_run import Order, Row, RunTask, perform, prepare
from engine.study.processors import usable
from engine.study.signals import held_back, without_ctrl_c

_GONE_AFTER = 30.0  # seconds without the scheduler, or without any worker
_AGAIN_AFTER = 300.0  # seconds for a worker of this machine to be there again: it has the lowest priority of all
_COUNT_EVERY = 2.0  # seconds between two looks at how many workers there are
_CLOSE = 5.0  # seconds for the workers to end
_CONNECT = 10.0  # seconds to find a scheduler
_WAIT = 0.2  # seconds between two looks at whether to stop
_TRIES = 3  # of loading the kernels, where the worker dies with it


class ClusterError(RuntimeError):
    """The scheduler or all workers have gone away; what is recorded stays, and the same call goes on."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Runs that one worker does one after the other. tries : how often a worker has died with it before."""

    tasks: tuple[RunTask, ...]
    tries: int = 0


@dataclass(frozen=True)
class Done:
    """A batch that has come back; rows is None where the worker has died with it, for the reason `why`."""

    batch: Batch
    rows: list[Row] | None
    why: str = ""


class Workers(Protocol):
    """Those who do the runs. size : how many runs they do at once."""

    @property
    def size(self) -> int: ...

    def prepare(self, order: Order, stopped: Callable[[], bool] = lambda: False) -> None:
        """Have the kernels compiled once, so that all workers load them. InputError where a worker is refused."""
        ...

    def submit(self, batch: Batch) -> None:
        """Have a batch done."""
        ...

    def next_done(self, timeout: float) -> Done | None:
        """The next batch that comes back, None where none does within so many seconds."""
        ...

    def close(self) -> None:
        """The end, also of what is under way."""
        ...


class ThisProcess:
    """The runs are done here, one after the other: for few short ones, without any cluster."""

    size = 1

    def __init__(self) -> None:
        self._order: Order | None = None
        self._waiting: deque[Batch] = deque()

    def prepare(self, order: Order, stopped: Callable[[], bool] = lambda: False) -> None:
        """See `Workers`."""
        self._order = order
        prepare(order)

    def submit(self, batch: Batch) -> None:
        """See `Workers`."""
        self._waiting.append(batch)

    def next_done(self, timeout: float) -> Done | None:
        """See `Workers`."""
        if not self._waiting or self._order is None:
            return None
        batch = self._waiting.popleft()
        return Done(batch, perform(self._order, batch.tasks))

    def close(self) -> None:
        """See `Workers`."""
        self._waiting.clear()


class DaskWorkers:
    """Workers of a Dask cluster.

    A batch that was lost with the scheduler is sent again when there is one, and workers, again.

    Parameters
    ----------
    client : of the cluster, a `distributed.Client`.
    ends : what is closed with it, the last one first; nothing for a cluster that is somebody else's.
    again : connects once more to a scheduler that has gone away; None where the client sees to that, or nobody can.
    patience : seconds without any worker after which they are given up, `_GONE_AFTER` for None.
    """

    def __init__(
        self,
        client: Any,
        ends: tuple[Any, ...] = (),
        again: Callable[[], Any] | None = None,
        patience: float | None = None,
    ) -> None:
        self._client, self._ends, self._again = client, ends, again
        self._patience = _GONE_AFTER if patience is None else patience
        self._address = str(client.scheduler.address)
        self._done: queue.SimpleQueue[tuple[Batch, Any]] = queue.SimpleQueue()
        self._order: Order | None = None
        self._futures: set[Any] = set()
        self._lost: list[Batch] = []
        self._seen = time.monotonic()
        self._threads, self._counted = 0, -_COUNT_EVERY

    @property
    def size(self) -> int:
        """See `Workers`."""
        if time.monotonic() - self._counted > _COUNT_EVERY:
            self._count()
        return max(1, self._threads)

    def prepare(self, order: Order, stopped: Callable[[], bool] = lambda: False) -> None:
        """See `Workers`."""
        self._check_versions()
        self._order = order  # it goes with every batch: what is kept on workers is lost with them
        deaths = 0
        while not stopped():
            future = self._client.submit(prepare, order, pure=False, retries=0)
            if not self._waited(future, stopped) or future.status == "finished":
                return
            error = None if future.status == "cancelled" else future.exception()
            if isinstance(error, InputError):
                raise error
            if error is not None:
                deaths += 1
                if deaths == _TRIES:
                    raise ClusterError(f"the workers cannot load the kernels: {type(error).__name__}: {error}")
            while not self._there() and not stopped():
                time.sleep(_WAIT)

    def submit(self, batch: Batch) -> None:
        """See `Workers`."""
        if self._client.status != "running":
            self._lost.append(batch)
            return
        future = self._client.submit(perform, self._order, batch.tasks, pure=False, retries=0)
        self._futures.add(future)
        future.add_done_callback(lambda finished: self._done.put((batch, finished)))

    def next_done(self, timeout: float) -> Done | None:
        """See `Workers`. `ClusterError` where the scheduler or all workers have gone for long."""
        try:
            batch, future = self._done.get(timeout=timeout)
        except queue.Empty:
            if self._there():
                lost, self._lost = self._lost, []
                for batch in lost:
                    self.submit(batch)
            return None
        self._futures.discard(future)
        found = self._given(batch, future)
        if found is None:
            self._lost.append(batch)
        else:
            self._seen = time.monotonic()
        return found

    def close(self) -> None:
        """See `Workers`."""
        for future in self._futures:
            future.release()
        self._futures.clear()
        if self._ends and self._client not in self._ends:
            self._ends = (*self._ends, self._client)  # the one that was connected again
        with held_back():
            for part in reversed(self._ends):
                with suppress(TimeoutError):  # a worker that is starting just now; it ends with this process
                    part.close(timeout=_CLOSE)
            self._ends = ()

    def _given(self, batch: Batch, future: Any) -> Done | None:
        """What has become of a batch; None where it was lost with the scheduler. InputError for a refused worker."""
        from concurrent.futures import CancelledError

        from distributed.scheduler import KilledWorker

        if future.status == "cancelled" or self._client.status != "running":
            return None
        try:
            if future.status == "finished":
                return Done(batch, future.result(timeout=_GONE_AFTER))
            error = future.exception(timeout=_GONE_AFTER)
        except (CancelledError, OSError, TimeoutError):  # the scheduler, or the worker that has the rows, has just gone
            return None
        if isinstance(error, InputError):
            raise error
        if isinstance(error, KilledWorker):
            return Done(batch, None, f"the worker {error.last_worker.address} has died")
        return Done(batch, None, f"{type(error).__name__}: {error}")

    def _waited(self, future: Any, stopped: Callable[[], bool]) -> bool:
        """Wait until something has become of it; False where it was stopped."""
        ready = threading.Event()
        future.add_done_callback(lambda _: ready.set())
        while not ready.wait(_WAIT):
            if stopped():
                return False
            self._there()
        return True

    def _count(self) -> None:
        """Ask how many threads the workers have; none where nobody answers."""
        self._counted = time.monotonic()
        try:
            self._threads = sum(self._client.nthreads().values()) if self._client.status == "running" else 0
        except (OSError, TimeoutError, RuntimeError, AttributeError):  # the scheduler is just going
            self._threads = 0

    def _there(self) -> bool:
        """Whether there are workers; `ClusterError` where there have been none for long."""
        self._count()
        if self._threads:
            self._seen = time.monotonic()
            return True
        if time.monotonic() - self._seen > self._patience:
            what = "all workers have" if self._client.status == "running" else f"the scheduler at {self._address} has"
            raise ClusterError(f"{what} gone away for more than {self._patience:.0f} s")
        if self._client.status == "closed" and self._again is not None:
            with suppress(OSError, TimeoutError):
                self._client = self._again()
        return False

    def _check_versions(self) -> None:
        """Refuse workers without this version of the program, by their address. InputError."""
        self._count()
        if not self._threads:
            raise InputError(f"the scheduler at {self._address} has no workers", "scheduler")
        for address, version in self._client.run(_version, on_error="return").items():
            if version != engine.__version__:
                has = f"version {version}" if isinstance(version, str) else "no aggviewer that it can import"
                raise InputError(
                    f"the worker {address} has {has}, and this is version {engine.__version__}: all must be the same",
                    "scheduler",
                )


def _version() -> str:
    return engine.__version__


def local(count: int | None = None) -> DaskWorkers:
    """A cluster on this machine: a process with one thread for each of `count` workers, at low priority.

    None: as many as the processors that this process may use. InputError for a number below 1, `ClusterError` where
    they cannot be started.
    """
    require("distributed")
    if count is not None and count < 1:
        raise InputError(f"--workers must be a whole number of at least 1, not {count}", "workers")
    return _closed_where_interrupted(lambda: _local(count or usable()))


def _closed_where_interrupted(start: Callable[[], DaskWorkers]) -> DaskWorkers:
    """Start workers, or a connection. A signal waits until they are there: they can be closed then, and not before."""
    crew = None
    try:
        with held_back():
            crew = start()
    except BaseException:
        if crew is not None:
            crew.close()
        raise
    return crew


def _local(count: int) -> DaskWorkers:
    from multiprocessing import resource_tracker

    import dask
    from distributed import Client, LocalCluster
    from distributed.utils import LoopRunner

    settings = {
        "distributed.scheduler.allowed-failures": 0,  # a batch that kills its worker is taken apart by us
        "distributed.comm.timeouts.connect": f"{_CONNECT}s",
    }
    runner = LoopRunner()
    resource_tracker.ensure_running()  # begun by the thread that starts workers, it would have it listen to Ctrl-C
    with without_ctrl_c():
        runner.start()  # its thread starts the workers, which inherit what it does not listen to
    try:
        with dask.config.set(settings):
            cluster = LocalCluster(
                n_workers=count,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                silence_logs=50,
                preload=["engine.study.worker_start"],
                loop=runner.loop,
            )
            return DaskWorkers(client := Client(cluster), (_Loop(runner), cluster, client), patience=_AGAIN_AFTER)
    except (OSError, RuntimeError, TimeoutError) as error:
        runner.stop()
        raise ClusterError(f"the workers cannot be started: {error}") from None
    except BaseException:
        runner.stop()
        raise


def at(address: str) -> DaskWorkers:
    """The cluster whose scheduler is at `address`, ``tcp://host:port``. InputError where there is none."""
    require("distributed")
    return _closed_where_interrupted(lambda: _at(address))


def _at(address: str) -> DaskWorkers:
    import dask
    from distributed import Client
    from distributed.core import connect as call
    from distributed.utils import LoopRunner, sync

    runner = LoopRunner()
    runner.start()

    async def is_there(timeout: float) -> None:
        await (await call(address, timeout=timeout)).close()

    def connect(timeout: float = _WAIT) -> Any:
        sync(runner.loop, is_there, timeout)  # a client that finds nobody leaves its thread behind
        with dask.config.set({"distributed.comm.timeouts.connect": f"{timeout}s"}):
            return Client(address, timeout=timeout, loop=runner.loop)

    try:
        client = connect(_CONNECT)
    except (OSError, TimeoutError, ValueError) as error:
        runner.stop()
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"--scheduler {address} does not answer: {why}", "scheduler") from None
    except BaseException:
        runner.stop()
        raise
    return DaskWorkers(client, (_Loop(runner), client), again=connect)


def of_client(client: Any) -> DaskWorkers:
    """The cluster of a `distributed.Client`, which stays open afterwards."""
    return DaskWorkers(client)


@dataclass(frozen=True)
class _Loop:
    """The thread of a local cluster, which ends after all else."""

    runner: Any

    def close(self, timeout: float) -> None:
        """The end."""
        self.runner.stop(timeout=timeout)
