"""The study that the menu of a plot opens: runs with several seeds, which give standard errors. No Qt.

The points of one run are correlated, so one run gives no valid error of a number computed from all of them; runs with
other seeds do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from aggviewer.plots.plot import Plot
from aggviewer.plots.slopes import Range
from aggviewer.plots.study_curves import StartDiscs
from aggviewer.session.data import Analysis
from engine.scenario import Scenario

SEEDS = 8
"""The number of runs in such a study, at first."""

_NOTE = (
    f"<p>For the mean of several runs and its standard error, choose <i>Study with {SEEDS} seeds…</i> in the menu "
    "(right-click).</p>"
)
_WIDER = 1e-9  # relative: a range keeps the points at its limits when its unit is converted


@dataclass(frozen=True)
class PlotStudy:
    """What a study for a plot runs and measures.

    Parameters
    ----------
    scenario, time : of the state shown.
    title : of the plot.
    quantities : names of numbers of a run; empty for all.
    curves : names of curves.
    slopes : tables ``[[measure.slope]]``.
    pools : tables ``[[pool]]``.
    """

    scenario: Scenario
    time: float
    title: str
    quantities: tuple[str, ...]
    curves: tuple[str, ...]
    slopes: tuple[Mapping[str, Any], ...]
    pools: tuple[Mapping[str, Any], ...]


def can_be_studied(plot: Plot) -> bool:
    """Whether a study can measure what a plot shows."""
    return bool(plot.study_curves or plot.study_numbers)


def with_note(plot: Plot) -> str:
    """The definition of a plot, rich text, followed by a note on standard errors if a study can give them."""
    return plot.definition + _NOTE if can_be_studied(plot) else plot.definition


def study_of(plot: Plot, analysis: Analysis, chosen: Range | None, shown: Range | None) -> PlotStudy:
    """The study for a plot.

    Parameters
    ----------
    analysis : the state in the plot.
    chosen, shown : the user's fit range and the present one; None if there is none.
    """
    system = analysis.system
    discs = StartDiscs(system.count, float(np.mean(system.radii)))
    curves = tuple(dict.fromkeys(one.name for one in plot.study_curves.values()))
    slopes = tuple(_slopes(plot, discs, chosen, shown))
    pools = tuple(
        {"title": title, "exponent": f"{name}.fit.exponent", "count": f"{name}.fit.count"}
        for name, title in plot.study_pools.items()
    )
    numbers = (*plot.study_numbers, *(one[key] for one in pools for key in ("exponent", "count")))
    return PlotStudy(system.scenario, analysis.time, plot.title, numbers, curves, slopes, pools)


def _slopes(plot: Plot, discs: StartDiscs, chosen: Range | None, shown: Range | None) -> Iterator[Mapping[str, Any]]:
    """The exponents of a plot over its present fit range."""
    fit = plot.power_fit
    for slope in fit.slopes:
        if slope.field not in plot.study_curves:
            continue
        curve = plot.study_curves[slope.field]
        table: dict[str, Any] = {"name": slope.name, "curve": curve.name}
        if chosen is None and fit.decades is not None:
            table["decades"] = fit.decades
        elif shown is not None:
            unit = curve.unit(discs)
            table["between"] = [shown[0] / unit * (1.0 - _WIDER), shown[1] / unit * (1.0 + _WIDER)]
        if slope.sign < 0.0:
            table["sign"] = -1
        yield table
