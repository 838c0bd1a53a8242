"""Plots of what collisions say: the pressure, and how far apart discs are at impact."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10
from typing import ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

from aggviewer.plots.axes import log_or_gap, nice_above
from aggviewer.plots.drawn import Drawn
from aggviewer.plots.error_bars import Errors, error_text, of_counts
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import Look
from aggviewer.plots.scaled import ScaledCurve
from aggviewer.plots.shapes import StepItems, StepsPlot
from aggviewer.plots.table import Column
from aggviewer.plots.view import Axes
from aggviewer.session.data import Analysis
from aggviewer.style.theme import Colors
from aggviewer.systems.hard_discs.analysis import ImpactHistogram
from engine.hard_discs.history import GasHistory
from engine.hard_discs.theory import CLOSE_PACKING, REFERENCE_Z, henderson

_FLUID_TO = 0.70  # where Henderson's curve ends: at freezing
_HIGHEST = 20.0  # Z that is in view where nothing asks for more
_A_POINT = 5.0  # collisions per disc that a point of the path of Z is made of, at least
_POINTS = 80  # of the path, at most
_RIGHT = 0.93
_FEWEST_PIECES, _MOST_PIECES = 5, 10  # of the time, for the error of a mean
_ALIKE = 2.0  # over √n: n pieces count as dependent if neighbours correlate more than this
_FLOOR = log10(0.5)  # of the axis: where nothing was counted
_SCALED_BACK = 0.5  # the energy falls at least to this share when the engine rescales the speeds of growing discs
_LEAST = 4.0  # units of the last place to either side that are always in view


@dataclass(frozen=True)
class EquationOfStatePath:
    """What is drawn of the pressure.

    Parameters
    ----------
    fraction, z : (K,), V_f and Z; the last pair is the present state, those before it the way of discs that grow.
    error : standard error of the last Z where it is a mean over time, else nan.
    """

    fraction: NDArray[np.float64]
    z: NDArray[np.float64]
    error: float = np.nan


class StateItems(NamedTuple):
    """What one run consists of."""

    trail: pg.PlotDataItem
    now: pg.PlotDataItem


class PressurePlot(Plot):
    """Z measured, in the literature's picture of it."""

    title = "Pressure Z"
    definition = (
        r"<p>$Z = P / (n\, kT)$, the pressure over that of an ideal gas, from the momentum that collisions have "
        r"carried so far: $Z = 1 + \sum \Delta p \cdot r / (2 N\, kT\, t)$. In a periodic box without "
        "gravity. ± is its standard error as a mean over time, from pieces of the run without the first; there is none "
        r"if the pieces depend on each other.</p><p>Line: Henderson's $Z = (1 + V_f^2 / 8) / (1 - V_f)^2$ for equal "
        "discs, up to freezing at 0.70. Rings: simulations of the literature. Dotted: close packing, $V_f = 0.907$.</p>"
    )
    empty_text = (
        "Pressure over that of an ideal gas, against the literature. Measured in a periodic box without gravity."
    )
    axes = Axes("volume fraction V<sub>f</sub>", "Z", y_log=True, corner="top left")
    columns: ClassVar = {"trail": (Column("V_f"), Column("Z")), "now": (Column("V_f now"), Column("Z now"))}
    frame_columns: ClassVar = {
        "literature": (Column("V_f"), Column("Z by Henderson")),
        "references": (Column("V_f"), Column("Z of the literature")),
    }
    indicators = frozenset()

    @classmethod
    def prepare(cls, analysis: Analysis) -> EquationOfStatePath | None:
        """See `equation_of_state_path`."""
        return equation_of_state_path(analysis)

    def _set_up(self) -> None:
        phi = np.linspace(0.0, _FLUID_TO, 141)
        self.literature = ScaledCurve(phi, np.log10(henderson(phi)), name="Henderson")
        self.references = ScaledCurve(
            np.array([one.phi for one in REFERENCE_Z]),
            np.log10([one.z for one in REFERENCE_Z]),
            pen=None,
            symbol="o",
            symbolSize=7,
            symbolBrush=None,
            name="literature",
        )
        self.references.setZValue(5)
        self._add_frame(self.literature, self.references)
        self._dotted_line(CLOSE_PACKING, 90)

    def _new_items(self) -> StateItems:
        items = StateItems(ScaledCurve(), ScaledCurve(pen=None, symbol="o"))
        for item in items:
            item.setZValue(8)
        return items

    def _style_frame(self, theme: Colors) -> None:
        super()._style_frame(theme)
        self.literature.setPen(self._pen(theme.muted, 1.5))
        self.references.setSymbolPen(self._pen(theme.text, 1.0))

    def _style(self, items: StateItems, look: Look, theme: Colors) -> None:
        items.trail.setPen(self._line(look))
        filled = look.first
        items.now.setSymbolSize(9 if filled else 13)
        items.now.setSymbolBrush(pg.mkBrush(look.colour if filled else None))
        items.now.setSymbolPen(self._pen(theme.window, 1.0) if filled else self._pen(look.colour, 2.0))

    def _draw(self, items: StateItems, data: EquationOfStatePath) -> Drawn:
        x, y = data.fraction, log_or_gap(data.z)
        items.trail.setData(x, y)
        items.now.setData(x[-1:], y[-1:])
        values = {"Z": _with_error(float(data.z[-1]), data.error)}
        if len(x) == 1 and x[-1] <= _FLUID_TO and len(self.runs) == 1:
            values["Henderson"] = _text(float(henderson(x[-1])))
        else:
            values["V<sub>f</sub>"] = f"{x[-1]:.4f}"
        low, high = min(0.0, float(np.nanmin(y))), max(log10(_HIGHEST), nice_above(float(data.z.max())) + 0.1)
        return Drawn(
            x,
            y,
            lambda index: f"V<sub>f</sub> = {x[index]:.4f}: Z = {_text(float(data.z[index]))}",
            (0.0, _RIGHT, low, high),
            values,
            errors={"now": Errors(x[-1:], data.z[-1:], np.array([data.error]))} if np.isfinite(data.error) else {},
        )


