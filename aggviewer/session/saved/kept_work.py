"""Work that was not saved when the program was closed: kept for some time in session files of the state folder."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import platformdirs

from aggviewer.session.notices import log
from aggviewer.session.saved.autosave import Recoverable, recoverable
from aggviewer.session.saved.session_file import SUFFIX, write_session
from aggviewer.session.saved.state import SessionState
from engine.errors import InputError

WORTH = 60.0
"""Seconds of computing from which work is kept without a question."""

MOST_FILES, MOST_BYTES, MOST_DAYS = 3, 1 << 30, 14.0

_PATTERN = f"kept-*{SUFFIX}"
_DAY = 86_400.0
_PARTIAL_AGE = 3600.0  # seconds after which what was half written is nobody's


def kept_folder() -> Path:
    """Where kept work lies unless told otherwise."""
    return Path(platformdirs.user_state_dir("aggviewer", appauthor=False)) / "kept"


class KeptWork:
    """The newest three pieces of work, for 14 days, within 1 GiB together; the newest one whatever its size.

    now : the time of day, in seconds since 1970.
    """

    def __init__(
        self, folder: Path | None = None, *, budget: int = MOST_BYTES, now: Callable[[], float] = time.time
    ) -> None:
        self._folder = folder or kept_folder()
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
        """Keep a session file that is there already, and goes from where it is. None where that cannot be."""
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
        return path.parent == self._folder and path.match(_PATTERN)

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
        for partial in self._folder.glob(f".{_PATTERN}.*.partial"):
            with contextlib.suppress(OSError):
                if self._now() - partial.stat().st_mtime > _PARTIAL_AGE:
                    partial.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        """The newest first, and of those written together the most important one."""
        try:
            by_number = sorted(self._folder.glob(_PATTERN), key=lambda path: path.stem.rsplit("-", 1)[1])
        except OSError:
            return []
        return sorted(by_number, key=lambda path: path.stem.rsplit("-", 1)[0], reverse=True)

    def _stem(self) -> str:
        """The beginning of a name: the moment, so that names sort as moments do, and the process."""
        moment = datetime.fromtimestamp(self._now(), UTC).strftime("%Y%m%d-%H%M%S-%f")
        return f"kept-{moment}-{os.getpid()}"
