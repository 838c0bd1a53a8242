"""Telling the person something: the role, and what is told in the same way from several places."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from aggviewer.session import Notice
from engine.errors import InputError

Notify = Callable[[Notice], None]
"""Shows a message."""


def attempt(write: Callable[[], object], notify: Notify) -> bool:
    """Do it; where an input is wrong, say so. True when it was done."""
    try:
        write()
    except InputError as error:
        notify(Notice("error", str(error), key=error.key))
        return False
    return True


def tell_saved(title: str, path: Path, notify: Notify) -> None:
    """Say where a file is, with a way to its folder."""
    notify(Notice("info", title, str(path), folder=str(path.parent)))
