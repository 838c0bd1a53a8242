"""`aggviewer doctor`: what a bug report needs about the machine and the installation. With `--warm` it compiles
everything in advance, in as many processes as there are processors; with `--install-desktop` it makes an entry with an
icon among the applications of a Linux desktop."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs
import typer

from aggviewer.cli.summary import in_columns
from aggviewer.session.precompile import KernelPart, all_parts, fill_cache
from engine import __version__
from engine.errors import InputError
from engine.runs.summary import to_json

if TYPE_CHECKING:
    from rich.console import Console

_PACKAGES = (
    "numpy",
    "scipy",
    "numba",
    "llvmlite",
    "tbb",
    "pydantic",
    "PyQt6",
    "PyQt6-Qt6",
    "vispy",
    "pyqtgraph",
    "qtawesome",
    "cmap",
    "psygnal",
    "typer",
    "rich",
)
_DISPLAY = (
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XDG_SESSION_TYPE",
    "QT_QPA_PLATFORM",
    "LIBGL_ALWAYS_SOFTWARE",
    "AGGVIEWER_CANVAS",
    "QT_SCALE_FACTOR",
)
_PROBE_SECONDS = 20.0
_NO_CONNECTION = "could not connect to display"

# in its own process: a driver that crashes or hangs takes only the probe with it
_PROBE = """
import json
from PyQt6.QtGui import QGuiApplication, QOffscreenSurface, QOpenGLContext, QSurfaceFormat
from PyQt6.QtOpenGL import QOpenGLVersionFunctionsFactory, QOpenGLVersionProfile
app = QGuiApplication([])
context = QOpenGLContext()
found = {"platform": app.platformName(), "created": context.create()}
surface = QOffscreenSurface()
surface.setFormat(context.format())
surface.create()
if found["created"] and context.makeCurrent(surface):
    profile = QOpenGLVersionProfile()
    profile.setVersion(2, 0)
    functions = QOpenGLVersionFunctionsFactory.get(profile, context)
    for name, number in (("vendor", 0x1F00), ("renderer", 0x1F01), ("version", 0x1F02)):
        found[name] = functions.glGetString(number)
    context.doneCurrent()
print(json.dumps(found))
"""


def report(as_json: bool) -> int:
    """Write the report to stdout; returns the exit status."""
    found = examine()
    if as_json:
        typer.echo(to_json(found))
    else:
        for title, part in found.items():
            typer.echo(title if isinstance(part, dict) else f"{title}: {part}")
            if isinstance(part, dict) and part:
                typer.echo(in_columns(((name, "-" if of is None else of) for name, of in part.items()), indent="  "))
    return 0


def examine() -> dict[str, Any]:
    """Everything that the report contains, by subject."""
    opengl = _opengl()
    return {
        "aggviewer": __version__,
        "machine": {
            "platform": platform.platform(),
            "python": platform.python_version(),
            "executable": sys.executable,
            "cpus": os.cpu_count(),
            "cpus_usable": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        },
        "packages": {name: _version(name) for name in _PACKAGES},
        "plug_ins": _or_error(_plug_ins),
        "numba": _or_error(_numba),
        "opengl": opengl,
        "picture": _or_error(lambda: _picture(opengl)),
        "display": {name: os.environ.get(name) for name in _DISPLAY},
        "folders": _folders(),
    }


def _or_error(examined: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """A part of the report; if a library is missing or does not work, the error instead."""
    try:
        return examined()
    except ImportError as error:
        return {"error": f"cannot be imported: {error}"}
    except Exception as error:  # a broken library may raise anything
        return {"error": f"{type(error).__name__}: {error}"}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _plug_ins() -> dict[str, str]:
    """What each plug-in adds, or why it was not loaded."""
    from engine.plugins import known

    return {plug_in.name: plug_in.words for plug_in in known()}


def _numba() -> dict[str, Any]:
    import numba
    from numba.np.ufunc import parallel

    from engine.kernels import CACHE_DIR  # before numba, which reads the folder when it is imported

    try:
        parallel._launch_threads()
        layer = numba.threading_layer()
    except Exception as error:  # a missing or broken threading library may raise anything
        layer = f"none ({error})"
    return {
        "threading_layer": layer,
        "threads": numba.get_num_threads(),
        "cache": None if CACHE_DIR is None else str(CACHE_DIR),
        "cache_writable": CACHE_DIR is not None and _writable(CACHE_DIR),
    }


def _writable(folder: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _opengl() -> dict[str, Any]:
    needs_display = sys.platform.startswith("linux")
    if needs_display and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return {"error": "no display"}
    try:
        probe = subprocess.run(
            [sys.executable, "-c", _PROBE], capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return {"error": f"no answer within {_PROBE_SECONDS:g} s"}
    except OSError as error:
        return {"error": str(error)}
    try:
        found: dict[str, Any] = json.loads(probe.stdout)
    except ValueError:
        return {"error": _why(probe)}
    return found


def _picture(opengl: dict[str, Any]) -> dict[str, Any]:
    """The renderer of the window, and why it was chosen: by the user, because OpenGL is computed in software here, or
    by timing both.

    opengl : what the probe has found.
    """
    from aggviewer.canvas.create import VARIABLE, on_the_processor
    from aggviewer.window.settings import WindowSettings

    forced = os.environ.get(VARIABLE, "")
    if forced in ("opengl", "painter"):
        drawn_by = "painter" if "error" in opengl or opengl.get("created") is False else forced
        return {"chosen": forced, "chosen_by": VARIABLE, "drawn_by": drawn_by}
    settings = WindowSettings()
    chosen, times, software = settings.surface, settings.picture_times, settings.software_opengl
    if chosen == "auto":
        renderer = str(opengl.get("renderer") or "")
        if not software and times is None and on_the_processor(renderer):
            software = renderer  # as at the next start
        if software:
            return {"chosen": chosen, "drawn_by": "painter", "software_opengl": software}
        if times is None:
            return {
                "chosen": chosen,
                "measured": "not measured yet; the window measures it when it first shows many discs",
            }
    if times is None:
        return {"chosen": chosen, "drawn_by": chosen}
    found = {"opengl_ms": times.opengl, "painter_ms": times.painter, "discs": times.discs, "renderer": times.renderer}
    return {"chosen": chosen, "drawn_by": times.faster if chosen == "auto" else chosen, **found}


def _why(probe: subprocess.CompletedProcess[str]) -> str:
    """The reason why the test of OpenGL in another process has failed."""
    if _NO_CONNECTION in probe.stderr:
        return "the display cannot be reached"
    if probe.returncode < 0:
        return f"the probe was ended by {signal.Signals(-probe.returncode).name}"
    said = probe.stderr.strip().splitlines()
    return said[-1] if said else f"the probe ended with status {probe.returncode}"


def _folders() -> dict[str, Any]:
    ours = platformdirs.PlatformDirs("aggviewer", appauthor=False)
    return {
        "resources": str(resources.files("resources")),
        "config": ours.user_config_dir,
        "state": ours.user_state_dir,
        "log": ours.user_log_dir,
        "cache": ours.user_cache_dir,
    }


_ENTRY = """[Desktop Entry]
Type=Application
Name=aggviewer
GenericName=Hard discs and spheres
Comment=Watch hard discs and spheres stick, bounce and jam
Exec={command} %f
Icon={icon}
Terminal=false
Categories=Education;Physics;
Keywords=simulation;physics;aggregation;granular;jamming;
StartupWMClass=aggviewer
"""
_QUOTED = set(" \t\n\"'\\><~|&;$*?#()`")  # what must be quoted in Exec


def change_entry(*, install: bool) -> int:
    """Write this user's entry, or remove it; returns the exit status. Raises InputError if that is impossible."""
    if not sys.platform.startswith("linux"):
        raise InputError("--install-desktop and --remove-desktop are for Linux desktops", "doctor")
    named = os.environ.get("XDG_DATA_HOME", "")
    base = Path(named) if os.path.isabs(named) else Path.home() / ".local" / "share"
    file = base / "applications" / "aggviewer.desktop"
    try:
        if install:
            file.parent.mkdir(parents=True, exist_ok=True)
            icon = resources.files("resources") / "icons" / "aggviewer.svg"
            file.write_text(_ENTRY.format(command=_command(), icon=icon), encoding="utf-8")
        else:
            file.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{file} cannot be changed: {error.strerror or error}", str(file)) from None
    typer.echo(f"{'Written' if install else 'Removed'}: {file}")
    return 0


