"""Checking statements of a paper against the data of a study."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.study.grid import Grid, GridPoint
from engine.study.labels import joined_values, label, place, short
from engine.study.laws import curves_of, fit_line
from engine.study.model import Claim
from engine.study.series import (
    SeriesLine,
    differences,
    lines,
    matching,
    offsets_of,
    values_of,
    with_error,
    without_value,
)

if TYPE_CHECKING:
    import pandas as pd

HOLDS, FAILS, OPEN = "holds", "does not hold", "not decided"
_CERTAIN = 2.0  # standard errors
_ROUNDING = 1e-12  # relative


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim.

    Parameters
    ----------
    claim : the claim.
    verdict : `HOLDS`, `FAILS` or `OPEN`.
    because : the supporting numbers, in words.
    """

    claim: Claim
    verdict: str
    because: str


def judge(claim: Claim, runs: pd.DataFrame, summary: pd.DataFrame, grid: Grid) -> Verdict:
    """Check a claim. runs, summary : see `engine.study.tables`."""
    if claim.expect is not None:
        return _expected(claim, runs, summary, grid)
    if claim.key:
        return _compared(claim, runs, grid)
    offsets = offsets_of(runs, claim.y)
    found = [_between(line, claim) for line in lines(summary, grid, claim.y, claim.x, at=claim.at, offsets=offsets)]
    if claim.formula and found and len(found[0].x):
        verdict = _lawful(claim, found[0], grid)
    elif not found or len(found[0].x) < 2:
        return Verdict(claim, OPEN, "too few points")
    else:
        verdict = _trend(claim, found[0]) if claim.trend else _exponent(claim, found[0])
    behind = [number for numbers in found[0].points for number in numbers]
    return replace(verdict, because=verdict.because + _share(runs, claim.y, behind))


def _share(runs: pd.DataFrame, quantity: str, points: Collection[int]) -> str:
    """The numbers of runs behind the means, if some runs have no value."""
    lacking, done = without_value(runs, quantity, points)
    return f"; of the {done - lacking} of {done} runs that have a value" if lacking else ""


def _decided(off: float, error: float, room: float) -> str:
    """The verdict on a difference that should be at most `room`: open if it is within two errors of the limit, or if
    one error is as large as `room`."""
    if not math.isfinite(error):
        return HOLDS if abs(off) <= room else FAILS
    if abs(off) <= room:
        return OPEN if error > room else HOLDS
    return FAILS if abs(off) - _CERTAIN * error > room else OPEN


def _of_all(verdicts: Collection[str]) -> str:
    """The verdict on a claim about several means: a single failure is enough."""
    return next((one for one in (FAILS, OPEN) if one in verdicts), HOLDS)


def _between(line: SeriesLine, claim: Claim) -> SeriesLine:
    """The points of a line that a claim is about."""
    if claim.between is None:
        return line
    low, high = claim.between
    return line.where((line.x >= low) & (line.x <= high))


def _lawful(claim: Claim, line: SeriesLine, grid: Grid) -> Verdict:
    """The verdict on a claim that means follow a formula, by their relative differences from it."""
    (curve,) = curves_of(claim.formula, grid, claim.at)  # of one number of dimensions, see `check_formula`
    law = curve.at(line.x)
    off, error = line.y / law - 1.0, line.error / np.abs(law)
    below = math.inf if claim.below is None else claim.below
    worst = int(np.argmax(np.abs(off)))
    name = short(claim.x) if claim.x in grid.keys else label(claim.x, grid)
    because = (
        f"{100.0 * float(np.abs(off).mean()):.2g} % on average over {len(off)} points, at most "
        f"{with_error(100.0 * float(off[worst]), 100.0 * float(error[worst]))} % ({name} = "
        f"{line.x[worst]:.4g})"
    )
    return Verdict(claim, _of_all([_decided(*one, below) for one in zip(off, error, strict=True)]), because)


