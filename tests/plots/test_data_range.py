"""The range of a plot that shows all data, on the scales of its axes and on others."""

from __future__ import annotations

import numpy as np
import pytest

from aggviewer.plots.axes import DataRange
from aggviewer.plots.drawing import Axes, PlotSeries, Role

CURVE = PlotSeries("curve", np.array([1.0, 10.0, 80.0]), np.array([0.0, 5.0, 40.0]))
LAW = PlotSeries("law", np.array([0.01, 1000.0]), np.array([1.0, 1000.0]), role=Role("law"))


def range_of(*series: PlotSeries, log: bool) -> DataRange:
    """Of axes that are logarithmic across, with bounds from 1 to 100 and from 0 to 50."""
    found = DataRange(Axes("t", "E", x_log=log), lambda: series)
    found.bounds = 1.0, 100.0, 0.0, 50.0
    return found


def test_a_logarithmic_axis_is_shown_by_its_decades() -> None:
    assert range_of(CURVE, log=True).to_coordinates((1.0, 100.0, 0.0, 50.0)) == (0.0, 2.0, 0.0, 50.0)


def test_on_a_linear_scale_it_ends_a_little_above_the_data_and_begins_at_0() -> None:
    found = range_of(CURVE, LAW, log=True)
    found.set_logarithmic(0, False)
    low, high, *_ = found.to_coordinates((1.0, 100.0, 0.0, 50.0))
    assert low == 0.0
    assert high == pytest.approx(1.08 * 80.0), "laws do not say how far data reach"


def test_on_a_logarithmic_scale_what_reaches_to_0_begins_below_the_least_value() -> None:
    found = range_of(CURVE, LAW, log=False)
    found.set_logarithmic(1, True)
    assert found.least_positive(1) == 5.0
    *_, low, high = found.to_coordinates((1.0, 100.0, 0.0, 50.0))
    assert high == pytest.approx(np.log10(50.0))
    assert low <= np.log10(5.0)
