"""What a session writes: the state that is shown, sessions, autosaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from aggviewer.session.autosave import Autosave
from aggviewer.session.director import Director
from aggviewer.session.notices import Notice, Notices
from aggviewer.session.packing_pool import PackingPool
from aggviewer.session.replay import Player
from aggviewer.session.runner import Runner
from aggviewer.session.saved_pool import newest
from aggviewer.session.saved_state import SessionState
from aggviewer.session.session_file import write_session
from engine.errors import InputError


class Saving:
    """Writes files, and tells where they are. Its methods run on the simulation's thread.

    autosave : keeps what runs safe, if anything does; shown_plots : fields of a `SessionState` that only the window
    knows; saved_at : simulation time of the last session that was saved, None where there is none; post : leaves a
    command for the simulation's thread.
    """

    def __init__(
        self, director: Director, runner: Runner, notices: Notices, pool: PackingPool, autosave: Autosave | None
    ) -> None:
        self._director = director
        self._runner = runner
        self._notices = notices
        self._pool = pool
        self.autosave = autosave
        self.shown_plots: Callable[[], dict[str, Any]] = dict
        self.saved_at: float | None = None
        self.post: Callable[[Callable[[], None]], None] = lambda command: None

    def save_shown(self, path: Path) -> None:
        """Write the state that is shown. InputError where that cannot be."""
        self._director.save_shown(path)
        self._notices.send(Notice("info", f"Saved {path.name}", str(path), folder=str(path.parent)))

    def save_session(self, path: Path) -> None:
        """Write all that is needed to go on. InputError where that cannot be."""
        packings, version = self._pool.kept(), self._pool.version
        state = self._state()
        try:
            write_session(path, state)
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror or error}", str(path)) from None
        self.saved_at, self._pool.saved_version = state.time, version
        words = state.describe()
        left_out = len(packings) - len(state.packings)
        if left_out > 0:
            words += f". A file holds no more: the {left_out} oldest packings are not in it."
        self._notices.send(Notice("info", f"Saved {path.name}", words, folder=str(path.parent)))

    def recover(self, path: Path) -> None:
        """Open an autosave, held; it is removed when it is open."""
        saved = self._pool.saved_version
        if self._director.open(path, False) and self.autosave is not None:
            self.autosave.discard(path)
            self._pool.saved_version = saved

    def keep_safe(self) -> None:
        """Between two slices, or at rest: an autosave, where it is time for that."""
        autosave, runner = self.autosave, self._runner
        if autosave is not None and autosave.due() and runner.lanes and not isinstance(runner.drive, Player):
            autosave.offer((runner.lanes[0].system, runner.drive.time, self._pool.version), self._state)

    def at_rest(self) -> None:
        """The same while nothing runs: the end of a run, or its last packing, has not been kept yet. Any thread."""
        if self.autosave is not None and self.autosave.due():
            self.post(self.keep_safe)

    @property
    def unsaved_packings(self) -> int:
        """Packings in the pool that are in no session file. Any thread."""
        return self._pool.version - self._pool.saved_version

    def close(self) -> None:
        """End the autosaves, after the simulation's thread has ended."""
        if self.autosave is not None:
            self.autosave.close()

    def _state(self) -> SessionState:
        packings = newest(self._pool.kept())
        return replace(self._director.saved_state(), packings=packings, **self.shown_plots())
