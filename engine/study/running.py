"""Running a study: from the grid to the tables, also continuing after an interrupted call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import numpy as np

import engine
from engine.errors import InputError
from engine.files.writing import check_folder
from engine.study import folder as folders
from engine.study import report, tables
from engine.study.figures import check_figures, draw_all
from engine.study.grid import Grid, check_starts
from engine.study.labels import label
from engine.study.machine import require
from engine.study.model import Study
from engine.study.one_run import Order, Row, RunTask
from engine.study.quantities import check_curves, check_quantities, check_slopes, measures_time, named_quantities
from engine.study.report import StudyResult
from engine.study.schedule import Standing, StudyEstimate, Tasks, estimated, room, work
from engine.study.store import Store, StoreError
from engine.study.workers import ThisProcess, Workers, at, check_guard, local, of_client
from engine.system import system_of

_SMALL = 64  # number of discs of the trial run that determines the available quantities

Telling = Callable[[Standing], None]


def run(
    study: Study,
    *,
    client: Any = None,
    progress: Telling | None = None,
    out: str | Path | None = None,
    folder: Path | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    keep: bool = False,
    stopped: Callable[[], bool] = lambda: False,
) -> StudyResult:
    """Run a study, or its missing runs in `out`.

    Parameters
    ----------
    study : what to run (`engine.study.load_study`).
    client : a `distributed.Client`; its cluster does the runs.
    progress : called regularly with the progress.
    out : folder for the rows and tables; None keeps them in memory only.
    folder : a scenario file of the study is relative to this one.
    workers : processes of a local cluster; None: one for each core; 0: all runs in this process.
    scheduler : address of the scheduler of a cluster that is there already.
    keep : the final states are kept too.
    stopped : called regularly; if it returns True the study stops, and runs in progress are dropped.

    Returns
    -------
    StudyResult
        Also if it was stopped or runs failed.

    Raises
    ------
    InputError
        The study cannot be run as it is, or `out` cannot be used; nothing has run then.
    ClusterError
        The cluster has gone away; the same command continues the study.
    StoreError
        Rows or tables cannot be written.
    """
    require()
    if client is None and scheduler is None and workers != 0:
        check_guard()
    if out is not None:
        check_folder(Path(out))
    grid = Grid(study, folder)
    begins = out is None or not (Path(out) / folders.STUDY).exists()
    if begins:
        check(grid)  # before anything is written, so that an invalid study can be corrected and run again
    with ExitStack() as ends:
        place = None
        if out is not None:
            place = ends.enter_context(folders.opened(Path(out), study, grid.scenario.to_toml()))
        store = Store(place)
        try:
            tasks = Missing(grid, store)
            if tasks:
                if not begins:
                    check(grid)
                if place is not None:
                    folders.check_room(place, room(grid, len(tasks), keep))
                order = order_of(grid, keep)
                if not stopped():
                    with closing(_crew(client, workers, scheduler, order)) as crew:
                        _work(crew, order, tasks, store, len(grid), progress, stopped)
            found = StudyResult(grid, store, place)
            if place is not None:
                _write(found, place)
        except BaseException:
            store.close()
            raise
        return found


def _write(found: StudyResult, place: Path) -> None:
    """The tables, the figures and the report. `StoreError` if they cannot be written."""
    try:
        tables.write(place, found)
        drawn = draw_all(found, place / "figures")
        found.verdicts = report.write(found, place, drawn)
    except OSError as error:
        raise StoreError(f"the tables cannot be written to {place}: {error.strerror or error}", str(place)) from None


class Missing:
    """The runs that are not recorded, or that have failed, in the order in which they are done.

    They are made as they are asked for: a million of them would fill the memory.
    """

    def __init__(self, grid: Grid, store: Store) -> None:
        self._grid = grid
        self._there = np.zeros((len(grid.points), len(grid.seeds)), np.bool_)
        for point, seed in store.done():
            if point < len(grid.points) and 0 <= seed - grid.seeds.start < grid.points[point].seeds:
                self._there[point, seed - grid.seeds.start] = True

    def __len__(self) -> int:
        return len(self._grid) - int(self._there.sum())

    def __iter__(self) -> Iterator[RunTask]:
        for one in self._grid.runs():
            if not self._there[one.point.number, one.seed - self._grid.seeds.start]:
                yield RunTask(one.point.number, one.seed, one.changes, one.point.keep)


def check(grid: Grid) -> dict[str, Any]:
    """Raise InputError for errors that every run would have: unknown quantities, discs that cannot be placed. Returns
    the summary of a small run like those of the study, which shows the available quantities.
    """
    kind = system_of(grid.scenario)
    systems = {point.values.get("system", grid.scenario.system) for point in grid.points}
    if len(systems) > 1:
        raise InputError("a study is about one system: system cannot be varied", "system")
    rehearsed = _rehearsed(grid)
    measure = grid.study.measure
    check_quantities(measure.quantities, kind, rehearsed)
    check_curves((*measure.curves, *(one.curve for one in measure.slope)), kind, rehearsed)
    check_slopes([one.name for one in measure.slope], rehearsed)
    check_figures(grid)
    check_starts(grid)
    return rehearsed


def order_of(grid: Grid, keep: bool = False) -> Order:
    """The settings shared by all runs. Runs whose computing time is measured are done on one core, one after the
    other."""
    measure = grid.study.measure
    return Order(
        scenario=grid.scenario.to_toml(),
        limits=grid.study.stop.limits(),
        kernels=grid.kernels,
        quantities=measure.quantities,
        curves=measure.curves,
        slopes=measure.slope,
        keep=keep,
        plugins=folders.plugin_files(),
        alone=measures_time(measure.quantities),
    )


def estimate(grid: Grid, keep: bool = False) -> StudyEstimate:
    """The number of runs and their approximate time, from some trial runs here. InputError."""
    names = named_quantities(system_of(grid.scenario), check(grid))
    return estimated(grid, order_of(grid, keep), {name: label(name, grid) for name in names})


def _crew(client: Any, workers: int | None, scheduler: str | None, order: Order) -> Workers:
    if client is not None:
        return of_client(client)
    if scheduler is not None:
        return at(scheduler)
    if workers == 0:
        return ThisProcess()
    return local(1 if order.alone else workers)


def _work(
    crew: Workers,
    order: Order,
    tasks: Tasks,
    store: Store,
    total: int,
    progress: Telling | None,
    stopped: Callable[[], bool],
) -> None:
    counts = {"done": 0, "failed": 0} | store.counts()
    counts["failed"] = 0  # they are tried again

    def take(rows: list[Row]) -> None:
        store.add(rows)
        for row in rows:
            counts[row.status] += 1

    def report(running: int, left: float | None) -> None:
        if progress is not None:
            progress(Standing(total, counts["done"], counts["failed"], running, left))

    work(crew, order, tasks, take, report=report, stopped=stopped)


def _rehearsed(grid: Grid) -> dict[str, Any]:
    """The summary of a small run like those of the study, which shows the available numbers."""
    from engine.runs.loop import RunLimits, simulate, small_scenario
    from engine.runs.summary import measured

    simulation = engine.create(small_scenario(grid.scenario_at(grid.points[0]), _SMALL))
    start = system_of(simulation.scenario).start(simulation)
    ended = simulate(simulation, RunLimits(until_events=2 * _SMALL))
    return measured(simulation, simulation.settled(), ended, compile_s=0.0, setup_s=0.0, start=start)


__all__ = ["Missing", "Standing", "StudyEstimate", "check", "estimate", "order_of", "run"]
