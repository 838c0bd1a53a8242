"""Pictures, films and plots that are taken away: the commands behind the file_dialogs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from aggviewer.export.formats import FORMATS
from aggviewer.export.plots import write_plot, write_table
from aggviewer.export.sources import copy_of, recording
from aggviewer.export.spec import FilmSpec
from aggviewer.session import Notice
from aggviewer.style.panel_theme import LIGHT, theme
from aggviewer.window.dialogs.film import FilmDialog, FilmOffer
from aggviewer.window.dialogs.film_job import FilmOrder, Films
from aggviewer.window.dialogs.picture import COPIED, PictureChoices, PictureDialog, copy_picture, save_picture
from aggviewer.window.dialogs.snapshots import new_name, pictures_folder
from aggviewer.window.files import file_dialogs
from engine.errors import InputError

if TYPE_CHECKING:
    from aggviewer.window.main_window import MainWindow

_PATIENCE = 1.0  # seconds that the window waits for a copy of what runs
_PLOT_FILTER = "Vectors (*.svg);;PDF (*.pdf);;Picture (*.png)"


class Exporting:
    """Asks what is wanted, makes it, and says where it is."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._picture: PictureChoices | None = None
        self._film: FilmSpec | None = None
        self._form = FORMATS[0]
        self.films = Films(window.stage.picture, window.show_notice)

    # pictures

    def ask_picture(self) -> None:
        """Choose format, size and file of a picture, or copy it."""
        window = self._window
        if not window.pictures.ready:
            window.show_notice(Notice("warning", "There is no picture yet", "Wait for the discs to appear."))
            return
        dialog = PictureDialog(window.pictures.pixels, self._picture, window)
        result = dialog.exec()
        if not result:
            return
        self._picture = choices = dialog.choices
        window.settings.snapshot_size = choices.size  # S takes the next one as large
        if result == COPIED:
            self._try(lambda: copy_picture(window.canvas, choices, dialog.size_chosen))
            return
        folder = window.settings.folder("snapshot", pictures_folder())
        proposal = new_name(folder, datetime.now()).with_suffix(choices.suffix)
        words = f"{choices.suffix[1:].upper()} (*{choices.suffix})"
        path = file_dialogs.ask_save(window, proposal, "Save the snapshot", words)
        if path is None:
            return
        window.settings.set_folder("snapshot", path.parent)
        if choices.suffix == ".png" and window.comparing.on:
            window.files.write_snapshot(path, dialog.size_chosen, transparent=choices.transparent)
        elif self._try(lambda: save_picture(window.canvas, path, choices, dialog.size_chosen)):
            self._saved("Snapshot saved", path)

    def copy(self) -> None:
        """The picture as it stands, to the clipboard."""
        window = self._window
        if window.pictures.ready:
            choices = self._picture or PictureChoices()
            if self._try(lambda: copy_picture(window.canvas, choices, window.pictures.pixels)):
                window.show_notice(Notice("info", "The picture is in the clipboard"))

    # films

    def ask_film(self) -> None:
        """Choose what a film is to be, and begin to make it."""
        window = self._window
        status = window.session.status()
        if self.films.busy:
            window.show_notice(Notice("warning", "A film is being made already", "Wait for it, or cancel it."))
            return
        if status.state in ("compiling", "loading"):
            window.show_notice(Notice("warning", "There is nothing to film yet", "Wait for the scenario to be built."))
            return
        if status.timeline is None or window.refresher.shown() is None or not window.pictures.ready:
            window.show_notice(Notice("warning", "There is nothing to film yet", "Wait for the discs to appear."))
            return
        running = status.state == "running"
        window.session.pause()  # the film begins with what is shown while it is asked for
        if self._try(self._make_film) and running:
            window.session.run()

    def _make_film(self) -> None:
        window, session = self._window, self._window.session
        replay = session.replayed_file
        checkpoint = None if replay is not None else session.checkpoint(_PATIENCE)
        status, shown = session.status(), window.refresher.shown()
        assert status.timeline is not None
        assert shown is not None
        offer = FilmOffer(
            shown.system.radii,
            window.canvas.camera,
            window.pictures.pixels,
            status.time if replay is None else status.timeline.begin,
            inf if replay is None else status.timeline.end,
            session.replayed_frames,
            speed=status.speed if status.speed < inf else max(status.speed_reached, 1.0),
        )
        dialog = FilmDialog(offer, self._film, self._form, window)
        if not dialog.exec():
            return
        self._film, self._form = dialog.spec, dialog.form
        folder = window.settings.folder("film", pictures_folder())
        proposal = new_name(folder, datetime.now()).with_suffix(self._form.suffix)
        path = file_dialogs.ask_save(window, proposal, "Save the film", f"{self._form.name} (*{self._form.suffix})")
        if path is None:
            return
        window.settings.set_folder("film", path.parent)
        open_source = (
            (lambda: copy_of(checkpoint)) if checkpoint is not None else (lambda: recording(Path(str(replay))))
        )
        coloring = window.canvas.scene.coloring
        self.films.start(FilmOrder(path, self._film, open_source, session.view, window.canvas.camera, like=coloring))

    # plots

    def ask_plots(self) -> None:
        """Save the plots that are shown, each with its data as CSV beside it."""
        window = self._window
        cards = [card for card in window.plots.cards if not card.isHidden() and not card.view.empty_text]
        if not cards:
            window.show_notice(Notice("warning", "No plot shows data yet"))
            return
        proposal = window.settings.folder("plots", pictures_folder()) / "plot.svg"
        path = file_dialogs.ask_save(window, proposal, "Save the plots", _PLOT_FILTER)
        if path is None:
            return
        window.settings.set_folder("plots", path.parent)
        for card in cards:
            one = path if len(cards) == 1 else path.with_stem(f"{path.stem}-{card.number}")
            columns = card.table()
            card.set_theme(LIGHT)  # for paper
            try:
                done = self._try(partial(write_plot, one, card.view))
            finally:
                card.set_theme(theme(window.theme.dark))
            if not (done and self._try(partial(write_table, one.with_suffix(".csv"), columns))):
                return
        self._saved(f"{len(cards)} plots saved" if len(cards) > 1 else "Plot saved", path)

    def close(self) -> None:
        """Cancel the film that is being made."""
        self.films.close()

    def _try(self, write: Callable[[], None]) -> bool:
        try:
            write()
        except InputError as error:
            self._window.show_notice(Notice("error", str(error), key=error.key))
            return False
        return True

    def _saved(self, title: str, path: Path) -> None:
        self._window.show_notice(Notice("info", title, str(path), folder=str(path.parent)))
