"""What frames and histories of jamming hold: the fields of the discs, and the columns of the history.

The forces on each disc, and its pressure, follow from the contacts of a frame. Frames contain them too (`of_forces`),
so that files have them for other programs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Longs
from engine.fields import ARRANGEMENT, Field, FieldFunction
from engine.frame import Frame, Network
from engine.scales import Typical
from engine.simulation import Column, History
from engine.state import Discs


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
    isostatic_gap : contacts less those of an isostatic packing (`engine.jamming.packing.isostatic_count`).
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
    contacts: Annotated[Longs, Column("Contacts", "N_c")]
    isostatic_gap: Annotated[Floats, Column("Gap to isostaticity", "N_c - N_iso")]
    rattlers: Annotated[Longs, Column("Rattlers", "N_r")]
    force_mismatch: Annotated[Floats, Column("Force mismatch")]
    min_gap: Annotated[Floats, Column("Smallest gap", "", "mean diameters")]
    seconds: Annotated[Floats, Column("Seconds of the iteration", "", "s")]
    bound: Annotated[Floats, Column("Bound of the displacements", "s_b", "length")]
    cutoff: Annotated[Floats, Column("Cutoff of the pairs", "", "length")]


def _rattlers(frame: Frame, discs: Discs) -> NDArray[np.bool_] | None:
    """Which discs are rattlers; None if the contacts are not known."""
    return None if frame.network is None else frame.network.rattlers


def _in_patches(frame: Frame, discs: Discs) -> NDArray[np.bool_] | None:
    """Which discs are in patches with self-stresses of their own; None if the packing has no such patch."""
    if frame.network is None or not frame.network.patches:
        return None
    found = np.zeros(len(frame.positions), bool)
    for patch in frame.network.patches:
        found[patch.discs] = True
    return found


def of_forces(network: Network | None, radii: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """The quantities of discs that follow from the forces at their contacts, also with walls, (N,) each.

    Parameters
    ----------
    network : the contacts; None before there are any, so that there are no forces.
    radii : (N,), the present ones.

    Returns
    -------
    force : the sum of the forces, over the mean force of all contacts.
    largest_force : the largest of them.
    pressure : Σ f·r / d over the area π R², or the volume of a sphere, where r goes from the centre of the disc to the
        contact and f is the force there: the trace of the stress of the disc over d. Without friction f·r = f R.
    """
    sums, largest, dimensions = np.zeros(len(radii)), np.zeros(len(radii)), 2
    if network is not None:
        ends = network.pairs.ravel()
        discs = ends >= 0
        ends, forces = ends[discs], np.repeat(network.forces, 2)[discs]
        sums += np.bincount(ends, forces, minlength=len(radii))
        np.maximum.at(largest, ends, forces)
        dimensions = network.vectors.shape[1]
    room = np.pi * np.square(radii) if dimensions == 2 else 4.0 / 3.0 * np.pi * radii**3
    return {"force": sums, "largest_force": largest, "pressure": sums * radii / dimensions / room}


def _force(name: str) -> FieldFunction:
    """One of the quantities of `of_forces`: from the frame, else from its contacts; None if it has none."""

    def values(frame: Frame, discs: Discs) -> NDArray[np.float64] | None:
        found = frame.fields.get(name)
        if found is None and frame.network is not None:
            found = of_forces(frame.network, discs.radii * frame.radius_factor)[name]
        return found

    return values


FORCE = Field(
    "force",
    "Sum of forces",
    _force("force"),
    symbol="Σ f",
    unit="mean force",
    scale=Typical,
    absent=0.0,
    needs="contacts with forces",
    meaning="The sum of the forces at its contacts, walls included, divided by the mean force of all contacts",
)

LARGEST_FORCE = Field(
    "largest_force",
    "Largest force",
    _force("largest_force"),
    symbol="max f",
    unit="mean force",
    scale=Typical,
    absent=0.0,
    needs="contacts with forces",
    meaning="The largest force at its contacts, walls included, divided by the mean force of all contacts",
)

PRESSURE = Field(
    "pressure",
    "Pressure",
    _force("pressure"),
    symbol="p",
    unit="mean force / length",
    scale=Typical,
    absent=0.0,
    needs="contacts with forces",
    meaning="½ Σ f·r divided by the area πR² of the disc, half the trace of its stress: f is the force at a contact, "
    "walls included, divided by the mean force of all contacts, and r points from the centre of the disc to the "
    "contact",
    in_space=(
        ("unit", "mean force / length²"),
        (
            "meaning",
            (
                "⅓ Σ f·r divided by the volume of the sphere, a third of the trace of its stress: f is the force at a "
                "contact, walls included, divided by the mean force of all contacts, and r points from the centre of "
                "the sphere to the contact"
            ),
        ),
    ),
)

RATTLERS = Field(
    "rattlers",
    "Rattlers",
    _rattlers,
    kind="category",
    classes=("held", "rattler"),
    absent=0.0,
    needs="contacts with forces",
    meaning="Whether its contacts hold it in place",
)

SELF_STRESS = Field(
    "self_stress",
    "Extra self-stress",
    _in_patches,
    kind="category",
    classes=("no extra self-stress", "extra self-stress"),
    absent=0.0,
    needs="self-stresses",
    meaning="Whether it is in a patch of {discs} with a self-stress in addition to the one of the whole packing",
)

FIELDS = (*ARRANGEMENT[:2], PRESSURE, FORCE, LARGEST_FORCE, RATTLERS, SELF_STRESS, *ARRANGEMENT[2:])
