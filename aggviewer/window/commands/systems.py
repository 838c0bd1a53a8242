"""What of the window belongs to which system: colours, steps, commands."""

from __future__ import annotations

from collections.abc import Sequence

from aggviewer.document.view import ViewModel, chosen_of, fields_of
from aggviewer.plots import PlotsPanel
from aggviewer.systems.base import SystemView
from aggviewer.systems.registry import most_plots, view_of
from aggviewer.window.commands.command_set import CommandSet
from aggviewer.window.commands.top_bar import TopBar
from engine.fields import Field
from engine.scenario import Scenario


class RunningSystem:
    """Which system is on the screen. What is offered of the commands follows from it.

    name : as in the scenario.
    fields : what its discs can be coloured by.
    """

    def __init__(self) -> None:
        self.name = Scenario().system  # before anything is loaded: what a scenario is that says nothing
        self.fields = fields_of(self.name)

    @property
    def view(self) -> SystemView:
        """What it looks like."""
        return view_of(self.name)

    def offers(self, what: str) -> bool:
        """Whether something can be done with it, see `SystemView.offers`."""
        return what in self.view.offers


class SystemParts:
    """Brings names of commands, top bar and plots in line with the system that runs."""

    def __init__(
        self, running: RunningSystem, view: ViewModel, commands: CommandSet, plots: PlotsPanel, top_bar: TopBar
    ) -> None:
        self._running = running
        self._view = view
        self._commands = commands
        self._plots = plots
        self._top_bar = top_bar
        self.follow(running.name, running.fields)

    def follow(self, system: str, fields: Sequence[Field]) -> None:
        """This system runs now.

        Parameters
        ----------
        fields : what its discs can be coloured by.
        """
        self._running.name, self._running.fields = system, tuple(fields)
        self._plots.set_kind(system)
        names = {card.number: card.name or card.title for card in self._plots.cards}
        for number in range(1, most_plots() + 1):
            self._commands.rename(f"plots.{number}", f"Plot {names.get(number, number)}")
        clock = self._running.view.clock
        self._commands.rename("run.step_event", clock.step, clock.step_tip)
        self._top_bar.offer_colors(fields)
        self.show_color_by()

    def show_color_by(self) -> None:
        """Follow the view model."""
        self._top_bar.show_color_by(chosen_of(self._running.fields, self._view.color_by))
