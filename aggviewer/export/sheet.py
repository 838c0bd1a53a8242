"""Pages of matplotlib (imported on use): rectangles in pixels of a layout, and writing the pages."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOTS_PER_INCH = 96  # of a picture in a file
LEAST_LINE = 0.25  # width in points that every line has at least: what printers draw
POINTS_PER_PIXEL = 72.0 / DOTS_PER_INCH

MATPLOTLIB = threading.RLock()
"""Held while a page is drawn or written: matplotlib's fonts, formulas and settings are not thread-safe."""


@dataclass(frozen=True)
class Sheet:
    """A rectangle on a page. Its unit is a pixel of the layout, measured from the upper left corner, y down.

    Parameters
    ----------
    figure : the page.
    size : width and height of the page.
    left, top, width, height : the rectangle on the page.
    unit : points of the page per pixel of the layout.
    dots : pixels of the page's image per pixel of the layout; None for vector pages.
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
        """A new empty page of this many pixels of the layout."""
        from matplotlib.figure import Figure

        inches = width * unit / 72.0, height * unit / 72.0
        dpi = 72.0 if dots is None else 72.0 * dots / unit
        return Sheet(Figure(inches, dpi=dpi, facecolor="none"), (width, height), 0.0, 0.0, width, height, unit, dots)

    def part(self, left: float, top: float, width: float, height: float) -> Sheet:
        """A rectangle of this page, as a sheet of its own; lengths in pixels."""
        return replace(self, left=self.left + left, top=self.top + top, width=width, height=height)

    @property
    def place(self) -> tuple[float, float, float, float]:
        """Left, bottom, width and height as shares of the page."""
        across, down = self.size
        return self.left / across, 1.0 - (self.top + self.height) / down, self.width / across, self.height / down

    def axes(self, name: str = "") -> Axes:
        """Transparent axes over the rectangle. name : of the group in an SVG."""
        found = self.figure.add_axes(self.place, label=f"{name} {len(self.figure.axes)}", facecolor="none")
        found.set_gid(name)
        return found

    def drawing_area(self, name: str) -> Axes:
        """Invisible axes over the rectangle, whose units are pixels of the layout."""
        found = self.axes(name)
        found.set_axis_off()
        found.set_xlim(0.0, self.width)
        found.set_ylim(self.height, 0.0)
        return found


@contextmanager
def same_text() -> Iterator[None]:
    """Let matplotlib write text as text, in the program's font if available, and reproduce the same page byte by
    byte."""
    from matplotlib import font_manager, rc_context, rcParams
    from PyQt6.QtGui import QFont, QFontInfo

    family = QFontInfo(QFont()).family()
    known = [family] if family in font_manager.get_font_names() else []  # it would warn about missing fonts
    fonts = [*known, *rcParams["font.sans-serif"]]
    usual = {"svg.fonttype": "none", "svg.hashsalt": "aggviewer", "pdf.fonttype": 42, "font.sans-serif": fonts}
    with rc_context(usual):
        yield


def write_page(figure: Figure, path: Path, kind: str, title: str) -> None:
    """Write a page. kind : ``svg``, ``pdf`` or ``png``; title : in its metadata. OSError if it cannot be written."""
    about = {"Title": title, "Creator": f"aggviewer {__version__}"} | ({_DATES[kind]: None} if kind in _DATES else {})
    with same_text():
        figure.savefig(path, format=kind, dpi=_IMAGE_DPI, metadata=about)


_IMAGE_DPI = 200.0  # of an image, and of images in a vector file
_DATES = {"svg": "Date", "pdf": "CreationDate"}
