"""Plots of clusters: size distribution, its scaling, and the density profile of the largest cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from aggviewer.plots.axes import nice_above, nice_below, value_text
from aggviewer.plots.drawing import (
    Axes,
    Bounds,
    PlotDrawing,
    PlotQuantity,
    PlotSeries,
    Role,
    decades,
    drawing,
    interval_of_counts,
    of_counts,
)
from aggviewer.plots.fits import PowerFit, Range, Slope
from aggviewer.plots.plot import Plot, StartDiscs, StudyCurve
from aggviewer.session.data import Analysis
from aggviewer.systems.aggregation.analysis import EARLIER, SizesAt
from engine.arrays import Floats
from engine.indicators import ANY
from engine.words import count, typeset

if TYPE_CHECKING:
    from engine.analysis import ClusterMasses, ClusterSizeDistribution

_MARGIN = 0.1  # decades left free around the data
_FIT_FROM = 3.0  # least R_g / R, as in `engine.analysis.cluster_masses`
_PER_DECADE = 50  # places of points that are told apart


class SizesPlot(Plot):
    """Base: a distribution of cluster sizes on two logarithmic axes, now and at earlier times."""

    symbol: ClassVar[str] = ""
    """The symbol of y, for the point under the mouse."""
    folded_at_first = True
    dimensions = ANY
    indicators = frozenset({"cluster_size_distribution"})

    @staticmethod
    def curve(found: ClusterSizeDistribution) -> tuple[Floats, Floats]:
        """The plotted x and y, (B,)."""
        raise NotImplementedError

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The present distribution with error bars, above those at earlier times."""
        found: ClusterSizeDistribution | None = analysis.indicators.cluster_size_distribution
        if found is None:
            return None
        there = found.counts > 0.0
        x, y = (values[there] for values in self.curve(found))
        counts, sizes, total = found.counts[there], found.sizes[there], float(found.counts.sum())
        low, high = interval_of_counts(counts, total)
        earlier = [self._earlier(number, one) for number, one in enumerate(reversed(analysis.data.sizes))]
        now = PlotSeries(
            "curve",
            x,
            y,
            marker="o",
            error=y * of_counts(counts, total) / counts,
            interval=(y * low / counts, y * high / counts),
            words=lambda index: (
                f"s = {typeset(sizes[index], '.3g')}: {count(counts[index])} clusters, "
                f"{self.symbol} = {typeset(y[index], '.3g')}"
            ),
        )
        numbers = {"S": value_text(found.weight_mean)}
        if earlier:
            numbers["pale: S"] = ", ".join(value_text(one.sizes.weight_mean) for one in analysis.data.sizes)
        drawn = [*reversed(earlier), now]
        return drawing(drawn, _around([one.x for one in drawn], [one.y for one in drawn]), numbers)

    def _earlier(self, number: int, one: SizesAt) -> PlotSeries:
        """One of the earlier distributions. number : 0 for the latest of them."""
        x, y = self.curve(one.sizes)
        across, up = self.columns["curve"]
        then = up._replace(name=f"{up.name} at t = {typeset(one.time, '.6g')}")
        role = Role("earlier", age=number / max(EARLIER - 1, 1))
        return PlotSeries(f"earlier {number}", x[y > 0.0], y[y > 0.0], role=role, columns=(across, then))


def _around(x: list[Floats], y: list[Floats]) -> Bounds:
    """A range of the axes that contains all points, with round limits."""
    low, high = zip(
        *((_low(float(one.min())), _high(float(one.max()))) for one in map(np.concatenate, (x, y))), strict=True
    )
    return decades(low[0], high[0], low[1], high[1])


def _low(value: float) -> float:
    return nice_below(value) - _MARGIN


def _high(value: float) -> float:
    return nice_above(value) + _MARGIN


class ClusterSizesPlot(SizesPlot):
    """The plot of the number of clusters n_s over their size s."""

    symbol = "n<sub>s</sub>"
    title = "Cluster sizes"
    definition = (
        "<p>$n_s$: number of clusters of $s$ discs, averaged over two bins for each doubling of $s$. Bars: central "
        r"68 % intervals of the counts in the bins. $S = \sum s^2 n_s / \sum s\,n_s$: the mean size "
        "of a disc's cluster.</p><p>Pale: earlier times of the run. The corner gives the mean size at each; it "
        "doubles from one to the next.</p>"
    )
    empty_text = "Number of clusters of each size, now and at earlier times."
    axes = Axes("s", "n<sub>s</sub>", x_log=True, y_log=True, corner="bottom left")
    power_fit = PowerFit((Slope("curve", "slope", "slope of n_s"),), always=False)
    columns: ClassVar = {"curve": (PlotQuantity("s"), PlotQuantity("n_s"))}

    @staticmethod
    def curve(found: ClusterSizeDistribution) -> tuple[Floats, Floats]:
        """The number of clusters n_s (B,) over their size s (B,)."""
        return found.sizes, found.density


class ScaledSizesPlot(SizesPlot):
    """The plot of the scaled size distribution, s² n_s / N over s / S(t)."""

    symbol = "s² n<sub>s</sub> / N"
    title = "Scaling of cluster sizes"
    short = "Size scaling"
    definition = (
        r"<p>$s^2 n_s / N$ over $s / S(t)$, with the number $n_s$ of clusters of $s$ discs and their mean size $S = "
        r"\sum s^2 n_s / \sum s\,n_s$. Bars: central 68 % intervals.</p><p>Where $n_s(t) = s^{-2} f(s / "
        r"S(t))$, the curves of all times fall on one curve $f$ (Vicsek and Family 1984). Pale: earlier times of the "
        "run. At the very beginning most clusters are single discs, and there is no scaling yet.</p>"
    )
    empty_text = "Cluster sizes divided by their mean. If they scale, the curves of all times fall on one."
    axes = Axes("s / S", "s² n<sub>s</sub> / N", x_log=True, y_log=True, corner="bottom left")
    columns: ClassVar = {"curve": (PlotQuantity("s/S"), PlotQuantity("s²n_s/N"))}

    @staticmethod
    def curve(found: ClusterSizeDistribution) -> tuple[Floats, Floats]:
        """The scaled distribution s² n_s / N (B,) over the scaled size s / S(t) (B,)."""
        return found.scaled()


