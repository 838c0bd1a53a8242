"""Intervals, errors and verdicts of a study at their limits: against what the textbook or arithmetic says."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.power_laws import last_decades
from engine.study.claims import FAILS, HOLDS, OPEN, Verdict, judge
from engine.study.grid import Grid
from engine.study.model import Claim
from engine.study.quantities import curve
from engine.study.tables import curve_lines, mean_curve, statistics, summary
from tests.study.studies import tiny

COUNTS = [16, 64, 256, 1024]
SEEDS = 8
UNIT = np.arange(SEEDS) - 3.5
UNIT /= UNIT.std(ddof=1) / math.sqrt(SEEDS)  # values of eight seeds whose mean is 0 ± 1


def judged(mean: Any, error: float, **claim: Any) -> Verdict:
    """What is said of a claim about runs over the number of discs: mean (a function of it) with a standard error."""
    grid = Grid(tiny(vary=[{"key": "discs.count", "values": COUNTS}], seeds={"count": SEEDS}))
    rows = [
        {"point": point.number, **point.values, "seed": seed, "y": mean(point.values["discs.count"]) + error * off}
        for point in grid.points
        for seed, off in zip(grid.seeds, UNIT.tolist(), strict=True)
    ]
    runs = pd.DataFrame(rows).assign(status="done")
    return judge(Claim(says="It is so", y="y", **claim), runs, summary(runs, grid), grid)


def test_the_ends_of_an_interval_come_from_many_draws() -> None:
    """For normal values the mean of a resample is normal too, 95 % of it within 1.96 standard deviations. With 2 000
    draws an end is off by 0.06 of these, with 200 by 0.2."""
    rng = np.random.default_rng(4)
    off = []
    for length in range(60, 70):  # each length has draws of its own
        values = rng.normal(size=(1, length))
        found = statistics(values)
        spread = values.std() / math.sqrt(length)
        off += [(found["low"] - values.mean()) / spread + 1.96, (found["high"] - values.mean()) / spread - 1.96]
    assert np.sqrt(np.mean(np.square(off))) < 0.12


def test_an_interval_does_not_depend_on_what_else_is_measured_nor_on_the_call() -> None:
    values = np.random.default_rng(2).normal(size=(3, 12))
    together, alone = statistics(values), statistics(values[1:2])
    for name in ("low", "high"):
        assert together[name][1] == pytest.approx(alone[name][0], rel=1e-12)


@pytest.mark.parametrize(
    ("off", "error", "verdict"),
    [
        (0.25, 0.0, HOLDS),  # just within
        (0.25, 0.2, HOLDS),
        (0.0, 0.3, OPEN),  # an error as large as what is allowed tells nothing
        (0.25 + 0.2 * 1.5, 0.2, OPEN),  # one and a half errors beyond
        (0.25 + 0.2 * 2.5, 0.2, FAILS),
    ],
)
def test_an_expected_value_at_the_limits_of_chance(off: float, error: float, verdict: str) -> None:
    found = judged(lambda count: 0.5 + off, error, expect=0.5, within=0.25)
    assert found.verdict == verdict
    if error == 0.0:
        assert "at 4 of 4 points" in found.because


def test_a_claim_between_two_values_is_about_both_ends() -> None:
    """Falls from 16 to 64, rises from there on: the end that is left out or taken in decides."""

    def bent(count: int) -> float:
        return 1.0 + abs(math.log(count / 64.0))

    assert judged(bent, 0.01, x="discs.count", between=[16, 64], trend="falls").verdict == HOLDS
    assert judged(bent, 0.01, x="discs.count", between=[64, 256], trend="rises").verdict == HOLDS


@pytest.mark.parametrize(("share", "verdict"), [(0.7, HOLDS), (1.5, OPEN)])
def test_an_exponent_is_open_where_its_error_is_wider_than_what_is_claimed(share: float, verdict: str) -> None:
    def power(count: int) -> float:
        return count**1.25

    known = judged(power, 3.0, x="discs.count", exponent=[0.0, 9.0]).because
    error = _error_in(known)
    half = 0.5 * error / share
    assert judged(power, 3.0, x="discs.count", exponent=[1.25 - half, 1.25 + half]).verdict == verdict


def _error_in(text: str) -> float:
    """The error that ``1.2500(34)`` at the second word says, in units of one."""
    value, _, digits = text.split()[1].rstrip(")").partition("(")
    return int(digits) * 10.0 ** -len(value.partition(".")[2])


def test_an_exponent_may_lie_two_errors_outside() -> None:
    error = _error_in(judged(lambda count: count**1.25, 3.0, x="discs.count", exponent=[0.0, 9.0]).because)
    for errors, verdict in ((1.5, HOLDS), (2.5, FAILS)):
        low = 1.25 + errors * error
        found = judged(lambda count: count**1.25, 3.0, x="discs.count", exponent=[low, low + 3.0 * error])
        assert found.verdict == verdict


def test_common_points_of_curves_are_even_in_the_logarithm() -> None:
    one, other = np.geomspace(1.0, 100.0, 30), np.geomspace(2.0, 150.0, 41)
    found = mean_curve([(one, one), (other, other)])
    np.testing.assert_allclose(np.diff(np.log(found["x"])), math.log(50.0) / 40.0, rtol=1e-9)
    with_zero = np.linspace(0.0, 10.0, 11)
    found = mean_curve([(with_zero, with_zero), (np.linspace(-2.0, 9.0, 12), np.zeros(12))])
    assert found["x"][0] == 1.0


def test_an_average_difference_is_that_of_its_sizes() -> None:
    """10 % more at one number of discs and 10 % less at another are not 0 % on average."""
    axes = [{"key": "discs.volume_fraction", "values": [0.1, 0.2]}, {"key": "discs.count", "values": [16, 64]}]
    grid = Grid(tiny(vary=axes, seeds={"count": 3}))
    off = {16: 0.1, 64: -0.1}
    rows = [
        {"point": point.number, **point.values, "seed": seed, "status": "done",
         "y": 1.0 + (off[point.values["discs.count"]] if point.values["discs.volume_fraction"] == 0.2 else 0.0)}
        for point in grid.points
        for seed in grid.seeds
    ]  # fmt: skip
    runs = pd.DataFrame(rows)
    claim = {"y": "y", "key": "discs.volume_fraction", "base": 0.1, "on_average": True}
    for below, verdict in ((0.09, FAILS), (0.11, HOLDS)):
        found = judge(Claim(says="Alike", below=below, **claim), runs, summary(runs, grid), grid)
        assert found.verdict == verdict
        assert "2 comparisons: 10 % on average" in found.because


def test_a_bin_stands_at_its_middle() -> None:
    """The geometric one of bins between powers, the arithmetic one of bins that begin at 0."""
    none: Any = None
    powers = curve("sizes", {"sizes": {"edges": [1.0, 4.0, 16.0], "density": [0.5, 0.25]}}, none)
    assert powers.x.tolist() == [2.0, 8.0]
    even = curve("speeds", {"speeds": {"edges": [0.0, 1.0, 2.0], "density": [0.5, 0.25]}}, none)
    assert even.x.tolist() == [0.5, 1.5]


def test_a_long_history_keeps_its_first_and_its_last_entry() -> None:
    time = np.concatenate([[0.0], np.geomspace(1e-3, 1e3, 4000)])
    history: Any = SimpleNamespace(time=time, clusters=np.arange(4001.0))
    found = curve("history.clusters", {}, history)
    assert (found.x[0], found.y[0]) == (0.0, 0.0)
    assert (found.x[-1], found.y[-1]) == (time[-1], 4000.0)
    np.testing.assert_allclose(np.diff(np.log(found.x[1:])), math.log(1e6) / 198.0, rtol=0.1)  # even on a log axis
    np.testing.assert_array_equal(found.x, time[found.y.astype(int)])


def test_offsets_of_seeds_add_up_to_the_error_of_a_curve() -> None:
    grid = Grid(tiny(vary=[{"key": "discs.count", "values": [16]}], seeds={"count": 5}))
    x = np.array([1.0, 2.0, 3.0])
    curves = np.random.default_rng(3).normal(size=(5, 3))
    (line,) = curve_lines([(grid.points[0].number, seed, x, y) for seed, y in enumerate(curves)], grid)
    np.testing.assert_allclose(line.error, curves.std(axis=0, ddof=1) / math.sqrt(5.0))
    np.testing.assert_allclose(np.sqrt(np.square(line.by_seed).sum(axis=1)), line.error)
    np.testing.assert_allclose(line.by_seed.sum(axis=1), 0.0, atol=1e-12)


def test_the_last_decades_end_with_the_data() -> None:
    x = np.array([0.0, 0.01, 1.0, 10.0, 1000.0, math.nan])
    assert last_decades(x, 2.0) == (10.0, 1000.0)
    assert last_decades(x, 9.0) == (0.01, 1000.0)
    assert last_decades(x, 9.0, low=3.0) == (3.0, 1000.0)
    assert last_decades(np.array([0.0, 5.0]), 1.0, low=5.0) is None
