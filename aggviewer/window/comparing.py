"""Which methods run, one or two side by side, and how the window follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from aggviewer.parameters import ParametersPanel
from aggviewer.plots import PlotsPanel
from aggviewer.plots.runs import RunStyle
from aggviewer.session import Session
from aggviewer.systems.aggregation.view import METHOD, half_step
from aggviewer.systems.base import SystemView
from aggviewer.systems.registry import view_of
from aggviewer.widgets.command import Command, Place
from aggviewer.window.canvases.canvases import Canvases
from aggviewer.window.systems import RunningSystem
from engine.scenario import Scenario
from engine.system import method_of

_METHODS = {
    "event-driven": ("ED", "Event-driven", "E", "Carry on with exact events, from contact to contact"),
    "time-stepping": ("TS", "Time stepping", "T", "Carry on with time steps Δt and a minimisation in each"),
}


class Comparing:
    """Switches the method, begins and ends a comparison, and brings what runs side by side to pictures and panels."""

    def __init__(
        self,
        session: Session,
        running: RunningSystem,
        canvases: Canvases,
        parameters: ParametersPanel,
        plots: PlotsPanel,
    ) -> None:
        self._running = running
        self._session = session
        self._canvases = canvases
        self._parameters = parameters
        self._plots = plots
        self.scenarios: tuple[Scenario, ...] = ()
        self.runs: list[RunStyle] = [RunStyle("ED", "event-driven")]
        canvases.asked.connect(self._asked)
        plots.place_asked.connect(canvases.look_at)

    def commands(self) -> Iterator[Command]:
        """Switch the method, compare."""
        for position, (method, (short, text, key, tooltip)) in enumerate(_METHODS.items()):
            yield Command(
                f"method.{method}",
                text,
                lambda method=method: self.switch(method),  # type: ignore[misc]
                (key,),
                tooltip,
                checked=lambda method=method: self.runs_method(method),  # type: ignore[misc]
                menu=Place("Method", 1, position),
                bar=Place("left", 1, position),
                short=short,
                available=lambda: self._running.offers("methods"),
            )
        yield Command(
            "method.compare",
            "Compare",
            self.toggle_methods,
            ("C",),
            "Both methods, elastic and inelastic collisions, or two rules, side by side from the present state on; "
            "again to have the single run back",
            "mdi6.compare-horizontal",
            checked=lambda: self.on,
            menu=Place("Method", 2, 1),
            bar=Place("left", 2, 1),
            available=self._can_compare,
        )
        yield Command(
            "method.compare_start",
            "Compare from the start",
            self.compare_from_start,
            ("Ctrl+Shift+C",),
            "The same, both from the initial state; the run that is shown is kept until then",
            menu=Place("Method", 2, 2),
            bar=Place("method.compare", 1, 1),
            available=self._can_compare,
        )
        yield Command(
            "method.compare_steps",
            "Compare two time steps",
            self.compare_steps,
            ("Shift+C",),
            "Time stepping with the present step and with half of it, side by side from the present state on",
            menu=Place("Method", 2, 3),
            bar=Place("method.compare", 1, 2),
            available=lambda: self._running.offers("methods"),
        )

    @property
    def on(self) -> bool:
        """True while two are side by side."""
        return len(self.scenarios) > 1

    def runs_method(self, method: str) -> bool:
        """True where the first one runs by `method`."""
        return self.has_methods and method_of(self.scenarios[0]) == method

    @property
    def has_methods(self) -> bool:
        """True where there are methods to choose between."""
        return bool(self.scenarios) and "methods" in self._view.offers

    @property
    def _view(self) -> SystemView:
        """Of the system that runs first."""
        return view_of(self.scenarios[0].system if self.scenarios else "")

    def _can_compare(self) -> bool:
        return not self.scenarios or bool(self._opposite())

    def _opposite(self) -> dict[str, Any]:
        """What is worth a look beside the first scenario, none where nothing is."""
        return self._view.opposite(self.scenarios[0]) if self.scenarios else {}

    # what the person asks for

    def switch(self, method: str) -> None:
        """Carry on with this method. Where both are side by side already, they change places."""
        if self.has_methods:
            self._session.switch_method(method)

    def toggle_methods(self) -> None:
        """The two methods, or bouncing with and without loss, side by side from now on; or the single run again."""
        if self.on:
            self._session.compare(None)
        elif self._opposite():
            self._session.compare(self._opposite())

    def compare_from_start(self) -> None:
        """The same, from the start; what is compared already begins again."""
        if self.on:
            self._session.restart()
        elif self._opposite():
            self._session.compare(self._opposite(), from_start=True)

    def compare_steps(self) -> None:
        """Time stepping with the present step and with half of it, side by side from now on."""
        if not self.has_methods:
            return
        scenario = self.scenarios[0]
        with self._session.undoing.as_one_step("comparison of two time steps"):
            if not self.runs_method("time-stepping"):
                self._session.set_parameter(METHOD, "time-stepping")
            self._session.compare(half_step(scenario) | {METHOD: "time-stepping"})

    # what the session says

    def follow(self, scenarios: Sequence[Scenario], dark: bool) -> None:
        """These run side by side now."""
        self.scenarios = tuple(scenarios)
        self._canvases.set_scenarios(self.scenarios)
        self.runs = self._view.runs(self.scenarios)
        self._plots.set_runs(self.runs)
        self._parameters.set_methods({method_of(scenario) for scenario in self.scenarios})
        self.set_theme(dark)

    def set_theme(self, dark: bool) -> None:
        """Colours for a dark or a light ground."""
        self._canvases.set_runs(self.runs, dark)

    def _asked(self, lane: int, key: str, value: Any) -> None:
        self._session.set_parameter(key, value, lane)
