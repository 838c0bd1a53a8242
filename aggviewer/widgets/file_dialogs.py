"""Choosing files: dialogs for opening and saving, and a field for an output file in other dialogs.

They start in the last folder used for the same purpose.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from PyQt6.QtCore import QSignalBlocker, QSize, QStandardPaths, QUrl, pyqtSignal
from PyQt6.QtWidgets import (
    QComboBox,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QSplitter,
    QToolButton,
    QTreeView,
    QWidget,
)

from aggviewer.session.saved.session_file import SUFFIX
from aggviewer.widgets import screen
from aggviewer.widgets.buttons import icon
from aggviewer.widgets.form_dialog import Form, FormDialog
from engine.errors import InputError, typed_path
from engine.files import formats

_SIZE, _SIDEBAR = QSize(880, 560), 180  # pixels of Qt's own dialog
_BUTTONS = {
    "backButton": "mdi6.arrow-left",
    "forwardButton": "mdi6.arrow-right",
    "toParentButton": "mdi6.arrow-up",
    "newFolderButton": "mdi6.folder-plus-outline",
    "listModeButton": "mdi6.view-grid-outline",
    "detailModeButton": "mdi6.format-list-bulleted",
}
"""Qt's names of the buttons of its file dialog, and what is drawn on them."""
_KIND = 2  # the column of the kind of a file, which its name tells
_Location = QStandardPaths.StandardLocation
_PLACES = (
    _Location.HomeLocation,
    _Location.DesktopLocation,
    _Location.DocumentsLocation,
    _Location.PicturesLocation,
    _Location.DownloadLocation,
)


def open_filter() -> str:
    """The file dialog's filter for everything that can be opened."""
    states = " ".join(f"*{suffix}" for suffix in formats.readable())
    return (
        f"All supported files (*{SUFFIX} *.toml {states});;Sessions (*{SUFFIX});;Scenarios and lessons (*.toml);;"
        f"States and recordings ({states});;All files (*)"
    )


def state_filter() -> str:
    """The formats for saving a state."""
    found = [format for format in formats.known() if format.writes is not None]
    return ";;".join(f"{format.label} (*{(format.written_as or format.suffixes)[0]})" for format in found)


def recording_formats() -> dict[str, str]:
    """The formats for recording a run: names by file ending."""
    return {format.suffixes[0]: format.name for format in formats.known() if format.records is not None}


def ask_open(parent: QWidget, folder: Path, title: str, name_filter: str) -> Path | None:
    """The file to open, None if the user cancels."""
    return _chosen(_dialog(parent, folder, title, name_filter))


def ask_save(parent: QWidget, proposal: Path, title: str, name_filter: str) -> Path | None:
    """Where to save; adds the extension of `proposal` if it is missing."""
    dialog = _dialog(parent, proposal.parent, title, name_filter)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setDefaultSuffix(proposal.suffix.removeprefix("."))
    dialog.selectFile(proposal.name)
    return _chosen(dialog)


def _dialog(parent: QWidget, folder: Path, title: str, name_filter: str) -> QFileDialog:
    """The desktop's file dialog, or else Qt's own in the style of the program."""
    dialog = QFileDialog(parent, title, str(folder), name_filter)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    files = dialog.findChild(QTreeView, "treeView")
    if files is not None:
        _dress(dialog, files)
    return dialog


