"""Exports to files and to the clipboard: the dialog *Export*, and exports without a dialog. For films see
`film_files`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication

from aggviewer.export.figure import PicturePanel
from aggviewer.export.files import finished, table_text
from aggviewer.export.kinds import ExportChoices, ExportContents, ExportKind, ExportPlot, exports, new_path
from aggviewer.export.standard_kinds import PICTURE, PLOTS, snapshot
from aggviewer.extensions.export_dialogs.export_dialog import ExportDialog
from aggviewer.plots import PlotsPanel
from aggviewer.plots.card import PlotCard
from aggviewer.plots.film import PlotPanel
from aggviewer.session import Notice
from aggviewer.session.notices import attempt, tell_saved
from aggviewer.widgets.command import EXPORT, Command, Group, Place
from aggviewer.widgets.file_dialogs import pictures_folder
from aggviewer.widgets.gui_thread import GuiJob
from aggviewer.widgets.part import Context, Part
from aggviewer.widgets.screen import copy_image, copy_text
from aggviewer.window.canvases import Canvases
from aggviewer.window.settings import WindowSettings
from engine.errors import InputError
from engine.words import count

_SNAPSHOT = "snapshot"  # the folder of pictures, see `FileChooser`


class Exports(Part):
    """Exports what the window shows, through a dialog or directly to a file or the clipboard."""

    def __init__(self, context: Context) -> None:
        self._window, self._chooser, self._session = context.window, context.files, context.session
        self._plots, self._canvases, self._settings = context[PlotsPanel], context[Canvases], context[WindowSettings]
        self._notify, plots = context.session.notices.send, self._plots
        self._last: dict[str, ExportChoices] = {}  # of each kind
        self._job = GuiJob("pages", parent=context.window)
        plots.save_asked.connect(self._ask_plot)
        plots.copy_asked.connect(self.copy_data)

    def commands(self) -> Iterator[Command]:
        """The direct exports."""
        yield Command(
            "file.snapshot",
            "Snapshot",
            self.save_picture,
            ("S",),
            "Save the picture as PNG, at twice its size and without the empty margins beside the box",
            "mdi6.camera-outline",
            menu=Place(EXPORT, 3, 1),
            bar=Place("right", 1, 2),
            simple=True,
            words="screenshot screen shot image photo export",
        )
        yield Command(
            "file.copy",
            "Copy the picture",
            self.copy,
            ("Ctrl+C",),
            "Copy the picture to the clipboard",
            menu=Place(EXPORT, 3, 2),
            words="clipboard screenshot export",
        )

    def groups(self) -> Iterator[Group]:
        """A command for each kind of export that opens its page."""
        for number, kind in enumerate(exports()):
            yield Group(kind, partial(self._command, kind, Place(EXPORT, 1, 2 * number)))

    def _command(self, kind: ExportKind, place: Place) -> Iterator[Command]:
        what = kind.text.removeprefix("Export ")  # the menu says that already
        yield Command(
            kind.command,
            what[:1].upper() + what[1:],
            partial(self.ask, kind),
            kind.keys,
            kind.tip,
            menu=place,
            words=kind.words,
            title=kind.text,
        )

    def close(self) -> None:
        """End the thread, cancelling what it is writing."""
        self._job.close()

    # the dialog

    def ask(self, kind: ExportKind) -> None:
        """Open the dialog at the page of a kind."""
        use = self._use(kind)
        self._chooser.begin(use)
        with self._plots.all_measured():  # the needs of folded plots are measured outside the window
            contents = self.contents()
            missing = kind.missing(contents)
            if missing is not None:
                self._notify(Notice("warning", *missing, about=use))
                return
            dialog = ExportDialog(
                exports(),
                contents,
                kind,
                self._last,
                lambda one: self._settings.folder(self._use(one), pictures_folder()),
                self._job,
                self._window,
            )
            agreed = dialog.exec()
        if not agreed:
            return
        self._last = dialog.all_choices
        kind, use = dialog.kind, self._use(dialog.kind)
        if dialog.copied:
            self._notify(Notice("info", f"{kind.title} copied", "The image is on the clipboard", about=use))
            return
        files = dialog.written
        for field in kind.fields(contents):
            if field.kept:
                setattr(self._session.view, field.kept, self._last[kind.name][field.key])
        self._settings.set_folder(use, files[0].parent)
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        tell_saved(f"{kind.title} exported", files[0], self._notify, use, more)

    def _ask_plot(self, plot: PlotCard) -> None:
        """Open the page of plots with this one ticked."""
        choices = PLOTS.choices(self.contents(), self._last.get(PLOTS.name))
        self._last[PLOTS.name] = choices.with_values(plots=(plot.key(),))
        self.ask(PLOTS)

    @staticmethod
    def _use(kind: ExportKind) -> str:
        """The key under which the folder of a kind is remembered."""
        return _SNAPSHOT if kind is PICTURE else kind.name

    def contents(self) -> ExportContents:
        """The contents that can be exported now."""
        canvases = self._canvases.canvases if self._canvases.ready else []
        pictures = {
            run.name: PicturePanel(canvas.scene, canvas.chosen_camera, canvas.view)
            for canvas, run in zip(canvases, self._plots.runs, strict=False)
        }
        scenario = self._session.scenario
        return ExportContents(
            self._canvases.pixels,
            self._canvases.devicePixelRatioF(),
            "" if scenario is None else self._plots.title_of(scenario),
            pictures,
            {card.key(): self._plot(card) for card in self._plots.cards},
        )

    def _plot(self, card: PlotCard) -> ExportPlot:
        def there() -> PlotCard:
            """The plot; InputError if it was removed while the dialog was open."""
            if card not in self._plots.cards:
                raise InputError(f"the plot {title} no longer exists", "plots")
            return card

        title = card.title
        return ExportPlot(
            title,
            card.number in self._plots.seen and card.head.fold.isChecked(),
            lambda: there().draw_known(),
            lambda: there().draw_all(),
            lambda: card in self._plots.cards and (card.shows_data or card.waits),
            lambda numbers: PlotPanel.of(there(), numbers=numbers),
            lambda: there().table(),
        )

    # at once

    def save_picture(self) -> None:
        """Save the picture at once: `snapshot`."""
        folder = self._settings.folder(_SNAPSHOT, pictures_folder())
        self.write(new_path(folder, PICTURE.file_name, ".png", datetime.now()))

    def write(self, path: Path) -> bool:
        """Write a snapshot as PNG; returns whether it succeeded."""
        self._chooser.begin(_SNAPSHOT)
        contents = self._with_picture()
        if contents is None:
            return False
        size: list[int] = []
        QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            done = attempt(lambda: size.extend(snapshot(contents, path)), self._notify, _SNAPSHOT)
        finally:
            QApplication.restoreOverrideCursor()
        if done:
            words = f"{size[0]} × {size[1]} pixels, {path}"
            title = f"Snapshot saved in {path.parent.name}"
            self._notify(Notice("info", title, words, folder=str(path.parent), about=_SNAPSHOT))
        return done

    def copy(self) -> None:
        """Copy the picture as shown in the window to the clipboard."""
        contents = self._with_picture()
        if contents is None:
            return
        choices = PICTURE.choices(contents, self._last.get(PICTURE.name)).with_values(size=None)
        if attempt(lambda: copy_image(finished(PICTURE.draw(contents, choices, None))[0]), self._notify, _SNAPSHOT):
            self._notify(Notice("info", "Picture copied", about=_SNAPSHOT))

    def copy_data(self, card: PlotCard) -> None:
        """Copy a plot's data as CSV to the clipboard."""
        columns = card.table()
        copy_text(table_text(columns))
        rows = max((len(values) for values in columns.values()), default=0)
        what = f"{len(columns)} columns, {count(rows)} rows, as CSV with names and units"
        self._notify(Notice("info", f"Data of {card.title} copied", what))

    def _with_picture(self) -> ExportContents | None:
        contents = self.contents()
        missing = PICTURE.missing(contents)
        if missing is not None:
            self._notify(Notice("warning", *missing, about=_SNAPSHOT))
            return None
        return contents
