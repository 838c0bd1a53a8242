"""A part of the window, and the context that every part is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from psygnal import SignalGroup, SignalInstance
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
"""The buttons of a message, with what each does."""


class Tell(Protocol):
    """Shows a message."""

    def __call__(self, notice: Notice, choices: Choices = (), lasts_ms: int = 0) -> None:
        """Show a message.

        Parameters
        ----------
        notice : what it says.
        choices : a message with buttons stays until one is pressed, or for so long as `lasts_ms` says.
        lasts_ms : milliseconds; 0 as its kind of message has it.
        """


class OnScreen(Protocol):
    """Gives what is on the screen."""

    def __call__(self, lane: int = 0) -> Shown | None:
        """The frame of a lane on the screen, None before there is one."""


class Context:
    """What the parts of a window have in common. Made with the window, and given to each part.

    Parameters
    ----------
    window : the main window: the parent of dialogs, and where panels are docked.
    session : what runs, with its document and its history.

    Attributes
    ----------
    commands : all commands of the window.
    theme : the colours in use.
    gui_thread : from the session's threads to this one.
    files : asks for files. Set by the window, as is all below.
    notify : shows a message.
    shown(lane) : the frame on the screen, None before there is one.
    focus_picture() : gives the picture the focus.
    analysed : emitted with a lane and its `Analysis` when a state was measured.
    """

    files: FileChooser
    notify: Tell
    shown: OnScreen
    focus_picture: Callable[[], None]
    analysed: pyqtBoundSignal

    def __init__(self, window: QMainWindow, session: Session) -> None:
        self.window = window
        self.session = session
        self.document = session.document
        self.theme = WindowTheme(window)
        self.gui_thread = GuiThread(window)
        self.commands = CommandSet(window)
        self._parts: dict[type, object] = {}
        for part in (self.theme, self.gui_thread, self.commands):
            self.add(part)

    def add(self, part: T) -> T:
        """Let other parts find this one by its class."""
        self._parts[type(part)] = part
        return part

    def __getitem__(self, kind: type[T]) -> T:
        """The part of this class, which was made before. LookupError where there is none."""
        found = self._parts.get(kind)
        if not isinstance(found, kind):
            raise LookupError(f"the window has no {kind.__name__} yet")
        return found

    def listen(self, signal: SignalInstance | SignalGroup, call: Callable[..., Any]) -> None:
        """Have `call` called on the GUI thread with what a signal of the session is emitted with."""
        self.gui_thread.connect(signal, call)


class Part:
    """Base of the parts of the window. A part takes a `Context`, makes its widgets, and listens to what it follows; the
    window asks it for the rest. Parts are listed in `aggviewer.window.parts`."""

    def commands(self) -> Iterable[Entry]:
        """What the person can do with it; asked once."""
        return ()

    def groups(self) -> Iterable[Group]:
        """Commands that follow from what is registered; asked again when a plug-in was loaded."""
        return ()

    def show_commands(self) -> None:
        """All commands are there, or others than before: give buttons to those that have their place in this part."""

    def ways_back(self) -> Iterable[tuple[bool, Callable[[], object]]]:
        """What Esc does here: whether it applies, and the step back, the innermost first."""
        return ()

    def renew(self) -> None:
        """A plug-in was loaded, or taken out again: follow the registries. InputError where that cannot be."""

    def give_back(self) -> None:
        """The window is about to close: end what changes it for a while only, such as a lesson, before its layout and
        the picture are kept for the next start."""

    def close(self) -> object:
        """End threads and connections."""
        return None
