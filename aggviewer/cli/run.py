"""`aggviewer run`: a simulation without a window."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typer

import engine
from aggviewer.cli.exits import stoppable
from aggviewer.cli.output import OutFolder, write_results, write_scenario
from aggviewer.cli.recording import CliRecording
from aggviewer.cli.recording import check as check_recording
from aggviewer.cli.series import Series, series_of
from aggviewer.cli.starting import Started, read_source, start
from aggviewer.cli.summary import to_text
from engine.errors import InputError
from engine.frame import Start
from engine.runs.limits import Limits
from engine.runs.loop import Ended, Observer, simulate
from engine.runs.progress import ProgressLine
from engine.runs.rehearsal import small_scenario
from engine.runs.summary import measured, to_json
from engine.system import system_of

_FEW, _MANY = 1_000, 10_000  # discs with which it is tried how long measuring and writing take
_MARGIN = 1.3  # factor on the time that is estimated from these trials
_MOST = 0.5  # largest share of --max-wall that is kept free for measuring and writing
_clock = time.perf_counter


def run_scenario(
    name: str,
    settings: Sequence[str],
    limits: Limits,
    out: Path | None,
    as_json: bool,
    record: bool = False,
    every: float | None = None,
    overwrite: bool = False,
) -> int:
    """Run a scenario, or carry a session on; write what was asked for, and the result to stdout.

    Parameters
    ----------
    name : a scenario, a state to start from, or a session.
    settings : ``key=value``, each changes a key of the scenario.
    out : the folder for results, None for none.
    as_json : whether the result is told as JSON.
    record : whether frames go to trajectory.gsd in `out`, one each `every` of simulation time.
    overwrite : whether `out` may hold the results of an earlier run, which are replaced.

    Returns
    -------
    The exit status: 0, or that of the signal that has ended it.

    Raises
    ------
    InputError
        For options that make no sense together, and whatever is wrong with the scenario or the folder.
    """
    limits.check()
    check_recording(record, every, out)
    if overwrite and out is None:
        raise InputError("--overwrite is for the results in --out DIR", "overwrite")
    source = read_source(name, list(settings))
    limits.check_ends(source.scenario)
    folder = None if out is None else OutFolder(out, overwrite=overwrite, used=source.uses)
    with ProgressLine() as progress, ExitStack() as ends:
        started = start(source, progress)
        if source.session is not None:
            limits.check_ahead(started.simulation)
        progress.say("preparing")
        reserve = 0.0 if limits.max_wall is None else min(_rehearsed(started, out), _MOST * limits.max_wall)
        stop = ends.enter_context(stoppable())  # from here on a signal brings it to a good end
        place = None if folder is None else ends.enter_context(folder.writing())
        series, recording = None, None
        observers: list[Observer] = []
        if place is not None:
            write_scenario(place, started)
            series = series_of(started.simulation)
            observers.append(series)
            if record:
                recording = CliRecording(place, started.simulation, started.scenario.to_toml(), every)
                observers.append(recording)
        began_at = system_of(started.simulation.scenario).start(started.simulation)
        ended = simulate(
            started.simulation, limits, report=progress.of(started.scenario), stopped=stop.is_set,
            observers=observers, spent=started.work_s, reserve=reserve,
        )  # fmt: skip
        if recording is not None:
            recording.close()
        values = _finish(started, began_at, ended, place, series, progress)
    typer.echo(to_json(values) if as_json else to_text(values))
    if out is not None and not as_json:
        typer.echo(f"written to {out}")
    return stop.status


def _finish(
    started: Started,
    began_at: Start | None,
    ended: Ended,
    place: Path | None,
    series: Series | None,
    progress: ProgressLine,
) -> dict[str, Any]:
    """Measure the last state and write it, with its `series`, into the folder `place`, if any; returns the summary."""
    progress.say("measuring")
    frame = started.simulation.settled()
    values = measured(
        started.simulation, frame, ended, compile_s=started.compile_s, setup_s=started.setup_s, start=began_at
    )
    if place is not None and series is not None:
        progress.say("writing")
        write_results(place, started, frame, series, values)
    return values


def _rehearsed(started: Started, out: Path | None) -> float:
    """Seconds that measuring and writing at the end will take, about: tried with some of the discs, on a lattice."""
    count = started.simulation.count
    _seconds(started, min(count, _FEW), out)  # loads what there is to load
    few, many = (_seconds(started, min(count, number), out) for number in (_FEW, _MANY))
    more = max(0, count - _MANY) * max(0.0, many - few) / (_MANY - _FEW)
    return _MARGIN * (many + more)


def _seconds(started: Started, count: int, out: Path | None) -> float:
    """What measuring and writing takes for so many discs of the same system and method."""
    scenario = small_scenario(started.scenario, count)
    simulation = engine.create(scenario)
    reached = simulation.advance(max_events=0)
    trial = Started(simulation, scenario, 0.0, 0.0, 0.0)
    began = _clock()
    with ExitStack() as ends:
        place = None if out is None else Path(ends.enter_context(TemporaryDirectory(dir=out, prefix=".trial-")))
        series = None if place is None else series_of(simulation)
        began_at = system_of(scenario).start(simulation)
        _finish(trial, began_at, Ended(reached, 0.0, ""), place, series, ProgressLine())
    return _clock() - began
