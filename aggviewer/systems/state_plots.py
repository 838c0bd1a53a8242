"""Plots of a state that any system can use, those of systems without a view of their own, and those of indicators that
plug-ins have added."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from aggviewer.plots.axes import nice_above, round_decades, thin_history, value_text
from aggviewer.plots.drawing import (
    LAW,
    Axes,
    Bounds,
    NumberTexts,
    PlotDrawing,
    PlotQuantity,
    PlotSeries,
    TableValues,
    Ticks,
    decades,
    drawing,
    level,
    number_with,
    powers,
    told,
)
from aggviewer.plots.fits import PowerFit, Range, Slope
from aggviewer.plots.plot import Conversion, NumberMark, Plot, StartDiscs, StudyCurve
from aggviewer.session.data import Analysis
from engine.arrays import Floats
from engine.indicators import ANY, Indicator, IndicatorPlot, MeasuredCurve, registered
from engine.simulation import Column
from engine.study.labels import as_html
from engine.system import Clock, System
from engine.words import typeset

if TYPE_CHECKING:
    from engine.analysis import Profile, StructureFactor

_MARGIN = 0.05  # decades left free beside the data
_ALIKE = 1.15  # upper limit of the axis if discs at contact move alike, C = 1
_LEAST_TOP = 2.0  # of profiles


def times_diameter(k: Floats, s: Floats, discs: StartDiscs) -> tuple[Floats, Floats]:
    """k multiplied by the mean diameter at the start, and s, both (K,)."""
    return k * 2.0 * discs.radius, s


class StructureFactorPlot(Plot):
    """The plot of the structure factor S(k) over the wave number k."""

    dimensions = ANY
    title = "Structure factor S(k)"
    short = "Structure S(k)"
    name = "S(k)"
    definition = (
        r"<p>$S(k) = \frac{1}{N} |\sum_j \exp(i k \cdot X_j)|^2$, averaged over wave vectors of length $k$ that fit "
        r"into the box. The axis is $k$ times the mean diameter $\sigma$. An ideal gas has 1 (dotted).</p><p>At "
        r"small $k$ it gives the compressibility of a gas or the dimension of clusters ($S \propto k^{-D_f}$); it "
        r"falls towards 0 if the density hardly fluctuates over long distances. A peak near $k \sigma = 6$ means "
        "shells of neighbours.</p>"
    )
    empty_text = "Density fluctuations over lengths 2π/k: compressibility, fractal clusters, shells of neighbours."
    axes = Axes("k σ", "S(k)", x_log=True, y_log=True, corner="bottom right")
    power_fit = PowerFit((Slope("curve", "slope", "slope of S(k)"),), always=False)
    columns: ClassVar = {"curve": (PlotQuantity("kσ"), PlotQuantity("S(k)"))}
    study_curves: ClassVar = {"curve": StudyCurve("structure_factor", times_diameter)}
    folded_at_first = True
    indicators = averaged = frozenset({"structure_factor"})

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """S(k); the standard errors of one state are only in the table, since there would be too many bars."""
        data = self.measured(analysis)
        if data is None:
            return None
        k = data.k * data.diameter
        x, ends = np.log10(k), round_decades(data.s, around=(-1.0, 1.0), margin=_MARGIN)

        def words(index: int) -> str:
            error = data.error[index]
            return f"kσ = {typeset(k[index], '.3g')}: S = {typeset(data.s[index], '.3g')}" + (
                f" ± {typeset(error, '.1g')}" if error > 0.0 else ""
            )

        alone, averaged = value_text(float(data.s[0])) if data.s[0] > 0.0 else "0", analysis.means is not None
        curve = PlotSeries("curve", k, data.s, error=data.error if averaged else None, banded=True, words=words)
        return drawing(
            [level("ideal", 1.0), curve],
            decades(float(x[0]) - _MARGIN, float(x[-1]) + _MARGIN, *ends),
            {f"S at kσ = {typeset(k[0], '.2g')}": number_with(float(data.error[0]), float(data.s[0]), alone)},
            table=() if averaged else (TableValues("S(k) standard error", "1", data.error),),
        )

    def measured(self, analysis: Analysis) -> StructureFactor | None:
        """The measured structure factor."""
        found: StructureFactor | None = analysis.indicators.structure_factor
        return found


def over_diameter(r: Floats, c: Floats, discs: StartDiscs) -> tuple[Floats, Floats]:
    """Divide r by the mean diameter at the start. r, c : (K,)."""
    return r / (2.0 * discs.radius), c


class VelocityCorrelationPlot(Plot):
    """The correlation of the velocities of two discs against their distance."""

    dimensions = ANY
    title = "Velocity correlation C(r)"
    short = "Velocities C(r)"
    name = "C(r) of velocities"
    definition = (
        r"<p>$C(r) = \langle V_i \cdot V_j\rangle / \langle V^2\rangle$ for pairs of discs at a distance $r$ "
        r"(solid), in mean diameters $\sigma$: 1 if they move alike, 0 if their motions are independent. In a "
        r"periodic box relative to the mean motion.</p><p>$C_\parallel(r)$ (dashed): the components along the line "
        "between the two. If it stays above half of $C$ (in space a third), discs stream together; in vortices it is "
        "below.</p>"
    )
    empty_text = "Whether {discs} a distance r apart move alike, as in clusters, streams and vortices."
    axes = Axes("r / σ", "C(r)", corner="top right")
    columns: ClassVar = {
        "total": (PlotQuantity("r/σ"), PlotQuantity("C(r)")),
        "parallel": (PlotQuantity("r/σ"), PlotQuantity("C_∥(r)")),
    }
    study_curves: ClassVar = {"total": StudyCurve("velocity_correlation", over_diameter)}
    marks: ClassVar = {"C(σ)": NumberMark("━━", coloured=True), "C<sub>∥</sub>(σ)": NumberMark("╍╍")}
    folded_at_first = True
    indicators = averaged = frozenset({"velocity_correlation"})

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """C(r), in total and for the components along the line between two discs."""
        data = analysis.indicators.velocity_correlation
        if data is None or not len(data.r):
            return None
        r = data.r / data.diameter
        least = float(min(data.total.min(), data.parallel.min()))
        most = float(max(data.total.max(), data.parallel.max()))
        high = max(0.1, 10.0 ** nice_above(1.05 * most)) if most > 0.0 else 0.1
        if 0.5 < most < _ALIKE:
            high = _ALIKE
        low = min(-0.1 * high, -(10.0 ** nice_above(-1.05 * least)) if least < 0.0 else 0.0)

        errors, others = (analysis.error("velocity_correlation", part) for part in ("total", "parallel"))

        def words(k: int) -> str:
            total, parallel = told(data.total, k, errors, ".3f"), told(data.parallel, k, others, ".3f")
            return f"r = {r[k]:.2f} σ: C = {total}, C<sub>∥</sub> = {parallel}"

        return drawing(
            [
                level("none", 0.0),
                PlotSeries("parallel", r, data.parallel, role=LAW, dash="dashed", error=others, banded=True),
                PlotSeries("total", r, data.total, error=errors, banded=True, words=words),
            ],
            (0.0, float(r[-1]) + 0.5, low, high),
            {
                "C(σ)": told(data.total, 0, errors, ".3f"),
                "C<sub>∥</sub>(σ)": told(data.parallel, 0, others, ".3f"),
            },
        )


class ProfilePlot(Plot):
    """Base class: density and speed relative to their means, against a length in mean diameters σ."""

    dimensions = ANY
    symbol: ClassVar[str] = ""
    """Of the length."""
    marks: ClassVar = {"max ρ/ρ̄": NumberMark("━━", coloured=True), "max |v|/⟨|v|⟩": NumberMark("╍╍")}
    folded_at_first = True

    def profile(self, analysis: Analysis) -> Profile | None:
        """The measured profile."""
        raise NotImplementedError

    def sizes(self, edges: Floats, dimensions: int) -> Floats:
        """Numbers in proportion to the areas of the rings or slabs between these edges, in space to volumes.

        edges : (K + 1,), ascending; returns (K,).
        """
        return np.diff(edges)

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The density relative to the mean, and the mean speed relative to that of all discs if velocities are
        known."""
        found = self.profile(analysis)
        if found is None:
            return None
        at = found.middle / (2.0 * analysis.mean_radius)
        speed = self._over_mean(found, len(analysis.disc_set.box))
        (name,) = self.averaged
        errors, fast_errors = analysis.error(name, "density"), analysis.error(name, "speed")
        if fast_errors is not None and speed is not None and found.speed is not None:
            fast_errors = fast_errors * float(np.nanmax(speed) / np.nanmax(found.speed))
        tops, shown = [float(found.density.max())], [told(found.density, int(found.density.argmax()), errors, ".2f")]
        if speed is not None and np.isfinite(speed).any():
            tops.append(float(np.nanmax(speed)))
            shown.append(told(speed, int(np.nanargmax(speed)), fast_errors, ".2f"))

        def words(index: int) -> str:
            fast = "" if speed is None else f", |v|/⟨|v|⟩ = {told(speed, index, fast_errors, '.2f')}"
            return f"{self.symbol} = {at[index]:.1f} σ: ρ/ρ̄ = {told(found.density, index, errors, '.3f')}{fast}"

        high = 10.0 ** nice_above(max(_LEAST_TOP, 1.05 * max(tops)))
        half = 0.5 * float(at[1] - at[0]) if len(at) > 1 else 0.5
        curves = [level("even", 1.0)]
        if speed is not None:
            curves.append(PlotSeries("speed", at, speed, role=LAW, dash="dashed", error=fast_errors, banded=True))
        curves.append(PlotSeries("density", at, found.density, error=errors, banded=True, words=words))
        return drawing(
            curves,
            (float(at[0]) - half, float(at[-1]) + half, 0.0, high),
            dict(zip(("max ρ/ρ̄", "max |v|/⟨|v|⟩"), shown, strict=False)),
        )

    def _over_mean(self, found: Profile, dimensions: int) -> Floats | None:
        """Mean speeds relative to that of all discs; nan without discs."""
        if found.speed is None:
            return None
        weight = np.where(np.isfinite(found.speed), found.density * self.sizes(found.edges, dimensions), 0.0)
        mean = float((weight * np.nan_to_num(found.speed)).sum() / max(weight.sum(), 1e-300))
        return found.speed / mean if mean > 0.0 else None


