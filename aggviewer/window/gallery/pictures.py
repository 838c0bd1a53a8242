"""The bundled thumbnails of scenarios and lessons, created by `make pictures`."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from aggviewer.style.theme import colors_in_use

SIZE = (320, 200)
"""Size of each in pixels: twice its size in a gallery tile."""

GROUNDS = ("dark", "light")
"""The backgrounds with a picture; for their colours see `aggviewer.names.BACKGROUNDS`."""


def ground_in_use() -> str:
    """The background that fits the present theme."""
    return "dark" if colors_in_use().dark else "light"


def folder() -> Path:
    """Their folder."""
    return Path(str(resources.files("resources"))) / "pictures"


def picture_of(name: str, ground: str, *, lesson: bool = False) -> Path:
    """The path of a picture of a bundled scenario or lesson on a background of `GROUNDS`; it may not exist."""
    return folder() / ground / ("lessons" if lesson else "scenarios") / f"{name}.png"
