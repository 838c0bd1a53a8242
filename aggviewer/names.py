"""Names that people type and that files contain, and the numbers in names of files that the program keeps for itself.

Nothing of the program is imported here, so that help is immediate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

BACKGROUNDS: dict[str, str] = {"dark": "#14171c", "light": "#f6f7f9", "black": "#000000", "white": "#ffffff"}
"""The named backgrounds of the picture, as #rrggbb."""

OFFSCREEN = ("-platform", "offscreen")
"""Arguments that keep Qt from opening a display on Linux, whatever the environment says."""


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
