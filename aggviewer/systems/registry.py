"""The views of all systems, by name. A new one is a line here, or registered by a plug-in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from aggviewer.systems.aggregation.view import AggregationView
from aggviewer.systems.base import SystemView
from aggviewer.systems.hard_discs.view import HardDiscsView
from aggviewer.systems.jamming.view import JammingView
from engine.plugins import filled
from engine.system import systems

if TYPE_CHECKING:
    from aggviewer.parameters.layout import Layout
    from aggviewer.plots.plot import Plot

_views: dict[str, SystemView] = {}
_taken: list[Callable[..., SystemView]] = []
problems: list[str] = []
"""Views of plug-ins that could not be made: a sentence each."""


def register(view: SystemView) -> None:
    """Have a system look like this from now on."""
    _views[view.name] = view


def view_of(system: str) -> SystemView:
    """The view of a system, by its name; a plain one for a system that has none of its own."""
    _take_in_plug_ins()
    return _views.get(system) or SystemView(system)


def _take_in_plug_ins() -> None:
    """Make the views that plug-ins have named, each once. One that fails is left out."""
    for make in filled("view"):
        if make not in _taken:
            _taken.append(make)
            try:
                register(make())
            except Exception as error:
                problems.append(f"the view of a system is left out: {type(error).__name__}: {error}")


def plots_of(system: str) -> tuple[type[Plot], ...]:
    """The plots of a system, in the order of their keys."""
    return view_of(system).plots()


def layouts() -> dict[str, Layout]:
    """What the inspector has for every system that the engine knows, in their order."""
    return {known.name: view_of(known.name).layout() for known in systems()}


def most_plots() -> int:
    """As many as the system with the most has: there is a key for each."""
    return max(len(plots_of(known.name)) for known in systems())


for _view in (AggregationView("aggregation"), HardDiscsView("hard-discs"), JammingView("jamming")):
    register(_view)
