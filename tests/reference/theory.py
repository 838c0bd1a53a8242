"""Closed forms and literature values that only tests need; those that plots show are in `engine.hard_discs.theory`,
whose units hold here too.
"""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import ArrayLike

from engine.arrays import Floats
from engine.hard_discs.theory import (
    ReferenceZ,
    carnahan_starling,
    compressibility,
    contact_value,
    henderson,
)

_LI = "Li et al. 2022"

VIRIAL_COEFFICIENTS = (
    *(1.0, 1.0, 0.782004, 0.53223180, 0.33355604),
    *(0.1988425, 0.1148728, 0.0649930, 0.0362193, 0.0199537),
)
"""B_k / B_2^(k-1) for k = 1 … 10, with B_2 = pi sigma^2 / 2 (Clisby and McCoy 2006)."""


def _of(beta_p: float, error: float, count: int, aspect: float, source: str) -> ReferenceZ:
    z, of_z = compressibility(0.65, [beta_p, error])
    return ReferenceZ(0.65, float(z), float(of_z), count, aspect, source)


SMALL_SYSTEM_Z = (
    _of(6.945931, 6.6e-5, 72, sqrt(3.0) / 2.0, _LI),
    _of(6.901074, 7.1e-5, 72, 1.0, _LI),
)
"""72 discs: exact to 1e-5, for kT = K / (N - 1), as the total momentum is zero."""

SPHERES_Z = (
    *((0.05, 1.22749), (0.1, 1.52165), (0.2, 2.40940), (0.3, 3.98382), (0.4, 6.94285)),
    *((0.45, 9.39933), (0.49, 12.1692)),
)
"""(phi, Z) of a fluid of equal spheres (Kolafa, Labik and Malijevsky 2004)."""

REFERENCE_COLLISION_RATE = ((0.30, 2.40016), (0.50, 7.0103), (0.65, 16.719))
"""(phi, omega): collisions per disc and time as measured in the runs of `REFERENCE_Z`; sigma = m = kT = 1."""


def in_a_box(z: float, phi: float, count: int, dimensions: int) -> float:
    """Z of so many discs or spheres in a periodic box, from that of very many.

    Their number does not fluctuate: Z_N = Z - (phi / 2 N) (phi Z)'' / (phi Z)' (Lebowitz and Percus 1961), here
    with the slopes of Henderson's, or Carnahan and Starling's, equation of state.
    """
    step = 1e-3
    at = phi + step * np.array([-1.0, 0.0, 1.0])
    whole = at * (henderson(at) if dimensions == 2 else carnahan_starling(at))
    first, second = (whole[2] - whole[0]) / (2.0 * step), (whole[2] - 2.0 * whole[1] + whole[0]) / step**2
    return z - phi / (2.0 * count) * float(second / first)


def virial_series(phi: ArrayLike, terms: int = len(VIRIAL_COEFFICIENTS)) -> Floats:
    """Z as the sum of B_k rho^(k-1), the first `terms` (1 … 10) terms; B_2 rho = 2 phi. Too low when dense."""
    if not 1 <= terms <= len(VIRIAL_COEFFICIENTS):
        raise ValueError(f"terms is {terms}; it must be 1 … {len(VIRIAL_COEFFICIENTS)}")
    return np.asarray(polynomial.polyval(2.0 * np.asarray(phi, np.float64), VIRIAL_COEFFICIENTS[:terms]))


def collision_rate(
    phi: ArrayLike,
    temperature: ArrayLike = 1.0,
    sigma: ArrayLike = 1.0,
    mass: ArrayLike = 1.0,
    z: ArrayLike | None = None,
) -> Floats:
    """Collisions per disc and time, omega = 8 phi g sqrt(kT / (pi m)) / sigma (Enskog); g from `contact_value`."""
    thermal = np.sqrt(np.asarray(temperature, np.float64) / (pi * np.asarray(mass, np.float64)))
    return np.asarray(
        8.0 * np.asarray(phi, np.float64) * contact_value(phi, z) * thermal / np.asarray(sigma, np.float64)
    )


def z_from_collision_rate(
    omega: ArrayLike, temperature: ArrayLike = 1.0, sigma: ArrayLike = 1.0, mass: ArrayLike = 1.0
) -> Floats:
    """Z = 1 + sqrt(pi) / 4 omega sigma sqrt(m / kT): exact for elastic discs in equilibrium."""
    slowness = np.sqrt(np.asarray(mass, np.float64) / np.asarray(temperature, np.float64))
    return np.asarray(1.0 + sqrt(pi) / 4.0 * np.asarray(omega, np.float64) * np.asarray(sigma, np.float64) * slowness)


def haff_by_collisions(collisions: ArrayLike, restitution: ArrayLike, temperature: ArrayLike = 1.0) -> Floats:
    """T = T_0 exp(-(1 - eps^2) C / 2), Haff's law over the collisions per disc C (2 pair collisions / N)."""
    loss = 1.0 - np.asarray(restitution, np.float64) ** 2
    decay = np.exp(-0.5 * loss * np.asarray(collisions, np.float64))
    return np.asarray(np.asarray(temperature, np.float64) * decay)


def maxwell_component(v: ArrayLike, temperature: ArrayLike = 1.0, mass: ArrayLike = 1.0) -> Floats:
    """Density of one component of the velocity: sqrt(m / (2 pi kT)) exp(-m v^2 / (2 kT)) (Maxwell)."""
    beta_m = np.asarray(mass, np.float64) / np.asarray(temperature, np.float64)
    return np.asarray(np.sqrt(beta_m / (2.0 * pi)) * np.exp(-0.5 * beta_m * np.asarray(v, np.float64) ** 2))


def bounce_times(height: float, gravity: float, restitution: float, n: ArrayLike) -> Floats:
    """t_n, when a ball at rest at `height` above its contact with the plate hits the plate for the n-th time, n = 1, ….

    t_n = sqrt(2 h / g) (1 + eps - 2 eps^n) / (1 - eps), and sqrt(2 h / g) (2 n - 1) at eps = 1. height, gravity : > 0;
    restitution : 0 … 1.
    """
    flights = np.asarray(n, np.float64) - 1.0
    if restitution == 1.0:
        total = flights
    elif restitution == 0.0:
        total = np.zeros_like(flights)
    else:
        # eps + … + eps^(n-1); 1 - eps^(n-1) would cancel near eps = 1
        total = restitution * -np.expm1(flights * np.log(restitution)) / (1.0 - restitution)
    return np.asarray(sqrt(2.0 * height / gravity) * (1.0 + 2.0 * total))


def bounce_speeds(height: float, gravity: float, restitution: float, n: ArrayLike) -> Floats:
    """The speed right after the n-th impact, n = 1, …: eps^n sqrt(2 g h)."""
    return np.asarray(sqrt(2.0 * gravity * height) * np.float64(restitution) ** np.asarray(n, np.float64))
