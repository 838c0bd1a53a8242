"""Pictures as vectors, for papers: discs as circles, everything over them as lines and text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QIODevice, QMarginsF, QPoint, QPointF, QRect, QRectF, QSize, QSizeF, Qt
from PyQt6.QtGui import QColor, QPageSize, QPainter, QPainterPath, QPdfWriter, QPen
from PyQt6.QtSvg import QSvgGenerator

from aggviewer.canvas import colors
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import DiscsInView, box_clip
from aggviewer.canvas.picture import Painter, magnification
from aggviewer.canvas.scene import Scene
from aggviewer.export.files import Memory
from aggviewer.session.view import ViewModel
from engine.errors import InputError

MOST_DISCS = 1_000_000
DOTS_PER_INCH = 96  # of SVG's pixel; 72 points of PDF's
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


def write_svg(path: Path, scene: Scene, camera: Camera, view: ViewModel, *, transparent: bool) -> None:
    """One circle for each disc, grouped by colour; text stays text. OSError where it cannot be written."""
    width, height = int(camera.width), int(camera.height)
    left, top, right, bottom = box_clip(scene, camera)
    pixel = magnification(width, height)
    with path.open("w", encoding="utf-8") as file:
        file.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" '
            f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
            f'<defs><clipPath id="seen"><rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}"/>'
            "</clipPath></defs>\n"
        )
        if not transparent:
            file.write(f'<rect width="{width}" height="{height}" fill="{_hex(view.background_rgb)}"/>\n')
        file.write('<g id="discs" clip-path="url(#seen)">\n')
        for discs in discs_in_view(scene, camera, view):
            rim = f' stroke="{_hex(discs.rim)}" stroke-width="{pixel:g}"' if discs.rim else ""
            file.write(f'<g fill="{_hex(discs.face)}"{rim}>\n')
            r = discs.r - pixel / 2 if discs.rim else discs.r
            rows = zip(discs.x.tolist(), discs.y.tolist(), r.tolist(), strict=True)
            file.write("".join(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:.3f}"/>\n' for x, y, radius in rows))
            file.write("</g>\n")
        file.write(f'</g>\n<g id="overlays">\n{_overlays_as_svg(scene, camera, view)}\n</g>\n</svg>\n')


def _overlays_as_svg(scene: Scene, camera: Camera, view: ViewModel) -> str:
    """What Qt's SVG writer makes of the overlays, without its head."""
    memory = Memory()
    generator = open_svg(memory.device, QSize(int(camera.width), int(camera.height)))
    with QPainter(generator) as painter:
        Painter(view).paint_overlays(painter, scene, camera)
    text = memory.close().decode("utf-8")
    found = re.search(r"</desc>(.*)</svg>", text, re.DOTALL)
    if found is None:
        raise RuntimeError("Qt's SVG writer has changed its form")
    # a family that is not installed must not become one with serifs
    return re.sub(r'font-family="([^"]*)"', r'font-family="\1, sans-serif"', found[1].strip())


def write_pdf(path: Path, scene: Scene, camera: Camera, view: ViewModel, *, transparent: bool) -> None:
    """One page of the size of the picture at 96 pixels an inch. OSError where it cannot be written."""
    memory = Memory()
    page = open_pdf(memory.device, camera.width, camera.height)
    with QPainter(page) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not transparent:
            painter.fillRect(QRectF(0, 0, camera.width, camera.height), QColor(*view.background_rgb))
        left, top, right, bottom = box_clip(scene, camera)
        painter.save()
        painter.setClipRect(QRectF(left, top, right - left, bottom - top))
        pixel = magnification(camera.width, camera.height)
        for discs in discs_in_view(scene, camera, view):
            painter.setBrush(QColor(*discs.face))
            painter.setPen(QPen(QColor(*discs.rim), pixel) if discs.rim else QPen(Qt.PenStyle.NoPen))
            r = discs.r - pixel / 2 if discs.rim else discs.r
            rows = list(zip(discs.x.tolist(), discs.y.tolist(), r.tolist(), strict=True))
            for first in range(0, len(rows), _PIECE):
                path_of_many = QPainterPath()
                path_of_many.setFillRule(Qt.FillRule.WindingFill)
                for x, y, radius in rows[first : first + _PIECE]:
                    path_of_many.addEllipse(QPointF(x, y), radius, radius)
                painter.drawPath(path_of_many)
        painter.restore()
        Painter(view).paint_overlays(painter, scene, camera)
    path.write_bytes(memory.close())


def open_svg(device: QIODevice, size: QSize) -> QSvgGenerator:
    """An SVG of so many pixels; a painter on it has pixels as its unit."""
    generator = QSvgGenerator()
    generator.setOutputDevice(device)
    generator.setResolution(DOTS_PER_INCH)
    generator.setSize(size)
    generator.setViewBox(QRect(QPoint(0, 0), size))
    return generator


def open_pdf(device: QIODevice, width: float, height: float) -> QPdfWriter:
    """A PDF of one page of so many pixels; a painter on it has pixels as its unit."""
    writer = QPdfWriter(device)
    writer.setCreator("aggviewer")
    writer.setResolution(DOTS_PER_INCH)
    points = QSizeF(width, height) * (72.0 / DOTS_PER_INCH)
    writer.setPageSize(QPageSize(points, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    return writer


def _hex(color: tuple[int, int, int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)
