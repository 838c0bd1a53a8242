"""Compiling kernels into the cache in child processes, at the first start of a version.

Compiling takes half a minute of Python code that makes millions of objects. In the process of the window, each garbage
collection would stop the window for 0.1 to 0.2 s, and closing it would have to wait for the kernel that is being
compiled. So child processes compile, and the program only loads kernels from the cache: what the picture needs, what
the scenario needs, divided among processors, and everything else afterwards while nobody waits (`Rest`). A lock keeps
two programs from doing the same work.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from filelock import FileLock, Timeout

from aggviewer.session.notices import log
from engine.system import systems

Report = Callable[[int, int, str], None]
Part = tuple[str, ...]
"""A module with a function ``warm_up(report, *part)``, and what it is given: kernels that are compiled together."""

PICTURE: Part = ("aggviewer.canvas.warmup",)
"""The kernels that draw discs."""

_POLL = 0.1  # seconds between two checks of the children
_NICENESS = 5  # lower priority for the children: the window goes first
_CHILD = "from aggviewer.session.compile_child import main; main()"


class LeaveError(Exception):
    """Raised by a report where nobody waits any more: the children go on, for whoever wants the same next. `end_left`
    ends them."""


_waiting = threading.Condition()
_foreground = 0  # how many threads of this process want kernels at once


def all_parts() -> tuple[Part, ...]:
    """All that can be compiled ahead, of the program's own systems. Neighbours share few kernels, so that what two
    processes compile at the same time is little."""
    sets = [system.kernel_sets() for system in systems() if not system.origin]
    longest = max(map(len, sets))
    return (*(("engine", own[k]) for k in range(longest) for own in sets if k < len(own)), PICTURE)


def fill_cache(report: Report, module: str = "engine", *part: str, idle: bool = False) -> None:
    """Compile the kernels of a module in child processes, unless the cache has them already.

    Where another program is at the same, it is waited for. Where no folder can be written or a child fails, nothing
    happens: this process compiles the kernels later.

    Parameters
    ----------
    report : called again and again with the number of stages done, the number of all stages and a word for the next.
        Whatever it raises ends the children, but for `LeaveError`.
    module : the name of a module with a function ``warm_up(report, *part)``, which uses all its kernels.
    part : passed on to that function.
    idle : nobody waits for it: it gets the processor only where nothing else wants it.
    """
    global _foreground
    with _waiting:
        _foreground += not idle
    try:
        _fill(report, module, part, idle)
    finally:
        with _waiting:
            _foreground -= not idle
            _waiting.notify_all()


def end_left() -> None:
    """End the children that nobody waits for."""
    with _waiting:
        left = list(_left.values())
        _left.clear()
    for children in left:
        children.end()


class Rest:
    """Compiles parts, one after the other, on a thread of its own while nothing else wants the processor. Where this
    program wants kernels at once, it gives way and goes on afterwards.

    parts : what to compile.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="aggviewer-compiling", daemon=True)

    def start(self) -> None:
        """Begin, if it has not begun."""
        if self._thread.ident is None and not self._closing:
            self._thread.start()

    def close(self) -> None:
        """End all children, and the thread."""
        with _waiting:
            self._closing = True
            _waiting.notify_all()
        if self._thread.ident is not None:
            self._thread.join()
        end_left()

    def _run(self) -> None:
        left = list(self._parts)
        while left and not self._closing:
            with _waiting:
                _waiting.wait_for(lambda: self._closing or not _foreground)
            try:
                module, *part = left[0]
                fill_cache(self._report, module, *part, idle=True)
                del left[0]
            except _GiveWayError:
                pass

    def _report(self, done: int, total: int, what: str) -> None:
        if self._closing or _foreground:
            raise _GiveWayError


class _GiveWayError(Exception):
    """Ends a child that nobody waits for."""


def _fill(report: Report, module: str, part: Part, idle: bool) -> None:
    from engine.kernels import BROUGHT, CACHE_DIR

    if CACHE_DIR is None:
        return
    name = "-".join((module, *part))
    marker, progress = CACHE_DIR / f"complete-{name}.txt", CACHE_DIR / f"progress-{name}.txt"
    if (BROUGHT is not None and (BROUGHT / marker.name).exists()) or _is_current(marker, module):
        return
    try:
        CACHE_DIR.mkdir(parents=True, exist_ok=True)
        lock = FileLock(str(CACHE_DIR / f"{name}.lock"))
        _acquire(lock, progress, report)
    except OSError as error:
        log.warning("%s cannot be written: %s", CACHE_DIR, error)
        return
    try:
        if not _is_current(marker, module) and _run_children(module, part, report, progress, idle):
            marker.write_text(_versions(), encoding="utf-8")
    except OSError as error:
        log.warning("no process for compiling: %s", error)
    finally:
        lock.release()


