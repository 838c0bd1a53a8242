"""Writing files safely: asked beforehand, by one process at a time, and complete or not at all; recordings up to the
last whole frame.

The operating system releases a lock however its process ends, so the lock of a killed process blocks nobody.
"""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from engine.errors import InputError, typed_path
from engine.files import formats
from engine.files.frame import FileFrame


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the path of a temporary file beside `path`, and move it over `path` at the end of the ``with`` block.

    Where the block raises, the temporary file is removed and a file at `path` stays as it was.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def cannot_write(path: Path, error: OSError) -> InputError:
    """What to tell a person when the system refuses to write a file."""
    return InputError(f"{path} cannot be written: {error.strerror or error}", str(path))


def check_folder(path: Path, option: str = "--out") -> None:
    """Raise InputError if a folder cannot be written to, or created.

    option : the command-line option that names it.
    """
    typed_path(path.absolute())
    there = next((place for place in (path, *path.absolute().parents) if place.exists()), path)
    if not there.is_dir():
        raise InputError(f"{option} {path} cannot be written to: {there} is not a folder", str(path))
    reason = _refused(there)
    if reason:
        raise InputError(f"{option} {path} cannot be written to: {reason}", str(path))


def check_file(path: Path) -> None:
    """Raise InputError if the file of the option ``--out`` cannot be written; its folder must exist."""
    typed_path(path.absolute())
    if path.is_dir():
        raise InputError(f"--out {path} is a folder; choose a file in it", str(path))
    if not path.parent.is_dir():
        raise InputError(f"--out {path}: there is no folder {path.parent}", str(path))
    reason = _refused(path.parent)
    if reason:
        raise InputError(f"--out {path} cannot be written: {reason}", str(path))


