"""Plots of what is measured in every system: structure factor, correlation of velocities, profiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

from aggviewer.plots.axes import log_or_gap, nice_above, nice_below, value_text
from aggviewer.plots.drawn import Drawn, Mark
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import Look
from aggviewer.plots.scaled import ScaledCurve
from aggviewer.plots.shapes import CurveItems, CurvePlot
from aggviewer.plots.slopes import PowerFit, Slope
from aggviewer.plots.study_curves import Discs, StudyCurve
from aggviewer.plots.table import Column
from aggviewer.plots.view import Axes
from aggviewer.session.data import Analysis
from aggviewer.style.theme import Colors

if TYPE_CHECKING:
    from engine.analysis import Profile, StructureFactor, VelocityCorrelation

_MARGIN = 0.05  # decades that the range keeps free beside the data
_DASHED = (4.0, 3.0)
_ALIKE = 1.15  # top of the axis where discs at contact move alike, C = 1
_LEAST_TOP = 2.0  # of profiles

Floats = NDArray[np.float64]


def times_diameter(k: Floats, s: Floats, discs: Discs) -> tuple[Floats, Floats]:
    """k times the mean diameter at the start."""
    return k * 2.0 * discs.radius, s


class StructureFactorPlot(CurvePlot):
    """S(k) over the wave number."""

    title = "Structure factor S(k)"
    name = "S(k)"
    definition = (
        r"<p>$S(k) = \frac{1}{N} |\sum_j \exp(i k \cdot X_j)|^2$, averaged over wave vectors of the length $k$ that "
        r"fit into the box; $k$ times the mean diameter $\sigma$. An ideal gas has 1 (dotted).</p><p>At small $k$ it "
        r"is the compressibility of a gas, the dimension of clusters ($S \propto k^{-D_f}$), or falls towards 0 where "
        r"density hardly fluctuates over long distances. A peak at $k \sigma$ near 6 means shells of neighbours.</p>"
    )
    empty_text = "How density fluctuates over lengths 2π/k: compressibility, fractal clusters, shells of neighbours."
    axes = Axes("k σ", "S(k)", x_log=True, y_log=True, corner="bottom right")
    power_fit = PowerFit((Slope("curve", "slope", "slope of S(k)"),), always=False)
    columns: ClassVar = {"curve": (Column("kσ"), Column("S(k)"))}
    study_curves: ClassVar = {"curve": StudyCurve("structure_factor", times_diameter)}
    folded_at_first = True
    indicators = frozenset({"structure_factor"})

    @classmethod
    def prepare(cls, analysis: Analysis) -> StructureFactor | None:
        """See `Plot.prepare`."""
        found: StructureFactor | None = analysis.indicators.structure_factor
        return found

    def _set_up(self) -> None:
        self.ideal = self._dotted_line(0.0)

    def _draw(self, items: CurveItems, data: StructureFactor) -> Drawn:
        k = data.k * data.diameter
        x, y = np.log10(k), log_or_gap(data.s)
        items.curve.setData(x, y)
        seen = y[np.isfinite(y)]
        low = min(-1.0, nice_below(float(10.0 ** seen.min()))) if len(seen) else -1.0
        high = max(1.0, nice_above(float(10.0 ** seen.max())) + _MARGIN) if len(seen) else 1.0

        def describe(index: int) -> str:
            error = data.error[index]
            return f"kσ = {k[index]:.3g}: S = {data.s[index]:.3g}" + (f" ± {error:.1g}" if error > 0.0 else "")

        return Drawn(
            x,
            y,
            describe,
            (float(x[0]) - _MARGIN, float(x[-1]) + _MARGIN, low, high),
            {f"S at kσ = {k[0]:.2g}": value_text(float(data.s[0])) if data.s[0] > 0.0 else "0"},
        )

    def values(self) -> dict[str, Floats]:
        """See `Plot.values`: with standard errors, which would be too many bars."""
        found = super().values()
        for data, drawn, run in zip(self._data, self._drawn, self._names_in_tables(), strict=True):
            if drawn is not None:
                found[f"S(k), standard error{f' ({run})' if run else ''} [1]"] = data.error
        return found


class CorrelationItems(NamedTuple):
    """What one run consists of."""

    parallel: pg.PlotDataItem
    total: pg.PlotDataItem


def over_diameter(r: Floats, c: Floats, discs: Discs) -> tuple[Floats, Floats]:
    """r over the mean diameter at the start."""
    return r / (2.0 * discs.radius), c


class VelocityCorrelationPlot(Plot):
    """How alike the velocities of two discs are over their distance."""

    title = "Velocity correlation C(r)"
    name = "C(r) of velocities"
    definition = (
        r"<p>$C(r) = \langle V_i \cdot V_j\rangle / \langle V^2\rangle$ of pairs of discs at the distance $r$ (solid), "
        r"in mean diameters $\sigma$: 1 for discs that move alike, 0 for discs that know nothing of each other. In a "
        "periodic box without the motion of the whole.</p><p>$C_\\parallel(r)$ (dashed): of the components along the "
        "line between the two. Where it stays above half of $C$, discs stream together; vortices have more across.</p>"
    )
    empty_text = "Whether discs that are a distance r apart move alike: clusters, streams and vortices."
    axes = Axes("r / σ", "C(r)", corner="top right")
    columns: ClassVar = {
        "total": (Column("r/σ"), Column("C(r)")),
        "parallel": (Column("r/σ"), Column("C_∥(r)")),
    }
    study_curves: ClassVar = {"total": StudyCurve("velocity_correlation", over_diameter)}
    marks: ClassVar = {"C(σ)": Mark("━━", coloured=True), "C<sub>∥</sub>(σ)": Mark("╍╍")}
    folded_at_first = True
    indicators = frozenset({"velocity_correlation"})

    @classmethod
    def prepare(cls, analysis: Analysis) -> VelocityCorrelation | None:
        """See `Plot.prepare`."""
        found: VelocityCorrelation | None = analysis.indicators.velocity_correlation
        return found if found is not None and len(found.r) else None

    def _set_up(self) -> None:
        self.none = self._dotted_line(0.0)

    def _new_items(self) -> CorrelationItems:
        return CorrelationItems(ScaledCurve(), ScaledCurve())

    def _style(self, items: CorrelationItems, look: Look, theme: Colors) -> None:
        items.total.setPen(self._line(look))
        items.parallel.setPen(self._law_pen(look, 1.0, _DASHED))

    def _draw(self, items: CorrelationItems, data: VelocityCorrelation) -> Drawn:
        r = data.r / data.diameter
        items.total.setData(r, data.total)
        items.parallel.setData(r, data.parallel)
        least = float(min(data.total.min(), data.parallel.min()))
        most = float(max(data.total.max(), data.parallel.max()))
        high = max(0.1, 10.0 ** nice_above(1.05 * most)) if most > 0.0 else 0.1
        if 0.5 < most < _ALIKE:
            high = _ALIKE
        low = min(-0.1 * high, -(10.0 ** nice_above(-1.05 * least)) if least < 0.0 else 0.0)
        return Drawn(
            r,
            data.total,
            lambda k: f"r = {r[k]:.2f} σ: C = {data.total[k]:.3f}, C<sub>∥</sub> = {data.parallel[k]:.3f}",
            (0.0, float(r[-1]) + 0.5, low, high),
            {
                "C(σ)": f"{data.total[0]:.3f}".replace("-", "−"),
                "C<sub>∥</sub>(σ)": f"{data.parallel[0]:.3f}".replace("-", "−"),
            },
        )


class ProfileItems(NamedTuple):
    """What one run consists of."""

    speed: pg.PlotDataItem
    density: pg.PlotDataItem


@dataclass(frozen=True, eq=False)
class Shown:
    """A profile over the mean diameter σ.

    Parameters
    ----------
    at, density : (K,), middle of the rings or slabs that hold area, and the density over the mean one.
    speed : (K,), mean speed over that of all discs, nan without discs; None where velocities are not known.
    """

    at: Floats
    density: Floats
    speed: Floats | None


class ProfilePlot(Plot):
    """Base: density and speed, each over its mean, over a length."""

    symbol = ""
    """Of the length."""
    axes = Axes("", "")
    marks: ClassVar = {"max ρ/ρ̄": Mark("━━", coloured=True), "max |v|/⟨|v|⟩": Mark("╍╍")}
    folded_at_first = True

    @classmethod
    def profile(cls, analysis: Analysis) -> Profile | None:
        """What is drawn."""
        raise NotImplementedError

    @classmethod
    def prepare(cls, analysis: Analysis) -> Shown | None:
        """See `Plot.prepare`."""
        found = cls.profile(analysis)
        if found is None:
            return None
        diameter = 2.0 * analysis.mean_radius
        speed = None
        if found.speed is not None:
            weight = np.where(np.isfinite(found.speed), found.density * cls._areas(found.edges), 0.0)
            mean = float((weight * np.nan_to_num(found.speed)).sum() / max(weight.sum(), 1e-300))
            speed = found.speed / mean if mean > 0.0 else None
        return Shown(found.middle / diameter, found.density, speed)

    @classmethod
    def _areas(cls, edges: Floats) -> Floats:
        """In proportion to the areas of the rings or slabs."""
        return np.diff(edges)

    def _set_up(self) -> None:
        self.even = self._dotted_line(1.0)

    def _new_items(self) -> ProfileItems:
        return ProfileItems(ScaledCurve(connect="finite"), ScaledCurve())

    def _style(self, items: ProfileItems, look: Look, theme: Colors) -> None:
        items.density.setPen(self._line(look))
        items.speed.setPen(self._law_pen(look, 1.0, _DASHED))

    def _draw(self, items: ProfileItems, data: Shown) -> Drawn:
        items.density.setData(data.at, data.density)
        items.speed.setData(*((data.at, data.speed) if data.speed is not None else ([], [])))
        tops = [float(data.density.max())]
        if data.speed is not None and np.isfinite(data.speed).any():
            tops.append(float(np.nanmax(data.speed)))

        def describe(index: int) -> str:
            fast = "" if data.speed is None else f", |v|/⟨|v|⟩ = {data.speed[index]:.2f}"
            return f"{self.symbol} = {data.at[index]:.1f} σ: ρ/ρ̄ = {data.density[index]:.3f}{fast}"

        high = max(_LEAST_TOP, 10.0 ** nice_above(1.05 * max(tops)))
        half = 0.5 * float(data.at[1] - data.at[0]) if len(data.at) > 1 else 0.5
        return Drawn(
            data.at,
            data.density,
            describe,
            (float(data.at[0]) - half, float(data.at[-1]) + half, 0.0, high),
            {symbol: f"{top:.2f}" for symbol, top in zip(("max ρ/ρ̄", "max |v|/⟨|v|⟩"), tops, strict=False)},
        )


class RadialProfilePlot(ProfilePlot):
    """Density and speed over the distance from the centre of the box."""

    symbol = "r"
    title = "Profile from the centre"
    definition = (
        r"<p>$\rho(r) / \bar\rho$ (solid): discs at the distance $r$ from the centre of the box, in mean diameters "
        r"$\sigma$, over as many as an even density has there. Dashed: their mean speed, over that of all in the "
        "range. Dotted: 1.</p>"
    )
    empty_text = "How dense and how fast discs are at a distance r from the centre of the box."
    axes = Axes("r / σ", "over the mean", corner="top right")
    columns: ClassVar = {
        "density": (Column("r/σ"), Column("ρ/ρ̄")),
        "speed": (Column("r/σ"), Column("|v|/⟨|v|⟩")),
    }
    indicators = frozenset({"radial_profile"})

    @classmethod
    def profile(cls, analysis: Analysis) -> Profile | None:
        """See `ProfilePlot.profile`."""
        found: Profile | None = analysis.indicators.radial_profile
        return found

    @classmethod
    def _areas(cls, edges: Floats) -> Floats:
        return np.diff(edges**2)


class HeightProfilePlot(ProfilePlot):
    """Density and speed over the height."""

    symbol = "y"
    title = "Profile over the height"
    definition = (
        r"<p>$\rho(y) / \bar\rho$ (solid): discs at the height $y$, in mean diameters $\sigma$, over as many as an "
        "even density has there. Dashed: their mean speed, over that of all. Dotted: 1.</p><p>Under gravity an elastic "
        "gas has the same speeds everywhere, and its density falls with the height; one that loses energy is cold and "
        "dense above the ground.</p>"
    )
    empty_text = "How dense and how fast discs are at a height y: layers at walls, and what gravity does."
    axes = Axes("y / σ", "over the mean", corner="top right")
    columns: ClassVar = {
        "density": (Column("y/σ"), Column("ρ/ρ̄")),
        "speed": (Column("y/σ"), Column("|v|/⟨|v|⟩")),
    }
    indicators = frozenset({"height_profile"})

    @classmethod
    def profile(cls, analysis: Analysis) -> Profile | None:
        """See `ProfilePlot.profile`."""
        found: Profile | None = analysis.indicators.height_profile
        return found
