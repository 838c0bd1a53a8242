"""Sessions in the window: saved, opened, recovered after a crash, kept at closing and offered again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError
from PyQt6.QtWidgets import QMenu, QMessageBox

from aggviewer.session import Notice, Status
from aggviewer.session.saved.autosave import Recoverable
from aggviewer.session.saved.session_file import SUFFIX
from aggviewer.session.saved.state import SessionState
from aggviewer.window.files import file_dialogs
from aggviewer.window.stage.toasts import Choices

if TYPE_CHECKING:
    from aggviewer.window.main_window import MainWindow

_OFFER_MS = 30_000  # that work kept at the last closing is offered over the picture; the menu has it for longer


class Keeping:
    """Saves and recovers what runs."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        window.session.saving.shown_plots = self._shown_plots

    def look(self, status: Status) -> None:
        """Keep what is at rest safe."""
        if status.state in ("paused", "finished"):
            self._window.session.saving.at_rest()

    def ask_save(self) -> bool:
        """Save the session; False where the person thinks better of it."""
        settings, session = self._window.settings, self._window.session
        proposal = settings.folder("session", Path.home()) / f"session{SUFFIX}"
        path = file_dialogs.ask_save(self._window, proposal, "Save the session", f"Session (*{SUFFIX})")
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

    def offer(self) -> None:
        """Offer what a program that has crashed left behind, or else what was kept at the last closing."""
        autosave = self._window.session.saving.autosave
        left = autosave.found() if autosave is not None else []
        kept = [] if left else self.kept()
        if left:
            found = left[0]
            notice = Notice("info", "The last run ended without being closed", described(found))
            self._show(notice, (("Recover", self._opener(found)), ("Discard", lambda: self._discard(found))))
        elif kept:
            words = f"{described(kept[0])}. It stays in File, Kept work for 14 days."
            notice = Notice("info", "Your work was kept", words)
            self._show(notice, (("Open", self._opener(kept[0])),), _OFFER_MS)

    def kept(self) -> list[Recoverable]:
        """What was kept at closing, the newest first."""
        kept = self._window.session.saving.kept
        return kept.found() if kept is not None else []

    def fill_menu(self, menu: QMenu) -> None:
        """An entry for each piece of kept work."""
        menu.clear()
        for found in self.kept():
            entry = menu.addAction(described(found))
            assert entry is not None
            entry.triggered.connect(self._opener(found))
        if menu.isEmpty():
            nothing = menu.addAction("Nothing was kept")
            assert nothing is not None
            nothing.setEnabled(False)

    def may_close(self) -> bool:
        """Whether the window may go. What took long is kept without a question; only a recording is asked about."""
        if self._window.session.status().recording is None:
            return True
        box = QMessageBox(self._window)
        box.setWindowTitle("Close aggviewer")
        box.setText("A recording is being made.")
        box.setInformativeText("It ends here; what is in the file stays.")
        close = QMessageBox.StandardButton.Close
        box.setStandardButtons(close | QMessageBox.StandardButton.Cancel)
        return box.exec() == close

    def _show(self, notice: Notice, choices: Choices, lasts_ms: int = 0) -> None:
        self._window.stage.toasts.show(notice, choices, lasts_ms)

    def _opener(self, found: Recoverable) -> Callable[[], None]:
        return lambda: self._window.session.recover(found.path)

    def _discard(self, found: Recoverable) -> None:
        autosave = self._window.session.saving.autosave
        if autosave is not None:
            autosave.discard(found.path)

    def _shown_plots(self) -> dict[str, object]:
        return {"plot_alone": self._window.plots.shown}


def described(found: Recoverable) -> str:
    """What a session file holds, and from when it is."""
    moment = datetime.fromtimestamp(found.saved_at).strftime("%Y-%m-%d %H:%M")
    return f"{found.description}, saved {moment}"
