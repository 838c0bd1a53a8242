"""Loading plug-ins while the window is open: only by the user, here or in the console, never by a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PyQt6.QtWidgets import QMessageBox

from aggviewer.session import Notice
from aggviewer.widgets.command import Command, Entry, Place
from aggviewer.widgets.part import Context, Part
from engine import plugins
from engine.errors import InputError
from engine.paths import typed_path

_WARNING = (
    "A plug-in is a program and can do anything on this computer that you can. Load it only if you wrote it or trust "
    "its author."
)


class PlugIns(Part):
    """Loads plug-ins into the open window."""

    def __init__(self, context: Context) -> None:
        self._window, self._chooser, self._notify = context.window, context.files, context.notify

    def commands(self) -> Iterator[Entry]:
        """The command to load a plug-in."""
        yield Command(
            "file.load_plug_in",
            "Load plug-in…",
            self.choose,
            tooltip="Load a Python file that adds systems, layers, commands, formats or indicators",
            icon="mdi6.puzzle-plus-outline",
            menu=Place("File", 3, 1),
        )

    def choose(self) -> None:
        """Ask for a file, warn about the risk, and load it."""
        path = self._chooser.to_open("plug-in", "Load a plug-in", "Plug-ins (*.py)")
        if path is not None and (_is_loaded(path) or self._agreed(path)):
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
        """Load a plug-in, and report the result."""
        self._chooser.begin("plug-in")
        if _is_loaded(path):
            again = "If the file has changed, restart the program"
            self._notify(Notice("info", f"{path.name} is already loaded", again))
            return
        try:
            found = plugins.load_file(path)
        except InputError as error:
            found = plugins.PlugIn(path.name, str(path), problem=str(error))
        if found.problem:
            words = f"{found.name} was not loaded: {found.problem}"
            key = str(path.resolve())
            self._notify(Notice("error", words, "Nothing was added", found.details, key=key, about="plug-in"))
        else:
            adds = f"It adds: {', '.join(found.adds)}" if found.adds else "It adds nothing"
            self._notify(Notice("info", f"{found.name} is loaded", adds))


def _is_loaded(path: Path) -> bool:
    """Whether the plug-in in this file was loaded successfully."""
    return any(Path(one.source) == typed_path(path).resolve() and not one.problem for one in plugins.known())
