"""What plots show of a measured state, asked of the declarations alone: no widget, no application."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from aggviewer.plots.drawing import PlotDrawing, as_table, curves_of
from aggviewer.plots.fits import fit_all
from aggviewer.plots.plot import Plot
from aggviewer.session.data import Analysis
from aggviewer.systems.aggregation.coarsening import CoarseningPlot
from aggviewer.systems.aggregation.convergence import ConvergencePlot
from aggviewer.systems.aggregation.structure import BoxCountingPlot
from aggviewer.systems.hard_discs.motion import MeanSquareDisplacementPlot
from aggviewer.systems.registry import plots_of
from engine.analysis import analyse
from tests.plots.gas_data import RADIUS, gas
from tests.plots.jamming_data import jammed
from tests.plots.panels import aggregate, history
from tests.plots.test_convergence import steps_of
from tests.plots.test_stretches import SWITCHED

SYSTEMS = ("aggregation", "hard-discs", "jamming")


@pytest.fixture(scope="module")
def states() -> dict[str, Analysis]:
    """A state of each system of which everything is measured."""
    positions = np.random.default_rng(1).uniform(0.0, 20.0, (400, 2))
    found = analyse(
        positions,
        np.full(400, 0.25),
        np.array([20.0, 20.0]),
        periodic=False,
        cluster=(np.arange(400, dtype=np.int32) // 20) ** 2 // 9,
        velocities=np.random.default_rng(2).normal(size=(400, 2)),
        masses=np.ones(400),
    )
    aggregates = aggregate(found, history(), 100.0, convergence=steps_of([10, 20, 30], [0, 0, 1]))
    time = np.linspace(0.0, 10.0, 50)
    return {
        "aggregation": aggregates,
        "hard-discs": gas(0.9, autocorrelation=(time, np.exp(-time)), displacement=(time, time**2)),
        "jamming": jammed(),
    }


def shown(plot: Plot, analysis: Analysis, **choices: bool) -> PlotDrawing:
    """What a plot shows, with its usual fit."""
    found = plot.prepare(analysis, choices, None)
    assert found is not None
    return found


@pytest.mark.parametrize(("system", "plot"), [(system, plot) for system in SYSTEMS for plot in plots_of(system)])
def test_a_drawing_is_whole(states: dict[str, Analysis], system: str, plot: Plot) -> None:
    drawing = shown(plot, states[system])
    assert drawing.has_data
    assert len(drawing.panes) == len(plot.all_axes)
    keys = [one.key for one in drawing.series]
    assert len(keys) == len(set(keys)), "renderers update a series by its key"
    assert plot.lower_keys <= {*keys, *plot.columns}
    assert any(one.words is not None for one in drawing.series), "the mouse reads something"
    for one in drawing.series:
        assert len(one.x) - len(one.y) == (one.kind == "steps") or one.kind in ("level", "upright")
        assert one.error is None or len(one.error) == len(one.y)
        if one.interval is not None:
            _, low, y, high = one.bars()
            assert (low < y).all()
            assert (y < high).all()
            assert (low > 0.0).all(), "bars of counts stay on a logarithmic axis"
        if one.words is not None:
            assert all(one.words(k) for k in range(len(one.y)))
    for axes, pane in zip(plot.all_axes, drawing.panes, strict=True):
        assert pane.bounds is not None
        x0, x1, y0, y1 = pane.bounds
        assert x0 < x1
        assert y0 < y1
        assert x0 > 0.0 or not axes.x_log, "ends of a logarithmic axis are quantities above 0"
        assert y0 > 0.0 or not axes.y_log
    table = as_table(curves_of([drawing], plot.columns, [""]))
    assert table
    for slope in plot.power_fit.slopes:
        assert drawing.find(slope.field) is not None


@pytest.mark.parametrize("system", SYSTEMS)
def test_nothing_is_shown_of_nothing(states: dict[str, Analysis], system: str) -> None:
    empty = {
        "aggregation": aggregate(),
        "hard-discs": replace(gas(), history=None, time=0.0),
        "jamming": jammed(found=None),
    }[system]
    for plot in plots_of(system):
        if system == "aggregation" or plot.key() in ("energy_decay", "forces", "gaps", "jam_contacts"):
            found = plot.prepare(empty, {}, None)
            assert found is None or not found.has_data, plot


def test_the_range_that_is_dragged_decides_where_the_diffusion_is_measured() -> None:
    t = np.linspace(0.0, 50.0, 200)
    given = gas(displacement=(t, np.where(t < 1.0, 2.0 * t**2, 4.0 * 0.3 * t)))
    plot = MeanSquareDisplacementPlot()
    usual, flown = (plot.prepare(given, {}, within) for within in (None, (0.1, 2.0)))
    assert usual is not None
    assert flown is not None
    assert plot.reads_fit
    (coefficient, *_) = (one.values[0] for one in usual.table)
    assert coefficient == pytest.approx(0.3 / (2 * RADIUS) ** 2)
    assert [one.name for one in flown.table] == ["D/σ²", "D/σ² points", "D/σ² from t", "D/σ² to t"]
    assert flown.table[0].values[0] != pytest.approx(coefficient, rel=0.05)
    assert 0.1 <= flown["diffusive"].x[0] < flown["diffusive"].x[-1] <= 2.0


def test_a_step_that_did_not_converge_knows_its_place() -> None:
    drawing = shown(ConvergencePlot(), aggregate(convergence=steps_of([10, 20, 30], [0, 1, 0])))
    assert drawing["iterations"].x.tolist() == [-2.0, 0.0]
    failed = drawing["failed_residual"]
    assert failed.places is not None
    assert failed.places.tolist() == [[1.25, 10.0]]
    assert failed.words is not None
    assert "1 group not converged" in failed.words(0)
    assert drawing.message is not None
    assert drawing.message.place == (1.25, 10.0)


def test_the_parts_by_each_method_are_the_whole_curve() -> None:
    drawing = shown(CoarseningPlot(), aggregate(None, SWITCHED, 10.0))
    for key in ("clusters", "energy"):
        whole = drawing[key]
        assert whole.invisible
        parts = np.array([drawing[f"{key} by {method}"].y for method in ("event-driven", "time-stepping")])
        assert not np.isnan(parts).all(axis=0).any()
        assert_allclose(np.nanmax(parts, axis=0), whole.y)


def test_a_fit_needs_something_that_follows_a_law(states: dict[str, Analysis]) -> None:
    plot = BoxCountingPlot()
    drawing = shown(plot, states["aggregation"])
    found = fit_all(plot.power_fit, [drawing, None], None)
    ((one,), (other,)) = found.found
    assert one is not None
    assert other is None
    (line,) = found.series(0, straight=True)
    assert_allclose(line.y, one.amplitude * line.x**one.exponent)
    assert fit_all(plot.power_fit, [replace(drawing, fitted=False)], None).range is None
