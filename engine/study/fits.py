"""Laws through the means of a study, with the errors of what they say."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.study.model import Fit
from engine.study.series import Floats, Line, lines
from engine.study.tables import StudyTables, curve_lines


@dataclass(frozen=True)
class Fitted:
    """A law that was fitted to one line.

    Parameters
    ----------
    law : see `engine.study.model.Fit`.
    of : the value of the parameter of this line, None for the only one.
    amplitude, slope : a and b, each with its standard error; the slope of a constant is 0.
    count : points that it goes through; low, high : their smallest and largest x.
    problem : why there is none, "" where there is.
    """

    law: str
    of: Any
    amplitude: tuple[float, float] = (math.nan, math.nan)
    slope: tuple[float, float] = (math.nan, math.nan)
    count: int = 0
    low: float = math.nan
    high: float = math.nan
    problem: str = ""

    def at(self, x: Floats) -> Floats:
        """The values of the law."""
        a, b = self.amplitude[0], self.slope[0]
        values: dict[str, Callable[[], Floats]] = {
            "power": lambda: a * x**b,
            "exponential": lambda: a * np.exp(b * x),
            "linear": lambda: a + b * x,
            "constant": lambda: np.full_like(x, a),
        }
        return values[self.law]()


def fit(wanted: Fit, result: StudyTables) -> list[Fitted]:
    """One law for each line of a fit."""
    if not wanted.x:
        curves = curve_lines(result.curves_of(wanted.y), result.grid, wanted.by, wanted.at, wanted.points)
        return [fit_curve(line, wanted) for line in curves]
    return [
        fit_line(line, wanted.law, wanted.between)
        for line in lines(result.summary(), result.grid, wanted.y, wanted.x, wanted.by, wanted.at)
    ]


def fit_curve(line: Line, wanted: Fit) -> Fitted:
    """A law through a mean curve. Its points count alike: they are of the same runs, so that their errors are not
    independent."""
    return fit_line(replace(line, error=np.full(len(line.x), math.nan)), wanted.law, wanted.between)


def fit_line(line: Line, law: str, between: tuple[float, float] | None = None, *, widened: bool = True) -> Fitted:
    """Least squares, in the logarithm for a power and an exponential.

    The points are weighted by their standard errors where all of them have one; else they count alike, and the errors
    of the law follow from how far the points are from it.

    Parameters
    ----------
    widened : where weighted points are farther from the law than their errors say, χ² above the degrees of freedom, the
        errors of the law are larger by √(χ² / (K - 2)): the law is then not all that the points follow.
    """
    low, high = between or (-math.inf, math.inf)
    chosen = (line.x >= low) & (line.x <= high)
    if law == "power":
        chosen &= line.x > 0.0
    if law in ("power", "exponential"):
        chosen &= line.y > 0.0
    x, y, error = line.x[chosen], line.y[chosen], line.error[chosen]
    unknowns = 1 if law == "constant" else 2
    if len(x) < unknowns or len(np.unique(x)) < unknowns:
        return Fitted(law, line.of, problem=f"too few points ({len(x)})")
    at = np.log(x) if law == "power" else x
    values, sigma = (np.log(y), error / y) if law in ("power", "exponential") else (y, error)
    weighted = bool((np.isfinite(sigma) & (sigma > 0.0)).all())
    if not weighted and len(x) == unknowns:
        errors_known = False
    else:
        errors_known = True
    columns = np.stack([np.ones_like(at), at], axis=1)[:, :unknowns]
    scale = sigma if weighted else np.ones_like(at)
    matrix = columns / scale[:, None]
    found, *_ = np.linalg.lstsq(matrix, values / scale, rcond=None)
    covariance = np.linalg.inv(matrix.T @ matrix)
    if len(x) > unknowns:
        misfit = float(np.sum(((values - columns @ found) / scale) ** 2)) / (len(x) - unknowns)
        if not weighted:
            covariance *= misfit
        elif widened:
            covariance *= max(1.0, misfit)
    spread = np.sqrt(np.diag(covariance)) if errors_known else np.full(unknowns, math.nan)
    a, a_error = float(found[0]), float(spread[0])
    if law in ("power", "exponential"):
        a, a_error = math.exp(a), math.exp(a) * a_error
    slope = (float(found[1]), float(spread[1])) if unknowns == 2 else (0.0, 0.0)
    return Fitted(law, line.of, (a, a_error), slope, len(x), float(x.min()), float(x.max()))
