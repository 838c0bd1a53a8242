"""What texts about discs say in space, where they are spheres."""

from __future__ import annotations

import re

_IN_SPACE = {
    "disc": "sphere",
    "Disc": "Sphere",
    "square lattice": "cubic lattice",
    "Square lattice": "Cubic lattice",
    "area": "volume",
}
_WORDS = re.compile(r"(?<![\w.])(disc|Disc|square lattice|Square lattice|area)(?=s?\b)")


def named(text: str, dimensions: int) -> str:
    """A text about discs; in space the same about spheres."""
    return text if dimensions == 2 else _WORDS.sub(lambda found: _IN_SPACE[found.group()], text)
