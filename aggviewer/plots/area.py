"""The drawing area of a plot: two axes and a view box."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PyQt6.QtWidgets import QGraphicsGridLayout, QSizePolicy

from aggviewer.plots.axes import LogAxis

_OVER_DATA = 0.5  # z value of an axis: above what is drawn at 0, as in pyqtgraph


class PlotArea(pg.GraphicsWidget):  # type: ignore[misc]
    """The bottom and left axes, and the view box with the items.

    It replaces `pyqtgraph.PlotItem`, which takes three times as long to create: that has two more axes, a title, a
    button and a menu of sixty widgets, none of which is used here.

    Parameters
    ----------
    x_log, y_log : whether an axis shows log10 of a quantity.
    """

    def __init__(self, x_log: bool, y_log: bool) -> None:
        super().__init__()
        self.items: list[Any] = []
        """The added items, in order."""
        self._axes = {"bottom": LogAxis("bottom"), "left": LogAxis("left")}
        self._box = pg.ViewBox(parent=self, enableMenu=False)
        self._box.disableAutoRange()  # the plot sets the range
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
        """Add an item to the view box."""
        self.items.append(item)
        self._box.addItem(item, ignoreBounds=True)

    def removeItem(self, item: Any) -> None:
        """Remove an item, if it is there."""
        if item in self.items:
            self.items.remove(item)
            self._box.removeItem(item)
