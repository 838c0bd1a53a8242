"""Densities of positive numbers on logarithmic axes, with a power law at small values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.analysis.state import Floats

FEWEST = 20  # least number of values for a fit
_PER_DECADE = 5


@dataclass(frozen=True)
class PowerLaw:
    """P(x) = amplitude · x^exponent for low <= x <= high, a maximum-likelihood fit to the `count` values up to `high`.

    `error` is the standard error of the exponent, `low` the smallest of the values.
    """

    exponent: float
    error: float
    amplitude: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, eq=False)
class Density:
    """A density on logarithmic axes.

    Attributes
    ----------
    edges : (B + 1,), of the bins, equally far apart in log x.
    density : (B,), P(x) of all values, 0 where there are none.
    count : how many values.
    fit : the power law at small x, None if there are too few values.
    """

    edges: Floats
    density: Floats
    count: int
    fit: PowerLaw | None


def power_law(values: Floats, high: float) -> PowerLaw | None:
    """The maximum-likelihood power law from 0 to `high` of values (n,), > 0; None for fewer than 20 values there.

    P(x) = (θ + 1) x^θ / high^(θ + 1) gives 1 / (θ + 1) = mean of ln(high / x), with the relative error 1 / √n. The
    amplitude is that of the density of all values.
    """
    small = values[values <= high]
    spread = float(np.log(high / small).sum()) if len(small) else 0.0
    if len(small) < FEWEST or spread <= 0.0:
        return None
    slope = len(small) / spread
    share = len(small) / len(values)
    return PowerLaw(
        exponent=slope - 1.0,
        error=slope / float(np.sqrt(len(small))),
        amplitude=share * slope / high**slope,
        low=float(small.min()),
        high=high,
        count=len(small),
    )


def density_of(values: Floats, high: float) -> Density | None:
    """The density of values (n,), > 0, in logarithmic bins, with the power law up to `high`; None without values."""
    if not len(values):
        return None
    low, top = (np.log10(float(end)) * _PER_DECADE for end in (values.min(), values.max()))
    edges = 10.0 ** (np.arange(np.floor(low), np.floor(top) + 2.0) / _PER_DECADE)
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    counts = np.bincount(place, minlength=len(edges) - 1)
    return Density(edges, counts / (len(values) * np.diff(edges)), len(values), power_law(values, high))