def _refused(folder: Path) -> str:
    """Why no file can be created in a folder; "" if one can."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return error.strerror or str(error)


FOLDER_LOCK = ".aggviewer.lock"
"""The file in a folder that is locked while results are written to it."""

_NO_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL)  # of file systems without locks


class Lock:
    """Takes and holds a lock. It can be released on another thread.

    path : the file that is locked. It is created, and removed by `release`.
    wait : whether to wait for another process that holds the lock.

    Attributes
    ----------
    taken : whether this object holds the lock; False if another process does and it did not wait.

    Raises
    ------
    OSError
        The file cannot be created, or the file system has no locks (`lacks_locks`); then no file is left.
    """

    def __init__(self, path: Path, *, wait: bool = False, mode: int = 0o644) -> None:
        os.stat(f"{path.parent}/.")  # raises if the folder is missing, which filelock would create
        self._lock = FileLock(path, mode=mode, thread_local=False, fallback_to_soft=False)
        there = os.path.lexists(path)
        try:
            self._lock.acquire(blocking=wait)
        except Timeout:
            self.taken = False
        except (OSError, NotImplementedError) as error:
            if not there:
                with suppress(OSError):
                    path.unlink(missing_ok=True)
            if isinstance(error, NotImplementedError):  # what filelock makes of ENOSYS
                raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), str(path)) from None
            raise
        else:
            self.taken = True

    def release(self) -> None:
        """Remove the file, then release the lock: in this order no other process can have locked it."""
        if self.taken:
            self.taken = False
            with suppress(OSError):  # some systems cannot remove an open file
                Path(self._lock.lock_file).unlink(missing_ok=True)
            self._lock.release()


def lock_if_possible(path: Path, *, wait: bool = False) -> Lock | None:
    """The lock (see `Lock`); None on a file system without locks. OSError if the file cannot be created."""
    try:
        return Lock(path, wait=wait)
    except OSError as error:
        if lacks_locks(error):
            return None
        raise


def lacks_locks(error: OSError) -> bool:
    """Whether an error of `Lock` means that the file system has no locks, as some of networks."""
    return error.errno in _NO_LOCKS


@contextmanager
def locked_folder(path: Path, option: str = "--out", *, needed: bool = False) -> Iterator[None]:
    """Lock a folder for this process; it is created if it does not exist.

    Parameters
    ----------
    option : the command-line option that names it, for the error.
    needed : whether files in it are locked too, so that a file system without locks is refused; otherwise nothing is
        locked there.

    Raises
    ------
    InputError
        It is not a folder, cannot be written to, is in use by another process, or lacks the locks that are needed; then
        no folder is left that was not there.
    """
    new = [place for place in (path, *path.parents) if not os.path.lexists(place)]
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
    if needed and (lock is None or not _locks_records(path)):
        if lock is not None:
            lock.release()
        for place in new:
            with suppress(OSError):
                place.rmdir()
        raise InputError(
            f"{option} {path} lies on a file system without file locks, which are needed here; use a folder on a local "
            "disk",
            str(path),
        )
    if lock is not None and not lock.taken:
        raise InputError(f"{option} {path} is in use: another process is writing its results there", str(path))
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def _locks_records(folder: Path) -> bool:
    """Whether files in a folder can be locked in the way of SQLite, which waits long and says little where they cannot.
    It is another way than that of `Lock`, and a file system may have one of them."""
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return not lacks_locks(error)
    return True


# recordings: files that grow frame by frame, and can be read up to the last whole frame at any time


class RecordingError(OSError):
    """A recording had to stop. The message says why, and how many frames are kept.

    Attributes
    ----------
    path : the file.
    frames : the number of whole frames in it.
    """

    def __init__(self, path: Path, frames: int, cause: OSError) -> None:
        kept = f"the {frames} frames before it are kept" if frames else "nothing was recorded"
        super().__init__(f"{path}: recording stopped, {cause.strerror or cause}; {kept}")
        self.path = path
        self.frames = frames


class TrajectoryWriter:
    """Writes a recording. A file of the same name is replaced when the first frame is written, unless another program
    is recording to it.

    Parameters
    ----------
    path : the file; its ending chooses the format.
    scenario : complete TOML text, kept in the first frame.
    sync_every : seconds between two waits until the data are on the disk. A power cut loses what was written after the
        last wait; the end of the process loses nothing.
    contacts : whether later frames have contacts of a packing; the first one need not.

    Attributes
    ----------
    frames, bytes : whole frames and bytes in the file so far.

    Raises
    ------
    InputError
        No format with this ending can be recorded to.
    """

    def __init__(
        self, path: str | Path, scenario: str = "", *, sync_every: float = 1.0, contacts: bool = False
    ) -> None:
        self.path = typed_path(path)
        self.frames = 0
        self.bytes = 0
        begin = formats.to_record(self.path).records
        assert begin is not None
        self._writer = begin(self.path, formats.RecordingPlan(scenario, contacts, sync_every))
        self._closed = False
        self._lock: Lock | None = None

    def append(self, frame: FileFrame) -> None:
        """Write a frame. When this returns, the frame survives the end of the process, and its arrays may be reused.

        It needs the same parts as the first frame: box and radii, and velocities, clusters and masses if that had them.

        Raises
        ------
        RecordingError
            The file cannot be written (no space, no permission, another recording). It is closed with the frames
            before this one.
        ValueError
            The frame does not have the parts or the number of discs of the first one.
        """
        if self._closed:
            raise ValueError("the recording is closed")
        try:
            if not self.frames and self._lock is None:
                self._take_lock()
            self._writer.append(frame)
        except OSError as error:
            self._closed = True
            with suppress(OSError):  # the error that is reported is the one that came first
                self._writer.close()
            self._release()
            raise RecordingError(self.path, self.frames, error) from error
        self.frames += 1
        self.bytes = self._writer.bytes

    def close(self) -> None:
        """End the recording. Raises RecordingError if the last data cannot be written."""
        if self._closed:
            return
        self._closed = True
        try:
            self._writer.close()
        except OSError as error:
            raise RecordingError(self.path, self.frames, error) from error
        finally:
            self._release()

    def _take_lock(self) -> None:
        """Lock the file. OSError if another program is recording to it."""
        self._lock = lock_if_possible(self.path.with_name(f".{self.path.name}.lock"))
        if self._lock is not None and not self._lock.taken:
            raise OSError(errno.EBUSY, "another program is recording to it")

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
