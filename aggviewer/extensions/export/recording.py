"""Recording to files, and saving states."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from math import ceil
from pathlib import Path

from PyQt6.QtWidgets import QLabel, QMessageBox, QWidget

from aggviewer.export.kinds import DATED, new_path
from aggviewer.session import Notice, Status
from aggviewer.session.notices import attempt
from aggviewer.systems.registry import view_of
from aggviewer.widgets import file_dialogs
from aggviewer.widgets.command import EXPORT, Command, Place
from aggviewer.widgets.file_dialogs import recording_formats
from aggviewer.widgets.number_edit import NumberField
from aggviewer.widgets.part import Context, Part
from aggviewer.window.file_field import FileDialog
from aggviewer.window.settings import WindowSettings
from engine.files import formats

_BYTES_PER_DISC = 60.0  # of a frame in a recording: exact and single precision
_FRAMES_PER_SECOND = 30.0  # of watching, at the present speed
_LEAST, _GREATEST = 1e-6, 1e9  # limits of the time between two frames


class RecordDialog(FileDialog):
    """Dialog for a recording: the interval between frames, the resulting size, and the file."""

    def __init__(self, status: Status, every: float, path: Path, parent: QWidget | None = None) -> None:
        super().__init__("Record", "Record", parent)
        self._status = status
        self._clock = clock = view_of(status.system).clock
        passing = f"{clock.name}s" if clock.counts else "simulation time"
        words = f"{passing.capitalize()} between two frames of the recording"
        least, unit = (1.0, passing) if clock.counts else (_LEAST, "time")
        self.every = NumberField(clock.counts, least, _GREATEST, None, unit=unit, name=words)
        self.every.set_value(ceil(every) if clock.counts else every)
        self.every.edited.connect(lambda _value: self._show_size())
        self.size_label = QLabel()
        self.size_label.setWordWrap(True)
        self.size_label.setMinimumWidth(400)
        self.rows.addRow("A frame &every", self.every)
        self.rows.addRow("", self.size_label)
        self.add_file(path, recording_formats())
        self._show_size()

    def _show_size(self) -> None:
        frame = _BYTES_PER_DISC * max(self._status.count, 1) / 1e6
        per_time = 1.0 / self.every.value
        unit = self._clock.name if self._clock.counts else "unit of time"
        self.size_label.setText(
            f"{per_time:.3g} frames per {unit}, {frame:.3g} MB each: {frame * per_time:.3g} MB per {unit}. "
            "If the disk is slow the simulation waits, so that no frame is lost."
        )


class RecordingFiles(Part):
    """Starts and stops recordings, and saves states."""

    def __init__(self, context: Context) -> None:
        self._window, self._session, self._chooser = context.window, context.session, context.files
        self._settings = context[WindowSettings]

    def commands(self) -> Iterator[Command]:
        """Commands to save a state and to record."""
        yield Command(
            "file.save_state",
            "Discs as data…",
            self.ask_save_state,
            ("Ctrl+E",),
            "Save all discs shown, for other programs: GSD, extended XYZ, LAMMPS dump or CSV",
            menu=Place(EXPORT, 2, 1),
            words="export save state positions table csv gsd xyz lammps",
            title="Export discs as data…",
        )
        yield Command(
            "file.save_selected",
            "Selected discs as data…",
            lambda: self.ask_save_state(only_selected=True),
            tooltip="Save only the selected discs, in the same formats",
            menu=Place(EXPORT, 2, 2),
            words="export save selection",
            title="Export selected discs as data…",
            reason=lambda: "" if self._session.marking.value.selected else "No disc is selected; click one",
        )
        yield Command(
            "file.record",
            "Recording…",
            self.toggle,
            ("Ctrl+R",),
            "Record the run to a file for OVITO, freud or HOOMD. Choose it again to stop",
            "mdi6.record-circle-outline",
            checked=lambda: self.on,
            menu=Place(EXPORT, 2, 0),
            bar=Place("right", 1, 4),
            short="Record",
            words="trajectory export",
            title="Record the run…",
        )

    @property
    def on(self) -> bool:
        """Whether a recording is in progress."""
        return self._session.status().recording is not None

    def may_close(self) -> bool:
        """Whether the window may be closed; asks the user during a recording."""
        if not self.on:
            return True
        box = QMessageBox(self._window)
        box.setWindowTitle("Close aggviewer")
        box.setText("A recording is being made.")
        box.setInformativeText("The recording will stop; its file is kept.")
        close = QMessageBox.StandardButton.Close
        box.setStandardButtons(close | QMessageBox.StandardButton.Cancel)
        return box.exec() == close

    def toggle(self) -> None:
        """Start or stop a recording."""
        if self.on:
            self._session.stop_recording()
            return
        status = self._session.status()
        if not status.lanes or (status.timeline is not None and status.timeline.replay):
            self._session.notices.send(Notice("warning", "There is no simulation to record", about="record"))
            return
        speed = status.speed if status.speed < 1e6 else max(status.speed_reached, 1.0)
        self._chooser.begin("record")
        folder = self._settings.folder("record", Path.home())
        proposed = new_path(folder, DATED, next(iter(recording_formats())), datetime.now())
        dialog = RecordDialog(status, float(f"{speed / _FRAMES_PER_SECOND:.2g}"), proposed, self._window)
        path = dialog.file.path if dialog.exec() else None
        if path is not None:
            self._settings.set_folder("record", path.parent)
            self._session.record(path, dialog.every.value)

    def ask_save_state(self, *, only_selected: bool = False) -> None:
        """Save all discs shown, or only the selected ones, in a format for other programs."""
        path = self._chooser.to_save("state", "state.gsd", "Save the state", file_dialogs.state_filter())
        if path is not None and attempt(lambda: formats.to_write(path), self._session.notices.send, "state"):
            self._session.save_shown(path, only_selected=only_selected)
