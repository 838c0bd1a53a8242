"""One simulation or two side by side, and how pictures and panels follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from aggviewer.parameters import ParametersPanel
from aggviewer.plots import PlotsPanel
from aggviewer.plots.runs import RunStyle, told_apart
from aggviewer.style.theme import Colors
from aggviewer.systems.base import SystemView
from aggviewer.systems.registry import view_of
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.part import Context, Part
from aggviewer.window.canvases.canvases import Canvases
from engine.scenario import Scenario
from engine.system import method_of


class Comparing(Part):
    """Starts and ends a comparison, and shows the runs side by side in pictures and panels.

    scenarios : one or two running scenarios; runs : their names and styles in the plots.
    """

    def __init__(self, context: Context) -> None:
        self._session = session = context.session
        self._canvases = canvases = context[Canvases]
        self._parameters = context[ParametersPanel]
        self._plots = plots = context[PlotsPanel]
        self._theme, self._commands = context.theme, context.commands
        self.scenarios: tuple[Scenario, ...] = ()
        self.runs: list[RunStyle] = [RunStyle("ED", "event-driven")]
        canvases.asked.connect(lambda lane, key, value: session.set_parameter(key, value, lane))
        plots.place_asked.connect(canvases.look_at)
        context.listen(session.lanes_changed, self._follow)
        context.theme.changed.connect(self.set_theme)
        self.set_theme(context.theme.colors)

    def commands(self) -> Iterator[Command]:
        """Compare from the present state, or from the start."""
        yield Command(
            "method.compare",
            "Compare",
            self.toggle,
            ("C",),
            "Run two variants side by side from the present state: both methods, elastic and inelastic, or two "
            "rules. Choose it again to return to the single run",
            "mdi6.compare-horizontal",
            checked=lambda: self.on,
            menu=Place("Method", 2, 1),
            bar=Place("left", 2, 1),
            available=self._can_compare,
            reason=self._not_yet,
        )
        yield Command(
            "method.compare_start",
            "Compare from the start",
            self.compare_from_start,
            ("Ctrl+Shift+C",),
            "Run both variants from the initial state. Your current run is kept until the comparison ends",
            menu=Place("Method", 2, 2),
            bar=Place("method.compare", 1, 1),
            available=self._can_compare,
            reason=self._not_yet,
        )

    @property
    def on(self) -> bool:
        """True while two are side by side."""
        return len(self.scenarios) > 1

    @property
    def _view(self) -> SystemView:
        """The view of the first run's system."""
        return view_of(self.scenarios[0].system if self.scenarios else "")

    def _can_compare(self) -> bool:
        return not self.scenarios or bool(self._opposite())

    def _not_yet(self) -> str:
        return "" if self.scenarios else "There is no run yet"

    def _opposite(self) -> dict[str, Any]:
        """The variants worth comparing with the first scenario, if any."""
        return self._view.opposite(self.scenarios[0]) if self.scenarios else {}

    # what the person asks for

    def toggle(self) -> None:
        """Compare the run with its counterpart from now on, or return to the single run."""
        if self.on:
            self._session.compare(None)
        elif self._opposite():
            self._session.compare(self._opposite())

    def compare_from_start(self) -> None:
        """Compare from the start; a running comparison is restarted."""
        if self.on:
            self._session.restart()
        elif self._opposite():
            self._session.compare(self._opposite(), from_start=True)

    # what the session says

    def _follow(self, scenarios: Sequence[Scenario]) -> None:
        """Show these runs side by side."""
        self._parameters.set_methods({method_of(scenario) for scenario in scenarios})
        view = view_of(scenarios[0].system if scenarios else "")
        named = zip(view.runs(scenarios), scenarios, strict=True)
        runs = told_apart([replace(run, dimensions=scenario.dimensions) for run, scenario in named])
        if runs != self.runs:
            self.runs = runs
            self._plots.set_runs(runs)
        self.scenarios = tuple(scenarios)
        self._canvases.set_scenarios(self.scenarios)
        self.set_theme(self._theme.colors)
        self._commands.update()

    def set_theme(self, colors: Colors) -> None:
        """Follow the theme."""
        self._canvases.set_runs(self.runs, colors)