def _acquire(lock: FileLock, progress: Path, report: Report) -> None:
    """Wait until no other program is at the same part; what that one reports is passed on."""
    while True:
        try:
            lock.acquire(timeout=0)
            return
        except Timeout:
            _pass_on(progress, report)
            time.sleep(_POLL)


def _is_current(marker: Path, module: str) -> bool:
    """Whether the cache was filled after the last change of the sources, by this Python and on this machine."""
    try:
        if marker.read_text(encoding="utf-8") != _versions():
            return False
        written = marker.stat().st_mtime_ns
        return all(source.stat().st_mtime_ns <= written for source in _sources(module))
    except OSError:
        return False


def _sources(module: str) -> list[Path]:
    """The source files of a module and of the engine, whose kernels may be compiled into those of the module."""
    found: set[Path] = set()
    for name in {"engine", module}:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            found.update(Path(spec.origin).parent.rglob("*.py"))
    return sorted(found)


def _versions() -> str:
    """What the machine code depends on besides the sources."""
    import numba

    return f"{sys.version} {numba.__version__} {platform.machine()} {platform.processor()} {platform.node()}"


class _Children:
    """The child that compiles a part, and beside it one for each kernel that takes long, where there are processors for
    them. What the first one reports goes into the file `progress`."""

    def __init__(self, module: str, part: Part, progress: Path, idle: bool) -> None:
        beside = [] if idle or (os.cpu_count() or 1) < 2 else _long_kernels(module, part)
        self._all: list[subprocess.Popen[bytes]] = []
        with ExitStack() as files:  # each child has its own copy of these files
            try:
                for name in beside:
                    self._all.append(_child(files, Path(os.devnull), idle, "kernel", *part, name))
                self.first = _child(files, progress, idle, "part", module, *part)
                self._all.append(self.first)
            except BaseException:
                self.end()
                raise

    def end(self) -> None:
        """End those that are still at work."""
        for child in self._all:
            if child.poll() is None:
                child.kill()
            child.wait()


_left: dict[Part, _Children] = {}  # that nobody waits for, by module and part


def _run_children(module: str, part: Part, report: Report, progress: Path, idle: bool) -> bool:
    """Have children compile a part; those that somebody has left go on with it. Pass on what the first one reports, and
    return whether it has succeeded."""
    with _waiting:
        children = _left.pop((module, *part), None)
    children = children or _Children(module, part, progress, idle)
    left = False
    try:
        while (status := children.first.poll()) is None:
            _pass_on(progress, report)
            time.sleep(_POLL)
    except LeaveError:
        left = True
        with _waiting:
            _left[(module, *part)] = children
        raise
    finally:
        if not left:
            children.end()
    if status != 0:
        log.warning("compiling in a process of its own failed (%s):\n%s", status, progress.read_text(encoding="utf-8"))
    return status == 0


def _long_kernels(module: str, part: Part) -> list[str]:
    """The kernels of a part that processes of their own compile."""
    if module != "engine":
        return []
    return [
        name
        for system in systems()
        for kernels in part
        if kernels in system.kernel_sets()
        for name in system.long_kernels(kernels)
    ]


def _child(files: ExitStack, output: Path, idle: bool, *arguments: str) -> subprocess.Popen[bytes]:
    """A process of `aggviewer.session.compile_child` with these arguments."""
    written = files.enter_context(output.open("w", encoding="utf-8"))
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", _CHILD, str(os.getpid()), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=written,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    if sys.platform != "win32":
        os.setpriority(os.PRIO_PROCESS, child.pid, 19 if idle else _NICENESS)
    if idle and sys.platform == "linux":
        os.sched_setscheduler(child.pid, os.SCHED_IDLE, os.sched_param(0))
    return child


def _pass_on(progress: Path, report: Report) -> None:
    """Report the last complete line ``done total what`` of a child's output, or that it has begun."""
    done, total, what = 0, 1, "engine"
    try:
        lines = progress.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
    except FileNotFoundError:  # another program has the lock, but no child yet
        lines = []
    for line in lines:
        words = line.split(maxsplit=2)
        if line.endswith("\n") and len(words) == 3 and words[0].isdigit() and words[1].isdigit():
            done, total, what = int(words[0]), int(words[1]), words[2].strip()
    report(done, total, what)
