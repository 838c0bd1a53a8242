"""Session files (``.aggsession``): a ZIP of `session.json` and the arrays of the checkpoints. Layout: docs/sessions.md.

It contains no pickled objects and no code. Untrusted files are read within limits and checked before kernels use them.
"""

from __future__ import annotations

import re
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from aggviewer.session.saved.arrays import (
    MAX_BYTES,
    NAME,
    check_directory,
    check_sizes,
    read_array,
    record_of,
    write_array,
    write_record,
)
from aggviewer.session.saved.state import (
    MAX_HEAD,
    SessionHead,
    SessionState,
    described_run,
    head_text,
    parse_head,
    state_of,
)
from engine import __version__
from engine.errors import InputError
from engine.files.checks import size_of
from engine.files.writing import replacing

SUFFIX = ".aggsession"

_HEAD = "session.json"
_ARRAY = re.compile(rf"lane([01])/({NAME})(?:\.({NAME}))?\.npy")
_POOL = re.compile(r"packings/(?:extended|bucklers|gaps)\.npy")  # of formats up to 6, which is not read
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    KeyError,
    IndexError,
    OverflowError,
)


def write_session(path: Path, state: SessionState, cancelled: Callable[[], bool] = lambda: False) -> None:
    """Write a session file, completely or not at all. May be called from any thread if `state` holds copies, else only
    from the simulation's. Needs only a few megabytes of memory besides the state.

    Raises
    ------
    OSError
        The file cannot be written.
    CancelledError
        `cancelled`, which is called repeatedly, returned true.
    InputError
        A session file cannot store this state. Names, types, sizes and number of arrays are checked as on opening, so
        that every written file can be read again.
    """
    saved = replace(state, program=state.program or __version__, saved_at=state.saved_at or time.time())
    with replacing(path) as partial:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, allowZip64=True, compresslevel=1) as file:
            with file.open(_HEAD, "w") as head:  # not `writestr`, which fails if the clock is before 1980 or after 2107
                head.write(head_text(saved))
            for number, lane in enumerate(saved.lanes):
                for name, array in lane.arrays.items():
                    if array.dtype.names is None:
                        write_array(file, f"lane{number}/{name}.npy", array, cancelled)
                    else:
                        write_record(file, f"lane{number}/{name}", array, cancelled)
        with _opened(partial):
            pass


def read_session(path: Path) -> SessionState:
    """Read and check a session file, so that its lanes can be passed to `engine.restore`.

    This takes some tenths of a second for 10^5 discs, too long for the GUI thread.

    Raises
    ------
    InputError
        The file cannot be used. The message names the file.
    """
    from engine import check_checkpoint

    with _opened(path) as file:
        head = _head(path, file)
        arrays = _lane_arrays(path, file, head)
        state = state_of(head, arrays)
        for checkpoint in state.lanes:
            check_checkpoint(checkpoint)
            if len(checkpoint.arrays["radii"]) != head.count:
                raise InputError(f"{path}: session.json is damaged: it gives another number of discs")
    return state


def describe_session(path: Path) -> tuple[float, str]:
    """When a session file was saved (seconds since 1970), and one line about its contents.

    Raises InputError if the file cannot be used. Only a few kilobytes are read.
    """
    with _opened(path) as file:
        head = _head(path, file)
    methods = [lane.method for lane in head.lanes]
    return head.saved_at, described_run(head.count, head.clusters, head.time, methods, head.lanes[0].system)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a session file and check its list of members. Any error in the block becomes an InputError."""
    size = size_of(path)
    if size > MAX_BYTES:
        raise InputError(f"{path} is too large for a session file", str(path))
    try:
        with path.open("rb") as raw:
            check_directory(path, raw, size)
            with zipfile.ZipFile(raw) as file:
                check_sizes(path, file, size, _allowed)
                yield file
    except InputError as error:
        message = str(error)
        raise InputError(message if str(path) in message else f"{path}: {message}", str(path)) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}", str(path)) from None
    except MemoryError:
        raise InputError(f"{path}: not enough memory to open it", str(path)) from None
    except _DAMAGED:
        raise InputError(f"{path} is damaged", str(path)) from None


def _lane_arrays(path: Path, file: zipfile.ZipFile, head: SessionHead) -> list[dict[str, NDArray[Any]]]:
    """The arrays of the checkpoint of each lane."""
    arrays: list[dict[str, NDArray[Any]]] = [{} for _ in head.lanes]
    fields: dict[tuple[int, str], list[re.Match[str]]] = {}
    for found in _members(file, _ARRAY):
        if int(found[1]) >= len(arrays):
            raise InputError(f"{path} contains something that does not belong in a session file", str(path))
        fields.setdefault((int(found[1]), found[2]), []).append(found)
    for (lane, name), members in fields.items():
        columns = {found[3] or "": read_array(path, file, found[0]) for found in members}
        if "" not in columns:
            arrays[lane][name] = record_of(path, f"lane{lane}/{name}", columns)
        elif len(columns) == 1:
            arrays[lane][name] = columns[""]
        else:
            raise InputError(
                f"{path}: {members[0][0]} is damaged: it is an array with fields, and one without", str(path)
            )
    return arrays


def _members(file: zipfile.ZipFile, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    return [found for name in file.namelist() if (found := pattern.fullmatch(name)) is not None]


def _allowed(name: str) -> bool:
    return name == _HEAD or any(kind.fullmatch(name) is not None for kind in (_ARRAY, _POOL))


def _head(path: Path, file: zipfile.ZipFile) -> SessionHead:
    if _HEAD not in file.namelist():
        raise InputError(f"{path} is not a session file: it has no {_HEAD}", str(path))
    if file.getinfo(_HEAD).file_size > MAX_HEAD:
        raise InputError(f"{path}: {_HEAD} is too long", str(path))
    with file.open(_HEAD) as source:
        return parse_head(source.read(MAX_HEAD), str(path))
