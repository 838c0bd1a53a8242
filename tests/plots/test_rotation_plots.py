"""Plots of clusters that turn: where they are offered, and what is remembered for them."""

from __future__ import annotations

import numpy as np
import pytest

from aggviewer.session.measured_rows import MeasuredRows
from aggviewer.systems.aggregation.analysis import Rotation
from aggviewer.systems.aggregation.rotation import AngularMomentumPlot, RotationalEnergyPlot, SpinSumPlot
from aggviewer.systems.base import RunningSystem
from aggviewer.systems.registry import view_of
from engine.scenario import Scenario
from tests.plots.aggregate_data import aggregate
from tests.plots.drawn import drawn

TURNING = Scenario().with_values({"aggregation.rotation": True})
VIEW = view_of("aggregation")


@pytest.mark.parametrize(("boundary", "sums"), [("walls", AngularMomentumPlot), ("periodic", SpinSumPlot)])
def test_plots_of_rotation_are_offered_where_clusters_turn_and_the_sum_fits_the_box(boundary: str, sums: type) -> None:
    turning = TURNING.with_values({"box.boundary": boundary})
    offered = {type(plot) for plot in VIEW.plots() if plot.has_place(VIEW.run_styles([turning]))}
    assert {RotationalEnergyPlot, sums} <= offered
    assert len(offered & {SpinSumPlot, AngularMomentumPlot}) == 1
    still = turning.with_values({"aggregation.rotation": False})
    plain = {type(plot) for plot in VIEW.plots() if plot.has_place(VIEW.run_styles([still]))}
    assert offered - plain == {RotationalEnergyPlot, sums}
    styles = VIEW.run_styles([turning, still])
    assert [run.name for run in styles] == ["turning", "without"]
    assert any(isinstance(plot, sums) and plot.has_place(styles) for plot in VIEW.plots())


def test_angular_velocity_is_offered_as_a_colour_only_where_frames_have_it() -> None:
    running = RunningSystem(VIEW)
    assert "spin" not in [field.name for field in running.colors]
    running.parts = frozenset({"cluster", "spin"})
    assert "spin" in [field.name for field in running.colors]


def test_a_comparison_of_clusters_that_turn_is_with_the_same_discs_without_turning() -> None:
    assert VIEW.opposite(TURNING) == {"aggregation.rotation": False}
    spinning = TURNING.with_values({"velocities.spin": "thermal"})
    assert VIEW.opposite(spinning) == {"aggregation.rotation": False, "velocities.spin": 0.0}
    assert VIEW.opposite(Scenario()) == {"aggregation.method": "time-stepping"}


def test_the_rotation_of_a_run_is_remembered_also_where_it_goes_on_from_an_earlier_state() -> None:
    known = MeasuredRows()
    assert known.up_to(9.0) is None
    for time in (1.0, 2.0, 3.0):
        known.remember(time, 0.1 * time, -time, past=False)
    known.remember(1.5, np.nan, -1.5, past=True)  # somebody looks back
    known.remember(1.5, np.nan, -1.5, past=True)
    found = known.up_to(2.0)
    np.testing.assert_array_equal(found, [[1.0, 1.5, 2.0], [0.1, np.nan, 0.2], [-1.0, -1.5, -2.0]])
    known.remember(2.5, 0.9, 7.0, past=False)
    again = known.up_to(9.0)
    assert again is not None
    np.testing.assert_array_equal(again[2], [-1.0, -1.5, -2.0, 7.0])
    for step in range(5000):
        known.remember(3.0 + step, 0.5, 1.0, past=False)
    long = known.up_to(1e9)
    assert long is not None
    assert 500 < len(long[0]) <= 2001
    assert (np.diff(long[0]) > 0.0).all()
    assert (long[0][0], long[0][-1]) == (1.0, 5002.0)


def test_the_plots_show_shares_up_to_their_round_limit_and_momenta_of_both_signs() -> None:
    turned = Rotation(np.array([0.0, 1.0, 10.0]), np.array([np.nan, 0.2, 0.6]), np.array([0.0, 3.0, -8.0]))
    share = drawn(RotationalEnergyPlot(), aggregate(rotation=turned))
    assert share.panes[0].bounds == pytest.approx((1.0, 10.0, 0.0, 1.0))
    momentum = drawn(AngularMomentumPlot(), aggregate(rotation=turned))
    assert momentum.panes[0].bounds == pytest.approx((1.0, 10.0, -10.0, 10.0))
    assert dict(momentum.panes[0].numbers) == {"L": "−8"}
    assert RotationalEnergyPlot().prepare(aggregate(), {}, None) is None
