"""The panel with the console, created only when the user first opens it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

from PyQt6.QtCore import QEvent, QObject
from PyQt6.QtWidgets import QDockWidget

from aggviewer.extensions.console.names import ConsoleNames, ConsoleWindow
from aggviewer.session import Notice
from aggviewer.style.theme import Colors, colors_in_use
from aggviewer.widgets.command import Command, Entry, Place
from aggviewer.widgets.docks import Dock, add_below, give_height, in_sight, leave_arrow_keys, to_front
from aggviewer.widgets.part import Context, Part

MISSING = "It needs qtconsole. Run pip install 'aggviewer[console]', then restart aggviewer."
ELSEWHERE = "This window was opened from Python: use the notebook or prompt that opened it."
_HEIGHT = 220  # pixels at first


@contextmanager
def _environment() -> Iterator[None]:
    """Temporarily let IPython keep its files in another folder than the user's, and afterwards remove the environment
    variables that it sets, which our other processes must not inherit."""
    before = dict(os.environ)
    with TemporaryDirectory(prefix="aggviewer-console-") as folder:
        os.environ |= {"IPYTHONDIR": folder, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


class Console(QObject, Part):
    """Opens and closes the console. Its contents are kept while the window is open."""

    def __init__(self, context: Context) -> None:
        super().__init__(context.window)
        self._window, self._commands = context.window, context.commands
        self._notify, self._to_picture = context.session.notices.send, context.focus_picture
        self._names = ConsoleNames(ConsoleWindow(context), context)
        context.theme.changed.connect(self.set_colors)
        self._dock: QDockWidget | None = None

    def commands(self) -> Iterator[Entry]:
        """Open and close it."""
        yield Command(
            "view.console",
            "Python console",
            self.toggle,
            ("Ctrl+`",),
            "Inspect the discs and control the simulation in Python",
            checked=lambda: self.seen,
            menu=Place("View", 4, 5),
        )

    @property
    def dock(self) -> QDockWidget | None:
        """The panel, None until it is first opened."""
        return self._dock

    @property
    def seen(self) -> bool:
        """Whether it is visible, not a tab behind another."""
        return self._dock is not None and in_sight(self._window, self._dock)

    def toggle(self) -> None:
        """Show the console, or hide it."""
        if self._dock is not None and self.seen:
            self._dock.hide()
            self._to_picture()
            return
        if self._dock is None:
            self._make()
        if self._dock is not None:
            to_front(self._dock)
            give_height(self._window, self._dock, _HEIGHT)
            leave_arrow_keys(self._window)
            self.prompt.setFocus()

    def _make(self) -> None:
        shell = sys.modules.get("IPython.core.interactiveshell")
        if shell is not None and shell.InteractiveShell.initialized():  # only one per process is possible
            self._notify(Notice("info", "The console was not opened", ELSEWHERE))
            return
        try:
            with _environment():
                from aggviewer.extensions.console.prompt import Prompt

                taken = {key for command in self._commands for key in command.keys}
                self.prompt = Prompt(self._names.lasting, self._names.fresh, taken)
        except ImportError:
            self._notify(Notice("warning", "The console is not installed", MISSING))
            return
        self._dock = dock = Dock("Python console", self._window)
        dock.setObjectName("consoleDock")
        dock.setWidget(self.prompt)
        add_below(self._window, dock)
        self.prompt.console.exit_requested.connect(self._exit)
        dock.visibilityChanged.connect(lambda _visible: self._commands.update())
        dock.installEventFilter(self)
        self.prompt.set_colors(colors_in_use())
        self._set_size()

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme."""
        if self._dock is not None:
            self.prompt.set_colors(colors)

    def _set_size(self) -> None:
        if self._dock is not None:
            self.prompt.set_size(self._dock.font().pointSizeF())

    def _exit(self) -> None:
        """Close the panel after ``exit`` was typed."""
        if self._dock is not None and not self._dock.isHidden():
            self.toggle()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Scale the font with that of the window."""
        if watched is self._dock and event is not None and event.type() == QEvent.Type.FontChange:
            self._set_size()
        return False

    def close(self) -> None:
        """End the console with the window."""
        if self._dock is not None:
            self._dock.removeEventFilter(self)
            self.prompt.end()
            self._dock = None
