"""Start-up and shutdown of the program with its window, also from a Python program such as a notebook.

Such a program continues after the window is closed.
"""

from __future__ import annotations

import faulthandler
import gc
import locale
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import NoReturn

from PyQt6.QtCore import QCoreApplication, QEvent, QEventLoop, Qt, QTimer, QtMsgType, qInstallMessageHandler
from PyQt6.QtGui import QGuiApplication, QIcon, QSurfaceFormat
from PyQt6.QtWidgets import QApplication

from aggviewer import extensions
from aggviewer.latest_job import LatestJob
from aggviewer.session import Notice, Notices, Session
from aggviewer.session.notices import log
from aggviewer.session.precompile import all_parts, end_children, ended_with, fill_cache
from aggviewer.session.saved.autosave import Autosave, KeptWork
from aggviewer.session.saved.state import SessionState
from aggviewer.systems.registry import view_of
from aggviewer.widgets.gui_thread import GuiThread, collecting_garbage_on_this_thread
from aggviewer.window import demo
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from engine.errors import InputError
from engine.plugins import PlugIn, load_file
from engine.plugins import known as known_plug_ins
from engine.simulation import Simulation

DEFAULT_SCENARIO = "lattice-2500"
FIRST_SCENARIO = "lattice-400"
"""The scenario at the start until the user chooses *Show everything*: few, large discs."""

_SWITCH_INTERVAL = 0.002
"""Python's thread switch interval in seconds. Compiling runs in Python; with the default 5 ms, the window, which needs
many short turns per picture, would wait too long."""

_COLLECT_AFTER_MS = 2000

_starting = threading.Event()  # set while the application is made
_said_at_start: list[str] = []  # warnings of Qt while the application is made
_PLATFORM, _X11, _WAYLAND = "QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"
_AVAILABLE = "Available platform plugins are:"
_NO_CONNECTION = "could not connect to display"


def run_window(files: list[str]) -> int:
    """Open the window with `files`, or run the default scenario. Returns the exit status."""
    notices = Notices()
    notices.install()  # must come first: an exception in a slot would otherwise end the process
    try:
        application = create_application()
        request = demo.requested()
        missing = load_plug_ins(WindowSettings().plug_ins)
        kept = KeptWork() if request is None else None  # a demonstration is not the user's work
        window = make_window(notices, kept)
        session, context = window.session, ExitStack()
        signal.signal(signal.SIGINT, lambda *_: QTimer.singleShot(0, window.close))
        window.show()
        everything = session.document.panels.everything
        window.open_first(files, DEFAULT_SCENARIO if everything else FIRST_SCENARIO)
        QTimer.singleShot(_COLLECT_AFTER_MS, partial(_collect_garbage, context))
        report_plug_ins(notices, missing)
        if request is None:
            window.offer_kept_work()
        running = demo.Demo(window, *request) if request is not None else None
        with context, compiling_the_rest(session):
            try:
                status = application.exec()
            finally:
                window.close()
        status = running.status if running is not None else status
        if not session.close(0.0):
            _leave(status)
        return status
    finally:
        notices.uninstall()


def load_plug_ins(files: Sequence[Path]) -> list[PlugIn]:
    """Load the plug-ins that are listed in *Preferences*. Returns those whose file is missing; `engine.plugins.known`
    has the others. It is called before there is a document, which has parts of plug-ins."""
    missing = []
    for file in files:
        try:
            load_file(file)
        except InputError as error:
            missing.append(PlugIn(file.name, str(file), problem=str(error)))
    return missing


def report_plug_ins(notices: Notices, missing: Sequence[PlugIn]) -> None:
    """Send a warning about each plug-in that is left out, once the window is there. missing : see `load_plug_ins`."""
    for plug_in in (*known_plug_ins(), *missing):
        if plug_in.problem:
            words = f"The plug-in {plug_in.name} was not loaded"
            notices.send(Notice("warning", words, plug_in.problem, plug_in.details))


def _collect_garbage(context: ExitStack) -> None:
    """Start garbage collection, which `aggviewer.cli.exits.open_window` has deferred, until `context` ends. Objects
    created so far live as long as the window, so later collections skip them."""
    gc.freeze()
    context.enter_context(collecting_garbage_on_this_thread())


def make_window(notices: Notices, kept: KeptWork | None) -> MainWindow:
    """Create a window with its own session, not yet shown. kept : where work is kept on closing, if anywhere."""
    gui_thread = GuiThread()
    session = Session(
        notices=notices,
        autosave=Autosave(notices),
        kept=kept,
        measuring_view_of=view_of,
        post_to_owner=gui_thread.later,
    )
    try:
        return MainWindow(session, WindowSettings(), gui_thread)
    except BaseException:
        session.close()
        raise


