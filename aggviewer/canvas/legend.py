"""The cards in the corners of the picture with time, scale bar and legend, and the elements of legends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, inf

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QRectF
from PyQt6.QtGui import QFontMetricsF

from aggviewer.canvas.colors import LINE, line_color
from aggviewer.canvas.in_pixels import rounded, shapes
from aggviewer.canvas.layers.primitives import Color, Flat, Image, Lines, Stroke, Text
from aggviewer.document.view import ViewModel

EDGE = 8.0  # pixels between a card and the edge of the picture
_BETWEEN = 8.0  # pixels from entry to entry, and from card to card
_APART = 24.0  # pixels between entries side by side, half of it where there is little room
_MOST_SHARE = 0.6  # greatest share of the picture's height: entries that do not fit are left out
PAD = 8.0  # pixels from a mark to its label, and from the side of a card to its contents
_OVER = 6.0  # pixels above and below the contents of a card
_GROUND_ALPHA = 195 / 255
_ROUND = 6.0  # pixels, of the corners of a card
_BETWEEN_NUMBERS = 4.0  # least pixels between the numbers below a scale
_RAMP_BAR = 8.0  # pixels, height of the colours of a scale
_FEW_COLORS = 64  # at most this many colours are steps with sharp edges
_USUAL_LINE = 16.0  # line spacing in pixels at the default text size

Draw = Callable[[QRectF], Iterable[Flat]]
"""The primitives of a drawing in a rectangle, in pixels."""


@dataclass(frozen=True)
class Entry:
    """An entry of a card: its size in pixels, what is drawn in its rectangle, and its corner.

    least : the width at which it can still be read, beside others that need room; 0 for its usual one.
    low : the same in one line, where there is little height; None if it has no other form.
    """

    width: float
    height: float
    draw: Draw
    right: bool = False
    least: float = 0.0
    low: Entry | None = None

    @property
    def slack(self) -> float:
        """By how many pixels it can be narrower."""
        return self.width - (self.least or self.width)


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
        shown, apart = _arranged(right, width - 2 * EDGE - beside, low - EDGE)
        wide, tall = _size(shown, apart)
        if wide <= width - 2 * EDGE and tall <= _MOST_SHARE * height:
            found.append(_card(shown, width - EDGE - wide, bottom - tall, apart))
    if left:
        wide, tall = _size(left)
        at, legend = EDGE, found[0].rect if found else QRectF(width - EDGE, bottom, 0.0, 0.0)
        if EDGE + wide > free:
            at = min(legend.left(), width - EDGE - wide)
            if found and at < legend.left():  # one left edge for both
                found[0] = _card(shown, at, legend.top(), apart)
                legend = found[0].rect
        if found and at + wide + _BETWEEN > legend.left():
            bottom = legend.top() - _BETWEEN
        if wide <= width - 2 * EDGE and height - bottom + tall - EDGE <= _MOST_SHARE * height:
            found.append(_card(left, at, bottom - tall))
    return found


def card_height(*heights: float) -> float:
    """Height in pixels of a card with entries of these heights, one below the other."""
    return ceil(sum(heights) + _BETWEEN * (len(heights) - 1) + 2 * _OVER)


def _arranged(entries: Sequence[Entry], width: float, height: float) -> tuple[Sequence[Entry], float | None]:
    """The entries for a card, and the pixels between them, None for one below the other: so, or side by side, or in
    their low form, whichever fits into this width and height first; else the last one beside all others."""
    if _size(entries)[1] <= height:
        return entries, None
    row = _in_row(entries, width)
    if row is not None:
        return row
    low = [entry.low or entry for entry in entries]
    wide, tall = _size(low)
    if wide <= width and tall <= height:
        return low, None
    columns = _in_row([_column(entries[:-1]), entries[-1]], width) if len(entries) > 2 else None
    return columns or (entries, None)


def _column(entries: Sequence[Entry]) -> Entry:
    """Entries one below the other as one."""

    def draw(rect: QRectF) -> Iterator[Flat]:
        top = rect.top()
        for entry in entries:
            yield from entry.draw(QRectF(rect.left(), round(top), rect.width(), ceil(entry.height)))
            top += entry.height + _BETWEEN

    height = sum(entry.height for entry in entries) + _BETWEEN * (len(entries) - 1)
    return Entry(max(entry.width for entry in entries), height, draw, True)


def _in_row(entries: Sequence[Entry], room: float) -> tuple[Sequence[Entry], float] | None:
    """Some entries for a card of at most `room` pixels with all of them side by side, and the pixels between them; None
    if they do not fit. Those that can be narrower share what room there is."""
    for apart in (_APART, _APART / 2):
        over = _size(entries, apart)[0] - room
        slack = sum(entry.slack for entry in entries)
        if over <= 0.0:
            return entries, apart
        if over <= slack:
            return [replace(entry, width=floor(entry.width - over * entry.slack / slack)) for entry in entries], apart
    return None


def _size(entries: Sequence[Entry], apart: float | None = None) -> tuple[float, float]:
    """Width and height of the card of some entries. apart : pixels between them side by side; None: they are one below
    the other."""
    widths, heights = [entry.width for entry in entries], [entry.height for entry in entries]
    if apart is not None:
        return ceil(sum(widths) + apart * (len(widths) - 1) + 2 * PAD), card_height(max(heights))
    return ceil(max(widths) + 2 * PAD), card_height(*heights)


def _card(entries: Sequence[Entry], left: float, top: float, apart: float | None = None) -> LegendCard:
    """A card with these entries, see `_size`. It is placed on whole pixels, so that lines and letters are sharp."""
    rect = QRectF(round(left), round(top), *_size(entries, apart))
    places = []
    left, top = rect.left() + PAD, rect.top() + _OVER
    for entry in entries:
        width = rect.width() - 2 * PAD if apart is None else entry.width
        places.append((entry, QRectF(round(left), round(top), width, ceil(entry.height))))
        left, top = (left, top + entry.height + _BETWEEN) if apart is None else (left + entry.width + apart, top)
    return LegendCard(rect, tuple(places))


def ground(view: ViewModel, rect: QRectF) -> Flat:
    """The translucent background of a card in the background colour of the picture."""
    return shapes([rounded(rect, _ROUND)], Color(*view.background_rgb, _GROUND_ALPHA))


@dataclass(frozen=True)
class LegendInk:
    """Colours of lines and text that are readable on the background."""

    text: Color
    quiet: Color
    line: Color

    @staticmethod
    def on(view: ViewModel) -> LegendInk:
        """The colours of a legend on the background of `view`."""
        if view.dark:
            return LegendInk(*map(Color.of, ("#e4e7ec", "#a9b1bc", LINE[0])))
        inks = ("#000000", "#1f2429") if view.bold else ("#22272e", "#4a525c")
        return LegendInk(*map(Color.of, (*inks, line_color(view))))


@dataclass(frozen=True)
class Key:
    """What rows of a legend have in common: the colours of the view and one font. Makes the primitives of rows."""

    view: ViewModel
    metrics: QFontMetricsF

    @property
    def ink(self) -> LegendInk:
        """The colours of text and lines on the present background."""
        return LegendInk.on(self.view)

    @property
    def line(self) -> float:
        """The height of a line of text, in pixels."""
        return self.metrics.height()

    @property
    def step(self) -> float:
        """The distance from one row to the next, in pixels."""
        return self.metrics.height() + 2

    @property
    def enlarged(self) -> float:
        """The text size relative to the default; marks beside it are scaled with it."""
        return max(1.0, self.metrics.height() / _USUAL_LINE)

    def advance(self, text: str) -> float:
        """The width of a text, in pixels."""
        return self.metrics.horizontalAdvance(text)

    def text(self, color: Color, rect: QRectF, text: str) -> Text:
        """The primitive of a text, vertically centred in `rect`."""
        return self.text_below(color, rect.left(), rect.center().y() - self.line / 2, text)

    def text_below(self, color: Color, left: float, top: float, text: str) -> Text:
        """The primitive of a text that has its upper edge at `top`."""
        return Text(left, top + self.metrics.ascent(), text, color)

    def row(self, draw: Draw, text: str, *, longest: str = "") -> Entry:
        """An entry with a small drawing and a label. longest : a text for which space is reserved."""
        sample = 20.0 * self.enlarged

        def row(rect: QRectF) -> Iterator[Flat]:
            yield from draw(QRectF(rect.left(), rect.center().y() - 6, sample, 12))
            yield self.text(self.ink.quiet, rect.adjusted(sample + PAD, 0, 0, 0), text)

        least = self.advance(text) + sample + PAD
        return Entry(max(least, self.advance(longest) + sample + PAD), self.step, row, True, least)

    @property
    def ramp_height(self) -> float:
        """The height of a scale in pixels, with its title and numbers."""
        return 2 * self.line + _RAMP_BAR * self.enlarged + 4

    def ramp(
        self, rect: QRectF, title: str, table: NDArray[np.uint8], numbers: Sequence[str], *, centred: bool = False
    ) -> Iterator[Flat]:
        """A scale: its title, its colours (K, 4), and numbers evenly spaced from the left to the right end or, if
        `centred`, one below the middle of each colour. Numbers that would touch their neighbours are left out."""
        yield self.text_below(self.ink.text, rect.left(), rect.top(), title)
        top, height = rect.top() + self.line + 2, _RAMP_BAR * self.enlarged
        yield Image(rect.left(), top, rect.width(), height, table[np.newaxis], len(table) > _FEW_COLORS)
        last = max(len(numbers) - 1, 1)
        taken: list[tuple[float, float]] = []
        for place in sorted(range(len(numbers)), key=lambda place: (0 < place < last, place)):  # the ends come first
            width = self.advance(numbers[place])
            if centred:
                left = (place + 0.5) / len(numbers) * rect.width() - width / 2
            else:
                left = place / last * (rect.width() - width)
            if all(left >= end + _BETWEEN_NUMBERS or left + width + _BETWEEN_NUMBERS <= begin for begin, end in taken):
                taken.append((left, left + width))
                yield self.text_below(self.ink.quiet, rect.left() + left, top + height + 2, numbers[place])

    def rows(self, rows: Sequence[tuple[Draw | None, str]]) -> Entry:
        """An entry with rows of small drawings and labels. None leaves a row empty."""
        sample = 20.0 * self.enlarged

        def all_rows(rect: QRectF) -> Iterator[Flat]:
            for row, (draw, text) in enumerate(rows):
                if draw is not None:
                    line = QRectF(rect.left(), rect.top() + row * self.step, rect.width(), self.step)
                    yield from draw(QRectF(line.left(), line.center().y() - 6, sample, 12))
                    yield self.text(self.ink.quiet, line.adjusted(sample + PAD, 0, 0, 0), text)

        width = max(self.advance(text) for _, text in rows) + sample + PAD
        return Entry(width, len(rows) * self.step, all_rows, True)


def line_sample(stroke: Stroke, *, arrow: bool = False) -> Draw:
    """A function that draws a line, or an arrow, across a rectangle, as the sample of a row."""

    def draw(rect: QRectF) -> Iterator[Flat]:
        y, tip = rect.center().y(), rect.right() - 1
        ends = [(rect.left() + 1, y, tip, y)]
        if arrow:
            ends += [(tip, y, tip - 5, y + side) for side in (-4.0, 4.0)]
        yield lines(ends, stroke)

    return draw


def lines(ends: Sequence[tuple[float, float, float, float]], stroke: Stroke, *, flat: bool = False) -> Lines:
    """The primitive of lines, each given by its ends (x, y, x, y) in pixels."""
    return Lines(np.array(ends, np.float64).reshape(-1, 2, 2), (stroke,), flat=flat)
