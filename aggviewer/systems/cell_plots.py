"""Plots of Voronoi cells that any system can use: local densities, and the bond orders of spheres."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from aggviewer.plots.axes import nice_above
from aggviewer.plots.drawing import (
    LAW,
    LITERATURE,
    Axes,
    Bounds,
    PlotDrawing,
    PlotQuantity,
    PlotSeries,
    drawing,
    number_with,
    told,
)
from aggviewer.plots.fits import Range
from aggviewer.plots.plot import NumberMark, Plot, StudyCurve
from aggviewer.session.data import Analysis
from engine.arrays import Floats
from engine.indicators import ANY
from engine.words import typeset

if TYPE_CHECKING:
    from engine.analysis import CellMeans, OrderMeans

IndicatorsOf = Callable[[Analysis], Any]
"""Where the indicators of a state are that do not depend on its system."""

CRYSTALS = {
    "fcc": (0.1909, 0.5745, "star"),
    "hcp": (0.0972, 0.4848, "d"),
    "bcc": (0.2240, 0.5669, "s"),
}
"""q₄ and q₆ of perfect crystals with neighbours weighted by the areas of faces, and the marker of each."""

_MOST_POINTS = 2000
_FREE = 0.05  # left free beside a distribution
_MARKS = {"star": "☆", "d": "◇", "s": "□"}


class CellPlot(Plot):
    """Base class of these plots."""

    folded_at_first = True

    def __init__(self, indicators: IndicatorsOf | None = None) -> None:
        self._indicators: IndicatorsOf = indicators or (lambda analysis: analysis.indicators)
        if indicators is not None:
            self.averaged = frozenset()

    def why_empty(self, analysis: Analysis) -> str:
        """Above a number of spheres, nothing is measured."""
        return "Not measured for more than 100 000 spheres; colours still are." if self.too_many(analysis) else ""

    def too_many(self, analysis: Analysis) -> bool:
        """Whether a state has too many spheres."""
        from engine.analysis.local_cells import MOST

        return len(analysis.disc_set.box) > 2 and analysis.disc_set.count > MOST


def _around(edges: Floats, density: Floats) -> Bounds:
    """A range that shows all of a distribution between 0 and 1."""
    there = np.flatnonzero(density)
    low, high = float(edges[there[0]]) - _FREE, float(edges[there[-1] + 1]) + _FREE
    return max(0.0, low), min(1.0, high), 0.0, 10.0 ** nice_above(1.05 * float(density.max()))


class LocalDensityPlot(CellPlot):
    """The distribution of the local densities in Voronoi cells."""

    dimensions = ANY
    title = "Local density"
    name = "Local density in Voronoi cells"
    definition = (
        r"<p>$P(\phi_i)$: distribution of the share of its Voronoi cell that each disc covers, or sphere fills. A "
        "point of the box belongs to the cell of the disc to which its tangent is shortest; walls cut cells."
        r"</p><p>$\langle\phi_i\rangle$: the mean over the discs. <b>Sides</b>, in space faces: mean number of "
        "neighbours and walls that a cell touches; without walls exactly 6 in the plane, about 14 in space. Cells of "
        "neighbours depend on each other, so there are no error bars.</p>"
    )
    empty_text = "How much of its Voronoi cell each {disc} covers."
    axes = Axes("local density φ<sub>i</sub>", "P(φ<sub>i</sub>)", corner="top right")
    columns: ClassVar = {"steps": (PlotQuantity("φ_i"), PlotQuantity("P(φ_i)"))}
    study_curves: ClassVar = {"steps": StudyCurve("voronoi_cells.distribution")}
    study_numbers = ("voronoi_cells.local_density", "voronoi_cells.sides")
    indicators = averaged = frozenset({"voronoi_cells"})

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The distribution, with the mean density and number of sides."""
        found: CellMeans | None = self._indicators(analysis).voronoi_cells
        if found is None or not found.distribution.density.any():
            return None
        edges, density = found.distribution.edges, found.distribution.density
        sides = "faces" if len(analysis.disc_set.box) > 2 else "sides"
        errors, mean, number = (
            analysis.error("voronoi_cells", part) for part in ("distribution.density", "local_density", "sides")
        )

        def words(index: int) -> str:
            return f"φ<sub>i</sub> = {edges[index]:.2f} … {edges[index + 1]:.2f}: {told(density, index, errors, '.2f')}"

        return drawing(
            [PlotSeries("steps", edges, density, "steps", error=errors, words=words)],
            _around(edges, density),
            {
                "⟨φ<sub>i</sub>⟩": number_with(mean, found.local_density, f"{found.local_density:.4f}"),
                sides: number_with(number, found.sides, f"{found.sides:.2f}"),
            },
        )


