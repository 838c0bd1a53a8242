"""Somebody at a real window who tries all that there is, while a `WatchedHeartbeat` looks whether it answers."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent, QObject, QTimer
from PyQt6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from aggviewer.session import Session
from aggviewer.session.notices import Notices
from aggviewer.session.saved.autosave import Autosave
from aggviewer.systems.registry import view_of
from aggviewer.window.app import create_application
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from benchmarks.heartbeat import WatchedHeartbeat
from engine.scenario import Scenario

PATIENCE = 150_000  # milliseconds; only a machine that hangs waits so long
_READS = 300  # milliseconds for which a dialog is looked at
_COLORS = ("speed", "direction", "contacts", "local_density", "force", "cluster")
_DIALOGS = ("file.snapshot_as", "file.film", "file.plots", "file.figure")


class Person:
    """Does one thing after another at a window, and lets it go on a little after each.

    window : on the screen; heart : is told what is done, see `WatchedHeartbeat.doing`; folder : for files.
    """

    def __init__(self, window: MainWindow, heart: WatchedHeartbeat, qtbot: QtBot, folder: Path) -> None:
        self.window = window
        self.session = window.session
        self.heart = heart
        self.folder = folder
        self._qtbot = qtbot

    def do(self, what: str, call: Callable[[], object], rest: float = 0.4) -> None:
        """Do it in the event loop, as a click would, and wait for so many seconds."""
        self.heart.doing = what
        QTimer.singleShot(0, call)
        self._qtbot.wait(round(1000.0 * rest))

    def command(self, name: str, rest: float = 0.4) -> None:
        """Choose a command, where it can be used now."""
        action = self.window.commands.action(name)
        if action.isVisible() and action.isEnabled():
            self.do(name, action.trigger, rest)

    def until(self, what: str, condition: Callable[[], bool]) -> None:
        """Wait for something."""
        self.heart.doing = what
        self._qtbot.waitUntil(condition, timeout=PATIENCE)

    def open(self, name: str) -> None:
        """Open a bundled scenario from the menu, and wait for its first picture."""
        self._new_picture(f"opening {name}", lambda: self.command(f"scenario.{name}", 0.1))

    def load(self, scenario: Scenario) -> None:
        """Run another scenario, and wait for its first picture."""
        load = partial(self.session.load, scenario, run=True)
        self._new_picture("opening a scenario", lambda: self.do("opening a scenario", load))

    def _new_picture(self, what: str, ask: Callable[[], None]) -> None:
        before = self.window.refresher.shown()
        system = None if before is None else before.system

        def there() -> bool:
            shown = self.window.refresher.shown()
            return shown is not None and shown.system is not system

        ask()
        self.until(what, there)
        self._qtbot.wait(500)

    def all_of_it(self) -> None:
        """What a person can do with any run."""
        self.pace()
        self.looks()
        self.steps()
        self.files()
        self.restarts()

    def pace(self) -> None:
        """Slower, faster, as fast as it can."""
        self.command("run.faster")
        self.command("run.fastest", 1.0)
        self.command("run.no_limit", 1.5)
        self.command("run.slower")

    def looks(self) -> None:
        """Colours, layers, plots, panels, the table and the view."""
        for field in _COLORS:
            self.command(f"view.color_by_{field}")
        for layer in ("contacts", "velocities", "forces", "hulls", "voronoi", "density", "tracks"):
            self.command(f"view.show_{layer}")
            self.command(f"view.show_{layer}", 0.2)
        canvas = self.window.canvas
        for _ in range(3):
            self.do("zoom", partial(canvas.zoom, 1.6), 0.2)
        self.do("pan", partial(canvas.pan, 30.0, 20.0), 0.2)
        self.command("view.fit")
        self.command("plots.1")
        self.command("plots.1")
        for name in ("view.inspector", "view.merges", "view.parameters", "view.plots", "view.presenter"):
            self.command(name, 0.6)
            self.command(name, 0.6)
        self.command("edit.select_all")
        self.command("edit.select_none")
        for theme in ("light", "dark"):
            self.command(f"view.theme_{theme}")

    def steps(self) -> None:
        """Pause, steps, the past, and on."""
        self.do("pause", self.session.pause)
        self.command("run.step_event")
        self.command("run.step_frame")
        self.command("run.step_back")
        timeline = self.session.status().timeline
        if timeline is not None:
            for share in (0.2, 0.6, 0.4):
                time = timeline.begin + share * (timeline.end - timeline.begin)
                self.do("looking back", partial(self.session.look_at, time))
        self.command("run.backwards", 0.6)
        self.command("run.live")
        self.do("running on", self.session.run, 0.6)

    def files(self) -> None:
        """A session saved, and every dialog of export opened and closed."""
        path = self.folder / "saved.aggsession"
        self.do("saving a session", partial(self.session.save_session, path), 0.2)
        self.until("saving a session", path.is_file)
        for name in _DIALOGS:
            leaving = QTimer()  # again and again: a busy machine may show the dialog later than that
            leaving.timeout.connect(_leave)
            leaving.start(_READS)
            self.command(name, 0.6)
            leaving.stop()
        for name in ("help.keys", "help.palette", "file.scenarios"):
            self.command(name)
            _leave()

    def restarts(self) -> None:
        """Restart, undo, redo, a comparison."""
        self.command("run.restart", 0.6)
        self.command("edit.undo", 0.6)
        self.command("edit.redo", 0.6)
        self.command("method.compare", 1.0)
        self.command("method.compare", 0.6)


def _leave() -> None:
    """Out of every dialog."""
    for widget in (QApplication.activeModalWidget(), QApplication.activePopupWidget(), *QApplication.topLevelWidgets()):
        if widget is not None and widget.isVisible() and not isinstance(widget, MainWindow):
            widget.reject() if isinstance(widget, QDialog) else widget.close()


class _UntilHidden(QObject):
    """Lets a heart beat for the last time when the window is gone from the screen: from then on nobody waits for it."""

    def __init__(self, window: MainWindow, heart: WatchedHeartbeat) -> None:
        super().__init__()
        self._heart = heart
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Look for the end."""
        if event is not None and event.type() == QEvent.Type.Hide:
            self._heart.beat()
            self._heart.stop()
        return False


@contextmanager
def person(qtbot: QtBot, folder: Path, patch: pytest.MonkeyPatch) -> Iterator[Person]:
    """Somebody at a new window, which is empty and is closed afterwards."""
    for name, choice in (("ask_save", folder / "chosen"), ("ask_open", None)):
        patch.setattr(f"aggviewer.widgets.file_dialogs.{name}", lambda *_, choice=choice: choice)
    create_application()
    settings = WindowSettings(folder / "window.ini")
    settings.welcome_dismissed = True
    notices = Notices()
    session = Session(notices=notices, autosave=Autosave(notices, folder=folder / "kept"), views=view_of)
    window = MainWindow(session, settings)
    gc.collect()
    gc.freeze()  # as `aggviewer.window.app` does two seconds after the start
    heart = WatchedHeartbeat()
    try:
        window.resize(1440, 900)
        heart.doing = "the first picture of the window"
        window.show()
        qtbot.waitExposed(window)
        yield Person(window, heart, qtbot, folder)
        heart.doing = "closing"
        seen = _UntilHidden(window, heart)
        window.close()
        window.removeEventFilter(seen)
    finally:
        heart.stop()
        window.close()
        window.deleteLater()
        gc.unfreeze()
