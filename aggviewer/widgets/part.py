"""A part of the window, and the context that is passed to every part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from psygnal import SignalInstance
from PyQt6.QtCore import pyqtBoundSignal
from PyQt6.QtWidgets import QMainWindow

from aggviewer.session import Notice, Session, Shown
from aggviewer.style.theme import WindowTheme
from aggviewer.widgets.command import Entry, Group
from aggviewer.widgets.command_set import CommandSet
from aggviewer.widgets.file_dialogs import FileChooser
from aggviewer.widgets.gui_thread import GuiThread

T = TypeVar("T")

Choices = Sequence[tuple[str, Callable[[], object]]]
"""The buttons of a message with their actions."""


class Tell(Protocol):
    """Shows a message."""

    def __call__(self, notice: Notice, choices: Choices = (), lasts_ms: int = 0) -> None:
        """Show a message.

        Parameters
        ----------
        notice : the message.
        choices : buttons; the message then stays until one is pressed, or for `lasts_ms`.
        lasts_ms : duration in milliseconds; 0 for the default of its kind.
        """


class OnScreen(Protocol):
    """Returns the frame on the screen."""

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

    def listen(self, signal: SignalInstance, call: Callable[..., Any]) -> None:
        """Call `call` on the GUI thread with the arguments of each emission of a session signal."""
        self.gui_thread.connect(signal, call)


class Part:
    """Base class of the parts of the window. A part takes a `Context`, creates its widgets and connects the signals it
    needs; the window calls the methods below. Parts are listed in `aggviewer.window.parts`."""

    def commands(self) -> Iterable[Entry]:
        """The commands of this part; called once."""
        return ()

    def groups(self) -> Iterable[Group]:
        """The commands of what plug-ins may add, such as layers; called once, when all others are known."""
        return ()

    def show_commands(self) -> None:
        """All commands are known: make the buttons of this part that depend on them. Called once."""

    def ways_back(self) -> Iterable[tuple[bool, Callable[[], object]]]:
        """What Esc does here: pairs of whether it applies and the action, innermost first."""
        return ()

    def give_back(self) -> None:
        """The window is about to close: end temporary changes, such as a lesson, before layout and picture are saved
        for the next start."""

    def close(self) -> object:
        """End threads and connections."""
        return None
