"""The program with its window."""

from __future__ import annotations

import faulthandler
import gc
import locale
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NoReturn

from PyQt6.QtCore import Qt, QTimer, QtMsgType, qInstallMessageHandler
from PyQt6.QtGui import QGuiApplication, QIcon, QSurfaceFormat
from PyQt6.QtWidgets import QApplication

from aggviewer.latest_job import LatestJob
from aggviewer.session import Notice, Notices, Session
from aggviewer.session.notices import log
from aggviewer.session.precompile import all_parts, end_children, ended_with, fill_cache
from aggviewer.session.saved.autosave import Autosave, KeptWork
from aggviewer.systems.registry import view_of
from aggviewer.window import demo
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from engine.plugins import known as known_plug_ins

DEFAULT_SCENARIO = "lattice-2500"
FIRST_SCENARIO = "lattice-400"
"""What runs at the start as long as a person has not asked for everything: few and large discs."""

_SWITCH_INTERVAL = 0.002
"""Seconds after which a Python thread hands over to another. Compiling is Python; with the usual 5 ms the window, which
needs many short turns for one picture, waits too often."""

_COLLECT_AFTER_MS = 2000

_starting = threading.Event()  # set while the application is made
_said_at_start: list[str] = []  # Qt's warnings meanwhile
_PLATFORM, _X11, _WAYLAND = "QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"
_AVAILABLE = "Available platform plugins are:"
_NO_CONNECTION = "could not connect to display"


def run_window(files: list[str]) -> int:
    """Open the window on `files`, or on the default scenario, running; returns the exit status."""
    notices = Notices()
    notices.install()  # first of all: an exception in a slot would end the process
    try:
        application = create_application()
        request = demo.requested()
        kept = KeptWork() if request is None else None  # a demonstration is nobody's work
        window = make_window(notices, kept)
        session = window.session
        signal.signal(signal.SIGINT, lambda *_: QTimer.singleShot(0, window.close))
        window.show()
        everything = session.document.panels.everything
        window.open_first(files, DEFAULT_SCENARIO if everything else FIRST_SCENARIO)
        QTimer.singleShot(_COLLECT_AFTER_MS, _collect_garbage)
        for plug_in in known_plug_ins():
            if plug_in.problem:
                notices.send(Notice("warning", f"The plug-in {plug_in.name} is left out", plug_in.problem))
        if request is None:
            window.offer_kept_work()
        running = demo.Demo(window, *request) if request is not None else None
        with compiling_the_rest(session):
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


def _collect_garbage() -> None:
    """Begin to collect garbage, which `aggviewer.cli.entry.open_window` has put off. What has been made until now stays
    as long as the window: collections need not look at it."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def make_window(notices: Notices, kept: KeptWork | None) -> MainWindow:
    """A window with a session of its own, not shown yet. kept : where work is kept when it is closed, if anywhere."""
    session = Session(notices=notices, autosave=Autosave(notices), kept=kept, views=view_of)
    try:
        return MainWindow(session, WindowSettings())
    except BaseException:
        session.close()
        raise


@contextmanager
def compiling_the_rest(session: Session) -> Iterator[None]:
    """While the window is there, compile all other methods as soon as the first run is there, so that choosing one
    never makes a person wait. At the end no child process is left."""
    job, begun = LatestJob("aggviewer-compiling"), threading.Event()

    def begin(state: str) -> None:
        if state in ("running", "paused", "finished") and not begun.is_set():
            begun.set()
            for part in all_parts():
                job.submit(partial(fill_cache, ended_with(job), *part, idle=True), key=part)

    session.state_changed.connect(begin)
    try:
        yield
    finally:
        job.close()
        end_children()


def _leave(status: int) -> NoReturn:
    """End the process while a thread is inside the engine, which cannot be interrupted.

    Everything is saved by now, and nobody waits seconds for a window that is gone. An ordinary end would take away
    what the thread works on.
    """
    log.info("left while the engine was at work")
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(status)


def create_application() -> QApplication:
    """The QApplication with everything that has to be set before and after it is made."""
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
    # a style sheet would else keep the large type of the presenter from the widgets inside
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_UseStyleSheetPropagationInWidgetStyles)
    QApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else _made()
    locale.setlocale(locale.LC_NUMERIC, "C")  # Qt has just set the person's: decimal commas would break parsers
    application.setApplicationName("aggviewer")
    application.setApplicationDisplayName("aggviewer")
    QGuiApplication.setDesktopFileName("aggviewer")
    application.setStyle("Fusion")
    application.setWindowIcon(QIcon(str(_icon_path("aggviewer.svg"))))
    # icons of files and messages where the desktop has none; Qt looks for them only if the icons have a theme
    QIcon.setFallbackSearchPaths([*QIcon.fallbackSearchPaths(), str(_icon_path("stock"))])
    QIcon.setThemeName(QIcon.themeName() or "hicolor")
    return application


def _made() -> QApplication:
    """A new application. Where there is no display Qt ends the process: with a sentence, and status 1."""
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
    """Qt's own messages go to the log, not to the terminal; what is fatal is printed too."""
    if kind in (QtMsgType.QtWarningMsg, QtMsgType.QtCriticalMsg):
        log.warning("Qt: %s", message)
        if _starting.is_set():
            _said_at_start.append(message or "")
    elif kind == QtMsgType.QtFatalMsg:
        log.critical("Qt: %s", message)
        if _starting.is_set():
            sys.stderr.write(f"{why_no_window(message or '', _said_at_start, os.environ)}\n")
            sys.stderr.flush()
            os._exit(1)  # Qt would abort, and leave the traces of a crash
        sys.stderr.write(f"{message}\n")


def why_no_window(message: str, warnings: Sequence[str], environment: Mapping[str, str]) -> str:
    """What is wrong with the display, for a person.

    message : with which Qt gave up; warnings : what it said before; environment : the variables of the process.
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
