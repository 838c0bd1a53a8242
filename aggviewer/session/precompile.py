"""Compiles kernels into the cache in child processes, at the first start of a version.

Compiling takes half a minute of Python code that creates millions of objects. In the window's process, each garbage
collection would block the window for 0.1 to 0.2 s, and closing would have to wait for the current kernel. So child
processes compile (`aggviewer.session.compile_child`), and the program only loads kernels from the cache: first those of
the picture and the scenario, then all others in the background.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.util
import os
import platform
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

from aggviewer.latest_job import CancelledError, LatestJob
from aggviewer.session.notices import log
from engine.system import systems
from engine.warming import Report

KernelPart = tuple[str, ...]
"""A set of kernels compiled together: a module with a function ``warm_up(report, *part)``, and its arguments."""

PICTURE: KernelPart = ("aggviewer.canvas.warmup",)
"""The kernels that draw discs."""

CHILD = "from aggviewer.session.compile_child import main; main()"
"""The code of a child process, with the folder of the kernels and a part as arguments."""

_POLL = 0.1  # seconds between two looks at a child
_NICENESS = 5  # lower priority for the children, so that the window stays responsive

_children: dict[KernelPart, subprocess.Popen[bytes]] = {}  # running, by the part that they compile
_lock = threading.Lock()


class PartFiles(NamedTuple):
    """Files beside the kernels: the lock of the child that compiles a part, its progress, and the mark of
    completion."""

    lock: Path
    progress: Path
    complete: Path


def files_of(folder: Path, part: KernelPart) -> PartFiles:
    """The files of a part. folder : of the kernels."""
    name = "-".join(part)
    return PartFiles(folder / f"{name}.lock", folder / f"progress-{name}.txt", folder / f"complete-{name}.txt")


def all_parts() -> tuple[KernelPart, ...]:
    """All kernels of the built-in systems that can be compiled ahead."""
    own = (system for system in systems() if not system.origin)
    return (*(("engine", kernels) for system in own for kernels in system.kernel_sets()), PICTURE)


def fill_cache(report: Report, module: str = "engine", *part: str, idle: bool = False) -> None:
    """Compile a part in a child process, unless it is already cached, and wait for it.

    A child continues even if nobody waits for it, and is found by the next request for its part. It ends with its
    parent process. If another program is compiling the same part, its child is waited for. If no folder can be written
    or a child fails, this process compiles the kernels later.

    Parameters
    ----------
    report : called repeatedly with the number of finished stages, the total, and a word for the next. An exception from
        it ends the wait.
    module, part : see `KernelPart`.
    idle : run at the lowest priority, since nobody is waiting.
    """
    from engine.kernels import CACHE_DIR

    wanted = (module, *part)
    if CACHE_DIR is None:
        return
    files = files_of(CACHE_DIR, wanted)
    if is_current(files.complete, module):
        return
    try:
        CACHE_DIR.mkdir(parents=True, exist_ok=True)
        child = _child(CACHE_DIR, wanted, idle)
    except OSError as error:
        log.warning("no process for compiling in %s: %s", CACHE_DIR, error)
        return
    while True:
        status = child.poll()
        lines = _lines(files.progress)
        report(*_progress(lines))
        if status is not None:
            break
        time.sleep(_POLL)
    if status != 0:
        log.warning("compiling in a process of its own failed (%s):\n%s", status, "".join(lines))


def ended_with(job: LatestJob) -> Report:
    """A report for `fill_cache` that shows nothing, and ends the wait when a job is cancelled."""

    def report(_done: int, _total: int, _what: str) -> None:
        if job.cancelled:
            raise CancelledError

    return report


def end_children() -> None:
    """End all children of this process."""
    with _lock:
        for child in _children.values():
            child.kill()
            child.communicate()
        _children.clear()


atexit.register(end_children)


def is_current(complete: Path, module: str) -> bool:
    """Whether a part was compiled from these sources, by this Python and for this processor.

    complete : see `PartFiles`; module : of the part.
    """
    try:
        return complete.read_text(encoding="utf-8") == code_inputs(module)
    except OSError:
        return False


def code_inputs(module: str) -> str:
    """What the machine code of a part depends on: Python, numba, the target processor, and the contents of the sources,
    whatever their dates. OSError if a source cannot be read."""
    import numba
    from llvmlite import binding  # type: ignore[import-untyped]

    processor = numba.config.CPU_NAME or binding.get_host_cpu_name()
    digest = hashlib.sha256()
    for source in sorted(_sources(module)):
        digest.update(hashlib.sha256(source.read_bytes()).digest())
    return f"{sys.version} {numba.__version__} {platform.machine()} {processor} {digest.hexdigest()}"


def _sources(module: str) -> set[Path]:
    """The source files that the machine code of a module depends on: its own, and those of the engine, whose kernels
    may be compiled into it."""
    found: set[Path] = set()
    for name in {"engine", module}:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            found.update(Path(spec.origin).parent.rglob("*.py"))
    return found


def _child(folder: Path, part: KernelPart, idle: bool) -> subprocess.Popen[bytes]:
    """The child that compiles a part: an existing one, else a new one."""
    with _lock:
        child = _children.get(part)
        if child is None or child.poll() is not None:
            child = _children[part] = subprocess.Popen(
                [sys.executable, "-P", "-c", CHILD, str(folder), *part],
                stdin=subprocess.PIPE,  # closing it tells the child that this process has ended
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            )
            if sys.platform != "win32":
                os.setpriority(os.PRIO_PROCESS, child.pid, 19 if idle else _NICENESS)
            if idle and sys.platform == "linux":
                os.sched_setscheduler(child.pid, os.SCHED_IDLE, os.sched_param(0))
    return child


def _lines(progress: Path) -> list[str]:
    """The complete lines written by the compiling child."""
    try:
        lines = progress.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
    except FileNotFoundError:  # the child has not begun to compile
        return []
    return [line for line in lines if line.endswith("\n")]


def _progress(lines: list[str]) -> tuple[int, int, str]:
    """The last line ``done total what``; before the first, a report that compiling has started."""
    for line in reversed(lines):
        words = line.split(maxsplit=2)
        if len(words) == 3 and words[0].isdigit() and words[1].isdigit():
            return int(words[0]), int(words[1]), words[2].strip()
    return 0, 1, "engine"
