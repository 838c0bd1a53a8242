"""Words for messages."""

from __future__ import annotations

from collections.abc import Iterable


def either(words: Iterable[object]) -> str:
    """``a, b or c``, of two words at least."""
    listed = [str(word) for word in words]
    return f"{', '.join(listed[:-1])} or {listed[-1]}"
