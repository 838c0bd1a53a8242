"""`aggviewer.open`: a window on a simulation that was made in Python."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QEventLoop, QTimer
from PyQt6.QtWidgets import QApplication

import aggviewer
import engine
from aggviewer.window import app
from aggviewer.window.main_window import MainWindow
from engine.scenario import Scenario
from tests.window.conftest import wait_until


@pytest.fixture(autouse=True)
def only_this(monkeypatch: pytest.MonkeyPatch, qapp: QApplication, compiled: None) -> None:
    """Nothing is compiled in the background."""
    monkeypatch.setattr(app, "all_parts", lambda: ())


@pytest.fixture
def simulation() -> engine.simulation.Simulation:
    """100 discs, half through."""
    made = engine.create(Scenario().with_values({"discs.count": 100, "seed": 5}))
    made.run(until_clusters=50)
    return made


def when_open(do: Callable[[MainWindow], None], errors: list[BaseException]) -> None:
    """Have `do` called with the window as soon as there is one; then it is closed."""

    def look() -> None:
        windows = [one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow) and one.isVisible()]
        if not windows:
            QTimer.singleShot(20, look)
            return
        try:
            do(windows[0])
        except BaseException as error:
            errors.append(error)
        finally:
            windows[0].close()

    QTimer.singleShot(0, look)


def opened(shown: object, do: Callable[[MainWindow], None]) -> None:
    """Call `aggviewer.open`, and `do` while the window is open."""
    errors: list[BaseException] = []
    when_open(do, errors)
    aggviewer.open(shown)
    if errors:
        raise errors[0]


def test_the_window_goes_on_with_a_copy_and_simulation_and_process_stay_as_they_were(
    simulation: engine.simulation.Simulation,
) -> None:
    before, seen = simulation.frame(), []
    handler, interval, hook = signal.getsignal(signal.SIGINT), sys.getswitchinterval(), sys.excepthook
    quits = QApplication.quitOnLastWindowClosed()
    threads = threading.active_count()

    def look(window: MainWindow) -> None:
        assert signal.getsignal(signal.SIGINT) is not handler
        session = window.session
        wait_until(lambda: session.status().state == "paused" and window.refresher.shown() is not None)
        frame = window.refresher.shown().frame
        assert frame.time == simulation.time
        assert np.array_equal(frame.positions, before.positions)
        session.set_speed(float("inf"))
        session.run()
        wait_until(lambda: session.status().state == "finished")
        seen.append(session.status().time)

    opened(simulation, look)
    after = simulation.frame()
    assert after.time == before.time
    assert np.array_equal(after.positions, before.positions)
    simulation.run()
    assert simulation.time == seen[0]  # the copy has gone the same way
    assert signal.getsignal(signal.SIGINT) is handler
    assert (sys.getswitchinterval(), sys.excepthook) == (interval, hook)
    assert QApplication.quitOnLastWindowClosed() == quits
    assert threading.active_count() <= threads
    assert not [one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow)]


def test_ctrl_c_closes_the_window_of_a_file_inside_a_loop_that_goes_on_afterwards(tmp_path: Path) -> None:
    """As from a notebook with ``%gui qt``."""
    (tmp_path / "mine.toml").write_text("seed = 7\n[discs]\ncount = 25\n")
    outer, said = QEventLoop(), []

    def look() -> None:
        windows = [one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow) and one.isVisible()]
        scenario = windows[0].session.scenario if windows else None
        if scenario is not None and scenario.discs.count == 25:
            said.append("open")
            signal.raise_signal(signal.SIGINT)
        else:
            QTimer.singleShot(20, look)

    def call() -> None:
        try:
            aggviewer.open(tmp_path / "mine.toml")
            said.append("closed")
            QTimer.singleShot(0, lambda: (said.append("the loop goes on"), outer.quit()))
        except BaseException:
            outer.quit()
            raise

    QTimer.singleShot(0, look)
    QTimer.singleShot(0, call)
    outer.exec()
    assert said == ["open", "closed", "the loop goes on"]


def test_an_object_that_cannot_be_opened_is_refused_in_a_sentence(
    simulation: engine.simulation.Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(engine.InputError, match="lattice-100"):
        aggviewer.open("no-such-scenario")
    with pytest.raises(engine.InputError, match=r"aggviewer\.open takes a simulation or a file, not int"):
        aggviewer.open(3)
    said: list[str] = []

    def elsewhere() -> None:
        try:
            aggviewer.open(simulation)
        except RuntimeError as error:
            said.append(str(error))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert said == ["aggviewer.open must be called on the main thread"]
    monkeypatch.setitem(sys.modules, "PySide6.QtCore", sys)
    with pytest.raises(RuntimeError, match="needs PyQt6, and this process has loaded PySide6"):
        aggviewer.open(simulation)


@pytest.mark.slow
def test_without_a_display_the_process_goes_on() -> None:
    code = (
        "import aggviewer\n"
        "try:\n"
        "    aggviewer.open('lattice-100')\n"
        "except RuntimeError as error:\n"
        "    print('told:', error)\n"
    )
    hidden = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=hidden | {"QT_QPA_PLATFORM": "xcb", "PYTHONPATH": str(Path(aggviewer.__file__).parents[1])},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("told: aggviewer cannot open its window: neither DISPLAY nor WAYLAND_DISPLAY is set")
