"""Plots of the motion in a gas: speeds, mean square displacement, velocity autocorrelation."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

from aggviewer.plots.axes import log_or_gap, nice_above, nice_below, value_text
from aggviewer.plots.drawn import Drawn
from aggviewer.plots.error_bars import Errors, of_counts
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import Look
from aggviewer.plots.scaled import ScaledCurve
from aggviewer.plots.shapes import CurveData, CurveItems, CurvePlot, StepItems, StepsPlot
from aggviewer.plots.slopes import PowerFit, Range, Slope
from aggviewer.plots.study_curves import StudyCurve
from aggviewer.plots.table import TIME, Column
from aggviewer.plots.view import Axes
from aggviewer.session.data import Analysis
from aggviewer.style.theme import Colors
from engine.hard_discs.theory import maxwell_speed

if TYPE_CHECKING:
    from engine.analysis import Diffusion, GasIndicators, Speeds

_FARTHEST = 4.0  # thermal speeds that are shown
_PEAK = 0.2  # share of the discs in one bin; Maxwell's distribution has 0.06
_USUAL_TOP = 0.8  # of the axis: Maxwell's distribution reaches 0.61
_BALLISTIC, _DIFFUSIVE = (4.0, 3.0), (1.0, 2.0)
_LATER_HALF = log10(2.0)  # decades
_POINTS = 60  # of the line of the fit, which is bent on logarithmic axes


@dataclass(frozen=True)
class CountedSpeeds:
    """The distribution of speeds of so many discs."""

    speeds: Speeds
    count: int

    def errors(self) -> NDArray[np.float64]:
        """Standard errors of the density (K,), from the numbers of discs; nan if one bin holds more than a fifth of
        them: then all discs started with the same speed, and the numbers are not random."""
        each = self.count * np.diff(self.speeds.edges)
        numbers = np.rint(self.speeds.density * each)
        if numbers.max() > _PEAK * self.count:
            return np.full(len(numbers), np.nan)
        return of_counts(numbers, self.count) / each


class SpeedsPlot(StepsPlot):
    """Histogram of the speeds, with Maxwell's distribution at their own temperature."""

    title = "Speeds"
    definition = (
        r"<p>Share of the discs per speed $u = |v| \sqrt{m / kT}$, with the temperature "
        r"$kT = \langle m v^2 / 2\rangle$ as it is now. The line is <b>Maxwell's distribution</b> $u \exp(-u^2/2)$, "
        "which elastic discs reach after a few "
        r"collisions.</p><p>$a_2 = \langle u^4\rangle / (2 \langle u^2\rangle^2) - 1$: 0 for Maxwell's, above it "
        "where fast discs are more frequent.</p>"
    )
    empty_text = "How many discs have which speed, against Maxwell's distribution."
    axes = Axes("|v| √(m / kT)", "density", corner="top right")
    columns: ClassVar = {"steps": (Column("|v| √(m/kT)"), Column("density"))}
    study_curves: ClassVar = {"steps": StudyCurve("speeds")}
    frame_columns: ClassVar = {"maxwell": (Column("|v| √(m/kT)"), Column("density by Maxwell"))}
    indicators = frozenset({"speeds"})

    @classmethod
    def prepare(cls, analysis: Analysis) -> CountedSpeeds | None:
        """See `Plot.prepare`."""
        found: GasIndicators = analysis.indicators
        return None if found.speeds is None else CountedSpeeds(found.speeds, analysis.system.count)

    def _set_up(self) -> None:
        u = np.linspace(0.0, _FARTHEST, 161)
        self.maxwell = ScaledCurve(u, maxwell_speed(u), name="Maxwell")
        self.maxwell.setZValue(10)
        self._add_frame(self.maxwell)

    def _style_frame(self, theme: Colors) -> None:
        self.maxwell.setPen(self._pen(theme.text, 1.5))

    def _draw(self, items: StepItems, counted: CountedSpeeds) -> Drawn:
        data = counted.speeds
        items.steps.setData(data.edges, data.density)
        items.steps.show()
        middle = 0.5 * (data.edges[1:] + data.edges[:-1])
        law = maxwell_speed(middle)
        top = max(_USUAL_TOP, 10.0 ** nice_above(1.05 * float(data.density.max())))
        values = {"kT": value_text(data.temperature), "a₂": f"{data.sonine:.3f}".replace("-", "−")}
        return Drawn(
            middle,
            data.density,
            lambda index: f"u = {middle[index]:.2f}: {data.density[index]:.3f}, Maxwell {law[index]:.3f}",
            (0.0, _FARTHEST, 0.0, top),
            values,
            errors={"steps": Errors(middle, data.density, counted.errors())},
        )


