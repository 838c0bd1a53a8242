"""What a child process does that compiles kernels; `aggviewer.session.precompile` starts it.

Its arguments are the number of the process that started it, without which it ends; and ``part MODULE PART…`` for all
that the function ``warm_up`` of a module uses, or ``kernel SET NAME`` for one kernel that takes long.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
import time
from pathlib import Path

from filelock import FileLock

_LOOK_EVERY = 1.0  # seconds between two looks whether the parent is there


def main() -> None:
    """Do what the command line says."""
    parent, kind, *arguments = sys.argv[1:]
    threading.Thread(target=_end_with, args=(int(parent),), daemon=True).start()
    if kind == "kernel":
        _compile_kernel(*arguments)
    else:
        _compile_part(*arguments)


def _compile_part(module: str, *part: str) -> None:
    """All of a part. A kernel that another process compiles meanwhile is waited for."""
    from engine.kernels import CACHE_DIR
    from engine.system import systems

    long = {
        name
        for kernels in part
        for system in systems()
        if kernels in system.kernel_sets()
        for name in system.long_kernels(kernels)
    }

    def report(done: int, total: int, what: str) -> None:
        sys.stdout.write(f"{done} {total} {what}\n")
        sys.stdout.flush()
        if what in long and CACHE_DIR is not None:
            with FileLock(str(_lock_of(CACHE_DIR, part[0], what))):
                pass

    importlib.import_module(module).warm_up(report, *part)


def _compile_kernel(kernels: str, name: str) -> None:
    from engine.kernels import CACHE_DIR
    from engine.system import system_of_kernels

    assert CACHE_DIR is not None
    with FileLock(str(_lock_of(CACHE_DIR, kernels, name))):
        system_of_kernels(kernels).long_kernels(kernels)[name]()


def _lock_of(folder: Path, kernels: str, name: str) -> Path:
    return folder / f"kernel-{kernels}-{name.replace(' ', '-')}.lock"


def _end_with(parent: int) -> None:
    """End this process when its parent is gone, which may have been killed."""
    while os.getppid() == parent:
        time.sleep(_LOOK_EVERY)
    os._exit(1)
