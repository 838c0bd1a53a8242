"""The history of a chain of linear programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from engine.simulation import Column, Floats, History, Integers


@dataclass(frozen=True)
class JammingHistory(History):
    """One row per iteration, after one for the start: (K,) arrays, nan where there is no value.

    Attributes
    ----------
    inflation : √Γ - 1.
    displacement, displacement_all : the largest displacement of discs that are no rattlers, and of all, in mean
        diameters.
    volume_fraction : after the iteration.
    contacts : with a force, int64.
    isostatic_gap : contacts less those of an isostatic packing (`engine.jamming.network.isostatic_count`).
    rattlers : int64.
    force_mismatch : the greatest sum of forces on a disc over the mean force.
    min_gap : the least gap of all pairs and walls, in mean diameters.
    seconds : of the solver.
    bound : s_b.
    cutoff : pairs closer than this had rows; 0 where rows were the pairs that could meet.
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