@dataclass(frozen=True)
class MeanSquareDisplacement:
    """The mean square displacement over the squared mean diameter σ².

    Parameters
    ----------
    time, squared : (K,), ⟨Δr²⟩ / σ² since the start.
    ballistic : ⟨v²⟩ / σ² at the start; the curve begins as ⟨v²⟩ t².
    """

    time: NDArray[np.float64]
    squared: NDArray[np.float64]
    ballistic: float

    def diffusion(self, within: Range | None) -> Diffusion | None:
        """D / σ² of the line 4 D t + c over this range of times, None for the later half of them."""
        from engine.analysis import diffusion

        return diffusion(self.time, self.squared, within)


@dataclass(frozen=True)
class DrawnDisplacement(Drawn):
    """diffusion : that of the line that is drawn."""

    diffusion: Diffusion | None = None


class DisplacementItems(NamedTuple):
    """What one run consists of."""

    ballistic: pg.PlotDataItem
    diffusive: pg.PlotDataItem
    curve: pg.PlotDataItem


class MeanSquareDisplacementPlot(Plot):
    """How far discs have come from where they started."""

    title = "Displacement ⟨Δr²⟩"
    name = "Mean square displacement"
    definition = (
        r"<p>$\langle\Delta r^2\rangle$: mean of $|X(t) - X(0)|^2$ over the discs, across the edges of a periodic "
        r"box; in mean diameters $\sigma$. Discs fly straight at first, $\langle v^2\rangle t^2$ (dashed), and "
        "diffuse after some collisions, $4 D t$.</p><p>$D$: a quarter of the slope of the line of least squares "
        "through the later half of the time (dotted), or over the range you drag.</p>"
    )
    empty_text = "How far discs have come from where they started: straight at first, then as a random walk."
    axes = Axes("time t", "⟨Δr²⟩ / σ²", x_log=True, y_log=True, corner="top left")
    power_fit = PowerFit((Slope("curve", "slope", "slope of ⟨Δr²⟩"),), decades=_LATER_HALF, always=False)
    study_numbers = ("mean_square_displacement",)
    columns: ClassVar = {
        "curve": (TIME, Column("⟨Δr²⟩/σ²")),
        "ballistic": (TIME, Column("⟨v²⟩t²/σ²")),
        "diffusive": (TIME, Column("4Dt + c")),
    }
    broken = (9.0, 2.0)
    folded_at_first = True
    indicators = frozenset()

    @classmethod
    def prepare(cls, analysis: Analysis) -> MeanSquareDisplacement | None:
        """See `mean_square_displacement`."""
        return mean_square_displacement(analysis)

    def _new_items(self) -> DisplacementItems:
        return DisplacementItems(ScaledCurve(), ScaledCurve(connect="finite"), ScaledCurve(connect="finite"))

    def _set_up(self) -> None:
        self.fits.changed.connect(self._fit_anew)

    def _fit_anew(self) -> None:
        """Another range: D is another one."""
        if self.view.isVisible():
            self._update(*(run for run, one in enumerate(self._drawn) if one is not None))

    def _style(self, items: DisplacementItems, look: Look, theme: Colors) -> None:
        items.curve.setPen(self._line(look))
        items.ballistic.setPen(self._law_pen(look, 1.0, _BALLISTIC))
        items.diffusive.setPen(self._law_pen(look, 1.5, _DIFFUSIVE))

    def _draw(self, items: DisplacementItems, data: MeanSquareDisplacement) -> Drawn:
        x, y = np.log10(data.time), log_or_gap(data.squared)
        items.curve.setData(x, y)
        right = nice_above(float(data.time[-1]))
        left = min(nice_below(float(data.time[0])), right - 1.0)
        high = nice_above(float(data.squared.max())) + 0.1
        low = min(nice_below(float(data.squared.min())), high - 1.0)
        if data.ballistic > 0.0:
            ends = np.array([left, right])
            items.ballistic.setData(ends, np.log10(data.ballistic) + 2.0 * ends)
        else:
            items.ballistic.setData([], [])
        values = {"⟨Δr²⟩/σ²": value_text(float(data.squared[-1]))}
        found = data.diffusion(self.fits.chosen)
        items.diffusive.setData([], [])
        if found is not None:
            along = np.geomspace(found.low, found.high, _POINTS)
            items.diffusive.setData(np.log10(along), log_or_gap(found.offset + 4.0 * found.coefficient * along))
            if found.coefficient > 0.0:
                values["D/σ²"] = value_text(found.coefficient)
        return DrawnDisplacement(
            x,
            y,
            lambda index: f"t = {data.time[index]:.4g}: ⟨Δr²⟩ = {value_text(float(data.squared[index]))} σ²",
            (left, right, low, high),
            values,
            diffusion=found,
        )

    def values(self) -> dict[str, NDArray[np.float64]]:
        """See `Plot.values`: with the diffusion coefficient and the range of its fit."""
        found = super().values()
        for drawn, run in zip(self._drawn, self._names_in_tables(), strict=True):
            one, of = drawn.diffusion if isinstance(drawn, DrawnDisplacement) else None, f" ({run})" if run else ""
            if one is not None:
                found[f"D/σ²{of} [1/time]"] = np.array([one.coefficient])
                found[f"D/σ², points{of} [1]"] = np.array([float(one.count)])
                found[f"D/σ², from t{of} [time]"] = np.array([one.low])
                found[f"D/σ², to t{of} [time]"] = np.array([one.high])
        return found


