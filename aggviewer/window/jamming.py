"""Jamming in the window: "Jam this", contacts into a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from aggviewer.session import Notice, Session, Shown, Status
from aggviewer.systems.jamming.view import jam
from aggviewer.widgets.command import Command, Place
from aggviewer.window.files.file_dialogs import FileChooser
from aggviewer.window.notify import Notify, tell_saved
from aggviewer.window.systems import RunningSystem
from engine.errors import InputError
from engine.files import FileFrame, write_contacts

_NOT_YET = ("empty", "compiling", "loading")


class JammingActions:
    """What the commands about jamming do."""

    def __init__(
        self,
        session: Session,
        running: RunningSystem,
        shown: Callable[[], Shown | None],
        new_start: Callable[[], Path],
        chooser: FileChooser,
        notify: Notify,
    ) -> None:
        """shown() : the frame on the screen; new_start() : a file for the state that a new simulation begins from."""
        self._session = session
        self._running = running
        self._shown = shown
        self._new_start = new_start
        self._chooser = chooser
        self._notify = notify

    def commands(self) -> Iterator[Command]:
        """Jam what is shown, save the contacts of a packing."""
        yield Command(
            "run.jam",
            "Jam this",
            self.jam_shown,
            ("J",),
            "Let the discs that are shown grow and make room for each other until none can: a chain of linear programs",
            "mdi6.vector-polygon",
            menu=Place("Run", 3, 1),
            bar=Place("left", 2, 3),
            available=lambda: self._running.offers("jam"),
            reason=lambda: self.reason_against(self._session.status()),
        )
        yield Command(
            "file.contacts",
            "Save contacts…",
            self.ask_save_contacts,
            tooltip="Save the contacts of the packing that is shown, with their forces, as a table: CSV",
            menu=Place("File", 1, 8),
            available=lambda: self._running.offers("packings"),
        )

    def jam_shown(self) -> None:
        """Jam the discs that are shown, whatever they did before."""
        reason = self.reason_against(self._session.status())
        if reason:
            self._notify(Notice("warning", "These discs cannot be jammed", reason))
            return
        self._session.start_from_shown(self._new_start(), jam, "jam this")

    @staticmethod
    def reason_against(status: Status) -> str:
        """Why the discs that are shown cannot be jammed, empty where they can."""
        if status.state in _NOT_YET or not status.lanes:
            return "There are no discs yet."
        if status.count <= 2:
            return "Jamming needs three discs at least."
        return ""

    def ask_save_contacts(self) -> None:
        """Save the contacts of the packing that is shown, as a table or as bonds."""
        shown = self._shown()
        network = None if shown is None else shown.frame.network
        if shown is None or network is None or not len(network.pairs):
            self._notify(Notice("warning", "There are no contacts yet", "Run until contacts carry a force."))
            return
        packing = FileFrame.of(shown.frame, shown.system).copy()  # its buffers go on while the person chooses a file
        path = self._chooser.to_save(
            "state", "contacts.csv", "Save the contacts", "Table (*.csv);;Bonds, for OVITO (*.local)"
        )
        if path is None:
            return
        self._chooser.keep("state", path)
        try:
            write_contacts(path, packing)
        except InputError as error:
            self._notify(Notice("error", str(error), key=error.key))
            return
        except OSError as error:
            self._notify(Notice("error", f"{path} cannot be written: {error.strerror or error}"))
            return
        tell_saved(f"{len(network.pairs)} contacts saved", path, self._notify)
