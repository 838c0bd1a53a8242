"""Pages of matplotlib, which is imported on use: a place on them in pixels of a layout, and how they are written."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOTS_PER_INCH = 96  # pixels of a picture in a file
POINTS_PER_PIXEL = 72.0 / DOTS_PER_INCH

MATPLOTLIB = threading.RLock()
"""Held by whoever draws or writes a page: matplotlib's fonts, formulas and settings are for one thread at a time."""


@dataclass(frozen=True)
class Sheet:
    """A rectangle on a page. Its unit is a pixel of the layout, counted from its upper left corner downwards.

    Parameters
    ----------
    figure : the page.
    size : width and height of the page.
    left, top, width, height : of the rectangle on the page.
    unit : points of the page for a pixel of the layout.
    dots : pixels of an image of the page for a pixel of the layout; None if the page has vectors.
    """

    figure: Figure
    size: tuple[float, float]
    left: float
    top: float
    width: float
    height: float
    unit: float
    dots: float | None = None

    @staticmethod
    def whole(width: float, height: float, unit: float = POINTS_PER_PIXEL, dots: float | None = None) -> Sheet:
        """A new page of so many pixels of the layout, with nothing on it."""
        from matplotlib.figure import Figure

        inches = width * unit / 72.0, height * unit / 72.0
        dpi = 72.0 if dots is None else 72.0 * dots / unit
        return Sheet(Figure(inches, dpi=dpi, facecolor="none"), (width, height), 0.0, 0.0, width, height, unit, dots)

    def part(self, left: float, top: float, width: float, height: float) -> Sheet:
        """A rectangle of this one."""
        return replace(self, left=self.left + left, top=self.top + top, width=width, height=height)

    def axes(self, name: str = "") -> Axes:
        """Transparent axes over the rectangle. name : of the group in an SVG."""
        across, down = self.size
        place = self.left / across, 1.0 - (self.top + self.height) / down, self.width / across, self.height / down
        found = self.figure.add_axes(place, label=f"{name} {len(self.figure.axes)}", facecolor="none")
        found.set_gid(name)
        return found

    def drawing_area(self, name: str) -> Axes:
        """Axes over the rectangle without anything of their own, whose units are pixels of the layout."""
        found = self.axes(name)
        found.set_axis_off()
        found.set_xlim(0.0, self.width)
        found.set_ylim(self.height, 0.0)
        return found


@contextmanager
def same_text() -> Iterator[None]:
    """Have matplotlib write text as text, in the font of the program where it has that, and the same page as the same
    bytes."""
    from matplotlib import font_manager, rc_context, rcParams
    from PyQt6.QtGui import QFont, QFontInfo

    family = QFontInfo(QFont()).family()
    known = [family] if family in font_manager.get_font_names() else []  # it would warn of one that it does not find
    fonts = [*known, *rcParams["font.sans-serif"]]
    usual = {"svg.fonttype": "none", "svg.hashsalt": "aggviewer", "pdf.fonttype": 42, "font.sans-serif": fonts}
    with rc_context(usual):
        yield


def write_page(figure: Figure, path: Path, kind: str) -> None:
    """Write a page. kind : ``svg``, ``pdf`` or ``png``. OSError if it cannot be written."""
    undated = {_DATES[kind]: None} if kind in _DATES else {}
    with same_text():
        figure.savefig(path, format=kind, dpi=_IMAGE_DPI, metadata={"Creator": "aggviewer"} | undated)


_IMAGE_DPI = 200.0  # of an image, and of images in a file of vectors
_DATES = {"svg": "Date", "pdf": "CreationDate"}
