"""What a chain of linear programs writes down as it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from engine.simulation import Column, Floats, History, Integers


@dataclass(frozen=True)
class JammingHistory(History):
    """The history of discs that jam: one row per iteration, a linear program solved, the first one for the start. (K,)
    arrays, nan for what there is none of.

    inflation : √Γ - 1; displacement, displacement_all : the largest displacement of discs that are no rattlers, and of
    all, in mean diameters; volume_fraction; contacts : (int64); isostatic_gap : N_c - [d (N_s - 1) + 1], without
    walls; rattlers : (int64); force_mismatch : relative to the mean force; min_gap : in mean diameters;
    seconds : of the iteration; bound : s_b; cutoff : 0 where only pairs that can meet have rows.
    """

    inflation: Annotated[Floats, Column("Inflation", "√Γ - 1")]
    displacement: Annotated[Floats, Column("Largest displacement without rattlers", "max |s|", "mean diameters")]
    displacement_all: Annotated[Floats, Column("Largest displacement", "max |s|", "mean diameters")]
    volume_fraction: Annotated[Floats, Column("Volume fraction", "V_f")]
    contacts: Annotated[Integers, Column("Contacts", "N_c")]
    isostatic_gap: Annotated[Floats, Column("Gap to isostaticity", "N_c - N_iso")]
    rattlers: Annotated[Integers, Column("Rattlers", "N_r")]
    force_mismatch: Annotated[Floats, Column("Force mismatch")]
    min_gap: Annotated[Floats, Column("Smallest gap", "", "mean diameters")]
    seconds: Annotated[Floats, Column("Seconds of the iteration", "", "s")]
    bound: Annotated[Floats, Column("Bound of the displacements", "s_b", "length")]
    cutoff: Annotated[Floats, Column("Cutoff of the pairs", "", "length")]
