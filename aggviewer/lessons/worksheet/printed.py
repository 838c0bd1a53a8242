"""The sheet of a lesson as a PDF by Qt's writer. Needs a QGuiApplication, but no display."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

from PyQt6.QtCore import QBuffer, QIODevice, QLineF, QMarginsF, QRectF, Qt
from PyQt6.QtGui import (
    QFont,
    QGuiApplication,
    QImage,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QPen,
    QTextDocument,
)
from PyQt6.QtSvg import QSvgRenderer

from aggviewer.lessons.source import Found
from aggviewer.lessons.worksheet.axes import HEIGHT, WIDTH, Drawing
from aggviewer.lessons.worksheet.sheet import Compose, Piece
from aggviewer.style.formula_pictures import Ink, rich_html

_INCH = 96.0  # CSS pixels
_MARGIN = 64.0  # pixels around the text
_TEXT = 14  # pixels of its font
_GAP = 14.0  # pixels between two pieces
_SHARP = 4.0  # pixels of formulas for one of the page: 384 dots per inch
_STYLE = """
p { margin-top: 4px; margin-bottom: 6px; }
h1 { font-size: 24px; margin-top: 0px; margin-bottom: 6px; }
.quiet { color: #444444; font-size: 12px; }
.number { font-size: 17px; font-weight: 700; color: #444444; }
.title { font-weight: 700; }
"""


class PrintLook:
    """See `aggviewer.lessons.worksheet.sheet.Look`."""

    def __init__(self, found: Found, width: float) -> None:
        self._folder, self._width = found.folder, round(width) - 48
        self._ink = Ink(QGuiApplication.font().family(), _TEXT, "#000000", _SHARP)

    def rich(self, text: str) -> str:
        """Formulas are pictures, sharp enough for print."""
        return rich_html(text, self._ink, self._folder, self._width)

    def line(self, letters: int) -> str:
        """Underscores."""
        return f'<span style="font-size:18px">{"_" * round(letters * 0.8 or 52)}</span>'

    def box(self) -> str:
        """A square of the font."""
        return '<span style="font-size:18px">☐</span>'

    def drawing(self, drawing: Drawing) -> str:
        """A picture."""
        image = QImage(round(WIDTH * _SHARP), round(HEIGHT * _SHARP), QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        QSvgRenderer(drawing.svg().encode()).render(painter, QRectF(image.rect()))
        painter.end()
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        image.save(buffer, "PNG")
        data = b64encode(buffer.data().data()).decode()
        return f'<p><img src="data:image/png;base64,{data}" width="{WIDTH}" height="{HEIGHT}"></p>'


def write_pdf(found: Found, compose: Compose, path: Path) -> None:
    """Write the sheet. Pieces are laid out one below the other; one that does not fit goes to the next page."""
    writer = QPdfWriter(str(path))
    writer.setTitle(found.lesson.title)
    writer.setCreator("aggviewer")
    writer.setPageLayout(
        QPageLayout(QPageSize(QPageSize.PageSizeId.A4), QPageLayout.Orientation.Portrait, QMarginsF(0, 0, 0, 0))
    )
    scale = writer.resolution() / _INCH
    width, height = writer.width() / scale - 2.0 * _MARGIN, writer.height() / scale - 2.0 * _MARGIN
    painter = QPainter(writer)
    painter.scale(scale, scale)
    y, number = -_GAP, 1
    for piece in compose(found, PrintLook(found, width)):
        document = _document(piece, width)
        needed = document.size().height()
        y += _GAP
        if y > 0.0 and (piece.new_page or y + needed > height):
            _foot(painter, number, width, height)
            writer.newPage()
            y, number = 0.0, number + 1
        elif piece.ruled:
            painter.setPen(QPen(Qt.GlobalColor.gray, 0.6))
            painter.drawLine(QLineF(_MARGIN, _MARGIN + y - _GAP / 2.0, _MARGIN + width, _MARGIN + y - _GAP / 2.0))
        painter.save()
        painter.translate(_MARGIN, _MARGIN + y)
        document.drawContents(painter)
        painter.restore()
        y += needed
    _foot(painter, number, width, height)
    painter.end()


def _document(piece: Piece, width: float) -> QTextDocument:
    document = QTextDocument()
    font = QFont(QGuiApplication.font())
    font.setPixelSize(_TEXT)
    document.setDefaultFont(font)
    document.setDocumentMargin(2.0)
    document.setUseDesignMetrics(True)
    document.setDefaultStyleSheet(_STYLE)
    document.setHtml(piece.html)
    document.setTextWidth(width)
    return document


def _foot(painter: QPainter, number: int, width: float, height: float) -> None:
    font = QFont(QGuiApplication.font())
    font.setPixelSize(11)
    painter.setFont(font)
    painter.setPen(Qt.GlobalColor.darkGray)
    painter.drawText(QRectF(_MARGIN, _MARGIN + height + 16.0, width, 20.0), Qt.AlignmentFlag.AlignRight, str(number))
