"""Formulas of the literature for figures and claims, by their names in a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import pi, sqrt

import numpy as np

from engine.errors import InputError
from engine.hard_discs.theory import contact_value, henderson
from engine.study.series import Floats

_VIRIAL = (0.782004, 0.53223180, 0.33355604, 0.1988425, 0.1148728, 0.0649930, 0.0362193, 0.0199537)
# B_k / B_2^(k - 1) of hard discs for k = 3 … 10


@dataclass(frozen=True)
class LiteratureCurve:
    """A curve of the literature.

    Parameters
    ----------
    at : its values at x.
    label : for legends; source : authors and year.
    """

    at: Callable[[Floats], Floats]
    label: str
    source: str


def virial_series(phi: Floats) -> Floats:
    """Z of hard discs, Σ B_k ρ^(k - 1) up to k = 10, where B_2 ρ = 2 phi."""
    x = 2.0 * np.asarray(phi, np.float64)
    powers = (x * x * x**k * ratio for k, ratio in enumerate(_VIRIAL))
    return np.asarray(1.0 + x + sum(powers))


def enskog_rate(phi: Floats) -> Floats:
    """ω σ √(m / kT) = 8 phi g / √π, with g at contact of Henderson's equation of state."""
    return np.asarray(8.0 * np.asarray(phi, np.float64) * contact_value(phi) / sqrt(pi))


def z_of_rate(rate: Floats) -> Floats:
    """Z = 1 + (√π / 4) ω σ √(m / kT), exact for elastic discs."""
    return np.asarray(1.0 + 0.25 * sqrt(pi) * np.asarray(rate, np.float64))


FORMULAS: Mapping[str, LiteratureCurve] = {
    "henderson": LiteratureCurve(henderson, "Henderson 1975", "Henderson, Mol. Phys. 30, 971 (1975)"),
    "virial-series": LiteratureCurve(
        virial_series, "virial series to B_10", "Clisby and McCoy, J. Stat. Phys. 122, 15 (2006)"
    ),
    "enskog-rate": LiteratureCurve(enskog_rate, "Enskog, g of Henderson", "Enskog's theory with Henderson's g (1975)"),
    "z-of-rate": LiteratureCurve(z_of_rate, "Z = 1 + (√π/4) ω", "virial theorem for elastic discs, exact"),
}
"""By the names that ``formulas`` of a figure and ``formula`` of a claim take."""


def check_formula(name: str, where: str) -> None:
    """Raise InputError for an unknown name."""
    if name not in FORMULAS:
        raise InputError(f"{where} must be one of {', '.join(FORMULAS)}, not {name}", where)
