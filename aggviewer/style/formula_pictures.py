"""Formulas as small pictures in rich text: labels, tool tips, text browsers.

They are embedded in the HTML as PNG ``data:`` addresses at screen resolution, because a tool tip has no document to
which a picture resource could be added.
"""

from __future__ import annotations

import logging
import re
from base64 import b64encode
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape
from math import ceil
from pathlib import Path

from PyQt6.QtCore import QBuffer, QIODevice, QPointF, QRectF, Qt, QUrl
from PyQt6.QtGui import (
    QColor,
    QFont,
    QFontInfo,
    QFontMetrics,
    QFontMetricsF,
    QGuiApplication,
    QImage,
    QImageReader,
    QPainter,
    QPalette,
)
from PyQt6.QtSvg import QSvgRenderer
from PyQt6.QtWidgets import QToolTip, QWidget

from aggviewer.style.formulas import FormulaDrawing, FormulaError, draw, plain, replace_formulas
from aggviewer.style.rich_text import marked_up

_LOG = logging.getLogger(__name__)
_PARAGRAPHS = re.compile(r"(?<=</p>)|(?<=</li>)|(?<=</td>)|(?<=<br>)|(?=<p[ >])|(?=<ul>)|(?=<ol)")
_X_HEIGHT = 0.473  # of the font of formulas, in units of its size
_AFTER_BLOCK = re.compile(r"</p>\s*(?=<span[^>]*><img)")
_KEPT = re.compile("\0(\\d+)\0([-–.,;:?!)\\]%’”]*)")  # the place of a formula, and the signs that must not leave it


@dataclass(frozen=True)
class Ink:
    """The look of the text around a formula.

    Parameters
    ----------
    family : of the font.
    pixels : its size.
    color : as ``#rrggbb``.
    ratio : pixels of the screen for one of the window: 1.0, 1.5, 2.0.
    """

    family: str
    pixels: int
    color: str
    ratio: float = 1.0

    @classmethod
    def of(cls, widget: QWidget) -> Ink:
        """Font and colour of the text of a widget."""
        return _ink(widget.font(), widget.palette(), QPalette.ColorRole.WindowText, widget)

    @classmethod
    def of_tool_tips(cls, widget: QWidget) -> Ink:
        """The text of a tool tip that is shown for a widget."""
        return _ink(QToolTip.font(), QGuiApplication.palette(), QPalette.ColorRole.ToolTipText, widget)


def _ink(font: QFont, palette: QPalette, role: QPalette.ColorRole, widget: QWidget) -> Ink:
    color = palette.color(QPalette.ColorGroup.Active, role).name()
    return Ink(font.family(), QFontInfo(font).pixelSize(), color, widget.devicePixelRatioF())


def formulas_drawn(html: str, ink: Ink, width: int = 0) -> str:
    """HTML with each formula between dollar signs replaced by a picture on the baseline. Formulas wider than `width`
    pixels are scaled down; 0 means no limit."""
    return "".join(_paragraph(part, ink, width) for part in _PARAGRAPHS.split(html))


def rich_html(text: str, ink: Ink, pictures: Path | None = None, width: int = 0) -> str:
    """A text of `aggviewer.style.rich_text` as HTML for labels and text browsers.

    Parameters
    ----------
    pictures : the folder of pictures; None for a text without pictures.
    width : greatest width of a picture or formula in window pixels; 0 for no limit.
    """

    def picture(path: Path, words: str) -> str:
        own = QImageReader(str(path)).size().width()
        wide = f' width="{width}"' if 0 < width < own else ""
        address = QUrl.fromLocalFile(str(path)).toString(QUrl.ComponentFormattingOption.FullyEncoded)
        return f'<img src="{escape(address)}"{wide} alt="{escape(words)}">'.replace("$", "\\$")

    return formulas_drawn(marked_up(text, pictures, picture), ink, width)


# inside


@dataclass(frozen=True)
class _Place:
    """The placement of a paragraph's pictures: rows `above` and `below` the baseline, and the font size that achieves
    it."""

    above: int
    below: int
    pixels: int


