"""Pictures of the discs: PNG of any size, SVG and PDF as vectors, an image for the clipboard."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtGui import QImage

from aggviewer.canvas import picture, warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.export.files import new_file, png_bytes
from aggviewer.export.vectors import picture_parts, write_pdf, write_svg
from engine.errors import InputError

LARGEST = {".png": picture.LARGEST, ".svg": picture.LARGEST, ".pdf": 19_200}
"""Pixels on a side: what Qt's images and a page of PDF can have."""


def write_picture(
    path: Path,
    scene: Scene,
    camera: Camera,
    view: ViewModel,
    size: tuple[int, int],
    *,
    transparent: bool = False,
) -> None:
    """Write the discs and what `view` shows over them, as PNG, SVG or PDF as the ending of `path` says.

    The file is complete or not there at all.

    Parameters
    ----------
    camera : the view, of any size in pixels; all of its world rectangle is in the picture.
    size : width and height in pixels; a PDF has 96 of them an inch. Text and lines are as large in all formats.
    transparent : nothing under the discs.

    Raises
    ------
    InputError
        It cannot be made or written.
    """
    suffix = path.suffix.lower()
    check_size(suffix, size, path)
    painter = Painter(view)
    seen = painter.looking(scene, camera, size)
    warmup.warm_up()
    with new_file(path) as partial:
        if suffix == ".png":
            partial.write_bytes(png_bytes(painter.image(scene, seen, transparent=transparent)))
        else:
            write = write_svg if suffix == ".svg" else write_pdf
            write(partial, picture_parts(scene, seen, view, painter, ground=not transparent), *size)


def picture_image(
    scene: Scene, camera: Camera, view: ViewModel, size: tuple[int, int], *, transparent: bool = False
) -> QImage:
    """The same picture as an image of its own, for the clipboard."""
    check_size(".png", size, Path("the picture"))
    warmup.warm_up()
    painter = Painter(view)
    painted = painter.image(scene, painter.looking(scene, camera, size), transparent=transparent)
    return painted.convertToFormat(QImage.Format.Format_RGBA8888)  # a copy with memory of its own


def check_size(suffix: str, size: tuple[int, int], path: Path) -> None:
    """InputError where a picture of this format cannot be so large, or the format is not known."""
    if suffix not in LARGEST:
        raise InputError(f"{path}: a picture must end in .png, .svg or .pdf", str(path))
    width, height = size
    if not all(1 <= side <= LARGEST[suffix] for side in size):
        raise InputError(
            f"a picture has 1 to {LARGEST[suffix]} pixels on a side for {suffix[1:].upper()}, not {width} x {height}",
            "size",
        )
