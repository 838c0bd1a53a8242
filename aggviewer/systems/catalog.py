"""The bundled scenarios with their titles, and the title of any scenario."""

from __future__ import annotations

from aggviewer.style import numbers
from aggviewer.style.things import named
from aggviewer.systems.registry import view_of
from aggviewer.systems.starts import moment_of
from engine.errors import InputError
from engine.scenario import BundledScenario, Scenario, bundled, load_scenario
from engine.system import systems

DIMENSIONS = (2,)
"""The dimensions of the scenarios that are offered in menus; those of others have no pictures yet, and open by name."""


class Catalog:
    """Names and titles of the scenarios that are offered, for menus; read once.

    left_out : an error message for each scenario that cannot be read.
    """

    def __init__(self) -> None:
        self.left_out: list[str] = []
        self.entries: list[BundledScenario] = []
        self._scenarios: dict[str, Scenario] = {}
        for entry in bundled(self.left_out.append):
            try:
                scenario = load_scenario(entry.name)
            except InputError:
                self.entries.append(entry)  # a damaged installation: choosing it reports the error
                continue
            if scenario.dimensions in DIMENSIONS:
                self.entries.append(entry)
                self._scenarios[entry.name] = scenario

    def groups(self) -> list[tuple[str, list[BundledScenario]]]:
        """The scenarios by system, each group with its heading; those that cannot be read have no system."""
        found = []
        for system in systems():
            members = [entry for entry in self.entries if self._system_of(entry.name) == system.name]
            if members:
                found.append((view_of(system.name).title, members))
        return found

    def _system_of(self, name: str) -> str:
        scenario = self._scenarios.get(name)
        return (scenario or Scenario()).system

    def name_of(self, scenario: Scenario) -> str | None:
        """The bundled scenario that equals this one except for the seed."""
        same_seed = scenario.with_values({"seed": 1})
        for name, bundled_one in self._scenarios.items():
            if bundled_one.with_values({"seed": 1}) == same_seed:
                return name
        return None

    def title_of(self, scenario: Scenario) -> str:
        """A short title of any scenario."""
        name = self.name_of(scenario)
        if name is not None:
            return next(entry.title for entry in self.entries if entry.name == name)
        if scenario.discs.arrangement == "file":
            name = scenario.discs.file.replace("\\", "/").rsplit("/", 1)[-1]
            moment = moment_of(name)
            return name if moment is None else f"{view_of(scenario.system).start_word} {moment}"
        return named(f"{numbers.count(scenario.discs.count)} discs, custom parameters", scenario.dimensions)
