"""Who does the runs of a study: this process, a local cluster with a process a core, or any Dask cluster."""

from __future__ import annotations

import os
import queue
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import engine
from engine.errors import InputError
from engine.study.extra import require
from engine.study.one_run import Order, Row, Task, perform, prepare

_GONE_AFTER = 30.0  # seconds without the scheduler, or without any worker
_COUNT_EVERY = 2.0  # seconds between two looks at how many workers there are
_CLOSE = 5.0  # seconds for the workers to end
_CONNECT = 10.0  # seconds to find a scheduler


class ClusterError(RuntimeError):
    """The scheduler or all workers have gone away; what is recorded stays, and the same call goes on."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Runs that one worker does one after the other. tries : how often a worker has died with it before."""

    tasks: tuple[Task, ...]
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

    def prepare(self, order: Order) -> None:
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

    def prepare(self, order: Order) -> None:
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

    Parameters
    ----------
    client : of the cluster, a `distributed.Client`.
    cluster : a local cluster that ends with it, None for one that is somebody else's.
    """

    def __init__(self, client: Any, cluster: Any = None) -> None:
        self._client, self._cluster = client, cluster
        self._done: queue.SimpleQueue[tuple[Batch, Any]] = queue.SimpleQueue()
        self._order: Order | None = None
        self._futures: set[Any] = set()
        self._seen = time.monotonic()
        self._threads, self._counted = 0, -_COUNT_EVERY

    @property
    def size(self) -> int:
        """See `Workers`."""
        if time.monotonic() - self._counted > _COUNT_EVERY:
            self._count()
        return max(1, self._threads)

    def _count(self) -> None:
        """Ask how many threads the workers have; none where nobody answers."""
        self._counted = time.monotonic()
        try:
            self._threads = sum(self._client.nthreads().values()) if self._client.status == "running" else 0
        except (OSError, TimeoutError):  # the scheduler has just gone
            self._threads = 0

    def prepare(self, order: Order) -> None:
        """See `Workers`."""
        self._check_versions()
        self._client.submit(prepare, order, pure=False).result()
        self._order = order  # it goes with every batch: what is kept on workers is lost with them

    def submit(self, batch: Batch) -> None:
        """See `Workers`."""
        future = self._client.submit(perform, self._order, batch.tasks, pure=False, retries=0)
        self._futures.add(future)
        future.add_done_callback(lambda finished: self._done.put((batch, finished)))

    def next_done(self, timeout: float) -> Done | None:
        """See `Workers`. `ClusterError` where the scheduler or all workers have gone."""
        try:
            batch, future = self._done.get(timeout=timeout)
        except queue.Empty:
            self._look()
            return None
        self._seen = time.monotonic()
        self._futures.discard(future)
        if future.status == "finished":
            rows: list[Row] = future.result()
            return Done(batch, rows)
        if future.status == "cancelled" or self._client.status != "running":
            raise ClusterError(f"the scheduler at {self._address} has gone away")
        error = future.exception()
        if isinstance(error, InputError):
            raise error
        from distributed.scheduler import KilledWorker

        if isinstance(error, KilledWorker):
            return Done(batch, None, f"the worker {error.last_worker.address} has died")
        return Done(batch, None, f"{type(error).__name__}: {error}")

    def close(self) -> None:
        """See `Workers`."""
        for future in self._futures:
            future.release()
        self._futures.clear()
        if self._cluster is not None:
            for part in (self._client, self._cluster):
                with suppress(TimeoutError):  # a worker that is starting just now; it ends with this process
                    part.close(timeout=_CLOSE)

    @property
    def _address(self) -> str:
        scheduler = self._client.scheduler
        return "its address" if scheduler is None else str(scheduler.address)

    def _look(self) -> None:
        """Raise `ClusterError` where nobody has been there for long."""
        self._count()
        if self._threads:
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > _GONE_AFTER:
            what = "all workers have" if self._client.status == "running" else f"the scheduler at {self._address} has"
            raise ClusterError(f"{what} gone away for more than {_GONE_AFTER:.0f} s")

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

    None: as many as the processors that this process may use. InputError for a number below 1.
    """
    require("distributed")
    import dask
    from distributed import Client, LocalCluster

    if count is not None and count < 1:
        raise InputError(f"--workers must be a whole number of at least 1, not {count}", "workers")
    dask.config.set(
        {
            "distributed.scheduler.allowed-failures": 0,  # a batch that kills its worker is taken apart by us
            "distributed.worker.multiprocessing-method": "spawn",
            "distributed.comm.timeouts.connect": f"{_CONNECT}s",
        }
    )
    cluster = LocalCluster(
        n_workers=count or len(os.sched_getaffinity(0)),
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=50,
        preload=["engine.study.worker_start"],
    )
    return DaskWorkers(Client(cluster), cluster)


def at(address: str) -> DaskWorkers:
    """The cluster whose scheduler is at `address`, ``tcp://host:port``. InputError where there is none."""
    require("distributed")
    import dask
    from distributed import Client

    dask.config.set({"distributed.comm.timeouts.connect": f"{_CONNECT}s"})
    try:
        return DaskWorkers(Client(address, timeout=_CONNECT))
    except (OSError, TimeoutError, ValueError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"--scheduler {address} does not answer: {why}", "scheduler") from None


def of_client(client: Any) -> DaskWorkers:
    """The cluster of a `distributed.Client`, which stays open afterwards."""
    return DaskWorkers(client)
