"""The layout of pictures, their names and plots in the frames of a film."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from aggviewer.canvas.picture import magnification
from engine.errors import InputError

PlotsAt = Literal["right", "below"]
PLACES: tuple[PlotsAt, ...] = ("right", "below")
"""Where plots can be, relative to the picture."""

_SHARE, _MOST = 0.36, 0.5  # share of the width or height for plots, and the most
_LEAST_WIDTH, _LEAST_HEIGHT = 230.0, 160.0  # of a readable plot, in pixels of a film with default text size
_NAME = 30.0  # pixels, height of the line with the name of a run, over its picture


class FilmArea(NamedTuple):
    """A part of a frame, in pixels from the upper left corner."""

    left: int
    top: int
    width: int
    height: int

    @property
    def area(self) -> tuple[slice, slice]:
        """The area as an index of an image (H, W, 4)."""
        return slice(self.top, self.top + self.height), slice(self.left, self.left + self.width)


@dataclass(frozen=True)
class FilmLayout:
    """The layout of a frame.

    Parameters
    ----------
    pictures : of each run, side by side.
    names : the lines over them; none for one run.
    plots : of each plot, row by row.
    ratio : text size relative to that in a window.
    """

    pictures: tuple[FilmArea, ...]
    names: tuple[FilmArea, ...]
    plots: tuple[FilmArea, ...]
    ratio: float

    @staticmethod
    def of(size: tuple[int, int], runs: int = 1, plots: int = 0, at: PlotsAt = "right") -> FilmLayout:
        """Divide a frame. InputError if the plots do not fit."""
        width, height = size
        ratio = magnification(width, height)
        found = _plots(size, plots, at, ratio) if plots else ()
        across = min((place.left for place in found), default=width) if at == "right" else width
        down = min((place.top for place in found), default=height) if at == "below" else height
        line = round(_NAME * ratio) if runs > 1 else 0
        edges = [across * run // runs for run in range(runs + 1)]
        sides = [(left, right - left) for left, right in pairwise(edges)]
        return FilmLayout(
            tuple(FilmArea(left, line, wide, down - line) for left, wide in sides),
            tuple(FilmArea(left, 0, wide, line) for left, wide in sides) if runs > 1 else (),
            found,
            ratio,
        )


def _plots(size: tuple[int, int], count: int, at: PlotsAt, ratio: float) -> tuple[FilmArea, ...]:
    """The areas of the plots: in one row or column, or in two if they would be too small."""
    width, height = size
    long, across = (height, width) if at == "right" else (width, height)
    least_long, least_across = _LEAST_HEIGHT * ratio, _LEAST_WIDTH * ratio
    if at == "below":
        least_long, least_across = least_across, least_long
    for lines in (1, 2):
        share = max(_SHARE * across, lines * least_across)
        each = -(-count // lines)
        if share <= _MOST * across and long / each >= least_long:
            return tuple(_cells(size, count, at, lines, each, round(share)))
    raise InputError(
        f"{count} plot{' does' if count == 1 else 's do'} not fit {_words(at)} the picture in a film of {width} ×"
        f" {height} pixels; choose fewer plots or a larger film",
        "plots",
    )


def _cells(size: tuple[int, int], count: int, at: PlotsAt, lines: int, each: int, share: int) -> list[FilmArea]:
    width, height = size
    columns, rows = (lines, each) if at == "right" else (each, lines)
    left, top = (width - share, 0) if at == "right" else (0, height - share)
    xs = [left + (width - left) * column // columns for column in range(columns + 1)]
    ys = [top + (height - top) * row // rows for row in range(rows + 1)]
    return [
        FilmArea(xs[number % columns], ys[number // columns], xs[number % columns + 1] - xs[number % columns],
              ys[number // columns + 1] - ys[number // columns])
        for number in range(count)
    ]  # fmt: skip


def _words(at: PlotsAt) -> str:
    return "beside" if at == "right" else "below"