class RadialProfilePlot(ProfilePlot):
    """Density and speed against the distance from the centre of the box."""

    symbol = "r"
    title = "Profile from the centre"
    short = "Radial profile"
    definition = (
        r"<p>$\rho(r) / \bar\rho$ (solid): density at a distance $r$ from the centre of the box, divided by the mean "
        r"density; $r$ in mean diameters $\sigma$. Dashed: mean speed there, divided by that of all discs in the "
        "range. Dotted: 1.</p>"
    )
    empty_text = "Density and speed at a distance r from the centre of the box."
    axes = Axes("r / σ", "over the mean", corner="top right")
    columns: ClassVar = {
        "density": (PlotQuantity("r/σ"), PlotQuantity("ρ/ρ̄")),
        "speed": (PlotQuantity("r/σ"), PlotQuantity("|v|/⟨|v|⟩")),
    }
    indicators = averaged = frozenset({"radial_profile"})

    def profile(self, analysis: Analysis) -> Profile | None:
        """The profile in rings."""
        found: Profile | None = analysis.indicators.radial_profile
        return found

    def sizes(self, edges: Floats, dimensions: int) -> Floats:
        """The sizes of the rings or shells between `edges`, up to a common factor."""
        return np.diff(edges**dimensions)


class HeightProfilePlot(ProfilePlot):
    """Density and speed against the height."""

    symbol = "h"
    title = "Profile over the height"
    short = "Height profile"
    definition = (
        r"<p>$\rho(h) / \bar\rho$ (solid): density at height $h$, which is $y$, in space $z$, divided by the mean "
        r"density; $h$ in mean diameters $\sigma$. Dashed: mean speed there, divided by that of all discs. Dotted: 1."
        "</p><p>Under gravity, an elastic gas has the same speeds everywhere, and its density falls with height. A "
        "gas that loses energy is cold and dense near the ground.</p>"
    )
    empty_text = "Density and speed at a height h: layers at walls, and the effect of gravity."
    axes = Axes("h / σ", "over the mean", corner="top right")
    columns: ClassVar = {
        "density": (PlotQuantity("h/σ"), PlotQuantity("ρ/ρ̄")),
        "speed": (PlotQuantity("h/σ"), PlotQuantity("|v|/⟨|v|⟩")),
    }
    indicators = averaged = frozenset({"height_profile"})

    def profile(self, analysis: Analysis) -> Profile | None:
        """The profile in slabs."""
        found: Profile | None = analysis.indicators.height_profile
        return found


