"""Keeping unsaved work: every minute while a session runs, and when the program is closed after long work.

The files are in the user's state folder, where the next start of the program finds them.

For an autosave, the state is copied on the simulation's thread, and another thread writes the file. Each running
program has its own file and holds a lock beside it. A file whose lock can be taken was left by one that has ended.

Nothing here asks how late it is: a number in each name says which file is newer (`aggviewer.names`).
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from aggviewer.latest_job import CancelledError, LatestJob
from aggviewer.names import name_with, next_number, oldest_first
from aggviewer.session.notices import Notice, Notices, log
from aggviewer.session.saved.session_file import SUFFIX, describe_session, write_session
from aggviewer.session.saved.state import SessionState
from engine.errors import InputError
from engine.files.writing import Lock, lacks_locks

EVERY = 60.0  # seconds between two autosaves
MOST_SHARE = 0.01  # share of the time of the simulation's thread that copying may take

MOST_COPY = 2 << 30
"""Largest simulation in bytes that is copied; the copy uses about the same memory until it is written."""

WORTH = 60.0
"""Work that took at least this many seconds of computing is kept without asking."""

MOST_FILES, MOST_BYTES = 3, 1 << 30  # limits for kept work

_AUTOSAVES, _KEPT = f"autosave-*{SUFFIX}", f"kept-*{SUFFIX}"
_LOOK_AGAIN = 1.0  # seconds between two looks whether a file has been written
_NAMES = 100  # names to try, since programs in other containers may have the same process number

Write = Callable[[Path, SessionState, Callable[[], bool]], None]


@dataclass(frozen=True)
class Recoverable:
    """A session that can be recovered: its file, when it was saved (seconds since 1970), and one line about it."""

    path: Path
    saved_at: float
    description: str


def recoverable(files: Iterable[Path], kind: str) -> list[Recoverable]:
    """Describe session files, in this order, from a few kilobytes of each.

    Unusable files are skipped and logged; `kind` names them in the log, such as "an autosave".
    """
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
    """A folder for files that the program leaves behind, within the user's state folder."""
    return Path(platformdirs.user_state_dir("aggviewer", appauthor=False)) / name


def _remove_partials(folder: Path, pattern: str) -> None:
    """Remove half-written files of programs that have ended: those whose lock nobody holds."""
    for partial in folder.glob(f".{pattern}.*.partial"):
        lock = _try_lock(folder / f"{partial.name[1:].partition(SUFFIX)[0]}{SUFFIX}")
        if lock is not None:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)
            lock.release()


