"""A mark that a program is alive: a file that it keeps locked. The system lets go of it however the program ends."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

_TAKEN = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)


class FileLock:
    """Holds a lock file open and locked until `release`."""

    def __init__(self, path: Path, handle: int) -> None:
        self.path = path
        self._handle = handle

    @staticmethod
    def take(path: Path) -> FileLock | None:
        """Lock `path`, made where it is missing; None where somebody holds it. OSError where no file can be locked."""
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(handle)
            # who held it before may have removed it in between: the lock would be on a file without a name
            if not _same(handle, path):
                os.close(handle)
                return None
        except OSError as error:
            os.close(handle)
            if error.errno in _TAKEN:
                return None
            raise
        return FileLock(path, handle)

    def release(self) -> None:
        """Remove the file and let go of it."""
        if sys.platform == "win32":  # an open file cannot be removed there
            os.close(self._handle)
            self.path.unlink(missing_ok=True)
        else:
            self.path.unlink(missing_ok=True)
            os.close(self._handle)


def _same(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
