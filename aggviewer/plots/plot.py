"""The declaration of a plot: name, axes, definition, and what it shows of a measured state. No Qt; renderers do the
rest."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

from aggviewer.plots.drawing import Axes, PlotDrawing, PlotQuantity
from aggviewer.plots.runs import RunStyle
from aggviewer.plots.slopes import PowerFit, Range
from aggviewer.plots.study_curves import StudyCurve
from aggviewer.session.data import Analysis
from aggviewer.style.things import named


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
    text, short : long and short label of the switch; ``{}`` stands for the number in `PlotDrawing.counts`.
    tip : its tool tip.
    """

    name: str
    text: str
    short: str
    tip: str


class Plot:
    """Base class of plot declarations.

    A plot is an instance that a system's view lists (`SystemView.plots`); its position there is its number key. A
    subclass defines the texts and `axes` below, and `prepare`. All else follows: the live plot, two runs side by side,
    the value under the mouse, themes, films, paper, tables, references and fits.
    """

    title = ""
    """The title in the head of the plot."""
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
    def wants_measured(self) -> bool:
        """Whether `prepare` reads indicators."""
        return self.indicators is None or bool(self.indicators)

    def about(self, dimensions: int) -> Self:
        """The plot itself; in space a copy with names, axes and the text without data about spheres."""
        if dimensions == 2:
            return self
        other = copy(self)
        other.title, other.name = named(self.title, dimensions), named(self.name, dimensions)
        other.empty_text = named(self.empty_text, dimensions)
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
