"""What texts call the bodies of a run: discs in the plane, spheres in space.

A text that is written before the dimension is known leaves a gap: ``"{Discs} per {area}"``. `BodyNames.fill` fills it.
A text without gaps stays as it is. `count` writes how many there are.
"""

from __future__ import annotations

from typing import NamedTuple


def count(value: float) -> str:
    """A whole number in groups of three, for people: 2 500. The spaces are thin ones, U+2009."""
    return f"{value:,.0f}".replace(",", "\u2009")


class BodyNames(NamedTuple):
    """The words for the bodies of a run, each with and without a capital letter.

    area : what they cover; Square : what the lattice is called on which they stand.
    """

    disc: str
    discs: str
    Disc: str
    Discs: str
    area: str
    Square: str

    def fill(self, text: str) -> str:
        """A text with these words in its gaps, such as ``{discs}``. Everything else stays, other braces as well."""
        for name, word in self._asdict().items():
            text = text.replace(f"{{{name}}}", word)
        return text


_PLANE = BodyNames("disc", "discs", "Disc", "Discs", "area", "Square")
_SPACE = BodyNames("sphere", "spheres", "Sphere", "Spheres", "volume", "Cubic")


def body_names(dimensions: int) -> BodyNames:
    """The words in a box of so many dimensions."""
    return _PLANE if dimensions == 2 else _SPACE
