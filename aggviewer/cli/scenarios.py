"""`aggviewer scenarios`: the bundled scenarios by system, one line each."""

from __future__ import annotations

from itertools import product

import typer

from aggviewer.cli.exits import tell
from engine.errors import InputError
from engine.runs.summary import to_json
from engine.scenario import BundledScenario, Scenario, bundled, load_scenario
from engine.system import systems
from engine.words import body_names


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
