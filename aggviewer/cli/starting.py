"""What a command can start from: a scenario, or a saved session that is continued; and the list of the bundled
scenarios, by system (`aggviewer scenarios`)."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import typer

import engine
from aggviewer.cli.exits import tell
from engine.errors import InputError, typed_path
from engine.runs.progress import ProgressLine
from engine.runs.summary import to_json
from engine.scenario import BundledScenario, Scenario, bundled, load_scenario, parse_setting
from engine.scenario.source import MAX_BYTES
from engine.state_file import start_notice
from engine.system import system_of, systems
from engine.words import body_names

if TYPE_CHECKING:
    from aggviewer.session.saved.state import SessionState
    from engine.simulation import Simulation

_SESSION, _STDIN = ".aggsession", "-"


@dataclass
class RunSource:
    """The input of the command line, read and checked; nothing is compiled yet.

    scenario : what runs; session : the saved state that is continued, None for a new run; settings : for the session.
    """

    scenario: Scenario
    session: SessionState | None
    settings: list[str]

    @property
    def uses(self) -> Path | None:
        """The file with the initial discs, None if there is none."""
        discs = self.scenario.discs
        return Path(discs.file) if discs.arrangement == "file" else None


@dataclass
class Started:
    """A simulation that is ready to run, with the time in seconds of making it.

    session : the saved state that it continues, None for a new run.
    work_s : making the simulation; compile_s : compiling or loading kernels; setup_s : making and checking the initial
        state.
    """

    simulation: Simulation
    scenario: Scenario
    work_s: float
    compile_s: float
    setup_s: float
    session: SessionState | None = None


def read_scenario(source: str, settings: list[str]) -> Scenario:
    """The scenario of a file, of a bundled name, or of stdin (``-``). Notices about its state file are printed.
    InputError."""
    opened = _from_stdin() if source == _STDIN else engine.open_scenario(source, asked_dimensions(settings))
    scenario = opened.with_settings(settings)
    tell(start_notice(scenario), scenario.discs.file)
    return scenario


def asked_dimensions(settings: Sequence[str], only: str = "") -> int:
    """The number of dimensions, 2 or 3, that ``dimensions=N`` among the settings asks for; 0 for none.

    only : the message of the InputError for any other setting; "" allows all.
    """
    asked = 0
    for key, value in map(parse_setting, settings):
        if key == "dimensions" and value in (2, 3):
            asked = value
        elif only:
            raise InputError(only if key != "dimensions" else f"dimensions must be 2 or 3, not {value}", key)
    return asked


def _from_stdin() -> Scenario:
    """The scenario on stdin; its files are relative to the current folder."""
    try:
        text = sys.stdin.buffer.read(MAX_BYTES + 1).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("stdin is not text; a scenario is TOML in UTF-8", "stdin") from None
    if len(text.encode()) > MAX_BYTES:
        raise InputError(f"stdin is too large for a scenario (more than {MAX_BYTES >> 20} MiB)", "stdin")
    if not text.strip():
        raise InputError("stdin is empty; write a scenario in TOML to it", "stdin")
    return Scenario.from_toml(text, Path(), "the scenario on stdin")


def read_source(source: str, settings: list[str], command: str = "run") -> RunSource:
    """A scenario, a state or a session. Notices about its state file are printed. InputError.

    command : the command that continues it, for error messages.
    """
    path = typed_path(source)
    if path.suffix.lower() != _SESSION:
        return RunSource(read_scenario(source, settings), None, [])
    from aggviewer.session.saved.session_file import read_session
    from engine.saved import checked_scenario

    state = read_session(path)
    tell(state.left_out, str(path))
    if len(state.lanes) > 1:
        raise InputError(f"{path} holds a comparison of two runs; {command} continues only a single run", str(path))
    return RunSource(checked_scenario(state.scenarios[0]), state, settings)


def start(source: RunSource, progress: ProgressLine) -> Started:
    """The simulation of a source, new or continued. InputError if it cannot be created."""
    if source.session is not None:
        return _continued(source, source.session, progress)
    from engine.initial import initial_state

    began = time.perf_counter()
    progress.say("preparing")
    state = initial_state(source.scenario)  # before compiling, so that errors are reported at once
    setup_s = time.perf_counter() - began
    tell(state.notice, source.scenario.discs.file)
    compile_s = engine.warm_up(progress.compiling, system_of(source.scenario).kernels(source.scenario))
    began = time.perf_counter()
    simulation = engine.create(source.scenario, state)
    work_s = time.perf_counter() - began  # trees and first predictions count as simulation time
    return Started(simulation, simulation.scenario, work_s, compile_s, setup_s)


def _continued(source: RunSource, session: SessionState, progress: ProgressLine) -> Started:
    compile_s = engine.warm_up(progress.compiling, system_of(source.scenario).kernels(source.scenario))
    began = time.perf_counter()
    simulation = engine.restore(session.lanes[0])
    scenario = source.scenario
    for key, value in map(parse_setting, source.settings):
        simulation.set(key, value)
        scenario = scenario.with_values({key: value})
    return Started(simulation, scenario, 0.0, compile_s, time.perf_counter() - began, session)


def list_scenarios(as_json: bool) -> int:
    """Write the list to stdout; returns the exit status."""
    groups = by_system()
    if as_json:
        values = {
            entry.name: {
                "title": entry.title,
                "description": entry.description,
                "system": scenario.system,
                "dimensions": scenario.dimensions,
                "count": scenario.discs.count,
            }
            for _, members in groups
            for entry, scenario in members
        }
        typer.echo(to_json(values))
        return 0
    width = max(len(entry.name) for _, members in groups for entry, _ in members)
    for heading, members in groups:
        typer.echo(heading)
        for entry, _ in members:
            typer.echo(f"  {entry.name:{width}}  {entry.title}: {entry.description}")
        typer.echo("")
    typer.echo("Run one with: aggviewer run NAME. Open one in the window with: aggviewer NAME")
    return 0


def by_system() -> list[tuple[str, list[tuple[BundledScenario, Scenario]]]]:
    """The scenarios by system, discs before spheres, each group with its heading, in the order of the gallery; one that
    cannot be read is left out."""
    known = []
    for entry in bundled(tell):
        try:
            known.append((entry, load_scenario(entry.name)))
        except InputError:  # a damaged installation
            continue
    groups = []
    for system, dimensions in product(systems(), (2, 3)):
        members = [one for one in known if (one[1].system, one[1].dimensions) == (system.name, dimensions)]
        if members:
            groups.append((body_names(dimensions).fill(system.heading or system.title), members))
    return groups
