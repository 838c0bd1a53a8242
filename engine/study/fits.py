"""Laws fitted to the means of a study, with the errors of their parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.study.model import Fit
from engine.study.series import Floats, SeriesLine, lines, offsets_of
from engine.study.tables import StudyTables, curve_lines


@dataclass(frozen=True)
class Fitted:
    """A law that was fitted to one line.

    Parameters
    ----------
    law : see `engine.study.model.Fit`.
    of : the value of the parameter of this line, None for the only one.
    amplitude, slope : a and b, each with its standard error; the slope of a constant is 0.
    count : fitted points; low, high : their smallest and largest x. problem : why there is no law, "" if there is.
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
    offsets = offsets_of(result.runs, wanted.y)
    return [
        fit_line(line, wanted.law, wanted.between)
        for line in lines(result.summary(), result.grid, wanted.y, wanted.x, wanted.by, wanted.at, offsets=offsets)
    ]


def fit_curve(line: SeriesLine, wanted: Fit) -> Fitted:
    """A law through a mean curve. Its points have equal weights, since they come from the same runs. The errors come
    from the spread over the seeds, not from the scatter about the law; a single run has none."""
    found = fit_line(replace(line, error=np.full(len(line.x), math.nan)), wanted.law, wanted.between)
    if line.by_seed is None:
        return replace(found, amplitude=(found.amplitude[0], math.nan), slope=(found.slope[0], math.nan))
    return found


def fit_line(line: SeriesLine, law: str, between: tuple[float, float] | None = None, *, widened: bool = True) -> Fitted:
    """Least squares, in the logarithm for a power and an exponential.

    The points are weighted by their standard errors if all of them have one; else they have equal weights.

    The errors of the law come from the offsets of each seed (`SeriesLine.by_seed`): a and b are linear in the means, so
    a seed changes them by the same linear combination of its offsets. Without offsets the errors come from those of the
    means, taken as independent; without these from the scatter of the points about the law.

    Parameters
    ----------
    widened : increase the errors if weighted points scatter about the law more than their errors explain. With S, the
        sum of squared distances over squared errors, and E, the value of S that is expected from the seeds (K - 2 for K
        independent means), the variances grow by (S - E) / (K - 2) times those of independent means. For independent
        means that is a factor of S / (K - 2).
    """
    low, high = between or (-math.inf, math.inf)
    chosen = (line.x >= low) & (line.x <= high)
    if law == "power":
        chosen &= line.x > 0.0
    if law in ("power", "exponential"):
        chosen &= line.y > 0.0
    kept = line.where(chosen)
    x, y, error, offsets = kept.x, kept.y, kept.error, kept.by_seed
    unknowns = 1 if law == "constant" else 2
    if len(x) < unknowns or len(np.unique(x)) < unknowns:
        return Fitted(law, line.of, problem=f"too few points ({len(x)})")
    at = np.log(x) if law == "power" else x
    values, sigma = y, error
    if law in ("power", "exponential"):
        values, sigma = np.log(y), error / y
        offsets = None if offsets is None else offsets / y[:, None]
    weighted = bool((np.isfinite(sigma) & (sigma > 0.0)).all())
    columns = np.stack([np.ones_like(at), at], axis=1)[:, :unknowns]
    scale = sigma if weighted else np.ones_like(at)
    matrix = columns / scale[:, None]
    found, *_ = np.linalg.lstsq(matrix, values / scale, rcond=None)
    inverse = np.linalg.inv(matrix.T @ matrix)
    free = len(x) - unknowns
    misfit = float(np.sum(((values - columns @ found) / scale) ** 2))
    if offsets is not None:
        moved = offsets / scale[:, None]
        of_law = inverse @ matrix.T @ moved  # (unknowns, S): offsets of a and b for each seed
        covariance = of_law @ of_law.T
        expected = float(np.sum((moved - matrix @ of_law) ** 2))
    else:
        covariance, expected = inverse, float(free)
        if not weighted:
            covariance = inverse * (misfit / free if free else math.nan)
    if weighted and widened and free:
        covariance = covariance + max(0.0, misfit - expected) / free * inverse
    spread = np.sqrt(np.diag(covariance))
    a, a_error = float(found[0]), float(spread[0])
    if law in ("power", "exponential"):
        a, a_error = math.exp(a), math.exp(a) * a_error
    slope = (float(found[1]), float(spread[1])) if unknowns == 2 else (0.0, 0.0)
    return Fitted(law, line.of, (a, a_error), slope, len(x), float(x.min()), float(x.max()))
