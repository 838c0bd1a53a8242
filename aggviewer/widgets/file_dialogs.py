"""Which file to open, or where to save; with the folder that was used last for the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PyQt6.QtCore import QStandardPaths
from PyQt6.QtWidgets import QFileDialog, QWidget

from aggviewer.session.saved.session_file import SUFFIX
from engine.files import formats


def open_filter() -> str:
    """What can be opened, as file dialogs want it."""
    states = " ".join(f"*{suffix}" for suffix in formats.readable())
    return (
        f"All supported files (*{SUFFIX} *.toml {states});;Sessions (*{SUFFIX});;Scenarios and lessons (*.toml);;"
        f"States and recordings ({states});;All files (*)"
    )


def state_filter() -> str:
    """The formats in which a state can be saved."""
    found = [format for format in formats.known() if format.writes is not None]
    return ";;".join(f"{format.label} (*{(format.written_as or format.suffixes)[0]})" for format in found)


def recording_formats() -> dict[str, str]:
    """The formats in which a run can be recorded: their names by the endings of files."""
    return {format.suffixes[0]: format.name for format in formats.known() if format.records is not None}


def ask_open(parent: QWidget, folder: Path, title: str, name_filter: str) -> Path | None:
    """The file to open, None when the person thinks better of it."""
    name, _ = QFileDialog.getOpenFileName(parent, title, str(folder), name_filter)
    return Path(name) if name else None


def ask_save(parent: QWidget, proposal: Path, title: str, name_filter: str) -> Path | None:
    """Where to save; the extension of `proposal` is added where it is missing."""
    name, _ = QFileDialog.getSaveFileName(parent, title, str(proposal), name_filter)
    if not name:
        return None
    path = Path(name)
    return path if path.suffix else path.with_suffix(proposal.suffix)


def pictures_folder() -> Path:
    """The person's folder for pictures, else the home folder."""
    places = QStandardPaths.standardLocations(QStandardPaths.StandardLocation.PicturesLocation)
    found = [Path(place) for place in places if Path(place).is_dir()]
    return found[0] if found else Path.home()


class Folders(Protocol):
    """Remembers the folder that was used last, for each use."""

    def folder(self, use: str, default: Path) -> Path:
        """The folder used last for `use`, while it exists; else `default`."""

    def set_folder(self, use: str, path: Path) -> None:
        """Remember a folder."""


class FileChooser:
    """Asks for files, beginning in the folder that the person chose last for the same.

    begin(use) : called when the user starts to save or load something, see `Notice.about`.
    """

    def __init__(self, window: QWidget, settings: Folders, begin: Callable[[str], object]) -> None:
        self._window = window
        self._settings = settings
        self.begin = begin

    def to_open(self, use: str, title: str, name_filter: str) -> Path | None:
        """The file to open, None when the person thinks better of it.

        Parameters
        ----------
        use
            What is opened: each has its folder.
        """
        self.begin(use)
        path = ask_open(self._window, self._settings.folder(use, Path.home()), title, name_filter)
        if path is not None:
            self._settings.set_folder(use, path.parent)
        return path

    def to_save(self, use: str, name: str, title: str, name_filter: str) -> Path | None:
        """Where to save, None when the person thinks better of it.

        Parameters
        ----------
        use
            What is saved: each has its folder.
        name
            Proposed for the file.
        """
        self.begin(use)
        path = ask_save(self._window, self._settings.folder(use, Path.home()) / name, title, name_filter)
        if path is not None:
            self._settings.set_folder(use, path.parent)
        return path
