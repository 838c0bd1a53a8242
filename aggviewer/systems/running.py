"""Which system is on the screen."""

from __future__ import annotations

from aggviewer.document.view import fields_of
from aggviewer.systems.base import SystemView


class RunningSystem:
    """The system that is on the screen. What is offered of the commands follows from it.

    view : what it looks like; fields : what its discs can be coloured by.
    """

    def __init__(self, view: SystemView) -> None:
        self.view = view
        self.fields = fields_of(view.name)

    def offers(self, what: str) -> bool:
        """Whether something can be done with it, see `SystemView.offers`."""
        return what in self.view.offers
