"""Two axes and the area between them, in which a plot draws."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PyQt6.QtWidgets import QGraphicsGridLayout, QSizePolicy

from aggviewer.plots.axes import LogAxis

_OVER_DATA = 0.5  # z of an axis: over what is drawn at 0, as in pyqtgraph


class PlotArea(pg.GraphicsWidget):  # type: ignore[misc]
    """The axes below and on the left, and the view box with the items.

    It stands in place of `pyqtgraph.PlotItem`, which takes three times as long to be made: that one has two more axes,
    a title, a button and a menu of sixty widgets, and nobody would see any of them.

    Parameters
    ----------
    x_log, y_log : whether an axis shows log10 of a quantity.
    """

    def __init__(self, x_log: bool, y_log: bool) -> None:
        super().__init__()
        self.items: list[Any] = []
        """What was added, in that order."""
        self._axes = {"bottom": LogAxis("bottom"), "left": LogAxis("left")}
        self._box = pg.ViewBox(parent=self, enableMenu=False)
        self._box.disableAutoRange()  # the plot says what is shown
        grid = QGraphicsGridLayout()
        grid.setHorizontalSpacing(0)
        grid.setVerticalSpacing(0)
        grid.addItem(self._box, 0, 1)
        for axis, log, place in zip(self._axes.values(), (x_log, y_log), ((1, 1), (0, 0)), strict=True):
            axis.set_log(log)
            axis.linkToView(self._box)
            axis.setZValue(_OVER_DATA)
            axis.setFlag(self.GraphicsItemFlag.ItemNegativeZStacksBehindParent)
            grid.addItem(axis, *place)
        self.setLayout(grid)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def getViewBox(self) -> Any:
        """The view box, a `pyqtgraph.ViewBox`."""
        return self._box

    def getAxis(self, name: str) -> LogAxis:
        """The axis ``"bottom"`` or ``"left"``."""
        return self._axes[name]

    def addItem(self, item: Any) -> None:
        """One more item in the view box."""
        self.items.append(item)
        self._box.addItem(item, ignoreBounds=True)

    def removeItem(self, item: Any) -> None:
        """Take an item away; nothing for one that is not there."""
        if item in self.items:
            self.items.remove(item)
            self._box.removeItem(item)
