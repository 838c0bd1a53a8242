"""What a study over several seeds measures, so that the numbers of a plot get standard errors. No Qt.

The points of one run depend on each other, and tell no error of a number that rests on all of them: runs with other
seeds do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from aggviewer.plots.slopes import PowerFit
from aggviewer.plots.study_curves import Discs, StudyCurve
from aggviewer.session.data import Analysis
from engine.scenario import Scenario

if TYPE_CHECKING:
    from aggviewer.plots.fit_range import FitRange

SEEDS = 8
"""Runs of such a study."""

_NOTE = (
    f"<p>One run has no standard error for its numbers here: <i>Mean of {SEEDS} seeds</i> in the menu (right click) "
    "runs a study of it.</p>"
)
_WIDER = 1e-9  # relative: a range whose unit is changed keeps the points at its ends


@dataclass(frozen=True)
class OverSeeds:
    """What is asked of other seeds.

    Parameters
    ----------
    scenario, time : of the state that is shown.
    title : of the plot.
    quantities : names of numbers of a run; none: all.
    curves : names of curves.
    slopes : tables ``[[measure.slope]]``.
    """

    scenario: Scenario
    time: float
    title: str
    quantities: tuple[str, ...]
    curves: tuple[str, ...]
    slopes: tuple[Mapping[str, Any], ...]


class Measurable(Protocol):
    """What has to be known of a plot."""

    title: str
    definition: str
    study_curves: ClassVar[Mapping[str, StudyCurve]]
    study_numbers: ClassVar[tuple[str, ...]]
    power_fit: ClassVar[PowerFit]

    @property
    def fits(self) -> FitRange: ...


def offers_seeds(plot: Measurable) -> bool:
    """Whether a study over seeds can measure what a plot shows."""
    return bool(plot.study_curves or plot.study_numbers)


def with_note(plot: Measurable) -> str:
    """The definition of a plot, rich text; it ends with how its numbers get an error, where they can."""
    return plot.definition + _NOTE if offers_seeds(plot) else plot.definition


def over_seeds(plot: Measurable, analysis: Analysis) -> OverSeeds:
    """What a study over seeds measures. analysis : the state that the plot draws."""
    system = analysis.system
    discs = Discs(system.count, float(np.mean(system.radii)))
    curves = tuple(dict.fromkeys(one.name for one in plot.study_curves.values()))
    slopes = tuple(_slopes(plot, discs))
    return OverSeeds(system.scenario, analysis.time, plot.title, plot.study_numbers, curves, slopes)


def _slopes(plot: Measurable, discs: Discs) -> Iterator[Mapping[str, Any]]:
    """The exponents of a plot, over the range that is fitted now."""
    fit, chosen, shown = plot.power_fit, plot.fits.chosen, plot.fits.range
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