def _text(z: float) -> str:
    return f"{z:.3f}" if z < 100 else f"{z:.4g}"


def _with_error(z: float, error: float) -> str:
    return error_text(z, error) if np.isfinite(error) and z < 100 else _text(z)


def equation_of_state_path(analysis: Analysis) -> EquationOfStatePath | None:
    """Z over V_f: what was measured, and the way there where discs grow. Only in a periodic box: pressure is that of
    the bulk there."""
    history, system, measures = analysis.history, analysis.system, analysis.data.measures
    fraction, z = np.empty(0), np.empty(0)
    if system.periodic and isinstance(history, GasHistory) and np.ptp(history.volume_fraction) > 0.0:
        fraction, z = pressure_in_pieces(history, system.count)
    mean = None if measures is None else measures.compressibility
    # the mean since the start says nothing of discs that have grown meanwhile
    if not len(z) and mean is not None and np.isfinite(mean) and mean > 0.0:
        fraction, z = np.array([measures.volume_fraction]), np.array([mean])
        error = error_of_mean(history, system.count) if isinstance(history, GasHistory) else np.nan
        return EquationOfStatePath(fraction, z, error)
    return EquationOfStatePath(fraction, z) if len(z) else None


def error_of_mean(history: GasHistory, count: int) -> float:
    """The standard error of Z as a mean over time, from the scatter of its means over pieces of the history; nan below
    five pieces, and where neighbouring ones depend on each other, as in a crystal that melts.

    The first piece is left out: discs that start on a lattice have another Z there, with every seed. The rest is
    divided into at most ten pieces.
    """
    _, pieces = pressure_in_pieces(history, count)
    if len(pieces) < _FEWEST_PIECES:
        return float("nan")
    later = pieces[1:]
    off = later - later.mean()
    squared = float(off @ off)
    if squared > 0.0 and float(off[:-1] @ off[1:]) / squared > _ALIKE / np.sqrt(len(later)):
        return float("nan")
    means = np.array([piece.mean() for piece in np.array_split(later, min(len(later), _MOST_PIECES))])
    return float(means.std(ddof=1) / np.sqrt(len(means) * len(pieces) / len(later)))


