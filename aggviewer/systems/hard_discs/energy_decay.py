"""The plot of the energy of discs that bounce, with Haff's law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aggviewer.plots.axes import log_or_gap, power_text, round_decades, thin_history, value_text
from aggviewer.plots.drawing import (
    LAW,
    TIME,
    Axes,
    Bounds,
    PlotDrawing,
    PlotQuantity,
    PlotSeries,
    decades,
    drawing,
)
from aggviewer.plots.fits import PowerFit, Range, Slope
from aggviewer.plots.plot import NumberMark, Plot, StudyCurve, over_first
from aggviewer.session.data import Analysis
from engine.arrays import Floats
from engine.hard_discs.fields import thermal_energy
from engine.hard_discs.pressure import conserves_energy, haffs_law
from engine.hard_discs.section import HardDiscs
from engine.words import typeset

_HAFF_BELOW = 0.5  # most decades by which the law may extend the range below the energy
_EARLIEST = 4.0  # most decades of time


@dataclass(frozen=True)
class Decay:
    """Energy against time, with Haff's law.

    Parameters
    ----------
    time, energy : (K,), kinetic energy relative to the start (to the largest value if the discs began at rest), also at
        the times at which the restitution was changed; in a periodic box without the motion of the centre of mass.
    haff : (K,), Haff's law E₀ / (1 + t/τ)², which restarts at each of these times; NaN where it does not apply, None if
        it never does.
    stretch : (K,), the index of the law that holds.
    drift : relative error of the energy if it is conserved, else None.
    """

    time: Floats
    energy: Floats
    haff: Floats | None
    stretch: NDArray[np.int64]
    drift: float | None


_WHAT = "Kinetic energy over time, with Haff's law if collisions lose energy."


class EnergyDecayPlot(Plot):
    """Kinetic energy against time, with Haff's law if collisions lose energy."""

    title = "Energy, Haff's law"
    short = "Energy"
    name = "Energy and Haff's law"
    definition = (
        r"<p>$E(t)$: kinetic energy $\frac{1}{2} \sum m v^2$, in a periodic box relative to the centre of mass, "
        r"divided by its value at the start (solid). With $\varepsilon = 1$ and without gravity or growth it is "
        r"conserved; the drift is due to rounding.</p><p><b>Haff's law</b> (dashed): "
        r"$$E = \frac{E_0}{(1 + t/\tau)^2}, \qquad \tau = \frac{2 d}{(1 - "
        r"\varepsilon^2)\, \omega_0},$$ in $d$ dimensions, with the collision rate per disc $\omega_0$ of a gas in "
        r"equilibrium (Enskog's, or measured if the gas was elastic for long). It restarts when you change "
        r"$\varepsilon$. It holds while the gas is uniform; once clusters form, the energy falls more slowly.</p>"
    )
    empty_text = f"{_WHAT} Run to see it."
    counts = True
    dimensions = (2, 3)
    axes = Axes("time t", "E/E₀", x_log=True, y_log=True, corner="bottom left")
    columns: ClassVar = {
        "energy": (TIME, PlotQuantity("E/E₀")),
        "haff": (TIME, PlotQuantity("E/E₀ by Haff's law")),
    }
    study_curves: ClassVar = {"energy": StudyCurve("history.thermal_energy", over_first)}
    power_fit = PowerFit((Slope("energy", "slope", "slope of E"),), decades=1.0, always=False)
    marks: ClassVar = {"E/E₀": NumberMark("━━", coloured=True), "E/Haff": NumberMark("╌╌")}
    indicators = frozenset()

    def why_empty(self, analysis: Analysis) -> str:
        """Once the run has gone on, nobody is told to start it."""
        return _WHAT if analysis.time > 0.0 else ""

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """Energy up to now, above the law if there is one."""
        data = decay(analysis)
        if data is None:
            return None
        kept = thin_history(data.time)
        kept = kept[data.time[kept] > 0.0]
        if not len(kept):
            return None
        time, energy = data.time[kept], data.energy[kept]
        law = None if data.haff is None else data.haff[kept]
        numbers = {"E/E₀": _digits(float(energy[-1]))}
        if law is not None and energy[-1] > 0.0 and np.isfinite(law[-1]):
            numbers["E/Haff"] = _digits(float(energy[-1] / law[-1]))
        if data.drift is not None:
            numbers["drift"] = power_text(abs(data.drift), 2) if data.drift else "0"

        def words(index: int) -> str:
            told = f"t = {typeset(time[index], '.4g')}: E/E₀ = {_digits(float(energy[index]))}"
            lawful = float("nan") if law is None else float(law[index])
            return f"{told}, Haff {_digits(lawful)}" if np.isfinite(lawful) else told

        curves = [PlotSeries("energy", time, energy, words=words)]
        if law is not None:
            whole = np.append(np.diff(data.stretch[kept]) == 0, False)  # no line between two laws
            curves.insert(0, PlotSeries("haff", time, law, role=LAW, dash="dashed", joined=whole & np.isfinite(law)))
        return drawing(curves, _bounds(time, energy, law), numbers)


def _bounds(time: Floats, energy: Floats, law: Floats | None) -> Bounds:
    """The range of the energy, with only as much of the law and of early times as fits."""
    left, right = round_decades(time, span=1.0)
    left = max(left, right - _EARLIEST)
    y = log_or_gap(energy)
    finite = y[np.isfinite(y)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    if law is not None:
        lowest = law[np.isfinite(law) & (law > 0.0)].min(initial=1.0)
        low = max(min(low, float(np.log10(lowest))), low - _HAFF_BELOW)
    low = min(float(floor(low + 1e-9)), -1.0)  # at least a decade: the numbers are below a constant energy
    return decades(left, right, low, max(high, 0.0) + 0.12)


def _digits(value: float) -> str:
    return value_text(value) if value > 0.0 else "0"


def decay(analysis: Analysis) -> Decay | None:
    """Energy against time, with Haff's law if it is expected: discs lose energy only in collisions with each other.
    None without a history, and if nothing ever moved."""
    history, data = analysis.history, analysis.data
    if history is None or not len(history.time):
        return None
    discs = data.scenario.section(HardDiscs)
    end = max(analysis.time, float(history.time[-1]))
    begun = [one for one in data.stretches if one.time <= end]
    t = np.concatenate([history.time, [one.time for one in begun[1:]], [end]])
    thermal = thermal_energy(history)
    energy = np.concatenate([thermal, [one.energy for one in begun[1:]], thermal[-1:]])
    order = np.argsort(t[:-1], kind="stable")  # the last value holds until now
    t[:-1], energy[:-1] = t[:-1][order], energy[:-1][order]
    scale = float(energy[0]) or float(energy.max())
    if not scale > 0.0:
        return None
    stretch, law = haffs_law(begun, t, data.scenario.dimensions)
    conserved = conserves_energy(discs, analysis.disc_set.periodic) and not any(discs.gravity)  # kinetic energy alone
    drift = data.measures.energy_drift if conserved and data.measures is not None else None
    return Decay(t, energy / scale, None if law is None else law / scale, stretch, drift)
