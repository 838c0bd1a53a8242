"""What a session writes: the state that is shown, sessions, autosaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from aggviewer.session.autosave import Autosave
from aggviewer.session.director import Director
from aggviewer.session.notices import Notice, Notices
from aggviewer.session.replay import Player
from aggviewer.session.runner import Runner
from aggviewer.session.saved_state import SessionState
from aggviewer.session.session_file import write_session
from engine.errors import InputError


class Saving:
    """Writes files, and tells where they are. Its methods run on the simulation's thread.

    autosave : keeps what runs safe, if anything does; shown_plots : fields of a `SessionState` that only the window
    knows; saved_at : simulation time of the last session that was saved, None where there is none.
    """

    def __init__(self, director: Director, runner: Runner, notices: Notices, autosave: Autosave | None) -> None:
        self._director = director
        self._runner = runner
        self._notices = notices
        self.autosave = autosave
        self.shown_plots: Callable[[], dict[str, Any]] = dict
        self.saved_at: float | None = None

    def save_shown(self, path: Path) -> None:
        """Write the state that is shown. InputError where that cannot be."""
        self._director.save_shown(path)
        self._notices.send(Notice("info", f"Saved {path.name}", str(path), folder=str(path.parent)))

    def save_session(self, path: Path) -> None:
        """Write all that is needed to go on. InputError where that cannot be."""
        state = self._state()
        try:
            write_session(path, state)
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror or error}", str(path)) from None
        self.saved_at = state.time
        self._notices.send(Notice("info", f"Saved {path.name}", state.describe(), folder=str(path.parent)))

    def recover(self, path: Path) -> None:
        """Open an autosave, held; it is removed when it is open."""
        if self._director.open(path, False) and self.autosave is not None:
            self.autosave.discard(path)

    def keep_safe(self) -> None:
        """Between two slices: an autosave, where it is time for that."""
        autosave, runner = self.autosave, self._runner
        if autosave is not None and autosave.due() and not isinstance(runner.drive, Player):
            autosave.offer((runner.lanes[0].system, runner.drive.time), self._state)

    def close(self) -> None:
        """End the autosaves, after the simulation's thread has ended."""
        if self.autosave is not None:
            self.autosave.close()

    def _state(self) -> SessionState:
        return replace(self._director.saved_state(), **self.shown_plots())
