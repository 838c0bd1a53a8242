"""The cards in the corners of the picture with time, scale bar and legend, and the elements of legends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, inf

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QLineF, QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from aggviewer.canvas.colors import LINE
from aggviewer.canvas.layers.painter import qcolor, round_pen
from aggviewer.canvas.layers.primitives import Stroke
from aggviewer.document.view import ViewModel

EDGE = 10.0  # pixels between a card and the edge of the picture
_BETWEEN = 8.0  # pixels from entry to entry, and from card to card
_APART = 24.0  # pixels between entries side by side
_MOST_SHARE = 0.6  # greatest share of the picture's height: entries that do not fit are left out
PAD = 8.0  # pixels from a mark to its label, and from the side of a card to its contents
_OVER = 6.0  # pixels above and below the contents of a card
_GROUND_ALPHA = 195  # of 255
_ROUND = 6.0  # pixels, of the corners of a card
_RAMP_BAR = 8.0  # pixels, height of the colours of a scale
_FEW_COLORS = 64  # at most this many colours are steps with sharp edges
_USUAL_LINE = 16.0  # line spacing in pixels at the default text size

Sample = Callable[[QPainter, QRectF], None]
"""Paints a small drawing into a rectangle."""


@dataclass(frozen=True)
class Entry:
    """An entry of a card: its size in pixels, the function that paints it into its rectangle, and its corner."""

    width: float
    height: float
    paint: Callable[[QPainter, QRectF], None]
    right: bool = False


@dataclass(frozen=True)
class LegendCard:
    """Entries in a corner of the picture, with their own background."""

    rect: QRectF
    entries: tuple[tuple[Entry, QRectF], ...]


def cards(
    entries: Sequence[Entry], width: float, height: float, free: float = inf, low: float = inf
) -> list[LegendCard]:
    """The cards of a picture of this size: the legend in the lower right corner, all else in the lower left one, or
    above the legend if there is no space on the left. Entries that do not fit are left out.

    Parameters
    ----------
    free : width in pixels on the left of the box.
    low : height in pixels below the box: the parts of a taller legend are placed side by side if they fit.
    """
    left = [entry for entry in entries if not entry.right]
    right = [entry for entry in entries if entry.right]
    found: list[LegendCard] = []
    bottom = height - EDGE
    if right:
        beside = EDGE + _BETWEEN + _size(left)[0] if left else 0.0
        row = EDGE + _size(right)[1] > low and _size(right, row=True)[0] <= width - 2 * EDGE - beside
        wide, tall = _size(right, row=row)
        if wide <= width - 2 * EDGE and tall <= _MOST_SHARE * height:
            found.append(_card(right, width - EDGE - wide, bottom - tall, row=row))
    if left:
        wide, tall = _size(left)
        at, legend = EDGE, found[0].rect if found else QRectF(width - EDGE, bottom, 0.0, 0.0)
        if EDGE + wide > free:
            at = min(legend.left(), width - EDGE - wide)
        if found and at + wide + _BETWEEN > legend.left():
            bottom = legend.top() - _BETWEEN
        if wide <= width - 2 * EDGE and height - bottom + tall - EDGE <= _MOST_SHARE * height:
            found.append(_card(left, at, bottom - tall))
    return found


def card_height(*heights: float) -> float:
    """Height in pixels of a card with entries of these heights, one below the other."""
    return ceil(sum(heights) + _BETWEEN * (len(heights) - 1) + 2 * _OVER)


def _size(entries: Sequence[Entry], *, row: bool = False) -> tuple[float, float]:
    """Width and height of the card of some entries. row : side by side."""
    widths, heights = [entry.width for entry in entries], [entry.height for entry in entries]
    if row:
        return ceil(sum(widths) + _APART * (len(widths) - 1) + 2 * PAD), card_height(max(heights))
    return ceil(max(widths) + 2 * PAD), card_height(*heights)


def _card(entries: Sequence[Entry], left: float, top: float, *, row: bool = False) -> LegendCard:
    """On whole pixels, so that lines and letters are sharp."""
    rect = QRectF(round(left), round(top), *_size(entries, row=row))
    places = []
    left, top = rect.left() + PAD, rect.top() + _OVER
    for entry in entries:
        width = entry.width if row else rect.width() - 2 * PAD
        places.append((entry, QRectF(round(left), round(top), width, ceil(entry.height))))
        left, top = (left + entry.width + _APART, top) if row else (left, top + entry.height + _BETWEEN)
    return LegendCard(rect, tuple(places))


def paint_ground(painter: QPainter, view: ViewModel, rect: QRectF) -> None:
    """Paint the translucent background of a card in the background colour of the picture."""
    ground = QColor(*view.background_rgb)
    ground.setAlpha(_GROUND_ALPHA)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(rect, _ROUND, _ROUND)


@dataclass(frozen=True)
class LegendInk:
    """Colours of lines and text that are readable on the background."""

    text: QColor
    quiet: QColor
    line: QColor

    @staticmethod
    def on(view: ViewModel) -> LegendInk:
        """The colours for the background of `view`."""
        if view.dark:
            return LegendInk(QColor("#e4e7ec"), QColor("#a9b1bc"), QColor(LINE[0]))
        return LegendInk(QColor("#22272e"), QColor("#4a525c"), QColor(LINE[1]))


@dataclass(frozen=True)
class Key:
    """The font of a legend, and painting its rows."""

    view: ViewModel
    metrics: QFontMetricsF

    @property
    def ink(self) -> LegendInk:
        """The colours for the present background."""
        return LegendInk.on(self.view)

    @property
    def line(self) -> float:
        """The height of a line of text in pixels."""
        return self.metrics.height()

    @property
    def step(self) -> float:
        """The distance between rows in pixels."""
        return self.metrics.height() + 2

    @property
    def enlarged(self) -> float:
        """The text size relative to the default; marks beside it are scaled with it."""
        return max(1.0, self.metrics.height() / _USUAL_LINE)

    def advance(self, text: str) -> float:
        """The width of a text in pixels."""
        return self.metrics.horizontalAdvance(text)

    @staticmethod
    def text(painter: QPainter, color: QColor, rect: QRectF, text: str) -> None:
        """Paint a text, vertically centred in `rect`."""
        painter.setPen(color)
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    def row(self, draw: Sample, text: str, *, longest: str = "") -> Entry:
        """An entry with a small drawing and a label. longest : a text for which space is reserved."""
        sample = 20.0 * self.enlarged

        def paint(painter: QPainter, rect: QRectF) -> None:
            draw(painter, QRectF(rect.left(), rect.center().y() - 6, sample, 12))
            self.text(painter, self.ink.quiet, rect.adjusted(sample + PAD, 0, 0, 0), text)

        return Entry(max(self.advance(text), self.advance(longest)) + sample + PAD, self.step, paint, True)

    @property
    def ramp_height(self) -> float:
        """The height of a scale in pixels, with its title and numbers."""
        return 2 * self.line + _RAMP_BAR * self.enlarged + 4

    def ramp(
        self,
        painter: QPainter,
        rect: QRectF,
        title: str,
        table: NDArray[np.uint8],
        numbers: Sequence[str],
        *,
        centred: bool = False,
    ) -> None:
        """Paint a scale: its title, its colours (K, 4), and numbers evenly spaced from the left to the right end or, if
        `centred`, one below the middle of each colour."""
        painter.setPen(self.ink.text)
        painter.drawText(QPointF(rect.left(), rect.top() + self.metrics.ascent()), title)
        table = np.ascontiguousarray(table)
        picture = QImage(table.tobytes(), len(table), 1, 4 * len(table), QImage.Format.Format_RGBA8888)
        bar = QRectF(rect.left(), rect.top() + self.line + 2, rect.width(), _RAMP_BAR * self.enlarged)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, len(table) > _FEW_COLORS)
        painter.drawImage(bar, picture)
        painter.restore()
        painter.setPen(self.ink.quiet)
        below = QRectF(bar.left(), bar.bottom() + 2, bar.width(), self.line)
        last = max(len(numbers) - 1, 1)
        for place, text in enumerate(numbers):
            width = self.advance(text)
            if centred:
                left = below.left() + (place + 0.5) / len(numbers) * below.width() - width / 2
            else:
                left = below.left() + place / last * (below.width() - width)
            painter.drawText(QRectF(left, below.top(), width + 1.0, self.line), Qt.AlignmentFlag.AlignLeft, text)

    def rows(self, rows: Sequence[tuple[Sample | None, str]]) -> Entry:
        """An entry with rows of small drawings and labels. None leaves a row empty."""
        sample = 20.0 * self.enlarged

        def paint(painter: QPainter, rect: QRectF) -> None:
            for row, (draw, text) in enumerate(rows):
                if draw is not None:
                    line = QRectF(rect.left(), rect.top() + row * self.step, rect.width(), self.step)
                    draw(painter, QRectF(line.left(), line.center().y() - 6, sample, 12))
                    self.text(painter, self.ink.quiet, line.adjusted(sample + PAD, 0, 0, 0), text)

        width = max(self.advance(text) for _, text in rows) + sample + PAD
        return Entry(width, len(rows) * self.step, paint, True)


def line_sample(stroke: Stroke, *, arrow: bool = False) -> Sample:
    """Paint a line or an arrow across the rectangle."""

    def draw(painter: QPainter, rect: QRectF) -> None:
        middle = rect.center()
        painter.setPen(round_pen(qcolor(stroke.color), stroke.width))
        lines = [QLineF(rect.left() + 1, middle.y(), rect.right() - 1, middle.y())]
        if arrow:
            tip = QPointF(rect.right() - 1, middle.y())
            lines += [QLineF(tip, QPointF(tip.x() - 5, tip.y() + side)) for side in (-4.0, 4.0)]
        painter.drawLines(*lines)

    return draw
