"""A plot of a single drawing outside the panel, such as that of a study; and helpers for plots against the values of a
parameter."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isfinite, log10
from typing import Any

import numpy as np
from PyQt6.QtWidgets import QWidget

from aggviewer.plots.axes import log_or_gap
from aggviewer.plots.drawing import Axes, Floats, PlotDrawing, PlotSeries, Ticks
from aggviewer.plots.series_style import SeriesStyle, ShownSeries, style_of
from aggviewer.plots.view import PlotView
from aggviewer.style.theme import Colors

_MARGIN = 0.06  # of a range, free at its ends


class DrawingView(PlotView):
    """Shows one drawing, later series above earlier ones. It is empty until `show_drawing`, and without colours until
    `set_theme`."""

    def __init__(self, axes: Axes, parent: QWidget | None = None) -> None:
        super().__init__(axes, parent)
        self.drawing = PlotDrawing()
        self._colors: Colors | None = None

    def set_theme(self, theme: Colors) -> None:
        """Follow the theme."""
        super().set_theme(theme)
        self._colors = theme
        self._show()

    def show_drawing(self, drawing: PlotDrawing) -> None:
        """Show another drawing."""
        self.drawing = drawing
        if drawing.panes[0].bounds is not None:
            self.set_bounds(drawing.panes[0].bounds)
        self._show()

    def _show(self) -> None:
        if self._colors is not None:
            series = enumerate(self.drawing.series)
            self.show_series([ShownSeries(one.key, one, self.style(one, self._colors), z) for z, one in series])

    def style(self, series: PlotSeries, colors: Colors) -> SeriesStyle:
        """The style of a series: that of its role, unless a subclass has its own colours."""
        return style_of(series, colors)


def places_of(values: Sequence[Any]) -> tuple[Floats, Ticks | None]:
    """The places of parameter values on an axis, (n,): numbers at their value; words at 0, 1, 2…, with a tick each."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return np.array(values, np.float64), None
    return np.arange(len(values), dtype=np.float64), Ticks([(float(k), str(value)) for k, value in enumerate(values)])


def round_range(values: Floats, log: bool) -> tuple[float, float]:
    """A range around all numbers, with a margin and round limits, so that it is stable while numbers arrive. log : for
    a logarithmic axis, on which only numbers above 0 count."""
    shown = log_or_gap(values) if log else values
    found = shown[np.isfinite(shown)]
    low, high = (float(found.min()), float(found.max())) if len(found) else (0.0, 1.0)
    if len(found):
        span = high - low
        if not (span > 0.0 and isfinite(span)):
            span = abs(low) or 1.0
        step = 10.0 ** floor(log10(span)) / 4.0
        low = floor((low - _MARGIN * span) / step) * step
        high = -floor(-(high + _MARGIN * span) / step) * step
    return (10.0**low, 10.0**high) if log else (low, high)
