"""Points of a study with the same seeds: comparisons and fits have the errors that many such studies show.

The runs are made up, with a known correlation between the points: N_c correlates by 0.4 between time steps, the end
time by 0.99.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from engine.study.claims import HOLDS, OPEN, judge
from engine.study.grid import Grid
from engine.study.laws import Fitted, fit_curve, fit_line, pool
from engine.study.model import Claim, Fit, Pool
from engine.study.series import SeriesLine, differences, lines, offsets_from, offsets_of
from engine.study.tables import curve_lines, summary
from tests.study.studies import tiny

COUNTS = [16, 64, 256, 1024, 4096]
STUDIES, FEW_STUDIES, SEEDS, NOISE = 200, 100, 20, 0.05
CORRELATIONS = [0.0, 0.4, 0.99]
GRID = Grid(tiny(vary=[{"key": "discs.count", "values": COUNTS}], seeds={"count": SEEDS}))

Floats = NDArray[np.float64]


def noise(correlation: float, rng: np.random.Generator) -> Floats:
    """(K, seeds), with this correlation between the points."""
    common, own = rng.normal(size=SEEDS), rng.normal(size=(len(COUNTS), SEEDS))
    return NOISE * (math.sqrt(correlation) * common + math.sqrt(1.0 - correlation) * own)


def runs_of(values: Floats, seeds: Any = None) -> pd.DataFrame:
    """A table of runs with these values (K, seeds); seeds : (K, seeds), 1, 2, … at all points unless given."""
    seeds = np.tile(np.arange(1, SEEDS + 1), (len(COUNTS), 1)) if seeds is None else seeds
    points = np.repeat(np.arange(len(COUNTS)), SEEDS)
    counts = np.array(COUNTS)[points]
    return pd.DataFrame(
        {"point": points, "discs.count": counts, "seed": seeds.ravel(), "y": values.ravel(), "status": "done"}
    )


def line_of(runs: pd.DataFrame) -> SeriesLine:
    """The means over N."""
    (found,) = lines(summary_of(runs), GRID, "y", "discs.count", offsets=offsets_of(runs, "y"))
    return found


def summary_of(runs: pd.DataFrame) -> pd.DataFrame:
    """The columns of a summary that lines need, without the bootstrap of the others."""
    means = runs.groupby("point")["y"]
    return pd.DataFrame(
        {"point": means.mean().index, "quantity": "y", "mean": means.mean().to_numpy(), "error": means.sem().to_numpy()}
    )


def many(correlation: float, law: str, **how: Any) -> tuple[Floats, Floats]:
    """What is fitted to many studies of y = 2 N^0.5, or of y = 2 for a constant, and its errors."""
    rng = np.random.default_rng(round(100 * correlation) + len(law))
    truth = 2.0 * np.array(COUNTS, float) ** (0.0 if law == "constant" else 0.5)
    found = []
    for _ in range(STUDIES):
        fitted = fit_line(line_through(truth[:, None] * (1.0 + noise(correlation, rng))), law, **how)
        found.append(fitted.amplitude if law == "constant" else fitted.slope)
    values, errors = np.array(found).T
    return values, errors


def line_through(values: Floats) -> SeriesLine:
    """`line_of` runs with these values (K, seeds), without a table."""
    by_seed = np.array([list(offsets_from(range(SEEDS), row).values()) for row in values])
    mean, error = values.mean(axis=1), values.std(axis=1, ddof=1) / math.sqrt(SEEDS)
    return SeriesLine(None, np.array(COUNTS, float), mean, error, tuple((k,) for k in range(len(COUNTS))), by_seed)


def test_a_line_of_a_table_has_the_means_errors_and_offsets_of_its_runs() -> None:
    values = 2.0 + noise(0.4, np.random.default_rng(3))
    found, wanted = line_of(runs_of(values)), line_through(values)
    for name in ("x", "y", "error", "by_seed"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("correlation", CORRELATIONS)
@pytest.mark.parametrize("law", ["power", "constant"])
def test_the_error_of_a_law_is_how_far_studies_spread(law: str, correlation: float) -> None:
    values, errors = many(correlation, law, widened=False)
    # the errors of the points, by which these are weighted, are themselves known to a sixth: of independent points that
    # makes the error of a law too small by a tenth
    assert math.sqrt(float(np.square(errors).mean())) == pytest.approx(values.std(), rel=0.15)
    within = np.abs(values - (2.0 if law == "constant" else 0.5)) <= 2.0 * errors
    assert 0.88 < within.mean() < 0.99


@pytest.mark.parametrize("correlation", CORRELATIONS)
def test_allowing_for_a_misfit_makes_errors_a_little_larger(correlation: float) -> None:
    values, errors = many(correlation, "power")
    _, narrow = many(correlation, "power", widened=False)
    assert (errors >= narrow).all()
    assert 0.85 < math.sqrt(float(np.square(errors).mean())) / values.std() < 1.3


def test_points_without_a_common_seed_are_independent() -> None:
    rng = np.random.default_rng(1)
    values = 2.0 * np.array(COUNTS, float)[:, None] ** 0.5 * (1.0 + noise(0.0, rng))
    own = np.arange(len(COUNTS) * SEEDS).reshape(len(COUNTS), SEEDS)
    for law in ("power", "linear", "constant"):
        apart = line_of(runs_of(values, own))
        assert apart.by_seed is not None
        plain = replace(apart, by_seed=None)
        for widened in (True, False):
            found, wanted = (fit_line(one, law, widened=widened) for one in (apart, plain))
            assert found.slope == pytest.approx(wanted.slope, rel=1e-9)
            assert found.amplitude == pytest.approx(wanted.amplitude, rel=1e-9)


def test_runs_that_are_missing_leave_the_others_paired() -> None:
    """A seed that some points lack still counts for the other points; no error is lost, and none is negative."""
    rng = np.random.default_rng(2)
    found = []
    for _ in range(FEW_STUDIES):
        runs = runs_of(2.0 * (1.0 + noise(0.99, rng)))
        found.append(fit_line(line_of(runs[~((runs["seed"] > 5) & (runs["point"] > 2))]), "constant").amplitude)
    values, errors = np.array(found).T
    assert math.sqrt(float(np.square(errors).mean())) == pytest.approx(values.std(), rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.0, 0.99])
def test_a_relative_difference_has_the_error_of_the_ratio(correlation: float) -> None:
    """Also if the difference is large: the base has an error too."""
    rng = np.random.default_rng(3)
    found = []
    for _ in range(FEW_STUDIES):
        values = np.array([1.0, 1.5, 1.0, 1.0, 1.0])[:, None] * (1.0 + noise(correlation, rng))
        one = differences(runs_of(values), GRID, "y", "discs.count", 16, {})[0]
        assert one.error == pytest.approx(math.hypot(*(one.offsets or {}).values()))
        found.append((one.relative, one.error))
    off, errors = np.array(found).T
    assert off.mean() == pytest.approx(0.5, abs=0.01)
    assert math.sqrt(float(np.square(errors).mean())) == pytest.approx(off.std(), rel=0.12)


@pytest.mark.parametrize(("correlation", "verdict"), [(0.0, OPEN), (0.9999, HOLDS)])
def test_a_small_trend_is_seen_where_seeds_have_the_same_noise(correlation: float, verdict: str) -> None:
    rng = np.random.default_rng(4)
    values = (1.0 + 0.002 * np.log(np.array(COUNTS, float)))[:, None] * (1.0 + noise(correlation, rng))
    runs = runs_of(values)
    claim = Claim(says="It rises", y="y", x="discs.count", trend="rises")
    assert judge(claim, runs, summary(runs, GRID), GRID).verdict == verdict


def curve_fits(by: str, rng: np.random.Generator) -> list[Fitted]:
    """Laws through mean curves whose points are sums of those before them, as M(t) and P(r) are."""
    x = np.geomspace(1.0, 100.0, 60)
    every = []
    for point in GRID.points:
        for seed in GRID.seeds:
            walk = np.cumsum(rng.normal(0.0, 0.02, len(x)))
            every.append((point.number, seed, x, x**1.5 * np.exp(walk)))
    return [fit_curve(line, Fit(y="c", law="power")) for line in curve_lines(every, GRID, by)]


@pytest.mark.parametrize("by", ["discs.count", ""])
def test_a_law_through_a_mean_curve_has_the_error_of_the_seeds(by: str) -> None:
    rng = np.random.default_rng(5)
    values, errors = np.array([one.slope for _ in range(STUDIES // 2) for one in curve_fits(by, rng)]).T
    assert values.mean() == pytest.approx(1.5, abs=0.01)
    assert math.sqrt(float(np.square(errors).mean())) == pytest.approx(values.std(), rel=0.2)


def test_one_run_tells_no_error_of_a_law_through_its_curve() -> None:
    x = np.geomspace(1.0, 100.0, 60)
    walk = np.cumsum(np.random.default_rng(6).normal(0.0, 0.02, len(x)))
    (line,) = curve_lines([(0, 1, x, x**1.5 * np.exp(walk))], GRID, "discs.count")
    found = fit_curve(line, Fit(y="c", law="power"))
    assert found.slope[0] == pytest.approx(1.5, abs=0.1)
    assert math.isnan(found.slope[1])
    assert math.isnan(found.amplitude[1])


def test_pooled_runs_of_one_seed_are_drawn_together() -> None:
    """Exponents that differ from seed to seed, and are the same at every point: five points tell as much as one."""
    rows = [
        {"point": point.number, "seed": seed, "status": "done", "e": 0.2 if seed % 2 else 0.6, "n": 10_000}
        for point in GRID.points
        for seed in GRID.seeds
    ]
    wanted = Pool(title="", exponent="e", count="n")
    (five,) = pool(wanted, pd.DataFrame(rows), GRID)
    (one,) = pool(wanted, pd.DataFrame(rows[:SEEDS]), GRID)
    assert five.error == pytest.approx(one.error, rel=1e-9)
    apart = [row | {"seed": k} for k, row in enumerate(rows)]
    (more,) = pool(wanted, pd.DataFrame(apart), GRID)
    assert more.error == pytest.approx(one.error / math.sqrt(len(COUNTS)), rel=0.1)
