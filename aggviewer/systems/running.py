"""The system on the screen."""

from __future__ import annotations

from aggviewer.document.view import fields_of
from aggviewer.systems.base import SystemView


class RunningSystem:
    """The system on the screen, which determines the available commands.

    view : its view; fields : the fields by which its discs can be coloured.
    """

    def __init__(self, view: SystemView) -> None:
        self.view = view
        self.fields = fields_of(view.name)

    def offers(self, what: str) -> bool:
        """Whether it has a feature, see `SystemView.offers`."""
        return what in self.view.offers
