"""A real window under the X server of the tests, with the real engine and a small scenario."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer import canvas as canvas_package
from aggviewer.session import Notice, Session
from aggviewer.session.engine_face import Engine
from aggviewer.window.app import create_application
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings

PATIENCE = 60_000  # milliseconds; only a machine that hangs waits so long

SMALL = """
format = 1
seed = 5
[discs]
count = 225
volume_fraction = 0.2
"""


@pytest.fixture(scope="session")
def qapp() -> QApplication:
    """The application as the program makes it."""
    return create_application()


@pytest.fixture(scope="session")
def compiled() -> None:
    """All kernels are there before the first window: no test waits for a compiler inside the event loop."""
    for method in ("event-driven", "time-stepping"):
        Engine().warm_up(lambda done, total, what: None, method)
    canvas_package.warm_up()


@pytest.fixture
def settings(tmp_path: Path) -> WindowSettings:
    """Settings of one test alone."""
    made = WindowSettings(tmp_path / "window.ini")
    made.welcome_dismissed = True
    made.set_folder("snapshot", tmp_path)
    return made


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A scenario file that is soon through."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


@pytest.fixture
def make_window(
    qapp: QApplication, qtbot: QtBot, compiled: None, settings: WindowSettings
) -> Iterator[Callable[[], MainWindow]]:
    """Makes windows; they are closed afterwards, and none of their timers may go on."""
    made: list[MainWindow] = []

    def make() -> MainWindow:
        window = MainWindow(Session(), settings)
        made.append(window)
        window.resize(1280, 800)
        window.show()
        qtbot.waitExposed(window)
        QApplication.setActiveWindow(window)  # keys need it, and there may be no window manager
        qtbot.waitUntil(window.isActiveWindow, timeout=PATIENCE)
        return window

    yield make
    for window in made:
        window.close()
        alive = [timer for timer in window.findChildren(QTimer) if timer.isActive()]
        assert not alive, f"timers left running: {[timer.parent() for timer in alive]}"
        window.deleteLater()
    made.clear()
    qapp.sendPostedEvents(None, 52)  # QEvent.DeferredDelete
    gc.collect()


@pytest.fixture
def window(make_window: Callable[[], MainWindow]) -> MainWindow:
    """An empty window."""
    return make_window()


@pytest.fixture
def notices(window: MainWindow) -> list[Notice]:
    """What the window was told."""
    got: list[Notice] = []
    window.session.notices.sent.connect(got.append)
    return got


@pytest.fixture
def held(window: MainWindow, qtbot: QtBot, small: Path) -> MainWindow:
    """A window that shows the first frame of the small scenario, paused."""
    window.session.open(small, run=False)
    qtbot.waitUntil(
        lambda: window.session.status().state == "paused" and window.canvas.frames_drawn > 0, timeout=PATIENCE
    )
    return window
