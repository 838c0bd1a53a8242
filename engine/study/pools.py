"""Exponents of power laws at small values, pooled over the runs of a study."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.study.grid import Grid, GridPoint
from engine.study.model import Pool
from engine.study.series import Floats, matching

if TYPE_CHECKING:
    import pandas as pd

_DRAWS = 2000  # of the bootstrap
AGREES, DIFFERS, OPEN = "agrees", "differs", "not decided: error too large"
_SHARP = 0.25  # of the known value: with a larger error nothing can be said


@dataclass(frozen=True)
class Pooled:
    """One exponent of many runs.

    Parameters
    ----------
    of : the value of the parameter that tells lines apart, None if there is one.
    exponent, error : the exponent and its standard error, from scatter and from the choice of the fit range; nan
        without any values.
    values, runs : how many values of how many runs it rests on.
    """

    of: Any
    exponent: float
    error: float
    values: int
    runs: int

    def verdict(self, known: float | None) -> str:
        """The comparison with a known value: agreement is within two standard errors."""
        if known is None or not math.isfinite(self.exponent):
            return ""
        if abs(self.exponent - known) > 2.0 * self.error:
            return DIFFERS
        return OPEN if self.error > _SHARP * abs(known) else AGREES


def pool(wanted: Pool, runs: pd.DataFrame, grid: Grid) -> list[Pooled]:
    """One exponent for each value of ``by``.

    Each run has fitted P(x) ~ x^θ below the same end by maximum likelihood: 1 / (θ + 1) is the mean of ln(end / x) over
    its n values. The same estimator for all values together is Σ n over Σ n / (θ + 1), with the relative error 1 / √Σ n
    of θ + 1 if all values are independent. Those of one run may not be, nor those of runs with the same seed at several
    points. So the error of a bootstrap over seeds (each draw of seeds is used at all points) is taken if it is larger,
    and ``systematic`` is added in squares.
    """
    axis = grid.axis_of(wanted.by) if wanted.by else None
    lines: dict[Any, list[int]] = {}
    for point in _largest(matching(grid, wanted.at), wanted.largest):
        lines.setdefault(None if axis is None else grid.value_on(axis, point), []).append(point.number)
    found = []
    for of, points in lines.items():
        chosen = runs[(runs["status"] == "done") & runs["point"].isin(points)]
        if wanted.exponent not in chosen.columns or wanted.count not in chosen.columns:
            found.append(Pooled(of, math.nan, math.nan, 0, 0))
            continue
        rows = chosen[["seed", wanted.exponent, wanted.count]].dropna()
        count = float(rows[wanted.count].sum())
        spread = float((rows[wanted.count] / (rows[wanted.exponent] + 1.0)).sum())
        if spread > 0.0:
            slope = count / spread
            parts = rows.assign(spread=rows[wanted.count] / (rows[wanted.exponent] + 1.0)).groupby("seed").sum()
            by_seed = parts[wanted.count].to_numpy(float), parts["spread"].to_numpy(float)
            chance = max(slope / math.sqrt(count), _spread(*by_seed))
            error = math.hypot(chance, wanted.systematic)
            found.append(Pooled(of, slope - 1.0, error, int(count), len(rows)))
        else:
            found.append(Pooled(of, math.nan, math.nan, 0, 0))
    return found


def _largest(points: Sequence[GridPoint], key: str) -> Sequence[GridPoint]:
    """Those of the points with the greatest value of a key, all of them without one."""
    if not key:
        return points
    greatest = max((point.values[key] for point in points), default=None)
    return [point for point in points if point.values[key] == greatest]


def _spread(numbers: Floats, spreads: Floats) -> float:
    """The standard deviation of θ + 1 over bootstrap draws of the seeds, which are the same each time it is called.
    numbers, spreads : (S,), Σ n and Σ n / (θ + 1) of the runs of each seed."""
    drawn = np.random.default_rng(0).integers(0, len(numbers), (_DRAWS, len(numbers)))
    return float(np.std(numbers[drawn].sum(axis=1) / spreads[drawn].sum(axis=1)))
