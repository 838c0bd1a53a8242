"""Plots of the window as panels of a figure for print: their drawings by matplotlib, as parts of a vector picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QRectF
from PyQt6.QtGui import QPainter

from aggviewer.export.figure import Page
from aggviewer.export.parts import PicturePart
from aggviewer.plots.card import PlotCard
from aggviewer.plots.page import DrawnPane, draw_panes
from aggviewer.style.theme import LIGHT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = replace(LIGHT, window="#ffffff")
"""The colours of plots on paper."""

_TWO_PANES = 1.6  # height of two panes over each other, over that of one


@dataclass(frozen=True)
class PlotPanel:
    """A plot of the window as a panel of a figure, with ranges, scales, fits and references as they are there. What it
    draws has been measured before, else it shows less.

    Parameters
    ----------
    card : the plot; it may be hidden or folded.
    numbers : whether the numbers in its corner are in the figure.
    """

    card: PlotCard
    numbers: bool = True

    def height(self, width: float, page: Page) -> float:
        """Every plot of a page has the same shape; two panes that stand over each other are together higher."""
        panes = len(self.card.views) if self.card.shows_data else 1
        return width * page.ratio * (1.0 if panes == 1 else _TWO_PANES)

    @contextmanager
    def parts(self, width: int, height: int, scale: float, enlarged: float | None) -> Iterator[Iterable[PicturePart]]:
        """Vectors, also in an image."""
        self.card.draw_known()
        figure, panes = draw_panes(self.card.page(PAPER, numbers=self.numbers), width, height, PAPER)
        yield list(_parts(figure, panes, height))


def _parts(figure: Figure, panes: Sequence[DrawnPane], height: float) -> Iterator[PicturePart]:
    """Of each pane the axes, the data, cut at the axes, and the numbers."""
    for number, pane in enumerate(panes):
        others = [one for other in panes if other is not pane for one in (other.pad,)]
        box = pane.pad.bbox
        frame = QRectF(box.x0, height - box.y1, box.width, box.height)
        axes = [pane.pad.xaxis, pane.pad.yaxis, *pane.pad.spines.values()]
        everything = [*axes, *pane.data, *pane.numbers, *others]
        yield PicturePart(f"axes-{number}", partial(_paint, figure, axes, everything))
        yield PicturePart(f"data-{number}", partial(_paint, figure, pane.data, everything), frame)
        yield PicturePart(f"texts-{number}", partial(_paint, figure, pane.numbers, everything))


def _paint(figure: Figure, artists: Sequence[Any], among: Sequence[Any], page: QPainter) -> None:
    from aggviewer.export.painter_page import only, paint_figure

    with only(artists, among):
        paint_figure(page, figure)