class AutocorrelationPlot(CurvePlot):
    """How much of the velocities at the start is left."""

    title = "Velocity autocorrelation"
    definition = (
        r"<p>$\langle v(t) \cdot v(0)\rangle / \langle v(0)^2\rangle$ over the discs, since the first state that was "
        "measured; in a periodic box without the motion of the whole. It falls from 1 as collisions turn velocities, "
        r"and below 0 where neighbours throw discs back. $D = \frac{1}{2} \int \langle v(t) \cdot v(0)\rangle\,dt$.</p>"
    )
    empty_text = "How much of the velocities at the start is left after a time t: from 1 to 0 in some collisions."
    axes = Axes("time t", "⟨v(t)·v(0)⟩ / ⟨v(0)²⟩", x_log=True, corner="top right")
    columns: ClassVar = {"curve": (TIME, Column("⟨v(t)·v(0)⟩/⟨v(0)²⟩"))}
    folded_at_first = True
    indicators = frozenset()

    @classmethod
    def prepare(cls, analysis: Analysis) -> CurveData | None:
        """Times since the start, and the autocorrelations then; see `Plot.prepare`."""
        time, alike = analysis.data.autocorrelation
        known = (time > 0.0) & np.isfinite(alike)
        return CurveData(time[known], alike[known]) if known.any() else None

    def _set_up(self) -> None:
        self.none = self._dotted_line(0.0)

    def _draw(self, items: CurveItems, data: CurveData) -> Drawn:
        time, alike = data
        x = np.log10(time)
        items.curve.setData(x, alike)
        right = nice_above(float(time[-1]))
        left = min(nice_below(float(time[0])), right - 1.0)
        low = min(-0.2, 1.1 * float(alike.min()))
        return Drawn(
            x,
            alike,
            lambda index: f"t = {time[index]:.4g}: {alike[index]:.3f}",
            (left, right, low, 1.1),
            {f"at t = {time[-1]:.4g}": f"{alike[-1]:.3f}".replace("-", "−")},
        )


def mean_square_displacement(analysis: Analysis) -> MeanSquareDisplacement | None:
    """The mean square displacement over σ², with the laws of its beginning, ⟨v²⟩ t², and of its end, 4 D t. None before
    any disc has moved."""
    time, squared = analysis.data.displacement
    diameter = 2.0 * analysis.mean_radius
    moved = (time > 0.0) & (squared > 0.0)
    if not moved.any():
        return None
    t, s = time[moved], squared[moved] / diameter**2
    return MeanSquareDisplacement(t, s, analysis.data.start_speed_squared / diameter**2)
