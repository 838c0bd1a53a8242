"""The system on the screen."""

from __future__ import annotations

from aggviewer.document.view import fields_of
from aggviewer.systems.base import SystemView


class RunningSystem:
    """The system on the screen, which determines the available commands.

    view : its view; fields : the fields by which its discs can be coloured; dimensions : of the box, 3 for spheres.
    """

    def __init__(self, view: SystemView) -> None:
        self.view = view
        self.fields = fields_of(view.name)
        self.dimensions = 2

    def not_in_space(self) -> str:
        """Why what belongs to the plane cannot be used now; "" if it can."""
        return "" if self.dimensions == 2 else "In the plane only; these are spheres"

    def offers(self, what: str) -> bool:
        """Whether it has a feature, see `SystemView.offers`."""
        return what in self.view.offers and (self.dimensions == 2 or what not in self.view.in_plane)
