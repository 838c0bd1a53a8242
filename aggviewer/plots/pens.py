"""Pens and points of plots: a run has the same ones in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QPen

from aggviewer.plots.runs import Look
from aggviewer.plots.view import PlotView
from aggviewer.style.theme import Colors


class Pens:
    """What a plot draws with.

    Attributes
    ----------
    theme : the colours of the window.
    """

    theme: Colors
    broken: ClassVar[Sequence[float]] = (5.0, 3.0)
    """Dashes of a second variant, in widths of the line."""

    @property
    def view(self) -> PlotView:
        """Where it draws."""
        raise NotImplementedError

    def _pen(self, colour: str, width: float) -> QPen:
        """A pen of so many pixels as the person sees them: pyqtgraph's are of the screen's own pixels."""
        pen: QPen = pg.mkPen(colour, width=width * self.view.devicePixelRatioF())
        return pen

    def _line(self, look: Look, dashes: Sequence[float] | None = None) -> QPen:
        """The pen of a run's curve; `dashes` in units of its width, None for those of its variant."""
        pen = self._pen(look.colour, 2.0 if look.alone else 4.0 if look.first else 1.5)
        if dashes is None:
            dashes = self.broken if look.broken else ()
        if dashes:
            pen.setStyle(Qt.PenStyle.CustomDashLine)
            pen.setDashPattern(list(dashes))
        return pen

    def _law_pen(self, look: Look, width: float, dashes: Sequence[float] = ()) -> QPen:
        """The pen of a law or a fit beside a run's curve: in the colour of the text where the run is alone."""
        pen = self._pen(self.theme.text if look.alone else look.colour, width)
        if dashes:
            pen.setDashPattern(list(dashes))
        return pen

    def _points(self, item: pg.PlotDataItem, look: Look, size: float, ring: float) -> None:
        """The points of a run: filled, and rings in pixels of its own size for a second one on top of the first."""
        item.setSymbolSize(size if look.first else ring)
        item.setSymbolBrush(pg.mkBrush(look.colour if look.first else None))
        item.setSymbolPen(pg.mkPen(None) if look.first else self._pen(look.colour, 1.5))
