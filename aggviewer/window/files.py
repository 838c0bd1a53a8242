"""Opening and saving: scenarios, bundled or in files, files dropped on the window, and sessions, with recovery after a
crash and work kept on closing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import resources
from pathlib import Path

from PyQt6.QtCore import QMimeData, QObject, pyqtSignal
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QMenu

from aggviewer.session import Notice
from aggviewer.session.notices import OPENING, attempt
from aggviewer.session.saved.autosave import Recoverable
from aggviewer.session.saved.session_file import SUFFIX
from aggviewer.session.saved.state import SessionState
from aggviewer.systems.registry import Catalog
from aggviewer.widgets.command import EXPORT, SCENARIO, Command, MenuEntry, Place, Submenu
from aggviewer.widgets.file_dialogs import open_filter
from aggviewer.widgets.part import Context, Part
from aggviewer.window.settings import WindowSettings
from engine.errors import typed_path
from engine.files import formats
from engine.scenario.source import title_of


@dataclass(frozen=True)
class Opener:
    """Opens a kind of file that the session does not handle.

    Parameters
    ----------
    takes : whether a file is of that kind.
    open : opens it; InputError on failure.
    label : its name in the list of recent files.
    """

    takes: Callable[[Path], bool]
    open: Callable[[Path], None]
    label: Callable[[Path], str]


class Opening(QObject, Part):
    """Opens and saves scenarios, using the user's last folders and names. Each file is opened by the first of the
    `openers` that takes it, else by the session.

    Signals: ``begun(name)`` before something is opened, with the name of a bundled scenario, empty for a file;
    ``replaces_run`` before the session opens a file, whose run takes the place of the present one; ``chosen`` after the
    user has chosen a file.
    """

    begun = pyqtSignal(str)
    replaces_run = pyqtSignal()
    chosen = pyqtSignal()

    def __init__(self, context: Context) -> None:
        super().__init__(context.window)
        self._session = session = context.session
        self._catalog = context[Catalog]
        self._chooser = context.files
        self._settings = context[WindowSettings]
        self.openers: list[Opener] = []
        self._being_opened: set[Path] = set()  # files that are being opened
        context.listen(session.file_opened, self.on_opened)
        context.listen(session.file_refused, self.on_refused)
        context.listen(session.file_written, self.list_recent)
        self.chosen.connect(context.focus_picture)

    def commands(self) -> Iterator[MenuEntry]:
        """Open, save, bundled scenarios, recent files, and the menu of exports, also of systems and extensions."""
        yield Command(
            "file.open",
            "Open…",
            self.ask_open,
            ("Ctrl+O",),
            "Open a scenario, state, recording or lesson",
            "mdi6.folder-open-outline",
            menu=Place("File", 1, 1),
            bar=Place(SCENARIO, 2, 0),
        )
        for heading, entries in self._catalog.groups():
            for entry in entries:
                yield Command(
                    f"scenario.{entry.name}",
                    entry.title,
                    lambda name=entry.name: self.open_bundled(name),  # type: ignore[misc]
                    tooltip=f"{heading}: {entry.description}",
                )
        yield Submenu("Open recent", Place("File", 1, 3), self._fill_recent)
        yield Submenu("Export", Place("File", 2, 2))
        yield Command(
            "file.save",
            "Scenario…",
            self.ask_save,
            tooltip="Save the parameters of this run as a text file (TOML), including all defaults",
            menu=Place(EXPORT, 2, 4),
            words="save export parameters settings toml",
            title="Export scenario…",
        )

    def open_bundled(self, name: str) -> None:
        """Run a bundled scenario."""
        self.begun.emit(title_of(name))
        self._session.open(name, run=True)

    def open_first(self, files: Sequence[str], default: str) -> None:
        """Open the files named on the command line, or the bundled scenario `default` if there are none or they cannot
        be opened. A window shows one system, so of several files the last one remains.
        """
        if not files:
            self.open_bundled(default)
        for name in files:
            self.open(Path(name), otherwise=default)

    def ask_open(self) -> None:
        """Choose a scenario or a state, and run it."""
        path = self._chooser.to_open("open", "Open a scenario, a state, a recording or a lesson", open_filter())
        if path is not None:
            self.open(path)
            self.chosen.emit()

    def open(self, path: Path, *, otherwise: str | None = None) -> None:
        """Run a scenario or state from a file, or start a lesson. If that fails, the present run continues.

        otherwise : a bundled scenario to run if the file cannot be opened and nothing is running yet.
        """
        self.begun.emit("")
        path = typed_path(path)
        self._being_opened.add(path.resolve())
        if _is_own(path):
            self._settings.set_folder("open", path.resolve().parent)
        opener = self._opener_of(path)
        if opener is None:
            self.replaces_run.emit()
            self._session.open(path, run=True, otherwise=otherwise)
            return
        opened = attempt(lambda: opener.open(path), self._session.notices.send, OPENING)
        (self.on_opened if opened else self.on_refused)(path)
        if not opened and otherwise is not None and self._session.status().state == "empty":
            self._session.open(otherwise, run=True)

    def on_opened(self, path: Path) -> None:
        """List a file that was opened in *Open recent*, if the user asked for it."""
        if path.resolve() in self._being_opened:
            self._being_opened.discard(path.resolve())
            self.list_recent(path)

    def on_refused(self, path: Path) -> None:
        """Remove a file that could not be opened from *Open recent*."""
        self._being_opened.discard(path.resolve())
        self._settings.remove_recent(path)

    def list_recent(self, path: Path) -> None:
        """Add a file to *Open recent*."""
        if _is_own(path):
            self._settings.add_recent(path)

    def _opener_of(self, path: Path) -> Opener | None:
        return next((opener for opener in self.openers if opener.takes(path)), None)

    def label_of(self, path: Path) -> str:
        """What a file is called in a list: its title, or its name."""
        opener = self._opener_of(path)
        return title_of(path) if opener is None else opener.label(path)

    def ask_save(self) -> None:
        """Save the running scenario."""
        path = self._chooser.to_save("save", "scenario.toml", "Save the scenario", "Scenario (*.toml)")
        if path is not None:
            self.save(path)

    def save(self, path: Path) -> None:
        """Write the scenario including all defaults."""
        notify = self._session.notices.send
        if attempt(lambda: self._session.save_scenario(path), notify, "save"):
            self.list_recent(path)
            notify(Notice("info", f"Saved {path.name}", folder=str(path.parent), about="save"))

    def _fill_recent(self, menu: QMenu) -> None:
        menu.clear()
        for path in self._settings.recent:
            entry = QAction(self.label_of(path), menu)
            entry.setToolTip(str(path))
            entry.triggered.connect(lambda _checked, path=path: self.open(path))
            menu.addAction(entry)
        if menu.isEmpty():
            nothing = menu.addAction("No recent files")
            assert nothing is not None
            nothing.setEnabled(False)


def _is_own(path: Path) -> bool:
    """Whether a file exists and is not one of the program's own, which are already in the menus."""
    return path.is_file() and not path.resolve().is_relative_to(Path(str(resources.files("resources"))).resolve())


