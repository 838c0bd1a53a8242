"""A vector picture as parts that lie over each other, painted into SVG, PDF or an image alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from PyQt6.QtCore import QIODevice, QMarginsF, QPoint, QRect, QRectF, QSize, QSizeF, Qt
from PyQt6.QtGui import QPageSize, QPainter, QPdfWriter
from PyQt6.QtSvg import QSvgGenerator

from aggviewer.export.files import Memory

DOTS_PER_INCH = 96  # of SVG's pixel; 72 points of PDF's


@dataclass(frozen=True)
class PicturePart:
    """A piece of a picture, over the pieces before it. All lengths are pixels of the picture.

    Parameters
    ----------
    name : what it is called in an SVG.
    paint : paints it.
    clip : the rectangle outside which nothing of it is seen; None for no limit.
    svg : gives it as SVG, where that is shorter than what Qt makes of `paint`.
    """

    name: str
    paint: Callable[[QPainter], None]
    clip: QRectF | None = None
    svg: Callable[[], Iterable[str]] | None = None

    def moved(self, right: float, name: str) -> PicturePart:
        """This part so many pixels farther right, under another name."""
        give = self.svg

        def paint(painter: QPainter) -> None:
            painter.translate(right, 0.0)
            self.paint(painter)

        def svg() -> Iterator[str]:
            assert give is not None
            yield f'<g transform="translate({right:g},0)">\n'
            yield from give()
            yield "</g>\n"

        clip = None if self.clip is None else self.clip.translated(right, 0.0)
        return PicturePart(name, paint, clip, None if give is None else svg)


def paint_parts(painter: QPainter, parts: Iterable[PicturePart]) -> None:
    """Paint them one over the other."""
    for part in parts:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if part.clip is not None:
            painter.setClipRect(part.clip, Qt.ClipOperation.IntersectClip)
        part.paint(painter)
        painter.restore()


def svg_of(parts: Iterable[PicturePart], size: QSize, prefix: str = "") -> Iterator[str]:
    """The parts as the inside of an SVG: a group for each. prefix : what the names of the groups begin with."""
    for part in parts:
        name, clip = f"{prefix}{part.name}", part.clip
        if clip is not None:
            place = f'x="{clip.x():g}" y="{clip.y():g}" width="{clip.width():g}" height="{clip.height():g}"'
            yield f'<defs><clipPath id="{name}-clip"><rect {place}/></clipPath></defs>\n'
        yield f'<g id="{name}"' + (">\n" if clip is None else f' clip-path="url(#{name}-clip)">\n')
        yield from (part.svg() if part.svg is not None else (_by_qt(part, size),))
        yield "\n</g>\n"


def _by_qt(part: PicturePart, size: QSize) -> str:
    """What Qt's SVG writer makes of a part, without its head."""
    memory = Memory()
    generator = open_svg(memory.device, size)  # a painter keeps nothing alive
    with QPainter(generator) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        part.paint(painter)
    text = memory.close().decode("utf-8")
    found = re.search(r"</desc>(.*)</svg>", text, re.DOTALL)
    if found is None:
        raise RuntimeError("Qt's SVG writer has changed its form")
    # a family that is not installed must not become one with serifs
    return re.sub(r'font-family="([^"]*)"', r'font-family="\1, sans-serif"', found[1].strip())


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
