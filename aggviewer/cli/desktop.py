"""`aggviewer doctor --install-desktop`: registers the program and its file types with a Linux desktop."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path

import typer

from engine.errors import InputError

SESSION_TYPE = "application/x-aggviewer-session"
SCENARIO_TYPE = "application/x-aggviewer-scenario"

_ENTRY = """[Desktop Entry]
Type=Application
Name=aggviewer
GenericName=Hard discs
Comment=Watch hard discs stick, bounce and jam
Exec={command} %f
Icon=aggviewer
Terminal=false
Categories=Education;Physics;
Keywords=simulation;physics;aggregation;granular;jamming;
MimeType={types};
StartupWMClass=aggviewer
"""

# A scenario is TOML with a line `format = 1` and one of the lines below, that of a lesson among them. Its magic decides
# between the two types that have the ending .toml: a file without these lines stays plain TOML. It is no subclass of
# another type: GLib and Qt would then take all such files for scenarios.
_LINES = "".join(
    f'<match type="string" offset="{offset}" value="{value}"/>'
    for offset, value in (
        ("0", "system = &quot;"),
        ("0:4096", "\\nsystem = &quot;"),
        ("0:4096", "\\n[discs]"),
        ("0:4096", "\\n[[step]]"),
    )
)
_TYPES = f"""<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="{SESSION_TYPE}">
    <comment>aggviewer session</comment>
    <sub-class-of type="application/zip"/>
    <icon name="aggviewer"/>
    <glob pattern="*.aggsession"/>
  </mime-type>
  <mime-type type="{SCENARIO_TYPE}">
    <comment>aggviewer scenario</comment>
    <icon name="aggviewer"/>
    <magic priority="60">
      <match type="string" offset="0" value="format = 1\\n">{_LINES}</match>
      <match type="string" offset="0:4096" value="\\nformat = 1\\n">{_LINES}</match>
    </magic>
    <glob pattern="*.toml"/>
  </mime-type>
</mime-info>
"""

_UPDATES = (("update-desktop-database", "applications"), ("update-mime-database", "mime"))
"""Programs that update the indices of a desktop, and the folder that each is for."""
_PATIENCE = 60.0  # seconds for each of them
_QUOTED = set(" \t\n\"'\\><~|&;$*?#()`")  # what must be quoted in Exec


def install() -> int:
    """Register the program for this user; returns the exit status. InputError if that is impossible."""
    base = _base()
    files = _files(base)
    try:
        for path, content in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise InputError(f"{error.filename or base} cannot be written: {error.strerror or error}", str(base)) from None
    _update(base)
    for path in files:
        typer.echo(f"Written: {path}")
    typer.echo(f"Double-clicking a session or a scenario now runs {shlex.join(command())}")
    return 0


def remove() -> int:
    """Remove the files that `install` wrote; returns the exit status."""
    base = _base()
    there = [path for path in _files(base) if path.exists()]
    try:
        for path in there:
            path.unlink()
    except OSError as error:
        raise InputError(f"{error.filename or base} cannot be removed: {error.strerror or error}", str(base)) from None
    if there:
        _update(base)
    for path in there:
        typer.echo(f"Removed: {path}")
    if not there:
        typer.echo(f"aggviewer has no files in {base}")
    return 0


def command() -> list[str]:
    """The command that starts this installation, whatever the current folder and search path."""
    script = Path(sys.executable).with_name("aggviewer")
    return [str(script)] if script.is_file() else [sys.executable, "-m", "aggviewer"]


def _base() -> Path:
    """The folder in which a desktop looks for what this user has installed."""
    if not sys.platform.startswith("linux"):
        raise InputError("--install-desktop and --remove-desktop are for Linux desktops", "install-desktop")
    named = os.environ.get("XDG_DATA_HOME", "")
    return Path(named) if os.path.isabs(named) else Path.home() / ".local" / "share"


def _files(base: Path) -> dict[Path, bytes]:
    """The contents of the files to write, by path."""
    icon = resources.files("resources") / "icons" / "aggviewer.svg"
    entry = _ENTRY.format(
        command=" ".join(_quoted(part) for part in command()), types=";".join((SESSION_TYPE, SCENARIO_TYPE))
    )
    return {
        base / "applications" / "aggviewer.desktop": entry.encode(),
        base / "mime" / "packages" / "aggviewer.xml": _TYPES.encode(),
        base / "icons" / "hicolor" / "scalable" / "apps" / "aggviewer.svg": icon.read_bytes(),
    }


def _quoted(word: str) -> str:
    """A word of a command as the key Exec of a desktop entry has it."""
    if "\n" in word:
        raise InputError(f"a desktop entry cannot contain {word!r}: it has a line break")
    if _QUOTED & set(word):
        for special in '\\"`$':
            word = word.replace(special, "\\" + special)
        word = f'"{word}"'
    return word.replace("\\", "\\\\").replace("%", "%%")  # once more as a value of the file, and no field code


def _update(base: Path) -> None:
    """Tell the desktop at once if its tools are installed; otherwise it finds the files later."""
    for program, folder in _UPDATES:
        found = shutil.which(program)
        if found is None or not (base / folder).is_dir():
            continue
        try:
            done = subprocess.run(
                [found, str(base / folder)], capture_output=True, text=True, timeout=_PATIENCE, check=False
            )
            said = done.stderr.strip() if done.returncode else ""
        except (OSError, subprocess.TimeoutExpired) as error:
            said = str(error)
        if said:
            typer.echo(f"{program}: {said}", err=True)
