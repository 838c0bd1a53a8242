"""Files that appear only when they are complete, and one-sentence errors."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PyQt6.QtCore import QBuffer, QByteArray, QIODevice
from PyQt6.QtGui import QImage, QImageWriter

from engine.errors import InputError
from engine.files.writing import replacing


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A temporary path beside `path`, moved over `path` at the end and removed on an error.

    An OSError, such as a full disk, becomes an InputError that says so.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder; choose a file in it", str(path))
    try:
        with replacing(path) as partial:
            yield partial
    except OSError as error:
        raise cannot_write(path, error) from error


def cannot_write(path: Path, error: OSError) -> InputError:
    """The error message for a path that the system refuses."""
    if not path.parent.is_dir():
        return InputError(f"{path} cannot be written: there is no folder {path.parent}", str(path))
    reason = (error.strerror or str(error) or type(error).__name__).lower()
    return InputError(f"{path} cannot be written: {reason}; the incomplete file was removed", str(path))


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A new folder for files, renamed to `path` when all are written; `path` must not exist or must be an empty
    folder."""
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise InputError(f"{path} already exists and is not empty; choose another name", str(path))
        partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
        partial.mkdir()
        try:
            yield partial
            if path.is_dir():
                path.rmdir()
            partial.rename(path)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    except OSError as error:
        raise cannot_write(path, error) from error


class Memory:
    """A memory device for Qt to write to. Qt does not report a full disk when it writes to a file; Python does."""

    def __init__(self) -> None:
        self._bytes = QByteArray()
        self.device = QBuffer(self._bytes)
        self.device.open(QIODevice.OpenModeFlag.WriteOnly)

    def close(self) -> bytes:
        """The data written so far."""
        self.device.close()
        return bytes(self._bytes.data())


def png_bytes(image: QImage) -> bytes:
    """An image as PNG."""
    memory = Memory()
    writer = QImageWriter(memory.device, b"png")
    if not writer.write(image):
        raise OSError(None, writer.errorString())
    return memory.close()
