"""The exception for bad input, and the wording of lists of what is allowed."""

from __future__ import annotations

from collections.abc import Iterable


class InputError(ValueError):
    """Bad input. The message is one sentence that names the thing and says what is allowed.

    Parameters
    ----------
    message : the sentence, ending without a full stop.
    key : the dotted key of the scenario at fault (``"discs.count"``) or the path of a file; "" for neither. The window
        shows the message at that field; the command line prints it and exits with status 2.
    """

    def __init__(self, message: str, key: str = "") -> None:
        super().__init__(message)
        self.key = key


def either(words: Iterable[object]) -> str:
    """Words joined for a sentence: ``a``, ``a or b``, ``a, b or c``. There must be at least one."""
    *others, last = map(str, words)
    return f"{', '.join(others)} or {last}" if others else last


def refuse_space(dimensions: int, what: str) -> None:
    """Raise InputError in three dimensions, for `what` knows only discs so far."""
    if dimensions > 2:
        raise InputError(f"dimensions must be 2 for {what}", "dimensions")
