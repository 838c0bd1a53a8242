"""Formats of films and what each of them can hold."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.errors import InputError

Quality = Literal["small", "standard", "high"]
QUALITIES: tuple[Quality, ...] = ("small", "standard", "high")


@dataclass(frozen=True)
class FilmFormat:
    """name : for the person; codec : as the library calls it; suffix : of the file, empty for a folder; largest :
    pixels on a side; fastest : frames per second; even : width and height must be even; levels : the codec's number for
    each quality, smaller is better (CRF), for GIF the number of colours."""

    name: str
    codec: str
    suffix: str
    largest: int
    fastest: float
    even: bool
    levels: dict[Quality, int]


MP4 = FilmFormat("MP4, H.264", "libx264", ".mp4", 8192, 240.0, True, {"small": 30, "standard": 22, "high": 16})
WEBM = FilmFormat("WebM, VP9", "libvpx-vp9", ".webm", 8192, 240.0, True, {"small": 42, "standard": 31, "high": 20})
GIF = FilmFormat("GIF", "gif", ".gif", 4096, 50.0, False, {"small": 64, "standard": 128, "high": 256})
FOLDER = FilmFormat("Folder of PNG pictures", "", "", 16384, 1000.0, False, {"small": 0, "standard": 0, "high": 0})
FORMATS = (MP4, WEBM, GIF, FOLDER)


def format_of(path: Path) -> FilmFormat:
    """The format that the ending of a name asks for; a name without an ending is a folder of pictures."""
    suffix = path.suffix.lower()
    for known in FORMATS:
        if known.suffix == suffix:
            return known
    raise InputError(
        f"{path}: a film must end in .mp4, .webm or .gif, or have no ending for a folder of PNG", str(path)
    )
