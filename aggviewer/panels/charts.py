"""The four plots. Each takes a small record of what it draws, in units of R where it is a length."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget

from aggviewer.panels.axes import nice_above, nice_below, value_text
from aggviewer.panels.plot_card import PlotCard
from aggviewer.panels.plot_view import PlotView
from aggviewer.panels.style import Theme
from aggviewer.panels.thinning import thin_history

_TOP_LEFT = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
_TOP_RIGHT = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight
_BOTTOM_LEFT = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft
_NOTHING = np.empty(0)
_MARGIN = 0.1  # decades that a log range keeps free around its data
_FIT_FROM = 3.0  # least eps / R of the fit of D_f; the greatest is L / 2, the largest box
_LAST_BAR = 6  # the bar of this many neighbours stands for more as well


@dataclass(frozen=True)
class BoxCounts:
    """eps (K,): side of the boxes over R, n (K,): occupied boxes; fit: N = prefactor (eps/R)^-dimension, as
    (dimension, prefactor), None where less than two sizes lie in the range of the fit."""

    eps: NDArray[np.float64]
    n: NDArray[np.float64]
    fit: tuple[float, float] | None


@dataclass(frozen=True)
class PairCounts:
    """r (K,): distance over R; p (K,): P(r)."""

    r: NDArray[np.float64]
    p: NDArray[np.float64]


@dataclass(frozen=True)
class Contacts:
    """histogram (k,): discs with 0, 1, … neighbours; relative: N_c."""

    histogram: NDArray[np.int64]
    relative: float | None


@dataclass(frozen=True)
class Coarsening:
    """time, clusters, kinetic_energy (K,): since the start; now: the time up to which the last entry holds."""

    time: NDArray[np.float64]
    clusters: NDArray[np.int64]
    kinetic_energy: NDArray[np.float64]
    now: float


def _log(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """log10, NaN where there is none: a gap in the curve."""
    values = np.asarray(values, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(values > 0, np.log10(np.where(values > 0, values, 1.0)), np.nan)


def _label(symbol: str, value: str) -> str:
    return f"{symbol} = <b>{value}</b>"


class BoxCountingPlot(PlotCard):
    """N(ε) with the line whose slope is -D_f, over the range of the fit (4.15)."""

    title = "Box counting N(ε)"
    definition = (
        "<p><b>N(ε)</b> (4.15): cells of side ε = L / 2<sup>m</sup>, m = 1 … 10, that hold a disc's centre.</p>"
        "<p><b>D<sub>f</sub></b>, the fractal dimension, is minus the slope of log N over log ε in the shaded range "
        "3R ≤ ε ≤ L/2. A line has 1, a filled plane 2.</p>"
    )
    empty_text = "Cells of side ε that hold a disc. The slope gives the fractal dimension D<sub>f</sub>."

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        view = PlotView(x_log=True, y_log=True, corner=_BOTTOM_LEFT)
        view.set_labels("ε / R", "N(ε)")
        super().__init__(number, view, parent)
        self.band = pg.LinearRegionItem(movable=False, pen=pg.mkPen(None))
        self.band.setZValue(-20)
        self.band.hide()
        self.line = pg.PlotDataItem()
        self.points = pg.PlotDataItem(pen=None, symbol="o", symbolSize=7)
        for item in (self.band, self.line, self.points):
            view.addItem(item)
        view.describe = self._describe

    def _draw(self, data: BoxCounts) -> None:
        x, y = _log(data.eps), _log(data.n)
        self.points.setData(x, y)
        self.band.setVisible(data.fit is not None)
        if data.fit is None:
            self.line.setData([], [])
            self.view.set_value("too few sizes ε above 3R for D<sub>f</sub>")
        else:
            dimension, prefactor = data.fit
            ends = np.log10([_FIT_FROM, float(data.eps.max())])
            self.band.setRegion(tuple(ends))
            self.line.setData(ends, log10(prefactor) - dimension * ends)
            self.view.set_value(_label("D<sub>f</sub>", f"{dimension:.3f}"))
        self.view.set_points(x, y)
        if np.isfinite(x).any():
            self.view.set_bounds(
                (
                    np.nanmin(x) - _MARGIN,
                    np.nanmax(x) + _MARGIN,
                    -_MARGIN,
                    nice_above(float(np.nanmax(data.n))) + 2 * _MARGIN,
                )
            )

    def _clear(self) -> None:
        self.band.hide()
        self.line.setData([], [])
        self.points.setData([], [])
        self.view.set_points(_NOTHING, _NOTHING)

    def _describe(self, index: int) -> str:
        return f"ε = {self._data.eps[index]:.3g} R, N = {self._data.n[index]:.0f}"

    def _recolour(self, theme: Theme) -> None:
        self.points.setSymbolBrush(pg.mkBrush(theme.event_driven))
        self.points.setSymbolPen(pg.mkPen(None))
        self.line.setPen(self._pen(theme.text, 1))
        self.band.setBrush(pg.mkBrush(*theme.band))


class PairDistributionPlot(PlotCard):
    """P(r) for 2R < r < 20R (4.14)."""

    title = "Pair distribution P(r)"
    definition = (
        "<p><b>P(r)</b> (4.14): discs within the distance r of a disc, itself included, averaged over all discs; "
        "for 2R &lt; r &lt; 20R.</p><p>In a fractal cluster it grows as r<sup>D</sup>: a straight line here.</p>"
    )
    empty_text = "How many discs lie within the distance r of a disc, on average."

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        view = PlotView(x_log=True, y_log=True, corner=_TOP_LEFT)
        view.set_labels("r / R", "P(r)")
        super().__init__(number, view, parent)
        self.curve = pg.PlotDataItem(connect="finite")
        view.addItem(self.curve)
        view.describe = self._describe

    def _draw(self, data: PairCounts) -> None:
        x, y = _log(data.r), _log(data.p)
        self.curve.setData(x, y)
        self.view.set_points(x, y)
        if len(data.p):
            self.view.set_value(_label(f"P({data.r[-1]:.0f}R)", f"{data.p[-1]:.1f}"))
        if np.isfinite(y).any():
            low = nice_below(float(10 ** np.nanmin(y)))
            self.view.set_bounds(
                (
                    float(np.nanmin(x)),
                    float(np.nanmax(x)) + _MARGIN / 2,
                    low,
                    max(low + 1.0, nice_above(float(10 ** np.nanmax(y)))) + _MARGIN,
                )
            )

    def _clear(self) -> None:
        self.curve.setData([], [])
        self.view.set_points(_NOTHING, _NOTHING)

    def _describe(self, index: int) -> str:
        return f"r = {self._data.r[index]:.2f} R, P = {self._data.p[index]:.2f}"

    def _recolour(self, theme: Theme) -> None:
        self.curve.setPen(self._pen(theme.event_driven, 2))


class ContactsPlot(PlotCard):
    """Share of the discs with 0, 1, … 6 and more neighbours, with N_c (4.13)."""

    title = "Contacts"
    definition = (
        "<p>Share of the discs with 0, 1, … neighbours within 2.1 R (the last bar: 6 or more).</p>"
        "<p><b>N<sub>c</sub></b> (4.13), the relative contacts: pairs with |X<sub>i</sub> - X<sub>j</sub>| ≤ 2.1 R "
        "over 6 N, where a disc counts as its own neighbour; 1/6 for loose discs, near 0.5 for an aggregate.</p>"
    )
    empty_text = "Share of the discs with 0, 1, 2, … neighbours in contact."

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        view = PlotView(x_log=False, y_log=False, corner=_TOP_RIGHT)
        view.set_labels("neighbours within 2.1 R", "share of discs")
        super().__init__(number, view, parent)
        self.places = np.arange(_LAST_BAR + 1)
        self.bars = pg.BarGraphItem(x=self.places, height=np.zeros(_LAST_BAR + 1), width=0.72)
        self.bars.hide()
        view.addItem(self.bars)
        names = [str(k) for k in self.places[:-1]] + [f"≥ {_LAST_BAR}"]
        view.getPlotItem().getAxis("bottom").setTicks([list(zip(self.places.tolist(), names, strict=True))])
        view.getPlotItem().getAxis("left").setTicks(
            [[(v, f"{100 * v:.0f} %") for v in (0, 0.5, 1)], [(v, "") for v in (0.25, 0.75)]]
        )
        view.set_bounds((-0.6, _LAST_BAR + 0.6, 0.0, 1.06))
        view.describe = self._describe
        self.shares = np.zeros(_LAST_BAR + 1)

    def _draw(self, data: Contacts) -> None:
        counts = np.zeros(_LAST_BAR + 1)
        counts[: min(len(data.histogram), _LAST_BAR)] = data.histogram[:_LAST_BAR]
        counts[_LAST_BAR] = np.sum(data.histogram[_LAST_BAR:])
        self.shares = counts / max(1.0, counts.sum())
        self.bars.setOpts(height=self.shares)
        self.bars.show()
        self.view.set_points(self.places.astype(np.float64), self.shares)
        self.view.set_value("" if data.relative is None else _label("N<sub>c</sub>", f"{data.relative:.3f}"))

    def _clear(self) -> None:
        self.bars.hide()
        self.shares = np.zeros(_LAST_BAR + 1)
        self.view.set_points(_NOTHING, _NOTHING)

    def _describe(self, index: int) -> str:
        name = f"{index} or more" if index == _LAST_BAR else str(index)
        return f"{name}: {100 * self.shares[index]:.1f} %"

    def _recolour(self, theme: Theme) -> None:
        self.bars.setOpts(brush=pg.mkBrush(theme.event_driven), pen=pg.mkPen(None))


class CoarseningPlot(PlotCard):
    """Clusters M(t) and kinetic energy E(t), each over its start, on one pair of log axes."""

    title = "Clusters and energy"
    definition = (
        "<p><b>M(t)</b>: clusters left at the time t, over N at the start (solid). It never grows.</p>"
        "<p><b>E(t)</b>: kinetic energy ½ Σ m V², over that at the start (dashed). A merge keeps mass and momentum "
        "(2.9) and loses energy.</p>"
    )
    empty_text = "Clusters left and kinetic energy over time. Run to see them fall."

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        view = PlotView(x_log=True, y_log=True, corner=_BOTTOM_LEFT)
        view.set_labels("time t", "M/N, E/E₀")
        super().__init__(number, view, parent)
        self.clusters = pg.PlotDataItem(connect="finite")
        self.energy = pg.PlotDataItem(connect="finite")
        view.addItem(self.energy)
        view.addItem(self.clusters)
        view.describe = self._describe
        self._shown = (_NOTHING, _NOTHING, _NOTHING)

    def _draw(self, data: Coarsening) -> None:
        index = thin_history(data.time)
        time = np.append(np.asarray(data.time)[index], max(data.now, float(data.time[-1])))
        m = np.asarray(data.clusters, np.float64)[np.append(index, index[-1])]
        e = np.asarray(data.kinetic_energy, np.float64)[np.append(index, index[-1])]
        start = float(data.kinetic_energy[0])
        moved = time > 0
        if not moved.any():
            self._clear()
            self.view.set_value("")
            self.view.set_empty(self.empty_text)
            return
        time, m, e = time[moved], m[moved], e[moved]
        x, ym = np.log10(time), _log(m / data.clusters[0])
        ye = _log(e / start) if start > 0 else np.full(len(x), np.nan)
        self.clusters.setData(x, ym)
        self.energy.setData(x, ye)
        self._shown = (time, m, e / start if start > 0 else np.zeros(len(e)))
        self.view.set_points(x, ym)
        colour = self.theme.event_driven
        energy = value_text(float(e[-1]) / start) if start > 0 and e[-1] > 0 else "0"
        self.view.set_value(
            f'<span style="color:{colour}">━━</span> {_label("M", f"{int(m[-1])}")}<br>'
            f'<span style="color:{colour}">╍╍</span> {_label("E/E₀", energy)}'
        )
        lowest = float(np.nanmin(np.concatenate([ym, ye])))
        right = nice_above(float(time[-1]))
        left = min(nice_below(float(time[0])), right - 1.0)
        self.view.set_bounds((left, right, float(min(-1, floor(lowest + 1e-9))), 0.12))

    def _clear(self) -> None:
        self.clusters.setData([], [])
        self.energy.setData([], [])
        self._shown = (_NOTHING, _NOTHING, _NOTHING)
        self.view.set_points(_NOTHING, _NOTHING)

    def _describe(self, index: int) -> str:
        time, m, e = (values[index] for values in self._shown)
        return f"t = {time:.4g}: M = {m:.0f}, E/E₀ = {value_text(e) if e > 0 else 0}"

    def _recolour(self, theme: Theme) -> None:
        self.clusters.setPen(self._pen(theme.event_driven, 2))
        pen = self._pen(theme.event_driven, 2)
        pen.setStyle(Qt.PenStyle.CustomDashLine)
        pen.setDashPattern([3, 2])
        self.energy.setPen(pen)
