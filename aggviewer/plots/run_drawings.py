"""The drawings of the runs in a plot, and states that wait to be drawn. No Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aggviewer.plots.drawing import PlotDrawing
from aggviewer.plots.plot import Plot
from aggviewer.plots.slopes import Range
from aggviewer.session.data import Analysis
from aggviewer.session.notices import log
from aggviewer.style import numbers
from engine.scenario import Scenario
from engine.system import find


class RunDrawings:
    """For each run of a plot, by number, its drawing and the measured state behind it, so that the same state can be
    drawn again after a change of choice or fit range."""

    def __init__(self, plot: Plot) -> None:
        self._plot = plot
        self.choices: dict[str, Any] = {choice.name: False for choice in plot.choices}
        """The user's choices in the plot."""
        self.drawings: list[PlotDrawing | None] = []
        self.waiting: dict[int, Analysis] = {}
        """States to draw when the plot is visible."""
        self._states: dict[int, Analysis] = {}  # the last state drawn
        self._problems: dict[int, str] = {}  # of runs whose states cannot be prepared

    def set_runs(self, sources: Sequence[int | None]) -> None:
        """Set the runs. sources : the earlier run whose data each of them keeps, None for no data."""
        self.waiting, self._states = (
            {run: kept[source] for run, source in enumerate(sources) if source is not None and source in kept}
            for kept in (self.waiting, self._states)
        )
        before, self._problems = self.drawings, {}
        self.drawings = [None if one is None or one >= len(before) else before[one] for one in sources]

    def measured(self, analysis: Analysis) -> bool:
        """Whether all that the plot needs of a state has been measured."""
        return analysis.has(self._plot.indicators)

    @property
    def waits(self) -> bool:
        """Whether a state is waiting for a measurement."""
        return not all(map(self.measured, self.waiting.values()))

    @property
    def measured_waiting(self) -> Mapping[int, Analysis]:
        """The waiting states that have been measured."""
        return {run: one for run, one in self.waiting.items() if self.measured(one)}

    def prepared(self, analysis: Analysis, run: int, fit: Range | None) -> PlotDrawing | None:
        """The result of `Plot.prepare` for a measured state. If that fails it is None, and `problem` says why."""
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
        """Prepare the same states again after a change of choice or fit range."""
        for run, analysis in sorted(self._states.items()):
            self.drawings[run] = self.prepared(analysis, run, fit)

    def forget(self, run: int) -> None:
        """Forget the states of a run; its drawing stays until it is set."""
        for kept in (self.waiting, self._states, self._problems):
            kept.pop(run, None)

    def has_data(self, run: int) -> bool:
        """Whether a run has data."""
        one = self.drawings[run]
        return one is not None and one.has_data

    @property
    def problem(self) -> str:
        """Why a state cannot be drawn, empty if there is no problem."""
        return next(iter(self._problems.values()), "")

    @property
    def moments(self) -> str:
        """The times of the states that are drawn: ``t = 12.40``, of several runs ``t = 12.40 | t = 12.50`` if they
        differ; empty before there is one."""
        found = [self._states[run] for run in sorted(self._states) if self.has_data(run)]
        clocks = [find(one.system.scenario.system) for one in found]
        words = [
            numbers.moment(one.time, numbers.TIME if system is None else system.clock)
            for one, system in zip(found, clocks, strict=True)
        ]
        return " | ".join(dict.fromkeys(words))

    @property
    def why_empty(self) -> str:
        """Why the states have nothing to show; empty if nothing more is known than before there is one."""
        return next(filter(None, map(self._plot.why_empty, self._states.values())), "")

    @property
    def origins(self) -> list[dict[str, int]]:
        """Seed and number of discs N of each run by name: none before it has a state, no seed for discs of a file."""
        systems = [None if one is None else one.system for one in map(self._states.get, range(len(self.drawings)))]
        return [{} if one is None else _seed(one.scenario) | {"N": one.count} for one in systems]

    def counted(self, choice: str) -> str:
        """The counts of a choice, for each run."""
        counts = [0 if one is None else one.counts.get(choice, 0) for one in self.drawings]
        return " | ".join(map(str, counts or [0]))


def _seed(scenario: Scenario) -> dict[str, int]:
    return {} if scenario.discs.arrangement == "file" else {"seed": scenario.seed}
