"""`aggviewer [FILE…]`: the window."""

from __future__ import annotations

from collections.abc import Sequence

from aggviewer.cli.exits import guarded
from aggviewer.cli.plugins import load_installed


def open_window(files: Sequence[str]) -> int:
    """Open the window with `files` (or the default scenario); returns the exit status when it is closed."""
    return guarded(lambda: _open(list(files)))


def _open(files: list[str]) -> int:
    load_installed()
    for file in files:
        _check_exists(file)
    from aggviewer.window.app import run_window

    return run_window(files)


def _check_exists(file: str) -> None:
    """A name mistyped on the command line is told there; what is inside the file, the window tells."""
    from pathlib import Path

    if not Path(file).expanduser().is_file():
        from engine import load_scenario

        load_scenario(file)
