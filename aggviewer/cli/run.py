"""`aggviewer run`: a simulation without a window."""

from __future__ import annotations

import math
import signal
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import engine
from aggviewer.cli.exits import tell
from aggviewer.cli.progress import ProgressLine
from aggviewer.cli.recording import CliRecording
from aggviewer.cli.recording import check as check_recording
from aggviewer.cli.series import AnySeries, series_of
from aggviewer.cli.summary import gas_values, jamming_values, summary, to_json, to_text
from engine.errors import InputError
from engine.simulation import JammingHistory
from engine.state_file import start_notice

if TYPE_CHECKING:
    from engine.scenario import Scenario
    from engine.simulation import Frame, Progress, Simulation

_SLICE = 0.05  # seconds of work between two looks at Ctrl-C and the wall limit


@dataclass(frozen=True)
class Limits:
    """When to stop, whichever comes first; None is no limit.

    until_time : simulation time; until_clusters : M; until_events : merges, collisions and wall reflections, or
    programs;
    max_wall : seconds of simulating.
    """

    until_time: float | None = None
    until_clusters: int | None = None
    until_events: int | None = None
    max_wall: float | None = None

    def check(self) -> None:
        """Raise InputError for a limit that makes no sense."""
        if self.until_time is not None and not (math.isfinite(self.until_time) and self.until_time >= 0.0):
            raise InputError(f"--until-time must be a number of at least 0, not {self.until_time}")
        if self.until_clusters is not None and self.until_clusters < 1:
            raise InputError(f"--until-clusters must be a whole number of at least 1, not {self.until_clusters}")
        if self.until_events is not None and self.until_events < 0:
            raise InputError(f"--until-events must be a whole number of at least 0, not {self.until_events}")
        if self.max_wall is not None and not (math.isfinite(self.max_wall) and self.max_wall > 0.0):
            raise InputError(f"--max-wall must be a number above 0, not {self.max_wall}")

    def check_ends(self, scenario: Scenario) -> None:
        """Raise InputError where nothing would ever end the run: discs that bounce go on for ever."""
        if scenario.system == "aggregation":
            return
        if self.until_clusters is not None:
            raise InputError("--until-clusters is for discs that stick; here they stay as many as they are")
        if scenario.system == "jamming":
            return
        limited = (self.until_time, self.until_events, self.max_wall) != (None, None, None)
        if not limited and scenario.hard_discs.growth_rate == 0.0:
            raise InputError(
                "hard discs bounce for ever; say with --until-time, --until-events or --max-wall when to stop"
            )


def run_scenario(
    source: str,
    settings: Iterable[str],
    limits: Limits,
    out: Path | None,
    as_json: bool,
    record: bool = False,
    every: float | None = None,
) -> int:
    """Run, write what was asked for, and the result to stdout; returns the exit status. Raises InputError.

    record : frames go to trajectory.gsd in `out`, one each `every` of simulation time.
    """
    limits.check()
    check_recording(record, every, out)
    scenario = engine.open_scenario(source).with_settings(settings)
    tell(start_notice(scenario), scenario.discs.file)
    limits.check_ends(scenario)
    if out is not None:
        _make_folder(out)
    with ProgressLine() as progress:
        from engine.initial import initial_state

        began = time.perf_counter()
        state = initial_state(scenario)  # before compiling: what is wrong with it is told at once
        setup_s = time.perf_counter() - began
        compile_s = engine.warm_up(progress.compiling, scenario.kernels)
        began = time.perf_counter()
        simulation = engine.create(scenario, state)
        wall_s = time.perf_counter() - began  # trees and first predictions are work of the simulation
        if out is not None:
            from aggviewer.cli.output import write_scenario

            write_scenario(out, scenario, simulation)
        series = None if out is None else series_of(simulation)
        recording = CliRecording(out, simulation, scenario.to_toml(), every) if record and out is not None else None
        reached, wall_s, stop_reason = simulate(simulation, limits, progress, series, wall_s, recording)
        if recording is not None:
            recording.close()
        progress.say("measuring")
        frame = simulation.settled()
        values = summary(
            system=simulation.system,
            method=simulation.method,
            count=simulation.count,
            seed=scenario.seed,
            sim_time=frame.time,
            clusters=frame.clusters,
            events=reached.events,
            steps=reached.steps,
            wall_s=wall_s,
            compile_s=compile_s,
            setup_s=setup_s,
            stop_reason=stop_reason,
            stop_detail=reached.stop_reason or None,
            kinetic_energy=None if simulation.system == "jamming" else frame.kinetic_energy,
            box=simulation.box.tolist(),
            boundary=scenario.box.boundary,
            indicators=_indicators(simulation, frame),
            **simulation.invariants() | _of_system(simulation),
        )
        if out is not None and series is not None:
            from aggviewer.cli.output import write_results

            progress.say("writing")
            write_results(out, scenario, simulation, frame, series, values)
    typer.echo(to_json(values) if as_json else to_text(values))
    if out is not None and not as_json:
        typer.echo(f"written to {out}")
    return 0