def _dress(dialog: QFileDialog, files: QTreeView) -> None:
    dialog.setViewMode(QFileDialog.ViewMode.Detail)
    dialog.setOption(QFileDialog.Option.HideNameFilterDetails)
    for name, drawn in _BUTTONS.items():
        button = dialog.findChild(QToolButton, name)
        if button is not None:
            button.setIcon(icon(drawn))
    files.setColumnHidden(_KIND, True)
    files.setRootIsDecorated(False)
    head = files.header()
    if head is not None:
        head.setStretchLastSection(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    splitter = dialog.findChild(QSplitter, "splitter")
    if splitter is not None:
        splitter.setSizes([_SIDEBAR, _SIZE.width() - _SIDEBAR])
    places = [Path(QStandardPaths.writableLocation(place)) for place in _PLACES]
    there = dict.fromkeys(place for place in (*places, Path.cwd(), Path(Path.home().anchor)) if place.is_dir())
    dialog.setSidebarUrls([QUrl.fromLocalFile(str(place)) for place in there])
    dialog.resize(_SIZE.boundedTo(screen.room(dialog)))


def _chosen(dialog: QFileDialog) -> Path | None:
    """Show a dialog and return the chosen path."""
    try:
        chosen = dialog.selectedFiles() if dialog.exec() else []
    finally:
        dialog.deleteLater()
    return Path(chosen[0]) if chosen else None


def pictures_folder() -> Path:
    """The user's picture folder, else the home folder."""
    return _folder_for(_Location.PicturesLocation)


def _folder_for(location: QStandardPaths.StandardLocation) -> Path:
    place = Path(QStandardPaths.writableLocation(location))
    return place if place.is_dir() else Path.home()


class Folders(Protocol):
    """Remembers the last folder for each use."""

    def folder(self, use: str, default: Path) -> Path:
        """The last folder for `use` if it still exists; else `default`."""

    def set_folder(self, use: str, path: Path) -> None:
        """Remember a folder."""


class FileChooser:
    """Asks for files, starting in the last folder chosen for the same use, at first in the documents.

    begin(use) : called when the user starts to save or load something, see `Notice.about`.
    """

    def __init__(self, window: QWidget, settings: Folders, begin: Callable[[str], object]) -> None:
        self._window = window
        self._settings = settings
        self.begin = begin

    def to_open(self, use: str, title: str, name_filter: str) -> Path | None:
        """The file to open, None if the user cancels.

        Parameters
        ----------
        use
            The kind of file to open; each kind has its own folder.
        """
        self.begin(use)
        path = ask_open(
            self._window, self._settings.folder(use, _folder_for(_Location.DocumentsLocation)), title, name_filter
        )
        if path is not None:
            self._settings.set_folder(use, path.parent)
        return path

    def to_save(self, use: str, name: str, title: str, name_filter: str) -> Path | None:
        """Where to save, None if the user cancels.

        Parameters
        ----------
        use
            The kind of file to save; each kind has its own folder.
        name
            The proposed file name.
        """
        self.begin(use)
        path = ask_save(
            self._window,
            self._settings.folder(use, _folder_for(_Location.DocumentsLocation)) / name,
            title,
            name_filter,
        )
        if path is not None:
            self._settings.set_folder(use, path.parent)
        return path


_WIDTH = 160  # pixels of the line, at least


class FileField(QWidget):
    """Format and path of an output file, a button to choose it, and a line about files that will be replaced, or about
    why the text names no file; ``changed`` when format or path changes.

    Parameters
    ----------
    title : of the dialog that the button opens.
    label_width : least width of the labels in pixels, to align with a form above.
    """

    changed = pyqtSignal()

    def __init__(self, title: str, label_width: int = 0) -> None:
        super().__init__()
        self._title = title
        self._formats: Mapping[str, str] = {}
        self._suffix = ""
        self._folder = Path.home()
        self.formats = QComboBox()
        self.formats.setAccessibleName("Format")
        self.line = QLineEdit()
        self.line.setAccessibleName("File")
        self.line.setMinimumWidth(_WIDTH)
        self.button = QPushButton("Browse…")
        self.button.setAutoDefault(False)
        self.setFocusProxy(self.line)
        self.message = QLabel()
        self.message.setWordWrap(True)
        self.message.setProperty("quiet", True)
        file = QWidget()
        row = QHBoxLayout(file)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.line, 1)
        row.addWidget(self.button)
        self._form = Form(self)
        for words, widget in (("Format", self.formats), ("File", file), ("", self.message)):
            label = QLabel(words)
            label.setMinimumWidth(label_width)
            self._form.addRow(label, widget)
        self.formats.currentIndexChanged.connect(self._on_format)
        self.line.textChanged.connect(self._on_line)
        self.button.clicked.connect(lambda: self._browse())

    def begin(self, path: Path, formats: Mapping[str, str]) -> None:
        """Propose a path, whose ending selects the initial format. formats : possible endings with their names; "" is a
        folder."""
        self._formats, self._folder = formats, path.parent
        self._suffix = _ending(path, formats)
        with QSignalBlocker(self.formats):
            self.formats.clear()
            for suffix, words in formats.items():
                self.formats.addItem(words, suffix)
            self.formats.setCurrentIndex(self.formats.findData(self._suffix))
        self._form.setRowVisible(self.formats, len(formats) > 1)
        self.line.setText(str(path))

    @property
    def suffix(self) -> str:
        """The ending of the chosen format."""
        return self._suffix

    @property
    def path(self) -> Path | None:
        """The path; None if the line names no file. A missing ending is added; a name without a folder refers to the
        folder of the first path."""
        try:
            return self._read()
        except InputError:
            return None

    @property
    def problem(self) -> str:
        """Why the line names no file; "" if it does, or is empty."""
        try:
            self._read()
        except InputError as error:
            return str(error)
        return ""

    def _read(self) -> Path | None:
        """The path, None for an empty line. InputError if the line names no file."""
        text = self.line.text().strip()
        if not text:
            return None
        path = typed_path(text)
        is_home = text.startswith("~") and os.sep not in text and str(path) != text
        if is_home or Path(text).name in ("", "..") or text.endswith(("/", "/.", os.sep)):
            raise InputError(f"{text} is a folder; add the name of a file")
        path = typed_path(self._folder / path)
        if not (path.suffix and _ending(path, self._formats)):
            path = typed_path(path.with_name(path.name + self._suffix))
        if self._suffix and os.path.isdir(path):
            raise InputError(f"{path} is a folder; add the name of a file")
        return path

    def show_effect(self, files: Sequence[Path]) -> bool:
        """Show how many files will be written, and which of them replace others. Returns whether any does."""
        there = [one.name for one in files if os.path.lexists(one)]
        words = self.problem
        if len(files) > 1:
            words = f"Writes {len(files)} files: {_names([one.name for one in files])}."
        if there:
            words = f"{words} {_names(there)} {'exists and is' if len(there) == 1 else 'exist and are'} replaced."
        words = words.strip()
        self.message.setText(words[:1].upper() + words[1:] or " ")
        return bool(there)

    def _on_format(self) -> None:
        """Give the path the ending of the new format."""
        path, before = self.path, self._suffix
        self._suffix = suffix = self.formats.currentData()
        with QSignalBlocker(self.line):
            if path is not None and _ending(path, self._formats) != suffix:
                stem = path.name[: len(path.name) - len(before)] if path.name.lower().endswith(before) else path.name
                self.line.setText(str(path.with_name(stem + suffix)))
        self.changed.emit()

    def _on_line(self) -> None:
        """Choose the format from a typed ending."""
        path = self.path
        if path is not None:
            self._suffix = _ending(path, self._formats)
            with QSignalBlocker(self.formats):
                self.formats.setCurrentIndex(self.formats.findData(self._suffix))
        self.changed.emit()

    def _browse(self) -> None:
        path = self.path or self._folder / f"untitled{self._suffix}"
        filters = {f"{words} (*{suffix})": suffix for suffix, words in self._formats.items()}
        chosen = ask_save(self, path, self._title, ";;".join(sorted(filters, key=self._chosen_first)))
        if chosen is not None:
            self.line.setText(str(chosen))

    def _chosen_first(self, name_filter: str) -> bool:
        return f"(*{self._suffix})" not in name_filter


