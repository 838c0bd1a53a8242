"""What a gas of hard discs writes down as it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from engine.simulation import Column, Floats, History, Integers


@dataclass(frozen=True)
class GasHistory(History):
    """The history of discs that bounce: rows at equal numbers of collisions, thinned as they grow many.

    collisions : (K,) int64, pair collisions so far; virial : (K,) float64, the sum over them of |Δp · r_ij|;
    volume_fraction : (K,) float64.
    """

    collisions: Annotated[Integers, Column("Collisions", "C")]
    virial: Annotated[Floats, Column("Virial", "Σ |Δp · r_ij|", "mass·length²/time")]
    volume_fraction: Annotated[Floats, Column("Volume fraction", "V_f")]
