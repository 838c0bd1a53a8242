"""The declaration of a plot: name, axes, definition, what it shows of a measured state, and what of a study belongs to
it. No Qt; renderers do the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from aggviewer.plots.drawing import Axes, PlotDrawing, PlotQuantity
from aggviewer.plots.fits import PowerFit, Range
from aggviewer.plots.runs import Points, RunStyle
from aggviewer.session.data import Analysis
from engine.arrays import Floats
from engine.study.tables import mean_curve
from engine.words import body_names


class NumberMark(NamedTuple):
    """The mark before a symbol in the corner of a plot: a piece of its curve, or one of its points.

    coloured : whether it has the colour of the run.
    """

    stroke: str
    coloured: bool = False


@dataclass(frozen=True)
class PlotChoice:
    """A switch in the head of a plot; it applies to all plots of the system that have it.

    Parameters
    ----------
    name : of the choice; `Plot.prepare` gets its value, True or False.
    text, short : long and short label of the switch; ``{}`` stands for the number in `PlotDrawing.choice_counts`.
    tip : its tool tip.
    """

    name: str
    text: str
    short: str
    tip: str


class Plot:
    """Base class of plot declarations.

    `title`, `short`, `name`, `empty_text` and the labels of axes may have gaps for discs or spheres, such as
    ``{discs}`` (`engine.words`).

    A plot is an instance that a system's view lists (`SystemView.plots`); its position there is its number key. A
    subclass defines the texts and `axes` below, and `prepare`. All else follows: the live plot, two runs side by side,
    the value under the mouse, themes, films, paper, tables, references and fits.
    """

    title = ""
    """The title in the head of the plot."""
    short = ""
    """The title in a narrow panel; empty for the same."""
    name = ""
    """The name in menus; empty for the title."""
    definition = ""
    """The definition of what is plotted, with the equation: rich text for a tool tip, formulas between dollar signs."""
    empty_text = ""
    """Says what it will show, while there are no data."""
    axes: Axes = Axes("", "")
    """The axes of the pane, or of the upper one of two, which has no x label."""
    lower_axes: Axes | None = None
    """The axes of a second pane below, with the same x."""
    lower_keys: ClassVar[frozenset[str]] = frozenset()
    """The keys of the series in the lower pane."""
    indicators: frozenset[str] | None = None
    """The names of the indicators that `prepare` reads, measured while the plot is visible. None for all."""
    averaged: frozenset[str] = frozenset()
    """The names of the indicators that it can show as averages over the run (`Analysis.over_time`); with none, it shows
    single states only."""
    counts: ClassVar[bool] = False
    """Whether `prepare` reads nothing that has to be measured, only the history and what the simulation has counted
    (`SystemAnalysis.count`). Then the plot follows the run while others are measured."""
    columns: ClassVar[Mapping[str, tuple[PlotQuantity, PlotQuantity]]] = {}
    """The x and y of series in tables, by key; these are also kept as references."""
    study_curves: ClassVar[Mapping[str, StudyCurve]] = {}
    """The curve of a study that each series can show as a reference."""
    study_numbers: ClassVar[tuple[str, ...]] = ()
    """The numbers of a run that the study in the menu averages, in addition to the exponents of `power_fit`."""
    study_pools: ClassVar[Mapping[str, str]] = {}
    """The power laws at small values whose exponents that study pools over all runs: the title of each, by the name of
    the distribution in a run."""
    marks: ClassVar[Mapping[str, NumberMark]] = {}
    """The marks before the symbols of the live numbers."""
    power_fit: ClassVar[PowerFit] = PowerFit()
    """The series that are fitted by a power of x, over a draggable range."""
    reads_fit: ClassVar[bool] = False
    """Whether `prepare` depends on the fit range."""
    choices: ClassVar[tuple[PlotChoice, ...]] = ()
    """The switches in the head of the plot."""
    dimensions: ClassVar[tuple[int, ...]] = (2,)
    """The dimensions of the boxes of which it can show something: 2 for discs, 3 for spheres."""
    stretch: ClassVar[int] = 1
    """The share of the panel's height, relative to other plots."""
    simple: ClassVar[bool] = False
    """Whether beginners see it; the other plots come with *Show everything*. If a system has none, its first plot is
    shown."""
    folded_at_first: ClassVar[bool] = False
    """Whether the plot is folded at first, for lack of space in the panel."""
    longest_message: ClassVar[str] = ""
    """The longest possible `PlotDrawing.message`, for which space is reserved above the panes."""
    place_tip: ClassVar[str] = ""
    """The tool tip of the button that shows the place of the message among the discs; empty for no button."""

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The drawing of a measured state; None if there is nothing to show.

        Parameters
        ----------
        analysis : the state.
        choices : the present values of `choices`, by name; missing ones are off.
        fit_range : the user's fit range, None for the default.
        """
        raise NotImplementedError

    def has_place(self, runs: Sequence[RunStyle]) -> bool:
        """Whether it is shown among other plots for these runs; on its own it can always be shown."""
        return all(run.dimensions in self.dimensions for run in runs)

    def text_without_data(self, runs: Sequence[RunStyle], choices: Mapping[str, Any]) -> str:
        """The text shown while there are no data for these runs."""
        if not all(run.dimensions in self.dimensions for run in runs):
            return "Measured for discs in the plane only."
        return self.empty_text

    def why_empty(self, analysis: Analysis) -> str:
        """Why a state has nothing to show; empty for `text_without_data`."""
        return ""

    def takes(self, analysis: Analysis) -> bool:
        """Whether a state is for this plot, see `Analysis.part`."""
        counts = self.counts and not self.wants_measured
        return analysis.part == "all" or counts == (analysis.part == "counts")

    @property
    def about_errors(self) -> str:
        """Why some of its numbers have no ±, which follows the definition; rich text."""
        told = "A number without ± is exact for what is shown; runs with other seeds give others."
        if self.averaged:
            told = "A number without ± is that of one state, or does not change; the average over the run has ±."
        if self.power_fit.slopes:
            told += (
                " Slopes have none, because the points of one run depend on each other; a study over seeds gives it."
            )
        return f"<p>{told}</p>"

    @property
    def wants_measured(self) -> bool:
        """Whether the plot needs indicators, so that a state must be measured before it is drawn."""
        return self.indicators is None or bool(self.indicators)

    def about(self, dimensions: int) -> Self:
        """A copy of the plot whose texts are about the discs or spheres of such a box."""
        fill, other = body_names(dimensions).fill, copy(self)
        other.title, other.short = fill(self.title), fill(self.short)
        other.name, other.empty_text = fill(self.name), fill(self.empty_text)
        other.axes = self.axes.about(dimensions)
        other.lower_axes = self.lower_axes and self.lower_axes.about(dimensions)
        return other

    @property
    def kept_as(self) -> str:
        """The plot's name in settings, sessions and references."""
        return type(self).__name__

    def key(self) -> str:
        """The plot's name in commands and lesson files: ``pair_distribution`` for a PairDistributionPlot."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", self.kept_as.removesuffix("Plot")).lower()

    @property
    def all_axes(self) -> tuple[Axes, ...]:
        """The axes of each pane, the upper one first."""
        return (self.axes,) if self.lower_axes is None else (self.axes, self.lower_axes)

    def pane_of(self, key: str) -> int:
        """The number of the pane of a series."""
        return int(key in self.lower_keys)


def same_plots(plots: Sequence[Plot], others: Sequence[Plot]) -> bool:
    """Whether both are plots of the same classes in the same words."""

    def words(plots: Sequence[Plot]) -> list[object]:
        return [(type(one), one.kept_as, one.title, one.axes, one.empty_text) for one in plots]

    return words(plots) == words(others)


_DIGITS = 9  # digits to which the x of two runs must agree


@dataclass(frozen=True)
class StartDiscs:
    """The initial discs of a run. count : N; radius : their mean radius."""

    count: int
    radius: float


Conversion = Callable[[Floats, Floats, StartDiscs], tuple[Floats, Floats]]
"""Turns x and y of a study's curve of one run into those that a plot shows."""


