"""Quantities that follow from a scenario before it runs: radius, number density, mean free path."""

from __future__ import annotations

from math import cbrt, pi, prod, sqrt

from engine.errors import InputError
from engine.hard_discs.theory import contact_value
from engine.scenario import Scenario
from engine.scenario.kinds import kinds_of
from engine.state import nth_root, sizes_of


def mean_radius(scenario: Scenario) -> float | None:
    """The mean radius ⟨R⟩ at the start, in the scenario's unit of length; None if a file gives the radii.

    N π ⟨R²⟩ = V_f L_x L_y gives ⟨R²⟩ of discs, 4/3 N π ⟨R³⟩ = V_f V gives ⟨R³⟩ of spheres; a moment of the distribution
    of radii gives ⟨R⟩.
    """
    discs, dimensions = scenario.discs, scenario.dimensions
    if discs.arrangement == "file":
        return None
    try:
        kinds = kinds_of(discs.kinds)
    except InputError:  # a file that cannot be read
        return None
    if kinds is not None:
        numbers, size = kinds.numbers(discs.count), prod(scenario.box_size())
        covered = float(numbers @ sizes_of(kinds.radius, dimensions))
        scale = nth_root(discs.volume_fraction * size / covered, dimensions)
        return scale * float(numbers @ kinds.radius) / discs.count
    spread = discs.spread
    variance = {  # of R/⟨R⟩
        "equal": 0.0,
        "bidisperse": ((spread - 1.0) / (spread + 1.0)) ** 2,
        "uniform": spread**2 / 12.0,
        "lognormal": spread**2,
    }[discs.radii]
    size = prod(scenario.box_size())
    if dimensions == 2:
        return sqrt(discs.volume_fraction * size / (discs.count * pi) / (1.0 + variance))
    skew = variance**2 * (3.0 + variance) if discs.radii == "lognormal" else 0.0  # third central moment
    return cbrt(discs.volume_fraction * size / (discs.count * 4.0 / 3.0 * pi) / (1.0 + 3.0 * variance + skew))


def number_density(scenario: Scenario) -> float | None:
    """Discs per area or spheres per volume, n; None if a file gives the discs."""
    if scenario.discs.arrangement == "file":
        return None
    return scenario.discs.count / prod(scenario.box_size())


def mean_free_path(scenario: Scenario) -> float | None:
    """The mean free path at the start, λ = 1 / (2 √2 n d χ), or 1 / (√2 π n d² χ) for spheres; None if a file gives the
    discs.

    An estimate: that of an equilibrium gas of equal discs of diameter d = 2⟨R⟩, with the pair correlation χ at contact
    of the equation of state that everything is compared with (`contact_value`).
    """
    radius, density = mean_radius(scenario), number_density(scenario)
    if radius is None or density is None:
        return None
    contact = float(contact_value(scenario.discs.volume_fraction, dimensions=scenario.dimensions))
    if scenario.dimensions > 2:
        return 1.0 / (sqrt(2.0) * pi * density * (2.0 * radius) ** 2 * contact)
    return 1.0 / (2.0 * sqrt(2.0) * density * 2.0 * radius * contact)
