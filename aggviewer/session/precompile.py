"""Compiling kernels into the cache in a child process, at the first start of a version.

Compiling takes half a minute of Python code that makes millions of objects. In the process of the window, each garbage
collection would stop the window for 0.1 to 0.2 s, and closing it would have to wait for the kernel that is being
compiled. The kernels of the engine and those of the picture are compiled by two child processes, so that the picture is
ready first. Afterwards the program only loads them from the cache.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from aggviewer.session.notices import log

Report = Callable[[int, int, str], None]

_POLL = 0.1  # seconds between two checks of the child
_NICENESS = 5  # lower priority for the child: the window goes first
_CHILD = (
    "import importlib, sys; importlib.import_module(sys.argv[1]).warm_up("
    "lambda done, total, what: print(done, total, what, flush=True), *sys.argv[2:])"
)


def fill_cache(report: Report, module: str = "engine", *part: str) -> None:
    """Compile the kernels of a module in a child process, unless the cache has them already.

    Where no folder can be written or the child fails, nothing happens: this process compiles the kernels later.

    Parameters
    ----------
    report : called again and again with the number of stages done, the number of all stages and a word for the next.
        Whatever it raises ends the child.
    module : the name of a module with a function ``warm_up(report, *part)``, which uses all its kernels.
    part : passed on to that function.
    """
    from engine.kernels import BROUGHT, CACHE_DIR

    if CACHE_DIR is None:
        return
    marker = CACHE_DIR / f"complete-{'-'.join((module, *part))}.txt"
    if (BROUGHT is not None and (BROUGHT / marker.name).exists()) or _is_current(marker, module):
        return
    try:
        filled = _run_child(module, part, report)
    except OSError as error:
        log.warning("no process for compiling: %s", error)
        return
    if filled:
        try:
            CACHE_DIR.mkdir(parents=True, exist_ok=True)
            marker.write_text(_versions(), encoding="utf-8")
        except OSError as error:
            log.warning("%s cannot be written: %s", marker, error)


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


def _run_child(module: str, part: tuple[str, ...], report: Report) -> bool:
    """Run the child, pass on what it reports, and return whether it has succeeded."""
    with tempfile.TemporaryDirectory(prefix="aggviewer-") as folder:
        path = Path(folder) / "progress.txt"
        with path.open("w", encoding="utf-8") as output:
            child = subprocess.Popen(
                [sys.executable, "-P", "-c", _CHILD, module, *part],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            )
        try:
            if hasattr(os, "setpriority"):
                os.setpriority(os.PRIO_PROCESS, child.pid, _NICENESS)
            status = child.poll()
            while status is None:
                _pass_on(path, report)
                time.sleep(_POLL)
                status = child.poll()
        finally:
            if child.poll() is None:
                child.kill()
            child.wait()
        if status != 0:
            log.warning("compiling in a process of its own failed (%s):\n%s", status, path.read_text(encoding="utf-8"))
        return status == 0


def _pass_on(path: Path, report: Report) -> None:
    """Report the last complete line ``done total what`` of the child's output, or that it has begun."""
    done, total, what = 0, 1, "engine"
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        words = line.split(maxsplit=2)
        if line.endswith("\n") and len(words) == 3 and words[0].isdigit() and words[1].isdigit():
            done, total, what = int(words[0]), int(words[1]), words[2].strip()
    report(done, total, what)