def _as_it_is(x: Floats, y: Floats, discs: StartDiscs) -> tuple[Floats, Floats]:
    return x, y


@dataclass(frozen=True)
class StudyCurve:
    """A curve of a study that a plot can show.

    Parameters
    ----------
    name : as in ``[measure] curves`` of a study.
    shown : converts x and y of a run to those of the plot, given its initial discs.
    counted : whether it is a histogram: an x without an entry in a run counts as 0.
    """

    name: str
    shown: Conversion = _as_it_is
    counted: bool = False

    def unit(self, discs: StartDiscs) -> float:
        """The plot's x for x = 1 in a run, if the two are proportional."""
        return float(self.shown(np.ones(1), np.ones(1), discs)[0][0])

    def mean(self, runs: Sequence[tuple[Floats, Floats]]) -> Points | None:
        """The mean of several runs as `shown`, with its standard error; None if there is none.

        runs : x (K,) and y (K,) of each run, or x (K + 1,) for the edges of a histogram. Runs whose x differ from those
            of the first are interpolated in the common range.
        """
        there = [_rising(x, y) for x, y in runs if len(y) and np.isfinite(y).any()]
        if not there:
            return None
        if self.counted:
            there = _with_all_x(there)
        found = mean_curve(there)
        x, y, error = found["x"], found["y"], found["error"]
        if not (np.diff(x) > 0.0).all():  # the runs have no range in common
            return None
        return Points(x, y, error if np.isfinite(error).any() else None)


def _rising(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    order = np.argsort(x, kind="stable")
    return x[order], y[order]


def _with_all_x(runs: Sequence[tuple[Floats, Floats]]) -> list[tuple[Floats, Floats]]:
    """The runs with values at every x of any of them, 0 where a run has none."""
    entries = [dict(zip((float(f"{at:.{_DIGITS}g}") for at in x), y.tolist(), strict=True)) for x, y in runs]
    places = sorted({at for one in entries for at in one})
    return [(np.array(places), np.array([one.get(at, 0.0) for at in places])) for one in entries]


def over_first(x: Floats, y: Floats, discs: StartDiscs) -> tuple[Floats, Floats]:
    """x, and y over its first value, or over its largest one if it begins at 0; both (K,)."""
    scale = float(y[0]) or float(np.nanmax(y))
    return x, y / scale if scale > 0.0 else y


def over_count(x: Floats, y: Floats, discs: StartDiscs) -> tuple[Floats, Floats]:
    """Divide y by the number of discs. x, y : (K,)."""
    return x, y / discs.count


def x_over_radius(x: Floats, y: Floats, discs: StartDiscs) -> tuple[Floats, Floats]:
    """Divide x by the mean radius. x, y : (K,)."""
    return x / discs.radius, y
