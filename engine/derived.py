"""Quantities that follow from a scenario before it runs: radius, number density, mean free path."""

from __future__ import annotations

from math import pi, sqrt

from engine.hard_discs.theory import contact_value
from engine.scenario import Scenario


def mean_radius(scenario: Scenario) -> float | None:
    """The mean radius ⟨R⟩ at the start, in the scenario's unit of length; None if a file gives the radii.

    N π ⟨R²⟩ = V_f L_x L_y gives ⟨R²⟩; the variance of the distribution of radii gives ⟨R⟩.
    """
    discs = scenario.discs
    if discs.arrangement == "file":
        return None
    spread = discs.spread
    variance = {  # of R/⟨R⟩
        "equal": 0.0,
        "bidisperse": ((spread - 1.0) / (spread + 1.0)) ** 2,
        "uniform": spread**2 / 12.0,
        "lognormal": spread**2,
    }[discs.radii]
    width, height = scenario.box_size()
    return sqrt(discs.volume_fraction * width * height / (discs.count * pi) / (1.0 + variance))


def number_density(scenario: Scenario) -> float | None:
    """Discs per area, n = N / (L_x L_y); None if a file gives the discs."""
    if scenario.discs.arrangement == "file":
        return None
    width, height = scenario.box_size()
    return scenario.discs.count / (width * height)


def mean_free_path(scenario: Scenario) -> float | None:
    """The mean free path at the start, λ = 1 / (2 √2 n d χ); None if a file gives the discs.

    An estimate: that of an equilibrium gas of equal discs of diameter d = 2⟨R⟩, with Henderson's (1975) pair
    correlation χ at contact.
    """
    radius, density = mean_radius(scenario), number_density(scenario)
    if radius is None or density is None:
        return None
    contact = float(contact_value(scenario.discs.volume_fraction))
    return 1.0 / (2.0 * sqrt(2.0) * density * 2.0 * radius * contact)