_PLAIN_MARGIN = 0.05  # share of the range left free above and below the data


class HistoryPlot(Plot):
    """Base class: one column of the history against time."""

    column = ""
    symbol = ""
    """The symbol of the column, for the number in the corner."""
    indicators = frozenset()
    counts = True

    def rows(self, analysis: Analysis) -> tuple[Floats, Floats] | None:
        """Times and values (K,), up to the present time; None without any."""
        past = analysis.history
        return None if past is None else (past.time, np.asarray(vars(past)[self.column], np.float64))

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The column, up to the present time."""
        rows = self.rows(analysis)
        if rows is None or not len(rows[0]):
            return None
        kept = thin_history(rows[0])
        time, values = rows[0][kept], rows[1][kept]
        known = values[np.isfinite(values)]
        if not len(known):
            return None
        low, high = float(known.min()), float(known.max())
        room = _PLAIN_MARGIN * (high - low) or max(abs(high), 1.0)
        right = max(float(time[-1]), float(time[0]) + 1e-9)
        curve = PlotSeries(
            "curve",
            time,
            values,
            words=lambda index: f"{typeset(time[index], '.4g')}: {self.symbol} = {typeset(values[index], '.5g')}",
        )
        return drawing(
            [curve], (float(time[0]), right, low - room, high + room), {self.symbol: typeset(known[-1], ".5g")}
        )


class RecordedPlot(HistoryPlot):
    """Base class: a number that a plug-in records, against time, at the states that were measured."""

    counts = False

    def why_empty(self, analysis: Analysis) -> str:
        """Why there is no number, if it fails."""
        return escape(analysis.problems.get(self.column, ""))

    def rows(self, analysis: Analysis) -> tuple[Floats, Floats] | None:
        """Times and values (K,), without states that have none; None without any."""
        if self.column not in analysis.recorded:
            return None
        values = analysis.recorded[self.column]
        known = np.isfinite(values)
        return analysis.recorded["time"][known], values[known]


class IndicatorCurvePlot(Plot):
    """Base class: the values of an indicator that are curves or histograms."""

    of = ""
    """The name of the indicator."""
    shown: IndicatorPlot

    def why_empty(self, analysis: Analysis) -> str:
        """Why there is no curve, if it fails."""
        return escape(analysis.problems.get(self.of, ""))

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The curve of the state, or the mean over the run."""
        found = None if analysis.general is None else analysis.general.value(self.of)
        if analysis.means is not None:
            found = vars(analysis.indicators)[self.of]
        errors = analysis.error(self.of, "y")
        if not isinstance(found, MeasuredCurve) or not np.isfinite(found.y).any():
            return None
        x, y, steps = found.x, found.y, len(found.x) > len(found.y)
        at = 0.5 * (x[1:] + x[:-1]) if steps else x

        def words(k: int) -> str:
            return f"{self.axes.x} = {typeset(at[k], '.4g')}: {self.axes.y} = {told(y, k, errors, '.4g')}"

        from_zero = steps or self.shown.kind == "bars"
        across = _room(x, self.shown.x_log, 0.0 if steps else _PLAIN_MARGIN)
        up = _room(np.append(y, 0.0) if from_zero else y, self.shown.y_log, _PLAIN_MARGIN)
        if across is None or up is None:
            return None
        kind = "steps" if steps else self.shown.kind
        curve = PlotSeries("curve", x, y, kind, error=errors, banded=kind == "line", words=words)
        return drawing([curve], (*across, *up))