def _paragraph(html: str, ink: Ink, width: int) -> str:
    """A paragraph with its formulas as pictures.

    Qt has no distance from the baseline for a picture. With ``vertical-align:middle`` it counts the picture as if its
    middle were a quarter of an x-height above the baseline, but paints it in the middle of the line. Both are the same
    if the picture determines the height of the line. So all pictures of a paragraph get the same rows above and below
    the baseline, not fewer than the letters have, and a font with the x-height that fits these. Qt also begins a line
    after any picture, so a sign that follows is painted in it and never stands alone.
    """
    found: list[tuple[str, bool]] = []

    def keep(source: str, block: bool) -> str:
        found.append((unescape(source), block))
        return f"\0{len(found) - 1}\0"

    without = replace_formulas(html, keep)
    if not found:
        return without
    metrics = _metrics(ink.family, ink.pixels)
    above, below = float(metrics.ascent()), float(metrics.descent())
    for latex, block in found:
        drawn = _drawn(latex, block)
        if drawn is not None and not block:
            size = _size(ink, drawn, width)
            above, below = max(above, drawn.ascent * size), max(below, drawn.depth * size)
    place = _place(ceil(above), ceil(below), ink.family)

    def one(kept: re.Match[str]) -> str:
        (latex, block), after = found[int(kept[1])], kept[2]
        drawn = _drawn(latex, block)
        if drawn is None:
            return f"<code>{escape(latex)}</code>{after}"
        size = _size(ink, drawn, width)
        if block:
            own = _place(ceil(drawn.ascent * size), ceil(drawn.depth * size), ink.family)
            return f'<p align="center">{_image(latex, True, size, ink, own)}</p>{after}'
        before = without[: kept.start()]
        bold = before.count("<strong>") > before.count("</strong>")
        room = width - ceil(QFontMetricsF(_text_font(ink, bold)).horizontalAdvance(after))
        return _image(latex, False, _size(ink, drawn, room), ink, place, after, bold)

    # Qt begins another paragraph after a block for letters, but not for a picture
    return _AFTER_BLOCK.sub("</p><p>", _KEPT.sub(one, without))


def _drawn(latex: str, block: bool) -> FormulaDrawing | None:
    """Draw a formula; None if it cannot be drawn, in which case its source appears in the text."""
    try:
        return draw(latex, block)
    except FormulaError as error:
        _LOG.warning("%s", error)
        return None


def _size(ink: Ink, drawn: FormulaDrawing, width: int) -> float:
    """The size of a formula: it matches the x-height of the text unless it would be too wide."""
    usual = max(_metrics(ink.family, ink.pixels).xHeight(), 3) / _X_HEIGHT
    return min(usual, (width - 2) / drawn.width) if width > 2 and drawn.width > 0.0 else usual


def _text_font(ink: Ink, bold: bool) -> QFont:
    """The font of the text around a formula."""
    font = QFont(ink.family)
    font.setPixelSize(ink.pixels)
    font.setBold(bold)
    return font


@lru_cache(maxsize=1024)
def _image(latex: str, block: bool, size: float, ink: Ink, place: _Place, after: str = "", bold: bool = False) -> str:
    """A formula as an ``<img>``, with the signs after it in the font of the text."""
    drawn, font = draw(latex, block), _text_font(ink, bold)
    wide = drawn.width * size + QFontMetricsF(font).horizontalAdvance(after)
    # even numbers are whole screen pixels at a scaling of 1.5
    width, height = 2 * ceil(wide / 2.0), place.above + place.below
    picture = QImage(round(width * ink.ratio), round(height * ink.ratio), QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(ink.ratio, ink.ratio)
    bounds = QRectF(0.0, place.above - drawn.ascent * size, drawn.width * size, (drawn.ascent + drawn.depth) * size)
    QSvgRenderer(drawn.in_color(ink.color).encode()).render(painter, bounds)
    painter.setFont(font)
    painter.setPen(QColor(ink.color))
    painter.drawText(QPointF(bounds.right(), place.above), after)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")
    data, words = b64encode(buffer.data().data()).decode(), escape(plain(latex) + after)
    tag = (
        f'<img src="data:image/png;base64,{data}" width="{width}" height="{height}" alt="{words}"'
        ' style="vertical-align:middle">'
    )
    return f"<span style=\"font-family:'{escape(ink.family)}';font-size:{place.pixels}px\">{tag}</span>"


@lru_cache(maxsize=1024)
def _place(above: int, below: int, family: str) -> _Place:
    """The smallest number of rows, at least these and even below the baseline, that some font size fits."""
    best: _Place | None = None
    for pixels in range(4, 200):
        x = _metrics(family, pixels).xHeight()
        if x == 0 or x % 4:
            continue
        low = max(2 * ceil(below / 2.0), 2 * ceil((above - x // 2) / 2.0))
        if best is None or 2 * low + x // 2 < best.above + best.below:
            best = _Place(low + x // 2, low, pixels)
    return best or _Place(max(above, below), max(above, below), 1)


@lru_cache(maxsize=512)
def _metrics(family: str, pixels: int) -> QFontMetrics:
    font = QFont(family)
    font.setPixelSize(pixels)
    return QFontMetrics(font)
