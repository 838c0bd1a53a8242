"""A picture of what is seen: at once or by a dialog, into a file or to the clipboard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDialogButtonBox,
    QWidget,
)

from aggviewer.canvas import DiscCanvas
from aggviewer.canvas.picture import Over
from aggviewer.export.pictures import picture_image, write_picture
from aggviewer.session import Notice
from aggviewer.session.notices import Notify, attempt, tell_saved
from aggviewer.widgets.clipboard import copy_image
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.form_dialog import FormDialog
from aggviewer.widgets.number_edit import entries_taken
from aggviewer.window.canvases.canvases import Canvases
from aggviewer.window.dialogs.fields import OverFields, SizeFields
from aggviewer.window.files.file_dialogs import FileChooser, new_name, pictures_folder
from aggviewer.window.settings import WindowSettings
from engine.errors import InputError

FORMATS = {
    ".png": "PNG, pixels",
    ".svg": "SVG, vectors for editing",
    ".pdf": "PDF, vectors for papers",
}
LARGEST = 16384
_USE = "snapshot"  # see `FileChooser`
COPIED = 2
"""What `PictureDialog.exec` returns where the picture is to go to the clipboard."""


@dataclass(frozen=True)
class PictureChoices:
    """What the person wants: suffix of the format, size in pixels (None: as in the window), ground, what lies over."""

    suffix: str = ".png"
    size: tuple[int, int] | None = None
    transparent: bool = False
    over: Over = field(default_factory=Over)


class PictureDialog(FormDialog):
    """Format, size, ground and overlays of a picture; ends with Save, Copy (`COPIED`) or Cancel."""

    def __init__(
        self, window_size: tuple[int, int], last: PictureChoices | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__("Snapshot", parent=parent)
        last = last or PictureChoices()
        self.formats = QComboBox()
        for suffix, text in FORMATS.items():
            self.formats.addItem(text, suffix)
        self.formats.setCurrentIndex(max(0, self.formats.findData(last.suffix)))
        self.formats.setAccessibleName("Format")
        self.size_fields = SizeFields(window_size, last.size, LARGEST)
        self.transparent = QCheckBox("Transparent")
        self.transparent.setChecked(last.transparent)
        self.over = OverFields(last.over)
        self.rows.addRow("Format", self.formats)
        self.size_fields.add_to(self.rows)
        self.rows.addRow("Background", self.transparent)
        self.rows.addRow("Show", self.over)
        copy = self.buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        assert copy is not None
        self.copy_button = copy
        copy.setToolTip("To the clipboard, as pixels")
        copy.setAutoDefault(False)
        copy.clicked.connect(lambda: self.done(COPIED) if entries_taken(self) else None)

    @property
    def choices(self) -> PictureChoices:
        """What is set now."""
        return PictureChoices(
            str(self.formats.currentData()),
            self.size_fields.to_keep,
            self.transparent.isChecked(),
            self.over.value,
        )

    @property
    def size_chosen(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.size_fields.value


def write_png(pixels: NDArray[np.uint8], path: Path) -> None:
    """Write (H, W, 4) uint8 RGBA as PNG; InputError where that cannot be done."""
    height, width = pixels.shape[:2]
    image = QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_RGBA8888)
    if not image.save(str(path), "PNG"):
        raise InputError(f"{path} cannot be written; choose another folder", str(path))


def save_picture(canvas: DiscCanvas, path: Path, choices: PictureChoices, size: tuple[int, int]) -> None:
    """Write what `canvas` shows, in the format that the ending of `path` says. InputError where that cannot be."""
    view = choices.over.on(canvas.view)
    write_picture(path, canvas.scene, canvas.camera, view, size, transparent=choices.transparent)


def copy_picture(canvas: DiscCanvas, choices: PictureChoices, size: tuple[int, int]) -> None:
    """Put what `canvas` shows on the clipboard. InputError for a size that cannot be."""
    view = choices.over.on(canvas.view)
    image = picture_image(canvas.scene, canvas.camera, view, size, transparent=choices.transparent)
    copy_image(image)


class Snapshots:
    """Takes pictures away: at once, by a dialog, to the clipboard."""

    def __init__(
        self, window: QWidget, canvases: Canvases, chooser: FileChooser, settings: WindowSettings, notify: Notify
    ) -> None:
        self._window = window
        self._canvases = canvases
        self._chooser = chooser
        self._settings = settings
        self._notify = notify
        self._last: PictureChoices | None = None

    def commands(self) -> Iterator[Command]:
        """Snapshots and the clipboard."""
        yield Command(
            "file.snapshot",
            "Snapshot",
            self.take,
            ("S",),
            "Save the picture as PNG, in the size used last",
            "mdi6.camera-outline",
            menu=Place("File", 2, 3),
            bar=Place("right", 1, 2),
            words="screenshot image export",
        )
        yield Command(
            "file.snapshot_as",
            "Snapshot as…",
            self.ask,
            ("Ctrl+Shift+S",),
            "Choose format, size and file: PNG, or SVG and PDF for papers",
            menu=Place("File", 2, 4),
            words="screenshot image export",
        )
        yield Command(
            "file.copy",
            "Copy the picture",
            self.copy,
            ("Ctrl+C",),
            "The picture, to the clipboard",
            menu=Place("File", 2, 5),
        )

    def take(self) -> None:
        """A snapshot at once, as large as the last one, into the folder of the last one."""
        folder = self._settings.folder("snapshot", pictures_folder())
        size = self._settings.snapshot_size or self._canvases.pixels
        self.write(new_name(folder, datetime.now()), size)

    def write(self, path: Path, size: tuple[int, int], *, transparent: bool = False) -> bool:
        """Draw and write a picture of `size` pixels as PNG; True when it is there."""
        self._chooser.begin(_USE)
        if not self._ready():
            return False
        QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            done = attempt(
                lambda: write_png(self._canvases.snapshot(*size, transparent=transparent), path),
                self._notify,
                _USE,
            )
        finally:
            QApplication.restoreOverrideCursor()
        if done:
            words = f"{size[0]} x {size[1]} pixels, {path}"
            self._notify(Notice("info", "Snapshot saved", words, folder=str(path.parent), about=_USE))
        return done

    def ask(self) -> None:
        """Choose format, size and file of a picture, or copy it."""
        if not self._ready():
            return
        dialog = PictureDialog(self._canvases.pixels, self._last, self._window)
        result = dialog.exec()
        if not result:
            return
        self._last = choices = dialog.choices
        self._settings.snapshot_size = choices.size  # S takes the next one as large
        canvas, size = self._canvases.first, dialog.size_chosen
        if result == COPIED:
            attempt(lambda: copy_picture(canvas, choices, size), self._notify, _USE)
            return
        path = self._chooser.to_save(
            _USE,
            lambda folder: new_name(folder, datetime.now()).with_suffix(choices.suffix),
            "Save the snapshot",
            f"{choices.suffix[1:].upper()} (*{choices.suffix})",
            pictures_folder(),
        )
        if path is None:
            return
        if choices.suffix == ".png" and len(self._canvases.canvases) > 1:
            self.write(path, size, transparent=choices.transparent)
        elif attempt(lambda: save_picture(canvas, path, choices, size), self._notify, _USE):
            tell_saved("Snapshot saved", path, self._notify, _USE)

    def copy(self) -> None:
        """The picture as it stands, to the clipboard."""
        if self._canvases.ready:
            choices = self._last or PictureChoices()
            size = self._canvases.pixels
            if attempt(lambda: copy_picture(self._canvases.first, choices, size), self._notify, _USE):
                self._notify(Notice("info", "The picture is in the clipboard", about=_USE))

    def _ready(self) -> bool:
        if not self._canvases.ready:
            self._notify(Notice("warning", "There is no picture yet", "Wait for the discs to appear.", about=_USE))
        return self._canvases.ready
