"""The history of a gas of hard discs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from engine.simulation import Column, Floats, History, Integers


@dataclass(frozen=True)
class GasHistory(History):
    """Rows at equal numbers of collisions; where they become too many, every second one is dropped.

    collisions : (K,) int64, pair collisions so far; virial : (K,) float64, Σ |Δp · r_ij| over them; volume_fraction :
    (K,) float64; thermal_energy : (K,) float64, the kinetic energy, in a periodic box of the motion relative to the
    centre of mass; heat : (K,) float64, its integral over time.
    """

    collisions: Annotated[Integers, Column("Collisions", "C")]
    virial: Annotated[Floats, Column("Virial", "Σ |Δp · r_ij|", "mass·length²/time")]
    volume_fraction: Annotated[Floats, Column("Volume fraction", "V_f")]
    thermal_energy: Annotated[Floats, Column("Thermal energy", "E_th", "mass·length²/time²")]
    heat: Annotated[Floats, Column("Thermal energy over time", "∫ E_th dt", "mass·length²/time")]


def thermal_energy(history: History) -> Floats:
    """(K,), what Haff's law is about: the kinetic energy relative to the centre of mass in a periodic box, or all of it
    where no more is known, as in a recording."""
    return history.thermal_energy if isinstance(history, GasHistory) else history.kinetic_energy
