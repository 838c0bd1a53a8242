"""Fits and claims, against data whose answer is known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import curve_fit

from engine.study.claims import FAILS, HOLDS, OPEN, Verdict, judge
from engine.study.grid import Grid
from engine.study.laws import fit_line
from engine.study.model import Claim
from engine.study.series import SeriesLine, lines, offsets_of, with_error
from engine.study.tables import summary
from tests.study.studies import tiny

COUNTS = [16, 64, 256, 1024]


def line(x: Any, y: Any, error: Any) -> SeriesLine:
    """A line of its own."""
    return SeriesLine(None, np.array(x), np.array(y), np.array(error), tuple((k,) for k in range(len(x))))


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(
    ("law", "function"),
    [
        ("power", lambda x, a, b: a * x**b),
        ("exponential", lambda x, a, b: a * np.exp(b * x)),
        ("linear", lambda x, a, b: a + b * x),
    ],
)
def test_laws_are_those_that_scipy_finds(law: str, function: Any, weighted: bool) -> None:
    rng = np.random.default_rng(5)
    x = np.linspace(1.0, 4.0, 12)
    sigma = rng.uniform(1e-5, 3e-5, 12)
    y = function(x, 2.0, 0.7) * (1.0 + sigma * rng.normal(size=12))
    errors = sigma * y if weighted else np.full(12, math.nan)
    found = fit_line(line(x, y, errors), law)
    # in the logarithm noise counts relatively; so small, it is the same as in the values themselves
    relative = {"sigma": errors if weighted else (np.ones(12) if law == "linear" else y), "absolute_sigma": weighted}
    best, covariance = curve_fit(function, x, y, p0=(1.0, 1.0), xtol=1e-14, ftol=1e-14, **relative)
    assert (found.amplitude[0], found.slope[0]) == pytest.approx(tuple(best), rel=1e-6)
    spread = np.sqrt(np.diag(covariance))
    assert (found.amplitude[1], found.slope[1]) == pytest.approx(tuple(spread), rel=1e-3)
    np.testing.assert_allclose(found.at(x), function(x, *best), rtol=1e-6)


def test_a_constant_is_the_weighted_mean() -> None:
    found = fit_line(line([1.0, 2.0], [3.0, 5.0], [1.0, 2.0]), "constant")
    assert found.amplitude == pytest.approx(((3.0 + 5.0 / 4.0) / 1.25, math.sqrt(1.0 / 1.25)))


def test_errors_of_a_law_grow_where_it_is_not_all_that_the_points_follow() -> None:
    x = np.geomspace(1.0, 100.0, 5)
    off = np.array([0.04, -0.02, -0.04, -0.02, 0.04])  # bent, four errors off at the most
    y = x**1.25 * np.exp(off)
    bent = line(x, y, 0.01 * y)
    narrow, wide = (fit_line(bent, "power", widened=widened) for widened in (False, True))
    rest = np.log(y) - np.log(narrow.at(x))
    assert wide.slope[0] == narrow.slope[0]
    assert wide.slope[1] / narrow.slope[1] == pytest.approx(math.sqrt(np.sum((rest / 0.01) ** 2) / 3.0), rel=1e-9)
    assert wide.slope[1] > 3.0 * narrow.slope[1]
    exact = line(x, x**1.25, 0.01 * x**1.25)  # nearer to the law than chance would have them
    assert fit_line(exact, "power").slope[1] == fit_line(exact, "power", widened=False).slope[1]


def test_a_fit_goes_through_what_it_is_given_only() -> None:
    found = fit_line(
        line([1.0, 10.0, 100.0, 1000.0], [9.0, 10.0, 100.0, 1000.0], [math.nan] * 4), "power", (5.0, 2000.0)
    )
    assert (found.count, found.low, found.high) == (3, 10.0, 1000.0)
    assert found.slope[0] == pytest.approx(1.0)
    assert fit_line(line([1.0], [1.0], [0.1]), "power").problem == "too few points (1)"


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (0.51234, 0.0012, "0.5123(12)"),
        (12345.6, 1.2, "12345.6(12)"),
        (3.0, 1e-9, "3"),
        (1234.5, 12.3, "1234(12)"),
        (1e-9, 2e-11, "1.000(20)e-9"),
        (0.5, 0.0996, "0.50(10)"),
        (-3.2e7, 1e5, "-3.200(10)e7"),
        (1e-17, 0.012, "0.000(12)"),
        (1.23456, math.nan, "1.235"),
        (2.5e-17, 1e-33, "2.5e-17"),
        (math.nan, 1.0, "–"),
    ],
)
def test_an_error_stands_in_the_last_digits(value: float, error: float, text: str) -> None:
    assert with_error(value, error) == text


def table(grid: Grid, values: Any) -> pd.DataFrame:
    """Runs in which the quantity is ``values(parameters, seed)``."""
    rows = [
        {"point": point.number, **point.values, "seed": seed, "y": values(point.values, seed), "status": "done"}
        for point in grid.points
        for seed in grid.seeds
    ]
    return pd.DataFrame(rows)


def judged(values: Any, **claim: Any) -> Verdict:
    """What is said of a claim about runs with these values."""
    axes = [{"key": "discs.volume_fraction", "values": [0.1, 0.2]}, {"key": "discs.count", "values": COUNTS}]
    grid = Grid(tiny(vary=axes, seeds={"count": 8}))
    runs = table(grid, values)
    return judge(Claim(says="It is so", y="y", **claim), runs, summary(runs, grid), grid)


def noise(seed: int) -> float:
    """From -1 to 1, different for each seed, 0 on average over eight."""
    return (seed - 4.5) / 3.5


def test_an_expected_value() -> None:
    def near(values: Any, seed: int) -> float:
        return 0.5 + (0.03 if values["discs.count"] == 256 else 0.0) + 0.001 * noise(seed)

    assert judged(near, expect=0.5, within=0.04).verdict == HOLDS
    found = judged(near, expect=0.5, within=0.02)
    assert found.verdict == FAILS
    assert "at 6 of 8 points" in found.because
    assert "N = 256" in found.because


@pytest.mark.parametrize(("off", "spread", "verdict"), [
    (0.01, 0.01, HOLDS), (0.01, 0.2, OPEN), (0.03, 0.01, FAILS), (0.03, 0.05, OPEN), (0.3, 0.2, FAILS),
])  # fmt: skip
def test_an_uncertain_statement_neither_holds_nor_fails(off: float, spread: float, verdict: str) -> None:
    def near(values: Any, seed: int) -> float:
        return 0.5 * (1.0 + (off if values["discs.volume_fraction"] == 0.2 else 0.0) + spread * noise(seed))

    assert judged(near, expect=0.5, within=0.01).verdict == verdict

    def shifted(values: Any, seed: int) -> float:  # seed by seed with other noise than the base
        apart = values["discs.volume_fraction"] == 0.2
        return 0.5 * (1.0 + (off if apart else 0.0) + (spread * noise(seed) if apart else 0.0))

    assert judged(shifted, key="discs.volume_fraction", base=0.1, below=0.02).verdict == verdict


def test_a_mean_over_some_of_the_runs_says_of_how_many() -> None:
    def late(values: Any, seed: int) -> float:
        return math.nan if values["discs.count"] == 1024 and seed > 2 else 1.0 + values["discs.volume_fraction"]

    assert judged(late, x="discs.volume_fraction", trend="rises").because.endswith(
        "; of the 52 of 64 runs that have a value"
    )
    assert "of the 52 of 64 runs" in judged(late, expect=1.0, within=0.5).because
    assert "of the" not in judged(late, x="discs.count", between=[1, 300], trend="rises").because


def test_a_trend() -> None:
    def falling(values: Any, seed: int) -> float:
        return 3.0 - 0.1 * math.log(values["discs.count"]) + 0.01 * noise(seed)

    assert judged(falling, x="discs.count", trend="falls").verdict == HOLDS
    assert judged(falling, x="discs.count", trend="rises").verdict == FAILS
    assert judged(lambda values, seed: 1.0 + noise(seed), x="discs.count", trend="falls").verdict == OPEN


def test_an_exponent() -> None:
    def power(values: Any, seed: int) -> float:
        return values["discs.count"] ** 1.25 * (1.0 + 0.01 * noise(seed))

    assert judged(power, x="discs.count", exponent=[1.2, 1.3]).verdict == HOLDS
    assert judged(power, x="discs.count", exponent=[1.3, 1.4]).verdict == FAILS


def test_a_difference_is_taken_seed_by_seed() -> None:
    def shared(values: Any, seed: int) -> float:
        """Large noise that both have in common: only the difference seed by seed shows 2 %."""
        return 10.0 + noise(seed) + (0.2 if values["discs.volume_fraction"] == 0.2 else 0.0)

    compared = {"key": "discs.volume_fraction", "base": 0.1}
    found = judged(shared, below=0.03, **compared)
    assert found.verdict == HOLDS
    assert "4 comparisons: 2 % on average" in found.because
    assert judged(shared, below=0.01, **compared).verdict == FAILS

    def one_far(values: Any, seed: int) -> float:
        far = values == {"discs.volume_fraction": 0.2, "discs.count": 16}
        return 10.0 + (1.0 if far else 0.0)

    assert judged(one_far, below=0.05, **compared).verdict == FAILS
    assert judged(one_far, below=0.05, on_average=True, **compared).verdict == HOLDS


def test_points_that_a_line_does_not_tell_apart_are_averaged() -> None:
    axes = [{"key": "discs.volume_fraction", "values": [0.1, 0.2]}, {"key": "discs.count", "values": COUNTS}]
    grid = Grid(tiny(vary=axes, seeds={"count": 8}))
    runs = table(grid, lambda values, seed: 10.0 * values["discs.volume_fraction"] + noise(seed))
    (found,) = lines(summary(runs, grid), grid, "y", "discs.count")
    np.testing.assert_allclose(found.y, 1.5)
    alone = np.std([noise(seed) for seed in range(1, 9)], ddof=1) / math.sqrt(8)
    np.testing.assert_allclose(found.error, alone / math.sqrt(2.0))  # taken as independent where no runs are given
    (found,) = lines(summary(runs, grid), grid, "y", "discs.count", offsets=offsets_of(runs, "y"))
    np.testing.assert_allclose(found.error, alone)  # every seed moves both by as much
    two = lines(summary(runs, grid), grid, "y", "discs.count", by="discs.volume_fraction")
    assert [one.of for one in two] == [0.1, 0.2]
    np.testing.assert_allclose(two[1].y, 2.0)
