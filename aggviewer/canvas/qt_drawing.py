"""Drawing with Qt of what exists in pictures of pixels only (text, images, legends, the outline of the box, and the
discs of a window until the kernels are ready), and conversions between numpy and Qt images."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QLineF, QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen, QPolygonF

from aggviewer.canvas.layers.primitives import Circles, Color, DrawnDiscs, Flat, Image, Lines, Polygons, Text

_HALO = 3.0  # pixels


def paint(painter: QPainter, primitives: Iterable[Flat]) -> None:
    """Paint primitives in pixels of the painter, in this order, with its font."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for primitive in primitives:
        match primitive:
            case Lines():
                _lines(painter, primitive)
            case Circles():
                _circles(painter, primitive)
            case DrawnDiscs():
                _discs(painter, primitive)
            case Polygons():
                _polygons(painter, primitive)
            case Text():
                _text(painter, primitive)
            case Image():
                _image(painter, primitive)
            case _:
                raise TypeError(f"{type(primitive).__name__} cannot be drawn in a legend")


def qcolor(color: Color) -> QColor:
    """A colour as a `QColor`."""
    found = QColor(color.red, color.green, color.blue)
    found.setAlphaF(color.alpha)
    return found


def _lines(painter: QPainter, lines: Lines) -> None:
    cap = Qt.PenCapStyle.FlatCap if lines.flat else Qt.PenCapStyle.RoundCap
    ends = [QLineF(*four) for four in lines.segments.reshape(-1, 4).tolist()]
    for stroke in lines.strokes if ends else ():
        painter.setPen(QPen(qcolor(stroke.color), stroke.width, cap=cap))
        painter.drawLines(*ends)


def _circles(painter: QPainter, circles: Circles) -> None:
    for number, look in enumerate(circles.looks):
        found = [
            (QPointF(x, y), radius)
            for n, ((x, y), radius) in enumerate(zip(circles.points.tolist(), circles.radii.tolist(), strict=True))
            if circles.which is None or circles.which[n] == number
        ]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for stroke in look.strokes:
            painter.setPen(QPen(qcolor(stroke.color), stroke.width))
            for middle, radius in found:
                painter.drawEllipse(middle, radius, radius)
        if look.fill is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(qcolor(look.fill))
            for middle, radius in found:
                painter.drawEllipse(middle, look.filled * radius, look.filled * radius)


def _discs(painter: QPainter, discs: DrawnDiscs) -> None:
    """Draw discs with Qt; each takes about 10 microseconds."""
    before = None
    columns = (discs.points, discs.radii, discs.faces, discs.rims, discs.widths)
    for (x, y), radius, *look in zip(*(column.tolist() for column in columns), strict=True):
        if look != before:
            face, rim, width = before = look
            painter.setBrush(QColor(*face))
            painter.setPen(QPen(QColor(*rim), width) if width else QPen(Qt.PenStyle.NoPen))
        painter.drawEllipse(QPointF(x, y), radius, radius)


def _polygons(painter: QPainter, polygons: Polygons) -> None:
    for k, look in enumerate(polygons.which.tolist()):
        pen = QPen(qcolor(polygons.edges[look]), polygons.width) if polygons.width else QPen(Qt.PenStyle.NoPen)
        if polygons.dashes:
            pen.setDashPattern(polygons.dashes)
        painter.setPen(pen)
        fill = polygons.fills[look]
        painter.setBrush(qcolor(fill) if fill.alpha else Qt.BrushStyle.NoBrush)
        corners = polygons.points[polygons.start[k] : polygons.start[k + 1]]
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners.tolist()]))


def _text(painter: QPainter, text: Text) -> None:
    if text.halo is None:
        painter.setPen(qcolor(text.color))
        painter.drawText(QPointF(text.x, text.y), text.text)
        return
    letters = QPainterPath()
    letters.addText(QPointF(text.x, text.y), painter.font(), text.text)
    painter.strokePath(letters, QPen(qcolor(text.halo), _HALO))
    painter.fillPath(letters, qcolor(text.color))


def _image(painter: QPainter, image: Image) -> None:
    height, width = image.pixels.shape[:2]
    picture = QImage(image.pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_RGBA8888)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, image.smooth)
    painter.drawImage(QRectF(image.left, image.top, image.width, image.height), picture)
    painter.restore()


def to_qimage(image: NDArray[np.uint8]) -> QImage:
    """A QImage that shares the memory of (H, W, 4) uint8 RGBA with premultiplied alpha; keep the array while it is
    used."""
    height, width = image.shape[:2]
    premultiplied = QImage.Format.Format_RGBA8888_Premultiplied
    return QImage(image.data, width, height, 4 * width, premultiplied)  # type: ignore[call-overload, no-any-return]


def pixels_of(picture: QImage) -> NDArray[np.uint8]:
    """The memory of a QImage with four bytes per pixel, (H, W, 4) uint8, writable; keep the QImage while it is used."""
    bits = picture.bits()
    assert bits is not None  # only an image of size 0 has none
    bits.setsize(picture.sizeInBytes())
    pixels: NDArray[np.uint8] = np.frombuffer(bits, np.uint8)  # type: ignore[call-overload]
    return pixels.reshape(picture.height(), picture.width(), 4)


def from_qimage(picture: QImage) -> NDArray[np.uint8]:
    """A copy as (H, W, 4) uint8 RGBA with straight alpha."""
    straight = picture.convertToFormat(QImage.Format.Format_RGBA8888)
    return pixels_of(straight).copy()
