"""Writing files: work in steps that can be cancelled in between, files that appear only when they are complete, the
data of plots as a table, and one-sentence errors."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from PyQt6.QtCore import QBuffer, QByteArray, QIODevice
from PyQt6.QtGui import QImage, QImageWriter

from aggviewer.latest_job import CancelledError
from engine.errors import InputError
from engine.files.text import cell_text
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
        raise _incomplete(path, error) from error


def _incomplete(path: Path, error: OSError) -> InputError:
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
        raise _incomplete(path, error) from error


class Memory:
    """A memory device for Qt to write to. Qt does not report a full disk when it writes to a file; Python does."""

    def __init__(self) -> None:
        self._bytes = QByteArray()
        self.device = QBuffer(self._bytes)
        self.device.open(QIODevice.OpenModeFlag.WriteOnly)

    def close(self) -> bytes:
        """Close the device, and return the data that were written."""
        self.device.close()
        return bytes(self._bytes.data())


def png_bytes(image: QImage) -> bytes:
    """The contents of a PNG file with this image."""
    memory = Memory()
    writer = QImageWriter(memory.device, b"png")
    if not writer.write(image):
        raise OSError(None, writer.errorString())
    return memory.close()


def table_text(columns: Mapping[str, ArrayLike]) -> str:
    """CSV for every reader: a line with the names, then the values in full precision or as text, without quotation
    marks (`cell_text`).

    Shorter columns end earlier, NaN is left empty.
    """
    lists = [[_text(value) for value in np.asarray(values).tolist()] for values in columns.values()]
    rows = [map(cell_text, columns), *zip_longest(*lists, fillvalue="")]
    return "".join(",".join(row) + "\n" for row in rows)


def write_table(path: Path, columns: Mapping[str, ArrayLike]) -> None:
    """Write `table_text` into a file. InputError if it cannot be written."""
    with new_file(path) as partial:
        partial.write_bytes(table_text(columns).encode())


def _text(value: float | str) -> str:
    return cell_text(value) if isinstance(value, str) else "" if value != value else repr(value)


_T = TypeVar("_T")

SaveSteps: TypeAlias = Generator[None, None, _T]
"""Work whose result is ready when one thread has taken all steps."""


def finished(steps: SaveSteps[_T], cancelled: Callable[[], bool] = lambda: False) -> _T:
    """Take all steps and return the result. cancelled : checked before each step; then `steps` clean up, and
    CancelledError is raised."""
    while not cancelled():
        try:
            next(steps)
        except StopIteration as end:
            found: _T = end.value
            return found
    steps.close()
    raise CancelledError
