"""Session files (``.aggsession``): a ZIP of `session.json` and the arrays of the checkpoints. Layout: docs/sessions.md.

It contains no pickled objects and no code. Untrusted files are read within limits and checked before kernels use them.
"""

from __future__ import annotations

import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from aggviewer.latest_job import CancelledError
from aggviewer.session.saved.state import SessionState, described_run, head_text, parse_head, state_of
from engine import __version__
from engine.files.session_arrays import write_array, write_record
from engine.files.session_file import HEAD, SUFFIX, checkpoints, head_bytes, opened
from engine.files.writing import replacing

__all__ = ["SUFFIX", "describe_session", "read_session", "write_session"]


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

    def between() -> None:
        if cancelled():
            raise CancelledError

    saved = replace(state, program=state.program or __version__, saved_at=state.saved_at or time.time())
    with replacing(path) as partial:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, allowZip64=True, compresslevel=1) as file:
            with file.open(HEAD, "w") as head:  # not `writestr`, which fails if the clock is before 1980 or after 2107
                head.write(head_text(saved))
            for number, lane in enumerate(saved.lanes):
                for name, array in lane.arrays.items():
                    if array.dtype.names is None:
                        write_array(file, f"lane{number}/{name}.npy", array, between)
                    else:
                        write_record(file, f"lane{number}/{name}", array, between)
        with opened(partial):
            pass


def read_session(path: Path) -> SessionState:
    """Read and check a session file, so that its lanes can be passed to `engine.restore`.

    This takes some tenths of a second for 10^5 discs, too long for the GUI thread.

    Raises
    ------
    InputError
        The file cannot be used. The message names the file.
    """
    with opened(path) as file:
        head = parse_head(head_bytes(path, file), str(path))
        return state_of(head, checkpoints(path, file, head.lanes, head.count))


def describe_session(path: Path) -> tuple[float, str]:
    """When a session file was saved (seconds since 1970), and one line about its contents.

    Raises InputError if the file cannot be used. Only a few kilobytes are read.
    """
    with opened(path) as file:
        head = parse_head(head_bytes(path, file), str(path))
    methods = [lane.method for lane in head.lanes]
    return head.saved_at, described_run(head.count, head.clusters, head.time, methods, head.lanes[0].system)
