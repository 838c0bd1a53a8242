"""What can be chosen in the gallery: an entry with its picture. The bundled pictures are created by `make pictures`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from aggviewer.style.theme import colors_in_use

SIZE = (320, 200)
"""Size of each in pixels: twice its size in a gallery tile."""

GROUNDS = ("dark", "light")
"""The backgrounds with a picture; for their colours see `aggviewer.names.BACKGROUNDS`."""


@dataclass(frozen=True)
class Tile:
    """An entry of the gallery.

    Parameters
    ----------
    title : its name.
    line : one sentence about it.
    use : called when it is chosen.
    pictures : a PNG for each background, ``"dark"`` and ``"light"``; without one, the icon is shown.
    icon : a name of qtawesome's bundled fonts.
    words : synonyms for the search.
    done : show a tick, for a finished lesson.
    """

    title: str
    line: str
    use: Callable[[], None]
    pictures: dict[str, Path]
    icon: str
    words: str = ""
    done: bool = False


@dataclass(frozen=True)
class TileGroup:
    """Tiles under a heading.

    line : one sentence about them, for the welcome strip; "" if they have no place there.
    """

    heading: str
    tiles: list[Tile]
    line: str = ""


def ground_in_use() -> str:
    """The background that fits the present theme."""
    return "dark" if colors_in_use().dark else "light"


def folder() -> Path:
    """Their folder."""
    return Path(str(resources.files("resources"))) / "pictures"


def picture_of(name: str, ground: str, *, lesson: bool = False) -> Path:
    """The path of a picture of a bundled scenario or lesson on a background of `GROUNDS`; it may not exist."""
    return folder() / ground / ("lessons" if lesson else "scenarios") / f"{name}.png"


def pictures_of(name: str, *, lesson: bool = False) -> dict[str, Path]:
    """The pictures of a bundled scenario or lesson that exist, by their background."""
    paths = {ground: picture_of(name, ground, lesson=lesson) for ground in GROUNDS}
    return {ground: path for ground, path in paths.items() if path.is_file()}