class Autosave:
    """Autosaves of this program. `due` and `offer` are called on the simulation's thread, `close` on any.

    Parameters
    ----------
    notices : receives one notice if autosaves fail.
    folder : the folder of autosaves; None for one in the user's state folder.
    every : seconds between two autosaves.
    most : largest simulation in bytes that is copied; for a larger one, a single notice asks the user to save it.
    clock : returns the wall time in seconds.
    write : writes a state to a file; it stops early if its last argument, a function, returns true.
    """

    def __init__(
        self,
        notices: Notices,
        folder: Path | None = None,
        *,
        every: float = EVERY,
        most: int = MOST_COPY,
        clock: Callable[[], float] = time.monotonic,
        write: Write = write_session,
    ) -> None:
        self._notices = notices
        self._folder = folder or state_folder("autosave")
        self._every = every
        self._most = most
        self._clock = clock
        self._write = write
        self._due_at = clock() + every
        self._mark: object = None
        self._lock: Lock | None = None
        self._path: Path | None = None
        self._has_reported = False
        self._told_large = False
        self._closing = False
        self._job = LatestJob("aggviewer-autosave")

    @property
    def path(self) -> Path | None:
        """The file of this program, None before the first autosave."""
        return self._path

    def due(self) -> bool:
        """Whether it is time for an autosave; never while the last one is being written."""
        return self._clock() >= self._due_at and not self._job.busy

    @property
    def seconds_left(self) -> float:
        """Seconds until it is `due`; a guess while the last one is being written."""
        return max(self._due_at - self._clock(), _LOOK_AGAIN if self._job.busy else 0.0)

    def offer(self, mark: object, take: Callable[[], SessionState], size: Callable[[], int] = lambda: 0) -> None:
        """Autosave the session, unless nothing has changed or it is too large. Errors are reported once and never
        raised.

        Parameters
        ----------
        mark : equal to that of the last autosave if nothing has changed since.
        take : copies the state.
        size : returns the bytes needed, or slightly more.
        """
        began = self._clock()
        self._due_at = began + self._every
        if mark == self._mark or self._closing:
            return
        bytes_needed = size()
        if bytes_needed > self._most:
            self._tell_large(bytes_needed)
            return
        try:
            state = take()
        except (MemoryError, InputError) as error:
            self._report_error(error)
            return
        self._due_at = max(self._due_at, began + (self._clock() - began) / MOST_SHARE)
        self._mark = mark
        self._job.submit(lambda: self._write(self._own_path(), state, lambda: self._closing), failed=self._on_failed)

    def finish(self, patience: float = 60.0) -> bool:
        """Wait up to `patience` seconds for the file to be written. Returns whether it was."""
        return self._job.wait(patience)

    def close(self) -> None:
        """Stop writing, end the thread, and remove the file."""
        self._closing = True
        self._job.close()
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def found(self) -> list[Recoverable]:
        """Autosaves left behind by other programs, that of the last one to begin first. Reads a few kilobytes of
        each."""
        return recoverable(self._abandoned(), "an autosave")

    def discard(self, path: Path) -> None:
        """Remove an autosave that was recovered or is not wanted, unless its program still runs."""
        if path.parent != self._folder or not path.match(_AUTOSAVES):
            return
        lock = _try_lock(path)
        if lock is not None:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
            lock.release()

    # on the thread that writes

    def _on_failed(self, error: Exception) -> None:
        if isinstance(error, CancelledError):
            return
        self._mark = None
        if isinstance(error, OSError | InputError | MemoryError):
            self._report_error(error)
        else:
            self._notices.unexpected("Autosave failed", error, "The simulation continues without it.")

    def _report_error(self, error: Exception) -> None:
        """Send a notice about the first error; later ones go to the log only."""
        if self._has_reported:
            log.info("autosave failed again: %s", error)
            return
        self._has_reported = True
        reason = (error.strerror if isinstance(error, OSError) else "") or str(error) or "not enough memory"
        if isinstance(error, OSError) and lacks_locks(error):
            reason = f"{self._folder} lies on a file system without file locks; XDG_STATE_HOME can name a local folder"
        text = f"{reason[:1].upper()}{reason[1:]}. The simulation continues. Save the session in another folder."
        self._notices.send(Notice("warning", "Autosave is not working", text, folder=str(self._folder), expert=True))

    def _tell_large(self, size: int) -> None:
        """Send a notice about the first simulation that is too large to be copied."""
        if self._told_large:
            return
        self._told_large = True
        text = f"A copy would take {size / 1e9:.1f} GB of memory. To keep the run, save the session yourself."
        self._notices.send(Notice("warning", "This run is too large for autosave", text, expert=True))

    def _own_path(self) -> Path:
        """The file of this program. The first call chooses one that no other program has."""
        if self._path is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            first = next_number(self._folder)
            for number in range(first, first + _NAMES):
                path = self._folder / name_with(number, f"{os.getpid()}{SUFFIX}", "autosave-")
                lock = _lock(path)
                if not lock.taken:
                    continue
                if path.exists():  # written meanwhile by a program with the same process number
                    lock.release()
                    continue
                self._lock, self._path = lock, path
                break
            else:
                raise OSError(f"{self._folder} is full of autosaves")
        return self._path

    # what other programs have left

    def _abandoned(self) -> list[Path]:
        """The autosaves whose lock nobody holds, the newest first. Removes abandoned half-written files."""
        try:
            files = oldest_first(self._folder.glob(_AUTOSAVES))[::-1]
            _remove_partials(self._folder, _AUTOSAVES)
        except OSError:
            return []
        left = []
        for path in files:
            if path == self._path:
                continue
            lock = _try_lock(path)
            if lock is not None:
                lock.release()
                left.append(path)
        return left


