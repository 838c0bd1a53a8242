"""Pictures as vectors, for papers: discs as circles, everything over them as lines and text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from PyQt6.QtCore import QRectF, QSize
from PyQt6.QtGui import QColor, QPainter

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.disc_groups import DiscGroup, disc_groups, paint_discs
from aggviewer.canvas.in_view import DiscsInView, box_clip
from aggviewer.canvas.picture import Painter, magnification
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.export.files import Memory
from aggviewer.export.parts import PicturePart, open_pdf, paint_parts, svg_of
from engine.errors import InputError

MOST_DISCS = 1_000_000


def vector_discs(scene: Scene, camera: Camera, view: ViewModel) -> Iterator[DiscGroup]:
    """The discs that `camera` sees, those that look alike together. InputError where there are too many."""
    in_view = DiscsInView()
    found = in_view.find(scene, camera)
    if scene.shown and found > MOST_DISCS:
        raise InputError(
            f"{found} discs are too many for a vector picture (at most {MOST_DISCS}); choose PNG, or zoom in", "format"
        )
    return disc_groups(scene, camera, view, in_view, pixel=magnification(camera.width, camera.height))


def picture_parts(
    scene: Scene, camera: Camera, view: ViewModel, painter: Painter, *, ground: bool
) -> Iterator[PicturePart]:
    """The ground, the discs, and what `view` shows over them.

    Parameters
    ----------
    camera : what is seen, in pixels of the picture; see `Painter.looking`.
    painter : paints what lies over the discs.
    ground : whether there is anything under the discs.
    """
    whole = QRectF(0, 0, camera.width, camera.height)
    if ground:
        yield PicturePart("ground", lambda page: page.fillRect(whole, QColor(*view.background_rgb)))
    left, top, right, bottom = box_clip(scene, camera)
    yield PicturePart(
        "discs",
        lambda page: paint_discs(page, vector_discs(scene, camera, view)),
        QRectF(left, top, right - left, bottom - top),
        lambda: _discs_as_svg(scene, camera, view),
    )
    yield PicturePart("overlays", lambda page: painter.paint_overlays(page, scene, camera))


def _discs_as_svg(scene: Scene, camera: Camera, view: ViewModel) -> Iterator[str]:
    """One circle for each disc, grouped by colour."""
    for group in vector_discs(scene, camera, view):
        rim = f' stroke="{_hex(group.rim)}" stroke-width="{group.rim_width:g}"' if group.rim else ""
        yield f'<g fill="{_hex(group.face)}"{rim}>\n'
        yield "".join(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:.3f}"/>\n' for x, y, radius in group.circles)
        yield "</g>\n"


def write_svg(path: Path, parts: Iterable[PicturePart], width: int, height: int) -> None:
    """Parts as one SVG of so many pixels. OSError where it cannot be written."""
    with path.open("w", encoding="utf-8") as file:
        file.write(
            f"""<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" """
            f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
        )
        file.writelines(svg_of(parts, QSize(width, height)))
        file.write("</svg>\n")


def write_pdf(path: Path, parts: Iterable[PicturePart], width: int, height: int) -> None:
    """Parts as one page of so many pixels, 96 of them an inch. OSError where it cannot be written."""
    memory = Memory()
    page = open_pdf(memory.device, width, height)
    with QPainter(page) as painter:
        paint_parts(painter, parts)
    path.write_bytes(memory.close())


def _hex(color: tuple[int, int, int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)
