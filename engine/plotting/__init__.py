"""Pictures of discs with matplotlib, for notebooks and scripts. matplotlib is imported when something is drawn."""

from __future__ import annotations

from typing import Literal

PictureStyle = Literal["auto", "rendered", "drawn"]
PICTURES: tuple[PictureStyle, ...] = ("auto", "rendered", "drawn")
"""What discs are in vector files: an image or vectors; automatic is an image in space and above `MOST_DRAWN` discs."""

MOST_DRAWN = 20_000
"""Discs up to which they are vectors by themselves: programs that show and edit vectors are slow with more."""


def is_rendered(picture: str, dimensions: int, count: int) -> bool:
    """Whether so many discs are an image in vector files (`PICTURES`)."""
    return picture == "rendered" or (picture == "auto" and (dimensions > 2 or count > MOST_DRAWN))