def simulate(
    simulation: Simulation,
    limits: Limits,
    progress: ProgressLine,
    series: AnySeries | None = None,
    wall_s: float = 0.0,
    recording: CliRecording | None = None,
) -> tuple[Progress, float, str]:
    """Advance to a limit or the end. Returns where it ended, the seconds spent on the simulation alone, and the
    reason: ``finished`` (nothing will happen any more), ``time``, ``clusters``, ``events``, ``wall`` or
    ``interrupted``.

    wall_s : seconds that making the simulation has taken, which count as well.
    """
    goal = max(1, limits.until_clusters or 1)
    done = 0
    with interruptible(simulation) as interrupted, _cut_at(limits.max_wall, wall_s, simulation):
        while True:
            budget = _SLICE if limits.max_wall is None else min(_SLICE, max(0.0, limits.max_wall - wall_s))
            target = goal if series is None else max(goal, series.next_clusters)
            left = None if limits.until_events is None else limits.until_events - done
            until_time = math.inf if limits.until_time is None else limits.until_time
            if recording is not None:
                until_time = min(until_time, recording.next_time)
            began = time.perf_counter()
            reached = simulation.advance(until_time, budget, until_clusters=target, max_events=left)
            wall_s += time.perf_counter() - began
            done = reached.happened
            if series is not None:
                series.sample(reached.clusters)
            if recording is not None:
                recording.take_due()
            progress.simulating(reached, done, wall_s, _share(reached, done, wall_s, simulation, limits))
            if limits.until_clusters is not None and reached.clusters <= goal:
                return reached, wall_s, "clusters"
            if limits.until_events is not None and done >= limits.until_events:
                return reached, wall_s, "events"
            if limits.until_time is not None and reached.time >= limits.until_time:
                return reached, wall_s, "time"
            if reached.finished:
                return reached, wall_s, "finished"
            if interrupted.is_set():
                return reached, wall_s, "interrupted"
            if limits.max_wall is not None and wall_s >= limits.max_wall:
                return reached, wall_s, "wall"


@contextmanager
def interruptible(simulation: Simulation | None = None) -> Iterator[threading.Event]:
    """An event that Ctrl-C (or SIGTERM) sets instead of ending the program; a second Ctrl-C ends it. A program that
    `simulation` solves is cut off."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event
        return
    cut = getattr(simulation, "interrupt", lambda: None)

    def handle(number: int, _frame: Any) -> None:
        if event.is_set():
            raise KeyboardInterrupt
        event.set()
        cut()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield event
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _cut_at(max_wall: float | None, wall_s: float, simulation: Simulation) -> Iterator[None]:
    """Cut off the program that is solved when `max_wall` is over: other simulations come back by themselves."""
    cut = getattr(simulation, "interrupt", None)
    if max_wall is None or cut is None:
        yield
        return
    timer = threading.Timer(max(0.0, max_wall - wall_s), cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _share(reached: Progress, done: int, wall_s: float, simulation: Simulation, limits: Limits) -> float:
    """How much of a run is over, 0…1, by the limit that is nearest; of discs that stick also by log M, of discs that
    jam by the logarithm of what they still grow."""
    shares = [0.0]
    count, history = simulation.count, simulation.history() if simulation.system == "jamming" else None
    if isinstance(history, JammingHistory) and len(history.time) > 1:
        left = max(float(history.inflation[-1]), simulation.scenario.jamming.tolerance_inflation)
        shares.append(math.log(left) / math.log(simulation.scenario.jamming.tolerance_inflation))
    if limits.until_time:
        shares.append(reached.time / limits.until_time)
    if limits.until_events:
        shares.append(done / limits.until_events)
    if limits.max_wall:
        shares.append(wall_s / limits.max_wall)
    if "merge" in reached.events:
        shares.append(1.0 - math.log(reached.clusters) / math.log(count) if count > 1 else 1.0)
    return min(1.0, max(shares))


def _indicators(simulation: Simulation, frame: Frame) -> dict[str, Any]:
    from engine.analysis import analyse, analyse_gas, analyse_packing
    from engine.jamming.jamming import JammingPacking

    radii = simulation.radii * frame.radius_factor
    found = analyse(frame.positions, radii, simulation.box, periodic=simulation.periodic, cluster=frame.cluster)
    values = found.to_dict()
    if simulation.system != "aggregation":
        values |= dict.fromkeys(_OF_AGGREGATES)
    if simulation.system == "hard-discs":
        seen = (frame.positions, frame.velocities, radii, simulation.masses, simulation.box)
        values |= analyse_gas(*seen, periodic=simulation.periodic).to_dict()
    if isinstance(simulation, JammingPacking):
        values["packing"] = analyse_packing(simulation.packing()).to_dict()
    return values


_OF_AGGREGATES = ("box_counting", "fractal_dimension", "aspect_ratio", "orientation", "cluster_sizes")
"""Indicators without a meaning for discs that do not stick."""


def _of_system(simulation: Simulation) -> dict[str, Any]:
    """What only this kind of system has."""
    from engine.hard_discs.gas import HardDiscGas
    from engine.jamming.jamming import JammingPacking

    if isinstance(simulation, JammingPacking):
        return jamming_values(simulation.packing())
    return gas_values(simulation.measures()) if isinstance(simulation, HardDiscGas) else {}


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--out {out} cannot be a folder: {error.strerror or error}", str(out)) from None
    try:
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        raise InputError(f"--out {out} cannot be written to: {error.strerror or error}", str(out)) from None