def radius_first(mass: Floats, radius: Floats, discs: StartDiscs) -> tuple[Floats, Floats]:
    """R_g over the mean radius, and the mass, of the bins (K,) in which there are clusters."""
    known = np.isfinite(radius)
    return radius[known] / discs.radius, mass[known]


class MassRadiusPlot(Plot):
    """The masses of all clusters against their radii of gyration."""

    dimensions = ANY
    title = "Mass and radius of clusters"
    short = "Mass and radius"
    name = "Mass over radius, dimension of clusters"
    definition = (
        "<p>Mass $M$ of each cluster of at least two discs, in mean masses of a disc, over its radius of gyration "
        r"$R_g = \sqrt{\langle|X - \langle X\rangle|^2\rangle}$, weighted by mass; in mean radii $R$. Rings: means in "
        r"bins of masses, two for each doubling.</p><p>$M \propto R_g^D$: $D_g$ is the fractal dimension of the "
        r"clusters, with its standard error. $R_g$ scatters at a given mass, so $\log\,R_g$ is fitted over $\log\,M$, "
        r"for the masses that the law gives in the shaded range, $R_g \ge 3R$ unless you drag its edges. Clusters that "
        "wrap around a periodic box have no $R_g$. A study draws the means of all its runs.</p>"
    )
    empty_text = "Each cluster by its radius of gyration and mass. The slope is the fractal dimension D<sub>g</sub>."
    axes = Axes("R<sub>g</sub> / R", "M", x_log=True, y_log=True, corner="top left")
    power_fit = PowerFit((Slope("clusters", "D<sub>g</sub>", "D_g", exact_y=True),), low=_FIT_FROM)
    columns: ClassVar = {
        "clusters": (PlotQuantity("R_g/R"), PlotQuantity("M")),
        "means": (PlotQuantity("mean R_g/R"), PlotQuantity("mean M")),
    }
    study_curves: ClassVar = {"means": StudyCurve("cluster_masses", radius_first)}
    study_numbers = ("cluster_masses.fit.dimension",)
    folded_at_first = True
    indicators = frozenset({"cluster_masses"})

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """A point for each cluster; of those that would lie on each other one is drawn."""
        found: ClusterMasses | None = analysis.indicators.cluster_masses
        if found is None or not len(found.mass):
            return None
        radius, mass = found.gyration_radius / analysis.mean_radius, found.mass
        _, means, mean, _ = found.binned()
        known = np.isfinite(mean)
        seen = np.unique(np.rint(_PER_DECADE * np.log10([radius, mass])), axis=1, return_index=True)[1]

        def words(index: int) -> str:
            one = seen[index]
            return f"M = {typeset(mass[one], '.4g')}, R<sub>g</sub> = {typeset(radius[one], '.3g')} R"

        without = {"without R<sub>g</sub>": count(found.without)} if found.without else {}
        return drawing(
            [
                PlotSeries("clusters", radius, mass, "points", marker="o", invisible=True),
                PlotSeries("shown", radius[seen], mass[seen], "points", marker="o", size=4.0, faint=True, words=words),
                PlotSeries(
                    "means", mean[known] / analysis.mean_radius, means[known], "points", marker="o", hollow=True
                ),
            ],
            _around([radius], [mass]),
            without,
            note="too few clusters with R<sub>g</sub> above 3 R for D<sub>g</sub>",
            fitted=found.fit is not None,
        )


class ClusterProfilePlot(Plot):
    """The share of the area or volume that the largest cluster fills, against the distance from its centre."""

    dimensions = ANY
    title = "Cluster profile"
    definition = (
        "<p>$V_f(r)$: the fraction of each ring (in space, of each shell) around the centre of the largest cluster "
        "that its discs fill; $r$ in mean radii $R$. Each ring is 1.25 times as far out as the last.</p><p>"
        "In a cluster of fractal dimension $D_f$ it falls as $r^{D_f - d}$ in $d$ dimensions until the cluster ends. A "
        "cluster joined to its own periodic image has no centre.</p>"
    )
    empty_text = "Density of the largest cluster at a distance r from its centre, once it has ten {discs}."
    axes = Axes("r / R", "V<sub>f</sub>(r)", x_log=True, y_log=True, corner="bottom left")
    power_fit = PowerFit((Slope("curve", "slope", "slope of V_f(r)"),), always=False)
    columns: ClassVar = {"curve": (PlotQuantity("r/R"), PlotQuantity("V_f(r)"))}
    folded_at_first = True
    indicators = frozenset({"cluster_profile"})

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The share against the middle of the rings over R."""
        found = analysis.indicators.cluster_profile
        if found is None:
            return None
        r, share = found.middle / analysis.mean_radius, found.density
        seen = share[share > 0.0]
        x = np.log10(r)
        bounds = decades(
            float(x[0]) - _MARGIN, float(x[-1]) + _MARGIN, _low(float(seen.min())), _high(float(seen.max()))
        )

        def words(index: int) -> str:
            return f"r = {typeset(r[index], '.3g')} R: V<sub>f</sub> = {typeset(share[index], '.3g')}"

        return drawing([PlotSeries("curve", r, share, marker="o", size=5.0, words=words)], bounds)