def _expected(claim: Claim, runs: pd.DataFrame, summary: pd.DataFrame, grid: Grid) -> Verdict:
    means = values_of(summary, claim.y)
    chosen = [
        (point, *means[point.number])
        for point in (grid.named(claim.points) if claim.points else matching(grid, claim.at))
        if point.number in means and _inside(point, claim)
    ]
    if not chosen or claim.expect is None or claim.within is None:
        return Verdict(claim, OPEN, f"no run has {claim.y}")
    expect, within = claim.expect, claim.within
    good = [abs(mean - expect) <= within for _, mean, _ in chosen]
    verdict = _of_all([_decided(mean - expect, error, within) for _, mean, error in chosen])
    share = _share(runs, claim.y, [point.number for point, _, _ in chosen])
    worst, mean, error = max(chosen, key=lambda one: abs(one[1] - expect))
    if len(chosen) == 1:
        because = f"{with_error(mean, error)}, expected {expect:.4g} within {within:g}{_where(worst, grid)}"
        return Verdict(claim, verdict, because + share)
    average = sum(one[1] for one in chosen) / len(chosen)
    because = (
        f"within {within:g} of {expect:g} at {sum(good)} of {len(good)} points; {average:.4g} on average, farthest "
        f"{with_error(mean, error)}{_where(worst, grid)}"
    )
    return Verdict(claim, verdict, because + share)


def _inside(point: GridPoint, claim: Claim) -> bool:
    """Whether a claim is about a point of the grid, by its x."""
    if claim.between is None:
        return True
    return claim.between[0] <= float(point.values[claim.x]) <= claim.between[1]


def _trend(claim: Claim, line: SeriesLine) -> Verdict:
    positive = bool((line.x > 0.0).all())
    at = np.log(line.x) if positive else line.x
    fitted = fit_line(replace(line, x=at), "linear", widened=False)  # no straight line
    slope, error = fitted.slope
    sign = 1.0 if claim.trend == "rises" else -1.0
    name = short(claim.x)
    because = (
        f"from {with_error(line.y[0], line.error[0])} at {name} = {line.x[0]:g} to "
        f"{with_error(line.y[-1], line.error[-1])} at {name} = {line.x[-1]:g}; slope {with_error(slope, error)} over "
        f"{'ln ' if positive else ''}{name}"
    )
    flat = abs(slope) * float(np.ptp(at)) <= _ROUNDING * float(np.abs(line.y).max())
    if flat or not math.isfinite(error) or abs(slope) < _CERTAIN * error:
        return Verdict(claim, OPEN, because)
    return Verdict(claim, HOLDS if sign * slope > 0.0 else FAILS, because)


def _exponent(claim: Claim, line: SeriesLine) -> Verdict:
    low, high = claim.exponent or (math.nan, math.nan)
    fitted = fit_line(line, "power")
    if fitted.problem:
        return Verdict(claim, OPEN, fitted.problem)
    slope, error = fitted.slope
    room = _CERTAIN * error if math.isfinite(error) else 0.0
    because = f"exponent {with_error(slope, error)} from {fitted.low:g} to {fitted.high:g}; claimed {low:g} to {high:g}"
    if math.isfinite(error) and error > high - low:
        return Verdict(claim, OPEN, because)
    return Verdict(claim, HOLDS if low - room <= slope <= high + room else FAILS, because)


def _compared(claim: Claim, runs: pd.DataFrame, grid: Grid) -> Verdict:
    """Relative differences from the same points with ``key = base``."""
    if claim.y not in runs.columns:
        return Verdict(claim, OPEN, f"no run has {claim.y}")
    found = differences(runs, grid, claim.y, claim.key, claim.base, claim.at)
    if not found or claim.below is None:
        return Verdict(claim, OPEN, "nothing to compare with")
    worst, difference, error, _ = max(found, key=lambda one: abs(one.relative))
    average = sum(abs(one.relative) for one in found) / len(found)
    verdict = _of_all([_decided(one.relative, one.error, claim.below) for one in found])
    if claim.on_average:
        verdict = HOLDS if average < claim.below else FAILS
    because = (
        f"{len(found)} comparisons: {100.0 * average:.2g} % on average, the largest "
        f"{with_error(100.0 * difference, 100.0 * error)} %{_where(worst, grid)}"
    )
    return Verdict(claim, verdict, because)


def _where(point: GridPoint, grid: Grid) -> str:
    return f" ({place(point, grid, _value)})" if point.values else ""


def _value(of: Any) -> str:
    """A value of a parameter as a program may read it in the JSON, which `labels.value` is not."""
    if isinstance(of, float):
        return f"{of:g}"
    if isinstance(of, int) and not isinstance(of, bool) and abs(of) >= 10_000:
        return f"{of:,}".replace(",", "\N{NO-BREAK SPACE}")
    if isinstance(of, list | tuple):
        return joined_values((one if isinstance(one, str) else f"{one:g}" for one in of), of)
    return str(of)
