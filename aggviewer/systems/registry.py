"""The views of all systems, by name. A new one is a line here, or registered by a plug-in."""

from __future__ import annotations

from aggviewer.parameters.layout import Layout
from aggviewer.plots.plot import Plot
from aggviewer.systems.aggregation.view import AggregationView
from aggviewer.systems.base import SystemView
from aggviewer.systems.hard_discs.view import HardDiscsView
from aggviewer.systems.jamming.view import JammingView
from engine import plugins
from engine.scenario import Scenario
from engine.system import systems

_FIRST = Scenario().system
_views: dict[str, SystemView] = {}


def register(view: SystemView) -> None:
    """Have a system look like this from now on."""
    _views[view.name] = view


def view_of(system: str) -> SystemView:
    """The view of a system, by its name; a plain one for a system that has none of its own.

    Without a name, before anything is loaded, it is that of a scenario that says nothing.
    """
    system = system or _FIRST
    if system not in _views:
        plugins.use("view", lambda make: register(make()), once=True)
    return _views.get(system) or SystemView(system)


def plots_of(system: str) -> tuple[type[Plot], ...]:
    """The plots of a system, in the order of their keys."""
    return view_of(system).plots()


def views() -> tuple[SystemView, ...]:
    """The views of all systems that the engine knows, in their order."""
    return tuple(view_of(known.name) for known in systems())


def layouts() -> dict[str, Layout]:
    """What the inspector has for every system that the engine knows, in their order."""
    return {view.name: view.layout() for view in views()}


def most_plots() -> int:
    """As many as the system with the most has: there is a key for each."""
    return max(len(view.plots()) for view in views())


for _view in (AggregationView("aggregation"), HardDiscsView("hard-discs"), JammingView("jamming")):
    register(_view)
