"""What the engine says when something given to it cannot be used."""

from __future__ import annotations

from collections.abc import Iterable


class InputError(ValueError):
    """Bad input: one clear sentence that names the thing and says what is allowed.

    Parameters
    ----------
    message : the sentence, ending without a full stop.
    key : dotted scenario key at fault (``"discs.count"``) or a file path, where there is one. The window puts
        the message at that field, the command line prints it and exits with status 2.
    """

    def __init__(self, message: str, key: str = "") -> None:
        super().__init__(message)
        self.key = key


def either(words: Iterable[object]) -> str:
    """What is allowed, for a sentence: ``a``, ``a or b``, ``a, b or c``; there is one at least."""
    *others, last = map(str, words)
    return f"{', '.join(others)} or {last}" if others else last
