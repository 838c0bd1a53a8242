"""The bundled scenarios with their titles, and the title of any scenario."""

from __future__ import annotations

from contextlib import suppress
from itertools import product

from aggviewer.style import numbers
from aggviewer.systems.base import moment_of
from aggviewer.systems.registry import view_of
from engine.errors import InputError
from engine.scenario import BundledScenario, Scenario, bundled, load_scenario
from engine.system import systems
from engine.words import body_names


class Catalog:
    """Names and titles of the scenarios that are offered, for menus; read once.

    left_out : an error message for each scenario that cannot be read.
    """

    def __init__(self) -> None:
        self.left_out: list[str] = []
        self.entries: list[BundledScenario] = []
        self._scenarios: dict[str, Scenario] = {}
        for entry in bundled(self.left_out.append):
            self.entries.append(entry)
            with suppress(InputError):  # a damaged installation: choosing it reports the error
                self._scenarios[entry.name] = load_scenario(entry.name)

    def groups(self) -> list[tuple[str, list[BundledScenario]]]:
        """The scenarios by system, discs before spheres, each group with its heading; those that cannot be read stand
        in the first group."""
        found = []
        for kind in product((system.name for system in systems()), (2, 3)):
            members = [entry for entry in self.entries if self.kind_of(entry.name) == kind]
            if members:
                found.append((view_of(kind[0]).title(kind[1]), members))
        return found

    def kind_of(self, name: str) -> tuple[str, int]:
        """The system of a scenario, and whether it has discs (2) or spheres (3)."""
        scenario = self._scenarios.get(name, Scenario())
        return scenario.system, scenario.dimensions

    def name_of(self, scenario: Scenario) -> str | None:
        """The bundled scenario that equals this one except for the seed."""
        same_seed = scenario.with_values({"seed": 1})
        for name, bundled_one in self._scenarios.items():
            if bundled_one.discs == scenario.discs and bundled_one.with_values({"seed": 1}) == same_seed:
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
        things = body_names(scenario.dimensions).discs
        return f"{numbers.count(scenario.discs.count)} {things}, custom parameters"