def _room(values: Floats, log: bool, margin: float) -> tuple[float, float] | None:
    """The ends of an axis with some room around these values, 0 included; None if it has none of them."""
    seen = values[np.isfinite(values) & ((values > 0.0) | (not log))]
    if not len(seen):
        return None
    if log:
        return powers(*round_decades(seen))
    low, high = float(seen.min()), float(seen.max())
    room = margin * (high - low) or (0.0 if high > low else max(abs(high), 1.0))
    return (low if low == 0.0 else low - room), high + room


def added_plots(clock: Clock) -> tuple[Plot, ...]:
    """The plots of the indicators that plug-ins have added, for a system with this clock."""
    return tuple(_plot_of(one, clock) for one in registered() if one.in_history or one.plot)


@cache
def _plot_of(indicator: Indicator, clock: Clock) -> Plot:
    name, label, shown = indicator.name, indicator.label[:1].upper() + indicator.label[1:], indicator.plot
    wants: dict[str, object] = {"dimensions": indicator.dimensions or (2,), "indicators": frozenset({name})}
    if shown is None:
        column = Column(label, indicator.symbol, indicator.unit)
        return _over_time(RecordedPlot, name, column, clock, "1" if clock.counts else "time", **wants)
    wants["averaged"] = frozenset() if indicator.averaged is None else frozenset({name})
    values: dict[str, object] = {
        "of": name,
        "shown": shown,
        "title": label,
        "short": shown.y,
        "definition": f"<p>{escape(shown.definition or label)}</p>",
        "empty_text": f"{escape(label)}.",
        "axes": Axes(as_html(shown.x), as_html(shown.y), shown.x_log, shown.y_log, corner="top right"),
        "columns": {"curve": (PlotQuantity(shown.x), PlotQuantity(shown.y))},
    }
    return _made(IndicatorCurvePlot, name, values | wants)


