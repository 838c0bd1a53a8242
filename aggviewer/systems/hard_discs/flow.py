"""Plots of discs in a shear flow: viscosity, velocity profile and temperature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from aggviewer.plots.axes import nice_above, round_decades, thin_history, value_text
from aggviewer.plots.drawing import (
    LAW,
    LITERATURE,
    Axes,
    PlotDrawing,
    PlotQuantity,
    PlotSeries,
    drawing,
    number_with,
    powers,
)
from aggviewer.plots.fits import Range
from aggviewer.plots.plot import NumberMark, Plot
from aggviewer.plots.runs import RunStyle
from aggviewer.session.data import Analysis
from aggviewer.systems.hard_discs.analysis import GasData
from engine.arrays import Floats
from engine.hard_discs.rheology import FlowHistory, steady_temperature, viscosity_in_pieces
from engine.words import typeset

FLOWS = "flows"
"""The trait of runs with a flow (`RunStyle.traits`)."""

STRAIN = PlotQuantity("γ")

_ROOM = 1.25  # upper limit of an axis, in largest values
_USUAL = 2.5  # the largest value that an axis shows, in usual values: single pieces scatter


class FlowPlot(Plot):
    """Base class: it is shown only while discs flow."""

    dimensions = (2, 3)
    indicators = frozenset()

    def has_place(self, runs: Sequence[RunStyle]) -> bool:
        """Whether any of the runs flows; otherwise the plot is not offered."""
        return super().has_place(runs) and any(FLOWS in run.traits for run in runs)

    def text_without_data(self, runs: Sequence[RunStyle], choices: Mapping[str, Any]) -> str:
        """Why there is nothing to show, or what will be shown."""
        if not any(FLOWS in run.traits for run in runs):
            return "Nothing flows in this run: its shear rate is 0."
        return super().text_without_data(runs, choices)


class ViscosityPlot(FlowPlot):
    """The reduced viscosity over the strain."""

    title = "Viscosity η*"
    short = "Viscosity"
    definition = (
        r"<p>$\eta^* = \frac{\sigma_{xy}}{\dot\gamma}\, \frac{\sigma^{d-1}}{\sqrt{m\, kT}}$: the shear stress over the "
        r"shear rate, in units of the mean diameter $\sigma$, the mean mass $m$ and the temperature at each time. In a "
        r"slow flow of equal elastic discs it depends on $V_f$ alone, even while the flow heats them. The stress is "
        r"$\sigma_{xy} = -\frac{1}{V} (\sum m c_x c_y + \frac{1}{t} \sum \Delta p_x r_y)$, with sums over the discs, "
        r"of velocities $c$ relative to the flow, and over collisions.</p><p>Points: pieces of the run. Line: the mean "
        "over the later half of the run so far; ± is its standard error. Dotted: <b>Enskog's theory</b> for equal "
        "elastic discs and a slow flow, which holds within 5 % up to a volume fraction of 0.2, of spheres 0.3.</p>"
    )
    empty_text = "The shear stress over the shear rate as the strain grows. Run to see it."
    counts = True
    axes = Axes("strain γ", "η*", corner="top right")
    columns: ClassVar = {
        "mean": (STRAIN, PlotQuantity("η* so far")),
        "pieces": (STRAIN, PlotQuantity("η*")),
        "enskog": (STRAIN, PlotQuantity("η* by Enskog")),
    }
    marks: ClassVar = {"Enskog": NumberMark("┈┈")}
    study_numbers = ("reduced_viscosity",)

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """Pieces and mean up to now, with the theory."""
        data, history = analysis.data, analysis.history
        if not isinstance(data, GasData) or data.flow is None or not isinstance(history, FlowHistory):
            return None
        found = None if data.measures is None else data.measures.rheology
        pieces = viscosity_in_pieces(history, data.flow, 0.0 if found is None else found.since)
        known = np.isfinite(pieces.piece) & np.isfinite(pieces.mean)
        if not known.any():
            return None
        strain, piece, mean = pieces.strain[known], pieces.piece[known], pieces.mean[known]
        theory = data.flow.enskog
        numbers = {"η*": typeset(float(mean[-1]), ".3g")}
        if found is not None:
            best = found.reduced_viscosity
            numbers = {"η*": number_with(best.error, best.mean, typeset(best.mean, ".3g"))}

        def words(index: int) -> str:
            return f"γ = {typeset(strain[index], '.4g')}: η* = {typeset(mean[index], '.3g')}"

        curves = []
        if theory is not None:
            numbers["Enskog"] = typeset(theory, ".3g")
            ends = np.array([min(0.0, strain.min()), max(0.0, strain.max())])
            curves.append(PlotSeries("enskog", ends, np.full(2, theory), role=LITERATURE, dash="dotted"))
        curves += [
            PlotSeries("pieces", strain, piece, "points", marker="o", size=4.0),
            PlotSeries("mean", strain, mean, words=words),
        ]
        return drawing(curves, _bounds(strain, piece, max(float(mean[-1]), theory or 0.0)), numbers)


class FlowTemperaturePlot(FlowPlot):
    """The temperature relative to the flow, over the strain."""

    title = "Temperature of the flow"
    short = "kT in flow"
    definition = (
        r"<p>$kT = \frac{1}{d} \langle m c^2\rangle$ over the strain, with velocities $c$ relative to the flow, in $d$ "
        r"dimensions. Shear heats by $\eta \dot\gamma^2$ per volume and time; elastic discs become hotter and "
        r"hotter.</p><p>Inelastic collisions dissipate $\frac{d}{2}\, n\, kT\, \frac{1 - \varepsilon^2}{d}\, "
        r"\omega$ per volume and time. Dashed: the temperature at which both are equal, with Enskog's $\eta$ and "
        r"$\omega$, $kT \propto m (\dot\gamma \sigma)^2 / (1 - \varepsilon^2)$; for nearly elastic discs.</p>"
    )
    empty_text = "The temperature, and the one at which collisions dissipate as much as shear heats. Run to see it."
    counts = True
    axes = Axes("strain γ", "kT", y_log=True, corner="top right")
    columns: ClassVar = {
        "temperature": (STRAIN, PlotQuantity("kT", "mass·length²/time²")),
        "steady": (STRAIN, PlotQuantity("kT steady", "mass·length²/time²")),
    }
    marks: ClassVar = {"kT": NumberMark("━━", coloured=True), "steady": NumberMark("╌╌")}

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The temperature up to now, with that of the balance."""
        data, history = analysis.data, analysis.history
        if not isinstance(data, GasData) or data.flow is None or not isinstance(history, FlowHistory):
            return None
        kept = thin_history(history.time)
        strain, warm = history.strain[kept], history.thermal_energy[kept] / data.flow.half_freedom
        if not len(kept) or not np.ptp(strain) > 0.0:
            return None
        steady = steady_temperature(data.flow, data.shear_rate) if data.shear_rate else None

        def words(index: int) -> str:
            return f"γ = {typeset(strain[index], '.4g')}: kT = {value_text(float(warm[index]))}"

        numbers = {"kT": value_text(float(warm[-1]))}
        curves = [PlotSeries("temperature", strain, warm, words=words)]
        if steady is not None:
            numbers["steady"] = value_text(steady)
            ends = np.array([strain.min(), strain.max()])
            curves.insert(0, PlotSeries("steady", ends, np.full(2, steady), role=LAW, dash="dashed"))
        left, right, _, _ = _bounds(strain, warm, 1.0)
        known = warm if steady is None else np.append(warm, steady)
        return drawing(curves, (left, right, *powers(*round_decades(known, margin=0.1, span=1.0))), numbers)


