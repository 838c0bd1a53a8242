"""What the application needs to know about a system: how it is measured, its plots, commands and words; and files with
states from which new simulations start."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import platformdirs

from aggviewer.document.view import fields_of
from aggviewer.names import name_with, next_number, oldest_first
from aggviewer.parameters.layout import Layout, plain_layout
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import RunStyle
from aggviewer.session.analyst import SystemAnalysis
from aggviewer.session.data import LaneStatus, Status
from aggviewer.style import numbers
from aggviewer.systems.state_plots import history_plots
from aggviewer.widgets.command import MenuEntry
from aggviewer.widgets.part import Context
from engine.fields import Field, fields_in
from engine.scenario import Scenario
from engine.system import Clock, System, find
from engine.words import body_names, count


@dataclass(frozen=True)
class Reading:
    """A number in the status bar, as text, with its tool tip."""

    text: str
    tip: str


@dataclass(frozen=True)
class Side:
    """The heading above the picture of one side of a comparison.

    Parameters
    ----------
    choice : the scenario key of the choice there, "" for none.
    choices : the full and short names of its values.
    key : the scenario key of the number to edit there, "" for none.
    text, tip : shown instead of a number.
    """

    choice: str = ""
    choices: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    key: str = ""
    text: str = ""
    tip: str = ""


class SystemView:
    """Base class, and the view of systems without their own: everything follows from the engine's description.

    A view is one instance, registered in `aggviewer.systems.registry`. It returns plain data; nothing else in the
    application compares the names of systems.

    Parameters
    ----------
    name : of the system, as in the scenario.
    """

    heading = ""
    """The heading of its scenarios in menus, with gaps for discs or spheres (`engine.words`); empty for the title of
    the system."""
    start_word = "Start"
    """The name of a run that starts from a file, followed by the time in that file."""
    events = "Events"
    """What is counted per second."""
    offers: frozenset[str] = frozenset({"frames", "jam"})
    """The available features: "frames", advance by a frame of simulation time; "methods", choose between methods;
    "inside", look inside a step; "jam", jam the discs; "forces", show and export contact forces;
    "take_out", restart without some discs of a packing."""
    in_plane: frozenset[str] = frozenset()
    """Those of them that spheres do not have."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def system(self) -> System | None:
        """The engine's description of the system, None before a scenario is loaded."""
        return find(self.name)

    def title(self, dimensions: int) -> str:
        """The heading of its scenarios in menus, of those in a box of so many dimensions."""
        known = self.system
        heading = self.heading or (self.name if known is None else known.heading or known.title)
        return body_names(dimensions).fill(heading)

    @property
    def clock(self) -> Clock:
        """The meaning of its time: simulation time, or the number of iterations."""
        return numbers.TIME if self.system is None else self.system.clock

    # measurements and plots

    def analysis(self) -> SystemAnalysis:
        """A new analysis of states, one for each lane. No Qt."""
        return SystemAnalysis()

    def plots(self) -> tuple[Plot, ...]:
        """The plots, in the order of their keys."""
        return () if self.system is None else history_plots(self.system)

    def layout(self) -> Layout:
        """The layout in the parameters panel for the system's own table."""
        return Layout({}) if self.system is None else plain_layout(self.system.title, self.system.table)

    def commands(self, context: Context) -> Iterable[MenuEntry]:
        """The commands for this system. Called once for each window, when all its parts exist."""
        return ()

    # words

    def rate(self, status: Status) -> Reading:
        """The speed of a run, for the status bar."""
        kinds = "\n".join(f"{kind}: {count(n)}" for kind, n in status.events.items())
        text = f"{numbers.rate(status.events_per_second)} events/s"
        return Reading(text, f"{self.events} per second of wall time\n{kinds}".strip())

    def progress(self, status: LaneStatus) -> str:
        """The progress of one side of a comparison."""
        return numbers.moment(status.time, self.clock)

    def ended(self, status: LaneStatus) -> str:
        """The text for a side that has ended."""
        return "ended" if self.clock.counts else f"ended at {numbers.moment(status.time, self.clock)}"

    # comparisons

    def side(self, scenario: Scenario) -> Side:
        """The heading above a picture in a comparison."""
        return Side()

    def opposite(self, scenario: Scenario) -> dict[str, Any]:
        """A useful comparison with a scenario: keys with other values; empty if there is none."""
        return {}

    def run_styles(self, scenarios: Sequence[Scenario]) -> list[RunStyle]:
        """Names and styles of runs side by side, for the plots."""
        return [RunStyle(self.title(one.dimensions), "event-driven", shade) for shade, one in enumerate(scenarios)]


class RunningSystem:
    """The system on the screen, which determines the available commands.

    view : its view; fields : the fields by which its discs can be coloured; dimensions : of the box, 3 for spheres;
    parts : the names of the arrays that its frames have.
    """

    def __init__(self, view: SystemView) -> None:
        self.view = view
        self.dimensions = 2
        self.fields = fields_in(fields_of(view.name), self.dimensions)
        self.parts: frozenset[str] = frozenset()

    @property
    def colors(self) -> tuple[Field, ...]:
        """The fields that are offered for colouring: those that a run of its kind may have, and that its frames do not
        lack."""
        return tuple(field for field in self.fields if not field.part or field.part in self.parts)

    def not_in_space(self) -> str:
        """Why what belongs to the plane cannot be used now; "" if it can."""
        return "" if self.dimensions == 2 else "In the plane only; these are spheres"

    def offers(self, what: str) -> bool:
        """Whether it has a feature, see `SystemView.offers`."""
        return what in self.view.offers and (self.dimensions == 2 or what not in self.view.in_plane)


_KEPT = 20
_NAME = re.compile(r"(?:\d{6} )?\d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.\d{6} (from .+)\.gsd")


def new_start(status: Status) -> Path:
    """A file for the state on screen, kept in the program's own folder so that the run can be restarted; the oldest
    files are removed."""
    folder = Path(platformdirs.user_state_dir("aggviewer", appauthor=False)) / "starts"
    folder.mkdir(parents=True, exist_ok=True)
    for old in oldest_first(folder.glob("*.gsd"))[: -_KEPT + 1]:
        old.unlink(missing_ok=True)
    system = find(status.system)
    time = status.time if status.past is None else status.past
    moment = numbers.moment(time or 0.0, numbers.TIME if system is None else system.clock)
    return folder / name_with(next_number(folder), f"{datetime.now():%Y-%m-%d %H.%M.%S.%f} from {moment}.gsd")


def moment_of(name: str) -> str | None:
    """``from t = 12.40`` for the name of a file that `new_start` gave; None for another one."""
    found = _NAME.fullmatch(name)
    return None if found is None else found[1]
