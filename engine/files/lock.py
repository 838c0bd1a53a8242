"""Locks of files and folders that one process at a time may write to.

The system releases a lock however its process ends, so that what a killed one has left keeps nobody waiting.
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

_NO_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP)  # file systems without them, on which nothing is locked


class Lock:
    """Takes and holds a lock. It can be released on another thread.

    path : the file that is locked; it is made, and removed by `release`.

    Attributes
    ----------
    taken : whether it is held; False where another process has it.

    Raises
    ------
    OSError
        The file cannot be made, or files cannot be locked there.
    """

    def __init__(self, path: Path, *, mode: int = 0o644) -> None:
        os.stat(f"{path.parent}/.")  # no folder is made, as filelock does
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
    """The lock; None on a file system that has none. OSError where the file cannot be made."""
    try:
        return Lock(path)
    except OSError as error:
        if error.errno in _NO_LOCKS:
            return None
        raise


@contextlib.contextmanager
def locked_folder(path: Path, option: str = "--out") -> Iterator[None]:
    """Have a folder to oneself, made where it is not there.

    option : of the command line that names it, for the error.

    Raises
    ------
    InputError
        It is no folder, cannot be written to, or another process writes to it.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        no_folder = isinstance(error, FileExistsError | NotADirectoryError)
        reason = "it is no folder" if no_folder else error.strerror or error
        raise InputError(f"{option} {path} cannot be written to: {reason}", str(path)) from None
    try:
        lock = lock_if_possible(path / FOLDER_LOCK)
    except OSError as error:
        raise InputError(f"{option} {path} cannot be written to: {error.strerror or error}", str(path)) from None
    if lock is not None and not lock.taken:
        raise InputError(f"{option} {path} is in use: another process writes its results there", str(path))
    try:
        yield
    finally:
        if lock is not None:
            lock.release()
