"""Numbers in the names of files that the program keeps for itself: a higher one was written later.

Dates would not say so, because the clock of a computer may be wrong and be set right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

_NUMBER = re.compile(r"(?:[a-z]+-)?(\d{6})[ -]")


def name_with(number: int, rest: str, prefix: str = "") -> str:
    """A name with a number, such as ``000012 rest`` or, with the prefix ``kept-``, ``kept-000012-rest``."""
    return f"{prefix}{number:06d}{'-' if prefix else ' '}{rest}"


def next_number(folder: Path) -> int:
    """One more than the highest number in the folder; 1 if there is none, or no folder."""
    return max((_number_of(path.name) for path in folder.iterdir()), default=0) + 1 if folder.is_dir() else 1


def oldest_first(paths: Iterable[Path]) -> list[Path]:
    """The paths in the order of their numbers. Those without one, of earlier versions, come first, by name."""
    return sorted(paths, key=lambda path: (_number_of(path.name), path.name))


def _number_of(name: str) -> int:
    found = _NUMBER.match(name)
    return 0 if found is None else int(found[1])
