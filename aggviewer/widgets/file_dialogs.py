"""File dialogs for opening and saving, starting in the last folder used for the same purpose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PyQt6.QtCore import QSize, QStandardPaths, QUrl
from PyQt6.QtWidgets import QFileDialog, QHeaderView, QSplitter, QToolButton, QTreeView, QWidget

from aggviewer.session.saved.session_file import SUFFIX
from aggviewer.widgets import screen
from aggviewer.widgets.icons import icon
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
