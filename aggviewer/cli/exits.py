"""How a command begins and ends: plug-ins are loaded, or the window opened; exceptions become exit statuses.

0 is done, 2 bad input with one line on stderr, 130 after Ctrl-C, 143 after SIGTERM, and 1 anything else.
"""

from __future__ import annotations

import atexit
import gc
import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Protocol, runtime_checkable

from engine.errors import InputError

INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM
_WORDS = {INTERRUPTED: "interrupted", TERMINATED: "terminated"}


class TerminatedError(BaseException):
    """SIGTERM was received. Not an Exception, like KeyboardInterrupt, so that no handler takes it for a failure."""


@runtime_checkable
class _UsageError(Protocol):
    """What typer raises for bad arguments; its class differs between its versions."""

    def format_message(self) -> str:
        """The problem, in one line."""
        ...


class Stop:
    """Records whether a signal has asked the program to stop."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._number = 0

    def is_set(self) -> bool:
        """Whether a signal was received."""
        return self._event.is_set()

    @property
    def status(self) -> int:
        """The exit status after a signal, 0 if there was none."""
        return 128 + self._number if self._number else 0

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        """Signal handler: the first signal asks the program to stop, a second one stops it at once."""
        if self.is_set():
            _raise(number)
        self._number = number
        self._event.set()


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Within the block, Ctrl-C and SIGTERM only ask the code to stop; a second signal raises. Main thread only: others
    get no signals."""
    stop = Stop()
    with _handled(stop.on_signal, signal.SIGINT, signal.SIGTERM):
        yield stop


@contextmanager
def terminable() -> Iterator[None]:
    """Within the block, SIGTERM raises `TerminatedError`, so that incomplete files are removed."""
    with _handled(lambda number, frame: _raise(number), signal.SIGTERM):
        yield


def interrupted(status: int) -> BaseException:
    """The exception for an exit status that says that a signal ended the program."""
    return TerminatedError() if status == TERMINATED else KeyboardInterrupt()


def guarded(action: Callable[[], int | None]) -> int:
    """Run `action`; whatever it raises becomes one line on stderr and an exit status."""
    try:
        status = action() or 0
        return _ended(status) if status in _WORDS else status  # typer also returns 130, for an unhandled Ctrl-C
    except InputError as error:
        return _tell_and_exit(2, str(error))
    except KeyboardInterrupt:
        return _ended(INTERRUPTED)
    except TerminatedError:
        return _ended(TERMINATED)
    except BrokenPipeError:  # the reader of stdout has closed it; nothing more can be written
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if isinstance(error, _UsageError):
            return _tell_and_exit(2, error.format_message())
        if type(error).__name__ == "Abort":  # typer's message for Ctrl-C and for an EOFError
            if not isinstance(error.__cause__, Exception):
                return _ended(INTERRUPTED)
            error = error.__cause__
        if os.environ.get("AGGVIEWER_DEBUG"):
            traceback.print_exc()
        return _tell_and_exit(1, f"{type(error).__name__}: {error} (AGGVIEWER_DEBUG=1 shows where)")


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], object], *numbers: signal.Signals) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def _raise(number: int) -> None:
    raise interrupted(128 + number)


def _ended(status: int) -> int:
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):  # a second request has been answered
            atexit.register(signal.signal, number, signal.SIG_IGN)
    return _tell_and_exit(status, f"{_WORDS[status]}; all files written so far are complete")


def tell(notice: str, of: str | Path = "") -> None:
    """Print a notice as one line on stderr; an empty one is ignored. of : the file that it is about."""
    if notice:
        about = f"{of}: " if of else ""
        sys.stderr.write(f"aggviewer: {about}{' '.join(notice.split())}\n")


class _Telling(logging.Handler):
    """Prints warnings of the engine, one line each, on stderr."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one message."""
        tell(record.getMessage())


_telling = _Telling(logging.WARNING)


def tell_warnings() -> None:
    """Print warnings that the engine logs, in the same form as other notices."""
    logging.getLogger("engine").addHandler(_telling)


def _tell_and_exit(status: int, message: str) -> int:
    tell(message)
    return status


_OPTION = "--plugin"


def with_plugins(arguments: list[str], then: Callable[[list[str]], int]) -> int:
    """Load the given plug-ins and run the remaining arguments; returns the exit status."""
    others: list[str] = []

    def load() -> None:
        from engine.plugins import load_file

        rest = iter(arguments)
        for argument in rest:
            option, equals, file = argument.partition("=")
            if option != _OPTION:
                others.append(argument)
                continue
            file = file if equals else next(rest, "")
            if not file:
                raise InputError("--plugin needs the path of a plug-in: --plugin FILE.py", "plugin")
            tell(load_file(file).notice)

    return guarded(load) or then(others)


def load_installed() -> None:
    """Load extensions and the plug-ins of installed packages; those that fail are named on stderr, one line each."""
    from aggviewer import extensions
    from engine import plugins

    before = set(plugins.known())
    extensions.load()
    plugins.load_installed()
    for plug_in in plugins.known():
        if plug_in not in before:
            tell(plug_in.notice)


def open_window(files: Sequence[str]) -> int:
    """Open the window with `files` (or the default scenario); returns the exit status when it is closed."""
    gc.disable()  # until the window is open: nothing that is made before is garbage
    return guarded(lambda: _open(list(files)))


def _open(files: list[str]) -> int:
    load_installed()
    for file in files:
        check_exists(file)
    from aggviewer.window.app import run_window

    return run_window(files)


def check_exists(file: str) -> None:
    """Report a missing file on the command line; problems inside the file are reported by the window."""

    from engine.errors import typed_path

    if not typed_path(file).is_file():
        from engine import load_scenario

        load_scenario(file)