class FileDialog(FormDialog):
    """A form with an output file below; the button tells whether it replaces another file. title : of the dialog; word
    : of the button."""

    def __init__(self, title: str, word: str, parent: QWidget | None = None) -> None:
        super().__init__(title, QDialogButtonBox.StandardButton.Save, parent)
        self._word = word

    def add_file(self, path: Path, formats: Mapping[str, str]) -> None:
        """Add the file field after the form, so that Tab reaches it last. path, formats : see `FileField.begin`."""
        labels = [self.rows.itemAt(row, QFormLayout.ItemRole.LabelRole) for row in range(self.rows.rowCount())]
        width = max((label.sizeHint().width() for label in labels if label is not None), default=0)
        self.file = FileField(f"{self._word} to", width)
        self.foot.insertWidget(0, self.file)
        self.file.changed.connect(self.show_file)
        self.file.begin(path, formats)

    def show_file(self) -> None:
        """Show what will happen to the file."""
        path = self.file.path
        replaces = self.file.show_effect([] if path is None else [path])
        self.accept_button.setText("Replace" if replaces else self._word)
        self.accept_button.setEnabled(path is not None and not self.problem.text())

    def show_problem(self, words: str) -> None:
        """Show above the buttons why nothing can be written; "" if it can."""
        super().show_problem(words)
        self.show_file()


def _ending(path: Path, formats: Mapping[str, str]) -> str:
    """The ending of a path if it is one of the formats, else ""."""
    suffix = path.suffix.lower()
    return suffix if suffix in formats else ""


def _names(names: Sequence[str]) -> str:
    """``a, b and 3 more``."""
    most = 3
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
