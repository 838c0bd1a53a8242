"""Where time, scale bar and legend stand: side by side below the discs, never on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

from PyQt6.QtCore import QRectF
from PyQt6.QtGui import QPainter

EDGE = 16.0  # pixels between an entry and the edge of the picture
_OVER, _UNDER = 8.0, 8.0  # pixels over and under a row
_BETWEEN = 20.0  # pixels from entry to entry
_MOST_SHARE = 0.4  # of the height of the picture: a tiny one has no strip


@dataclass(frozen=True)
class Entry:
    """One part of the strip: its size in pixels, how it is painted into its rectangle, and on which side it stands."""

    width: float
    height: float
    paint: Callable[[QPainter, QRectF], None]
    right: bool = False


def rows_of(entries: Sequence[Entry], width: float) -> list[list[Entry]]:
    """The entries in as few rows as the width of the picture allows."""
    rows: list[list[Entry]] = []
    taken = 0.0
    for entry in entries:
        if rows and taken + _BETWEEN + entry.width <= width - 2 * EDGE:
            rows[-1].append(entry)
            taken += _BETWEEN + entry.width
        else:
            rows.append([entry])
            taken = entry.width
    return rows


def strip_height(entries: Sequence[Entry], width: float, height: float) -> float:
    """Of the strip in a picture of that size, 0 where there is none."""
    rows = rows_of(entries, width)
    total = sum(_OVER + max(entry.height for entry in row) for row in rows) + (_UNDER if rows else 0.0)
    return total if total <= _MOST_SHARE * height else 0.0


def places(entries: Sequence[Entry], width: float, height: float) -> list[tuple[Entry, QRectF]]:
    """The rectangle of each entry; those of the right side end at the right edge. Nothing without a strip."""
    strip = strip_height(entries, width, height)
    if not strip:
        return []
    found = []
    top = height - strip
    for row in rows_of(entries, width):
        tall = max(entry.height for entry in row)
        left, right = EDGE, width - EDGE
        for entry in (entry for entry in row if not entry.right):
            found.append((entry, _in_row(entry, left, top, tall)))
            left += entry.width + _BETWEEN
        for entry in reversed([entry for entry in row if entry.right]):
            right -= entry.width
            found.append((entry, _in_row(entry, right, top, tall)))
            right -= _BETWEEN
        top += _OVER + tall
    return found


def _in_row(entry: Entry, left: float, top: float, tall: float) -> QRectF:
    """In the middle of the row; on whole pixels, so that lines and letters are sharp."""
    return QRectF(round(left), round(top + _OVER + (tall - entry.height) / 2), ceil(entry.width), ceil(entry.height))
