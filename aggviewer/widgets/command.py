"""Commands: actions of the user, with everything that menus, bars, the palette and the list of keys show about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PyQt6.QtWidgets import QMenu

EXPORT = "File/Export"
"""The menu path of commands that export what is shown."""

PRESENTER_BAR = "presenter"
"""The path of `Command.bar` for a button in the bar of presenter mode."""


@dataclass(frozen=True)
class Place:
    """The position of an entry in the menus.

    Parameters
    ----------
    path
        The titles of the menus that lead to it: ``"Run"``, ``"View/Theme"``.
    section
        Entries of the same section are together; a line separates sections.
    position
        The order within the section.
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
        Its title: the last part of the path of its entries.
    menu
        Its position.
    fill
        Called with the menu before it is shown, for a menu whose entries are not commands.
    """

    title: str
    menu: Place
    fill: Callable[[QMenu], None] | None = None

    @property
    def path(self) -> str:
        """The path of its entries, for `Place.path`."""
        return f"{self.menu.path}/{self.title}"


@dataclass(frozen=True)
class Command:
    """Something that the window can do.

    Parameters
    ----------
    id
        Such as ``"run.toggle"``; the part before the dot is its group in the list of keys.
    text
        The text in menus.
    title
        The text in the palette and the list of keys, where `text` says too little without its menu.
    run
        What it does.
    keys
        Its keys; the first one is shown.
    tooltip
        One sentence.
    icon
        A name of qtawesome's bundled fonts.
    checked
        Returns whether it is on; for a command that switches something on and off.
    menu
        Its position in the menus; None for a command that has only a key.
    bar
        Its position in the bar at the top. The path is ``"left"``, ``"right"``, or the id of another command, whose
        button then has a menu with this one; or `PRESENTER_BAR`.
    short
        The text of its button, if different from `text`.
    simple
        Whether beginners see its button in the top bar; *Show everything* adds the others.
    of_discs
        Whether it also appears in the picture's menu for discs, below the general entries.
    available
        Returns whether the command is available at present. If not, it is in no menu and its key does nothing.
    reason
        Returns why it cannot be used now; "" if it can.
    words
        Synonyms for the palette's search, such as ``"video movie"``.
    absent
        What the palette says while it is not available; "" for a command that is not found then.
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
    simple: bool = False
    of_discs: bool = False
    available: Callable[[], bool] | None = None
    reason: Callable[[], str] | None = None
    words: str = ""
    title: str = ""
    absent: str = "Not available for this system"


Entry = Command | Submenu
"""Something that a part of the window adds to the menus."""


@dataclass(frozen=True)
class Group:
    """Entries of a part that a plug-in may have added, such as a layer.

    Parameters
    ----------
    of
        The part they belong to. If they cannot be added, it is left out.
    make
        Creates the entries.
    """

    of: object
    make: Callable[[], Iterable[Entry]]
