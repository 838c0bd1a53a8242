"""Exponents of power laws at small values, pooled over the runs of a study."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.study.grid import Grid
from engine.study.model import Pool
from engine.study.series import matching

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Pooled:
    """One exponent of many runs.

    Parameters
    ----------
    of : the value of the parameter that tells lines apart, None where there is one.
    exponent, error : with its standard error; nan without any values.
    values, runs : how many values of how many runs it rests on.
    """

    of: Any
    exponent: float
    error: float
    values: int
    runs: int


def pool(wanted: Pool, runs: pd.DataFrame, grid: Grid) -> list[Pooled]:
    """One exponent for each value of ``by``.

    Each run has fitted P(x) ~ x^θ below the same end by maximum likelihood: 1 / (θ + 1) is the mean of ln(end / x) over
    its n values. The same estimator for all values together is Σ n over Σ n / (θ + 1), with the relative error 1 / √Σ n
    of θ + 1.
    """
    axis = grid.axis_of(wanted.by) if wanted.by else None
    lines: dict[Any, list[int]] = {}
    for point in matching(grid, wanted.at):
        lines.setdefault(None if axis is None else grid.value_on(axis, point), []).append(point.number)
    found = []
    for of, points in lines.items():
        chosen = runs[(runs["status"] == "done") & runs["point"].isin(points)]
        if wanted.exponent not in chosen.columns or wanted.count not in chosen.columns:
            found.append(Pooled(of, math.nan, math.nan, 0, 0))
            continue
        rows = chosen[[wanted.exponent, wanted.count]].dropna()
        count = float(rows[wanted.count].sum())
        spread = float((rows[wanted.count] / (rows[wanted.exponent] + 1.0)).sum())
        if spread > 0.0:
            slope = count / spread
            found.append(Pooled(of, slope - 1.0, slope / math.sqrt(count), int(count), len(rows)))
        else:
            found.append(Pooled(of, math.nan, math.nan, 0, 0))
    return found
