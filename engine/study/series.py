"""Lines through the points of a study: a quantity over a parameter, for each value of another one."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.study.grid import Grid, Point

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """The means of a quantity over x.

    Parameters
    ----------
    of : the value of the parameter that tells lines apart, None where there is one line.
    x, y, error : (K,), by x; error is the standard error of y, nan where a single run gives none.
    points : numbers of the points of the grid behind each entry.
    """

    of: Any
    x: Floats
    y: Floats
    error: Floats
    points: tuple[tuple[int, ...], ...]


def matching(grid: Grid, at: Mapping[str, Any]) -> list[Point]:
    """The points of the grid whose parameters have these values; single points beside it do not count."""
    return [point for point in grid.crossed if all(point.values.get(key) == value for key, value in at.items())]


def lines(
    summary: pd.DataFrame,
    grid: Grid,
    y: str,
    x: str,
    by: str = "",
    at: Mapping[str, Any] | None = None,
    means: Mapping[int, tuple[float, float]] | None = None,
) -> list[Line]:
    """The lines of a figure or a fit.

    Points that differ in neither x nor `by` are averaged: their errors are combined as those of independent means.

    Parameters
    ----------
    summary : of the study (`engine.study.tables.summary`).
    y : a quantity. x : a parameter or another quantity. by : a parameter, "" for one line. at : see `matching`.
    means : what stands for the means of y, see `values_of`.
    """
    means = values_of(summary, y) if means is None else means
    below = None if x in grid.keys else values_of(summary, x)
    found: dict[Any, dict[float, list[tuple[float, float, int]]]] = {}
    for point in matching(grid, at or {}):
        if point.number not in means:
            continue
        mean, error = means[point.number]
        where = point.values[x] if below is None else below.get(point.number, (math.nan, 0.0))[0]
        if not (_is_finite(where) and math.isfinite(mean)):
            continue
        axis = grid.axis_of(by) if by else None
        of = None if axis is None else grid.value_on(axis, point)
        found.setdefault(as_key(of), {}).setdefault(float(where), []).append((mean, error, point.number))
    result = []
    for of, entries in found.items():
        at_x = sorted(entries)
        merged = [_averaged(entries[where]) for where in at_x]
        result.append(
            Line(
                of,
                np.array(at_x),
                np.array([mean for mean, _ in merged]),
                np.array([error for _, error in merged]),
                tuple(tuple(number for _, _, number in entries[where]) for where in at_x),
            )
        )
    return result


def values_of(summary: pd.DataFrame, quantity: str) -> dict[int, tuple[float, float]]:
    """Mean and standard error of a quantity by the number of the point, where there is a mean."""
    rows = summary[summary["quantity"] == quantity]
    return {
        int(point): (float(mean), float(error))
        for point, mean, error in zip(rows["point"], rows["mean"], rows["error"], strict=True)
        if math.isfinite(mean)
    }


def without_value(runs: pd.DataFrame, quantity: str, points: Collection[int]) -> tuple[int, int]:
    """How many runs at these points have ended without a value of a quantity, and how many have ended."""
    done = runs[(runs["status"] == "done") & runs["point"].isin(points)]
    lacking = int(done[quantity].isna().sum()) if quantity in done.columns else len(done)
    return lacking, len(done)


def differences(
    runs: pd.DataFrame, grid: Grid, y: str, key: str, base: Any, at: Mapping[str, Any]
) -> list[tuple[Point, float, float]]:
    """Points whose `key` is not `base`, with the relative difference of the mean of y from the same point with
    ``key = base``, and its standard error.

    The differences are taken seed by seed: what both have in common drops out of the error. runs : see
    `engine.study.tables.runs`.
    """
    good = runs[runs["status"] == "done"]
    if y not in good.columns:
        return []
    table = {number: group.set_index("seed")[y] for number, group in good.groupby("point")}
    axis = grid.axis_of(key)
    tied = (key,) if axis is None else axis.all_keys  # what changes together with it
    bases = {_beside(one, tied): one for one in reversed(matching(grid, {key: base}))}
    found: list[tuple[Point, float, float]] = []
    for point in matching(grid, at):
        partner = None if point.values.get(key) == base else bases.get(_beside(point, tied))
        if partner is None or point.number not in table or partner.number not in table:
            continue
        pairs = (table[point.number] - table[partner.number]).dropna()
        mean = float(table[partner.number].mean())
        if len(pairs) and mean != 0.0:
            error = float(pairs.std(ddof=1)) / math.sqrt(len(pairs)) if len(pairs) > 1 else math.nan
            found.append((point, float(pairs.mean()) / mean, error / abs(mean)))
    return found


def _beside(point: Point, keys: Collection[str]) -> str:
    """The other parameters of a point, as a text that two points have in common which differ in these alone."""
    return repr([(key, value) for key, value in point.values.items() if key not in keys])


def with_error(value: float, error: float) -> str:
    """A value with its error in the last digits, ``0.5123(12)``; four digits where it has none, six where it
    is nothing beside the value."""
    if not math.isfinite(value):
        return "–"
    if not (math.isfinite(error) and error > 0.0):
        return f"{value:.4g}"
    if error < 1e-7 * abs(value):  # rounding alone
        return f"{value:.6g}"
    digits = 1 - math.floor(math.log10(error))  # two digits of the error
    size = max(abs(value), error)
    if not 1e-4 <= size < 1e6:
        power = math.floor(math.log10(size))
        return f"{with_error(value / 10.0**power, error / 10.0**power)}e{power:d}"
    if digits <= 0:
        return f"{value:.0f}({error:.0f})"
    shown = round(error * 10**digits)
    if shown == 100:  # 0.0996 has three digits when it is rounded to two
        digits, shown = digits - 1, 10
    return f"{value:.{digits}f}({shown})"


def _averaged(entries: list[tuple[float, float, int]]) -> tuple[float, float]:
    count = len(entries)
    return (
        sum(mean for mean, _, _ in entries) / count,
        math.sqrt(sum(error * error for _, error, _ in entries)) / count,
    )


def as_key(value: Any) -> Any:
    """A value of a parameter as the key of a dictionary: lists as tuples."""
    return tuple(value) if isinstance(value, list) else value


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
