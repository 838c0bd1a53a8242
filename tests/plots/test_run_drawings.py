"""What is known of the runs in a plot, without a window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pytest

from aggviewer.plots.drawing import Axes, PlotDrawing, PlotQuantity, PlotSeries
from aggviewer.plots.fits import Range
from aggviewer.plots.plot import Plot
from aggviewer.plots.run_drawings import RunDrawings
from aggviewer.session.data import Analysis
from engine.scenario import Scenario
from tests.plots.aggregate_data import system_of


class Counted(Plot):
    """One point at the time of a state; fails at t = 13."""

    title = "Counted"
    axes = Axes("t", "N")
    columns: ClassVar = {"points": (PlotQuantity("t"), PlotQuantity("N"))}

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing:
        if analysis.time == 13.0:
            raise ValueError("unlucky")
        end = 1.0 if fit_range is None else fit_range[1]
        return PlotDrawing((PlotSeries("points", np.array([analysis.time]), np.array([end])),))


def state(time: float) -> Analysis:
    """A state of which nothing has to be measured."""
    return Analysis(system_of(Scenario(), 4, 0.5), time, None, None)


def two_runs() -> RunDrawings:
    """Runs with states at t = 1 and 2."""
    runs = RunDrawings(Counted())
    runs.set_runs([None, None])
    for run in (0, 1):
        runs.drawings[run] = runs.prepared(state(run + 1.0), run, None)
    return runs


def times(runs: RunDrawings) -> list[float | None]:
    """When the states were whose drawings there are."""
    return [None if one is None else float(one["points"].x[0]) for one in runs.drawings]


def test_runs_go_on_with_the_data_of_others() -> None:
    runs = two_runs()
    runs.waiting[1] = state(5.0)
    runs.set_runs([1, None])
    assert times(runs) == [2.0, None]
    assert list(runs.waiting) == [0]


def test_another_range_makes_other_drawings_of_the_same_states() -> None:
    runs = two_runs()
    runs.prepare_anew((0.1, 7.0))
    assert times(runs) == [1.0, 2.0]
    assert [one["points"].y[0] for one in runs.drawings if one is not None] == [7.0, 7.0]
    runs.forget(1)
    runs.prepare_anew((0.1, 9.0))
    assert [one["points"].y[0] for one in runs.drawings if one is not None] == [9.0, 7.0]


def test_a_state_that_cannot_be_drawn_is_told_until_another_can(caplog: pytest.LogCaptureFixture) -> None:
    runs = two_runs()
    for _ in range(2):
        assert runs.prepared(state(13.0), 0, None) is None
    assert len(caplog.records) == 1, "once, not several times a second"
    assert caplog.records[0].exc_info
    assert runs.problem == "Counted cannot be drawn: ValueError: unlucky (test_run_drawings.py, line 29)"
    assert runs.prepared(state(14.0), 0, None) is not None
    assert runs.problem == ""