class VelocityProfilePlot(FlowPlot):
    """The mean velocity along the flow against the height."""

    title = "Velocity profile"
    short = "Profile v(y)"
    name = "Velocity profile of the flow"
    definition = (
        r"<p>$\langle v_x\rangle(y)$: the mean velocity of the discs along the flow in slabs at the height $y$, "
        r"in mean diameters $\sigma$, with standard errors. Dashed: $\dot\gamma (y - L_y / 2)$, which "
        "the images above and below the box impose. In a dense or very dissipative gas the profile may bend: the shear "
        "is concentrated in a band.</p>"
    )
    empty_text = "The mean velocity along the flow at each height, and the straight line that is imposed."
    axes = Axes("y / σ", "⟨v<sub>x</sub>⟩", corner="top left")
    columns: ClassVar = {
        "profile": (PlotQuantity("y/σ"), PlotQuantity("⟨v_x⟩", "length/time")),
        "imposed": (PlotQuantity("y/σ"), PlotQuantity("⟨v_x⟩ imposed", "length/time")),
    }
    marks: ClassVar = {"slope/γ̇": NumberMark("━━", coloured=True)}

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The profile of this state, with the line that is imposed."""
        data = analysis.data
        if not isinstance(data, GasData) or data.profile is None or not data.shear_rate:
            return None
        found, rate, height = data.profile, data.shear_rate, float(analysis.disc_set.box[1])
        unit = 2.0 * analysis.mean_radius
        at, ends = found.y / unit, np.array([0.0, height])
        imposed = rate * (ends - 0.5 * height)

        def words(index: int) -> str:
            speed = number_with(float(found.error[index]), float(found.velocity[index]), f"{found.velocity[index]:.3g}")
            return f"y = {at[index]:.1f} σ: ⟨v<sub>x</sub>⟩ = {speed}"

        known = np.isfinite(found.velocity)
        slope = float(np.polyfit(found.y[known], found.velocity[known], 1)[0]) if known.sum() > 1 else np.nan
        far = _ROOM * max(float(np.abs(imposed).max()), float(np.nanmax(np.abs(found.velocity), initial=0.0)))
        return drawing(
            [
                PlotSeries("imposed", ends / unit, imposed, role=LAW, dash="dashed"),
                PlotSeries(
                    "profile", at, found.velocity, "points", marker="o", size=5.0, error=found.error, words=words
                ),
            ],
            (0.0, height / unit, -far, far),
            {"slope/γ̇": typeset(slope / rate, ".3f")} if np.isfinite(slope) else {},
        )


def _bounds(strain: Floats, values: Floats, usual: float) -> tuple[float, float, float, float]:
    """The range of values over the strain: from 0 on, up to a round number above most of them."""
    most = min(float(values.max()), _USUAL * usual) if usual > 0.0 else float(values.max())
    high = 10.0 ** nice_above(_ROOM * max(most, usual)) if max(most, usual) > 0.0 else 1.0
    left, right = min(0.0, float(strain.min())), max(0.0, float(strain.max()))
    return left, right if right > left else left + 1.0, 0.0, high
