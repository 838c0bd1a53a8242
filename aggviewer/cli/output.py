"""The files of a run: scenario.toml, summary.json, final.aggsession, final.gsd, final.csv, series.csv; of packings
final-contacts.csv."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aggviewer.cli.series import Series
from aggviewer.cli.summary import to_json
from engine.files import FileFrame, write, write_contacts
from engine.files.atomic import replacing

if TYPE_CHECKING:
    from aggviewer.session.saved.state import SessionState
    from engine.scenario import Scenario
    from engine.simulation import Frame, Simulation


def complete(scenario: Scenario, simulation: Simulation) -> Scenario:
    """The scenario with what was left to follow from the rest written out: box size, and count of a state file."""
    x, y = simulation.box.tolist()
    return scenario.with_values({"box.size": x if x == y else [x, y], "discs.count": simulation.count})


def write_scenario(folder: Path, scenario: Scenario, simulation: Simulation) -> None:
    """scenario.toml: running it again gives the same result."""
    _write_text(folder / "scenario.toml", complete(scenario, simulation).to_toml())


def write_results(
    folder: Path,
    scenario: Scenario,
    simulation: Simulation,
    session: SessionState | None,
    frame: Frame,
    series: Series,
    values: dict[str, Any],
) -> None:
    """Everything that is known at the end of a run. session : the one that was carried on, if any: what it has besides
    the simulation stays."""
    state = FileFrame.of(frame, simulation, complete(scenario, simulation).to_toml())
    write(folder / "final.csv", state)
    write(folder / "final.gsd", state)
    if frame.network is not None:
        write_contacts(folder / "final-contacts.csv", state)
    series.write(folder / "series.csv")
    _write_session(folder / "final.aggsession", scenario, simulation, session)
    _write_text(folder / "summary.json", to_json(values, indent=1) + "\n")


def _write_session(path: Path, scenario: Scenario, simulation: Simulation, before: SessionState | None) -> None:
    """The exact state, which `run` and the window carry on."""
    from aggviewer.session.saved.session_file import write_session
    from aggviewer.session.saved.state import SessionState
    from aggviewer.session.view import ViewModel

    now = SessionState(
        lanes=[simulation.checkpoint()],
        scenarios=[scenario.to_toml()],
        time=simulation.time,
        clusters=simulation.frame().clusters,
        count=simulation.count,
        view=ViewModel().model_dump(),
        saved_as="paused",
    )
    if before is not None:
        now = replace(
            before,
            lanes=now.lanes,
            scenarios=now.scenarios,
            time=now.time,
            clusters=now.clusters,
            count=now.count,
            saved_as=now.saved_as,
            program="",
            saved_at=0.0,
        )
    write_session(path, now)


def _write_text(path: Path, text: str) -> None:
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8")
