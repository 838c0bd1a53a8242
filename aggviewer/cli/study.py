"""`aggviewer study`: ensembles over parameters, with their tables, figures and report."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from aggviewer.cli.exits import stoppable, tell
from engine.errors import InputError
from engine.runs.progress import clock_text
from engine.runs.summary import to_json
from engine.study.machine import require
from engine.study.source import as_changes, bundled, load_study, read_study
from engine.words import count, typeset, typeset_text

if TYPE_CHECKING:
    from engine.study.model import Study
    from engine.study.report import StudyResult
    from engine.study.schedule import Standing


def run_study(
    name: str,
    settings: Sequence[str],
    scale: str,
    seeds: int | None,
    out: Path | None,
    workers: int | None,
    scheduler: str | None,
    keep: str | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Run a study, or its missing runs in `out`; without a name, list the bundled studies. Raises InputError.

    Returns the exit status: 0, 1 if runs failed or the cluster was lost, or that of the signal that ended it.
    """
    if not name:
        return _list(as_json)
    require()
    if keep not in (None, "final"):
        raise InputError(f"--keep must be final, not {keep}", "keep")
    if workers is not None and scheduler is not None:
        raise InputError(
            "--workers starts processes on this machine; it cannot be combined with --scheduler", "workers"
        )
    if workers is not None and workers < 1:
        raise InputError(f"--workers must be a whole number of at least 1, not {workers}", "workers")
    changes = as_changes(settings) | ({} if seeds is None else {"seeds.count": seeds})
    study = load_study(name, scale=scale, changes=changes)
    folder = read_study(name)[1]
    if dry_run:
        return _tell_estimate(study, folder, keep is not None, as_json)
    if out is None:
        raise InputError("--out DIR is missing: the folder for tables, figures and report", "out")
    return _run(study, folder, out, workers, scheduler, keep is not None, as_json)


def _list(as_json: bool) -> int:
    """The bundled studies with their titles and scales."""
    known = {
        name: {"title": values.get("title", ""), "scales": list(dict.fromkeys(["standard", *values.get("scales", {})]))}
        for name, values in ((name, read_study(name)[0]) for name in bundled())
    }
    if as_json:
        typer.echo(to_json(known))
        return 0
    width = max(map(len, known))
    for name, one in known.items():
        typer.echo(f"{name:{width}}  {one['title']} (--scale {', '.join(one['scales'])})")
    typer.echo("\nRun one with: aggviewer study NAME --scale quick --out DIR")
    return 0


def _run(
    study: Study,
    folder: Path | None,
    out: Path,
    workers: int | None,
    scheduler: str | None,
    keep: bool,
    as_json: bool,
) -> int:
    from engine.study.running import run
    from engine.study.store import StoreError
    from engine.study.workers import ClusterError

    began = time.perf_counter()
    with stoppable() as stop, _Bar() as bar:
        try:
            result = run(
                study, out=out, folder=folder, workers=workers, scheduler=scheduler, keep=keep, progress=bar.show,
                stopped=stop.is_set,
            )  # fmt: skip
        except (ClusterError, StoreError) as error:
            bar.close()
            tell(f"{error}; all recorded rows are kept; repeat the same command to continue")
            return 1
    found = _summed_up(result, out, time.perf_counter() - began, stop.is_set())
    typer.echo(to_json(found) if as_json else _as_text(found))
    return stop.status or (1 if result.failed else 0)


def _summed_up(result: StudyResult, out: Path, seconds: float, interrupted: bool) -> dict[str, Any]:
    """The JSON object that describes the results of a study."""
    from engine.study.figures import in_words
    from engine.study.laws import fit

    grid = result.grid
    fits = [
        {
            "y": wanted.y, "x": wanted.x, "law": wanted.law,
            "by": wanted.by or ("point" if wanted.points else None), "value": one.of,
            "amplitude": one.amplitude[0], "amplitude_error": one.amplitude[1], "slope": one.slope[0],
            "slope_error": one.slope[1], "points": one.count, "text": in_words(one),
        }
        for wanted in result.study.fit
        for one in fit(wanted, result)
    ]  # fmt: skip
    return {
        "title": result.study.title,
        "runs": len(grid),
        "points": len(grid.points),
        "done": int((result.runs["status"] == "done").sum()),
        "failed": result.failed,
        "problems": {why: int(some) for why, some in result.runs["error"].value_counts().items() if why},
        "complete": result.complete,
        "stop_reason": "interrupted" if interrupted else "finished",
        "seconds": seconds,
        "out": str(out),
        "claims": [
            {"says": one.claim.says, "source": one.claim.source, "verdict": one.verdict, "because": one.because}
            for one in result.verdicts
        ],
        "fits": fits,
    }


def _as_text(found: dict[str, Any]) -> str:
    lines = [f"{count(found['done'])} of {count(found['runs'])} runs are done; {count(found['failed'])} have failed"]
    lines += [f"{one['says']}: {one['verdict']} ({typeset_text(one['because'])})" for one in found["claims"]]
    for one in found["fits"]:
        over = f" over {one['x']}" if one["x"] else ""
        line = f", {one['by']} = {one['value']}" if one["by"] else ""
        lines.append(f"{one['y']}{over}{line}: {typeset_text(one['text'])}")
    lines += [f"{count(some)} run{'' if some == 1 else 's'}: {why}" for why, some in found["problems"].items()]
    if not found["complete"]:
        lines.append("repeat the same command to continue")
    return "\n".join([*lines, f"written to {found['out']}: report.html, runs.csv, summary.csv, figures"])


def _tell_estimate(study: Study, folder: Path | None, keep: bool, as_json: bool) -> int:
    from engine.study.grid import Grid
    from engine.study.machine import usable
    from engine.study.running import estimate

    found = estimate(Grid(study, folder), keep)
    cores = usable()
    if as_json:
        values = {"runs": found.runs, "points": found.points, "seconds": found.seconds, "bytes": found.bytes}
        on = [found.on(workers) for workers in range(1, cores + 1)]
        typer.echo(to_json(values | {"cores": cores, "seconds_on": on, "quantities": found.quantities}))
    else:
        alone = "on any number of cores, since its runs are timed one after the other"
        most = f"on one core, {clock_text(found.on(cores))} on the {cores} of this machine"
        typer.echo(
            f"{count(found.runs)} runs at {count(found.points)} points; about {clock_text(found.on(1))} "
            f"{alone if found.alone else most}; {typeset(found.bytes / 1e6, '.1f')} MB"
        )
    return 0


class _Bar:
    """A progress bar on stderr in a terminal: runs done, running, failed, and the time left."""

    def __init__(self) -> None:
        self._bar: Any = None
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            self._bar = Progress(
                TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[more]}"),
                console=Console(stderr=True), transient=True,
            )  # fmt: skip
            self._task = self._bar.add_task("starting workers", total=1, more="")

    def __enter__(self) -> _Bar:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def show(self, standing: Standing) -> None:
        """Update the progress of the study."""
        if self._bar is None:
            return
        over = standing.done + standing.failed
        more = f"{standing.running} running"
        if standing.failed:
            more += f", {count(standing.failed)} failed"
        if standing.left is not None:
            more += f", {clock_text(standing.left)} left"
        self._bar.update(
            self._task,
            description=f"{count(over)} of {count(standing.total)} runs",
            total=standing.total,
            completed=over,
            more=more,
        )
