"""Laws that a study is compared with: formulas of the literature, and laws fitted to its means, with errors.

Figures and claims name a formula of the literature, in the number of dimensions of the study. A fitted law goes through
the means of the study (`fit`). Exponents of power laws at small values are pooled over its runs (`pool`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.arrays import Floats
from engine.errors import InputError
from engine.hard_discs.system import EARLY
from engine.hard_discs.theory import carnahan_starling, enskog_rate, henderson, kolafa, luding
from engine.study.grid import Grid, GridPoint
from engine.study.model import Fit, Pool
from engine.study.series import SeriesLine, lines, matching, offsets_of
from engine.study.tables import StudyTables, curve_lines

if TYPE_CHECKING:
    import pandas as pd

_VIRIAL = {
    2: (0.782004, 0.53223180, 0.33355604, 0.1988425, 0.1148728, 0.0649930, 0.0362193, 0.0199537),
    3: (0.625, 0.2869495, 0.110252, 0.03888198, 0.01302354, 0.0041832, 0.0013094, 0.0004035),
}
"""B_k / B_2^(k - 1) of hard discs and of hard spheres for k = 3 … 10."""

_THINGS = {2: "discs", 3: "spheres"}


@dataclass(frozen=True)
class LiteratureCurve:
    """A curve of the literature, for discs or for spheres.

    Parameters
    ----------
    at : its values at x.
    label : for legends; source : authors and year.
    """

    at: Callable[[Floats], Floats]
    label: str
    source: str


def virial_series(phi: Floats, dimensions: int = 2) -> Floats:
    """Z, Σ B_k ρ^(k - 1) up to k = 10, where B_2 ρ = 2 phi for discs and 4 phi for spheres. phi : of any shape."""
    x = 2.0 ** (dimensions - 1) * np.asarray(phi, np.float64)
    powers = (x * x * x**k * ratio for k, ratio in enumerate(_VIRIAL[dimensions]))
    return np.asarray(1.0 + x + sum(powers))


def z_of_rate(rate: Floats, dimensions: int = 2) -> Floats:
    """Z = 1 + (√π / (2 d)) ω σ √(m / kT) in d dimensions, exact for elastic discs and spheres. rate : ω σ √(m / kT), of
    any shape."""
    return np.asarray(1.0 + sqrt(pi) / (2.0 * dimensions) * np.asarray(rate, np.float64))


def haff_after_20(restitution: Floats, dimensions: int = 2) -> Floats:
    """T / T_0 = exp(-(1 - ε²) C / d) after C = 20 collisions per disc, in d dimensions. restitution : ε, of any
    shape."""
    return np.asarray(np.exp(-(1.0 - np.asarray(restitution, np.float64) ** 2) * EARLY / dimensions))


_CLISBY = "Clisby and McCoy, J. Stat. Phys. 122, 15 (2006)"
_HAFF = "Haff, J. Fluid Mech. 134, 401 (1983)"

FORMULAS: Mapping[str, Mapping[int, LiteratureCurve]] = {
    "henderson": {2: LiteratureCurve(henderson, "Henderson 1975", "Henderson, Mol. Phys. 30, 971 (1975)")},
    "luding": {2: LiteratureCurve(luding, "Luding 2001", "Luding, Phys. Rev. E 63, 042201 (2001)")},
    "carnahan-starling": {
        3: LiteratureCurve(
            carnahan_starling, "Carnahan and Starling 1969", "Carnahan and Starling, J. Chem. Phys. 51, 635 (1969)"
        )
    },
    "kolafa": {3: LiteratureCurve(kolafa, "Kolafa", "Kolafa, in Boublík, Mol. Phys. 59, 371 (1986)")},
    "virial-series": {
        2: LiteratureCurve(virial_series, "virial series to B_10", _CLISBY),
        3: LiteratureCurve(partial(virial_series, dimensions=3), "virial series to B_10, spheres", _CLISBY),
    },
    "enskog-rate": {
        2: LiteratureCurve(enskog_rate, "Enskog, g of Luding", "Enskog's theory with Luding's g (2001)"),
        3: LiteratureCurve(
            partial(enskog_rate, dimensions=3), "Enskog, g of Kolafa", "Enskog's theory with g of Kolafa's equation"
        ),
    },
    "z-of-rate": {
        2: LiteratureCurve(z_of_rate, "Z = 1 + (√π/4) ω", "virial theorem for elastic discs, exact"),
        3: LiteratureCurve(
            partial(z_of_rate, dimensions=3), "Z = 1 + (√π/6) ω", "virial theorem for elastic spheres, exact"
        ),
    },
    "haff-after-20": {
        2: LiteratureCurve(haff_after_20, "Haff", _HAFF),
        3: LiteratureCurve(partial(haff_after_20, dimensions=3), "Haff, spheres", _HAFF),
    },
}
"""By the names that ``formulas`` of a figure and ``formula`` of a claim take, and by the number of dimensions."""


def curves_of(name: str, grid: Grid, at: Mapping[str, Any]) -> list[LiteratureCurve]:
    """The curves of a formula for the points of a grid with these values: one, or two if there are both discs and
    spheres among them."""
    return [FORMULAS[name][dimensions] for dimensions in _dimensions(grid, at)]


def check_formula(name: str, where: str, grid: Grid, at: Mapping[str, Any], by: str = "") -> None:
    """Raise InputError for an unknown name, for one that says nothing of discs or of spheres among the points with
    the values `at`, and for means of both together.

    Parameters
    ----------
    where : the key of the study. by : the key whose values have a line each, "" for none.
    """
    if name not in FORMULAS:
        raise InputError(f"{where} must be one of {', '.join(FORMULAS)}, not {name}", where)
    there = _dimensions(grid, at)
    for dimensions in there:
        if dimensions not in FORMULAS[name]:
            only = " and ".join(_THINGS[one] for one in FORMULAS[name])
            others = ", ".join(other for other, known in FORMULAS.items() if dimensions in known)
            raise InputError(
                f"{where} is {name}, which is for {only}, but these points have {_THINGS[dimensions]}; "
                f"for {_THINGS[dimensions]} there are {others}",
                where,
            )
    axis = grid.axis_of(by) if by else None
    if len(there) > 1 and (axis is None or "dimensions" not in axis.all_keys):
        raise InputError(
            f"{where} would be compared with means of discs and spheres together; "
            "at = { dimensions = 2 } or { dimensions = 3 } chooses",
            where,
        )


def _dimensions(grid: Grid, at: Mapping[str, Any]) -> list[int]:
    """The numbers of dimensions of the points of a grid with these values, rising."""
    plain = grid.scenario.dimensions
    return sorted({int(point.values.get("dimensions", plain)) for point in matching(grid, at)})


_DRAWS = 2000  # of the bootstrap
AGREES, DIFFERS, OPEN = "agrees", "differs", "not decided: error too large"
_SHARP = 0.25  # of the known value: with a larger error nothing can be said


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
        """The values of the law at x, both (n,)."""
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
    """The points at which a key has its greatest value; all points without a key."""
    if not key:
        return points
    greatest = max((point.values[key] for point in points), default=None)
    return [point for point in points if point.values[key] == greatest]


def _spread(numbers: Floats, spreads: Floats) -> float:
    """The standard deviation of θ + 1 over bootstrap draws of the seeds, which are the same each time it is called.
    numbers, spreads : (S,), Σ n and Σ n / (θ + 1) of the runs of each seed."""
    drawn = np.random.default_rng(0).integers(0, len(numbers), (_DRAWS, len(numbers)))
    return float(np.std(numbers[drawn].sum(axis=1) / spreads[drawn].sum(axis=1)))