@contextmanager
def compiling_the_rest(session: Session) -> Iterator[None]:
    """Compile all other methods in the background once the first run exists, so that choosing one never causes a wait.
    No child process is left at the end."""
    job, begun = LatestJob("aggviewer-compiling"), threading.Event()

    def begin(_lanes: object) -> None:
        if not begun.is_set():
            begun.set()
            for part in all_parts():
                job.submit(partial(fill_cache, ended_with(job), *part, idle=True), key=part)

    session.lanes_changed.connect(begin)
    try:
        yield
    finally:
        job.close()
        end_children()


def _leave(status: int) -> NoReturn:
    """End the process while a thread is inside the engine and cannot be interrupted.

    Everything has been saved, and nobody wants to wait for a window that is already closed. A normal exit would free
    the memory that the thread is using.
    """
    log.info("closed while the engine was busy")
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(status)


def create_application() -> QApplication:
    """Load the extensions, and create the QApplication with all settings needed before and after."""
    extensions.load()
    if not faulthandler.is_enabled() and sys.stderr is not None:
        faulthandler.enable()
    sys.setswitchinterval(_SWITCH_INTERVAL)
    if os.environ.get("WAYLAND_DISPLAY") and os.environ.get("DISPLAY") and not os.environ.get("QT_QPA_PLATFORM"):
        # Wayland with a proprietary driver gives no valid OpenGL context; X11 works on both
        os.environ["QT_QPA_PLATFORM"] = "xcb;wayland"
    qInstallMessageHandler(_on_qt_message)
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    format_ = QSurfaceFormat.defaultFormat()
    format_.setSwapInterval(0)  # `Refresher` sets the pace; a GUI thread that waits for the screen does nothing else
    QSurfaceFormat.setDefaultFormat(format_)
    # otherwise a style sheet would keep the presenter's large font from inner widgets
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_UseStyleSheetPropagationInWidgetStyles)
    QApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else _new_application()
    locale.setlocale(locale.LC_NUMERIC, "C")  # decimal commas of the user's locale, set by Qt, would break parsers
    application.setApplicationName("aggviewer")
    application.setApplicationDisplayName("aggviewer")
    QGuiApplication.setDesktopFileName("aggviewer")
    application.setStyle("Fusion")
    application.setWindowIcon(QIcon(str(_icon_path("aggviewer.svg"))))
    # icons of files and messages where the desktop has none; Qt looks for them only if the icons have a theme
    QIcon.setFallbackSearchPaths([*QIcon.fallbackSearchPaths(), str(_icon_path("stock"))])
    QIcon.setThemeName(QIcon.themeName() or "hicolor")
    return application


def _new_application() -> QApplication:
    """Create a new application. Without a display Qt ends the process; make it print a sentence and exit with status
    1."""
    _said_at_start.clear()
    _starting.set()
    try:
        return QApplication(["aggviewer"])
    finally:
        _starting.clear()


def _icon_path(name: str) -> Path:
    from importlib import resources

    return Path(str(resources.files("resources") / "icons" / name))


def _on_qt_message(kind: QtMsgType, _context: object, message: str | None) -> None:
    """Send Qt's messages to the log instead of the terminal; fatal ones are also printed."""
    if kind in (QtMsgType.QtWarningMsg, QtMsgType.QtCriticalMsg):
        log.warning("Qt: %s", message)
        if _starting.is_set():
            _said_at_start.append(message or "")
    elif kind == QtMsgType.QtFatalMsg:
        log.critical("Qt: %s", message)
        if _starting.is_set():
            sys.stderr.write(f"{why_no_window(message or '', _said_at_start, os.environ)}\n")
            sys.stderr.flush()
            os._exit(1)  # Qt would abort, which looks like a crash
        sys.stderr.write(f"{message}\n")


def why_no_window(message: str, warnings: Sequence[str], environment: Mapping[str, str]) -> str:
    """Explain to the user what is wrong with the display.

    message : Qt's fatal message; warnings : its earlier messages; environment : the variables of the process.
    """
    platforms = [name.strip(" .\n") for name in message.partition(_AVAILABLE)[2].split(",")]
    asked = [name for name in environment.get(_PLATFORM, "").split(";") if name]
    unknown = [name for name in asked if name.partition(":")[0] not in platforms]
    if unknown and platforms != [""]:
        reason = f"{_PLATFORM} names {unknown[0]!r}, but Qt has {', '.join(sorted(platforms))} here"
    elif environment.get(_X11) and any(_NO_CONNECTION in warning for warning in warnings):
        reason = f"the display {environment[_X11]} ({_X11}) cannot be reached"
    elif environment.get(_WAYLAND):
        reason = f"the display {environment[_WAYLAND]} ({_WAYLAND}) cannot be reached"
    elif not environment.get(_X11):
        reason = f"neither {_X11} nor {_WAYLAND} is set"
    else:
        reason = (warnings[-1] if warnings else message.splitlines()[0]).strip().rstrip(".")
    return f"aggviewer cannot open its window: {reason}; `aggviewer run` and `render` need no display."


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
