"""Pictures as vectors, for papers: discs as circles, everything over them as lines and text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QPainter, QPainterPath, QPen

from aggviewer.canvas import colors
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import DiscsInView, box_clip
from aggviewer.canvas.picture import Painter, magnification
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.export.files import Memory
from aggviewer.export.parts import Part, open_pdf, paint_parts, svg_of
from engine.errors import InputError

MOST_DISCS = 1_000_000
_RIM_FROM, _RIM_FULL = 5.0, 8.0  # pixels: radii from which a disc has a rim, and the whole of it
_RIM_STEPS = 8
_PIECE = 4000  # discs in one path of a PDF


@dataclass(frozen=True)
class Discs:
    """Discs of one look: face and rim `(r, g, b)`, rim None where there is none; x, y, r : (K,) pixels."""

    face: tuple[int, int, int]
    rim: tuple[int, int, int] | None
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    r: NDArray[np.float64]


def discs_in_view(scene: Scene, camera: Camera, view: ViewModel) -> Iterator[Discs]:
    """The discs that `camera` sees, those of one look together. InputError where there are too many."""
    if not scene.shown or scene.count == 0:
        return
    in_view = DiscsInView()
    found = in_view.find(scene, camera)
    if found > MOST_DISCS:
        raise InputError(
            f"{found} discs are too many for a vector picture (at most {MOST_DISCS}); choose PNG, or zoom in", "format"
        )
    offset, radius, scalar = in_view.offset[:found], in_view.radius[:found], in_view.scalar[:found]
    x = camera.width / 2 + offset[:, 0].astype(np.float64) * camera.scale
    y = camera.height / 2 - offset[:, 1].astype(np.float64) * camera.scale
    r = radius.astype(np.float64) * camera.scale
    entry = colors.entries_of(scalar, colors.shown(scene, view))
    pixel = magnification(camera.width, camera.height)
    strength = np.clip((r / pixel - _RIM_FROM) / (_RIM_FULL - _RIM_FROM), 0.0, 1.0)
    step = np.rint(strength * _RIM_STEPS).astype(int)
    table = colors.scene_table(scene, view)
    look = entry * (_RIM_STEPS + 1) + step
    order = np.argsort(look, kind="stable")
    for part in np.split(order, np.flatnonzero(np.diff(look[order])) + 1):
        red, green, blue = (int(c) for c in table[entry[part[0]]][:3])
        shade = 1.0 - colors.RIM * step[part[0]] / _RIM_STEPS
        rim = (round(red * shade), round(green * shade), round(blue * shade)) if step[part[0]] else None
        yield Discs((red, green, blue), rim, x[part], y[part], r[part])


def picture_parts(scene: Scene, camera: Camera, view: ViewModel, painter: Painter, *, ground: bool) -> Iterator[Part]:
    """The ground, the discs, and what `view` shows over them.

    Parameters
    ----------
    camera : what is seen, in pixels of the picture; see `Painter.looking`.
    painter : paints what lies over the discs.
    ground : whether there is anything under the discs.
    """
    whole = QRectF(0, 0, camera.width, camera.height)
    if ground:
        yield Part("ground", lambda page: page.fillRect(whole, QColor(*view.background_rgb)))
    left, top, right, bottom = box_clip(scene, camera)
    yield Part(
        "discs",
        lambda page: _paint_discs(page, scene, camera, view),
        QRectF(left, top, right - left, bottom - top),
        lambda: _discs_as_svg(scene, camera, view),
    )
    yield Part("overlays", lambda page: painter.paint_overlays(page, scene, camera))


def _discs_as_svg(scene: Scene, camera: Camera, view: ViewModel) -> Iterator[str]:
    """One circle for each disc, grouped by colour."""
    pixel = magnification(camera.width, camera.height)
    for discs in discs_in_view(scene, camera, view):
        rim = f' stroke="{_hex(discs.rim)}" stroke-width="{pixel:g}"' if discs.rim else ""
        yield f'<g fill="{_hex(discs.face)}"{rim}>\n'
        r = discs.r - pixel / 2 if discs.rim else discs.r
        rows = zip(discs.x.tolist(), discs.y.tolist(), r.tolist(), strict=True)
        yield "".join(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:.3f}"/>\n' for x, y, radius in rows)
        yield "</g>\n"


def _paint_discs(page: QPainter, scene: Scene, camera: Camera, view: ViewModel) -> None:
    pixel = magnification(camera.width, camera.height)
    for discs in discs_in_view(scene, camera, view):
        page.setBrush(QColor(*discs.face))
        page.setPen(QPen(QColor(*discs.rim), pixel) if discs.rim else QPen(Qt.PenStyle.NoPen))
        r = discs.r - pixel / 2 if discs.rim else discs.r
        rows = list(zip(discs.x.tolist(), discs.y.tolist(), r.tolist(), strict=True))
        for first in range(0, len(rows), _PIECE):
            path_of_many = QPainterPath()
            path_of_many.setFillRule(Qt.FillRule.WindingFill)
            for x, y, radius in rows[first : first + _PIECE]:
                path_of_many.addEllipse(QPointF(x, y), radius, radius)
            page.drawPath(path_of_many)


def write_svg(path: Path, parts: Iterable[Part], width: int, height: int) -> None:
    """Parts as one SVG of so many pixels. OSError where it cannot be written."""
    with path.open("w", encoding="utf-8") as file:
        file.write(
            f"""<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" """
            f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
        )
        file.writelines(svg_of(parts, QSize(width, height)))
        file.write("</svg>\n")


def write_pdf(path: Path, parts: Iterable[Part], width: int, height: int) -> None:
    """Parts as one page of so many pixels, 96 of them an inch. OSError where it cannot be written."""
    memory = Memory()
    page = open_pdf(memory.device, width, height)
    with QPainter(page) as painter:
        paint_parts(painter, parts)
    path.write_bytes(memory.close())


def _hex(color: tuple[int, int, int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)
