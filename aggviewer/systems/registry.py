"""The views of all systems by name, and the bundled scenarios with their titles.

A new view is added here, or registered by a plug-in.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from aggviewer.parameters.layout import Layout
from aggviewer.plots.plot import Plot
from aggviewer.systems.aggregation.view import AggregationView
from aggviewer.systems.base import SystemView, moment_of
from aggviewer.systems.hard_discs.view import HardDiscsView
from aggviewer.systems.jamming.view import JammingView
from aggviewer.systems.state_plots import added_plots
from engine import plugins
from engine.errors import InputError
from engine.registry import Registry
from engine.scenario import BundledScenario, Scenario, bundled, load_scenario
from engine.system import systems
from engine.words import body_names, count

_FIRST = Scenario().system


def _fits_of_plug_in(view: Any, others: Sequence[Any]) -> None:
    if not isinstance(view, SystemView):
        raise InputError(f"what it adds as a view is of the type {type(view).__name__}, not a SystemView")


def _is_plot(plot: Any, others: Sequence[Any]) -> None:
    if not isinstance(plot, Plot):
        raise InputError(f"what it adds as a plot is of the type {type(plot).__name__}, not a Plot")


VIEWS: Registry[SystemView] = Registry()
"""The program's own views."""

plugins.check("view", _fits_of_plug_in)
plugins.check("plot", _is_plot)


def register(view: SystemView) -> None:
    """Use this view for a system from now on."""
    VIEWS.add(view)


def view_of(system: str) -> SystemView:
    """The view of a system, by name; a plain one for a system without its own. The view registered last counts, those
    of plug-ins last of all.

    Without a name, before a scenario is loaded, it is the view of the default scenario.
    """
    system = system or _FIRST
    found = [view for view in (*VIEWS.parts, *plugins.added_parts("view")) if view.name == system]
    return found[-1] if found else _plain(system)


@cache
def _plain(name: str) -> SystemView:
    """The plain view of a system."""
    return SystemView(name)


def plots_of(system: str) -> tuple[Plot, ...]:
    """The plots of a system, in the order of their keys: its own, then those that plug-ins add to every system."""
    view = view_of(system)
    return (*view.plots(), *added_plots(view.clock), *plugins.added_parts("plot"))


def views() -> tuple[SystemView, ...]:
    """The views of all registered systems, in order."""
    return tuple(view_of(known.name) for known in systems())


def layouts() -> dict[str, Layout]:
    """The layouts in the parameters panel of all registered systems, in order."""
    return {view.name: view.layout() for view in views()}


def most_plots() -> int:
    """The largest number of plots of any system: each plot has a key."""
    return max(len(plots_of(view.name)) for view in views())


for _view in (AggregationView("aggregation"), HardDiscsView("hard-discs"), JammingView("jamming")):
    register(_view)


class Catalog:
    """Names and titles of the scenarios that are offered, for menus; read once.

    left_out : an error message for each scenario that cannot be read.
    folders : titles for the scenarios that begin with a file of these folders, such as those of a lesson.
    """

    def __init__(self) -> None:
        self.left_out: list[str] = []
        self.entries: list[BundledScenario] = []
        self.folders: dict[Path, str] = {}
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
            if (title := self.folders.get(Path(scenario.discs.file).parent)) is not None:
                return title
            name = scenario.discs.file.replace("\\", "/").rsplit("/", 1)[-1]
            moment = moment_of(name)
            return name if moment is None else f"{view_of(scenario.system).start_word} {moment}"
        things = body_names(scenario.dimensions).discs
        return f"{count(scenario.discs.count)} {things}, custom parameters"
