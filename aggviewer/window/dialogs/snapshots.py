"""Snapshots: the canvas draws them, here they become files."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QStandardPaths
from PyQt6.QtGui import QImage

from engine.errors import InputError


def write_png(pixels: NDArray[np.uint8], path: Path) -> None:
    """Write (H, W, 4) uint8 RGBA as PNG; InputError where that cannot be done."""
    height, width = pixels.shape[:2]
    image = QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_RGBA8888)
    if not image.save(str(path), "PNG"):
        raise InputError(f"{path} cannot be written; choose another folder", str(path))


def pictures_folder() -> Path:
    """The person's folder for pictures, else the home folder."""
    places = QStandardPaths.standardLocations(QStandardPaths.StandardLocation.PicturesLocation)
    found = [Path(place) for place in places if Path(place).is_dir()]
    return found[0] if found else Path.home()


def new_name(folder: Path, moment: datetime) -> Path:
    """A name in `folder` that nothing has yet."""
    stem = f"aggviewer {moment:%Y-%m-%d %H.%M.%S}"
    path = folder / f"{stem}.png"
    number = 2
    while path.exists():
        path = folder / f"{stem} ({number}).png"
        number += 1
    return path
