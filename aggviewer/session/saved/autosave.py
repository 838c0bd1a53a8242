"""Saving the session every minute into the user's state folder, and finding what a program that crashed has left.

The copy of the state is made on the simulation's thread, the file is written by a thread of its own. Each program has
a file of its own and keeps a lock beside it: files whose lock can be taken are those of programs that are gone.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import platformdirs
from filelock import FileLock, Timeout

from aggviewer.session.notices import Notice, Notices, log
from aggviewer.session.saved.arrays import CancelledError
from aggviewer.session.saved.session_file import SUFFIX, describe_session, write_session
from aggviewer.session.saved.state import SessionState
from engine.errors import InputError

EVERY = 60.0  # seconds
MOST_SHARE = 0.01  # of the simulation's time that may go into copies

_NAMES = 100  # files of one process number: left by programs in other containers, or crashed and not looked at
_PATTERN = f"autosave-*{SUFFIX}"
_PARTIAL_AGE = 3600.0  # seconds after which what was half written is nobody's

Write = Callable[[Path, SessionState, Callable[[], bool]], None]


@dataclass(frozen=True)
class Recoverable:
    """A session that can be recovered: its file, when it was saved (seconds since 1970), and one line about it."""

    path: Path
    saved_at: float
    description: str


def recoverable(files: Iterable[Path], kind: str) -> list[Recoverable]:
    """What these session files hold, in this order; reads a few kilobytes of each. Those that cannot be used are left
    out, and told in the log as `kind`."""
    found = []
    for path in files:
        try:
            saved_at, description = describe_session(path)
        except InputError as error:
            log.warning("%s cannot be used: %s", kind, error)
            continue
        found.append(Recoverable(path, saved_at, description))
    return found


def autosave_folder() -> Path:
    """Where autosaves lie unless told otherwise."""
    return Path(platformdirs.user_state_dir("aggviewer", appauthor=False)) / "autosave"


class Autosave:
    """Autosaves of this program. `due` and `offer` belong to the simulation's thread, `close` to any."""

    def __init__(
        self,
        notices: Notices,
        folder: Path | None = None,
        *,
        every: float = EVERY,
        clock: Callable[[], float] = time.monotonic,
        write: Write = write_session,
    ) -> None:
        self._notices = notices
        self._folder = folder or autosave_folder()
        self._every = every
        self._clock = clock
        self._write = write
        self._due_at = clock() + every
        self._mark: object = None
        self._lock: FileLock | None = None
        self._path: Path | None = None
        self._told = False
        self._changed = threading.Condition()
        self._waiting: SessionState | None = None
        self._writing = False
        self._closing = False
        self._thread: threading.Thread | None = None

    @property
    def path(self) -> Path | None:
        """The file of this program, once there is one."""
        return self._path

    def due(self) -> bool:
        """Whether it is time for a copy; never while the last one is being written."""
        return self._clock() >= self._due_at and not self._busy

    def offer(self, mark: object, take: Callable[[], SessionState]) -> None:
        """Have the state that `take` copies written, unless `mark` is equal to that of the last one: nothing has
        changed. What goes wrong is told once, and never raised."""
        began = self._clock()
        self._due_at = began + self._every
        if mark == self._mark or self._closing:
            return
        try:
            state = take()
        except (MemoryError, InputError) as error:
            self._tell(error)
            return
        self._due_at = max(self._due_at, began + (self._clock() - began) / MOST_SHARE)
        self._mark = mark
        with self._changed:
            self._waiting = state
            self._changed.notify_all()
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop, name="aggviewer-autosave", daemon=True)
            self._thread.start()

    def finish(self, patience: float = 60.0) -> bool:
        """Wait until what was offered is written; False where that takes longer."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._busy, patience)

    def close(self) -> None:
        """A clean end: nothing is written any more, the thread is joined, the file removed."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)
        if self._lock is not None:
            _unlock(self._lock)
            self._lock = None

    def found(self) -> list[Recoverable]:
        """What programs that are gone have left, the newest first. Reads a few kilobytes of each."""
        left = recoverable(self._abandoned(), "an autosave")
        return sorted(left, key=lambda one: one.saved_at, reverse=True)

    def discard(self, path: Path) -> None:
        """Remove an autosave that was recovered or is not wanted; one of a program that runs stays."""
        if path.parent != self._folder or not path.match(_PATTERN):
            return
        lock = _try_lock(path)
        if lock is not None:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
            _unlock(lock)

    # the thread's side

    @property
    def _busy(self) -> bool:
        return self._writing or self._waiting is not None

    def _loop(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closing or self._waiting is not None)
                if self._closing:
                    self._waiting = None
                    self._changed.notify_all()
                    return
                state, self._waiting, self._writing = self._waiting, None, True
            try:
                if state is not None:
                    self._write(self._own_path(), state, lambda: self._closing)
            except CancelledError:
                pass
            except (OSError, InputError, MemoryError) as error:
                self._mark = None
                self._tell(error)
            except Exception as error:
                self._mark = None
                self._notices.unexpected("Autosave failed", error, "The simulation goes on without it.")
            finally:
                state = None  # hundreds of megabytes, perhaps
                with self._changed:
                    self._writing = False
                    self._changed.notify_all()

    def _tell(self, error: Exception) -> None:
        """One notice, however often it fails."""
        if self._told:
            log.info("autosave failed again: %s", error)
            return
        self._told = True
        reason = (error.strerror if isinstance(error, OSError) else "") or str(error) or "not enough memory"
        text = f"{reason[:1].upper()}{reason[1:]}. The simulation goes on; save the session to another place."
        self._notices.send(Notice("warning", "Autosave does not work", text, folder=str(self._folder)))

    def _own_path(self) -> Path:
        """The file of this program; on the first call one is chosen that no other program has."""
        if self._path is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            for number in range(_NAMES):
                path = self._folder / f"autosave-{os.getpid()}{f'-{number}' if number else ''}{SUFFIX}"
                lock = _lock(path)
                if lock is None:
                    continue
                if path.exists():  # of a program that is gone and had our number
                    _unlock(lock)
                    continue
                self._lock, self._path = lock, path
                break
            else:
                raise OSError(f"{self._folder} is full of autosaves")
        return self._path

    # what others have left

    def _abandoned(self) -> list[Path]:
        """Files whose lock nobody holds. Removes what is of no use to anybody."""
        try:
            files = sorted(self._folder.glob(_PATTERN))
            for partial in self._folder.glob(f".{_PATTERN}.*.partial"):
                if time.time() - partial.stat().st_mtime > _PARTIAL_AGE:
                    partial.unlink(missing_ok=True)
        except OSError:
            return []
        left = []
        for path in files:
            if path == self._path:
                continue
            lock = _try_lock(path)
            if lock is not None:
                _unlock(lock)
                left.append(path)
        return left


def _lock(path: Path) -> FileLock | None:
    """Lock the file beside an autosave, which the system lets go of however the program ends; None where somebody holds
    it. OSError where no file can be locked."""
    lock = FileLock(path.with_suffix(".lock"), mode=0o600, thread_local=False, fallback_to_soft=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return None
    return lock


def _try_lock(path: Path) -> FileLock | None:
    """The same, None too where nothing can be locked."""
    try:
        return _lock(path)
    except OSError:
        return None


def _unlock(lock: FileLock) -> None:
    """Remove the file, while nobody else can have locked it, and let go of it."""
    with contextlib.suppress(OSError):  # an open file cannot be removed everywhere
        Path(lock.lock_file).unlink(missing_ok=True)
    lock.release()
