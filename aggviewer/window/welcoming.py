"""When the welcome strip is there, and when it has done what it is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aggviewer.window.stage.welcome import WelcomeStrip

if TYPE_CHECKING:
    from aggviewer.window.main_window import MainWindow

_STAYS_WITH = ("help.welcome", "help.keys", "help.palette", "view.leave")  # commands that leave the strip where it is


class Welcoming:
    """Shows the strip, and takes it away for good as soon as the person has begun."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def show(self) -> None:
        """The strip with three scenarios."""
        window = self._window
        names = {entry.name for entry in window.catalog.entries}
        window.stage.set_welcome(WelcomeStrip(names, window.open_bundled, self.dismiss, window.stage.picture))

    def dismiss(self) -> None:
        """The person has sent it away."""
        self.begun()
        self._window.canvas.setFocus()

    def begun(self) -> None:
        """The person has begun."""
        if self._window.stage.welcome is not None:
            self._window.settings.welcome_dismissed = True
            self._window.stage.set_welcome(None)

    def on_command(self, command_id: str) -> None:
        """A command was used."""
        if command_id not in _STAYS_WITH:
            self.begun()
