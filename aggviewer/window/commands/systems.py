"""What of the window belongs to which system: colours, steps, commands."""

from __future__ import annotations

from aggviewer.document.view import fields_of
from aggviewer.systems.base import SystemView
from aggviewer.systems.registry import view_of
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
