"""The child process that compiles kernels, started by `aggviewer.session.precompile`."""

from __future__ import annotations

import importlib
import os
import sys
import threading
import traceback
from pathlib import Path

from aggviewer.session.precompile import code_inputs, files_of, is_current
from engine.files.writing import lock_if_possible


def main() -> None:
    """Compile all kernels of a part: the folder of the kernels, the module and the rest of the part are the arguments.

    If another program is compiling the same part, it waits for that one. On a file system without locks both may
    compile it, which costs time only.
    """
    threading.Thread(target=_end_with_parent, daemon=True).start()
    folder, module, *part = sys.argv[1:]
    files = files_of(Path(folder), (module, *part))
    lock = lock_if_possible(files.lock, wait=True)
    try:
        if is_current(files.complete, module):
            return
        sources = code_inputs(module)  # read before compiling, since a person may change them meanwhile
        with files.progress.open("w", encoding="utf-8", buffering=1) as progress:
            try:
                importlib.import_module(module).warm_up(
                    lambda done, total, what: progress.write(f"{done} {total} {what}\n"), *part
                )
            except Exception:
                traceback.print_exc(file=progress)
                raise
        files.complete.write_text(sources, encoding="utf-8")
    finally:
        if lock is not None:
            lock.release()


def _end_with_parent() -> None:
    """End this process when its parent has ended, for whatever reason, which closes the pipe."""
    os.read(sys.stdin.fileno(), 1)  # not with a file object, whose lock would block a normal exit
    os._exit(1)
