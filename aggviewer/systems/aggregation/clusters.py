"""Plots of clusters: how many there are of each size, how that scales, and how dense the largest one is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtGui import QColor

from aggviewer.plots.axes import log_or_gap, nice_above, nice_below, value_text
from aggviewer.plots.drawn import Drawn
from aggviewer.plots.error_bars import Errors, of_counts
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import Look
from aggviewer.plots.scaled import ScaledCurve
from aggviewer.plots.shapes import CurveData, CurveItems, CurvePlot
from aggviewer.plots.slopes import PowerFit, Slope
from aggviewer.plots.table import Column, Curve
from aggviewer.plots.view import Axes
from aggviewer.session.data import Analysis
from aggviewer.style.theme import Colors
from aggviewer.systems.aggregation.analysis import EARLIER, SizesAt

if TYPE_CHECKING:
    from engine.analysis import ClusterSizeDistribution

_MARGIN = 0.1  # decades that the range keeps free around the data
_PALE = (70, 160)  # alpha of the earliest and of the latest of the earlier curves

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sizes:
    """The distribution now, and at some earlier times of the run, the oldest first."""

    now: ClusterSizeDistribution
    earlier: tuple[SizesAt, ...]


class SizesItems(NamedTuple):
    """What one run consists of, in the order in which it is painted."""

    earlier: list[pg.PlotDataItem]
    curve: pg.PlotDataItem


class SizesPlot(Plot):
    """Base: a distribution of cluster sizes on two logarithmic axes, now and at earlier times."""

    symbol = ""
    """Of y, for the point under the mouse."""
    axes = Axes("", "")
    folded_at_first = True
    indicators = frozenset({"cluster_size_distribution"})

    @classmethod
    def prepare(cls, analysis: Analysis) -> Sizes | None:
        """See `Plot.prepare`."""
        found = analysis.indicators.cluster_size_distribution
        return None if found is None else Sizes(found, analysis.data.sizes)

    @staticmethod
    def curve(found: ClusterSizeDistribution) -> tuple[Floats, Floats]:
        """The x and y that are drawn, (B,)."""
        raise NotImplementedError

    def _new_items(self) -> SizesItems:
        earlier = [ScaledCurve(connect="finite") for _ in range(EARLIER)]
        return SizesItems(earlier, ScaledCurve(connect="finite", symbol="o"))

    def _style(self, items: SizesItems, look: Look, theme: Colors) -> None:
        items.curve.setPen(self._line(look))
        self._points(items.curve, look, 6, 9)
        for place, item in enumerate(items.earlier):
            colour = QColor(look.colour)
            colour.setAlpha(round(np.interp(place, (0, EARLIER - 1), _PALE)))
            item.setPen(pg.mkPen(colour, width=1.5 * self.view.devicePixelRatioF()))

    def _draw(self, items: SizesItems, data: Sizes) -> Drawn:
        x, y = self.curve(data.now)
        counts = data.now.counts
        clusters = float(counts.sum())
        there = counts > 0.0
        x, y, counts = x[there], y[there], counts[there]
        items.curve.setData(np.log10(x), np.log10(y))
        drawn = [(x, y)]
        for item, one in zip(items.earlier, (*[None] * (EARLIER - len(data.earlier)), *data.earlier), strict=True):
            if one is None:
                item.setData([], [])
                continue
            before = self.curve(one.sizes)
            some = before[1] > 0.0
            drawn.append((before[0][some], before[1][some]))
            item.setData(*(np.log10(values) for values in drawn[-1]))
        all_x, all_y = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
        values = {"S": value_text(data.now.weight_mean)}
        if data.earlier:
            values["pale: S"] = ", ".join(value_text(one.sizes.weight_mean) for one in data.earlier)
        sizes = data.now.sizes[there]
        return Drawn(
            np.log10(x),
            np.log10(y),
            lambda index: f"s = {sizes[index]:.3g}: {counts[index]:.0f} clusters, {self.symbol} = {y[index]:.3g}",
            (_low(all_x.min()), _high(all_x.max()), _low(all_y.min()), _high(all_y.max())),
            values,
            errors={"curve": Errors(np.log10(x), y, y * of_counts(counts, clusters) / counts)},
        )

    def _curves(self) -> list[Curve]:
        """The curves of the table: earlier ones by the mean size that they had."""
        found = super()._curves()
        across, up = self.columns["curve"]
        for items, data, run in zip(self.items, self._data, self._names_in_tables(), strict=True):
            if data is not None and items.curve.isVisible():
                for one in data.earlier:
                    x, y = self.curve(one.sizes)
                    then = up._replace(name=f"{up.name} at t = {one.time:.6g}")
                    found.append(Curve(across, then, run, x[y > 0.0], y[y > 0.0]))
        return found


def _low(value: float) -> float:
    return nice_below(value) - _MARGIN


def _high(value: float) -> float:
    return nice_above(value) + _MARGIN


class ClusterSizesPlot(SizesPlot):
    """n_s over s."""

    symbol = "n<sub>s</sub>"
    title = "Cluster sizes"
    definition = (
        r"<p>$n_s$: number of clusters of $s$ discs, averaged over two bins to a doubling of $s$; bars: standard "
        r"errors $\sqrt{n (1 - n/M)}$ of the numbers $n$ in the bins. $S = \sum s^2 n_s / \sum s\,n_s$: their mean "
        "size, over the discs.</p><p>Pale: the same at earlier times of the run, when the mean size was that in the "
        "corner; it doubles from one to the next.</p>"
    )
    empty_text = "How many clusters there are of each size, now and at earlier times."
    axes = Axes("s", "n<sub>s</sub>", x_log=True, y_log=True, corner="bottom left")
    power_fit = PowerFit((Slope("curve", "slope", "slope of n_s"),), always=False)
    columns: ClassVar = {"curve": (Column("s"), Column("n_s"))}

    @staticmethod
    def curve(found: ClusterSizeDistribution) -> tuple[Floats, Floats]:
        """See `SizesPlot.curve`."""
        return found.sizes, found.density


class ScaledSizesPlot(SizesPlot):
    """s² n_s / N over s / S(t)."""

    symbol = "s² n<sub>s</sub> / N"
    title = "Scaling of cluster sizes"
    definition = (
        r"<p>$s^2 n_s / N$ over $s / S(t)$, with the number $n_s$ of clusters of $s$ discs and their mean size $S = "
        r"\sum s^2 n_s / \sum s\,n_s$. Bars: standard errors.</p><p>Where $n_s(t) = s^{-2} f(s / "
        r"S(t))$, the curves of all times fall on one, $f$ (Vicsek and Family 1984). Pale: earlier times of the run; "
        "at the very beginning most clusters are single discs, and nothing scales.</p>"
    )
    empty_text = "Cluster sizes over their mean: where they scale, the curves of all times fall on one."
    axes = Axes("s / S", "s² n<sub>s</sub> / N", x_log=True, y_log=True, corner="bottom left")
    columns: ClassVar = {"curve": (Column("s/S"), Column("s²n_s/N"))}

    @staticmethod
    def curve(found: ClusterSizeDistribution) -> tuple[Floats, Floats]:
        """See `SizesPlot.curve`."""
        return found.scaled()


class ClusterProfilePlot(CurvePlot):
    """The share that discs of the largest cluster cover, over the distance from its centre."""

    title = "Cluster profile"
    definition = (
        r"<p>$V_f(r)$: share that discs of the largest cluster cover of rings around its centre, each 1.25 times as "
        r"far out as the last; $r$ in mean radii $R$.</p><p>In a cluster of the fractal dimension $D_f$ it falls as "
        r"$r^{D_f - 2}$, up to where the cluster ends. One that is joined to its own image has no centre.</p>"
    )
    empty_text = "How dense the largest cluster is at a distance r from its centre, from ten discs on."
    axes = Axes("r / R", "V<sub>f</sub>(r)", x_log=True, y_log=True, corner="bottom left")
    power_fit = PowerFit((Slope("curve", "slope", "slope of V_f(r)"),), always=False)
    columns: ClassVar = {"curve": (Column("r/R"), Column("V_f(r)"))}
    folded_at_first = True
    indicators = frozenset({"cluster_profile"})

    @classmethod
    def prepare(cls, analysis: Analysis) -> CurveData | None:
        """The middle of the rings over R, and the share; see `Plot.prepare`."""
        found = analysis.indicators.cluster_profile
        if found is None:
            return None
        radius = analysis.mean_radius
        return CurveData(found.middle / radius, found.density)

    def _style(self, items: CurveItems, look: Look, theme: Colors) -> None:
        super()._style(items, look, theme)
        items.curve.setSymbol("o")
        self._points(items.curve, look, 5, 9)

    def _draw(self, items: CurveItems, data: CurveData) -> Drawn:
        r, share = data
        x, y = np.log10(r), log_or_gap(share)
        items.curve.setData(x, y)
        seen = share[share > 0.0]
        return Drawn(
            x,
            y,
            lambda index: f"r = {r[index]:.3g} R: V<sub>f</sub> = {share[index]:.3g}",
            (float(x[0]) - _MARGIN, float(x[-1]) + _MARGIN, _low(float(seen.min())), _high(float(seen.max()))),
        )
