"""The views of all systems, by name. A new one is added here, or registered by a plug-in."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
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
from engine.system import systems

_FIRST = Scenario().system


def _fits_of_plug_in(view: Any, others: Sequence[Any]) -> None:
    if not isinstance(view, SystemView):
        raise InputError(f"what it adds as a view is of the type {type(view).__name__}, not a SystemView")


VIEWS: Registry[SystemView] = Registry()
"""The program's own views."""

plugins.check("view", _fits_of_plug_in)


def register(view: SystemView) -> None:
    """Use this view for a system from now on."""
    VIEWS.add(view)


def view_of(system: str) -> SystemView:
    """The view of a system, by name; a plain one for a system without its own. The view registered last counts, those
    of plug-ins last of all.

    Without a name, before a scenario is loaded, it is the view of the default scenario.
    """
    system = system or _FIRST
    found = [view for view in (*VIEWS.parts, *plugins.made("view")) if view.name == system]
    return found[-1] if found else _plain(system)


@cache
def _plain(name: str) -> SystemView:
    """The plain view of a system."""
    return SystemView(name)


def plots_of(system: str) -> tuple[Plot, ...]:
    """The plots of a system, in the order of their keys."""
    return view_of(system).plots()


def views() -> tuple[SystemView, ...]:
    """The views of all registered systems, in order."""
    return tuple(view_of(known.name) for known in systems())


def layouts() -> dict[str, Layout]:
    """The layouts in the parameters panel of all registered systems, in order."""
    return {view.name: view.layout() for view in views()}


def most_plots() -> int:
    """The largest number of plots of any system: each plot has a key."""
    return max(len(view.plots()) for view in views())


for _view in (AggregationView("aggregation"), HardDiscsView("hard-discs"), JammingView("jamming")):
    register(_view)
