"""What is drawn in a plot whose axes can be switched between a linear and a logarithmic scale.

Plots give data in their own coordinates: log10 of a quantity where the axis is logarithmic by itself (`Axes`). The
items here keep these, and show them on the scale that the person has chosen. Tables, fits and references read what was
given, so that nothing of them depends on the scale.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

FLOOR = -30.0
"""log10 of what is drawn in the place of 0 on a logarithmic axis, where something has to be drawn."""


@dataclass(frozen=True)
class Scale:
    """The scale of one axis. own : whether data are given as log10; shown : whether the axis is logarithmic now."""

    own: bool = False
    shown: bool = False

    def show(self, values: ArrayLike) -> Floats:
        """Data as they are given, in the coordinates of what is shown; nan where a logarithm does not exist."""
        given = np.asarray(values, np.float64)
        if self.own == self.shown:
            return given
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if self.own:
                return np.asarray(10.0**given)
            return np.where(given > 0.0, np.log10(np.where(given > 0.0, given, 1.0)), np.nan)

    def read(self, shown: float) -> float:
        """Data as they are given, from the coordinate of what is shown."""
        if self.own == self.shown:
            return shown
        return float(np.log10(shown)) if self.own else float(10.0**shown)

    def quantity(self, shown: float) -> float:
        """The quantity at a coordinate of what is shown."""
        return float(10.0**shown) if self.shown else shown

    def coordinate(self, quantity: float) -> float:
        """Where a quantity is shown; it is above 0 on a logarithmic axis."""
        return float(np.log10(quantity)) if self.shown else quantity


Scales = tuple[Scale, Scale]


class Scaled:
    """Base of items that follow the scales of their plot."""

    scales: Scales = (Scale(), Scale())

    def rescale(self, scales: Scales) -> None:
        """Show the same on these scales."""
        self.scales = scales
        self.place_anew()

    def place_anew(self) -> None:
        """Draw what was given, by `scales`."""
        raise NotImplementedError


class ScaledCurve(Scaled, pg.PlotDataItem):  # type: ignore[misc]
    """A curve, points or the steps of a histogram. `getOriginalDataset` is what was given."""

    def __init__(self, *given: Any, **options: Any) -> None:
        self._given: tuple[Floats, Floats] | tuple[None, None] = (None, None)
        self._fill: float | None = options.get("fillLevel")
        super().__init__(*given, **options)

    def setData(self, *given: Any, **options: Any) -> None:
        """As in the base, with x and y, each by its place or by its name."""
        x, y = given if given else (options.pop("x", None), options.pop("y", None))
        if x is None or y is None or not len(y):
            self._given = (None, None)
            super().setData([], [], **options)
            return
        self._given = (np.asarray(x, np.float64), np.asarray(y, np.float64))
        super().setData(*self._shown(), **options)

    def getOriginalDataset(self) -> tuple[Floats, Floats] | tuple[None, None]:
        """What was given, whatever the scale."""
        return self._given

    def setFillLevel(self, level: float | None) -> None:
        """As in the base; `level` is given as data are."""
        self._fill = level
        super().setFillLevel(None if level is None else self._level(level))

    def place_anew(self) -> None:
        """See `Scaled.place_anew`."""
        super().setData(*(([], []) if self._given[0] is None else self._shown()))
        super().setFillLevel(None if self._fill is None else self._level(self._fill))

    def _level(self, level: float) -> float:
        shown = float(self.scales[1].show(level))
        return shown if np.isfinite(shown) else FLOOR

    def _shown(self) -> tuple[Floats, Floats]:
        assert self._given[0] is not None
        x, y = self.scales[0].show(self._given[0]), self.scales[1].show(self._given[1])
        steps = len(x) == len(y) + 1
        # steps have no gaps: an empty one reaches below the plot
        return (x, np.nan_to_num(y, nan=FLOOR)) if steps else (x, y)


class ScaledLine(Scaled, pg.InfiniteLine):  # type: ignore[misc]
    """A line at a value, level or upright."""

    def __init__(self, at: float, angle: float = 0.0) -> None:
        self._at = at
        super().__init__(at, angle)

    def setPos(self, at: Any) -> None:
        """As in the base, with one number, given as data are."""
        if isinstance(at, int | float):
            self._at = float(at)
            shown = float(self.scales[0 if self.angle == 90 else 1].show(at))
            at = shown if np.isfinite(shown) else FLOOR
        super().setPos(at)

    def place_anew(self) -> None:
        """See `Scaled.place_anew`."""
        self.setPos(self._at)


class ScaledLabel(Scaled, pg.TextItem):  # type: ignore[misc]
    """A text at a place; its ``setPos`` takes x and y, given as data are."""

    _place = (0.0, 0.0)

    def setPos(self, *place: float) -> None:
        """As in the base."""
        if len(place) == 2:
            self._place = place
            super().setPos(*(float(scale.show(at)) for scale, at in zip(self.scales, place, strict=True)))
        else:
            super().setPos(*place)

    def place_anew(self) -> None:
        """See `Scaled.place_anew`."""
        self.setPos(*self._place)


def own(x_log: bool, y_log: bool) -> Scales:
    """The scales of axes that are shown as data are given."""
    return Scale(x_log, x_log), Scale(y_log, y_log)


def chosen(scales: Scales, axis: int, logarithmic: bool) -> Scales:
    """The same with another scale for an axis, 0 for x and 1 for y."""
    x, y = scales
    return (replace(x, shown=logarithmic), y) if axis == 0 else (x, replace(y, shown=logarithmic))
