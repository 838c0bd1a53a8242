"""What parts of the legend have in common: colours of text, its size, and small drawings beside words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor, log10

from PyQt6.QtCore import QLineF, QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QPainter

from aggviewer.canvas.layers.painter import qcolor, round_pen
from aggviewer.canvas.layers.primitives import Stroke
from aggviewer.canvas.strip import Entry
from aggviewer.session.view import ViewModel

PAD = 8.0  # pixels from a mark to its word
_USUAL_LINE = 16.0  # pixels from line to line at the usual size of the text

Sample = Callable[[QPainter, QRectF], None]
"""Paints a small drawing into a rectangle."""


@dataclass(frozen=True)
class Ink:
    """Colours of lines and text that read well on the background."""

    text: QColor
    quiet: QColor
    line: QColor

    @staticmethod
    def on(view: ViewModel) -> Ink:
        """For the background of `view`."""
        if view.dark:
            return Ink(QColor("#e4e7ec"), QColor("#a9b1bc"), QColor("#66707e"))
        return Ink(QColor("#22272e"), QColor("#4a525c"), QColor("#8b94a1"))


@dataclass(frozen=True)
class Key:
    """The type of a legend, and how its rows are painted."""

    view: ViewModel
    metrics: QFontMetricsF

    @property
    def ink(self) -> Ink:
        """For the background as it is now."""
        return Ink.on(self.view)

    @property
    def line(self) -> float:
        """Pixels of a line of text."""
        return self.metrics.height()

    @property
    def step(self) -> float:
        """Pixels from row to row."""
        return self.metrics.height() + 2

    @property
    def enlarged(self) -> float:
        """How much larger than usual the text is; marks beside it grow with it."""
        return max(1.0, self.metrics.height() / _USUAL_LINE)

    def advance(self, text: str) -> float:
        """Pixels that a text takes."""
        return self.metrics.horizontalAdvance(text)

    @staticmethod
    def text(painter: QPainter, color: QColor, rect: QRectF, text: str) -> None:
        """A text, in the middle of the height of `rect`."""
        painter.setPen(color)
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    def rows(self, rows: Sequence[tuple[Sample | None, str]]) -> Entry:
        """Small drawings with a word beside each, one below the other. None leaves the row empty and keeps its room."""
        sample = 20.0 * self.enlarged

        def paint(painter: QPainter, rect: QRectF) -> None:
            for row, (draw, text) in enumerate(rows):
                if draw is not None:
                    line = QRectF(rect.left(), rect.top() + row * self.step, rect.width(), self.step)
                    draw(painter, QRectF(line.left(), line.center().y() - 6, sample, 12))
                    self.text(painter, self.ink.quiet, line.adjusted(sample + PAD, 0, 0, 0), text)

        return Entry(max(self.advance(text) for _, text in rows) + sample + PAD, 2 * self.step, paint, True)


def scale_length(longest: float) -> float:
    """The largest 1, 2 or 5 times a power of ten that is not above `longest` > 0."""
    power = 10.0 ** floor(log10(longest))
    return max(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power <= longest * (1.0 + 1e-9))


def line_sample(stroke: Stroke, *, arrow: bool = False) -> Sample:
    """A line, or an arrow, across the rectangle."""

    def draw(painter: QPainter, rect: QRectF) -> None:
        middle = rect.center()
        painter.setPen(round_pen(qcolor(stroke.color), stroke.width))
        lines = [QLineF(rect.left() + 1, middle.y(), rect.right() - 1, middle.y())]
        if arrow:
            tip = QPointF(rect.right() - 1, middle.y())
            lines += [QLineF(tip, QPointF(tip.x() - 5, tip.y() + side)) for side in (-4.0, 4.0)]
        painter.drawLines(*lines)

    return draw
