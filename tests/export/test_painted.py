"""What Qt paints, as artists of matplotlib."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.text import Text
from PyQt6.QtCore import QLineF, QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QImage, QPainter, QPen, QPolygonF

from aggviewer.canvas.picture import ensure_gui
from aggviewer.canvas.qt_images import from_qimage
from aggviewer.export.painted import painting
from aggviewer.export.sheet import Sheet, write_page

SIZE = 60
RED, GREEN = QColor("#d00000"), QColor("#00a000")


def image_of(paint: Callable[[QPainter], None]) -> np.ndarray:
    """What it paints on a white page, (60, 60, 3)."""
    sheet = Sheet.whole(SIZE, SIZE, unit=1.0, dots=1.0)
    sheet.figure.set_facecolor("white")
    with painting(sheet, "page") as painter:
        paint(painter)
    canvas = FigureCanvasAgg(sheet.figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba()).astype(int)[..., :3]


def by_qt(paint: Callable[[QPainter], None]) -> np.ndarray:
    """The same by Qt."""
    image = QImage(SIZE, SIZE, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint(painter)
    return from_qimage(image).astype(int)[..., :3]


def shapes(painter: QPainter) -> None:
    """Two shapes of every kind, under a scale."""
    painter.scale(2.0, 2.0)
    painter.setPen(QPen(RED, 1.0))
    painter.setBrush(GREEN)
    painter.drawEllipse(QPointF(7.0, 7.0), 4.0, 4.0)
    painter.drawRect(QRectF(15.0, 3.0, 8.0, 8.0))
    painter.drawPolygon(QPolygonF([QPointF(3.0, 15.0), QPointF(10.0, 15.0), QPointF(6.0, 22.0)]))
    painter.setPen(QPen(RED, 2.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawLines(QLineF(14.0, 16.0, 22.0, 16.0), QLineF(14.0, 22.0, 22.0, 22.0))


def cuts(painter: QPainter) -> None:
    """A line that is cut, and then one that is not."""
    painter.setPen(QPen(RED, 4.0))
    painter.save()
    painter.setClipRect(QRectF(10.0, 0.0, 20.0, 60.0))
    painter.drawLine(QPointF(0.0, 10.0), QPointF(60.0, 10.0))
    painter.restore()
    painter.drawLine(QPointF(0.0, 30.0), QPointF(60.0, 30.0))


def faint(painter: QPainter) -> None:
    """A rectangle that is seen by a half, over another."""
    painter.fillRect(QRectF(0.0, 0.0, 40.0, 40.0), GREEN)
    painter.setOpacity(0.5)
    painter.fillRect(QRectF(20.0, 20.0, 40.0, 40.0), RED)


def stretched(painter: QPainter) -> None:
    """An image of two pixels."""
    image = QImage(2, 1, QImage.Format.Format_RGBA8888)
    image.setPixelColor(0, 0, RED)
    image.setPixelColor(1, 0, GREEN)
    painter.drawImage(QRectF(10.0, 10.0, 40.0, 20.0), image)


@pytest.mark.parametrize("paint", [shapes, cuts, faint, stretched])
def test_it_looks_as_qt_paints_it(paint: Callable[[QPainter], None]) -> None:
    ensure_gui()
    found, expected = image_of(paint), by_qt(paint)
    seen = (expected < 255).any(axis=2)
    assert seen.mean() > 0.05
    difference = np.abs(found - expected).max(axis=2)
    assert (difference > 100).mean() < 0.01, "edges alone"
    assert np.median(difference[seen]) <= 2


def test_text_stays_text_of_its_size(tmp_path: Path) -> None:
    ensure_gui()
    sheet = Sheet.whole(200.0, 50.0)
    with painting(sheet, "words") as painter:
        font = QFont()
        font.setPixelSize(12)
        painter.setFont(font)
        painter.setPen(RED)
        painter.scale(2.0, 2.0)
        painter.drawText(QPointF(5.0, 20.0), "a $ in it")
    (text,) = [one for one in sheet.figure.findobj(Text) if one.get_text()]
    assert text.get_text() == "a $ in it"
    assert text.get_fontsize() == pytest.approx(2 * 12 * sheet.unit)
    assert text.get_position() == pytest.approx((10.0, 40.0))
    write_page(sheet.figure, tmp_path / "a.svg", "svg", "words")
    assert re.search(r"<text [^>]*fill: #d00000[^>]*>a \$ in it</text>", (tmp_path / "a.svg").read_text("utf-8"))


def test_no_line_is_thinner_than_a_printer_draws() -> None:
    ensure_gui()
    sheet = Sheet.whole(200.0, 50.0)
    with painting(sheet, "lines") as painter:
        painter.setPen(QPen(RED, 0.01))
        painter.drawLine(QPointF(5.0, 20.0), QPointF(50.0, 20.0))
    (line,) = sheet.figure.findobj(PathCollection)
    assert line.get_linewidths() == [0.25]
