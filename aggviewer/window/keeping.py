"""Sessions in the window: saved, opened, recovered after a crash, asked about before they are lost."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError
from PyQt6.QtWidgets import QMessageBox

from aggviewer.session import Notice, Status
from aggviewer.session.autosave import Recoverable
from aggviewer.session.saved_state import SessionState
from aggviewer.session.session_file import SUFFIX
from aggviewer.window import dialogs
from aggviewer.window.toasts import Choices

if TYPE_CHECKING:
    from aggviewer.window.main_window import MainWindow

_WORTH_ASKING = 120.0  # seconds that a run has been watched, after which it is not dropped without a question
_PACKINGS_WORTH_ASKING = 5


class Keeping:
    """Saves and recovers what runs."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._watched = 0.0  # seconds of running since the last start or save
        self._looked_at = time.monotonic()
        self._system: object = None
        window.session.saving.shown_plots = self._shown_plots

    def look(self, status: Status, system: object) -> None:
        """Count for how long the person has watched this run; keep what is at rest safe."""
        if status.state in ("paused", "finished"):
            self._window.session.saving.at_rest()
        now = time.monotonic()
        if system is not self._system or self._window.session.saving.saved_at == status.time:
            self._system, self._watched = system, 0.0
        if status.state == "running":
            self._watched += now - self._looked_at
        self._looked_at = now

    def ask_save(self) -> bool:
        """Save the session; False where the person thinks better of it."""
        settings, session = self._window.settings, self._window.session
        proposal = settings.folder("session", Path.home()) / f"session{SUFFIX}"
        path = dialogs.ask_save(self._window, proposal, "Save the session", f"Session (*{SUFFIX})")
        if path is None:
            return False
        settings.set_folder("session", path.parent)
        settings.add_recent(path)
        session.save_session(path)
        return True

    def show(self, state: SessionState) -> None:
        """Bring back how a session was shown."""
        session = self._window.session
        # undone together with the opening; where nothing was shown before there is nothing to go back to
        with session.history.attached() if session.history.undo_text else session.unrecorded():
            for name, value in state.view.items():
                try:
                    setattr(session.view, name, value)
                except (ValidationError, ValueError):
                    continue  # of another version of the program
        self._window.plots.show_only(state.plot_alone)
        self._window.transport.show_speed(state.speed, fast=state.fast)

    def offer_recovery(self) -> None:
        """Offer what a program that has crashed left behind."""
        autosave = self._window.session.saving.autosave
        left = autosave.found() if autosave is not None else []
        if left:
            self._offer(left[0])

    def _offer(self, found: Recoverable) -> None:
        moment = datetime.fromtimestamp(found.saved_at).strftime("%Y-%m-%d %H:%M")
        notice = Notice("info", "The last run ended without being closed", f"{found.description}, saved {moment}.")
        choices: Choices = (
            ("Recover", lambda: self._window.session.recover(found.path)),
            ("Discard", lambda: self._discard(found)),
        )
        self._window.stage.toasts.show(notice, choices)

    def may_close(self) -> bool:
        """Whether the window may go: a run that was watched for long, or a recording, is asked about."""
        session = self._window.session
        status = session.status()
        if status.recording is not None:
            return self._confirmed("A recording is being made.", "It ends here; what is in the file stays.")
        replay = status.timeline is not None and status.timeline.replay
        packings = session.saving.unsaved_packings
        if packings >= _PACKINGS_WORTH_ASKING:
            return self._confirmed(
                f"{packings} packings are not saved.",
                "A session file keeps them, to be pooled with others.",
                not replay,
            )
        unsaved = session.saving.saved_at != status.time and status.state in ("running", "paused") and not replay
        if not unsaved or self._watched < _WORTH_ASKING:
            return True
        return self._confirmed(
            "This run is not saved.", "A session file keeps it, so that it can go on tomorrow.", True
        )

    def _confirmed(self, title: str, text: str, can_save: bool = False) -> bool:
        box = QMessageBox(self._window)
        box.setWindowTitle("Close aggviewer")
        box.setText(title)
        box.setInformativeText(text)
        close = QMessageBox.StandardButton.Discard if can_save else QMessageBox.StandardButton.Close
        box.setStandardButtons(close | QMessageBox.StandardButton.Cancel)
        if can_save:
            box.addButton(QMessageBox.StandardButton.Save)
        chosen = box.exec()
        return self.ask_save() if chosen == QMessageBox.StandardButton.Save else chosen == close

    def _discard(self, found: Recoverable) -> None:
        autosave = self._window.session.saving.autosave
        if autosave is not None:
            autosave.discard(found.path)

    def _shown_plots(self) -> dict[str, object]:
        return {"plot_alone": self._window.plots.shown}
