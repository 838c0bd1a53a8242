"""Lines through the points of a study: a quantity over a parameter, for each value of another one."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.study.grid import Grid, GridPoint
from engine.words import places_of_error

if TYPE_CHECKING:
    import pandas as pd


Offsets = Mapping[int, float]
"""By seed: its share in the error of a mean. The square root of the sum of their squares is the standard error.

For n runs with values y_s, they are (y_s - mean) / √(n (n - 1)). The sum of the products for two means with common
seeds is their covariance; without a common seed it is 0."""


@dataclass(frozen=True)
class SeriesLine:
    """The means of a quantity over x.

    Parameters
    ----------
    of : the value of the parameter that tells lines apart, None if there is one line.
    x, y, error : (K,), by x; error is the standard error of y, nan for a single run.
    points : numbers of the points of the grid behind each entry.
    by_seed : (K, S), the offsets of each of S seeds in each mean, see `Offsets`; None if they are not known: then the
        means are taken as independent.
    """

    of: Any
    x: Floats
    y: Floats
    error: Floats
    points: tuple[tuple[int, ...], ...]
    by_seed: Floats | None = None

    def where(self, chosen: NDArray[np.bool_]) -> SeriesLine:
        """The line with only the chosen ones of its points (K,)."""
        kept = np.flatnonzero(chosen)
        by_seed = None if self.by_seed is None else self.by_seed[kept]
        points = tuple(self.points[k] for k in kept) if self.points else ()
        return replace(self, x=self.x[kept], y=self.y[kept], error=self.error[kept], points=points, by_seed=by_seed)


def matching(grid: Grid, at: Mapping[str, Any]) -> list[GridPoint]:
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
    offsets: Mapping[int, Offsets] | None = None,
) -> list[SeriesLine]:
    """The lines of a figure or a fit.

    Points that differ in neither x nor `by` are averaged. Their errors are combined seed by seed; if
    no offsets are given, as those of independent means.

    Parameters
    ----------
    summary : of the study (`engine.study.tables.summary`).
    y : a quantity. x : a parameter or another quantity. by : a parameter, "" for one line. at : see `matching`.
    means : what stands for the means of y, see `values_of`.
    offsets : by the number of the point, the offsets of each seed in its mean, see `offsets_of`.
    """
    means = values_of(summary, y) if means is None else means
    offsets = offsets or {}
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
        merged = [_averaged(entries[where], offsets) for where in at_x]
        result.append(
            SeriesLine(
                of,
                np.array(at_x),
                np.array([one.mean for one in merged]),
                np.array([one.error for one in merged]),
                tuple(tuple(number for _, _, number in entries[where]) for where in at_x),
                side_by_side([one.offsets for one in merged]),
            )
        )
    return result


def side_by_side(offsets: Sequence[Offsets | None]) -> Floats | None:
    """The offsets of several means, (K, S), with a column for each seed; None if those of one mean are not known."""
    known = [one for one in offsets if one is not None]
    if not known or len(known) < len(offsets):
        return None
    seeds = sorted({seed for one in known for seed in one})
    return np.array([[one.get(seed, 0.0) for seed in seeds] for one in known])


def offsets_of(runs: pd.DataFrame, quantity: str) -> dict[int, dict[int, float]]:
    """`Offsets` of the means of a quantity, by the number of the point, for points with at least two runs.
    runs : see `engine.study.tables.runs`."""
    good = runs[runs["status"] == "done"]
    if quantity not in good.columns:
        return {}
    found: dict[int, dict[int, float]] = {}
    for point, group in good.groupby("point"):
        values = group[quantity].to_numpy(np.float64)
        known = np.isfinite(values)
        if np.count_nonzero(known) > 1:
            found[int(point)] = offsets_from(group["seed"].to_numpy()[known].tolist(), values[known])
    return found


def offsets_from(seeds: Sequence[int], values: Floats) -> dict[int, float]:
    """`Offsets` of the mean of values (n,), n > 1, one for each seed."""
    count = len(values)
    return dict(zip(seeds, ((values - values.mean()) / math.sqrt(count * (count - 1))).tolist(), strict=True))


def values_of(summary: pd.DataFrame, quantity: str) -> dict[int, tuple[float, float]]:
    """Mean and standard error of a quantity by the number of the point; points without a mean are left out."""
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


class Difference(NamedTuple):
    """The relative difference of the mean at a point from that at another one, its standard error, and its `Offsets`
    (None for a single seed)."""

    point: GridPoint
    relative: float
    error: float
    offsets: dict[int, float] | None


def differences(runs: pd.DataFrame, grid: Grid, y: str, key: str, base: Any, at: Mapping[str, Any]) -> list[Difference]:
    """Points whose `key` is not `base`, with the relative difference of the mean of y from the same point with
    ``key = base``.

    The differences are taken seed by seed, for the seeds that both share, so that common noise drops out. With the
    means m and b, the error is that of the mean of (y - y_b m / b) / b. runs : see `engine.study.tables.runs`.
    """
    good = runs[runs["status"] == "done"]
    if y not in good.columns:
        return []
    table = {number: group.set_index("seed")[y] for number, group in good.groupby("point")}
    axis = grid.axis_of(key)
    tied = (key,) if axis is None else axis.all_keys  # what changes together with it
    bases = {_beside(one, tied): one for one in reversed(matching(grid, {key: base}))}
    found: list[Difference] = []
    for point in matching(grid, at):
        partner = None if point.values.get(key) == base else bases.get(_beside(point, tied))
        if partner is None or point.number not in table or partner.number not in table:
            continue
        both = table[point.number].index.intersection(table[partner.number].index)
        here, there = (table[one.number][both].to_numpy(np.float64) for one in (point, partner))
        known = np.isfinite(here) & np.isfinite(there)
        here, there = here[known], there[known]
        mean = float(there.mean()) if len(there) else 0.0
        if mean == 0.0:
            continue
        ratio, offsets, error = float(here.mean()) / mean, None, math.nan
        if len(here) > 1:
            offsets = offsets_from(both[known].tolist(), (here - ratio * there) / mean)
            error = math.hypot(*offsets.values())
        found.append(Difference(point, ratio - 1.0, error, offsets))
    return found


def _beside(point: GridPoint, keys: Collection[str]) -> str:
    """The other parameters of a point, as a text that two points have in common which differ in these alone."""
    return repr([(key, value) for key, value in point.values.items() if key not in keys])


def with_error(value: float, error: float) -> str:
    """A value with its error in the last digits, ``0.5123(12)``; four digits if it has none, six if it is
    negligible."""
    if not math.isfinite(value):
        return "–"
    if not (math.isfinite(error) and error > 0.0):
        return f"{value:.4g}"
    if error < 1e-7 * abs(value):  # rounding alone
        return f"{value:.6g}"
    size = max(abs(value), error)
    if not 1e-4 <= size < 1e6:
        power = math.floor(math.log10(size))
        return f"{with_error(value / 10.0**power, error / 10.0**power)}e{power:d}"
    places = places_of_error(error)
    if places <= 0:
        return f"{value:.0f}({error:.0f})"
    return f"{value:.{places}f}({round(error * 10**places)})"


class _Averaged(NamedTuple):
    """The mean of several means, its error, and its `Offsets` if they are known."""

    mean: float
    error: float
    offsets: Offsets | None


def _averaged(entries: list[tuple[float, float, int]], offsets: Mapping[int, Offsets]) -> _Averaged:
    count = len(entries)
    mean = sum(mean for mean, _, _ in entries) / count
    if any(number not in offsets for _, _, number in entries):
        return _Averaged(mean, math.sqrt(sum(error * error for _, error, _ in entries)) / count, None)
    if count == 1:
        return _Averaged(mean, entries[0][1], offsets[entries[0][2]])
    together: dict[int, float] = {}
    for _, _, number in entries:
        for seed, offset in offsets[number].items():
            together[seed] = together.get(seed, 0.0) + offset / count
    return _Averaged(mean, math.hypot(*together.values()), together)


def as_key(value: Any) -> Any:
    """A value of a parameter as the key of a dictionary: lists as tuples."""
    return tuple(value) if isinstance(value, list) else value


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
