"""Jamming in the window: what the status bar says of a packing, "Jam this", contacts into a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from aggviewer.session import Notice, Shown, Status
from aggviewer.window.files import file_dialogs
from engine.errors import InputError
from engine.files import FileFrame, write_contacts

if TYPE_CHECKING:
    from aggviewer.window.main_window import MainWindow

_NOT_YET = ("empty", "compiling", "loading")


@dataclass(frozen=True)
class PackingFacts:
    """Of the packing that is shown; contacts and rattlers are 0 before contacts carry a force. program : programs that
    have been solved."""

    program: float
    volume_fraction: float
    contacts: int
    rattlers: int

    @staticmethod
    def of(shown: Shown | None) -> PackingFacts | None:
        """None where nothing is shown, or discs that do not jam."""
        if shown is None or shown.system.scenario.system != "jamming":
            return None
        system, network = shown.system, shown.frame.network
        radii = system.radii * shown.frame.radius_factor
        fraction = float(np.pi * np.square(radii).sum() / system.box.prod())
        if network is None or not len(network.pairs):
            return PackingFacts(shown.frame.time, fraction, 0, 0)
        return PackingFacts(shown.frame.time, fraction, len(network.pairs), int(network.rattlers.sum()))


class JammingActions:
    """What the commands about jamming do."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def jam_shown(self) -> None:
        """Jam the discs that are shown, whatever they did before."""
        reason = self.reason_against(self._window.session.status())
        if reason:
            self._window.show_notice(Notice("warning", "These discs cannot be jammed", reason))
            return
        self._window.session.jam_shown(self._window.recording.new_start())

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
        window = self._window
        shown = window.refresher.shown()
        facts = PackingFacts.of(shown)
        if shown is None or facts is None or not facts.contacts:
            window.show_notice(Notice("warning", "There are no contacts yet", "Run until contacts carry a force."))
            return
        packing = FileFrame.of(shown.frame, shown.system).copy()  # its buffers go on while the person chooses a file
        proposal = window.settings.folder("state", Path.home()) / "contacts.csv"
        path = file_dialogs.ask_save(window, proposal, "Save the contacts", "Table (*.csv);;Bonds, for OVITO (*.local)")
        if path is None:
            return
        window.settings.set_folder("state", path.parent)
        try:
            write_contacts(path, packing)
        except InputError as error:
            window.show_notice(Notice("error", str(error), key=error.key))
            return
        except OSError as error:
            window.show_notice(Notice("error", f"{path} cannot be written: {error.strerror or error}"))
            return
        window.show_notice(Notice("info", f"{facts.contacts} contacts saved", str(path), folder=str(path.parent)))
