"""Formulas of the literature for figures and claims, by their names in a study and the number of dimensions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import pi, sqrt
from typing import Any

import numpy as np

from engine.arrays import Floats
from engine.errors import InputError
from engine.hard_discs.results import EARLY
from engine.hard_discs.theory import carnahan_starling, enskog_rate, henderson, kolafa, luding
from engine.study.grid import Grid
from engine.study.series import matching

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
            f"{where} would be held against means of discs and spheres together; "
            "at = { dimensions = 2 } or { dimensions = 3 } chooses",
            where,
        )


def _dimensions(grid: Grid, at: Mapping[str, Any]) -> list[int]:
    """The numbers of dimensions of the points of a grid with these values, rising."""
    plain = grid.scenario.dimensions
    return sorted({int(point.values.get("dimensions", plain)) for point in matching(grid, at)})
