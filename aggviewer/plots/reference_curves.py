"""The curves of references in a plot: earlier runs, and means of studies with their standard errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

from aggviewer.plots.axes import log_or_gap
from aggviewer.plots.error_bars import error_items, has_bars, style_errors
from aggviewer.plots.reference_list import reference_colour, reference_pen
from aggviewer.plots.references import Curves, Reference
from aggviewer.plots.scaled import ScaledCurve
from aggviewer.plots.table import Column, Curve, drawn_points
from aggviewer.plots.view import Bounds, PlotView
from aggviewer.style.theme import Colors

_UNDER = -5  # the curves of the runs
_DOT = 4  # pixels
_WIDTH = 1.25

Columns = Mapping[str, tuple[Column, Column]]


class ReferenceCurves:
    """What one plot draws of the references.

    Parameters
    ----------
    plot : the name of its class.
    columns : its curves.
    view_of : where the curve of a field is drawn.
    """

    def __init__(self, plot: str, columns: Columns, view_of: Callable[[str], PlotView]) -> None:
        self._plot = plot
        self._columns = columns
        self._view_of = view_of
        self.lines: list[tuple[Reference, dict[str, pg.PlotDataItem]]] = []
        """The lines of each reference, by field."""
        self.errors: list[tuple[Reference, str, Any]] = []
        """What shows standard errors, with reference and field."""

    def show(self, references: Sequence[tuple[Reference, Curves]]) -> None:
        """Draw these, and no others."""
        for _, items in self.lines:
            for name, item in items.items():
                self._view_of(name).removeItem(item)
        for _, name, item in self.errors:
            self._view_of(name).removeItem(item)
        self.lines = [(one, self._lines_of(curves)) for one, curves in references]
        self.errors = [one for kept, curves in references for one in self._errors_of(kept, curves)]

    def set_visible(self, visible: bool) -> None:
        """Show or hide all of them."""
        for _, items in self.lines:
            for item in items.values():
                item.setVisible(visible)
        for _, _, item in self.errors:
            item.setVisible(visible)

    def style(self, theme: Colors, ratio: float) -> None:
        """Colours of a theme; ratio : pixels of the screen to one that a person sees."""
        for one, items in self.lines:
            pen, dot = reference_pen(one.slot, theme, _WIDTH * ratio), reference_colour(one.slot, theme)
            for name, item in items.items():
                item.setPen(pen)
                if has_bars(one.curves[self._plot][name]):  # a point alone among gaps has no line
                    item.setSymbol("o")
                    item.setSymbolSize(_DOT)
                    item.setSymbolPen(None)
                    item.setSymbolBrush(dot)
        for one, _, item in self.errors:
            style_errors(item, reference_colour(one.slot, theme), _WIDTH * ratio)

    def bounds(self, view: PlotView) -> list[Bounds]:
        """The ranges of the curves in a view."""
        found = []
        for _, items in self.lines:
            for name, item in items.items():
                x, y = item.getOriginalDataset()
                if self._view_of(name) is view and x is not None and np.isfinite(x).any() and np.isfinite(y).any():
                    found.append((float(np.nanmin(x)), float(np.nanmax(x)), float(np.nanmin(y)), float(np.nanmax(y))))
        return found

    def names(self) -> Iterator[Reference]:
        """The references that are drawn."""
        for one, _ in self.lines:
            yield one

    def curves(self, runs: Sequence[str]) -> Iterator[Curve]:
        """The curves for a table. runs : names of the runs beside them, which a reference may share."""
        for reference, kept in self.lines:
            for name, item in kept.items():
                across, up = self._columns[name]
                up = up._replace(name=f"{up.name} (reference)") if reference.name in runs else up
                yield Curve(across, up, reference.name, *drawn_points(item, self._view_of(name).logarithmic))

    def standard_errors(self) -> dict[str, NDArray[np.float64]]:
        """Standard errors for a table, by heading."""
        found = {}
        for kept, items in self.lines:
            for name in items:
                error, up = kept.curves[self._plot][name].error, self._columns[name][1]
                if error is not None:
                    found[f"{up.name}, standard error ({kept.name}) [{up.unit}]"] = error
        return found

    def _lines_of(self, curves: Curves) -> dict[str, pg.PlotDataItem]:
        """Lines for the curves of a reference that this plot has."""
        items = {}
        for name, (x, y, _) in curves.items():
            if name in self._columns:
                view = self._view_of(name)
                logs = zip((x, y), view.logarithmic, strict=True)
                points = [log_or_gap(values) if log else values for values, log in logs]
                steps = "center" if len(x) == len(y) + 1 else None
                items[name] = ScaledCurve(*points, stepMode=steps, connect="all" if steps else "finite")
                items[name].setZValue(_UNDER)
                view.addItem(items[name])
        return items

    def _errors_of(self, kept: Reference, curves: Curves) -> Iterator[tuple[Reference, str, Any]]:
        """What shows the standard errors of a reference that has any."""
        for name, points in curves.items():
            if name in self._columns and points.error is not None:
                view = self._view_of(name)
                for item in error_items(points, view.logarithmic):
                    item.setZValue(_UNDER - 1)
                    view.addItem(item)
                    yield kept, name, item