class BondOrderPlot(CellPlot):
    """The distributions of q₆ and of its average over neighbours."""

    dimensions = (3,)
    title = "Bond order q₆"
    definition = (
        r"<p>$q_6 = \sqrt{4\pi/13 \sum_m |q_{6m}|^2}$ of a sphere, where $q_{6m}$ is the mean of $Y_{6m}$ over the "
        "directions to its neighbours. Neighbours share a face of their Voronoi cells and count by its area. "
        r"Dashed: $P(q_6)$.</p><p>Solid: $P(\bar q_6)$, from $q_{6m}$ averaged over a sphere and its neighbours, which "
        "separates crystals from fluids also where spheres move (Lechner and Dellago 2008). Dotted: perfect crystals. "
        r"$w_6$: mean; $-0.013$ in face-centred cubic and hexagonal close-packed crystals, 0.013 in body-centred cubic "
        "ones. Neighbours depend on each other, so there are no error bars.</p>"
    )
    empty_text = "Whether the neighbours of spheres are arranged as in a crystal."
    axes = Axes("q<sub>6</sub>", "density", corner="top left")
    columns: ClassVar = {
        "averaged": (PlotQuantity("q̄_6"), PlotQuantity("P(q̄_6)")),
        "single": (PlotQuantity("q_6"), PlotQuantity("P(q_6)")),
    }
    study_curves: ClassVar = {
        "averaged": StudyCurve("bond_orders.averaged_q6_distribution"),
        "single": StudyCurve("bond_orders.q6_distribution"),
    }
    study_numbers = ("bond_orders.q4", "bond_orders.q6", "bond_orders.w6", "bond_orders.averaged_q6")
    marks: ClassVar = {"⟨q̄<sub>6</sub>⟩": NumberMark("━━", coloured=True), "⟨q<sub>6</sub>⟩": NumberMark("╍╍")}
    indicators = averaged = frozenset({"bond_orders"})

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """Both distributions, with the means."""
        found: OrderMeans | None = self._indicators(analysis).bond_orders
        if found is None:
            return None
        edges, averaged = found.averaged_q6_distribution.edges, found.averaged_q6_distribution.density
        single = found.q6_distribution.density
        middle = 0.5 * (edges[1:] + edges[:-1])
        errors = analysis.error("bond_orders", "averaged_q6_distribution.density")

        def words(index: int) -> str:
            density = told(averaged, index, errors, ".2f")
            return f"{edges[index]:.2f} … {edges[index + 1]:.2f}: P(q̄<sub>6</sub>) = {density}"

        def mean(name: str, form: str) -> str:
            error, value = analysis.error("bond_orders", name), getattr(found, name)
            return number_with(error, value, typeset(value, form))

        left, right, low, high = _around(edges, np.maximum(averaged, single))
        known = np.array([CRYSTALS["hcp"][1], CRYSTALS["fcc"][1]])
        crystals = PlotSeries(
            "crystals",
            known,
            np.empty(0),
            "upright",
            dash="dotted",
            labels=("hcp", "fcc"),
            shared=True,
            role=LITERATURE,
        )
        return drawing(
            [
                crystals,
                PlotSeries("single", middle, single, role=LAW, dash="dashed"),
                PlotSeries("averaged", edges, averaged, "steps", error=errors, words=words),
            ],
            (left, max(0.65, right), low, high),
            {
                "⟨q̄<sub>6</sub>⟩": mean("averaged_q6", ".3f"),
                "⟨q<sub>6</sub>⟩": mean("q6", ".3f"),
                "⟨w<sub>6</sub>⟩": mean("w6", ".4f"),
            },
        )


class BondOrderPlanePlot(CellPlot):
    """Each sphere by its averaged q₄ and q₆."""

    dimensions = (3,)
    title = "Bond orders q̄₄ and q̄₆"
    short = "q̄₄ and q̄₆"
    definition = (
        r"<p>Each sphere at its $\bar q_4$ and $\bar q_6$ (Lechner and Dellago 2008), at most 2 000; neighbours "
        "share a face of their Voronoi cells and count by its area. A fluid is a cloud at small values, each kind of "
        "crystal one of its own. Marks: perfect face-centred cubic (☆), hexagonal close-packed (◇) and body-centred "
        "cubic crystals (□); those that move have smaller values.</p>"
    )
    empty_text = "Spheres by the order of their neighbours: fluids and crystals are clouds of their own."
    axes = Axes("q̄<sub>4</sub>", "q̄<sub>6</sub>", corner="bottom right")
    columns: ClassVar = {"spheres": (PlotQuantity("q̄_4"), PlotQuantity("q̄_6"))}
    study_numbers = ("bond_orders.averaged_q4", "bond_orders.averaged_q6")
    marks: ClassVar = {name: NumberMark(_MARKS[marker]) for name, (_, _, marker) in CRYSTALS.items()}
    indicators = frozenset({"bond_orders"})

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """A point for each sphere, below those of perfect crystals."""
        found: OrderMeans | None = self._indicators(analysis).bond_orders
        if found is None:
            return None
        every = -(-len(found.orders.averaged_q4) // _MOST_POINTS)
        x, y = found.orders.averaged_q4[::every], found.orders.averaged_q6[::every]

        def words(index: int) -> str:
            orders = f"q̄<sub>4</sub> = {x[index]:.3f}, q̄<sub>6</sub> = {y[index]:.3f}"
            return f"sphere {typeset(index * every)}: {orders}"

        crystals = [
            PlotSeries(
                name, np.array([q4]), np.array([q6]), "points", LITERATURE, marker=marker, size=10.0, shared=True,
                words=partial("perfect {}: {:.3f}, {:.3f}".format, name, q4, q6),
            )
            for name, (q4, q6, marker) in CRYSTALS.items()
        ]  # fmt: skip
        return drawing(
            [PlotSeries("spheres", x, y, "points", marker="o", size=4.0, faint=True, words=words), *crystals],
            (0.0, max(0.26, 1.05 * float(x.max())), 0.0, max(0.65, 1.05 * float(y.max()))),
            {name: f"{q4:.2f}, {q6:.2f}" for name, (q4, q6, _) in CRYSTALS.items()},
        )


def cell_plots(indicators: IndicatorsOf | None = None) -> tuple[Plot, ...]:
    """The plots of Voronoi cells, for the end of a system's list."""
    return LocalDensityPlot(indicators), BondOrderPlot(indicators), BondOrderPlanePlot(indicators)
