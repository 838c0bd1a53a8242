"""What is known of the runs in a plot: states that wait to be drawn, and what has been made of the others. No Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aggviewer.plots.drawing import PlotDrawing
from aggviewer.plots.plot import Plot
from aggviewer.plots.slopes import Range
from aggviewer.session.data import Analysis
from aggviewer.session.notices import log


class RunDrawings:
    """Of each run of a plot, by its number, a drawing; and the measured state that it was made of, so that another
    choice or another range of the fits makes another drawing of the same state."""

    def __init__(self, plot: Plot) -> None:
        self._plot = plot
        self.choices: dict[str, Any] = {choice.name: False for choice in plot.choices}
        """What the person has chosen of what the plot offers."""
        self.drawings: list[PlotDrawing | None] = []
        self.waiting: dict[int, Analysis] = {}
        """States that are to be drawn, if somebody looks."""
        self._states: dict[int, Analysis] = {}  # the state that was drawn last
        self._problems: dict[int, str] = {}  # of runs whose states cannot be prepared

    def set_runs(self, sources: Sequence[int | None]) -> None:
        """Other runs. sources : the run before whose data each of them continues with, None for those of none."""
        self.waiting, self._states = (
            {run: kept[source] for run, source in enumerate(sources) if source is not None and source in kept}
            for kept in (self.waiting, self._states)
        )
        before, self._problems = self.drawings, {}
        self.drawings = [None if one is None or one >= len(before) else before[one] for one in sources]

    def measured(self, analysis: Analysis) -> bool:
        """Whether all that the plot draws of a state has been measured."""
        return analysis.has(self._plot.indicators)

    @property
    def waits(self) -> bool:
        """Whether there is a state of which something that is drawn has not been measured yet."""
        return not all(map(self.measured, self.waiting.values()))

    @property
    def measured_waiting(self) -> Mapping[int, Analysis]:
        """The states that wait and have been measured."""
        return {run: one for run, one in self.waiting.items() if self.measured(one)}

    def prepared(self, analysis: Analysis, run: int, fit: Range | None) -> PlotDrawing | None:
        """What `Plot.prepare` makes of a measured state. Where that fails it is None, and `problem` says why."""
        self._states[run] = analysis
        try:
            found = self._plot.prepare(analysis, self.choices, fit)
        except Exception as error:  # of a plug-in, too: the other plots continue
            words = f"{self._plot.title} cannot be drawn: {type(error).__name__}: {error}"
            if self._problems.get(run) != words:  # states are measured several times a second
                log.exception("%s cannot be drawn", self._plot.title)
            self._problems[run] = words
            return None
        self._problems.pop(run, None)
        return found

    def prepare_anew(self, fit: Range | None) -> None:
        """Make the drawings of the same states again, after another choice or with another range of the fits."""
        for run, analysis in sorted(self._states.items()):
            self.drawings[run] = self.prepared(analysis, run, fit)

    def forget(self, run: int) -> None:
        """Know nothing of the states of a run any more; its drawing stays until it is set."""
        for kept in (self.waiting, self._states, self._problems):
            kept.pop(run, None)

    def has_data(self, run: int) -> bool:
        """Whether there is something to be seen of a run."""
        one = self.drawings[run]
        return one is not None and one.has_data

    @property
    def problem(self) -> str:
        """Why a state cannot be drawn, empty if all can."""
        return next(iter(self._problems.values()), "")

    def counted(self, choice: str) -> str:
        """How many of what a choice would show there are, of each run."""
        counts = [0 if one is None else one.counts.get(choice, 0) for one in self.drawings]
        return " | ".join(map(str, counts or [0]))
