"""A part of the window, the context that is passed to every part, and the tiles that parts offer in the gallery."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from psygnal import SignalInstance
from PyQt6.QtCore import pyqtBoundSignal
from PyQt6.QtWidgets import QMainWindow

from aggviewer.session import Notice, Session, Shown
from aggviewer.style.theme import WindowTheme, colors_in_use
from aggviewer.widgets.command import CommandSet, Group, MenuEntry
from aggviewer.widgets.file_dialogs import FileChooser
from aggviewer.widgets.gui_thread import GuiThread

T = TypeVar("T")

Choices = Sequence[tuple[str, Callable[[], object]]]
"""The buttons of a message with their actions."""


class Tell(Protocol):
    """A function that shows a message in the window."""

    def __call__(self, notice: Notice, choices: Choices = (), lasts_ms: int = 0) -> None:
        """Show a message.

        Parameters
        ----------
        notice : the message.
        choices : buttons; the message then stays until one is pressed, or for `lasts_ms`.
        lasts_ms : duration in milliseconds; 0 for the default of its kind.
        """


class OnScreen(Protocol):
    """A function that gives the frame on the screen."""

    def __call__(self, lane: int = 0) -> Shown | None:
        """The frame of a lane on the screen; None before the first."""


class Context:
    """What the parts of a window share. Created with the window and passed to each part.

    Parameters
    ----------
    window : the main window, the parent of dialogs and docks.
    session : the session, with its document and history.
    gui_thread : delivers calls from the session's threads to the GUI thread.

    Attributes
    ----------
    commands : all commands of the window.
    theme : the colours in use.
    files : asks for files. Set by the window, like everything below.
    notify : shows a message.
    shown(lane) : the frame on the screen; None before the first.
    focus_picture() : gives the picture the focus.
    analysed : emitted with a lane and its `Analysis` when a state was measured.
    """

    files: FileChooser
    notify: Tell
    shown: OnScreen
    focus_picture: Callable[[], None]
    analysed: pyqtBoundSignal

    def __init__(self, window: QMainWindow, session: Session, gui_thread: GuiThread) -> None:
        self.window = window
        self.session = session
        self.document = session.document
        self.theme = WindowTheme(window)
        self.gui_thread = gui_thread
        self.commands = CommandSet(window)
        self._parts: dict[type, object] = {}
        for part in (self.theme, self.gui_thread, self.commands):
            self.add(part)

    def add(self, part: T) -> T:
        """Make this part available to others by its class."""
        self._parts[type(part)] = part
        return part

    def __getitem__(self, kind: type[T]) -> T:
        """The part of this class, which must have been created before. LookupError if there is none."""
        found = self._parts.get(kind)
        if not isinstance(found, kind):
            raise LookupError(f"the window has no {kind.__name__} yet")
        return found

    @property
    def parts(self) -> tuple[Part, ...]:
        """All parts of the window so far, in the order in which they were created."""
        return tuple(part for part in self._parts.values() if isinstance(part, Part))

    def listen(self, signal: SignalInstance, call: Callable[..., Any]) -> None:
        """Call `call` on the GUI thread with the arguments of each emission of a session signal."""
        self.gui_thread.connect(signal, call)


OVERLAYS = 100
"""The least `Part.leaves` of parts that lie over the whole picture."""


class Part:
    """Base class of the parts of the window. A part takes a `Context`, creates its widgets and connects the signals it
    needs; the window calls the methods below. The window's own parts are listed in `aggviewer.window.main_window`;
    extensions and plug-ins add others by the plug point `part`.

    Attributes
    ----------
    leaves : the order in which Esc leaves parts, see `ways_back`: higher numbers first, those from `OVERLAYS` on even
        before a field loses the focus and messages go.
    """

    leaves: ClassVar[int] = 0

    def commands(self) -> Iterable[MenuEntry]:
        """The commands of this part; called once."""
        return ()

    def groups(self) -> Iterable[Group]:
        """The commands of what plug-ins may add, such as layers; called once, when all others are known."""
        return ()

    def show_commands(self) -> None:
        """All commands are known: make the buttons of this part that depend on them. Called once."""

    def tiles(self) -> Iterable[TileGroup]:
        """What this part offers in the gallery."""
        return ()

    def offer_work(self) -> None:
        """The window is shown for the first time: offer to go on with what was left at the last closing."""

    def numbers(self) -> Mapping[str, float]:
        """What lessons can ask about this part, with names such as ``inside.iterations``."""
        return {}

    @property
    def keeps_focus(self) -> bool:
        """Whether this part has put the focus where it is, so that Esc need not leave that field."""
        return False

    def ways_back(self) -> Iterable[tuple[bool, Callable[[], object]]]:
        """What Esc does here: pairs of whether it applies and the action, innermost first."""
        return ()

    def may_close(self) -> bool:
        """Whether the window may be closed now; asks the user if something would end with it."""
        return True

    def give_back(self) -> None:
        """The window is about to close: end temporary changes, such as a lesson, before layout and picture are saved
        for the next start."""

    def close(self) -> object:
        """End threads and connections."""
        return None


TILE_SIZE = (320, 200)
"""Size of the picture of a tile in pixels: twice its size in the gallery."""

TILE_GROUNDS = ("dark", "light")
"""The backgrounds for which a tile has a picture; for their colours see `aggviewer.names.BACKGROUNDS`."""


@dataclass(frozen=True)
class Tile:
    """An entry of the gallery.

    Parameters
    ----------
    title : its name.
    line : one sentence about it.
    use : called when it is chosen.
    pictures : a PNG for each background, ``"dark"`` and ``"light"``; without one, the icon is shown.
    icon : a name of qtawesome's bundled fonts.
    words : synonyms for the search.
    done : show a tick, for a finished lesson.
    """

    title: str
    line: str
    use: Callable[[], None]
    pictures: dict[str, Path]
    icon: str
    words: str = ""
    done: bool = False


@dataclass(frozen=True)
class TileGroup:
    """Tiles under a heading.

    line : one sentence about them, for the welcome tiles; "" if they have no place there.
    """

    heading: str
    tiles: list[Tile]
    line: str = ""


def ground_in_use() -> str:
    """The background that fits the present theme."""
    return "dark" if colors_in_use().dark else "light"


def tile_folder() -> Path:
    """The folder with the bundled pictures of tiles, created by `make pictures`."""
    return Path(str(resources.files("resources"))) / "pictures"


def picture_of(name: str, ground: str, *, lesson: bool = False) -> Path:
    """The path of a picture of a bundled scenario or lesson on a background of `TILE_GROUNDS`; it may not exist."""
    return tile_folder() / ground / ("lessons" if lesson else "scenarios") / f"{name}.png"


def pictures_of(name: str, *, lesson: bool = False) -> dict[str, Path]:
    """The pictures of a bundled scenario or lesson that exist, by their background."""
    paths = {ground: picture_of(name, ground, lesson=lesson) for ground in TILE_GROUNDS}
    return {ground: path for ground, path in paths.items() if path.is_file()}
