"""Sessions: saving, opening, recovery after a crash, and work kept on closing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from PyQt6.QtCore import QObject, pyqtSignal
from PyQt6.QtWidgets import QMenu

from aggviewer.session import Notice
from aggviewer.session.saved.autosave import Recoverable
from aggviewer.session.saved.session_file import SUFFIX
from aggviewer.session.saved.state import SessionState
from aggviewer.widgets.command import Command, Entry, Place, Submenu
from aggviewer.widgets.part import Context, Part


class SessionFiles(QObject, Part):
    """Saves and recovers the run together with its view.

    Signals: ``leaves_lesson`` before work is recovered, so that it is not discarded with the lesson.
    """

    leaves_lesson = pyqtSignal()

    def __init__(self, context: Context) -> None:
        super().__init__(context.window)
        self._session, self._notify, self._chooser = context.session, context.notify, context.files
        context.listen(self._session.resumed, self.show)

    def commands(self) -> Iterator[Entry]:
        """Commands to save a session, and the menu of kept work."""
        yield Submenu("Kept work", Place("File", 1, 4), self.fill_menu)
        yield Command(
            "file.save_session",
            "Save…",
            self.ask_save,
            ("Ctrl+S", "Ctrl+Alt+S"),
            "Save the exact state, view and plots, to continue later",
            "mdi6.content-save-outline",
            menu=Place("File", 1, 5),
            words="session keep store",
            title="Save session…",
        )

    def ask_save(self) -> None:
        """Save the session."""
        path = self._chooser.to_save("session", f"session{SUFFIX}", "Save the session", f"Session (*{SUFFIX})")
        if path is not None:
            self._session.save_session(path)

    def show(self, state: SessionState) -> None:
        """Restore the view of a session."""
        document = self._session.document
        # undone together with the opening; without an earlier run there is nothing to go back to
        of_opening = document.history.attached() if document.history.undo_text else document.unrecorded()
        with of_opening, document.together("opening"):
            document.restore(state.document, state.lanes[0].system)

    @property
    def crashed(self) -> Recoverable | None:
        """The autosave of a program that crashed, None if there is none."""
        autosave = self._session.saving.autosave
        left = autosave.found() if autosave is not None else []
        return left[0] if left else None

    def offer_work(self) -> None:
        """Offer to recover the autosave of a crashed program, if there is one."""
        found = self.crashed
        if found is not None:
            notice = Notice("info", "aggviewer closed unexpectedly", described(found))
            self._notify(notice, (("Recover", self.opener(found)), ("Discard", lambda: self._discard(found))))

    def kept(self) -> list[Recoverable]:
        """Work kept on closing, newest first."""
        kept = self._session.saving.kept
        return kept.found() if kept is not None else []

    def fill_menu(self, menu: QMenu) -> None:
        """An entry for each piece of kept work."""
        menu.clear()
        for found in self.kept():
            entry = menu.addAction(described(found))
            assert entry is not None
            entry.triggered.connect(self.opener(found))
        if menu.isEmpty():
            nothing = menu.addAction("No kept work")
            assert nothing is not None
            nothing.setEnabled(False)

    def opener(self, found: Recoverable) -> Callable[[], None]:
        """Continue a piece of kept work."""

        def recover() -> None:
            self.leaves_lesson.emit()
            self._session.recover(found.path)

        return recover

    def _discard(self, found: Recoverable) -> None:
        autosave = self._session.saving.autosave
        if autosave is not None:
            autosave.discard(found.path)


def described(found: Recoverable) -> str:
    """The contents and date of a session file."""
    moment = datetime.fromtimestamp(found.saved_at).strftime("%Y-%m-%d %H:%M")
    return f"{found.description}, saved {moment}"
