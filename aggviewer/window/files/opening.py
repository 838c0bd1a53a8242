"""Opening and saving scenarios: bundled ones, files, what is dropped on the window."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from PyQt6.QtCore import QMimeData, QObject, pyqtSignal
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QMenu

from aggviewer.session import Notice, Session
from aggviewer.session.notices import OPENING, attempt
from aggviewer.session.saved.session_file import SUFFIX
from aggviewer.style import numbers
from aggviewer.systems.registry import view_of
from aggviewer.widgets.command import Command, Entry, Place, Submenu
from aggviewer.window.files.file_dialogs import FileChooser, open_filter
from aggviewer.window.settings import WindowSettings
from engine.errors import InputError
from engine.files import formats
from engine.scenario import BundledScenario, Scenario, bundled, load_scenario
from engine.system import systems

_START = re.compile(r"\d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.\d{6} (from .+)\.gsd")  # see `RecordingFiles.new_start`


class Catalog:
    """Names and titles for menus; read once.

    left_out : a sentence about each scenario that cannot be read.
    """

    def __init__(self) -> None:
        self.left_out: list[str] = []
        self.entries: list[BundledScenario] = bundled(self.left_out.append)
        self._scenarios: dict[str, Scenario] = {}
        for entry in self.entries:
            try:
                self._scenarios[entry.name] = load_scenario(entry.name)
            except InputError:
                continue  # a damaged installation: the entry stays and says what is wrong when it is chosen

    def groups(self) -> list[tuple[str, list[BundledScenario]]]:
        """The scenarios by system, each group with its heading; of one that cannot be read nobody knows the system."""
        found = []
        for system in systems():
            members = [entry for entry in self.entries if self._system_of(entry.name) == system.name]
            if members:
                found.append((view_of(system.name).title, members))
        return found

    def _system_of(self, name: str) -> str:
        scenario = self._scenarios.get(name)
        return (scenario or Scenario()).system

    def name_of(self, scenario: Scenario) -> str | None:
        """The bundled scenario that this one is but for its seed."""
        same_seed = scenario.with_values({"seed": 1})
        for name, bundled_one in self._scenarios.items():
            if bundled_one.with_values({"seed": 1}) == same_seed:
                return name
        return None

    def title_of(self, scenario: Scenario) -> str:
        """A short title of any scenario."""
        name = self.name_of(scenario)
        if name is not None:
            return next(entry.title for entry in self.entries if entry.name == name)
        if scenario.discs.arrangement == "file":
            name = scenario.discs.file.replace("\\", "/").rsplit("/", 1)[-1]
            start = _START.fullmatch(name)
            return name if start is None else f"{view_of(scenario.system).start_word} {start[1]}"
        return f"{numbers.count(scenario.discs.count)} discs, own parameters"


@dataclass(frozen=True)
class Opener:
    """Opens one kind of file that is not for the session.

    Parameters
    ----------
    takes : whether a file is of that kind.
    open : opens it. InputError where it cannot.
    label : its name in the list of what was opened last.
    """

    takes: Callable[[Path], bool]
    open: Callable[[Path], None]
    label: Callable[[Path], str]


class Opening(QObject):
    """Opens and saves scenarios, with the folders and names that the person used last. Files of other kinds go to the
    `openers`: the first one that takes a file opens it; the session opens what none takes.

    Signals: ``begun(name)`` before something is opened, with the name of a bundled scenario, empty for a file;
    ``leaves_lesson`` before the session opens a file, so that the file does not disappear with the lesson; ``chosen``
    after the user has chosen a file.
    """

    begun = pyqtSignal(str)
    leaves_lesson = pyqtSignal()
    chosen = pyqtSignal()

    def __init__(
        self, session: Session, catalog: Catalog, chooser: FileChooser, settings: WindowSettings, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._catalog = catalog
        self._chooser = chooser
        self._settings = settings
        self.openers: list[Opener] = []
        self._asked: set[Path] = set()  # files that are being opened

    def commands(self) -> Iterator[Entry]:
        """Open, save, the bundled scenarios, what was opened last."""
        yield Command(
            "file.open",
            "Open…",
            self.ask_open,
            ("Ctrl+O",),
            "Open a scenario, a state, a recording or a lesson",
            "mdi6.folder-open-outline",
            menu=Place("File", 1, 1),
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
        yield Command(
            "file.save",
            "Save scenario…",
            self.ask_save,
            ("Ctrl+S",),
            "Save the scenario that runs, every default written out",
            "mdi6.content-save-outline",
            menu=Place("File", 1, 6),
        )

    def open_bundled(self, name: str) -> None:
        """Run a bundled scenario."""
        self.begun.emit(name)
        self._session.open(name, run=True)

    def ask_open(self) -> None:
        """Choose a scenario or a state, and run it."""
        path = self._chooser.to_open("open", "Open a scenario, a state, a recording or a lesson", open_filter())
        if path is not None:
            self.open(path)
            self.chosen.emit()

    def open(self, path: Path, *, otherwise: str | None = None) -> None:
        """Run a scenario or a state from a file, or begin a lesson; what runs goes on if that cannot be done.

        otherwise : a bundled scenario to run where the file cannot be opened and nothing runs yet.
        """
        self.begun.emit("")
        path = path.expanduser()
        self._asked.add(path.resolve())
        if _is_own(path):
            self._settings.set_folder("open", path.resolve().parent)
        opener = self._opener_of(path)
        if opener is None:
            self.leaves_lesson.emit()
            self._session.open(path, run=True, otherwise=otherwise)
            return
        opened = attempt(lambda: opener.open(path), self._session.notices.send, OPENING)
        (self.on_opened if opened else self.on_refused)(path)
        if not opened and otherwise is not None and self._session.status().state == "empty":
            self._session.open(otherwise, run=True)

    def on_opened(self, path: Path) -> None:
        """List a file that was opened in *Open recent*, if the user asked for it."""
        if path.resolve() in self._asked:
            self._asked.discard(path.resolve())
            self.list_recent(path)

    def on_refused(self, path: Path) -> None:
        """Remove a file that could not be opened from *Open recent*."""
        self._asked.discard(path.resolve())
        self._settings.remove_recent(path)

    def list_recent(self, path: Path) -> None:
        """Add a file to *Open recent*."""
        if _is_own(path):
            self._settings.add_recent(path)

    def _opener_of(self, path: Path) -> Opener | None:
        return next((opener for opener in self.openers if opener.takes(path)), None)

    def ask_save(self) -> None:
        """Save the scenario that runs."""
        path = self._chooser.to_save("save", "scenario.toml", "Save the scenario", "Scenario (*.toml)")
        if path is not None:
            self.save(path)

    def save(self, path: Path) -> None:
        """Write the scenario, every default included."""
        notify = self._session.notices.send
        if attempt(lambda: self._session.save_scenario(path), notify, "save"):
            self.list_recent(path)
            notify(Notice("info", f"Saved {path.name}", folder=str(path.parent), about="save"))

    def _fill_recent(self, menu: QMenu) -> None:
        menu.clear()
        for path in self._settings.recent:
            opener = self._opener_of(path)
            entry = QAction(path.name if opener is None else opener.label(path), menu)
            entry.setToolTip(str(path))
            entry.triggered.connect(lambda _checked, path=path: self.open(path))
            menu.addAction(entry)
        if menu.isEmpty():
            nothing = menu.addAction("Nothing opened yet")
            assert nothing is not None
            nothing.setEnabled(False)


def _is_own(path: Path) -> bool:
    """Whether a file exists and does not come with the program, whose own files are in the menus already."""
    return path.is_file() and not path.resolve().is_relative_to(Path(str(resources.files("resources"))).resolve())


def dropped_file(data: QMimeData | None) -> Path | None:
    """The first file of a drop that the program can open."""
    if data is None or not data.hasUrls():
        return None
    paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    return next((path for path in paths if path.suffix.lower() in (".toml", SUFFIX) or formats.is_readable(path)), None)