def dropped_file(data: QMimeData | None) -> Path | None:
    """The first file of a drop that the program can open."""
    if data is None or not data.hasUrls():
        return None
    paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    return next((path for path in paths if path.suffix.lower() in (".toml", SUFFIX) or formats.is_readable(path)), None)


class SessionFiles(QObject, Part):
    """Saves and recovers the run together with its view.

    Signals: ``replaces_run`` before work is recovered, which takes the place of the present run.
    """

    replaces_run = pyqtSignal()

    def __init__(self, context: Context) -> None:
        super().__init__(context.window)
        self._session, self._notify, self._chooser = context.session, context.notify, context.files
        context.listen(self._session.resumed, self.show)

    def commands(self) -> Iterator[MenuEntry]:
        """Commands to save a session, and the menu of kept work."""
        yield Submenu("Kept work", Place("File", 1, 4), self.fill_menu)
        yield Command(
            "file.save_session",
            "Save…",
            self.ask_save,
            ("Ctrl+S", "Ctrl+Alt+S"),
            "Save the exact state, view and plots, to continue later",
            "mdi6.content-save-outline",
            menu=Place("File", 1, 5),
            words="session keep store",
            title="Save session…",
        )

    def ask_save(self) -> None:
        """Save the session."""
        path = self._chooser.to_save("session", f"session{SUFFIX}", "Save the session", f"Session (*{SUFFIX})")
        if path is not None:
            self._session.save_session(path)

    def show(self, state: SessionState) -> None:
        """Restore the view of a session."""
        document = self._session.document
        # undone together with the opening; without an earlier run there is nothing to go back to
        of_opening = document.history.attached() if document.history.undo_text else document.unrecorded()
        with of_opening, document.together("opening"):
            document.restore(state.document, state.lanes[0].system)

    @property
    def crashed(self) -> Recoverable | None:
        """The autosave of a program that crashed, None if there is none."""
        autosave = self._session.saving.autosave
        left = autosave.found() if autosave is not None else []
        return left[0] if left else None

    def offer_work(self) -> None:
        """Offer to recover the autosave of a crashed program, if there is one."""
        found = self.crashed
        if found is not None:
            notice = Notice("info", "aggviewer closed unexpectedly", described(found))
            self._notify(notice, (("Recover", self.opener(found)), ("Discard", lambda: self._discard(found))))

    def kept_work(self) -> list[Recoverable]:
        """Work kept on closing, newest first."""
        kept = self._session.saving.kept_work
        return kept.found() if kept is not None else []

    def fill_menu(self, menu: QMenu) -> None:
        """An entry for each piece of kept work."""
        menu.clear()
        for found in self.kept_work():
            entry = menu.addAction(described(found))
            assert entry is not None
            entry.triggered.connect(self.opener(found))
        if menu.isEmpty():
            nothing = menu.addAction("No kept work")
            assert nothing is not None
            nothing.setEnabled(False)

    def opener(self, found: Recoverable) -> Callable[[], None]:
        """Continue a piece of kept work."""

        def recover() -> None:
            self.replaces_run.emit()
            self._session.recover(found.path)

        return recover

    def _discard(self, found: Recoverable) -> None:
        autosave = self._session.saving.autosave
        if autosave is not None:
            autosave.discard(found.path)


def described(found: Recoverable) -> str:
    """The contents and date of a session file."""
    moment = datetime.fromtimestamp(found.saved_at).strftime("%Y-%m-%d %H:%M")
    return f"{found.description}, saved {moment}"
