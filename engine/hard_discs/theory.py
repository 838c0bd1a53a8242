"""Closed forms and values from the literature for hard discs and spheres, with which measurements are compared.

Units: diameter sigma, mass m and kT, all 1 unless given. phi = N pi sigma^2 / (4 A) is the volume fraction, and
Z = beta P / rho, so that beta P sigma^2 = 4 phi Z / pi; of spheres phi is N pi sigma^3 / (6 V). All functions take
numbers or arrays that broadcast, and return float64.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from engine.arrays import Floats

CLOSE_PACKING = {2: pi / (2.0 * sqrt(3.0)), 3: pi / (3.0 * sqrt(2.0))}
"""phi of the densest packing of equal discs, the triangular lattice: 0.9069; of equal spheres: 0.7405. By the number of
dimensions."""


@dataclass(frozen=True)
class ReferenceZ:
    """A value of the equation of state from the literature.

    phi : volume fraction; z : Z = beta P / rho; error : standard error of z; count : discs in the periodic box;
    aspect : height of the box over its width; source : authors and year.
    """

    phi: float
    z: float
    error: float
    count: int
    aspect: float
    source: str

    @property
    def pressure(self) -> float:
        """The pressure beta P sigma^2, without a unit."""
        return float(pressure(self.phi, self.z))


def compressibility(phi: ArrayLike, beta_p: ArrayLike) -> Floats:
    """Z of the pressure beta P sigma^2. phi, beta_p : of the same shape, or scalars; both without a unit."""
    return np.asarray(pi * np.asarray(beta_p, np.float64) / (4.0 * np.asarray(phi, np.float64)))


def pressure(phi: ArrayLike, z: ArrayLike) -> Floats:
    """The pressure beta P sigma^2 of Z. phi, z : of the same shape, or scalars; both without a unit."""
    return np.asarray(4.0 * np.asarray(phi, np.float64) * np.asarray(z, np.float64) / pi)


def _by_pressure(phi: float, beta_p: float, error: float, count: int, aspect: float, source: str) -> ReferenceZ:
    """A value that is given as the pressure beta P sigma^2."""
    z, of_z = compressibility(phi, [beta_p, error])
    return ReferenceZ(phi, float(z), float(of_z), count, aspect, source)


_TWO_CODES = "two codes, 2e7 events"
_ENGEL = "Engel et al. 2013"

REFERENCE_Z = (
    ReferenceZ(0.30, 2.0634, 2e-4, 16_384, 1.0, _TWO_CODES),
    ReferenceZ(0.50, 4.107, 1e-3, 16_384, 1.0, _TWO_CODES),
    ReferenceZ(0.65, 8.408, 3e-3, 16_384, 1.0, _TWO_CODES),
    _by_pressure(0.698, 9.1696, 1e-4, 512**2, 1.0, _ENGEL),
    _by_pressure(0.702, 9.1900, 5e-4, 512**2, 1.0, _ENGEL),
    _by_pressure(0.714, 9.1801, 4e-4, 512**2, 1.0, _ENGEL),
)
"""Z of large systems. The three of Engel et al. lie on the loop of the transition to the hexatic phase."""


FLUID_TO = {2: 0.67, 3: 0.494}
"""The volume fraction up to which `fluid_z` holds: discs turn into a hexatic phase at 0.70, and their pressure bends
before; spheres freeze at 0.494. By the number of dimensions."""


def fluid_z(phi: ArrayLike, dimensions: int = 2) -> Floats:
    """Z of a fluid of equal discs or spheres, with which everything here is compared: `luding` or `kolafa`. phi : of
    any shape."""
    return luding(phi) if dimensions == 2 else kolafa(phi)


def contact_value(phi: ArrayLike, z: ArrayLike | None = None, dimensions: int = 2) -> Floats:
    """g(sigma), the pair correlation at contact, from the virial theorem Z = 1 + 2^(d - 1) phi g in d dimensions;
    without z that of `fluid_z`. phi, z : of the same shape, or scalars."""
    x = np.asarray(phi, np.float64)
    if z is not None:
        return np.asarray((np.asarray(z, np.float64) - 1.0) / (2.0 ** (dimensions - 1) * x))
    # solved for g by hand: the difference Z - 1 would cancel at small phi
    if dimensions == 2:
        return np.asarray((1.0 - 7.0 * x / 16.0) / (1.0 - x) ** 2 - x**3 / (128.0 * (1.0 - x) ** 4))
    return np.asarray((1.0 - x / 2.0 + x**2 / 12.0 - x**3 / 6.0) / (1.0 - x) ** 3)


def luding(phi: ArrayLike) -> Floats:
    """Z = 1 + 2 phi g of a fluid of equal discs, g = (1 - 7 phi / 16) / (1 - phi)^2 - phi^3 / (128 (1 - phi)^4) (Luding
    2001): within 0.1 % up to phi = 0.65, 0.8 % high at 0.67, 9 % at 0.70. phi : of any shape."""
    x = np.asarray(phi, np.float64)
    return np.asarray(1.0 + 2.0 * x * contact_value(x))


def henderson(phi: ArrayLike) -> Floats:
    """Z = (1 + phi^2 / 8) / (1 - phi)^2 of a fluid of equal discs (Henderson 1975): 0.02 %, 0.4 %, 2.2 % high at phi =
    0.30, 0.50, 0.65, and 13 % at 0.70. phi : of any shape."""
    x = np.asarray(phi, np.float64)
    return np.asarray((1.0 + x**2 / 8.0) / (1.0 - x) ** 2)


def kolafa(phi: ArrayLike) -> Floats:
    """Z = (1 + phi + phi^2 - 2/3 phi^3 (1 + phi)) / (1 - phi)^3 of a fluid of equal spheres (Kolafa; in Boublik 1986):
    within 0.07 % up to phi = 0.49. phi : of any shape."""
    x = np.asarray(phi, np.float64)
    return np.asarray((1.0 + x + x**2 - x**3 * (1.0 + x) * 2.0 / 3.0) / (1.0 - x) ** 3)


def carnahan_starling(phi: ArrayLike) -> Floats:
    """Z = (1 + phi + phi^2 - phi^3) / (1 - phi)^3 of a fluid of equal spheres (Carnahan and Starling 1969): 0.03 %,
    0.25 %, 0.11 % low at phi = 0.1, 0.3, 0.49. phi : of any shape."""
    x = np.asarray(phi, np.float64)
    return np.asarray((1.0 + x + x**2 - x**3) / (1.0 - x) ** 3)


def enskog_rate(phi: ArrayLike, dimensions: int = 2) -> Floats:
    """omega sigma sqrt(m / kT), with omega the collisions per disc and time in equilibrium: 8 phi g / sqrt(pi), and 24
    phi g / sqrt(pi) for spheres, with g of `contact_value` (Enskog). phi : of any shape."""
    factor = (8.0 if dimensions == 2 else 24.0) / sqrt(pi)
    return np.asarray(factor * np.asarray(phi, np.float64) * contact_value(phi, dimensions=dimensions))


def enskog_viscosity(phi: ArrayLike, dimensions: int = 2) -> Floats:
    """eta sigma^(d - 1) / sqrt(m kT), the shear viscosity of a fluid of equal elastic discs or spheres (Enskog; discs:
    Gass 1971, spheres: Chapman and Cowling 1970, §16.5).

    eta_0 x [1 / y + 1 + 0.8729 y], x = 2 phi, y = x g, eta_0 = 1.022 / (2 sqrt(pi)) for discs; eta_0 x [1 / y + 0.8 +
    0.7614 y], x = 4 phi, eta_0 = 1.016 * 5 / (16 sqrt(pi)) for spheres, with g of `contact_value`. phi : of any shape.
    """
    plane = dimensions == 2
    first, one, two = (1.022 / 2.0, 1.0, 0.8729) if plane else (1.016 * 5.0 / 16.0, 0.8, 0.7614)
    x = (2.0 if plane else 4.0) * np.asarray(phi, np.float64)
    y = x * contact_value(phi, dimensions=dimensions)
    return np.asarray(first / sqrt(pi) * x * (1.0 / y + one + two * y))


_MOST_KINDS = 64  # of discs in a mixture; more are taken together


def mixture_collision_rate(
    radii: ArrayLike, masses: ArrayLike, size: float, temperature: float = 1.0, dimensions: int = 2
) -> float:
    """Collisions per disc and time of discs or spheres of different sizes, on average over all of them (Enskog).

    omega = sum over kinds i, j of x_i n_j 2 sigma_ij g_ij sqrt(pi kT / (2 mu_ij)), sigma_ij = R_i + R_j, mu_ij the
    reduced mass; in three dimensions 2 sigma_ij^2 g_ij sqrt(2 pi kT / mu_ij). g_ij is a polynomial in z_ij =
    (2 R_i R_j / sigma_ij) <R^(d-1)> / <R^d>, which is 1 for equal discs, where g_ij is `contact_value`: of first degree
    in the plane (Santos, Yuste and Lopez de Haro 1999; with Henderson's equation it is that of Jenkins and Mancini
    1987), of second in space (the same 2002; with that of Carnahan and Starling it is that of Boublik 1970 and
    Mansoori et al. 1971). Many sizes are taken together in groups of neighbouring ones. radii, masses : (N,), of each
    disc; size : area or volume of the box.
    """
    r, m = (np.atleast_1d(np.asarray(values, np.float64)) for values in np.broadcast_arrays(radii, masses))
    order = np.lexsort((m, r))
    r, m = r[order], m[order]
    borders = np.flatnonzero((np.diff(r) != 0.0) | (np.diff(m) != 0.0)) + 1
    if len(borders) >= _MOST_KINDS:
        borders = np.linspace(0, len(r), _MOST_KINDS + 1).astype(np.int64)[1:-1]
    starts = np.concatenate([[0], borders])
    share = np.diff(np.append(starts, len(r)))
    kind_r, kind_m = (np.add.reduceat(values, starts) / share for values in (r, m))
    reduced = kind_m[:, None] * kind_m / (kind_m[:, None] + kind_m)
    reach = kind_r[:, None] + kind_r
    powers = r ** (dimensions - 1)
    unlike = 2.0 * kind_r[:, None] * kind_r / reach * powers.mean() / (powers * r).mean()  # z_ij
    phi = (pi if dimensions == 2 else 4.0 / 3.0 * pi) * float((powers * r).sum()) / size
    equal, point = float(contact_value(phi, dimensions=dimensions)), 1.0 / (1.0 - phi)
    if dimensions > 2:
        linear = 1.5 * phi / (1.0 - phi) ** 2
        contact = point + linear * unlike + (equal - point - linear) * unlike**2
        each = 2.0 * reach**2 * contact * np.sqrt(2.0 * pi * temperature / reduced) / size
    else:
        contact = point + (equal - point) * unlike
        each = 2.0 * reach * contact * np.sqrt(pi * temperature / (2.0 * reduced)) / size
    return float(share @ each @ share) / len(r)


def haff_time(restitution: ArrayLike, omega: ArrayLike, dimensions: int = 2) -> Floats:
    """tau = 2 d / ((1 - eps^2) omega_0) in d dimensions, the time in which Haff's temperature falls to a quarter; inf
    at eps = 1.

    restitution : eps; omega : omega_0, collisions per disc and time at the start. Both of the same shape, or scalars.
    """
    loss = 1.0 - np.asarray(restitution, np.float64) ** 2
    with np.errstate(divide="ignore"):
        return np.asarray(2.0 * dimensions / (loss * np.asarray(omega, np.float64)))


def haff(
    time: ArrayLike, restitution: ArrayLike, omega: ArrayLike, temperature: ArrayLike = 1.0, dimensions: int = 2
) -> Floats:
    """T = T_0 / (1 + t / tau)^2, Haff's law (1983) of a granular gas that cools without clusters.

    time : since T was T_0, of any shape; restitution, omega : see `haff_time`; temperature : T_0, energy.
    """
    passed = np.asarray(time, np.float64) / haff_time(restitution, omega, dimensions)
    return np.asarray(np.asarray(temperature, np.float64) / (1.0 + passed) ** 2)


def maxwell_speed(v: ArrayLike, temperature: ArrayLike = 1.0, mass: ArrayLike = 1.0, dimensions: int = 2) -> Floats:
    """Density of speeds v >= 0 (Maxwell): (m v / kT) exp(-m v^2 / (2 kT)) in the plane, in space sqrt(2 / pi) (m /
    kT)^(3/2) v^2 exp(-m v^2 / (2 kT)).

    v : speeds of any shape, length per time; temperature : kT, energy; mass : m.
    """
    x = np.asarray(v, np.float64)
    beta_m = np.asarray(mass, np.float64) / np.asarray(temperature, np.float64)
    plane = np.where(x < 0.0, 0.0, beta_m * x * np.exp(-0.5 * beta_m * x**2))
    return np.asarray(plane if dimensions == 2 else np.sqrt(2.0 / pi * beta_m) * x * plane)


def rest_time(height: float, gravity: float, restitution: float) -> float:
    """The limit of `bounce_times`, when the ball comes to rest: sqrt(2 h / g) (1 + eps) / (1 - eps); inf at eps = 1."""
    if restitution == 1.0:
        return float("inf")
    return sqrt(2.0 * height / gravity) * (1.0 + restitution) / (1.0 - restitution)
