"""A command: something that a person can do, with all that menus, bars, keys, palette and sheet of keys show of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PyQt6.QtWidgets import QMenu


@dataclass(frozen=True)
class Place:
    """Where an entry stands.

    Parameters
    ----------
    path
        Titles of the menus that lead to it: ``"Run"``, ``"View/Theme"``.
    section
        Entries of one section stand together; a line separates them from those of the next one.
    position
        Order within the section.
    """

    path: str
    section: int
    position: int


@dataclass(frozen=True)
class Submenu:
    """A menu inside another one.

    Parameters
    ----------
    title
        Its title: the last part of the path of what stands in it.
    menu
        Where it stands.
    fill
        Called with the menu before it is shown; for one whose entries are no commands.
    """

    title: str
    menu: Place
    fill: Callable[[QMenu], None] | None = None

    @property
    def path(self) -> str:
        """The path of what stands in it."""
        return f"{self.menu.path}/{self.title}"


@dataclass(frozen=True)
class Command:
    """Something that the window can do.

    Parameters
    ----------
    id
        ``"run.toggle"``; the part before the dot is its group in the sheet of keys.
    text
        For a menu.
    run
        What it does.
    keys
        The first is shown.
    tooltip
        One sentence.
    icon
        A name of qtawesome's bundled fonts.
    checked
        Tells whether it is on, for one that can be on or off.
    menu
        Where it stands in the menus; None for one that has a key only.
    bar
        Where it stands in the bar at the top: path ``"left"``, ``"right"``, or the id of a command with whose button it
        unfolds.
    short
        Text of its button where that is another one.
    available
        Tells whether it is there at all: one that is not is in no menu, and its key does nothing.
    reason
        Says why it cannot be used now, empty where it can.
    """

    id: str
    text: str
    run: Callable[[], object]
    keys: tuple[str, ...] = ()
    tooltip: str = ""
    icon: str = ""
    checked: Callable[[], bool] | None = None
    menu: Place | None = None
    bar: Place | None = None
    short: str = ""
    available: Callable[[], bool] | None = None
    reason: Callable[[], str] | None = None


Entry = Command | Submenu
"""What a part of the window offers."""
