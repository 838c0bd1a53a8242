"""Locks for files and folders that only one process at a time may write to.

The operating system releases a lock however its process ends, so the lock of a killed process blocks nobody.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from engine.errors import InputError

FOLDER_LOCK = ".aggviewer.lock"
"""The file in a folder that is locked while results are written to it."""

_NO_LOCKS = (
    errno.ENOSYS,
    errno.ENOLCK,
    errno.EOPNOTSUPP,
)  # file systems without locks: nothing is locked


class Lock:
    """Takes and holds a lock. It can be released on another thread.

    path : the file that is locked. It is created, and removed by `release`.

    Attributes
    ----------
    taken : whether this object holds the lock; False if another process does.

    Raises
    ------
    OSError
        The file cannot be created, or the file system has no locks.
    """

    def __init__(self, path: Path, *, mode: int = 0o644) -> None:
        os.stat(f"{path.parent}/.")  # raises if the folder is missing, which filelock would create
        self._lock = FileLock(path, mode=mode, thread_local=False, fallback_to_soft=False)
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            self.taken = False
        else:
            self.taken = True

    def release(self) -> None:
        """Remove the file, then release the lock: in this order no other process can have locked it."""
        if self.taken:
            self.taken = False
            with contextlib.suppress(OSError):  # some systems cannot remove an open file
                Path(self._lock.lock_file).unlink(missing_ok=True)
            self._lock.release()


def lock_if_possible(path: Path) -> Lock | None:
    """The lock; None on a file system without locks. OSError if the file cannot be created."""
    try:
        return Lock(path)
    except OSError as error:
        if error.errno in _NO_LOCKS:
            return None
        raise


@contextlib.contextmanager
def locked_folder(path: Path, option: str = "--out") -> Iterator[None]:
    """Lock a folder for this process; it is created if it does not exist.

    option : the command-line option that names it, for the error.

    Raises
    ------
    InputError
        It is not a folder, cannot be written to, or is in use by another process.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        no_folder = isinstance(error, FileExistsError | NotADirectoryError)
        reason = "it is not a folder" if no_folder else error.strerror or error
        raise InputError(f"{option} {path} cannot be written to: {reason}", str(path)) from None
    try:
        lock = lock_if_possible(path / FOLDER_LOCK)
    except OSError as error:
        raise InputError(f"{option} {path} cannot be written to: {error.strerror or error}", str(path)) from None
    if lock is not None and not lock.taken:
        raise InputError(f"{option} {path} is in use: another process is writing its results there", str(path))
    try:
        yield
    finally:
        if lock is not None:
            lock.release()
