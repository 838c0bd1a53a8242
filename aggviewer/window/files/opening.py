"""What the window does with files: open, drop, save, snapshot."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from PyQt6.QtCore import QMimeData, Qt
from PyQt6.QtWidgets import QApplication, QWidget

from aggviewer.session import Notice, Session
from aggviewer.session.saved.session_file import SUFFIX
from aggviewer.window.canvases.canvases import Pictures
from aggviewer.window.dialogs.snapshots import new_name, pictures_folder, write_png
from aggviewer.window.files import file_dialogs
from aggviewer.window.settings import WindowSettings
from engine.errors import InputError
from engine.files import formats


class FileActions:
    """Files in and out, with the folders and names that the person used last.

    on_open : called before a file is opened.
    """

    def __init__(self, window: QWidget, session: Session, pictures: Pictures, settings: WindowSettings) -> None:
        self._window = window
        self._session = session
        self._pictures = pictures
        self._settings = settings
        self.on_open: Callable[[], None] = lambda: None

    def ask_open(self) -> None:
        """Choose a scenario or a state, and run it."""
        path = file_dialogs.ask_open(self._window, self._settings.folder("open", Path.home()))
        if path is not None:
            self.open(path)
            self._pictures.first.setFocus()  # a field that had it may not be there any more

    def open(self, path: Path, *, otherwise: str | None = None) -> None:
        """Run a scenario or a state from a file; what runs goes on if that cannot be done.

        otherwise : a bundled scenario to run where the file cannot be opened and nothing runs yet.
        """
        self.on_open()
        if path.is_file():
            self._settings.add_recent(path)
            self._settings.set_folder("open", path.resolve().parent)
        self._session.open(path, run=True, otherwise=otherwise)

    def ask_save(self) -> None:
        """Save the scenario that runs."""
        folder = self._settings.folder("save", Path.home())
        path = file_dialogs.ask_save(
            self._window, folder / "scenario.toml", "Save the scenario", file_dialogs.SAVE_FILTER
        )
        if path is not None:
            self.save(path)

    def save(self, path: Path) -> None:
        """Write the scenario, every default included."""
        try:
            self._session.save_scenario(path)
        except InputError as error:
            self._session.notices.send(Notice("error", str(error), key=error.key))
            return
        self._settings.set_folder("save", path.parent)
        self._settings.add_recent(path)
        self._session.notices.send(Notice("info", f"Saved {path.name}", folder=str(path.parent)))

    def snapshot(self) -> None:
        """A snapshot at once, as large as the last one, into the folder of the last one."""
        folder = self._settings.folder("snapshot", pictures_folder())
        size = self._settings.snapshot_size or self._pictures.pixels
        self.write_snapshot(new_name(folder, datetime.now()), size)

    def write_snapshot(self, path: Path, size: tuple[int, int], *, transparent: bool = False) -> bool:
        """Draw and write a picture of `size` pixels; True when it is there."""
        if not self._pictures.ready:
            self._session.notices.send(Notice("warning", "There is no picture yet", "Wait for the discs to appear."))
            return False
        QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            write_png(self._pictures.snapshot(*size, transparent=transparent), path)
        except InputError as error:
            self._session.notices.send(Notice("error", str(error), key=error.key))
            return False
        finally:
            QApplication.restoreOverrideCursor()
        words = f"{size[0]} x {size[1]} pixels, {path}"
        self._session.notices.send(Notice("info", "Snapshot saved", words, folder=str(path.parent)))
        return True


def dropped_file(data: QMimeData | None) -> Path | None:
    """The first file of a drop that the program can open."""
    if data is None or not data.hasUrls():
        return None
    paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    return next((path for path in paths if path.suffix.lower() in (".toml", SUFFIX) or formats.is_readable(path)), None)
