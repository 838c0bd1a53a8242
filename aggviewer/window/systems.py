"""What of the window belongs to which system: colours, steps, commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aggviewer.session.publish.coloring import color_of, colors_of
from aggviewer.session.view import ColorBy
from aggviewer.systems.registry import most_plots
from aggviewer.window.commands.methods import METHODS

if TYPE_CHECKING:
    from aggviewer.window.main_window import MainWindow

STICKING, BOUNCING, JAMMING = "aggregation", "hard-discs", "jamming"

COLOR_BY: dict[ColorBy, str] = {
    "cluster": "Cluster",
    "size": "Cluster size",
    "speed": "Speed",
    "contacts": "Contacts",
    "collisions": "Collisions",
    "since_contact": "Time since contact",
    "rattlers": "Rattlers",
    "radius": "Radius",
}
STEPS = {
    STICKING: ("Single event", "Pause, and go on to the next merge or wall reflection"),
    BOUNCING: ("Single event", "Pause, and go on to the next collision"),
    JAMMING: ("One program", "Pause, and solve the next linear program"),
}
"""The smallest step of each system, and its tool tip."""


class SystemParts:
    """Brings menus, top bar and plots in line with the system that runs."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._system = STICKING

    @property
    def color_by(self) -> ColorBy:
        """What the discs are coloured by: what the view asks for, where the system has it."""
        return color_of(self._system, self._window.session.view.color_by)

    def follow(self, system: str) -> None:
        """This system runs now."""
        self._system = system
        window = self._window
        commands = window.commands
        window.plots.set_kind(system)
        names = {card.number: card.name or card.title for card in window.plots.cards}
        for number in range(1, most_plots() + 1):
            commands.rename(f"plots.{number}", f"Plot {names.get(number, number)}")
            commands.set_offered(f"plots.{number}", number in names)
        for key in COLOR_BY:
            commands.set_offered(f"view.color_by_{key}", key in colors_of(system))
        commands.set_offered("view.show_forces", system == JAMMING)
        commands.set_offered("file.contacts", system == JAMMING)
        commands.set_offered("run.step_frame", system != JAMMING)
        commands.set_offered("run.jam", system != JAMMING)
        for name in ("run.next_seed", "run.next_seeds"):
            commands.set_offered(name, system == JAMMING)
        commands.rename("run.step_event", *STEPS.get(system, STEPS[STICKING]))
        for name in (*METHODS, "compare_steps", "inside"):
            commands.set_offered(f"method.{name}", system == STICKING)
        window.top_bar.offer_colors(colors_of(system))
        self.show_color_by()

    def show_color_by(self) -> None:
        """Follow the view model."""
        self._window.top_bar.show_color_by(self.color_by)
