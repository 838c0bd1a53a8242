"""Before a command: loading plug-ins, or opening the window."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence

from aggviewer.cli.exits import guarded, tell
from engine.errors import InputError

_OPTION = "--plugin"


def with_plugins(arguments: list[str], then: Callable[[list[str]], int]) -> int:
    """Load the given plug-ins and run the remaining arguments; returns the exit status."""
    others: list[str] = []

    def load() -> None:
        from engine.plugins import load_file

        rest = iter(arguments)
        for argument in rest:
            option, equals, file = argument.partition("=")
            if option != _OPTION:
                others.append(argument)
                continue
            file = file if equals else next(rest, "")
            if not file:
                raise InputError("--plugin needs the path of a plug-in: --plugin FILE.py", "plugin")
            tell(load_file(file).notice)

    return guarded(load) or then(others)


def load_installed() -> None:
    """Load extensions and the plug-ins of installed packages; those that fail are named on stderr, one line each."""
    from aggviewer import extensions
    from engine import plugins

    before = set(plugins.known())
    extensions.load()
    plugins.load_installed()
    for plug_in in plugins.known():
        if plug_in not in before:
            tell(plug_in.notice)


def open_window(files: Sequence[str]) -> int:
    """Open the window with `files` (or the default scenario); returns the exit status when it is closed."""
    gc.disable()  # until the window is open: nothing that is made before is garbage
    return guarded(lambda: _open(list(files)))


def _open(files: list[str]) -> int:
    load_installed()
    for file in files:
        check_exists(file)
    from aggviewer.window.app import run_window

    return run_window(files)


def check_exists(file: str) -> None:
    """Report a missing file on the command line; problems inside the file are reported by the window."""

    from engine.errors import typed_path

    if not typed_path(file).is_file():
        from engine import load_scenario

        load_scenario(file)
