"""A window opened by a Python program such as a notebook, which continues after the window is closed.

The process belongs to that program: everything the window changes in it (signal and error handlers, Qt settings) is
restored on closing, and nothing here ends the process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PyQt6.QtCore import QCoreApplication, QEvent, QEventLoop, QTimer, qInstallMessageHandler
from PyQt6.QtWidgets import QApplication

from aggviewer.session import Notices
from aggviewer.session.saved.autosave import KeptWork
from aggviewer.session.saved.state import SessionState
from aggviewer.window.app import DEFAULT_SCENARIO, compiling_the_rest, create_application, make_window
from aggviewer.window.main_window import MainWindow
from engine.simulation import Simulation

_OTHERS = ("PySide6", "PyQt5", "PySide2")
_PROBE = "from aggviewer.window.app import create_application; create_application()"
_kept: list[QApplication] = []  # an application must live as long as the process


def show_file(name: str) -> None:
    """Open a file or bundled scenario in a window. Returns when it is closed."""
    _show(lambda window: window.open_first([name], DEFAULT_SCENARIO))


def show_simulation(simulation: Simulation) -> None:
    """Open an exact copy of a simulation in a window, paused. Returns when it is closed."""
    state = SessionState(
        lanes=[simulation.checkpoint()],
        scenarios=[simulation.scenario.to_toml()],
        time=simulation.time,
        clusters=simulation.frame().clusters,
        count=simulation.count,
        saved_as="paused",
    )
    _show(lambda window: window.session.resume(state))


def _show(begin: Callable[[MainWindow], None]) -> None:
    """Create a window, call `begin` to show something in it, and wait until it is closed.

    Raises RuntimeError if no window can be opened.
    """
    _check_possible()
    with _process_as_it_was():
        notices = Notices()
        notices.install()
        try:
            application = create_application()
            _kept[:] = [application]
            application.setQuitOnLastWindowClosed(False)  # an event loop of the program would end with the window
            window = make_window(notices, KeptWork())
            signal.signal(signal.SIGINT, lambda *_: QTimer.singleShot(0, window.close))
            try:
                with compiling_the_rest(window.session):
                    window.show()
                    begin(window)
                    loop = QEventLoop()
                    window.closed.connect(loop.quit)
                    loop.exec()
                    window.close()  # where somebody else has ended the loop
            finally:
                window.session.close()
                window.deleteLater()
                QCoreApplication.sendPostedEvents(window, QEvent.Type.DeferredDelete)
        finally:
            notices.uninstall()


def _check_possible() -> None:
    """Raise RuntimeError with an explanation if no window can be opened, or if it would end the process."""
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("aggviewer.open must be called on the main thread")
    other = next((name for name in _OTHERS if f"{name}.QtCore" in sys.modules), None)
    if other is not None:
        raise RuntimeError(
            f"aggviewer.open needs PyQt6, and this process has loaded {other}: set QT_API=pyqt6 before starting Python"
        )
    existing = QCoreApplication.instance()
    if existing is None:
        # without a display Qt would end the process, so a child process checks
        found = subprocess.run([sys.executable, "-c", _PROBE], capture_output=True, text=True, check=False, env=_here())
        if found.returncode:
            said = found.stderr.strip().splitlines() or ["aggviewer cannot open its window"]
            raise RuntimeError(said[-1])
    elif not isinstance(existing, QApplication):
        raise RuntimeError("aggviewer.open needs a QApplication, and this process has a Qt application without widgets")


def _here() -> dict[str, str]:
    """The environment of another Python process, in which it finds the same packages."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}


@contextmanager
def _process_as_it_was() -> Iterator[None]:
    """Restore the settings of the process afterwards."""
    interval, handler = sys.getswitchinterval(), signal.getsignal(signal.SIGINT)
    messages = qInstallMessageHandler(None)
    existing = QApplication.instance()
    quits = QApplication.quitOnLastWindowClosed() if existing is not None else True
    try:
        yield
    finally:
        QApplication.setQuitOnLastWindowClosed(quits)
        qInstallMessageHandler(messages)
        signal.signal(signal.SIGINT, handler)
        sys.setswitchinterval(interval)