def _command() -> str:
    """The command that starts this installation, whatever the current folder and search path, for the key Exec."""
    script = Path(sys.executable).with_name("aggviewer")
    words = [str(script)] if script.is_file() else [sys.executable, "-m", "aggviewer"]
    return " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    """A word of a command, quoted as the key Exec of a desktop entry requires."""
    if _QUOTED & set(word):
        for special in '\\"`$':
            word = word.replace(special, "\\" + special)
        word = f'"{word}"'
    return word.replace("\\", "\\\\").replace("%", "%%")  # once more as a value of the file, and no field code


def warm_all(as_json: bool = False, console: Console | None = None) -> int:
    """Fill the cache; returns the exit status, 1 if no folder can be written. as_json : print the result as JSON.

    console : where the progress bars are drawn; by default on stderr if that is a terminal.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from engine.kernels import CACHE_DIR

    if CACHE_DIR is None:
        typer.echo(
            "The compiled kernels cannot be stored: no folder for them can be written, so each start compiles again.",
            err=True,
        )
        return 1
    began, parts = time.monotonic(), all_parts()
    console = console or Console(stderr=True, quiet=not sys.stderr.isatty())
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[what]}"), TimeElapsedColumn())
    with Progress(*columns, console=console) as bars, ThreadPoolExecutor(os.cpu_count() or 1) as pool:

        def compile_part(part: KernelPart) -> None:
            bar = bars.add_task(name_of(part), total=1.0, what="")

            def report(done: int, total: int, what: str) -> None:
                bars.update(bar, completed=done / total, what=what)

            fill_cache(report, *part)
            bars.update(bar, completed=1.0, what="ready")

        list(pool.map(compile_part, parts))
    seconds = time.monotonic() - began
    if as_json:
        typer.echo(to_json({"parts": [name_of(part) for part in parts], "seconds": seconds, "cache": str(CACHE_DIR)}))
    else:
        typer.echo(f"Compiled everything in {seconds:.0f} s: {CACHE_DIR}")
    return 0


def name_of(part: KernelPart) -> str:
    """The name of a part: its set of kernels, or ``picture``."""
    return part[1] if len(part) > 1 else "picture"
