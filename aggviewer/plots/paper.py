"""Plots of the window as panels of a figure for print: their drawings by matplotlib."""

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

_TWO_PANES = 1.6  # height of two panes over each other, over that of one


@dataclass(frozen=True)
class PlotPanel:
    """A plot of the window as a panel of a figure; data alone, which any thread draws.

    Parameters
    ----------
    panes : what it shows, the upper one first.
    """

    panes: Sequence[PagePane]

    @classmethod
    def of(cls, card: PlotCard, *, numbers: bool = True) -> Self:
        """A plot with ranges, scales, fits and references as they are in the window, on the GUI thread. What it draws
        has been measured before, else it shows less.

        Parameters
        ----------
        card : the plot; it may be hidden or folded.
        numbers : whether the numbers in its corner are in the figure.
        """
        card.draw_known()
        return cls(card.page(PAPER, numbers=numbers))

    def height(self, width: float, page: Page) -> float:
        """Every plot of a page has the same shape; two panes that stand over each other are together higher."""
        return width * page.ratio * (1.0 if len(self.panes) == 1 else _TWO_PANES)

    def draw(self, sheet: Sheet, names: str) -> None:
        """Draw its panes."""
        draw_panes(self.panes, sheet, PAPER, names)
