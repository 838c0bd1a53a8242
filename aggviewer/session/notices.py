"""Messages for the user, exception hooks and the log. No Qt.

PyQt6 aborts the process if an exception leaves a slot and ``sys.excepthook`` has not been replaced. So the application
first calls `Notices.install`; from then on, unexpected errors are logged with their traceback and sent as a `Notice`,
and the program continues.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Literal

import platformdirs
from psygnal import Signal, SignalInstance

from engine import guarding
from engine.errors import InputError

Level = Literal["info", "warning", "error"]

OPENING = "opening"
"""`Notice.about` when opening files and scenarios."""

ENDED = "ended"
"""`Notice.about` for the end of a run."""

log = logging.getLogger("aggviewer")

_QUIET = 5.0  # seconds in which the same notice is not sent a second time: a timer that fails does so 60 times a second
_LOG_BYTES = 1 << 20
_LOG_FILES = 3


def emit(signal: SignalInstance, value: object) -> None:
    """Emit a signal. A listener that fails is logged: it must not end the thread that emits."""
    try:
        signal.emit(value)
    except Exception:
        log.exception("a listener to %s failed", signal.name)


@dataclass(frozen=True)
class Notice:
    """A message for the user.

    Parameters
    ----------
    level : information disappears by itself, errors stay until dismissed.
    title : what happened, one short sentence.
    text : what is kept, and what to do.
    details : for example a traceback, shown on request.
    key : the dotted scenario key, or the file, that the message is about.
    folder : the folder of finished work, offered as a link.
    film : a finished film, which can be played.
    about : what the user was doing, such as `OPENING` or the kind of file being saved. The message disappears when they
        try again or succeed.
    expert : whether it is about the program or the end of a run, and only for those who do research with it: lessons
        leave it out.
    """

    level: Level
    title: str
    text: str = ""
    details: str = ""
    key: str = ""
    folder: str = ""
    film: str = ""
    about: str = ""
    expert: bool = False


Notify = Callable[[Notice], None]
"""Shows a message."""


def attempt(write: Callable[[], object], notify: Notify, about: str = "", text: str = "") -> bool:
    """Call `write`; if it raises InputError, show why. Returns whether it worked.

    about, text : see `Notice`.
    """
    try:
        write()
    except InputError as error:
        notify(Notice("error", str(error), text, key=error.key, about=about))
        return False
    return True


def tell_saved(title: str, path: Path, notify: Notify, about: str, more: str = "") -> None:
    """Say where a file was saved, with a link to its folder. more : text after its path."""
    notify(Notice("info", title, f"{path}{more}", folder=str(path.parent), about=about))


class _Sending(logging.Handler):
    """Shows warnings that the engine logs: problems with its kernel cache, and parts of plug-ins that give no value.
    Neither stops anything."""

    def __init__(self, notices: Notices) -> None:
        super().__init__(logging.WARNING)
        self._notices = notices

    def emit(self, record: logging.LogRecord) -> None:
        """Show one message."""
        of_plug_in, text = record.name == guarding.__name__, record.getMessage()
        title = "A plug-in gives no value" if of_plug_in else "Problem with the kernel cache"
        self._notices.send(Notice("warning", title, f"{text[:1].upper()}{text[1:]}", expert=True))


class Notices:
    """Sends notices, owns ``sys.excepthook``, ``threading.excepthook`` and the log file.

    ``sent`` (psygnal) may be emitted on any thread.
    """

    sent = Signal(Notice)

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last: dict[tuple[str, str, str], float] = {}
        self._previous: tuple[Callable[..., object], Callable[..., object]] | None = None
        self._handler: logging.Handler | None = None
        self._of_engine = _Sending(self)

    def send(self, notice: Notice) -> None:
        """Log `notice` and send it, unless an identical one was sent a moment ago."""
        level = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}[notice.level]
        if self._repeated(notice):
            return
        log.log(level, "%s %s%s", notice.title, notice.text, f"\n{notice.details}" if notice.details else "")
        emit(self.sent, notice)

    def unexpected(self, title: str, error: BaseException, text: str = "", key: str = "") -> None:
        """Send an unexpected exception as an error, its traceback as details."""
        details = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        words = text or f"{type(error).__name__}: {error}".rstrip(": ")
        self.send(Notice("error", title, words, details, key))

    def install(self, log_folder: Path | None = None) -> None:
        """Take over the exception hooks, and log to a rotating file in `log_folder` (default: the user's log
        folder)."""
        if self._previous is not None:
            return
        self._previous = (sys.excepthook, threading.excepthook)
        logging.getLogger("engine").addHandler(self._of_engine)
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception
        folder = log_folder or Path(platformdirs.user_log_dir("aggviewer", appauthor=False))
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handler = RotatingFileHandler(
                folder / "aggviewer.log", maxBytes=_LOG_BYTES, backupCount=_LOG_FILES, encoding="utf-8", delay=True
            )
        except OSError:
            return  # a read-only home: messages still reach the window
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(threadName)s %(message)s"))
        self._handler = handler
        log.addHandler(handler)
        log.setLevel(logging.INFO)

    def uninstall(self) -> None:
        """Restore the hooks and the log."""
        if self._previous is None:
            return
        sys.excepthook, threading.excepthook = self._previous
        self._previous = None
        logging.getLogger("engine").removeHandler(self._of_engine)
        if self._handler is not None:
            log.removeHandler(self._handler)
            self._handler.close()
            self._handler = None

    def _repeated(self, notice: Notice) -> bool:
        if notice.level == "info":
            return False
        key = (notice.title, notice.text, notice.details)
        now = self._clock()
        with self._lock:
            before = self._last.get(key)
            self._last = {k: t for k, t in self._last.items() if now - t < _QUIET}
            self._last[key] = now
        return before is not None and now - before < _QUIET and bool(notice.details)

    def _on_exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not issubclass(kind, Exception):  # Ctrl-C and exits are not handled here
            if self._previous is not None:
                self._previous[0](kind, error, trace)
            return
        self.unexpected("An error occurred in the window", error.with_traceback(trace))

    def _on_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is None or not isinstance(args.exc_value, Exception):
            return
        name = args.thread.name if args.thread is not None else "a thread"
        self.unexpected(f"An error occurred in {name}", args.exc_value)
