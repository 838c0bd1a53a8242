"""Loading plug-ins while the window is open: only by what the person does here or in the console, never by a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from PyQt6.QtCore import QObject
from PyQt6.QtWidgets import QMessageBox, QWidget

from aggviewer.session import Notice, Session
from aggviewer.session.notices import Notify
from aggviewer.widgets.command import Command, Entry, Place
from aggviewer.window.files.file_dialogs import FileChooser
from aggviewer.window.stage.toasts import Choices
from engine import plugins
from engine.errors import InputError
from engine.system import System, find

NO_FILE = "No plug-in file is loaded: load one first"
_WARNING = (
    "A plug-in is a program: it can do on this computer all that you can do. Load it only if you have written it, or "
    "trust who has."
)
_FILM = "a film is being made with the plug-ins that are loaded: wait for it, or cancel it"


class Busy(Protocol):
    """Something that goes on beside the window and uses what plug-ins have added."""

    @property
    def busy(self) -> bool:
        """Whether it goes on now."""


class PlugIns(QObject):
    """Loads plug-ins and loads them again.

    Parameters
    ----------
    window : the parent of dialogs.
    session : what runs.
    films : nothing is exchanged while one is made.
    chooser : asks for a file.
    notify : shows a message; ask(notice, choices) : one with buttons.
    follow : brings the window in line with what is registered. InputError where that cannot be.
    """

    def __init__(
        self,
        window: QWidget,
        session: Session,
        films: Busy,
        chooser: FileChooser,
        notify: Notify,
        ask: Callable[[Notice, Choices], None],
        follow: Callable[[], None],
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._films, self._chooser = window, session, films, chooser
        self._notify, self._ask, self._follow = notify, ask, follow
        self._unwatch = plugins.watch(self._on_loaded)

    def commands(self) -> Iterator[Entry]:
        """Load one, load all again."""
        yield Command(
            "file.load_plug_in",
            "Load plug-in…",
            self.choose,
            tooltip="Load a Python file that adds systems, layers, commands, formats or indicators",
            icon="mdi6.puzzle-plus-outline",
            menu=Place("File", 3, 1),
        )
        yield Command(
            "file.reload_plug_ins",
            "Reload plug-ins",
            self.reload,
            ("Ctrl+Shift+R",),
            "Load the files of all plug-ins again, as they are now",
            "mdi6.puzzle-edit-outline",
            menu=Place("File", 3, 2),
            reason=lambda: "" if self.files else NO_FILE,
        )

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that were loaded, or were to be. Installed packages are loaded at the start alone."""
        return tuple(Path(one.source) for one in plugins.known() if one.is_file)

    def choose(self) -> None:
        """Let the person choose a file, say what it means to load one, and load it."""
        path = self._chooser.to_load()
        if path is not None and (path.resolve() in self.files or self._agreed(path)):
            self.load(path)

    def _agreed(self, path: Path) -> bool:
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle("Plug-in")
        box.setText(f"Load {path.name}?")
        box.setInformativeText(_WARNING)
        load = box.addButton("Load", QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(box.addButton("Cancel", QMessageBox.ButtonRole.RejectRole))
        box.exec()
        return box.clickedButton() is load

    def load(self, path: Path) -> None:
        """Load a plug-in; one that is loaded is loaded again. A message says what has become of it."""
        self._chooser.begin("plug-in")
        known = path.resolve() in [Path(one.source) for one in plugins.known() if not one.problem]
        before = self._running()
        found = self._loaded(path)
        if found is None:
            return
        if known:
            self._tell_again([found], before)
        else:
            adds = f"It adds: {', '.join(found.adds)}" if found.adds else "It adds nothing"
            self._notify(Notice("info", f"{found.name} is loaded", adds))

    def reload(self) -> None:
        """Load all files again, each for itself."""
        self._chooser.begin("plug-in")
        before = self._running()
        found = [self._loaded(path) for path in self.files]
        self._tell_again([one for one in found if one is not None], before)

    def _loaded(self, path: Path) -> plugins.PlugIn | None:
        """Load one file. None, with a message, where that fails."""
        there = [one.name for one in plugins.known() if Path(one.source) == path.resolve() and not one.problem]
        stays = "What it added before stays as it was" if there else "Nothing of it is there"
        try:
            if self._films.busy:
                raise InputError(_FILM)
            found = plugins.load_file(path, again=True)
        except InputError as error:
            found = plugins.PlugIn(path.name, str(path), problem=str(error))
        if not found.problem:
            return found
        how = "loaded again" if there else "loaded"
        words = f"{found.name} is not {how}: {found.problem}"
        self._notify(Notice("error", words, stays, found.details, key=str(path.resolve()), about="plug-in"))
        return None

    def _tell_again(self, found: list[plugins.PlugIn], before: dict[str, System | None]) -> None:
        """Say which files were loaded again, and which run goes on as it began."""
        if not found:
            return
        names = " and ".join(filter(None, (", ".join(one.name for one in found[:-1]), found[-1].name)))
        title = f"{names} {'is' if len(found) == 1 else 'are'} loaded again"
        former = [one for name, one in self._running().items() if one is not None and one is not before.get(name)]
        if former:  # all that run side by side are of one system
            words = f"{former[0].title} goes on as it was before, until it is started anew"
            self._ask(Notice("info", title, words), [("Start anew", lambda: self._session.restart())])
        else:
            self._notify(Notice("info", title))

    def _running(self) -> dict[str, System | None]:
        """The systems that run, by their names, as they are registered now."""
        names = [lane.system for lane in self._session.status().lanes]
        if self._session.scenario is not None:
            names.append(self._session.scenario.system)
        return {name: find(name) for name in names}

    def _on_loaded(self) -> None:
        """A plug-in was loaded, here or elsewhere in this process."""
        for name, system in self._running().items():
            if system is None:
                raise InputError(f"it has no system {name} any more, which runs now")
        self._follow()

    def close(self) -> None:
        """Watch no longer."""
        self._unwatch()
