"""Runs in files: recordings while they go on, saved states, and films of a run or of a recording."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from math import ceil, inf
from pathlib import Path

import numpy as np
from PyQt6.QtWidgets import QLabel, QMessageBox, QWidget

from aggviewer.canvas.picture import Over, magnification
from aggviewer.export.kinds import DATED, ExportItem, new_path
from aggviewer.export.sources import lanes_to_film
from aggviewer.export.spec import FORMATS, FilmSpec
from aggviewer.extensions.export_dialogs.film_dialog import FilmDialog
from aggviewer.extensions.export_dialogs.film_job import FilmCosts, FilmOrder, Films
from aggviewer.extensions.export_dialogs.film_times import FilmAhead, FilmOffer
from aggviewer.plots import PlotsPanel
from aggviewer.plots.film import FilmPlot, FilmPlots, colors_over
from aggviewer.plots.runs import looks
from aggviewer.session import Notice, Status
from aggviewer.session.coloring import Coloring
from aggviewer.session.notices import attempt
from aggviewer.systems.registry import view_of
from aggviewer.widgets import file_dialogs
from aggviewer.widgets.command import EXPORT, Command, Place
from aggviewer.widgets.file_dialogs import FileDialog, pictures_folder, recording_formats
from aggviewer.widgets.number_edit import NumberField
from aggviewer.widgets.part import Context, Part
from aggviewer.widgets.screen import wait_in_loop
from aggviewer.window.canvases import Canvases
from aggviewer.window.picking.controller import SelectionController
from aggviewer.window.settings import WindowSettings
from aggviewer.window.stage import Stage
from engine.files import formats
from engine.words import typeset

_PATIENCE = 1.0  # seconds that the window waits for a copy of the run


class FilmFiles(Part):
    """Asks for the settings of a film, and starts it."""

    def __init__(self, context: Context) -> None:
        self._window, self._session, self._settings = context.window, context.session, context[WindowSettings]
        self._canvases, self._plots, self._shown = context[Canvases], context[PlotsPanel], context.shown
        self._begin, self._notify, self._selection = context.files.begin, context.notify, context[SelectionController]
        stage = context[Stage]
        self.films = Films(stage.picture, context.notify, stage.toasts)
        self._costs, self._ahead = FilmCosts(context.window), FilmAhead(context.window)
        self._last: tuple[FilmSpec, FilmSpec] | None = None  # the last film as it was proposed, and as it was made
        self._suffix = FORMATS[0].suffix

    def commands(self) -> Iterator[Command]:
        """The command to make a film."""
        yield Command(
            "file.film",
            "Film…",
            self.ask,
            ("Ctrl+F",),
            "Make a film of what you watched or of a recording: MP4, WebM, GIF or single pictures",
            "mdi6.movie-open-outline",
            menu=Place(EXPORT, 1, 1),
            bar=Place("right", 1, 3),
            short="Film",
            simple=True,
            words="video movie animation export gif mp4",
            title="Export film…",
        )

    def close(self) -> None:
        """Cancel the film in progress."""
        self._costs.close()
        self._ahead.close()
        self.films.close()

    def ask(self) -> None:
        """Ask for the settings of a film, and start making it."""
        status = self._session.status()
        self._begin("film")
        if self.films.busy:
            self._notify(Notice("warning", "A film is already being made", "Wait for it, or cancel it.", about="film"))
            return
        unready = ""
        if status.stand_in:
            unready = "You see a recording until the engine is ready. Wait for the live run."
        elif status.state in ("compiling", "loading"):
            unready = "Wait for the scenario to be built."
        elif status.timeline is None or self._shown() is None or not self._canvases.ready:
            unready = "Wait for the discs to appear."
        if unready:
            self._notify(Notice("warning", "A film cannot begin yet", unready, about="film"))
            return
        running = status.state == "running"
        self._session.pause()  # the film begins with what is shown while it is asked for
        if attempt(self._make, self._notify, "film") and running:
            self._session.run()

    def _make(self) -> None:
        session, camera = self._session, self._canvases.first.camera
        lanes, recording = session.ask(lanes_to_film, _PATIENCE, wait_in_loop), session.played_file
        status, shown = session.status(), self._shown()
        assert status.timeline is not None
        assert shown is not None
        system = lanes[0].disc_set.system
        ends = recording is None and system is not None and all(system.ends(lane.disc_set.scenario) for lane in lanes)
        cards = {card.key(): card for card in self._plots.cards}
        again = all(lane.again is not None for lane in lanes)
        offer = FilmOffer(
            shown.discs.radii,
            camera,
            self._canvases.pixels,
            status.time if recording is None else status.timeline.begin,
            inf if recording is None else status.timeline.end,
            0 if recording is None else len(recording.times),
            past=np.array([frame.time for frame in lanes[0].past]),
            again=sum(lane.computing_time for lane in lanes) if again else None,
            timed=recording is None or recording.timed,
            end=system.end if system is not None and ends else "",
            merges=system is not None and system.joins,
            shown=status.past if recording is None else None,
            speed=status.speed if status.speed < inf else max(status.speed_reached, 1.0),
            followed=self._selection.following.disc,
            selected=tuple(session.marking.value.selected.numbers.tolist()),
            plots=tuple(ExportItem(key, card.title) for key, card in cards.items()),
            runs=len(lanes),
            clock=view_of(status.system).clock,
            missing=Over.missing(self._canvases.first.scene),
        )
        proposed = new_path(self._settings.folder("film", pictures_folder()), DATED, self._suffix, datetime.now())
        seen = tuple(key for key, card in cards.items() if card.isVisible() and card.head.fold.isChecked())
        screen = FilmSpec(over=Over.of(session.view), plots=seen)
        view = session.view

        def order(spec: FilmSpec, path: Path) -> FilmOrder:
            references = self._plots.references
            plots = [FilmPlot.of(cards[key], references.of(type(cards[key]).__name__)) for key in spec.plots]
            draw = partial(FilmPlots, plots, self._plots.runs, view.background_rgb, magnification(*spec.size))
            return FilmOrder(
                path,
                spec,
                lanes,
                recording,
                self._sides(len(lanes)),
                view,
                self._canvases.first.chosen_camera,
                session.marking.value,
                draw if plots else None,
            )

        self._costs.begin(order)
        self._ahead.begin(lanes if recording is None else ())
        dialog = FilmDialog(offer, proposed, _proposed(screen, self._last), self._window, self._costs, self._ahead)
        path = dialog.file.path if dialog.exec() else None
        self._costs.end()
        self._ahead.end()
        if path is None:
            return
        self._last, self._suffix = (screen, dialog.spec), dialog.form.suffix
        self._settings.set_folder("film", path.parent)
        self.films.start(order(dialog.spec, path))

    def _sides(self, count: int) -> list[tuple[Coloring, str, str]]:
        """The colouring of each picture, and the name and colour of its run as in the plots."""
        runs = self._plots.runs
        found = []
        for canvas, run, look in zip(
            self._canvases.canvases[:count],
            runs,
            looks(runs, colors_over(self._session.view.background_rgb)),
            strict=True,
        ):
            found.append((canvas.scene.coloring, f"{'●' if look.first else '○'} {run.name}", look.colour))
        return found


def _proposed(screen: FilmSpec, last: tuple[FilmSpec, FilmSpec] | None) -> FilmSpec:
    """Settings for a film of what is on the screen, with the size and quality of the last film. Its other changed
    settings are proposed again while the screen shows the same. last : the last settings as proposed, and as used."""
    if last is None:
        return screen
    before, made = last
    return replace(
        made,
        over=made.over if before.over == screen.over else screen.over,
        plots=made.plots if before.plots == screen.plots else screen.plots,
    )


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
            f"{typeset(per_time, '.3g')} frames per {unit}, {typeset(frame, '.3g')} MB each: "
            f"{typeset(frame * per_time, '.3g')} MB per {unit}. "
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
            "{Discs} as data…",
            self.ask_save_state,
            ("Ctrl+E",),
            "Save all {discs} shown, for other programs: GSD, extended XYZ, LAMMPS dump or CSV",
            menu=Place(EXPORT, 2, 1),
            words="export save state positions table csv gsd xyz lammps",
            title="Export {discs} as data…",
        )
        yield Command(
            "file.save_selected",
            "Selected {discs} as data…",
            lambda: self.ask_save_state(only_selected=True),
            tooltip="Save only the selected {discs}, in the same formats",
            menu=Place(EXPORT, 2, 2),
            words="export save selection",
            title="Export selected {discs} as data…",
            reason=lambda: "" if self._session.marking.value.selected else "No {disc} is selected; click one",
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
        if not status.lanes or status.plays_recording:
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
