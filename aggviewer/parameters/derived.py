"""Numbers that follow from a scenario. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt

from engine.scenario import Scenario


@dataclass(frozen=True)
class Derived:
    """radius: mean R; box: sides L_x, L_y; density: n, discs per area; mean_free_path: λ. Lengths in the scenario's
    unit."""

    radius: float
    box: tuple[float, float]
    density: float
    mean_free_path: float


def derive(scenario: Scenario) -> Derived | None:
    """What follows from count, volume fraction, box and radii; None where a file decides them.

    N π ⟨R²⟩ = V_f L_x L_y gives ⟨R²⟩, the distribution's variance ⟨R⟩. The mean free path is that of a gas of
    discs of diameter d = 2⟨R⟩ in equilibrium, λ = 1 / (2 √2 n d χ), with Henderson's value at contact
    χ = (1 - 7 V_f / 16) / (1 - V_f)²: an estimate of how far discs fly at the start.
    """
    discs = scenario.discs
    if discs.arrangement == "file":
        return None
    sides = scenario.box_size()
    area = sides[0] * sides[1]
    spread = discs.spread
    variance = {
        "equal": 0.0,
        "bidisperse": ((spread - 1.0) / (spread + 1.0)) ** 2,
        "uniform": spread**2 / 12.0,
        "lognormal": spread**2,
    }[discs.radii]
    radius = sqrt(discs.volume_fraction * area / (discs.count * pi) / (1.0 + variance))
    density = discs.count / area
    contact = (1.0 - 7.0 * discs.volume_fraction / 16.0) / (1.0 - discs.volume_fraction) ** 2
    return Derived(radius, sides, density, 1.0 / (2.0 * sqrt(2.0) * density * 2.0 * radius * contact))
