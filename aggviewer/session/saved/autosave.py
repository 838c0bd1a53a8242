"""What keeps unsaved work safe: a session is saved every minute while it runs, and when the program is closed with work
that took long. Both lie in the user's state folder, where the next start finds them.

The copy of the state is made on the simulation's thread, the file is written by a thread of its own. Each program has
a file of its own and keeps a lock beside it: files whose lock can be taken are those of programs that are gone.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
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

WORTH = 60.0
"""Seconds of computing from which work is kept without a question."""

MOST_FILES, MOST_BYTES, MOST_DAYS = 3, 1 << 30, 14.0

_AUTOSAVES, _KEPT = f"autosave-*{SUFFIX}", f"kept-*{SUFFIX}"
_NAMES = 100  # files of one process number: left by programs in other containers, or crashed and not looked at
_PARTIAL_AGE = 3600.0  # seconds after which a half-written file is nobody's
_DAY = 86_400.0

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


def state_folder(name: str) -> Path:
    """A folder of the user's in which a program may leave files."""
    return Path(platformdirs.user_state_dir("aggviewer", appauthor=False)) / name


def _remove_partials(folder: Path, pattern: str, now: float) -> None:
    """Remove files that a program which is gone has not written to their end."""
    for partial in folder.glob(f".{pattern}.*.partial"):
        with contextlib.suppress(OSError):
            if now - partial.stat().st_mtime > _PARTIAL_AGE:
                partial.unlink(missing_ok=True)


class Autosave:
    """Autosaves of this program. `due` and `offer` belong to the simulation's thread, `close` to any.

    Parameters
    ----------
    notices : told once where it does not work.
    folder : where autosaves lie; None for the user's state folder.
    every : seconds between two.
    clock : seconds of wall time.
    write : writes a state into a file, until its last argument says that it is to end.
    """

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
        self._folder = folder or state_folder("autosave")
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
        """End without a trace: nothing is written any more, the thread is joined, the file removed."""
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
        if path.parent != self._folder or not path.match(_AUTOSAVES):
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
            files = sorted(self._folder.glob(_AUTOSAVES))
            _remove_partials(self._folder, _AUTOSAVES, time.time())
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


class KeptWork:
    """Work that was not saved when the program was closed: the newest three pieces, for 14 days, within 1 GiB together;
    the newest one whatever its size.

    Parameters
    ----------
    folder : where they lie; None for the user's state folder.
    budget : bytes that they may take together.
    now : the time of day, in seconds since 1970.
    """

    def __init__(
        self, folder: Path | None = None, *, budget: int = MOST_BYTES, now: Callable[[], float] = time.time
    ) -> None:
        self._folder = folder or state_folder("kept")
        self._budget = budget
        self._now = now

    def keep(self, states: Sequence[SessionState]) -> list[Path]:
        """Write these, the most important first. What cannot be written is told in the log: the program is closing."""
        written, stem = [], self._stem()
        for number, state in enumerate(states[:MOST_FILES]):
            path = self._folder / f"{stem}-{number}{SUFFIX}"
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                write_session(path, state)
            except (OSError, InputError, MemoryError) as error:
                log.warning("work could not be kept in %s: %s", path, error)
                continue
            written.append(path)
        self.tidy()
        return written

    def adopt(self, file: Path) -> Path | None:
        """Move a session file here, and keep it. None where that cannot be."""
        path = self._folder / f"{self._stem()}-0{SUFFIX}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            os.replace(file, path)
        except OSError as error:
            log.warning("%s could not be kept: %s", file, error)
            return None
        self.tidy()
        return path

    def found(self) -> list[Recoverable]:
        """What is kept, the newest first. Reads a few kilobytes of each file."""
        self.tidy()
        return recoverable(self._files(), "kept work")

    def holds(self, path: Path) -> bool:
        """Whether this is one of the files."""
        return path.parent == self._folder and path.match(_KEPT)

    def discard(self, path: Path) -> None:
        """Remove a piece of work that is not wanted any more."""
        if self.holds(path):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)

    def tidy(self) -> None:
        """Remove what is too old, too much or too many."""
        files, taken = self._files(), 0
        for place, path in enumerate(files):
            try:
                status = path.stat()
            except OSError:
                continue
            taken += status.st_size
            old = self._now() - status.st_mtime > MOST_DAYS * _DAY
            if old or place >= MOST_FILES or (place > 0 and taken > self._budget):
                self.discard(path)
        _remove_partials(self._folder, _KEPT, self._now())

    def _files(self) -> list[Path]:
        """The newest first, and of those written together the most important one."""
        try:
            by_number = sorted(self._folder.glob(_KEPT), key=lambda path: path.stem.rsplit("-", 1)[1])
        except OSError:
            return []
        return sorted(by_number, key=lambda path: path.stem.rsplit("-", 1)[0], reverse=True)

    def _stem(self) -> str:
        """The beginning of a name: the moment, so that names sort as moments do, and the process."""
        moment = datetime.fromtimestamp(self._now(), UTC).strftime("%Y%m%d-%H%M%S-%f")
        return f"kept-{moment}-{os.getpid()}"
