"""The small pictures of scenarios and lessons that come with the program; `make pictures` makes them."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from aggviewer.style.theme import colors_in_use

SIZE = (320, 200)
"""Pixels of each: twice the width and height that a tile of the gallery has for it."""

GROUNDS = ("dark", "light")
"""The backgrounds on which there is a picture; their colours are those of `aggviewer.names.BACKGROUNDS`."""


def ground_in_use() -> str:
    """The ground that fits the theme in use."""
    return "dark" if colors_in_use().dark else "light"


def folder() -> Path:
    """Where they lie."""
    return Path(str(resources.files("resources"))) / "pictures"


def picture_of(name: str, ground: str, *, lesson: bool = False) -> Path:
    """The picture of a bundled scenario or lesson on a ground of `GROUNDS`; there may be none."""
    return folder() / ground / ("lessons" if lesson else "scenarios") / f"{name}.png"