def _lock(path: Path) -> Lock:
    """The lock beside an autosave. Raises OSError if files cannot be locked."""
    return Lock(path.with_suffix(".lock"), mode=0o600)


def _try_lock(path: Path) -> Lock | None:
    """The lock beside an autosave, None if another program holds it or files cannot be locked."""
    try:
        lock = _lock(path)
    except OSError:
        return None
    return lock if lock.taken else None


class KeptWork:
    """Work that was not saved when the program was closed.

    The three newest sessions are kept, up to 1 GiB in total; the newest regardless of size.

    Parameters
    ----------
    folder : of the sessions; None for one in the user's state folder.
    budget : total bytes allowed.
    """

    def __init__(self, folder: Path | None = None, *, budget: int = MOST_BYTES) -> None:
        self._folder = folder or state_folder("kept")
        self._budget = budget

    def keep(self, states: Sequence[SessionState]) -> list[Path]:
        """Write session files for these states, the most important first, and return their paths.

        Errors go to the log only, because the program is closing.
        """
        written: list[Path] = []
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            first = self._next_path()
        except OSError as error:
            log.warning("work could not be kept in %s: %s", self._folder, error)
            return written
        for place, state in enumerate(states[:MOST_FILES]):
            path = _with_place(first, place)
            lock = _try_lock(path)  # so that nobody takes the half-written file for an abandoned one
            try:
                write_session(path, state)
            except (OSError, InputError, MemoryError) as error:
                log.warning("work could not be kept in %s: %s", path, error)
            else:
                written.append(path)
            finally:
                if lock is not None:
                    lock.release()
        self.tidy()
        return written

    def adopt(self, file: Path) -> Path | None:
        """Move a session file here and keep it. Returns its path, None if it cannot be moved."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            path = self._next_path()
            os.replace(file, path)
        except OSError as error:
            log.warning("%s could not be kept: %s", file, error)
            return None
        self.tidy()
        return path

    def found(self) -> list[Recoverable]:
        """The sessions that are kept, the newest first. Reads a few kilobytes of each file."""
        self.tidy()
        return recoverable(self._files(), "kept work")

    def holds(self, path: Path) -> bool:
        """Whether a path is that of a kept session."""
        return path.parent == self._folder and path.match(_KEPT)

    def discard(self, path: Path) -> None:
        """Remove a kept session; any other file stays."""
        if self.holds(path):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)

    def tidy(self) -> None:
        """Remove the oldest sessions where they are too many, or too large together."""
        files, taken = self._files(), 0
        for place, path in enumerate(files):
            try:
                taken += path.stat().st_size
            except OSError:
                continue
            if place >= MOST_FILES or (place > 0 and taken > self._budget):
                self.discard(path)
        _remove_partials(self._folder, _KEPT)

    def _files(self) -> list[Path]:
        """The files, the newest first; of those written together the most important comes first."""
        together: dict[Path, list[Path]] = {}
        try:
            files = sorted(self._folder.glob(_KEPT))
        except OSError:
            return []
        for path in files:
            together.setdefault(_with_place(path, 0), []).append(path)
        return [path for first in reversed(oldest_first(together)) for path in together[first]]

    def _next_path(self) -> Path:
        """The path of the first file that is kept now: a number, the process number, and its place among those."""
        return self._folder / name_with(next_number(self._folder), f"{os.getpid()}-0{SUFFIX}", "kept-")


def _with_place(path: Path, place: int) -> Path:
    """The path of the file that was kept together with this one as number `place`, 0 for the most important."""
    return path.with_stem(f"{path.stem.rpartition('-')[0]}-{place}")
