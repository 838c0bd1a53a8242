"""Films that are taken away: asked for, and made of what runs or of a recording."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from math import inf

from PyQt6.QtWidgets import QWidget

from aggviewer.export.sources import copy_of, recording
from aggviewer.export.spec import FORMATS, FilmSpec
from aggviewer.session import Notice, Session, Shown
from aggviewer.session.notices import Notify, attempt
from aggviewer.widgets.command import Command, Place
from aggviewer.window.canvases.canvases import Canvases
from aggviewer.window.dialogs.film import FilmDialog, FilmOffer
from aggviewer.window.dialogs.film_job import FilmOrder, Films, OpenSource
from aggviewer.window.files.file_dialogs import FileChooser, new_name, pictures_folder
from engine.simulation import Frame

_PATIENCE = 1.0  # seconds that the window waits for a copy of what runs


class FilmFiles:
    """Asks what a film is to be, and has it made.

    films : makes them, one at a time; shown() : the frame on the screen.
    """

    def __init__(
        self,
        window: QWidget,
        session: Session,
        canvases: Canvases,
        shown: Callable[[], Shown | None],
        films: Films,
        chooser: FileChooser,
        notify: Notify,
    ) -> None:
        self._window = window
        self._session = session
        self._canvases = canvases
        self._shown = shown
        self._films = films
        self._chooser = chooser
        self._notify = notify
        self._last: FilmSpec | None = None
        self._form = FORMATS[0]

    def commands(self) -> Iterator[Command]:
        """Make a film."""
        yield Command(
            "file.film",
            "Film…",
            self.ask,
            ("Ctrl+F",),
            "Make a film of the run from here on, or of the recording: MP4, WebM, GIF or pictures",
            "mdi6.movie-open-outline",
            menu=Place("File", 2, 2),
            bar=Place("right", 1, 3),
        )

    def ask(self) -> None:
        """Choose what a film is to be, and begin to make it."""
        status = self._session.status()
        if self._films.busy:
            self._notify(Notice("warning", "A film is being made already", "Wait for it, or cancel it."))
            return
        if status.state in ("compiling", "loading"):
            self._notify(Notice("warning", "There is nothing to film yet", "Wait for the scenario to be built."))
            return
        if status.timeline is None or self._shown() is None or not self._canvases.ready:
            self._notify(Notice("warning", "There is nothing to film yet", "Wait for the discs to appear."))
            return
        running = status.state == "running"
        self._session.pause()  # the film begins with what is shown while it is asked for
        if attempt(self._make, self._notify) and running:
            self._session.run()

    def _make(self) -> None:
        session, camera = self._session, self._canvases.first.camera
        replay = session.replay
        source: OpenSource
        past: tuple[Frame, ...] = ()
        if replay is None:
            checkpoint, past = session.checkpoint_and_past(_PATIENCE)
            source = partial(copy_of, checkpoint, past)
        else:
            source = partial(recording, replay.trajectory.path)
        status, shown = session.status(), self._shown()
        assert status.timeline is not None
        assert shown is not None
        offer = FilmOffer(
            shown.system.radii,
            camera,
            self._canvases.pixels,
            status.time if replay is None else status.timeline.begin,
            inf if replay is None else status.timeline.end,
            0 if replay is None else len(replay.times),
            kept_from=past[0].time if past else None,
            kept=len(past),
            shown=status.past if replay is None else None,
            speed=status.speed if status.speed < inf else max(status.speed_reached, 1.0),
        )
        dialog = FilmDialog(offer, self._last, self._form, self._window)
        if not dialog.exec():
            return
        self._last, self._form = dialog.spec, dialog.form
        path = self._chooser.to_save(
            "film",
            lambda folder: new_name(folder, datetime.now()).with_suffix(self._form.suffix),
            "Save the film",
            f"{self._form.name} (*{self._form.suffix})",
            pictures_folder(),
        )
        if path is None:
            return
        coloring = self._canvases.first.scene.coloring
        camera, picked = self._canvases.first.camera, session.picking.value
        marks = session.marking.value
        self._films.start(FilmOrder(path, self._last, source, session.view, camera, coloring, picked, marks))
