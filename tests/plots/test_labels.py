"""Axes of plots name what is drawn, and numbers beside them are rounded as they should be. No Qt, no window."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.stats import binom

from aggviewer.plots.axes import value_text
from aggviewer.plots.drawing import interval_of_counts, number_with, of_counts
from aggviewer.plots.plot import Plot
from aggviewer.systems.registry import plots_of
from aggviewer.systems.state_plots import bar_ticks, contact_bars, in_bars, share_ticks

SYSTEMS = ("aggregation", "hard-discs", "jamming")


def unit_of(text: str) -> str:
    """What a quantity is divided by, three letters: ``σ²`` of ``⟨Δr²⟩ / σ²``, ``tol`` of a tolerance; "time" for t."""
    bare = re.sub(r"<[^>]*>| ", "", text.partition(" by ")[0])
    return "time" if bare == "t" else bare.partition("/")[2].partition(",")[0].partition("(")[0][:3]


@pytest.mark.parametrize(("system", "plot"), [(name, plot) for name in SYSTEMS for plot in plots_of(name)])
def test_axes_are_in_the_units_of_the_table(system: str, plot: Plot) -> None:
    for key, (x, y) in plot.columns.items():
        for quantity, label in ((x, plot.all_axes[-1].x), (y, plot.all_axes[plot.pane_of(key)].y)):
            unit = unit_of(quantity.name)
            there = unit in ("", "time") or "over the" in label or f"/{unit}" in label.replace(" ", "")
            assert there, f"{key}: {quantity.name}, but the axis says {label}"
            assert unit != "time" or "time" in label


def test_the_last_bar_stands_for_all_that_have_more() -> None:
    assert [text for _, text in bar_ticks(3).labels] == ["0", "1", "2", "≥ 3"]
    assert [place for place, _ in bar_ticks(3).labels] == [0.0, 1.0, 2.0, 3.0]
    assert in_bars([5, 4, 3, 2, 1], 3).tolist() == [5.0, 4.0, 3.0, 3.0]
    assert in_bars([5, 4], 3).tolist() == [5.0, 4.0, 0.0, 0.0]
    assert share_ticks((0.0, 0.25)).labels == [(0.0, "0 %"), (0.25, "25 %")]


def test_bars_are_shares_of_all_discs() -> None:
    drawing = contact_bars(np.array([5.0, 3.0, 2.0]), {}, (-0.5, 2.5, 0.0, 1.0))
    (bars,) = drawing.series
    assert bars.y.tolist() == [0.5, 0.3, 0.2]
    assert bars.words is not None
    assert (bars.words(1), bars.words(2)) == ("1: 30.0 %", "2 or more: 20.0 %")


@pytest.mark.parametrize(
    ("value", "text"),
    [(999.4, "999"), (1000.0, "1\u2009000"), (9999.4, "9\u2009999"), (9999.6, "10⁴"),
     (0.0099, "0.0099"), (0.00989, "9.89·10⁻³"),
     (9.996e-4, "10⁻³"), (12.345, "12.3"), (2.5e12, "2.5·10¹²"), (5e-324, "4.94·10⁻³²⁴")],
)  # fmt: skip
def test_numbers_of_plots_are_plain_up_to_four_digits(value: float, text: str) -> None:
    assert value_text(value) == text


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [(1.79543, 0.0124, "1.795 ± 0.012"), (-1.79543, 0.00021, "−1.79543 ± 0.00021"), (1.79543, 0.0996, "1.80 ± 0.10"),
     (12345.6, 123.0, "12\u2009346 ± 123"), (2.0, None, "2"), (2.0, float("nan"), "2"), (2.0, 0.0, "2"),
     (2.0, 4e-7, "2")],
)  # fmt: skip
def test_a_value_has_the_digits_that_its_error_leaves(value: float, error: float | None, text: str) -> None:
    assert number_with(error, value, "2") == text


def test_errors_of_counts_are_binomial() -> None:
    counts = np.array([0.0, 25.0, 50.0, 100.0])
    np.testing.assert_allclose(of_counts(counts), np.sqrt(counts))
    np.testing.assert_allclose(of_counts(counts, 100.0), np.sqrt(100.0 * (counts / 100.0) * (1.0 - counts / 100.0)))


def test_intervals_of_counts_are_those_in_the_tables() -> None:
    low, high = interval_of_counts(np.array([0, 1, 2, 10, 100]))
    # Gehrels 1986, tables 1 and 2 at one standard deviation
    np.testing.assert_allclose(high, [1.841, 3.300, 4.638, 14.27, 111.0], rtol=4e-4)
    np.testing.assert_allclose(low, [0.0, 0.1728, 0.7082, 6.891, 90.02], rtol=4e-4)
    total, n = 20, np.array([0, 1, 2, 19, 20])
    low, high = interval_of_counts(n, total)
    tail = 0.158655
    np.testing.assert_allclose(binom.sf(n[1:] - 1, total, low[1:] / total), tail, rtol=1e-5)
    np.testing.assert_allclose(binom.cdf(n[:-1], total, high[:-1] / total), tail, rtol=1e-5)
    assert (low[0], high[-1]) == (0.0, total)
