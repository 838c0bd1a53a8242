"""`aggviewer doctor --install-desktop`: an entry with an icon among the applications of a Linux desktop."""

from __future__ import annotations

import os
import sys
from importlib import resources
from pathlib import Path

import typer

from engine.errors import InputError

_ENTRY = """[Desktop Entry]
Type=Application
Name=aggviewer
GenericName=Hard discs
Comment=Watch hard discs stick, bounce and jam
Exec={command} %f
Icon={icon}
Terminal=false
Categories=Education;Physics;
Keywords=simulation;physics;aggregation;granular;jamming;
StartupWMClass=aggviewer
"""
_QUOTED = set(" \t\n\"'\\><~|&;$*?#()`")  # what must be quoted in Exec


def change(*, install: bool) -> int:
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
    """A word of a command as the key Exec has it."""
    if _QUOTED & set(word):
        for special in '\\"`$':
            word = word.replace(special, "\\" + special)
        word = f'"{word}"'
    return word.replace("\\", "\\\\").replace("%", "%%")  # once more as a value of the file, and no field code
