"""Plug-ins on the command line: ``--plugin FILE.py``, and those of installed packages."""

from __future__ import annotations

import sys
from collections.abc import Callable

from aggviewer.cli.exits import guarded
from engine.errors import InputError

_OPTION = "--plugin"


def with_plugins(arguments: list[str], then: Callable[[list[str]], int]) -> int:
    """Load the plug-ins that are named, and go on with the other arguments; returns the exit status."""
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
            say(load_file(file).notice)

    return guarded(load) or then(others)


def load_installed() -> None:
    """Load the plug-ins of installed packages; those that are left out are named on stderr, a line each."""
    from engine import plugins

    before = set(plugins.known())
    plugins.load_installed()
    for plug_in in plugins.known():
        if plug_in not in before:
            say(plug_in.notice)


def say(notice: str) -> None:
    """One line on stderr; nothing where it is empty."""
    if notice:
        sys.stderr.write(f"aggviewer: {notice}\n")
