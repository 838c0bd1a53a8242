"""Plots of the window as panels of a figure for print, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from aggviewer.export.figure import Page
from aggviewer.export.sheet import Sheet
from aggviewer.plots.card import PlotCard
from aggviewer.plots.page import PagePane, draw_panes
from aggviewer.style.theme import LIGHT

PAPER = replace(LIGHT, window="#ffffff")
"""The colours of plots on paper."""

_TWO_PANES = 1.6  # height of two stacked panes relative to one


@dataclass(frozen=True)
class PlotPanel:
    """A plot of the window as a panel of a figure: plain data that any thread can draw.

    Parameters
    ----------
    panes : the upper one first.
    """

    panes: Sequence[PagePane]

    @classmethod
    def of(cls, card: PlotCard, *, numbers: bool = True) -> Self:
        """The panel of a plot, with ranges, scales, fits and references as in the window. On the GUI thread, after its
        indicators have been measured.

        Parameters
        ----------
        card : the plot; it may be hidden or folded.
        numbers : whether the numbers in its corner are included.
        """
        card.draw_known()
        return cls(card.page(PAPER, numbers=numbers))

    def height(self, width: float, page: Page) -> float:
        """All plots of a page have the same shape, except that two stacked panes are higher."""
        return width * page.ratio * (1.0 if len(self.panes) == 1 else _TWO_PANES)

    def draw(self, sheet: Sheet, names: str) -> None:
        """Draw its panes."""
        draw_panes(self.panes, sheet, PAPER, names)
