"""The plot of clusters and energy over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor
from typing import ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

from aggviewer.plots.axes import log_or_gap, nice_above, nice_below, thin_history, value_text
from aggviewer.plots.drawn import Drawn, Mark
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import Look, looks, method_colour
from aggviewer.plots.scaled import ScaledCurve, ScaledLabel
from aggviewer.plots.slopes import PowerFit, Slope
from aggviewer.plots.study_curves import StudyCurve, over_count, over_first
from aggviewer.plots.table import TIME, Column
from aggviewer.plots.view import Axes
from aggviewer.session.data import Analysis
from aggviewer.style import numbers
from aggviewer.style.theme import Colors

_DASHED = (3.0, 2.0)  # E(t)
_BROKEN_DASHED = (2.0, 3.0)  # the same of a second variant
_METHODS = {"event-driven": "ED", "time-stepping": "TS"}
_SWITCHES = (-8.0, 0.12)  # from where to where the line of a switch reaches, in decades


@dataclass(frozen=True)
class Coarsening:
    """What is drawn of a history.

    Parameters
    ----------
    time, clusters, kinetic_energy : (K,), since the start or the first frame of a recording.
    now : time up to which the last entry holds.
    count : N.
    stretches : the methods that have computed it, one after the other, each with the index of its first entry; empty
        where that is not known.
    """

    time: NDArray[np.float64]
    clusters: NDArray[np.int64]
    kinetic_energy: NDArray[np.float64]
    now: float
    count: int
    stretches: tuple[tuple[str, int], ...] = ()


class CoarseningItems(NamedTuple):
    """What one run consists of, in the order in which it is painted.

    Parameters
    ----------
    switches : lines where the method changed.
    parts : energy and clusters of each method; they are drawn where more than one has computed the run.
    energy, clusters : the whole curves, which the table and the mouse read; drawn where there is one method alone.
    labels : names of the methods at the switches.
    """

    switches: pg.PlotDataItem
    parts: dict[str, tuple[pg.PlotDataItem, pg.PlotDataItem]]
    energy: pg.PlotDataItem
    clusters: pg.PlotDataItem
    labels: list[pg.TextItem]


def changes(stretches: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """The stretches without those that go on with the method of the one before."""
    found: list[tuple[str, int]] = []
    for method, first in stretches:
        if not found or found[-1][0] != method:
            found.append((method, first))
    return found


class CoarseningPlot(Plot):
    """Clusters M(t) and kinetic energy E(t), each over its start, on one pair of log axes."""

    title = "Clusters and energy"
    definition = (
        "<p>$M(t)$: clusters left at the time $t$, over the number of discs $N$ (solid). It never "
        r"grows.</p><p>$E(t)$: kinetic energy $\frac{1}{2} \sum m V^2$, over that at the start, or of the first frame "
        "of a recording (dashed). A merge keeps mass and momentum (2.9) and loses energy.</p><p><b>Slope of</b> $M$: "
        "exponent of the power law through the points of $M$ in the shaded range, the last decade of time unless its "
        "edges are dragged.</p>"
    )
    empty_text = "Clusters left and kinetic energy over time, from the first moment after the start on."
    axes = Axes("time t", "M/N, E/E₀", x_log=True, y_log=True, corner="bottom left")
    columns: ClassVar = {"clusters": (TIME, Column("M/N")), "energy": (TIME, Column("E/E₀"))}
    study_curves: ClassVar = {
        "clusters": StudyCurve("history.clusters", over_count),
        "energy": StudyCurve("history.kinetic_energy", over_first),
    }
    power_fit = PowerFit((Slope("clusters", "slope of M", "slope of M"),), decades=1.0)
    marks: ClassVar = {"M": Mark("━━", coloured=True), "E/E₀": Mark("╍╍", coloured=True)}
    broken = (9.0, 2.0)
    indicators = frozenset()

    @classmethod
    def prepare(cls, analysis: Analysis) -> Coarsening | None:
        """See `Plot.prepare`."""
        past = analysis.history
        if past is None or not len(past.time):
            return None
        count = analysis.system.count
        return Coarsening(past.time, past.clusters, past.kinetic_energy, analysis.time, count, past.stretches)

    def _new_items(self) -> CoarseningItems:
        def curve(connect: str = "finite") -> pg.PlotDataItem:
            return ScaledCurve(connect=connect)

        parts = {method: (curve(), curve()) for method in _METHODS}
        return CoarseningItems(curve("pairs"), parts, curve(), curve(), [])

    def _style(self, items: CoarseningItems, look: Look, theme: Colors) -> None:
        self._pens(items.energy, items.clusters, look)
        for method, (energy, clusters) in items.parts.items():
            self._pens(energy, clusters, replace(look, colour=method_colour(method, self._variant(items), theme)))
        items.switches.setPen(self._pen(theme.muted, 1.0))
        for label in items.labels:
            label.setColor(theme.muted)

    def _pens(self, energy: pg.PlotDataItem, clusters: pg.PlotDataItem, look: Look) -> None:
        clusters.setPen(self._line(look))
        energy.setPen(self._line(look, _BROKEN_DASHED if look.broken else _DASHED))

    def _run_of(self, items: CoarseningItems) -> int:
        return next(k for k, one in enumerate(self.items) if one is items)

    def _variant(self, items: CoarseningItems) -> int:
        return self.runs[self._run_of(items)].variant

    def _draw(self, items: CoarseningItems, data: Coarsening) -> Drawn | None:
        kept = thin_history(data.time)
        time = np.append(np.asarray(data.time)[kept], max(data.now, float(data.time[-1])))
        moved = time > 0
        if not moved.any():
            return None
        time = time[moved]
        m = np.asarray(data.clusters, np.float64)[np.append(kept, kept[-1])][moved]
        start = float(data.kinetic_energy[0])
        e = np.zeros(len(time))
        if start > 0:
            e = np.asarray(data.kinetic_energy, np.float64)[np.append(kept, kept[-1])][moved] / start
        x, ym, ye = np.log10(time), log_or_gap(m / data.count), log_or_gap(e)
        items.clusters.setData(x, ym)
        items.energy.setData(x, ye)
        entry = np.append(kept, kept[-1])[moved]
        self._draw_stretches(items, changes(data.stretches), data.time, entry, (x, ym, ye))

        def energy(index: int, digits: int = 3) -> str:
            return value_text(float(e[index]), digits) if e[index] > 0 else "0"

        right = nice_above(float(time[-1]))
        left = min(nice_below(float(time[0])), right - 1.0)
        lowest = float(np.nanmin(np.concatenate([ym, ye])))
        alone = len(self.runs) == 1
        # the picture is ahead of what was measured last, and so is M in the status bar
        measured = f"{int(m[-1])} at {numbers.moment(float(time[-1]))}" if alone else f"{int(m[-1])}"
        return Drawn(
            x,
            ym,
            lambda index: f"t = {time[index]:.4g}: M = {m[index]:.0f}, E/E₀ = {energy(index)}",
            (left, right, float(min(-1, floor(lowest + 1e-9))), 0.12),
            {"M": measured, "E/E₀": energy(-1, 3 if alone else 2)},
        )

    def _draw_stretches(
        self,
        items: CoarseningItems,
        stretches: Sequence[tuple[str, int]],
        times: NDArray[np.float64],
        entry: NDArray[np.intp],
        curves: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
    ) -> None:
        """Each stretch in the colour of the method that has made it. entry (K,): which entry of the history, at the
        times `times`, a point of the curves is: x, clusters and energy (K,)."""
        x, ym, ye = curves
        look = looks(self.runs, self.theme)[self._run_of(items)]
        several = len(stretches) > 1
        self._pens(items.energy, items.clusters, look)
        if several:
            for item in (items.energy, items.clusters):
                item.setPen(None)
        made_by = np.searchsorted([first for _, first in stretches], entry, side="right") - 1
        for method, (energy, clusters) in items.parts.items():
            mine = np.zeros(len(x), bool)
            for number, (name, _) in enumerate(stretches if several else ()):
                if name == method:
                    mine |= made_by == number
                    mine[:-1] |= made_by[1:] == number  # from the last point before, so that the curve has no gap
            for item, values in ((clusters, ym), (energy, ye)):
                item.setData(x if mine.any() else [], np.where(mine, values, np.nan) if mine.any() else [])
        places = [(float(np.log10(times[first])), name) for name, first in stretches[1:] if times[first] > 0.0]
        items.switches.setData(np.repeat([place for place, _ in places], 2), np.tile(_SWITCHES, len(places)))
        while len(items.labels) < len(places):
            label = ScaledLabel(color=self.theme.muted, anchor=(0, 0))
            self.view.addItem(label)
            items.labels.append(label)
        for k, label in enumerate(items.labels):
            label.setVisible(k < len(places))
            if k < len(places):
                label.setText(_METHODS.get(places[k][1], places[k][1]))
                label.setPos(places[k][0], _SWITCHES[1])