def pressure_in_pieces(history: GasHistory, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """V_f and Z of pieces of a history.

    Parameters
    ----------
    history : of a gas in a periodic box.
    count : N.

    Returns
    -------
    V_f and Z, (K,) each, in the middle of the pieces; empty for too few collisions.

    Notes
    -----
    Z = 1 + Σ Δp·r / (2 N kT t), where N kT is the kinetic energy times N / (N - 1), since the centre of mass of the
    discs is at rest. A piece has five collisions per disc at least, so that its Z is known to about 1/√(5 N).

    Growth heats the discs, and from time to time the engine rescales their speeds. An interval of the history in which
    that happened is left out, since it is not known how long the discs were hot in it.
    """
    met = 2.0 * history.collisions / count
    pieces = int(min((met[-1] - met[0]) / _A_POINT, _POINTS))
    if pieces < 1:
        return np.empty(0), np.empty(0)
    rows = np.unique(np.searchsorted(met, np.linspace(met[0], met[-1], pieces + 1)))
    rows = np.minimum(rows, len(met) - 1)
    energy, fraction = history.kinetic_energy, history.volume_fraction
    scaled_back = (energy[1:] < _SCALED_BACK * energy[:-1]) & (np.diff(fraction) > 0.0)
    warm = np.where(scaled_back, 0.0, 0.5 * (energy[1:] + energy[:-1]) * np.diff(history.time))
    carried = np.where(scaled_back, 0.0, np.diff(history.virial))
    warmth, virial, fraction = _between(rows, warm) * count / max(count - 1, 1), _between(rows, carried), fraction[rows]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = 1.0 + virial / (2.0 * warmth)
    good = np.isfinite(z) & (z > 0.0)
    return 0.5 * (fraction[1:] + fraction[:-1])[good], z[good]


def _between(rows: NDArray[np.intp], steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums (K - 1,) of `steps` from each of K rows to the next. steps : changes from every row to the next."""
    return np.diff(np.concatenate(([0.0], np.cumsum(steps)))[rows])


class SeparationsPlot(StepsPlot):
    """Histogram of how far apart the discs of a pair are when they collide, in units of the last place."""

    title = "Impact separations"
    definition = (
        r"<p>Distance of two discs at their impact less the sum $\sigma$ of their radii, in units of the last place "
        r"(ulp) of $\sigma$; collisions on a log axis. Rounding leaves it a few units beside 0, and as often as not "
        r"the discs overlap (left of 0).</p><p>The stable rule $f \le 0$ and $\dot{f} \lt 0$ needs no tolerance for "
        "that (Bannerman et al. 2014, figure 3).</p>"
    )
    empty_text = "How far discs are apart when they collide, in units of the last digit."
    axes = Axes("(|r<sub>ij</sub>| - σ) / ulp", "collisions", y_log=True, corner="top left")
    floor = _FLOOR
    folded_at_first = True
    columns: ClassVar = {"steps": (Column("(|r_ij| - σ)/ulp"), Column("collisions"))}
    indicators = frozenset()

    @classmethod
    def prepare(cls, analysis: Analysis) -> ImpactHistogram | None:
        """Edges and counts, as `GasData.impacts` has them; None where nothing was counted."""
        found: ImpactHistogram | None = analysis.data.impacts
        return None if found is None or not found[1].any() else found

    def _set_up(self) -> None:
        self._dotted_line(0.0, 90)

    def _draw(self, items: StepItems, data: ImpactHistogram) -> Drawn:
        all_edges, all_counts = data
        inner = np.isfinite(all_edges[:-1]) & np.isfinite(all_edges[1:])  # the outermost bins may be open
        first, last = int(inner.argmax()), len(inner) - int(inner[::-1].argmax())
        edges, counts = all_edges[first : last + 1], all_counts[first:last]
        heights = np.log10(np.maximum(counts, 10.0**_FLOOR))
        items.steps.setData(edges, heights)
        items.steps.show()
        met = np.flatnonzero(counts)
        reach = _LEAST
        if len(met):
            reach = max(reach, -float(edges[met[0]]), float(edges[met[-1] + 1]))
        middle = 0.5 * (edges[1:] + edges[:-1])
        overlapping = int(all_counts[all_edges[1:] <= 0.0].sum()) / int(all_counts.sum())
        return Drawn(
            middle,
            heights,
            lambda index: f"{_ulps(edges[index], edges[index + 1])} ulp: {counts[index]} collisions",
            (-reach, reach, _FLOOR, nice_above(float(max(counts.max(), 1))) + 0.8),
            {"overlapping": f"{100.0 * overlapping:.1f} %"},
            errors={"steps": Errors(middle, counts.astype(np.float64), of_counts(counts))},
        )

    def _quantities(self, item: pg.PlotDataItem) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        edges, counts = super()._quantities(item)
        return edges, np.rint(counts)  # where nothing was counted the axis ends at a half


def _ulps(low: float, high: float) -> str:
    """One number where the interval lies around a whole one."""
    middle = 0.5 * (low + high)
    text = f"{middle:g}" if high - low <= 1.0 and middle == round(middle) else f"{low:g} … {high:g}"
    return text.replace("-", "−")
