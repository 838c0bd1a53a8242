"""The history of a gas of hard discs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from engine.simulation import Column, Floats, History, Integers


@dataclass(frozen=True)
class GasHistory(History):
    """Rows at equal numbers of collisions; where they become too many, every second one is dropped.

    collisions : (K,) int64, pair collisions so far; virial : (K,) float64, Σ |Δp · r_ij| over them; volume_fraction :
    (K,) float64.
    """

    collisions: Annotated[Integers, Column("Collisions", "C")]
    virial: Annotated[Floats, Column("Virial", "Σ |Δp · r_ij|", "mass·length²/time")]
    volume_fraction: Annotated[Floats, Column("Volume fraction", "V_f")]
