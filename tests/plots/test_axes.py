"""Ticks, ranges, texts of numbers, thinning, derived numbers."""

from __future__ import annotations

from math import log10

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggviewer.plots.axes import LogAxis, nice_above, nice_below, round_decades, thin_history


@given(st.floats(1e-12, 1e12))
def test_nice_numbers_enclose_closely(value):
    low, high = 10 ** nice_below(value), 10 ** nice_above(value)
    assert low <= value * (1 + 1e-6)
    assert high >= value * (1 - 1e-6)
    assert high / low <= 2.5 + 1e-6


@pytest.fixture
def labels(qtbot):
    def of(low, high, size, side="bottom"):
        axis = LogAxis(side)
        texts = []
        for spacing, values in axis.tickValues(low, high, size):
            texts += [text for text in axis.tickStrings(values, 1.0, spacing) if text]
        return texts

    return of


@pytest.mark.parametrize(
    ("low", "high", "size", "expected"),
    [
        (0, 3, 240, ["1", "10", "100", "1\u2009000"]),
        (log10(2), log10(20), 260, ["2", "5", "10", "20"]),
        (-4, 0, 200, ["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1"]),
        (-12, 0, 200, ["10⁻¹²", "10⁻¹⁰", "10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "1"]),
    ],
)
def test_labels_of_a_log_axis(labels, low, high, size, expected):
    assert labels(low, high, size) == expected


def test_a_zoomed_log_axis_still_has_labels(labels):
    texts = labels(log10(30), log10(40), 260)
    assert len(texts) >= 2
    assert all(30 <= float(text) <= 40 for text in texts)


def test_thinning_keeps_the_ends_and_is_dense_on_log_axes():
    count = 1_000_000
    time = np.concatenate([[0.0], np.cumsum(np.random.default_rng(3).exponential(size=count - 1))])
    index = thin_history(time)
    assert index[0] == 0
    assert index[-1] == count - 1
    assert len(index) <= 1202
    assert (np.diff(index) > 0).all()
    left = np.log10(count - index)
    assert np.diff(left).min() > -0.31  # one of two left is the coarsest there can be
    in_log_time = np.log10(time[index[1:]])
    assert np.diff(in_log_time[in_log_time > 1]).max() < 0.1
    assert (thin_history(time[:100]) == np.arange(100)).all()


def test_round_decades_hold_all_values_above_0() -> None:
    values = np.array([0.0, np.nan, 0.3, 70.0])
    assert round_decades(values) == pytest.approx(np.log10([0.2, 100.0]))
    assert round_decades(values, margin=0.5)[1] == pytest.approx(2.5)
    assert round_decades(values, around=(-2.0, 1.0)) == pytest.approx((-2.0, 2.0))
    assert round_decades(values, span=4.0) == pytest.approx((-2.0, 2.0)), "more decades are below"
    assert round_decades(values[:2], around=(-1.0, 1.0)) == (-1.0, 1.0), "nothing to hold"
