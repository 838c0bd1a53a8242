"""What of the window belongs to which system: colours, steps, commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from aggviewer.plots import PlotsPanel
from aggviewer.session.fields import chosen_of, fields_of
from aggviewer.session.view import ViewModel
from aggviewer.systems.registry import most_plots
from engine.fields import Field

STICKING, BOUNCING, JAMMING = "aggregation", "hard-discs", "jamming"

STEPS = {
    STICKING: ("Single event", "Pause, and go on to the next merge or wall reflection"),
    BOUNCING: ("Single event", "Pause, and go on to the next collision"),
    JAMMING: ("One program", "Pause, and solve the next linear program"),
}
"""The smallest step of each system, and its tool tip."""

OFFERS: dict[str, frozenset[str]] = {
    STICKING: frozenset({"frames", "methods", "jam"}),
    BOUNCING: frozenset({"frames", "jam"}),
    JAMMING: frozenset({"forces", "packings"}),
}
"""What can be done with each system: go on by a frame of simulation time, choose between methods, jam it; look at
forces, make more packings."""


class RunningSystem:
    """Which system is on the screen. What is offered of the commands follows from it.

    name : as in the scenario.
    """

    name = STICKING

    def offers(self, what: str) -> bool:
        """Whether something can be done with it, see `OFFERS`."""
        return what in OFFERS.get(self.name, OFFERS[STICKING])


class ColorChoice(Protocol):
    """Where a person chooses what the discs are coloured by."""

    def offer_colors(self, offered: Sequence[Field]) -> None:
        """What the discs can be coloured by."""

    def show_color_by(self, key: str) -> None:
        """What they are coloured by."""


class CommandNames(Protocol):
    """What the commands are called."""

    def rename(self, command_id: str, text: str, tooltip: str | None = None) -> None:
        """Another text for a command, and another tool tip where one is given."""


class SystemParts:
    """Brings names of commands, top bar and plots in line with the system that runs."""

    def __init__(
        self, running: RunningSystem, view: ViewModel, commands: CommandNames, plots: PlotsPanel, colors: ColorChoice
    ) -> None:
        self._running = running
        self._view = view
        self._commands = commands
        self._plots = plots
        self._colors = colors
        self.follow(running.name)

    def follow(self, system: str) -> None:
        """This system runs now."""
        self._running.name = system
        self._plots.set_kind(system)
        names = {card.number: card.name or card.title for card in self._plots.cards}
        for number in range(1, most_plots() + 1):
            self._commands.rename(f"plots.{number}", f"Plot {names.get(number, number)}")
        self._commands.rename("run.step_event", *STEPS.get(system, STEPS[STICKING]))
        self._colors.offer_colors(fields_of(system))
        self.show_color_by()

    def show_color_by(self) -> None:
        """Follow the view model."""
        self._colors.show_color_by(chosen_of(fields_of(self._running.name), self._view.color_by).name)