@cache
def history_plots(system: System) -> tuple[Plot, ...]:
    """A plot for each column that is defined in this system."""
    columns = system.history.columns()
    across = columns.pop("time")
    if not system.joins:
        columns.pop("clusters", None)
    if not system.moves:
        columns.pop("kinetic_energy", None)
    clock = system.clock
    found: list[Plot] = []
    for name, column in columns.items():
        curves = {"curve": StudyCurve(f"history.{name}")}
        found.append(_over_time(HistoryPlot, name, column, clock, across.unit, study_curves=curves))
    return tuple(found)


def _over_time(base: type[HistoryPlot], name: str, column: Column, clock: Clock, unit: str, **more: object) -> Plot:
    """The plot of a column of this name over time. unit : of time."""
    symbol = column.symbol or column.label
    values: dict[str, object] = {
        "column": name,
        "symbol": as_html(symbol),
        "title": column.label,
        "definition": f"<p><b>{escape(column.label)}</b> over {escape(clock.name)}.</p>",
        "empty_text": f"{escape(column.label)} over {escape(clock.name)}.",
        "axes": Axes(escape(f"{clock.name} {clock.symbol}"), as_html(symbol), corner="top right"),
        "columns": {
            "curve": (PlotQuantity(clock.symbol, unit or "1"), PlotQuantity(symbol, column.unit or "1")),
        },
    }
    return _made(base, name, values | more)


def _made(base: type[Plot], name: str, values: dict[str, object]) -> Plot:
    """A plot that is declared by these values of its class; its key is `name`."""
    made: Plot = type(f"{name.title().replace('_', '')}Plot", (base,), values)()
    return made


def shares_in_bars(last_bar: int) -> Conversion:
    """Convert a study's curve, the numbers of discs with 0, 1, … contacts, to shares in these bars."""

    def shown(contacts: Floats, counts: Floats, discs: StartDiscs) -> tuple[Floats, Floats]:
        binned = in_bars(counts, last_bar)
        return np.arange(last_bar + 1.0), binned / max(1.0, float(binned.sum()))

    return shown


def in_bars(discs: ArrayLike, last_bar: int) -> Floats:
    """Numbers of discs by bar, (n,) with n = last_bar + 1, from numbers by contacts, (m,); the last bar has all further
    ones."""
    found = np.asarray(discs, np.float64)
    counts = np.zeros(last_bar + 1)
    counts[: min(len(found), last_bar)] = found[:last_bar]
    counts[last_bar] = np.sum(found[last_bar:])
    return counts


def bar_ticks(last_bar: int) -> Ticks:
    """Ticks with a label below each bar."""
    return Ticks([*((float(k), str(k)) for k in range(last_bar)), (float(last_bar), f"≥ {last_bar}")])


def share_ticks(labelled: tuple[float, ...], lines: tuple[float, ...] = ()) -> Ticks:
    """Ticks with labelled shares, and further grid lines."""
    return Ticks([(share, f"{100 * share:.0f} %") for share in labelled], lines)


def contact_bars(
    counts: Floats, numbers: NumberTexts, bounds: Bounds, more: Callable[[int], str] = lambda index: ""
) -> PlotDrawing:
    """Bars for the shares of these numbers of discs; the last bar has all with more contacts.

    They have no error bars: contacts of neighbours are correlated, so the shares vary about half as much as for
    independent discs.

    Parameters
    ----------
    counts : (B,), numbers of discs with 0, 1, … contacts.
    more : additional text for the bar under the pointer.
    """
    shares = counts / max(1.0, float(counts.sum()))

    def words(index: int) -> str:
        name = f"{index} or more" if index == len(counts) - 1 else str(index)
        return f"{name}: {100 * shares[index]:.1f} %{more(index)}"

    return drawing([PlotSeries("bars", np.arange(float(len(counts))), shares, "bars", words=words)], bounds, numbers)
