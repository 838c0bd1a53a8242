"""Power laws fitted to the curves of a plot, for all runs over one range: which curves, lines, numbers and columns. No
Qt.

The points of one run are mostly correlated, so their scatter about the line gives no valid error of the exponent; runs
with other seeds do (`PlotStudy`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from aggviewer.plots.axes import value_text
from aggviewer.plots.drawing import LAW, PlotDrawing, PlotQuantity, PlotSeries, TableCurve, number_with
from engine.arrays import Floats
from engine.power_laws import Power, last_decades, power_of_exact, power_through
from engine.power_laws import Range as Range
from engine.words import count, typeset


@dataclass(frozen=True)
class Slope:
    """A curve with an exponent.

    Parameters
    ----------
    field : the key of the series.
    symbol : of the exponent, in rich text.
    name : the same in plain text, for tables.
    sign : -1 for an exponent that is given with the opposite sign.
    exact_y : whether only x scatters (`engine.power_laws.power_of_exact`). Then the points are independent, such as
        clusters, and the exponent has an error.
    """

    field: str
    symbol: str
    name: str
    sign: float = 1.0
    exact_y: bool = False

    def law(self, x: Floats, y: Floats, within: Range) -> Power | None:
        """The law through points x, y (K,) in this range of x."""
        return (power_of_exact if self.exact_y else power_through)(x, y, within)


@dataclass(frozen=True)
class PowerFit:
    """Declares that curves of a plot on two logarithmic axes are fitted by powers of x, see `Plot.power_fit`.

    Parameters
    ----------
    slopes : the curves.
    low : least x of the default fit range, None for the first point.
    decades : greatest length of the default range before the last point; None for all points.
    always : whether the exponent is shown even if its range is neither chosen nor shown.
    """

    slopes: tuple[Slope, ...] = ()
    low: float | None = None
    decades: float | None = None
    always: bool = True

    def usual_range(self, x: NDArray[np.float64]) -> Range | None:
        """The default range for points at x (K,), None if there is none."""
        return last_decades(x, inf if self.decades is None else self.decades, self.low)


def exponent_text(exponent: float) -> str:
    """A fitted exponent as text: ``1.795``."""
    return typeset(exponent, f".{_DIGITS}f")


_BENT = 60  # points of a power law's line on linear axes


@dataclass(frozen=True)
class Fits:
    """The results of the fits of a plot.

    Parameters
    ----------
    fit : which curves are fitted.
    range : of x; None if there is nothing to fit.
    found : for each run, a law or None for each of the slopes.
    """

    fit: PowerFit
    range: Range | None = None
    found: Sequence[Sequence[Power | None]] = ()

    @property
    def any(self) -> bool:
        """Whether any power law could be fitted."""
        return any(one is not None for found in self.found for one in found)

    def series(self, run: int, *, straight: bool) -> Iterator[PlotSeries]:
        """The fitted lines of a run. straight : both axes are logarithmic, so two points are enough."""
        for slope, one in zip(self.fit.slopes, self.found[run], strict=True):
            if one is not None and self.range is not None:
                x = np.geomspace(*self.range, 2 if straight else _BENT)
                yield PlotSeries(f"fit of {slope.field}", x, one.amplitude * x**one.exponent, role=LAW)

    def values(self, run: int, *, short: bool) -> dict[str, str]:
        """Exponents by symbol, with the number of points unless `short`; rich text for the plot's corner."""
        told = {}
        for slope, one in zip(self.fit.slopes, self.found[run], strict=True):
            if one is not None:
                value = slope.sign * one.exponent
                words = number_with(one.error if slope.exact_y else None, value, exponent_text(value))
                told[slope.symbol] = words if short else f"{words}</b> <small>({points_in_words(one.count)})</small><b>"
        return told

    def range_in_words(self) -> str:
        """The range of x over which the laws are fitted, as text."""
        return "" if self.range is None else " … ".join(map(value_text, self.range))

    def curves(
        self, columns: dict[str, tuple[PlotQuantity, PlotQuantity]], runs: Sequence[str], *, straight: bool
    ) -> Iterator[TableCurve]:
        """The fitted lines as table columns. runs : names, empty for a single run."""
        for number, run in enumerate(runs):
            lines = {line.key: line for line in self.series(number, straight=straight)}
            for slope in self.fit.slopes:
                across, up = columns[slope.field]
                line = lines.get(f"fit of {slope.field}")
                if line is not None:
                    named = up._replace(name=f"{up.name} by the fit of {slope.name}")
                    yield TableCurve(across, named, run, line.x, line.y)

    def numbers(self, columns: dict[str, tuple[PlotQuantity, PlotQuantity]], runs: Sequence[str]) -> dict[str, Floats]:
        """Exponents, numbers of points and range as table columns with single values, (1,), by heading."""
        table: dict[str, Floats] = {}
        if self.range is None:
            return table
        for found, run in zip(self.found, runs, strict=True):
            of = f" ({run})" if run else ""
            for slope, one in zip(self.fit.slopes, found, strict=True):
                if one is not None:
                    across = columns[slope.field][0]
                    table[f"{slope.name}{of} [1]"] = np.array([slope.sign * one.exponent])
                    if slope.exact_y:
                        table[f"{slope.name} standard error{of} [1]"] = np.array([one.error])
                    table[f"{slope.name} points{of} [1]"] = np.array([float(one.count)])
                    table[f"fit from {across.name} [{across.unit}]"] = np.array([self.range[0]])
                    table[f"fit to {across.name} [{across.unit}]"] = np.array([self.range[1]])
        return table


def fit_all(fit: PowerFit, drawings: Sequence[PlotDrawing | None], chosen: Range | None) -> Fits:
    """Fit the curves of all runs. chosen : the user's range, None for the default one."""
    points: list[list[tuple[Floats, Floats]]] = []
    for one in drawings:
        curves = [] if one is None or not (one.has_data and one.fitted) else [one.find(s.field) for s in fit.slopes]
        points.append([(np.empty(0), np.empty(0)) if curve is None else (curve.x, curve.y) for curve in curves])
    xs = [x for curves_of_run in points for x, _ in curves_of_run]
    within = chosen or (fit.usual_range(np.concatenate(xs)) if xs else None)
    nothing = [None] * len(fit.slopes)
    found = [
        [slope.law(x, y, within) for slope, (x, y) in zip(fit.slopes, curves_of_run, strict=True)]
        if curves_of_run and within
        else nothing
        for curves_of_run in points
    ]
    return Fits(fit, within, found)


def points_in_words(number: int) -> str:
    """A number of points as text: ``7 points``, without a line break."""
    return f"{count(number)}\u00a0point{'' if number == 1 else 's'}"


_DIGITS = 3  # decimals of an exponent
