"""What happens when a function of a plug-in fails: its value is missing, one sentence says why, all else goes on.

`reason` and `missing` make the sentence, `tell` logs it once. The window shows what the engine logs as a message, the
command line prints it.
"""

from __future__ import annotations

import inspect
import logging
import os
from collections.abc import Callable
from pathlib import Path
from traceback import extract_tb
from typing import Any

from engine.errors import InputError

_log = logging.getLogger(__name__)
_told: set[str] = set()
_PROGRAM = tuple(str(Path(__file__).parents[1] / package) + os.sep for package in ("engine", "aggviewer"))


def missing(what: str, name: str, origin: str, error: BaseException) -> str:
    """The sentence about a value that is missing, such as ``the field heat of the plug-in mine.py has no value: …``.

    Parameters
    ----------
    what, name : the kind of part that should have given it, and its name.
    origin : the plug-in that has added it, "" for none.
    error : why there is none.
    """
    of = f" of the plug-in {origin}" if origin else ""
    return f"the {what} {name}{of} has no value: {reason(error)}"


def reason(error: BaseException) -> str:
    """An error in words, with the line of the plug-in in which it was raised."""
    text = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}{_place(error)}"
    return " ".join(text.split())


def tell(sentence: str, once: str = "") -> None:
    """Log a sentence as a warning, unless it was told before. once : what counts as told; the sentence by default."""
    if (once or sentence) not in _told:
        _told.add(once or sentence)
        _log.warning("%s", sentence)


def line_of(function: Callable[..., Any]) -> str:
    """Where a function is written, as ``(mine.py, line 8)``; "" if that is not known."""
    written = inspect.unwrap(function)
    if not inspect.isfunction(written):
        return ""
    return f" ({Path(written.__code__.co_filename).name}, line {written.__code__.co_firstlineno})"


def _place(error: BaseException) -> str:
    """Where an error was raised: the last line of the file that the program has called."""
    lines = [line for line in extract_tb(error.__traceback__) if not line.filename.startswith(_PROGRAM)]
    own = [line for line in lines if line.filename == lines[0].filename]
    return f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
