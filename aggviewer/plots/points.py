"""The points of a plot that the mouse reads, and that a click meets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF

_SNAP, _HIT = 40.0, 12.0  # pixels within which the mouse reads a data point, and a click meets it
_NONE: NDArray[np.float64] = np.empty(0)


class PlotPoints:
    """x, y : (N,) in plot coordinates, may hold nan; clickable : (N,) which of them a click can meet, None: none.

    A place is asked for with the size of a pixel, both in plot coordinates.
    """

    def __init__(
        self,
        x: NDArray[np.float64] = _NONE,
        y: NDArray[np.float64] = _NONE,
        clickable: NDArray[np.bool_] | None = None,
    ) -> None:
        self.x = x
        self.y = y
        self._clickable = clickable

    def read(self, at: QPointF, pixel: tuple[float, float]) -> int | None:
        """The point that the mouse reads there."""
        return self._nearest(at, pixel, _SNAP)

    def hit(self, at: QPointF, pixel: tuple[float, float]) -> int | None:
        """The point that a click meets there."""
        return None if self._clickable is None else self._nearest(at, pixel, _HIT, self._clickable)

    def _nearest(
        self, at: QPointF, pixel: tuple[float, float], within: float, only: NDArray[np.bool_] | None = None
    ) -> int | None:
        """The nearest point, at most so many pixels away; of those in `only`."""
        wide, high = pixel
        if not (len(self.x) and wide > 0 and high > 0):
            return None
        dx, dy = (self.x - at.x()) / wide, (self.y - at.y()) / high
        distance = dx * dx + dy * dy
        if only is not None:
            distance = np.where(only, distance, np.nan)
        if not np.isfinite(distance).any():
            return None
        index = int(np.nanargmin(distance))
        return index if distance[index] <= within**2 else None
