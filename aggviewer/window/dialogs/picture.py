"""A picture of what is seen: the dialog, and the ways to a file and to the clipboard."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from PyQt6.QtGui import QGuiApplication
from PyQt6.QtWidgets import QCheckBox, QComboBox, QDialog, QDialogButtonBox, QFormLayout, QVBoxLayout, QWidget

from aggviewer.canvas import DiscCanvas
from aggviewer.export.painting import Over
from aggviewer.export.pictures import picture_image, write_picture
from aggviewer.window.dialogs.fields import OverFields, SizeFields

FORMATS = {
    ".png": "PNG, pixels",
    ".svg": "SVG, vectors for editing",
    ".pdf": "PDF, vectors for papers",
}
LARGEST = 16384
COPIED = 2
"""What `PictureDialog.exec` returns where the picture is to go to the clipboard."""


@dataclass(frozen=True)
class PictureChoices:
    """What the person wants: suffix of the format, size in pixels (None: as in the window), ground, what lies over."""

    suffix: str = ".png"
    size: tuple[int, int] | None = None
    transparent: bool = False
    over: Over = field(default_factory=Over)


class PictureDialog(QDialog):
    """Format, size, ground and overlays of a picture; ends with Save, Copy (`COPIED`) or Cancel."""

    def __init__(
        self, window_size: tuple[int, int], last: PictureChoices | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        last = last or PictureChoices()
        self.setWindowTitle("Snapshot")
        self._window_size = window_size
        self.formats = QComboBox()
        for suffix, text in FORMATS.items():
            self.formats.addItem(text, suffix)
        self.formats.setCurrentIndex(max(0, self.formats.findData(last.suffix)))
        self.formats.setAccessibleName("Format")
        self.size_fields = SizeFields(window_size, last.size, LARGEST)
        self.transparent = QCheckBox("Transparent")
        self.transparent.setChecked(last.transparent)
        self.over = OverFields(last.over)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.addRow("Format", self.formats)
        self.size_fields.add_to(form)
        form.addRow("Background", self.transparent)
        form.addRow("Show", self.over)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        assert copy is not None
        self.copy_button = copy
        copy.setToolTip("To the clipboard, as pixels")
        copy.setAutoDefault(False)
        copy.clicked.connect(lambda: self.done(COPIED))
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(16)
        layout.addLayout(form)
        layout.addWidget(buttons)

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


def save_picture(canvas: DiscCanvas, path: Path, choices: PictureChoices, size: tuple[int, int]) -> None:
    """Write what `canvas` shows, in the format that the ending of `path` says. InputError where that cannot be."""
    over = choices.over
    write_picture(
        path,
        canvas.scene,
        canvas.camera,
        canvas.view,
        size,
        transparent=choices.transparent,
        legend=over.legend,
        scale_bar=over.scale_bar,
        time=over.time,
        box=over.box,
    )


def copy_picture(canvas: DiscCanvas, choices: PictureChoices, size: tuple[int, int]) -> None:
    """Put what `canvas` shows on the clipboard. InputError for a size that cannot be."""
    view = choices.over.on(canvas.view)
    image = picture_image(canvas.scene, canvas.camera, view, size, transparent=choices.transparent)
    clipboard = QGuiApplication.clipboard()
    if clipboard is not None:
        clipboard.setImage(image)
