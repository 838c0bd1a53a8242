"""What a plot is: name, axes, definition, and what it shows of a measured state. No Qt; renderers do the rest."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from aggviewer.plots.drawing import Axes, PlotDrawing, PlotQuantity
from aggviewer.plots.runs import RunStyle
from aggviewer.plots.slopes import PowerFit, Range
from aggviewer.plots.study_curves import StudyCurve
from aggviewer.session.data import Analysis


class NumberMark(NamedTuple):
    """What stands before a symbol in the corner of a plot: a piece of its curve, or one of its points.

    coloured : in the colour of the run.
    """

    stroke: str
    coloured: bool = False


@dataclass(frozen=True)
class PlotChoice:
    """A switch in the head of a plot; all plots of the system that have it follow.

    Parameters
    ----------
    name : of the choice; `Plot.prepare` is given its value, True or False.
    text, short : on the switch, the latter where there is little room; ``{}`` stands for `PlotDrawing.counts`.
    tip : what it does.
    """

    name: str
    text: str
    short: str
    tip: str


class Plot:
    """Base of the declarations of plots.

    A plot is an instance that a system's view names (`SystemView.plots`); its number, which is its key, follows from
    its place there. A subclass has the texts and `axes` below and `prepare`. Everything else follows: the live plot,
    two runs side by side, the value under the mouse, themes, films, paper, tables, references and fits.
    """

    title = ""
    """In the head of the plot."""
    name = ""
    """In menus; the title where it is empty."""
    definition = ""
    """What is plotted, with the equation: rich text for a tool tip, formulas between dollar signs."""
    empty_text = ""
    """What it will show, while there are no data."""
    axes: Axes = Axes("", "")
    """Of the pane, or of the upper one of two, which has no label of x."""
    lower_axes: Axes | None = None
    """Of a second pane below, over the same x."""
    lower_keys: ClassVar[frozenset[str]] = frozenset()
    """The series that are in the lower pane."""
    indicators: frozenset[str] | None = None
    """The names of the indicators that `prepare` reads: they are measured while the plot is seen. None for all."""
    columns: ClassVar[Mapping[str, tuple[PlotQuantity, PlotQuantity]]] = {}
    """Key of a series to its x and y in tables; these are kept as references, too."""
    study_curves: ClassVar[Mapping[str, StudyCurve]] = {}
    """Which curve of a study each series can show, as a reference."""
    study_numbers: ClassVar[tuple[str, ...]] = ()
    """Numbers of a run that *Mean of 8 seeds* in the menu averages, besides the exponents of `power_fit`."""
    marks: ClassVar[Mapping[str, NumberMark]] = {}
    """What stands before the symbols of the live numbers."""
    power_fit: ClassVar[PowerFit] = PowerFit()
    """Which series are fitted by a power of x, over a range that the person can drag."""
    reads_fit: ClassVar[bool] = False
    """Whether `prepare` depends on the range that the person has dragged."""
    choices: ClassVar[tuple[PlotChoice, ...]] = ()
    """What the person can choose in the head of the plot."""
    stretch: ClassVar[int] = 1
    """Share of the height of the panel, beside that of the others."""
    simple: ClassVar[bool] = False
    """Whether a beginner sees it: the others come with *Show everything*. The first one where none of a system is."""
    folded_at_first: ClassVar[bool] = False
    """For one that the panel has no room for."""
    longest_message: ClassVar[str] = ""
    """The longest sentence that `PlotDrawing.message` may be: there is room for it above the panes."""
    place_tip: ClassVar[str] = ""
    """Of the button that shows the place of the message among the discs; none if it is empty."""

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """What is shown of a measured state; None if there is nothing.

        Parameters
        ----------
        analysis : the state.
        choices : `choices` by name, as they are made now; what is missing is off.
        fit_range : from and to of the fits where the person has chosen them, else None.
        """
        raise NotImplementedError

    def has_place(self, runs: Sequence[RunStyle]) -> bool:
        """Whether it is shown among the others while these runs are; alone it always can be."""
        return True

    def text_without_data(self, runs: Sequence[RunStyle], choices: Mapping[str, Any]) -> str:
        """What it says while there are no data of these runs."""
        return self.empty_text

    @property
    def kept_as(self) -> str:
        """The name of the plot in settings, sessions and references."""
        return type(self).__name__

    def key(self) -> str:
        """The name of the plot in commands and files of lessons: ``pair_distribution`` for a PairDistributionPlot."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", self.kept_as.removesuffix("Plot")).lower()

    @property
    def all_axes(self) -> tuple[Axes, ...]:
        """Of each pane, the upper one first."""
        return (self.axes,) if self.lower_axes is None else (self.axes, self.lower_axes)

    def pane_of(self, key: str) -> int:
        """The number of the pane that a series is in."""
        return int(key in self.lower_keys)
