"""The views of all systems, by name. A new one is a line here, or registered by a plug-in."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from aggviewer.parameters.layout import Layout
from aggviewer.plots.plot import Plot
from aggviewer.systems.aggregation.view import AggregationView
from aggviewer.systems.base import SystemView
from aggviewer.systems.hard_discs.view import HardDiscsView
from aggviewer.systems.jamming.view import JammingView
from engine import plugins
from engine.errors import InputError
from engine.registry import Registry
from engine.scenario import Scenario
from engine.system import System, find, systems

_FIRST = Scenario().system


def _fits_of_plug_in(view: Any, others: Sequence[Any]) -> None:
    if not isinstance(view, SystemView):
        raise InputError(f"what it adds as a view is of the type {type(view).__name__}, not a SystemView")


VIEWS: Registry[SystemView] = Registry()
"""The views that the program itself has."""

plugins.check("view", _fits_of_plug_in)


def register(view: SystemView) -> None:
    """Have a system look like this from now on."""
    VIEWS.add(view)


def view_of(system: str) -> SystemView:
    """The view of a system, by its name; a plain one for a system that has none of its own. The last one counts, those
    of plug-ins last of all. It is the same object as long as nothing is loaded.

    Without a name, before anything is loaded, it is that of a scenario that says nothing.
    """
    system = system or _FIRST
    found = [view for view in (*VIEWS.parts, *plugins.made("view")) if view.name == system]
    return found[-1] if found else _plain(system, find(system))


@lru_cache(maxsize=16)
def _plain(name: str, system: System | None) -> SystemView:
    """The view of a system that brings none, one for each version of it."""
    return SystemView(name)


def plots_of(system: str) -> tuple[Plot, ...]:
    """The plots of a system, in the order of their keys."""
    return view_of(system).plots()


def views() -> tuple[SystemView, ...]:
    """The views of all systems that the engine knows, in their order."""
    return tuple(view_of(known.name) for known in systems())


def layouts() -> dict[str, Layout]:
    """What the inspector has for every system that the engine knows, in their order."""
    return {view.name: view.layout() for view in views()}


def most_plots() -> int:
    """The number of plots of the system that has the most: there is a key for each."""
    return max(len(view.plots()) for view in views())


for _view in (AggregationView("aggregation"), HardDiscsView("hard-discs"), JammingView("jamming")):
    register(_view)
