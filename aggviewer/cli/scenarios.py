"""`aggviewer scenarios`: the bundled scenarios by system, one line each."""

from __future__ import annotations

import typer

from aggviewer.cli.exits import tell
from engine.errors import InputError
from engine.runs.summary import to_json
from engine.scenario import BundledScenario, Scenario, bundled, load_scenario
from engine.system import System, systems


def list_scenarios(as_json: bool) -> int:
    """Write the list to stdout; returns the exit status."""
    groups = by_system()
    if as_json:
        values = {
            entry.name: {
                "title": entry.title,
                "description": entry.description,
                "system": scenario.system,
                "count": scenario.discs.count,
            }
            for _, members in groups
            for entry, scenario in members
        }
        typer.echo(to_json(values))
        return 0
    width = max(len(entry.name) for _, members in groups for entry, _ in members)
    for system, members in groups:
        typer.echo(system.heading or system.title)
        for entry, _ in members:
            typer.echo(f"  {entry.name:{width}}  {entry.title}: {entry.description}")
        typer.echo("")
    typer.echo("Run one with: aggviewer run NAME. Open one in the window with: aggviewer NAME")
    return 0


def by_system() -> list[tuple[System, list[tuple[BundledScenario, Scenario]]]]:
    """The scenarios by system, in the order of the gallery; one that cannot be read is left out."""
    known = []
    for entry in bundled(tell):
        try:
            known.append((entry, load_scenario(entry.name)))
        except InputError:  # a damaged installation
            continue
    groups = [(system, [one for one in known if one[1].system == system.name]) for system in systems()]
    return [(system, members) for system, members in groups if members]
