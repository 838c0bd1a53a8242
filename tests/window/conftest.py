"""A real window under the X server of the tests, with the real engine and a small scenario."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from PyQt6.QtCore import QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer import canvas as canvas_package
from aggviewer.session import Notice, Session
from aggviewer.session.load.builder import Engine
from aggviewer.systems.registry import view_of
from aggviewer.window.app import create_application
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings

_Part = TypeVar("_Part")

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
    gc.freeze()  # see tests.conftest.pytest_collection_finish


def settings_in(folder: Path) -> WindowSettings:
    """Settings of nobody else, with that folder for pictures."""
    made = WindowSettings(folder / "window.ini")
    made.welcome_dismissed = True
    made.set_folder("snapshot", folder)
    return made


@pytest.fixture
def settings(tmp_path: Path) -> WindowSettings:
    """Settings of one test alone."""
    return settings_in(tmp_path)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A scenario file that is soon through."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def shown(settings: WindowSettings) -> MainWindow:
    """A window on the screen that has the keys."""
    window = MainWindow(Session(views=view_of), settings)
    window.resize(1280, 800)
    window.show()
    QTest.qWaitForWindowExposed(window, PATIENCE)
    QApplication.setActiveWindow(window)  # keys need it, and there may be no window manager
    wait_until(window.isActiveWindow)
    return window


def part_of(window: MainWindow, kind: type[_Part]) -> _Part:
    """The part of a window that is of this kind: what does the work behind the commands is nobody else's."""
    found = [found for found in vars(window).values() if isinstance(found, kind)] or window.findChildren(kind)
    assert len(found) == 1, found
    return found[0]


def wait_until(condition: Callable[[], bool]) -> None:
    """Handle events until a condition is true."""
    end = time.monotonic() + 1e-3 * PATIENCE
    while not condition():
        assert time.monotonic() < end, "the condition did not come true"
        QTest.qWait(5)


def put_away(windows: list[MainWindow]) -> None:
    """Close windows and delete them; none of their timers may go on."""
    for window in windows:
        window.close()
        alive = [timer for timer in window.findChildren(QTimer) if timer.isActive()]
        assert not alive, f"timers left running: {[timer.parent() for timer in alive]}"
        window.deleteLater()
    windows.clear()
    QApplication.sendPostedEvents(None, 52)  # QEvent.DeferredDelete
    gc.collect()


def hold(window: MainWindow, scenario: Path) -> None:
    """Load a scenario; its first frame is shown then, and the run is paused."""
    window.session.open(scenario, run=False)
    wait_until(lambda: window.session.status().state == "paused" and window.canvas.frames_drawn > 0)


@pytest.fixture
def make_window(
    qapp: QApplication, qtbot: QtBot, compiled: None, settings: WindowSettings
) -> Iterator[Callable[[], MainWindow]]:
    """Makes windows; they are closed afterwards."""
    made: list[MainWindow] = []

    def make() -> MainWindow:
        made.append(shown(settings))
        return made[-1]

    yield make
    put_away(made)


@pytest.fixture(scope="module")
def shared_window(qapp: QApplication, compiled: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    """One paused window for all tests of a module that leave it as they found it: to open one takes a second."""
    folder = tmp_path_factory.mktemp("shared")
    (folder / "small.toml").write_text(SMALL)
    window = shown(settings_in(folder))
    hold(window, folder / "small.toml")
    yield window
    put_away([window])


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
def held(window: MainWindow, small: Path) -> MainWindow:
    """A window that shows the first frame of the small scenario, paused."""
    hold(window, small)
    return window
