"""File dialogs for opening and saving, starting in the last folder used for the same purpose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PyQt6.QtCore import QStandardPaths
from PyQt6.QtWidgets import QFileDialog, QWidget

from aggviewer.session.saved.session_file import SUFFIX
from engine.files import formats


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
    name, _ = QFileDialog.getOpenFileName(parent, title, str(folder), name_filter)
    return Path(name) if name else None


def ask_save(parent: QWidget, proposal: Path, title: str, name_filter: str) -> Path | None:
    """Where to save; adds the extension of `proposal` if it is missing."""
    name, _ = QFileDialog.getSaveFileName(parent, title, str(proposal), name_filter)
    if not name:
        return None
    path = Path(name)
    return path if path.suffix else path.with_suffix(proposal.suffix)


def pictures_folder() -> Path:
    """The user's picture folder, else the home folder."""
    places = QStandardPaths.standardLocations(QStandardPaths.StandardLocation.PicturesLocation)
    found = [Path(place) for place in places if Path(place).is_dir()]
    return found[0] if found else Path.home()


class Folders(Protocol):
    """Remembers the last folder for each use."""

    def folder(self, use: str, default: Path) -> Path:
        """The last folder for `use` if it still exists; else `default`."""

    def set_folder(self, use: str, path: Path) -> None:
        """Remember a folder."""


class FileChooser:
    """Asks for files, starting in the last folder chosen for the same use.

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
        path = ask_open(self._window, self._settings.folder(use, Path.home()), title, name_filter)
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
        path = ask_save(self._window, self._settings.folder(use, Path.home()) / name, title, name_filter)
        if path is not None:
            self._settings.set_folder(use, path.parent)
        return path
