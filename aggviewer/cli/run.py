"""`aggviewer run`: a simulation without a window."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typer

import engine
from aggviewer.cli.averages import RunAverages, in_lines
from aggviewer.cli.exits import stoppable, tell
from aggviewer.cli.output import (
    CliRecording,
    OutFolder,
    Series,
    check_recording,
    series_of,
    write_results,
    write_scenario,
)
from aggviewer.cli.starting import Started, read_source, start
from aggviewer.cli.summary import mesh_notice, tell_problems, to_text
from engine.errors import InputError
from engine.frame import Start
from engine.runs.loop import Ended, Observer, RunLimits, simulate, small_scenario
from engine.runs.progress import ProgressLine
from engine.runs.summary import measured, to_json
from engine.system import system_of

_FEW, _MANY = 1_000, 10_000  # discs in the trial of how long measuring and writing take
_MARGIN = 1.3  # safety factor on the time estimated from this trial
_MOST = 0.5  # largest share of --max-wall that is kept free for measuring and writing
_clock = time.perf_counter


def run_scenario(
    name: str,
    settings: Sequence[str],
    limits: RunLimits,
    out: Path | None,
    as_json: bool,
    record: bool = False,
    every: float | None = None,
    overwrite: bool = False,
    average_from: float | None = None,
) -> int:
    """Run a scenario or continue a session; write the requested files, and the result to stdout.

    Parameters
    ----------
    name : a scenario, a state to start from, or a session.
    settings : ``key=value``, each changes a key of the scenario.
    out : the folder for results, None for none.
    as_json : whether the result is printed as JSON.
    record : whether frames are recorded to trajectory.gsd in `out`, one every `every` units of simulation time.
    average_from : the simulation time from which the indicators are averaged, once every `every`; None for no averages.
    overwrite : whether `out` may hold the results of an earlier run, which are replaced.

    Returns
    -------
    The exit status: 0, that of the signal that ended the run, or 1 if files could not be written.

    Raises
    ------
    InputError
        Options cannot be combined, or something is wrong with the scenario or the folder.
    """
    limits.check()
    check_recording(record, every, out, average_from)
    if overwrite and out is None:
        raise InputError("--overwrite needs --out DIR", "overwrite")
    source = read_source(name, list(settings))
    limits.check_ends(source.scenario)
    problems: list[str] = []
    with ExitStack() as ends:
        folder = None
        if out is not None:
            folder = ends.enter_context(OutFolder.opened(out, overwrite=overwrite, used=source.uses))
        progress = ends.enter_context(ProgressLine())
        started = start(source, progress)
        if source.session is not None:
            limits.check_ahead(started.simulation)
        progress.say("preparing")
        reserve = 0.0 if limits.max_wall is None else min(_rehearsed(started, out), _MOST * limits.max_wall)
        stop = ends.enter_context(stoppable())  # from here on a signal ends the run cleanly
        place = None if folder is None else ends.enter_context(folder.writing())
        results, recording, averages = None, None, None
        observers: list[Observer] = []
        if average_from is not None:
            averages = RunAverages(started.simulation, average_from, every)
            observers.append(averages)
        if folder is not None and place is not None:
            write_scenario(place, started)
            results = ResultFiles(place, folder, series_of(started.simulation))
            observers.append(results.series)
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
            problems.append(recording.problem)
        values = _finish(started, began_at, ended, results, progress, averages)
    if folder is not None:
        problems.append(folder.problem)
    more = () if averages is None else in_lines(values["averages"], averages.indicators)
    typer.echo(to_json(values) if as_json else to_text(values, more))
    tell(mesh_notice(values["indicators"]))
    tell_problems(values)
    for problem in filter(None, problems):
        tell(problem)
    if out is not None and not as_json and not any(problems):
        typer.echo(f"written to {out}")
    return stop.status or int(any(problems))


@dataclass(frozen=True)
class ResultFiles:
    """Where the results of a run are written.

    place : the folder that they are written to at first; folder : that of --out; series : quantities over time.
    """

    place: Path
    folder: OutFolder
    series: Series


def _finish(
    started: Started,
    began_at: Start | None,
    ended: Ended,
    results: ResultFiles | None,
    progress: ProgressLine,
    averages: RunAverages | None = None,
) -> dict[str, Any]:
    """Measure the last state, write the results if a folder is given, and return the summary."""
    progress.say("measuring")
    frame = started.simulation.settled()
    values = measured(
        started.simulation, frame, ended, compile_s=started.compile_s, setup_s=started.setup_s, start=began_at
    )
    if averages is not None:
        values["averages"] = averages.in_json()
    if results is not None:
        values["problems"] = results.series.problems | (values["problems"] or {}) or None
        progress.say("writing")
        if averages is not None:
            results.series.further = averages.columns()
        write_results(results.place, results.folder, started, frame, results.series, values)
    return values


def _rehearsed(started: Started, out: Path | None) -> float:
    """Approximate time in seconds of measuring and writing at the end, from a trial with fewer discs on a lattice."""
    count = started.simulation.count
    try:
        _seconds(started, min(count, _FEW), out)  # loads all modules
        few, many = (_seconds(started, min(count, number), out) for number in (_FEW, _MANY))
    except OSError:  # such as a full disk, which the run itself reports
        return 0.0
    more = max(0, count - _MANY) * max(0.0, many - few) / (_MANY - _FEW)
    return _MARGIN * (many + more)


def _seconds(started: Started, count: int, out: Path | None) -> float:
    """Time of measuring and writing for this many discs of the same system and method."""
    scenario = small_scenario(started.scenario, count)
    simulation = engine.create(scenario)
    reached = simulation.advance(max_events=0)
    trial = Started(simulation, scenario, 0.0, 0.0, 0.0)
    began = _clock()
    with ExitStack() as ends:
        results = None
        if out is not None:
            place = Path(ends.enter_context(TemporaryDirectory(dir=out, prefix=".trial-")))
            results = ResultFiles(place, OutFolder(place, replaces=False), series_of(simulation))
        began_at = system_of(scenario).start(simulation)
        _finish(trial, began_at, Ended(reached, 0.0, ""), results, ProgressLine())
    return _clock() - began
