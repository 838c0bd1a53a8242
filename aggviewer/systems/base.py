"""What the application needs to know of a system: how it is measured, drawn and spoken of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aggviewer.parameters.layout import Layout, plain_layout
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import RunStyle
from aggviewer.session.data import LaneStatus, Status
from aggviewer.session.measuring import SystemAnalysis
from aggviewer.style import numbers
from aggviewer.systems.plain_plots import history_plots
from aggviewer.widgets.command import Entry
from aggviewer.widgets.part import Context
from engine.scenario import Scenario
from engine.system import Clock, System, find


@dataclass(frozen=True)
class Reading:
    """A number in the status bar, and its tool tip."""

    text: str
    tip: str


@dataclass(frozen=True)
class Side:
    """What the line above a picture says of one side of a comparison.

    Parameters
    ----------
    choice : the scenario key of what can be chosen there, "" for none.
    choices : its values to their names, in full and in short.
    key : the scenario key of the number that can be changed there, "" for none.
    text, tip : what stands there instead of a number.
    """

    choice: str = ""
    choices: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    key: str = ""
    text: str = ""
    tip: str = ""


class SystemView:
    """Base, and what a system without a view of its own looks like: everything follows from what the engine knows.

    A view is one instance, registered in `aggviewer.systems.registry`. What it returns is data; nothing else in the
    application compares the names of systems.

    Parameters
    ----------
    name : of the system, as in the scenario.
    """

    heading = ""
    """Over its scenarios in the menus; the title of the system where it is empty."""
    start_word = "Start"
    """Before the moment from which a run begins that takes its discs from a file."""
    events = "Events"
    """What is counted by the second."""
    offers: frozenset[str] = frozenset({"frames", "jam"})
    """What can be done: "frames", advance by a frame of simulation time; "methods", choose between methods and look
    inside a step; "jam", jam the discs; "forces", look at forces at contacts; "packings", make more of them;
    "take_out", begin again without some discs of a packing."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def system(self) -> System | None:
        """What the engine knows of it, None before any scenario has been loaded."""
        return find(self.name)

    @property
    def title(self) -> str:
        """Of its scenarios in the menus."""
        known = self.system
        return self.heading or (self.name if known is None else known.heading or known.title)

    @property
    def clock(self) -> Clock:
        """What its time counts."""
        return numbers.TIME if self.system is None else self.system.clock

    # measured and drawn

    def analysis(self) -> SystemAnalysis:
        """How states are measured; a new object for each lane. No Qt."""
        return SystemAnalysis()

    def plots(self) -> tuple[Plot, ...]:
        """The plots, in the order of their keys."""
        return () if self.system is None else history_plots(self.system)

    def layout(self) -> Layout:
        """What the inspector has for the system's own table."""
        return Layout({}) if self.system is None else plain_layout(self.system.title, self.system.table)

    def commands(self, context: Context) -> Iterable[Entry]:
        """What the window can do for this system alone. Asked once for each window, when all its parts are there."""
        return ()

    # words

    def rate(self, status: Status) -> Reading:
        """How fast a run goes, for the status bar."""
        kinds = "\n".join(f"{kind}: {numbers.count(n)}" for kind, n in status.events.items())
        text = f"{numbers.rate(status.events_per_second)} events/s"
        return Reading(text, f"{self.events} per second of wall time\n{kinds}".strip())

    def progress(self, status: LaneStatus) -> str:
        """How far one side of a comparison is."""
        return numbers.moment(status.time, self.clock)

    def ended(self, status: LaneStatus) -> str:
        """How it is said that one side has come to its end."""
        return "ended" if self.clock.counts else f"ended at {numbers.moment(status.time, self.clock)}"

    # comparisons

    def side(self, scenario: Scenario) -> Side:
        """What the line above a picture says in a comparison."""
        return Side()

    def opposite(self, scenario: Scenario) -> dict[str, Any]:
        """What is worth a look beside a scenario: the keys with other values, none if nothing is."""
        return {}

    def runs(self, scenarios: Sequence[Scenario]) -> list[RunStyle]:
        """Names and styles of runs side by side, for the plots."""
        return [RunStyle(self.title, "", variant) for variant, _ in enumerate(scenarios)]
